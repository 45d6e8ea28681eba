//! What values there are: truths, numbers between bounds, and named values.

use crate::WordKind;
use crate::code::Expression;

/// Values of different kinds are never compared or assigned to one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::language) enum Kind {
    Truth,
    Number,
    /// The number of an enumeration.
    Named(usize),
}

/// A kind with bounds: a type, or what is known of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::language) struct Values {
    pub(in crate::language) kind: Kind,
    pub(in crate::language) least: i64,
    pub(in crate::language) greatest: i64,
}

impl Values {
    pub(super) const TRUTH: Values = Values {
        kind: Kind::Truth,
        least: 0,
        greatest: 1,
    };
    /// `int`
    pub(super) const INT: Values = Values::numbers(i32::MIN as i64, i32::MAX as i64);
    /// Numbers of which nothing is known.
    pub(super) const ANY: Values = Values::numbers(i64::MIN, i64::MAX);

    pub(super) const fn numbers(least: i64, greatest: i64) -> Values {
        Values {
            kind: Kind::Number,
            least,
            greatest,
        }
    }

    pub(super) const fn only(self, value: i64) -> Values {
        Values {
            kind: self.kind,
            least: value,
            greatest: value,
        }
    }

    pub(super) fn contains(&self, value: i64) -> bool {
        (self.least..=self.greatest).contains(&value)
    }

    pub(super) fn covers(&self, other: &Values) -> bool {
        self.contains(other.least) && self.contains(other.greatest)
    }

    /// How many there are, if that can be counted.
    pub(super) fn count(&self) -> u64 {
        let count = i128::from(self.greatest) - i128::from(self.least) + 1;
        u64::try_from(count.max(0)).unwrap_or(u64::MAX)
    }

    /// Both together.
    pub(super) fn or(self, other: Values) -> Values {
        Values {
            least: self.least.min(other.least),
            greatest: self.greatest.max(other.greatest),
            ..self
        }
    }

    /// What a variable holds if nothing is said: 0 where that is possible.
    pub(super) fn default(&self) -> i64 {
        if self.contains(0) { 0 } else { self.least }
    }

    /// The word that holds them.
    pub(super) fn word(&self) -> WordKind {
        if Values::INT.covers(self) {
            WordKind::Signed
        } else if self.least >= 0 && self.greatest <= i64::from(u32::MAX) {
            WordKind::Unsigned
        } else {
            WordKind::Wide
        }
    }
}

/// The type of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::language) enum Declared {
    Scalar(Values),
    /// One word for the length, then the elements; words without an element hold the default.
    Queue {
        capacity: u32,
        element: Values,
    },
}

impl Declared {
    /// How many words a variable of the type has.
    pub(super) fn words(&self) -> u32 {
        match self {
            Declared::Scalar(_) => 1,
            Declared::Queue { capacity, .. } => capacity + 1,
        }
    }
}

/// Code and what it gives.
#[derive(Clone, Debug)]
pub(in crate::language) struct Typed {
    pub(in crate::language) code: Expression,
    pub(in crate::language) values: Values,
}

impl Typed {
    pub(super) fn new(code: Expression, values: Values) -> Typed {
        Typed { code, values }
    }

    /// Something that is true or false.
    pub(super) fn condition(code: Expression) -> Typed {
        Typed::new(code, Values::TRUTH)
    }

    pub(super) fn constant(value: i64, values: Values) -> Typed {
        Typed::new(Expression::Constant(value), values.only(value))
    }

    pub(super) fn truth(value: bool) -> Typed {
        Typed::constant(i64::from(value), Values::TRUTH)
    }

    /// The value, if it is known.
    pub(super) fn known(&self) -> Option<i64> {
        match self.code {
            Expression::Constant(value) => Some(value),
            _ => None,
        }
    }
}
