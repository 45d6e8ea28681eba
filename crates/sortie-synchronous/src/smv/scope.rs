//! Instances of modules and what their names stand for.

use super::kinds::{Kind, Meaning};
use super::tree::{Declared, Expr, Span};
use crate::{Domain, Symbols, VariableId};
use std::collections::HashMap;
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
