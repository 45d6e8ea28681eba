//! Terms: handles, and what a handle stands for.

use crate::number::Integer;
use crate::sort_table::{Numeric, SortRef};
use crate::symbol::SymbolId;
use num_rational::BigRational;

/// A term of a [`Universe`](crate::Universe). Equal terms (up to the names of bound variables) have equal
/// handles. Handles differ from run to run; order and store by fingerprint instead.
///
/// Small numbers are held in the handle itself: the top bit, two bits of sort and 29 bits of value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TermId(pub(crate) u32);

const INLINE: u32 = 1 << 31;
const VALUE_BITS: u32 = 29;
const INLINE_MAX: i64 = (1 << (VALUE_BITS - 1)) - 1;
/// Handles from here to `INLINE` are marks of the evaluator, never terms.
pub(crate) const FIRST_MARK: u32 = 0x6000_0000;

impl TermId {
    pub const TRUE: TermId = TermId(0);
    pub const FALSE: TermId = TermId(1);

    pub fn of_bool(value: bool) -> TermId {
        if value { TermId::TRUE } else { TermId::FALSE }
    }

    /// `true` or `false`, when the term is one of them.
    pub fn as_bool(self) -> Option<bool> {
        match self {
            TermId::TRUE => Some(true),
            TermId::FALSE => Some(false),
            _ => None,
        }
    }

    pub(crate) fn inline(sort: Numeric, value: i64) -> Option<TermId> {
        (-INLINE_MAX..=INLINE_MAX).contains(&value).then(|| {
            let bits = (value as u32) & ((1 << VALUE_BITS) - 1);
            TermId(INLINE | (sort as u32) << VALUE_BITS | bits)
        })
    }

    pub(crate) fn as_inline(self) -> Option<(Numeric, i64)> {
        (self.0 & INLINE != 0).then(|| {
            let sort = match (self.0 >> VALUE_BITS) & 3 {
                0 => Numeric::Pos,
                1 => Numeric::Nat,
                2 => Numeric::Int,
                _ => Numeric::Real,
            };
            let shift = 32 - VALUE_BITS;
            (sort, i64::from((self.0 << shift) as i32 >> shift))
        })
    }

    pub(crate) fn mark(number: usize) -> TermId {
        let mark = u32::try_from(number)
            .ok()
            .and_then(|n| n.checked_add(FIRST_MARK))
            .filter(|m| m & INLINE == 0);
        TermId(mark.expect("the evaluator bounds its stack far below the space of marks"))
    }

    pub(crate) fn as_mark(self) -> Option<usize> {
        (FIRST_MARK..INLINE)
            .contains(&self.0)
            .then(|| (self.0 - FIRST_MARK) as usize)
    }
}

/// What a term is made of.
#[derive(Clone, Debug)]
pub enum View<'a> {
    /// An integral number of a numeric sort.
    Number(Numeric, Integer),
    /// A number of sort `Real` that is not integral.
    Ratio(&'a BigRational),
    Symbol(SymbolId),
    Apply(SymbolId, &'a [TermId]),
    /// The head is not a symbol: a variable, or a term of function sort that is stuck.
    ApplyTerm(TermId, &'a [TermId]),
    Variable(&'a FreeVariable),
    /// A variable bound by the binder found by counting bound variables outwards.
    Bound(u32, SortRef),
    Binder(&'a Binder),
}

/// A variable without a value: of a specification, or made by the enumerator.
#[derive(Clone, Debug)]
pub struct FreeVariable {
    pub name: String,
    pub id: VariableId,
    pub sort: SortRef,
    /// A number is known to lie between these, both included.
    pub low: Option<i64>,
    pub high: Option<i64>,
}

impl FreeVariable {
    pub(crate) fn new(name: &str, id: VariableId, sort: SortRef) -> FreeVariable {
        FreeVariable {
            name: name.to_string(),
            id,
            sort,
            low: None,
            high: None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VariableId {
    /// [`Variable::id`](crate::Variable).
    Declared(u32),
    /// Made while opening a binder or splitting a variable.
    Fresh(u32),
}

impl PartialEq for FreeVariable {
    fn eq(&self, other: &FreeVariable) -> bool {
        (self.id, self.sort, self.low, self.high) == (other.id, other.sort, other.low, other.high)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinderKind {
    Lambda,
    Forall,
    Exists,
}

/// `lambda`, `forall` or `exists` with its variables; in the body the last variable is `Bound(0, _)`.
#[derive(Clone, Debug)]
pub struct Binder {
    pub kind: BinderKind,
    pub variables: Box<[BoundVariable]>,
    pub body: TermId,
    pub sort: SortRef,
}

/// The name serves printing only: terms that differ in such names are the same, and are printed with the names of
/// the first of them to be built.
#[derive(Clone, Debug)]
pub struct BoundVariable {
    pub name: String,
    pub sort: SortRef,
}

impl BoundVariable {
    pub(crate) fn new(name: &str, sort: SortRef) -> BoundVariable {
        let name = name.to_string();
        BoundVariable { name, sort }
    }
}

impl PartialEq for Binder {
    fn eq(&self, other: &Binder) -> bool {
        self.kind == other.kind
            && self.body == other.body
            && self.variables.len() == other.variables.len()
            && self
                .variables
                .iter()
                .zip(&other.variables)
                .all(|(a, b)| a.sort == b.sort)
    }
}
