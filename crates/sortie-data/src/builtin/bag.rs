//! Finite bags, and bags as a multiplicity function with a finite bag of exceptions.
//!
//! For `x` in the exceptions the multiplicity is the exception's, where the function's own value stands for
//! zero; that way every bag is a function plus finitely many exceptions, all of them positive.

use crate::builtin::set::Place;
use crate::expr::Builtin;
use crate::machine::{Machine, Outcome};
use crate::number::Integer;
use crate::sort::Container;
use crate::sort_table::{Numeric, SortKind, SortRef};
use crate::symbol::{Op, SymbolId};
use crate::term::{TermId, View};
use crate::universe::Universe;

impl Universe {
    pub(crate) fn fbag_of(&self, sort: SortRef, pairs: &[TermId]) -> TermId {
        self.apply(self.inner(Op::FBagOf, sort), pairs)
    }

    pub(crate) fn bag_of(
        &self,
        sort: SortRef,
        function: TermId,
        exceptions: Option<TermId>,
    ) -> TermId {
        let exceptions = exceptions.unwrap_or_else(|| {
            let element = self.sorts.element(sort);
            self.fbag_of(self.sorts.container(Container::FBag, element), &[])
        });
        self.apply(self.inner(Op::BagOf, sort), &[function, exceptions])
    }

    pub(crate) fn zero_fn(&self, element: SortRef) -> TermId {
        let function = self.sorts.function(&[element], SortRef::NAT);
        self.symbol(self.inner(Op::ZeroFn, function))
    }

    /// The multiplicity function of a set with characteristic function `f`.
    pub(crate) fn bool_to_nat_fn(&self, element: SortRef, f: TermId) -> TermId {
        let function = self.sorts.function(&[element], SortRef::NAT);
        match self.op(f) {
            Some(Op::FalseFn) => self.zero_fn(element),
            Some(Op::TrueFn) => self.symbol(self.inner(Op::OneFn, function)),
            _ => self.apply(self.inner(Op::BoolToNatFn, function), &[f]),
        }
    }

    /// The characteristic function of what occurs at all.
    pub(crate) fn nat_to_bool_fn(&self, element: SortRef, f: TermId) -> TermId {
        let function = self.sorts.function(&[element], SortRef::BOOL);
        match self.op(f) {
            Some(Op::ZeroFn) => self.constant_fn(function, false),
            Some(Op::OneFn) => self.constant_fn(function, true),
            _ => match self.arguments_of(Op::BoolToNatFn, f) {
                Some(inner) => inner[0],
                None => self.apply(self.inner(Op::NatToBoolFn, function), &[f]),
            },
        }
    }
}

impl<'e> Machine<'e> {
    /// The finite bag of these elements and multiplicities (of sort `Nat`), in any order.
    pub(crate) fn fbag(&mut self, sort: SortRef, parts: &[TermId]) -> Outcome {
        let mut bag = self.universe.fbag_of(sort, &[]);
        for pair in parts.rchunks(2) {
            bag = self.fbag_insert(sort, pair[0], pair[1], bag)?;
        }
        Ok(bag)
    }

    /// Adds `count` (a number of sort `Nat` or `Pos`) occurrences of an element.
    pub(crate) fn fbag_insert(
        &mut self,
        sort: SortRef,
        element: TermId,
        count: TermId,
        bag: TermId,
    ) -> Outcome {
        let u = self.universe;
        if let View::Number(_, added) = u.view(count)
            && let Some(pairs) = u.arguments_of(Op::FBagOf, bag)
        {
            if added.is_zero() {
                return Ok(bag);
            }
            let positive = |n: &Integer| u.number(Numeric::Pos, n);
            match self.place(u.sorts.element(sort), element, pairs, 2)? {
                Place::Found(place) => {
                    if let View::Number(_, old) = u.view(pairs[place + 1]) {
                        let mut pairs = pairs.to_vec();
                        pairs[place + 1] = positive(&old.add(&added));
                        return Ok(u.fbag_of(sort, &pairs));
                    }
                }
                Place::Before(place) => {
                    let mut pairs = pairs.to_vec();
                    pairs.splice(place..place, [element, positive(&added)]);
                    return Ok(u.fbag_of(sort, &pairs));
                }
                Place::Undecided => {}
            }
        }
        Ok(u.apply(u.inner(Op::FBagInsert, sort), &[element, count, bag]))
    }

    pub(crate) fn count(&mut self, symbol: SymbolId, element: TermId, bag: TermId) -> Outcome {
        if self.universe.op(bag) == Some(Op::BagOf) {
            return self.bag_count(bag, element);
        }
        let sort = self.operand(symbol);
        match self.finite_count(sort, element, bag)? {
            Some(count) => Ok(count),
            None => self.stuck(symbol, &[element, bag]),
        }
    }

