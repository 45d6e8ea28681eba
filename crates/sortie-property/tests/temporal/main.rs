//! CTL and LTL against slow and simple methods, on small random systems.

mod ctl;
mod formula;
mod lts;
mod parsing;
