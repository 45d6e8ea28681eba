//! Many hunts on one machine: derived seeds, threads, witnesses, statistics.
//!
//! A [`Campaign`] runs one strategy once or many times, replays and shortens what was found, and sums up. Its [`HuntSettings`] are filled by the
//! command line and by the builder of the library. Clocks live here and nowhere below: they only decide when a hunt is told to stop.

#![forbid(unsafe_code)]

mod campaign;
mod check;
mod curves;
mod estimates;
mod limits;
mod program;
mod settings;
mod side_by_side;
mod statistics;

pub use campaign::{Campaign, CampaignError, Reported, Result, Results, Target};
pub use check::{Answer, Check, CheckError, CheckRun, Ground, runs_for};
pub use curves::{Curve, curves};
pub use estimates::{Estimates, InReach, NewStates, Withheld, chance_below, estimates};
pub use limits::Limits;
pub use program::{Conditions, Program, ProgramCounts, Told, difference};
pub use settings::HuntSettings;
pub use statistics::{Interval, Mean, mean, proportion};