    fn finite_count(
        &mut self,
        sort: SortRef,
        element: TermId,
        bag: TermId,
    ) -> Outcome<Option<TermId>> {
        if let Some(pairs) = self.universe.arguments_of(Op::FBagOf, bag) {
            return self.count_among(sort, element, pairs).map(Some);
        }
        let Some(parts) = self.universe.arguments_of(Op::FBagInsert, bag) else {
            return Ok(None);
        };
        let Some(rest) = self.finite_count(sort, element, parts[2])? else {
            return Ok(None);
        };
        let here = self.equal(sort, element, parts[0])?;
        let count = self.cast_to(SortRef::NAT, parts[1])?;
        let more = self.nat(Builtin::Plus, count, rest)?;
        self.if_else(here, more, rest).map(Some)
    }

    /// How often an element occurs among elements with their multiplicities.
    fn count_among(&mut self, sort: SortRef, element: TermId, pairs: &[TermId]) -> Outcome {
        let mut result = self.universe.small(Numeric::Nat, 0);
        for pair in pairs.rchunks(2) {
            let here = self.equal(sort, element, pair[0])?;
            if here != TermId::FALSE {
                let count = self.cast_to(SortRef::NAT, pair[1])?;
                result = self.if_else(here, count, result)?;
            }
        }
        Ok(result)
    }

    /// How often an element occurs in a bag of the form `BagOf`.
    pub(crate) fn bag_count(&mut self, bag: TermId, element: TermId) -> Outcome {
        let parts = self.universe.arguments_of(Op::BagOf, bag);
        let parts = parts.expect("callers have checked the form");
        let by_function = self.apply_values(parts[0], &[element])?;
        let sort = self.universe.sort_of(parts[1]);
        let symbol = self.universe.of_element(Builtin::Count, sort, SortRef::NAT);
        let exception = self.count(symbol, element, parts[1])?;
        self.swap_zero(by_function, exception)
    }

    /// `n`, except that zero and `m` change places.
    fn swap_zero(&mut self, m: TermId, n: TermId) -> Outcome {
        let zero = self.universe.small(Numeric::Nat, 0);
        let absent = self.equal(SortRef::NAT, n, zero)?;
        let same = self.equal(SortRef::NAT, n, m)?;
        let other = self.if_else(same, zero, n)?;
        self.if_else(absent, m, other)
    }

    pub(crate) fn finite_subbag(&mut self, sort: SortRef, x: TermId, y: TermId) -> Outcome {
        let (pairs, others) = match self.universe.arguments_of_both(Op::FBagOf, x, y) {
            (Some(pairs), Some(others)) => (pairs, others),
            (Some([]), _) => return Ok(TermId::TRUE),
            _ => return self.stuck_relation(Builtin::LessEqual, sort, x, y),
        };
        let element = self.universe.sorts.element(sort);
        self.all(pairs.chunks(2), |machine, pair| {
            let mine = machine.cast_to(SortRef::NAT, pair[1])?;
            let other = machine.count_among(element, pair[0], others)?;
            machine.less_equal(SortRef::NAT, mine, other)
        })
    }

    pub(crate) fn combine_bags(
        &mut self,
        symbol: SymbolId,
        builtin: Builtin,
        x: TermId,
        y: TermId,
    ) -> Outcome {
        let (u, sort) = (self.universe, self.range(symbol));
        let value = if u.op(x) == Some(Op::BagOf) && u.op(y) == Some(Op::BagOf) {
            self.combine_infinite_bags(builtin, sort, x, y)?
        } else {
            self.combine_finite_bags(builtin, sort, x, y)?
        };
        match value {
            Some(value) => Ok(value),
            None => self.stuck(symbol, &[x, y]),
        }
    }

    pub(crate) fn combine_counts(&mut self, builtin: Builtin, m: TermId, n: TermId) -> Outcome {
        match builtin {
            Builtin::Union => self.nat(Builtin::Plus, m, n),
            Builtin::Intersection => self.nat(Builtin::Min, m, n),
            _ => {
                let more = self.less(SortRef::NAT, n, m)?;
                let zero = self.universe.small(Numeric::Nat, 0);
                let (nat, int) = (SortRef::NAT, Numeric::Int.sort());
                let minus = self.universe.builtin_on(Builtin::Minus, &[nat, nat], int);
                let rest = self.arithmetic(minus, Builtin::Minus, &[m, n])?;
                if more == TermId::FALSE {
                    return Ok(zero);
                }
                let rest = self.cast_to(SortRef::NAT, rest)?;
                self.if_else(more, rest, zero)
            }
        }
    }

    fn combine_finite_bags(
        &mut self,
        builtin: Builtin,
        sort: SortRef,
        x: TermId,
        y: TermId,
    ) -> Outcome<Option<TermId>> {
        let (Some(xs), Some(ys)) = self.universe.arguments_of_both(Op::FBagOf, x, y) else {
            return Ok(None);
        };
        let element = self.universe.sorts.element(sort);
        if builtin == Builtin::Union {
            let mut bag = y;
            for pair in xs.rchunks(2) {
                bag = self.fbag_insert(sort, pair[0], pair[1], bag)?;
            }
            return Ok(Some(bag));
        }
        let mut parts = Vec::new();
        for pair in xs.chunks(2) {
            let mine = self.cast_to(SortRef::NAT, pair[1])?;
            let other = self.count_among(element, pair[0], ys)?;
            parts.extend([pair[0], self.combine_counts(builtin, mine, other)?]);
        }
        self.fbag(sort, &parts).map(Some)
    }

