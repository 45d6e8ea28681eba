//! What expressions stand for, and what kinds of values there are.

use super::scope::InstanceId;
use crate::{Domain, Expression, Symbols};
use std::fmt;
use std::sync::Arc;

/// Values that can be compared with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Boolean,
    Integer,
    /// Names of enumerations.
    Symbol,
    /// Names and numbers.
    Mixed,
    Word {
        bits: u32,
        signed: bool,
    },
}

impl Kind {
    pub(super) fn of(domain: &Domain, symbols: &Symbols) -> Kind {
        match domain {
            Domain::Boolean => Kind::Boolean,
            Domain::Range(..) => Kind::Integer,
            &Domain::Word { bits, signed } => Kind::Word { bits, signed },
            Domain::Values(values) => {
                let named = values.iter().filter(|v| symbols.name(**v).is_some());
                match named.count() {
                    0 => Kind::Integer,
                    n if n == values.len() => Kind::Symbol,
                    _ => Kind::Mixed,
                }
            }
        }
    }

    /// The kind that has the values of both, if there is one.
    pub(super) fn joined(self, other: Kind) -> Option<Kind> {
        use Kind::{Integer, Mixed, Symbol};
        match (self, other) {
            (left, right) if left == right => Some(left),
            (Integer | Symbol | Mixed, Integer | Symbol | Mixed) => Some(Mixed),
            _ => None,
        }
    }

    /// Whether values of both kinds can be the same.
    pub(super) fn meets(self, other: Kind) -> bool {
        let apart = matches!(
            (self, other),
            (Kind::Integer, Kind::Symbol) | (Kind::Symbol, Kind::Integer)
        );
        !apart && self.joined(other).is_some()
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Boolean => f.write_str("a truth value"),
            Kind::Integer => f.write_str("a number"),
            Kind::Symbol => f.write_str("a name"),
            Kind::Mixed => f.write_str("a name or a number"),
            Kind::Word { bits, signed } => {
                let sign = if *signed { "signed" } else { "unsigned" };
                write!(f, "of type {sign} word[{bits}]")
            }
        }
    }
}

/// One value, or a set of which any one is taken.
#[derive(Clone, Debug)]
pub(super) struct Value {
    /// Of a set: an expression that makes the choice.
    pub(super) code: Expression,
    pub(super) kind: Kind,
    pub(super) set: bool,
}

impl Value {
    pub(super) fn new(code: Expression, kind: Kind) -> Value {
        Value {
            code,
            kind,
            set: false,
        }
    }

    pub(super) fn truth(code: Expression) -> Value {
        Value::new(code, Kind::Boolean)
    }

    pub(super) fn integer(code: Expression) -> Value {
        Value::new(code, Kind::Integer)
    }
}

/// The elements of an array.
#[derive(Clone, Debug)]
pub(super) struct Elements {
    /// The first index.
    pub(super) low: i64,
    pub(super) items: Vec<Meaning>,
}

impl Elements {
    pub(super) fn high(&self) -> i64 {
        self.low + self.items.len() as i64 - 1
    }
}

/// What an expression stands for.
#[derive(Clone, Debug)]
pub(super) enum Meaning {
    Value(Value),
    Array(Arc<Elements>),
    Instance(InstanceId),
}
