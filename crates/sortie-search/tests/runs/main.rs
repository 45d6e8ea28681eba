//! Searches among the runs of small concurrent programs.

mod exhausting;
mod programs;
mod rates;
mod shortening;
mod simulated;
mod trials;
mod uniform;
