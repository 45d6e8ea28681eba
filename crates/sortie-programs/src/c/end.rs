//! How a run of a program ended.

use crate::c::region::{self, Region, known, text};
use crate::c::{NativeError, sys};
use sortie_model::End;

/// Where a thread stood when the run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// What it was about to do.
    pub r#move: region::Move,
    /// Where, innermost first.
    pub frames: Vec<u64>,
    /// Whether it had ended before.
    pub finished: bool,
    /// The thread that has the lock it waits for.
    pub held_by: Option<u32>,
}

/// How a run ended, in all detail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// In a few words that are the same whenever the same went wrong; `None` for a normal end.
    pub failure: Option<String>,
    /// Whether the run was longer than allowed.
    pub limited: bool,
    /// What is outside sortie's control, if that ended the run.
    pub escape: Option<String>,
    /// Who did it.
    pub thread: u32,
    /// Where the program was when it died, innermost first.
    pub frames: Vec<u64>,
    /// Where all threads stood.
    pub threads: Vec<Standing>,
}

impl Ending {
    fn at(region: &Region) -> Self {
        let threads = (0..region.threads as usize).map(|n| Standing {
            r#move: region.standing[n],
            frames: known(&region.frames[n]),
            finished: region.finished[n] != 0,
            held_by: region.held_by[n].checked_sub(1),
        });
        Ending {
            failure: None,
            limited: false,
            escape: None,
            thread: region.end_thread,
            frames: known(&region.end_frames),
            threads: threads.collect(),
        }
    }

    /// The end that the program and its server told.
    pub fn of(region: &Region) -> Self {
        let mut ending = Ending::at(region);
        let message = text(&region.message);
        match region.end {
            region::END_DEADLOCK => ending.failure = Some("deadlock".into()),
            region::END_LIVELOCK => {
                let livelock = "livelock: 50,000 moves of a fair schedule, and nothing changed";
                ending.failure = Some(livelock.into());
            }
            region::END_ASSERTION => ending.failure = Some(format!("assertion failed: {message}")),
            region::END_ESCAPE => ending.escape = Some(message),
            end => {
                ending.limited = end == region::END_LIMIT;
                ending.failure = match sys::status(region.status) {
                    Ok(0) => None,
                    Ok(status) => Some(format!("exit status {status}")),
                    Err(signal) => Some(format!("crash: {}", sys::signal_name(signal))),
                };
            }
        }
        ending
    }

    /// The end of a run whose thread was blocked outside.
    pub fn blocked(region: &Region, call: &str) -> Self {
        let escape = format!("a thread is blocked in {call}, which sortie does not control");
        Ending {
            escape: Some(escape),
            ..Ending::at(region)
        }
    }

    /// The end of a run whose thread never got to a scheduling point.
    pub fn endless(region: &Region) -> Self {
        let failure = "endless loop: a thread runs on without reaching a scheduling point";
        Ending {
            failure: Some(failure.into()),
            ..Ending::at(region)
        }
    }

    /// The end as a search sees it.
    pub fn end(&self) -> Result<End, NativeError> {
        match (&self.escape, &self.failure) {
            (Some(what), _) => Err(NativeError::Escape { what: what.clone() }),
            (None, Some(message)) => Ok(End::Failed(message.clone())),
            (None, None) if self.limited => Ok(End::Limit),
            (None, None) => Ok(End::DeadEnd),
        }
    }
}
