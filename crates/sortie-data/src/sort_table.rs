//! Interned sorts, so that the rewriter compares and inspects them as numbers.

use crate::expr::Builtin;
use crate::fingerprint::{Fingerprint, Mixer};
use crate::recall::Recall;
use crate::signature::{Signature, SortId};
use crate::sort::{Container, Sort};
use crate::store::Store;
use crate::symbol::{Op, SymbolId};
use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

/// A sort known to a [`Universe`](crate::Universe).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SortRef(pub(crate) u32);

impl SortRef {
    pub(crate) const BOOL: SortRef = SortRef(0);
    pub(crate) const NAT: SortRef = SortRef(2);
}

/// The numeric sorts, each included in the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Numeric {
    Pos,
    Nat,
    Int,
    Real,
}

impl Numeric {
    /// From the smallest up.
    pub const ALL: [Numeric; 4] = [Numeric::Pos, Numeric::Nat, Numeric::Int, Numeric::Real];

    /// The numeric sort that a sort is, if it is one.
    pub fn of(sort: &Sort) -> Option<Numeric> {
        Some(match sort {
            Sort::Pos => Numeric::Pos,
            Sort::Nat => Numeric::Nat,
            Sort::Int => Numeric::Int,
            Sort::Real => Numeric::Real,
            _ => return None,
        })
    }

    pub(crate) fn sort(self) -> SortRef {
        SortRef(1 + self as u32)
    }

