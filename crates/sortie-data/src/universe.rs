//! The shared, append-only arena of terms.
//!
//! Any number of threads intern at the same time: terms are found and read without locks, and those who add some are kept apart by shards with
//! a lock each.

use crate::expr::Builtin;
use crate::fingerprint::{Fingerprint, Mixer};
use crate::number::Integer;
use crate::signature::Signature;
use crate::sort::Sort;
use crate::sort_table::{Numeric, SortRef, SortTable, few};
use crate::store::Store;
use crate::symbol::{Op, SymbolId, SymbolTable};
use crate::term::{Binder, FreeVariable, TermId, VariableId, View};
use num_bigint::BigInt;
use num_rational::BigRational;
use sortie_intern::Directory;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

const SHARDS: usize = 64;

/// Terms with variables are gone through part by part, however much their parts are shared; larger ones are refused.
pub(crate) const MAX_TREE: u32 = 1 << 20;

/// All terms of one specification.
pub struct Universe {
    terms: Store<Entry, 10>,
    /// Of which each has the terms with some hashes.
    shards: Box<[Directory]>,
    /// How many arguments all applications have.
    arguments: AtomicUsize,
    /// Whether any term is overgrown; few universes have one, so most questions about it end here.
    has_overgrown: AtomicBool,
    pub(crate) sorts: SortTable,
    pub(crate) symbols: SymbolTable,
}

struct Entry {
    shape: Shape,
    fingerprint: Fingerprint,
    /// One more than the largest bound variable that points out of the term; 0 when none does.
    loose: u32,
    has_variables: bool,
    plain: bool,
    /// How many parts with variables the term has, as the upper half of an `f32`. What adds less than a 256th does not show,
    /// so long lists do not count; but sharing that makes a term exponentially larger than what is stored does.
    open_parts: u16,
}

enum Shape {
    Small(Numeric, i64),
    Big(Numeric, Box<BigInt>),
    Ratio(Box<BigRational>),
    Symbol(SymbolId),
    Apply(SymbolId, Box<[TermId]>),
    ApplyTerm(TermId, Box<[TermId]>),
    Variable(Box<FreeVariable>),
    Bound(u32, SortRef),
    Binder(Box<Binder>),
}

impl Universe {
    pub fn new(signature: &Signature) -> Universe {
        let sorts = SortTable::new(signature);
        let symbols = SymbolTable::new(signature, &sorts);
        let universe = Universe {
            terms: Store::new(),
            shards: (0..SHARDS).map(|_| Directory::new()).collect(),
            arguments: AtomicUsize::new(0),
            has_overgrown: AtomicBool::new(false),
            sorts,
            symbols,
        };
        for (constant, term) in [
            (Builtin::True, TermId::TRUE),
            (Builtin::False, TermId::FALSE),
        ] {
            let symbol = universe.symbol(universe.builtin(constant, SortRef::BOOL));
            assert_eq!(symbol, term, "the truth values are the first terms");
        }
        universe
    }

    /// How many terms are stored (small numbers are not).
    pub fn len(&self) -> usize {
        self.terms.len() as usize
    }

    /// Bytes taken by the terms and their table, nearly.
    pub fn memory(&self) -> usize {
        let tables: u64 = self.shards.iter().map(Directory::bytes).sum();
        let arguments = self.arguments.load(Ordering::Relaxed) * size_of::<TermId>();
        self.len() * size_of::<OnceLock<Entry>>() + arguments + tables as usize
    }

    /// Never: the truth values are always there.
    pub fn is_empty(&self) -> bool {
        false
    }

