//! What is known about a row from elsewhere: single values, or ranges where a paper sums up several instances.

use serde::Deserialize;
use std::fmt;

/// The figures of a row of a table.
#[derive(Clone, Copy, Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub struct Figures {
    pub states: Option<Figure>,
    pub trace: Option<Figure>,
    /// In per cent.
    pub success: Option<Figure>,
    /// Mean number of distinct things found.
    pub found: Option<Figure>,
    /// Mean number of states by what bounded model checking needs.
    pub ratio: Option<Figure>,
}

/// A value, or the least and the greatest of several.
#[derive(Clone, Copy, Deserialize)]
#[serde(untagged)]
pub enum Figure {
    One(f64),
    Range([f64; 2]),
}

impl Figure {
    /// The least and the greatest.
    pub fn ends(self) -> (f64, f64) {
        match self {
            Figure::One(value) => (value, value),
            Figure::Range([low, high]) => (low, high),
        }
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Figure::One(value) => write!(f, "{value}"),
            Figure::Range([low, high]) if low == high => write!(f, "{low}"),
            Figure::Range([low, high]) => write!(f, "{low}–{high}"),
        }
    }
}

/// A figure as a cell of a table; empty if it is not known.
pub fn shown(figure: Option<Figure>) -> String {
    figure.map_or(String::new(), |figure| figure.to_string())
}
