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

impl Sort {
    /// `domain -> range`, or `range` alone when the domain is empty.
    pub fn function(domain: Vec<Sort>, range: Sort) -> Sort {
        if domain.is_empty() {
            range
        } else {
            Sort::Function(domain.into(), Arc::new(range))
        }
    }
}
