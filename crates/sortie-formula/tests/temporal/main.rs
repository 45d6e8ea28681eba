//! CTL and LTL against slow and simple methods, on small random systems.

mod ctl;
mod fairness;
mod formula;
mod ltl;
mod lts;
mod parsing;
mod paths;
mod tableau;
mod watched;
