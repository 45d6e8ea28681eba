//! The shape of a network: which operators stand above which components.

use crate::offer::Name;
use std::collections::{BTreeMap, BTreeSet};

/// The number of a component, its place in a global state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ComponentId(pub u32);

/// `a|b -> c`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Communication {
    /// At least two names, possibly equal.
    pub from: Vec<Name>,
    pub to: Name,
}

/// An operator on the steps of what is below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operator {
    /// Steps with one of these names do not happen.
    Block(BTreeSet<Name>),
    /// These names are removed from each step.
    Hide(BTreeSet<Name>),
    /// Steps whose names, sorted, are not in the set do not happen, except internal ones.
    Allow(BTreeSet<Vec<Name>>),
    /// Names are replaced, all at once.
    Rename(BTreeMap<Name, Name>),
    /// Groups of actions with equal arguments are replaced by one action, as many as possible.
    Comm(Vec<Communication>),
}

/// A network as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tree {
    Component(ComponentId),
    Parallel(Vec<Tree>),
    Apply(Operator, Box<Tree>),
}

/// A network in layers: a row of parallel parts under a chain of operators.
#[derive(Clone, Debug)]
pub(crate) struct Layer {
    /// Innermost first.
    pub(crate) operators: Vec<Operator>,
    pub(crate) base: Base,
}

#[derive(Clone, Debug)]
pub(crate) enum Base {
    Component(ComponentId),
    Parallel(Vec<Layer>),
}

impl Layer {
    /// Joins rows that no operator separates.
    pub(crate) fn of(tree: &Tree) -> Layer {
        match tree {
            Tree::Component(component) => Layer {
                operators: Vec::new(),
                base: Base::Component(*component),
            },
            Tree::Apply(operator, below) => {
                let mut layer = Layer::of(below);
                layer.operators.push(operator.clone());
                layer
            }
            Tree::Parallel(parts) => {
                let mut row = Vec::new();
                for part in parts {
                    match Layer::of(part) {
                        Layer {
                            operators,
                            base: Base::Parallel(inner),
                        } if operators.is_empty() => row.extend(inner),
                        layer => row.push(layer),
                    }
                }
                Layer {
                    operators: Vec::new(),
                    base: Base::Parallel(row),
                }
            }
        }
    }
}
