//! The sorts an expression can have: nearly always one, which then needs no memory of its own.

use sortie_data::Sort;
use std::ops::Deref;

/// A list of sorts, usually of length one.
#[derive(Clone, Debug)]
pub(crate) enum Possible {
    One([Sort; 1]),
    Other(Vec<Sort>),
}

impl Possible {
    /// No sort: something is wrong.
    pub fn none() -> Possible {
        Possible::Other(Vec::new())
    }

    /// This sort.
    pub fn one(sort: Sort) -> Possible {
        Possible::One([sort])
    }

    /// Adds a possibility.
    pub fn push(&mut self, sort: Sort) {
        *self = match std::mem::replace(self, Possible::none()) {
            Possible::One([first]) => Possible::Other(vec![first, sort]),
            Possible::Other(sorts) if sorts.is_empty() => Possible::one(sort),
            Possible::Other(mut sorts) => {
                sorts.push(sort);
                Possible::Other(sorts)
            }
        };
    }

    /// All of them.
    pub fn as_slice(&self) -> &[Sort] {
        self
    }
}

impl Deref for Possible {
    type Target = [Sort];

    fn deref(&self) -> &[Sort] {
        match self {
            Possible::One(sort) => sort,
            Possible::Other(sorts) => sorts,
        }
    }
}

impl FromIterator<Sort> for Possible {
    fn from_iter<I: IntoIterator<Item = Sort>>(sorts: I) -> Possible {
        let mut possible = Possible::none();
        for sort in sorts {
            possible.push(sort);
        }
        possible
    }
}