    /// The least number of the sort, if it has one.
    pub(crate) fn least(self) -> Option<i64> {
        match self {
            Numeric::Pos => Some(1),
            Numeric::Nat => Some(0),
            Numeric::Int | Numeric::Real => None,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum SortKind {
    Bool,
    Number(Numeric),
    List(SortRef),
    Set(SortRef),
    FSet(SortRef),
    Bag(SortRef),
    FBag(SortRef),
    Function(Box<[SortRef]>, SortRef),
    Named(SortId),
}

pub(crate) struct SortEntry {
    pub(crate) sort: Sort,
    pub(crate) kind: SortKind,
    pub(crate) fingerprint: Fingerprint,
    /// Symbols of this sort, by meaning.
    pub(crate) symbols: Recall<Op, SymbolId>,
    /// Predefined symbols whose last argument has this sort, by meaning, all argument sorts and range.
    pub(crate) operations: Recall<(Builtin, Arguments, SortRef), SymbolId>,
    /// The sorts of functions whose first argument has this sort, by all argument sorts and range.
    functions: Recall<(Arguments, SortRef), SortRef>,
    containers: Recall<Container, SortRef>,
}

/// The sorts of one to three arguments.
pub(crate) type Arguments = [Option<SortRef>; 3];

/// The argument sorts, unless there are more of them than one remembers.
pub(crate) fn few(domain: &[SortRef]) -> Option<Arguments> {
    let mut few = [None; 3];
    if domain.is_empty() || domain.len() > few.len() {
        return None;
    }
    for (place, sort) in few.iter_mut().zip(domain) {
        *place = Some(*sort);
    }
    Some(few)
}

pub(crate) struct SortTable {
    entries: Store<SortEntry, 4>,
    index: RwLock<HashMap<Sort, SortRef>>,
    names: Vec<String>,
}

impl SortTable {
    pub(crate) fn new(signature: &Signature) -> SortTable {
        let table = SortTable {
            entries: Store::new(),
            index: RwLock::default(),
            names: signature.sorts.iter().map(|s| s.name.clone()).collect(),
        };
        for sort in [Sort::Bool, Sort::Pos, Sort::Nat, Sort::Int, Sort::Real] {
            table.intern(&sort);
        }
        table
    }

    pub(crate) fn get(&self, sort: SortRef) -> &SortEntry {
        self.entries.get(sort.0)
    }

    pub(crate) fn kind(&self, sort: SortRef) -> &SortKind {
        &self.get(sort).kind
    }

    pub(crate) fn intern(&self, sort: &Sort) -> SortRef {
        if let Some(found) = self.known(sort) {
            return found;
        }
        let kind = match sort {
            Sort::Bool => SortKind::Bool,
            Sort::Pos => SortKind::Number(Numeric::Pos),
            Sort::Nat => SortKind::Number(Numeric::Nat),
            Sort::Int => SortKind::Number(Numeric::Int),
            Sort::Real => SortKind::Number(Numeric::Real),
            Sort::List(element) => SortKind::List(self.intern(element)),
            Sort::Set(element) => SortKind::Set(self.intern(element)),
            Sort::FSet(element) => SortKind::FSet(self.intern(element)),
            Sort::Bag(element) => SortKind::Bag(self.intern(element)),
            Sort::FBag(element) => SortKind::FBag(self.intern(element)),
            Sort::Function(domain, range) => SortKind::Function(
                domain.iter().map(|s| self.intern(s)).collect(),
                self.intern(range),
            ),
            Sort::Named(id) => SortKind::Named(*id),
        };
        let fingerprint = self.fingerprint(&kind);
        let mut index = self.index.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = index.get(sort) {
            return *found;
        }
        let place = SortRef(self.entries.push(SortEntry {
            sort: sort.clone(),
            kind,
            fingerprint,
            symbols: Recall::new(),
            operations: Recall::new(),
            functions: Recall::new(),
            containers: Recall::new(),
        }));
        index.insert(sort.clone(), place);
        place
    }

    pub(crate) fn function(&self, domain: &[SortRef], range: SortRef) -> SortRef {
        let find = || {
            let domain = domain.iter().map(|s| self.get(*s).sort.clone()).collect();
            self.intern(&Sort::function(domain, self.get(range).sort.clone()))
        };
        match few(domain) {
            Some(arguments) => self
                .get(domain[0])
                .functions
                .get_or((arguments, range), |_| find()),
            None => find(),
        }
    }

    /// The sort of containers of such elements.
    pub(crate) fn container(&self, kind: Container, element: SortRef) -> SortRef {
        let element = self.get(element);
        let make = |kind: &Container| self.intern(&Sort::of(*kind, &element.sort));
        element.containers.get_or(kind, make)
    }

    /// What applying a function of this sort yields.
    pub(crate) fn range(&self, sort: SortRef) -> SortRef {
        match self.kind(sort) {
            SortKind::Function(_, range) => *range,
            _ => sort,
        }
    }

    pub(crate) fn domain(&self, sort: SortRef) -> &[SortRef] {
        match self.kind(sort) {
            SortKind::Function(domain, _) => domain,
            _ => &[],
        }
    }

    /// The element sort of a container, otherwise the sort itself.
    pub(crate) fn element(&self, sort: SortRef) -> SortRef {
        match self.kind(sort) {
            SortKind::List(e)
            | SortKind::Set(e)
            | SortKind::FSet(e)
            | SortKind::Bag(e)
            | SortKind::FBag(e) => *e,
            _ => sort,
        }
    }

    /// The sort as it is written in a specification.
    pub(crate) fn print(&self, sort: &Sort) -> String {
        sort.written(&|SortId(id)| match self.names.get(id as usize) {
            Some(name) => name.clone(),
            None => format!("sort{id}"),
        })
    }

    fn known(&self, sort: &Sort) -> Option<SortRef> {
        let index = self.index.read().unwrap_or_else(PoisonError::into_inner);
        index.get(sort).copied()
    }

    fn fingerprint(&self, kind: &SortKind) -> Fingerprint {
        let of = |s: &SortRef| self.get(*s).fingerprint;
        match kind {
            SortKind::Bool => Mixer::new(1),
            SortKind::Number(numeric) => Mixer::new(2).word(*numeric as u64),
            SortKind::List(e) => Mixer::new(3).fingerprint(of(e)),
            SortKind::Set(e) => Mixer::new(4).fingerprint(of(e)),
            SortKind::FSet(e) => Mixer::new(5).fingerprint(of(e)),
            SortKind::Bag(e) => Mixer::new(6).fingerprint(of(e)),
            SortKind::FBag(e) => Mixer::new(7).fingerprint(of(e)),
            SortKind::Function(domain, range) => domain
                .iter()
                .fold(Mixer::new(8), |m, s| m.fingerprint(of(s)))
                .fingerprint(of(range)),
            SortKind::Named(SortId(id)) => match self.names.get(*id as usize) {
                Some(name) => Mixer::new(9).bytes(name.as_bytes()),
                None => Mixer::new(10).word(u64::from(*id)),
            },
        }
        .finish()
    }
}