    pub fn view(&self, term: TermId) -> View<'_> {
        if let Some((sort, value)) = term.as_inline() {
            return View::Number(sort, Integer::Small(value));
        }
        match &self.entry(term).shape {
            Shape::Small(sort, value) => View::Number(*sort, Integer::Small(*value)),
            Shape::Big(sort, value) => View::Number(*sort, Integer::Big((**value).clone())),
            Shape::Ratio(value) => View::Ratio(value),
            Shape::Symbol(symbol) => View::Symbol(*symbol),
            Shape::Apply(symbol, arguments) => View::Apply(*symbol, arguments),
            Shape::ApplyTerm(head, arguments) => View::ApplyTerm(*head, arguments),
            Shape::Variable(variable) => View::Variable(variable),
            Shape::Bound(index, sort) => View::Bound(*index, *sort),
            Shape::Binder(binder) => View::Binder(binder),
        }
    }

    /// The arguments, when the term is an application of a symbol with this meaning.
    pub(crate) fn arguments_of(&self, op: Op, term: TermId) -> Option<&[TermId]> {
        if term.as_inline().is_some() {
            return None;
        }
        match &self.entry(term).shape {
            Shape::Apply(symbol, arguments) if self.symbols.get(*symbol).op == op => {
                Some(arguments)
            }
            _ => None,
        }
    }

    /// The arguments of two terms, each if it is an application of a symbol with this meaning.
    pub(crate) fn arguments_of_both(
        &self,
        op: Op,
        x: TermId,
        y: TermId,
    ) -> (Option<&[TermId]>, Option<&[TermId]>) {
        (self.arguments_of(op, x), self.arguments_of(op, y))
    }

    /// The meaning of the term's outermost symbol, applied or not.
    pub(crate) fn op(&self, term: TermId) -> Option<Op> {
        if term.as_inline().is_some() {
            return None;
        }
        match &self.entry(term).shape {
            Shape::Apply(symbol, _) | Shape::Symbol(symbol) => Some(self.symbols.get(*symbol).op),
            _ => None,
        }
    }

    /// Depends on names, structure and numbers alone; equal for terms that differ in names of bound variables.
    pub fn fingerprint(&self, term: TermId) -> Fingerprint {
        match term.as_inline() {
            Some((sort, value)) => small_fingerprint(sort, value),
            None => self.entry(term).fingerprint,
        }
    }

    /// The sort of a term.
    pub fn sort_of(&self, term: TermId) -> SortRef {
        match self.view(term) {
            View::Number(sort, _) => sort.sort(),
            View::Ratio(_) => Numeric::Real.sort(),
            View::Symbol(symbol) => self.symbols.get(symbol).sort,
            View::Apply(symbol, _) => self.symbols.get(symbol).range,
            View::ApplyTerm(head, _) => self.sorts.range(self.sort_of(head)),
            View::Variable(variable) => variable.sort,
            View::Bound(_, sort) => sort,
            View::Binder(binder) => binder.sort,
        }
    }

    /// The sort behind a reference.
    pub fn sort(&self, sort: SortRef) -> &Sort {
        &self.sorts.get(sort).sort
    }

    /// The reference to a sort of this specification.
    pub fn sort_ref(&self, sort: &Sort) -> SortRef {
        self.sorts.intern(sort)
    }

    /// Whether a free variable occurs in the term.
    pub fn has_variables(&self, term: TermId) -> bool {
        term.as_inline().is_none() && self.entry(term).has_variables
    }

    pub(crate) fn loose(&self, term: TermId) -> u32 {
        if term.as_inline().is_some() {
            0
        } else {
            self.entry(term).loose
        }
    }

    /// Whether going through all parts with variables takes too long.
    pub(crate) fn is_overgrown(&self, term: TermId) -> bool {
        self.has_overgrown.load(Ordering::Relaxed) && self.open_parts(term) > MAX_TREE as f32
    }

    fn open_parts(&self, term: TermId) -> f32 {
        if term.as_inline().is_some() {
            return 0.0;
        }
        f32::from_bits(u32::from(self.entry(term).open_parts) << 16)
    }

    /// Built from constructors and numbers only, so that equality is identity.
    pub(crate) fn is_plain(&self, term: TermId) -> bool {
        term.as_inline().is_some() || self.entry(term).plain
    }

    /// The sorts of the arguments of a symbol.
    pub(crate) fn domain(&self, symbol: SymbolId) -> &[SortRef] {
        self.sorts.domain(self.symbols.get(symbol).sort)
    }

    pub(crate) fn builtin(&self, builtin: Builtin, sort: SortRef) -> SymbolId {
        self.inner(Op::Builtin(builtin), sort)
    }

    pub(crate) fn inner(&self, op: Op, sort: SortRef) -> SymbolId {
        let known = &self.sorts.get(sort).symbols;
        known.get_or(op, |op| self.symbols.intern(&self.sorts, *op, sort))
    }

    /// The predefined symbol with these argument sorts.
    pub(crate) fn builtin_on(
        &self,
        builtin: Builtin,
        domain: &[SortRef],
        range: SortRef,
    ) -> SymbolId {
        let find = || self.builtin(builtin, self.sorts.function(domain, range));
        match (few(domain), domain.last()) {
            (Some(arguments), Some(last)) => {
                let known = &self.sorts.get(*last).operations;
                known.get_or((builtin, arguments, range), |_| find())
            }
            _ => find(),
        }
    }

    /// `in` or `count` on containers of this sort.
    pub(crate) fn of_element(
        &self,
        builtin: Builtin,
        container: SortRef,
        range: SortRef,
    ) -> SymbolId {
        self.builtin_on(builtin, &[self.sorts.element(container), container], range)
    }

    pub fn number(&self, sort: Numeric, value: &Integer) -> TermId {
        match value {
            Integer::Small(value) => self.small(sort, *value),
            Integer::Big(value) => self.intern(
                hash(1, value.iter_u32_digits().chain([sort as u32])),
                |shape| matches!(shape, Shape::Big(s, v) if *s == sort && **v == *value),
                || Shape::Big(sort, Box::new(value.clone())),
            ),
        }
    }

    pub(crate) fn small(&self, sort: Numeric, value: i64) -> TermId {
        TermId::inline(sort, value).unwrap_or_else(|| {
            self.intern(
                hash(2, [value as u32, (value >> 32) as u32, sort as u32]),
                |shape| matches!(shape, Shape::Small(s, v) if (*s, *v) == (sort, value)),
                || Shape::Small(sort, value),
            )
        })
    }

    pub fn rational(&self, value: &BigRational) -> TermId {
        if value.is_integer() {
            return self.number(Numeric::Real, &Integer::from(value.to_integer()));
        }
        let digits = [value.numer(), value.denom()];
        let digits = digits.into_iter().flat_map(BigInt::iter_u32_digits);
        self.intern(
            hash(3, digits),
            |shape| matches!(shape, Shape::Ratio(v) if **v == *value),
            || Shape::Ratio(Box::new(value.clone())),
        )
    }

    pub(crate) fn symbol(&self, symbol: SymbolId) -> TermId {
        *self.symbols.get(symbol).term.get_or_init(|| {
            self.intern(
                hash(4, [symbol.0]),
                |shape| matches!(shape, Shape::Symbol(s) if *s == symbol),
                || Shape::Symbol(symbol),
            )
        })
    }

    /// The term as given, without rewriting; an application to nothing is the symbol.
    pub(crate) fn apply(&self, symbol: SymbolId, arguments: &[TermId]) -> TermId {
        let is_variadic = || matches!(self.symbols.get(symbol).op, Op::FSetOf | Op::FBagOf);
        if arguments.is_empty() && !is_variadic() {
            return self.symbol(symbol);
        }
        self.intern(
            hash(5, arguments.iter().map(|a| a.0).chain([symbol.0])),
            |shape| matches!(shape, Shape::Apply(s, a) if *s == symbol && **a == *arguments),
            || Shape::Apply(symbol, arguments.into()),
        )
    }

    pub(crate) fn apply_term(&self, head: TermId, arguments: &[TermId]) -> TermId {
        self.intern(
            hash(6, arguments.iter().map(|a| a.0).chain([head.0])),
            |shape| matches!(shape, Shape::ApplyTerm(h, a) if *h == head && **a == *arguments),
            || Shape::ApplyTerm(head, arguments.into()),
        )
    }

    pub(crate) fn variable(&self, variable: FreeVariable) -> TermId {
        let id = match variable.id {
            VariableId::Declared(id) => [0, id],
            VariableId::Fresh(id) => [1, id],
        };
        let bound = |b: Option<i64>| b.map_or(u32::MAX, |b| b as u32);
        let bounds = [bound(variable.low), bound(variable.high)];
        self.intern(
            hash(7, id.into_iter().chain(bounds)),
            |shape| matches!(shape, Shape::Variable(v) if **v == variable),
            || Shape::Variable(Box::new(variable.clone())),
        )
    }

    pub(crate) fn bound(&self, index: u32, sort: SortRef) -> TermId {
        self.intern(
            hash(8, [index, sort.0]),
            |shape| matches!(shape, Shape::Bound(i, s) if (*i, *s) == (index, sort)),
            || Shape::Bound(index, sort),
        )
    }

    pub(crate) fn binder(&self, binder: Binder) -> TermId {
        let sorts = binder.variables.iter().map(|v| v.sort.0);
        self.intern(
            hash(9, sorts.chain([binder.kind as u32, binder.body.0])),
            |shape| matches!(shape, Shape::Binder(b) if **b == binder),
            || Shape::Binder(Box::new(binder.clone())),
        )
    }

    fn entry(&self, term: TermId) -> &Entry {
        self.terms.get(term.0)
    }

    fn intern(
        &self,
        hash: u64,
        same: impl Fn(&Shape) -> bool,
        make: impl FnOnce() -> Shape,
    ) -> TermId {
        let tag = (hash >> 32) as u32;
        let shard = &self.shards[hash as usize % SHARDS];
        let find = || shard.find(tag, |term| same(&self.entry(TermId(term)).shape));
        if let Some(term) = find() {
            return TermId(term);
        }
        let mut adding = shard.lock();
        if let Some(term) = find() {
            return TermId(term);
        }
        let term = TermId(self.terms.push(self.describe(make())));
        assert!(
            term.0 < crate::term::FIRST_MARK,
            "the arena of terms is full"
        );
        adding.add(tag, term.0);
        term
    }

    fn describe(&self, shape: Shape) -> Entry {
        if let Shape::Apply(_, arguments) | Shape::ApplyTerm(_, arguments) = &shape {
            self.arguments.fetch_add(arguments.len(), Ordering::Relaxed);
        }
        let open = |parts: &[TermId]| parts.iter().any(|p| self.has_variables(*p));
        let plain = |parts: &[TermId]| parts.iter().all(|p| self.is_plain(*p));
        let loose = |parts: &[TermId]| parts.iter().map(|p| self.loose(*p)).max().unwrap_or(0);
        let (loose, has_variables, plain) = match &shape {
            Shape::Small(..) | Shape::Big(..) | Shape::Ratio(_) => (0, false, true),
            Shape::Symbol(symbol) => (0, false, self.symbols.get(*symbol).plain),
            Shape::Apply(symbol, arguments) => (
                loose(arguments),
                open(arguments),
                self.symbols.get(*symbol).plain && plain(arguments),
            ),
            Shape::ApplyTerm(head, arguments) => (
                loose(arguments).max(self.loose(*head)),
                self.has_variables(*head) || open(arguments),
                false,
            ),
            Shape::Variable(_) => (0, true, false),
            Shape::Bound(index, _) => (index + 1, false, false),
            Shape::Binder(binder) => (
                self.loose(binder.body)
                    .saturating_sub(binder.variables.len() as u32),
                self.has_variables(binder.body),
                false,
            ),
        };
        let open_parts = if loose == 0 && !has_variables {
            0.0
        } else {
            let sum = |parts: &[TermId]| parts.iter().map(|p| self.open_parts(*p)).sum::<f32>();
            1.0 + match &shape {
                Shape::Apply(_, arguments) => sum(arguments),
                Shape::ApplyTerm(head, arguments) => self.open_parts(*head) + sum(arguments),
                Shape::Binder(binder) => self.open_parts(binder.body),
                _ => 0.0,
            }
        };
        if open_parts > MAX_TREE as f32 {
            self.has_overgrown.store(true, Ordering::Relaxed);
        }
        Entry {
            fingerprint: self.fingerprint_of(&shape),
            shape,
            loose,
            has_variables,
            plain,
            open_parts: (open_parts.to_bits() >> 16) as u16,
        }
    }

    fn fingerprint_of(&self, shape: &Shape) -> Fingerprint {
        let symbol = |s: &SymbolId| self.symbols.get(*s).fingerprint;
        let sort = |s: &SortRef| self.sorts.get(*s).fingerprint;
        let with = |mixer: Mixer, parts: &[TermId]| {
            parts
                .iter()
                .fold(mixer, |m, part| m.fingerprint(self.fingerprint(*part)))
        };
        match shape {
            Shape::Small(numeric, value) => return small_fingerprint(*numeric, *value),
            Shape::Big(numeric, value) => Mixer::new(31)
                .word(*numeric as u64)
                .bytes(&value.to_signed_bytes_le()),
            Shape::Ratio(value) => Mixer::new(32)
                .bytes(&value.numer().to_signed_bytes_le())
                .bytes(&value.denom().to_signed_bytes_le()),
            Shape::Symbol(s) => Mixer::new(33).fingerprint(symbol(s)),
            Shape::Apply(s, arguments) => with(Mixer::new(34).fingerprint(symbol(s)), arguments),
            Shape::ApplyTerm(head, arguments) => with(
                Mixer::new(35).fingerprint(self.fingerprint(*head)),
                arguments,
            ),
            Shape::Variable(v) => {
                let (kind, id) = match v.id {
                    VariableId::Declared(id) => (0, id),
                    VariableId::Fresh(id) => (1, id),
                };
                let bound = |m: Mixer, b: Option<i64>| match b {
                    Some(b) => m.word(1).word(b as u64),
                    None => m.word(0),
                };
                let mixer = Mixer::new(36)
                    .word(kind)
                    .word(u64::from(id))
                    .fingerprint(sort(&v.sort));
                bound(bound(mixer, v.low), v.high)
            }
            Shape::Bound(index, s) => Mixer::new(37).word(u64::from(*index)).fingerprint(sort(s)),
            Shape::Binder(binder) => binder
                .variables
                .iter()
                .fold(Mixer::new(38).word(binder.kind as u64), |m, v| {
                    m.fingerprint(sort(&v.sort))
                })
                .fingerprint(self.fingerprint(binder.body)),
        }
        .finish()
    }
}

fn small_fingerprint(sort: Numeric, value: i64) -> Fingerprint {
    Mixer::new(31).word(sort as u64).word(value as u64).finish()
}

/// A hash for the table of this run only.
fn hash(tag: u64, words: impl IntoIterator<Item = u32>) -> u64 {
    let mut state = tag;
    for word in words {
        state = (state.rotate_left(5) ^ u64::from(word)).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
    state ^= state >> 32;
    state = state.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    state ^ (state >> 29)
}
