//! Searches among the runs of small concurrent programs.

mod exhausting;
mod programs;
mod rates;
mod simulated;
