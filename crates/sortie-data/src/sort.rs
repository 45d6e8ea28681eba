//! Sorts after name resolution: aliases are gone, structured sorts are declarations in a [`Signature`].
//!
//! [`Signature`]: crate::Signature

use crate::signature::SortId;
use std::sync::Arc;

/// A fully resolved sort. Two sorts are the same exactly when they compare equal.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sort {
    Bool,
    Pos,
    Nat,
    Int,
    Real,
    List(Arc<Sort>),
    Set(Arc<Sort>),
    FSet(Arc<Sort>),
    Bag(Arc<Sort>),
    FBag(Arc<Sort>),
    /// `A # B -> C`; the domain is never empty.
    Function(Arc<[Sort]>, Arc<Sort>),
    /// A declared sort: abstract, with constructors, or structured.
    Named(SortId),
}

/// Sorts that are made from the sort of their elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    List,
    Set,
    FSet,
    Bag,
    FBag,
}

impl Sort {
    /// The sort of containers of such elements.
    pub fn of(container: Container, element: &Sort) -> Sort {
        let element = Arc::new(element.clone());
        match container {
            Container::List => Sort::List(element),
            Container::Set => Sort::Set(element),
            Container::FSet => Sort::FSet(element),
            Container::Bag => Sort::Bag(element),
            Container::FBag => Sort::FBag(element),
        }
    }

    /// The kind of container that its values are, and the sort of their elements.
    pub fn container(&self) -> Option<(Container, &Sort)> {
        match self {
            Sort::List(element) => Some((Container::List, element)),
            Sort::Set(element) => Some((Container::Set, element)),
            Sort::FSet(element) => Some((Container::FSet, element)),
            Sort::Bag(element) => Some((Container::Bag, element)),
            Sort::FBag(element) => Some((Container::FBag, element)),
            _ => None,
        }
    }

    /// The sort as it is written in a specification, where `name` tells what declared sorts are called.
    pub fn written(&self, name: &dyn Fn(SortId) -> String) -> String {
        match (self, self.container()) {
            (_, Some((container, element))) => format!("{container:?}({})", element.written(name)),
            (Sort::Function(domain, range), _) => {
                let range = range.written(name);
                format!("{} -> {range}", Sort::written_product(domain, name))
            }
            (Sort::Named(id), _) => name(*id),
            (basic, _) => format!("{basic:?}"),
        }
    }

    /// `A # B`, in the same way.
    pub fn written_product(sorts: &[Sort], name: &dyn Fn(SortId) -> String) -> String {
        let factor = |sort: &Sort| match sort {
            Sort::Function(..) => format!("({})", sort.written(name)),
            _ => sort.written(name),
        };
        sorts.iter().map(factor).collect::<Vec<_>>().join(" # ")
    }

    /// `domain -> range`, or `range` alone when the domain is empty.
    pub fn function(domain: Vec<Sort>, range: Sort) -> Sort {
        if domain.is_empty() {
            range
        } else {
            Sort::Function(domain.into(), Arc::new(range))
        }
    }
}
