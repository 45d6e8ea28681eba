//! Instances of modules, what their names stand for, and what kinds of values there are.

use super::tree::{Declared, Expr, Span};
use crate::{Domain, Expression, Symbols, VariableId};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct InstanceId(pub(super) usize);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct EntityId(pub(super) usize);

/// The instance of the main module.
pub(super) const MAIN: InstanceId = InstanceId(0);

/// All names of a model.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    pub(super) instances: Vec<Instance>,
    pub(super) entities: Vec<Entity>,
    pub(super) variables: Vec<Declaration>,
    pub(super) symbols: Symbols,
    /// The same names, to be found faster.
    pub(super) symbol_values: HashMap<String, i64>,
}

/// One copy of a module.
#[derive(Clone, Debug)]
pub(super) struct Instance {
    /// Its place in the list of modules.
    pub(super) module: usize,
    /// What its names begin with for others: nothing, or `left.`.
    pub(super) prefix: String,
    /// Who made it.
    pub(super) parent: Option<InstanceId>,
    pub(super) names: HashMap<String, EntityId>,
}

/// Something that has a name.
#[derive(Clone, Debug)]
pub(super) struct Entity {
    /// With the names of instances.
    pub(super) name: String,
    pub(super) span: Span,
    pub(super) kind: EntityKind,
}

#[derive(Clone, Debug)]
pub(super) enum EntityKind {
    /// Its meaning is not known while types are worked out.
    Variable(Declared, Option<Meaning>),
    /// An expression of the instance.
    Define(Arc<Expr>, InstanceId),
    /// An expression of whoever made the instance.
    Parameter(Arc<Expr>, InstanceId),
    Instance(InstanceId),
}

/// A variable, or an element of an array.
#[derive(Clone, Debug)]
pub(super) struct Declaration {
    pub(super) name: String,
    pub(super) domain: Domain,
    pub(super) kind: Kind,
    pub(super) declared: Declared,
    pub(super) span: Span,
}

impl Scope {
    pub(super) fn instance(&self, id: InstanceId) -> &Instance {
        &self.instances[id.0]
    }

    pub(super) fn entity(&self, id: EntityId) -> &Entity {
        &self.entities[id.0]
    }

    pub(super) fn declaration(&self, variable: VariableId) -> &Declaration {
        &self.variables[variable.0 as usize]
    }

    pub(super) fn symbol(&mut self, name: &str) -> i64 {
        if let Some(value) = self.symbol_values.get(name) {
            return *value;
        }
        let value = self.symbols.value(name);
        self.symbol_values.insert(name.to_owned(), value);
        value
    }

    /// What could be meant by a name in an instance.
    pub(super) fn candidates(&self, instance: InstanceId) -> impl Iterator<Item = &str> {
        let names = self.instance(instance).names.keys();
        let symbols = self.symbol_values.keys();
        names.chain(symbols).map(String::as_str)
    }
}

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
        let set = false;
        Value { code, kind, set }
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
