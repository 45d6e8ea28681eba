//! Searches among the runs of small concurrent programs.

mod programs;
mod rates;
mod simulated;
