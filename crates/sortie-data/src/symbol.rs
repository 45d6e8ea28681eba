//! Function symbols: declared ones, predefined ones per sort, and the inner forms of containers.

use crate::expr::Builtin;
use crate::fingerprint::{Fingerprint, Mixer};
use crate::signature::{FunctionId, FunctionKind, Signature};
use crate::sort::Sort;
use crate::sort_table::{SortRef, SortTable};
use crate::store::Store;
use crate::term::TermId;
use std::collections::HashMap;
use std::sync::{OnceLock, PoisonError, RwLock};

/// A function symbol of one particular sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SymbolId(pub(crate) u32);

impl SymbolId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

impl From<FunctionId> for SymbolId {
    /// Declared functions come first in the symbol table, in their order.
    fn from(function: FunctionId) -> SymbolId {
        SymbolId(function.0)
    }
}

/// What a symbol means.
///
/// A `Set` is `SetOf(f, s)`: `x` is a member iff `f(x) != (x in s)`. A `Bag` is `BagOf(f, b)`: `x` occurs
/// `f(x)` times, except that for `x` in `b` it is `b(x)` times, where `b(x) = f(x)` stands for zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Op {
    Function(FunctionId),
    Builtin(Builtin),
    /// `[]`.
    Nil,
    /// A finite set: its elements, strictly increasing.
    FSetOf,
    /// A finite bag: elements and positive multiplicities in turn, strictly increasing.
    FBagOf,
    /// `d` added to a set in which its place cannot be decided.
    FSetInsert,
    /// `d` added `n` times to a bag in which its place cannot be decided.
    FBagInsert,
    SetOf,
    BagOf,
    /// Characteristic functions that need no lambda, so that equal sets have equal terms.
    FalseFn,
    TrueFn,
    NotFn,
    AndFn,
    OrFn,
    /// Multiplicity functions: constantly zero or one; sum, minimum and difference of two; casts from and to sets.
    ZeroFn,
    OneFn,
    AddFn,
    MinFn,
    MonusFn,
    BoolToNatFn,
    NatToBoolFn,
    /// `f[d1 -> e1]...`: the function, then pairs with increasing `d`.
    UpdateOf,
    /// An update whose place among the others cannot be decided.
    UpdateStuck,
}

pub(crate) struct Symbol {
    pub(crate) op: Op,
    /// The whole sort; a function sort when the symbol takes arguments.
    pub(crate) sort: SortRef,
    /// The sort of the symbol applied to its arguments.
    pub(crate) range: SortRef,
    /// The sort of the first argument; without arguments, the whole sort.
    pub(crate) operand: SortRef,
    /// The symbol as a term.
    pub(crate) term: OnceLock<TermId>,
    /// A declared constructor.
    pub(crate) constructor: bool,
    /// Terms built from such symbols alone are equal only when identical.
    pub(crate) plain: bool,
    pub(crate) fingerprint: Fingerprint,
}

pub(crate) struct SymbolTable {
    entries: Store<Symbol, 6>,
    index: RwLock<HashMap<(Op, SortRef), SymbolId>>,
}

impl SymbolTable {
    pub(crate) fn new(signature: &Signature, sorts: &SortTable) -> SymbolTable {
        let table = SymbolTable {
            entries: Store::new(),
            index: RwLock::default(),
        };
        for (number, function) in (0..).zip(&signature.functions) {
            let sort = sorts.intern(&function.sort);
            let structured = match sorts.get(sorts.range(sort)).sort {
                Sort::Named(id) => signature
                    .sorts
                    .get(id.0 as usize)
                    .is_some_and(|decl| decl.structured),
                _ => false,
            };
            table.entries.push(Symbol {
                op: Op::Function(FunctionId(number)),
                sort,
                range: sorts.range(sort),
                operand: operand(sorts, sort),
                term: OnceLock::new(),
                constructor: function.kind == FunctionKind::Constructor,
                plain: structured && function.kind == FunctionKind::Constructor,
                fingerprint: Mixer::new(21)
                    .bytes(function.name.as_bytes())
                    .fingerprint(sorts.get(sort).fingerprint)
                    .finish(),
            });
        }
        table
    }

    pub(crate) fn get(&self, symbol: SymbolId) -> &Symbol {
        self.entries.get(symbol.0)
    }

    /// The symbol of this meaning and whole sort (for the inner forms: the sort of the result).
    pub(crate) fn intern(&self, sorts: &SortTable, op: Op, sort: SortRef) -> SymbolId {
        if let Op::Function(function) = op {
            return SymbolId::from(function);
        }
        let read = self.index.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = read.get(&(op, sort)) {
            return *found;
        }
        drop(read);
        let mut index = self.index.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = index.get(&(op, sort)) {
            return *found;
        }
        let (range, plain) = match op {
            Op::Builtin(builtin) => (
                sorts.range(sort),
                matches!(builtin, Builtin::True | Builtin::False | Builtin::Cons),
            ),
            _ => (sort, matches!(op, Op::Nil | Op::FSetOf | Op::FBagOf)),
        };
        let symbol = SymbolId(
            self.entries.push(Symbol {
                op,
                sort,
                range,
                operand: operand(sorts, sort),
                term: OnceLock::new(),
                constructor: false,
                plain,
                fingerprint: Mixer::new(22)
                    .bytes(format!("{op:?}").as_bytes())
                    .fingerprint(sorts.get(sort).fingerprint)
                    .finish(),
            }),
        );
        index.insert((op, sort), symbol);
        symbol
    }
}

fn operand(sorts: &SortTable, sort: SortRef) -> SortRef {
    sorts.domain(sort).first().copied().unwrap_or(sort)
}