    fn combine_infinite_bags(
        &mut self,
        builtin: Builtin,
        sort: SortRef,
        x: TermId,
        y: TermId,
    ) -> Outcome<Option<TermId>> {
        let u = self.universe;
        let (Some(xs), Some(ys)) = u.arguments_of_both(Op::BagOf, x, y) else {
            return Ok(None);
        };
        let (Some(left), Some(right)) = u.arguments_of_both(Op::FBagOf, xs[1], ys[1]) else {
            return Ok(None);
        };
        let element = u.sorts.element(sort);
        let combined = self.combined_fn(builtin, element, xs[0], ys[0]);
        let finite = u.sorts.container(Container::FBag, element);
        let mut exceptions = u.fbag_of(finite, &[]);
        let mut seen = Vec::new();
        for candidate in left.iter().chain(right).step_by(2) {
            if seen.contains(candidate) {
                continue;
            }
            seen.push(*candidate);
            let in_x = self.bag_count(x, *candidate)?;
            let in_y = self.bag_count(y, *candidate)?;
            let wanted = self.combine_counts(builtin, in_x, in_y)?;
            let by_function = self.apply_values(combined, &[*candidate])?;
            let exception = self.swap_zero(by_function, wanted)?;
            exceptions = self.fbag_insert(finite, *candidate, exception, exceptions)?;
        }
        if u.op(exceptions) == Some(Op::FBagInsert) {
            return Ok(None);
        }
        Ok(Some(u.bag_of(sort, combined, Some(exceptions))))
    }

    fn combined_fn(&self, builtin: Builtin, element: SortRef, f: TermId, g: TermId) -> TermId {
        let u = self.universe;
        let zero = u.zero_fn(element);
        let function = u.sorts.function(&[element], SortRef::NAT);
        let op = match builtin {
            Builtin::Union if f == zero => return g,
            Builtin::Union if g == zero => return f,
            Builtin::Union => Op::AddFn,
            Builtin::Intersection if f == g => return f,
            Builtin::Intersection if f == zero || g == zero => return zero,
            Builtin::Intersection => Op::MinFn,
            _ if f == g || f == zero => return zero,
            _ if g == zero => return f,
            _ => Op::MonusFn,
        };
        u.apply(u.inner(op, function), &[f, g])
    }

    pub(crate) fn set_to_bag(&mut self, symbol: SymbolId, set: TermId) -> Outcome {
        let u = self.universe;
        let result = self.range(symbol);
        let element = u.sorts.element(result);
        let finite = u.sorts.container(Container::FBag, element);
        let (function, elements) = match u.arguments_of(Op::SetOf, set) {
            Some(parts) => (Some(parts[0]), parts[1]),
            None => (None, set),
        };
        let Some(elements) = u.arguments_of(Op::FSetOf, elements) else {
            return self.stuck(symbol, &[set]);
        };
        let one = u.small(Numeric::Pos, 1);
        let pairs: Vec<TermId> = elements.iter().flat_map(|e| [*e, one]).collect();
        let exceptions = u.fbag_of(finite, &pairs);
        if let SortKind::FBag(_) = u.sorts.kind(result) {
            return Ok(exceptions);
        }
        let function = match function {
            None => u.zero_fn(element),
            Some(f) => u.bool_to_nat_fn(element, f),
        };
        Ok(u.bag_of(result, function, Some(exceptions)))
    }

    pub(crate) fn bag_to_set(&mut self, symbol: SymbolId, bag: TermId) -> Outcome {
        let u = self.universe;
        let result = self.range(symbol);
        let element = u.sorts.element(result);
        let finite = u.sorts.container(Container::FSet, element);
        let (function, exceptions) = match u.arguments_of(Op::BagOf, bag) {
            Some(parts) => (parts[0], parts[1]),
            None => (u.zero_fn(element), bag),
        };
        let Some(pairs) = u.arguments_of(Op::FBagOf, exceptions) else {
            return self.stuck(symbol, &[bag]);
        };
        let is_zero = u.op(function) == Some(Op::ZeroFn);
        let mut kept = Vec::new();
        for pair in pairs.chunks(2) {
            // An exception is one of the set too, unless both multiplicities are positive.
            let excepted = if is_zero {
                TermId::TRUE
            } else {
                let own = self.apply_values(function, &[pair[0]])?;
                let exception = self.cast_to(SortRef::NAT, pair[1])?;
                let absent = self.equal(SortRef::NAT, own, exception)?;
                let zero = u.small(Numeric::Nat, 0);
                let none = self.equal(SortRef::NAT, own, zero)?;
                self.or(absent, none)?
            };
            match excepted.as_bool() {
                Some(true) => kept.push(pair[0]),
                Some(false) => {}
                None => return self.stuck(symbol, &[bag]),
            }
        }
        let elements = u.fset_of(finite, &kept);
        if let SortKind::FSet(_) = u.sorts.kind(result) {
            return Ok(elements);
        }
        let characteristic = u.nat_to_bool_fn(element, function);
        Ok(u.set_of(result, characteristic, Some(elements)))
    }
}
