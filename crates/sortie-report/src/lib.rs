//! Reports: one file per format. They know the model's contract and its events, never a strategy.
//!
//! A [`Record`](record::Record) holds what there is to say about a hunt; [`FORMATS`](formats::FORMATS) is the table of ways to write it.

#![forbid(unsafe_code)]

pub mod chart;
mod dot;
pub mod files;
pub mod formats;
mod html;
mod itf;
pub mod json_lines;
mod junit;
mod markdown;
mod markup;
mod mcrl2_trace;
mod mermaid;
pub mod page;
pub mod record;
mod sarif;
pub mod story;
pub mod table;
pub mod trace_text;
pub mod units;
