//! Reports: one file per format. They know the model's contract and its events, never a strategy.

#![forbid(unsafe_code)]

pub mod chart;
pub mod json_lines;
pub mod table;
pub mod trace_text;
