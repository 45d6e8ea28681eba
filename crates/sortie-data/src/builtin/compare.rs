//! `==`, `<` and `<=` on every sort.

use crate::expr::Builtin;
use crate::machine::{Machine, Outcome};
use crate::sort_table::{Numeric, SortKind, SortRef};
use crate::symbol::{Op, SymbolId};
use crate::term::{BinderKind, BoundVariable, TermId, View};
use std::cmp::Ordering;

const CONS: Op = Op::Builtin(Builtin::Cons);

impl<'e> Machine<'e> {
    pub(crate) fn equal(&mut self, sort: SortRef, x: TermId, y: TermId) -> Outcome {
        match self.same(x, y) {
            Some(same) => Ok(TermId::of_bool(same)),
            None => deeper(|| self.equal_by_sort(sort, x, y)),
        }
    }

    /// Whether two terms are equal, where being the same term or not tells.
    pub(crate) fn same(&self, x: TermId, y: TermId) -> Option<bool> {
        if x == y {
            return Some(true);
        }
        (self.universe.is_plain(x) && self.universe.is_plain(y)).then_some(false)
    }

    fn equal_by_sort(&mut self, sort: SortRef, x: TermId, y: TermId) -> Outcome {
        let decided = match self.universe.sorts.kind(sort) {
            SortKind::Bool => match (x, y) {
                (TermId::TRUE, other) | (other, TermId::TRUE) => Some(other),
                (TermId::FALSE, other) | (other, TermId::FALSE) => Some(self.not(other)?),
                _ => None,
            },
            SortKind::Number(_) => {
                if let Some((sort, x, y)) = self.without_casts(x, y) {
                    return self.equal(sort, x, y);
                }
                self.equal_by_interval(x, y)
            }
            SortKind::List(element) => return self.equal_lists(*element, sort, x, y),
            SortKind::Named(_) => match (self.constructed(x), self.constructed(y)) {
                (Some((c, xs)), Some((d, ys))) if c == d => {
                    Some(self.all_equal(self.universe.domain(c), xs, ys)?)
                }
                (Some(_), Some(_)) => Some(TermId::FALSE),
                _ => None,
            },
            SortKind::FSet(element) => self.equal_sequences(Op::FSetOf, &[*element], x, y)?,
            SortKind::FBag(element) => {
                let sorts = [*element, Numeric::Pos.sort()];
                self.equal_sequences(Op::FBagOf, &sorts, x, y)?
            }
            SortKind::Set(element) => self.equal_pairs(Op::SetOf, *element, x, y)?,
            SortKind::Bag(element) => self.equal_pairs(Op::BagOf, *element, x, y)?,
            SortKind::Function(..) => Some(self.equal_functions(sort, x, y)?),
        };
        match decided {
            Some(value) => Ok(value),
            None => self.stuck_relation(Builtin::Equal, sort, x, y),
        }
    }

    pub(crate) fn less(&mut self, sort: SortRef, x: TermId, y: TermId) -> Outcome {
        self.compare(Builtin::Less, sort, x, y)
    }

    pub(crate) fn less_equal(&mut self, sort: SortRef, x: TermId, y: TermId) -> Outcome {
        self.compare(Builtin::LessEqual, sort, x, y)
    }

    /// `<` or `<=`.
    fn compare(&mut self, relation: Builtin, sort: SortRef, x: TermId, y: TermId) -> Outcome {
        let strict = relation == Builtin::Less;
        if x == y {
            return Ok(TermId::of_bool(!strict));
        }
        match self.universe.sorts.kind(sort) {
            SortKind::Bool => match (x.as_bool(), y.as_bool()) {
                (None, None) => self.stuck_relation(relation, sort, x, y),
                _ if strict => {
                    let not_x = self.not(x)?;
                    self.and(not_x, y)
                }
                _ => self.implies(x, y),
            },
            SortKind::Number(_) => self.compare_numbers(relation, sort, x, y),
            SortKind::List(element) => self.compare_lists(relation, *element, sort, x, y),
            SortKind::Named(_) => self.compare_structs(relation, sort, x, y),
            SortKind::Function(..) => self.stuck_relation(relation, sort, x, y),
            _ if strict => {
                let within = self.less_equal(sort, x, y)?;
                if within == TermId::FALSE {
                    return Ok(within);
                }
                let equal = self.equal(sort, x, y)?;
                let different = self.not(equal)?;
                if within.as_bool().is_none() && different.as_bool().is_none() {
                    return self.stuck_relation(relation, sort, x, y);
                }
                self.and(within, different)
            }
            SortKind::FSet(element) => self.finite_subset(*element, sort, x, y),
            SortKind::FBag(_) => self.finite_subbag(sort, x, y),
            SortKind::Set(_) | SortKind::Bag(_) => {
                let intersection = Builtin::Intersection;
                let symbol = self.universe.builtin_on(intersection, &[sort, sort], sort);
                let both = self.builtin(symbol, intersection, &[x, y])?;
                self.equal(sort, both, x)
            }
        }
    }

    pub(crate) fn stuck_relation(
        &mut self,
        relation: Builtin,
        sort: SortRef,
        x: TermId,
        y: TermId,
    ) -> Outcome {
        let (domain, bool) = ([sort, sort], SortRef::BOOL);
        let symbol = self.universe.builtin_on(relation, &domain, bool);
        self.stuck(symbol, &[x, y])
    }

    /// Constructor and arguments, for terms of structured sorts.
    fn constructed(&self, term: TermId) -> Option<(SymbolId, &'e [TermId])> {
        let (symbol, arguments): (_, &[TermId]) = match self.universe.view(term) {
            View::Apply(symbol, arguments) => (symbol, arguments),
            View::Symbol(symbol) => (symbol, &[]),
            _ => return None,
        };
        let plain = self.universe.symbols.get(symbol).plain;
        plain.then_some((symbol, arguments))
    }

    /// `x1 == y1 && (x2 == y2 && ...)`; the sorts are repeated when there are fewer of them.
    fn all_equal(&mut self, sorts: &[SortRef], xs: &[TermId], ys: &[TermId]) -> Outcome {
        let pairs = xs.iter().zip(ys).zip(sorts.iter().cycle());
        self.all(pairs, |machine, ((x, y), sort)| {
            machine.equal(*sort, *x, *y)
        })
    }

    /// The conjunction of what is computed for each item, up to the first that does not hold.
    pub(crate) fn all<T>(
        &mut self,
        items: impl Iterator<Item = T>,
        mut holds: impl FnMut(&mut Self, T) -> Outcome,
    ) -> Outcome {
        let mut open = Vec::new();
        for item in items {
            match holds(self, item)? {
                TermId::FALSE => return Ok(TermId::FALSE),
                TermId::TRUE => {}
                stuck => open.push(stuck),
            }
        }
        self.conjunction(&open)
    }

    pub(crate) fn conjunction(&mut self, parts: &[TermId]) -> Outcome {
        let mut all = TermId::TRUE;
        for part in parts.iter().rev() {
            all = self.and(*part, all)?;
        }
        Ok(all)
    }

    pub(crate) fn disjunction(&mut self, parts: &[TermId]) -> Outcome {
        let mut any = TermId::FALSE;
        for part in parts.iter().rev() {
            any = self.or(*part, any)?;
        }
        Ok(any)
    }

    fn equal_lists(
        &mut self,
        element: SortRef,
        list: SortRef,
        mut x: TermId,
        mut y: TermId,
    ) -> Outcome {
        let mut open = Vec::new();
        while x != y {
            match self.universe.arguments_of_both(CONS, x, y) {
                (Some(xs), Some(ys)) => {
                    match self.equal(element, xs[0], ys[0])? {
                        TermId::FALSE => return Ok(TermId::FALSE),
                        TermId::TRUE => {}
                        stuck => open.push(stuck),
                    }
                    (x, y) = (xs[1], ys[1]);
                }
                _ if self.is_list_form(x) && self.is_list_form(y) => return Ok(TermId::FALSE),
                _ => {
                    open.push(self.stuck_relation(Builtin::Equal, list, x, y)?);
                    break;
                }
            }
        }
        self.conjunction(&open)
    }

    fn is_list_form(&self, term: TermId) -> bool {
        matches!(self.universe.op(term), Some(Op::Nil | CONS))
    }

    fn compare_lists(
        &mut self,
        relation: Builtin,
        element: SortRef,
        list: SortRef,
        mut x: TermId,
        mut y: TermId,
    ) -> Outcome {
        // (strict part, equal part) per element, folded from the back: x < y || (x == y && rest).
        let mut open = Vec::new();
        let mut result = loop {
            if x == y {
                break TermId::of_bool(relation == Builtin::LessEqual);
            }
            match self.universe.arguments_of_both(CONS, x, y) {
                (Some(xs), Some(ys)) => {
                    let equal = self.equal(element, xs[0], ys[0])?;
                    if equal != TermId::TRUE {
                        let before = self.less(element, xs[0], ys[0])?;
                        if equal == TermId::FALSE {
                            break before;
                        }
                        open.push((before, equal));
                    }
                    (x, y) = (xs[1], ys[1]);
                }
                _ if self.is_nil(x) && self.is_list_form(y) => break TermId::TRUE,
                _ if self.is_nil(y) && (self.is_list_form(x) || relation == Builtin::Less) => {
                    break TermId::FALSE;
                }
                _ if self.is_nil(x) && relation == Builtin::LessEqual => break TermId::TRUE,
                _ => break self.stuck_relation(relation, list, x, y)?,
            }
        };
        for (before, equal) in open.into_iter().rev() {
            result = self.and(equal, result)?;
            result = self.or(result, before)?;
        }
        Ok(result)
    }

    fn compare_structs(
        &mut self,
        relation: Builtin,
        sort: SortRef,
        x: TermId,
        y: TermId,
    ) -> Outcome {
        let (Some((c, xs)), Some((d, ys))) = (self.constructed(x), self.constructed(y)) else {
            return self.stuck_relation(relation, sort, x, y);
        };
        if c != d {
            let place = |s| self.evaluator.constructor_place(s);
            return Ok(TermId::of_bool(place(c) < place(d)));
        }
        let sorts = self.universe.domain(c);
        deeper(|| self.compare_tuples(relation, sorts, xs, ys))
    }

    fn compare_tuples(
        &mut self,
        relation: Builtin,
        sorts: &[SortRef],
        xs: &[TermId],
        ys: &[TermId],
    ) -> Outcome {
        match (sorts, xs, ys) {
            ([sort], [x], [y]) => self.compare(relation, *sort, *x, *y),
            ([sort, sorts @ ..], [x, xs @ ..], [y, ys @ ..]) => {
                let equal = self.equal(*sort, *x, *y)?;
                let before = if equal == TermId::TRUE {
                    TermId::FALSE
                } else {
                    self.less(*sort, *x, *y)?
                };
                if before == TermId::TRUE || equal == TermId::FALSE {
                    return Ok(before);
                }
                let rest = self.compare_tuples(relation, sorts, xs, ys)?;
                let tied = self.and(equal, rest)?;
                self.or(before, tied)
            }
            _ => Ok(TermId::of_bool(relation == Builtin::LessEqual)),
        }
    }

    fn equal_sequences(
        &mut self,
        op: Op,
        sorts: &[SortRef],
        x: TermId,
        y: TermId,
    ) -> Outcome<Option<TermId>> {
        let (Some(xs), Some(ys)) = self.universe.arguments_of_both(op, x, y) else {
            return Ok(None);
        };
        if xs.len() != ys.len() {
            return Ok(Some(TermId::FALSE));
        }
        self.all_equal(sorts, xs, ys).map(Some)
    }

    /// Sets and bags: a function and a finite correction. The same function leaves the corrections to compare.
    fn equal_pairs(
        &mut self,
        op: Op,
        element: SortRef,
        x: TermId,
        y: TermId,
    ) -> Outcome<Option<TermId>> {
        let forms = self.universe.arguments_of_both(op, x, y);
        if let (Some([f, s]), Some([g, t])) = forms
            && f == g
        {
            let sort = self.universe.sort_of(*s);
            return self.equal(sort, *s, *t).map(Some);
        }
        if forms.0.is_none() || forms.1.is_none() {
            return Ok(None);
        }
        let first = self.fresh;
        let element_variable = self.fresh_variable("c", element);
        let result = if op == Op::SetOf {
            let left = self.set_contains(x, element_variable)?;
            let right = self.set_contains(y, element_variable)?;
            self.equal(SortRef::BOOL, left, right)
        } else {
            let left = self.bag_count(x, element_variable)?;
            let right = self.bag_count(y, element_variable)?;
            self.equal(SortRef::NAT, left, right)
        };
        let variables = [BoundVariable::new("c", element)];
        let result = self.quantify(BinderKind::Forall, &variables, first, result?);
        self.fresh = first;
        result.map(Some)
    }

    fn compare_numbers(
        &mut self,
        relation: Builtin,
        sort: SortRef,
        x: TermId,
        y: TermId,
    ) -> Outcome {
        let decided = |ordering: Ordering| match relation {
            Builtin::Less => ordering == Ordering::Less,
            _ => ordering != Ordering::Greater,
        };
        if let (Some(a), Some(b)) = (self.exact(x), self.exact(y)) {
            return Ok(TermId::of_bool(decided(a.cmp(&b))));
        }
        if let Some((sort, x, y)) = self.without_casts(x, y) {
            return self.compare(relation, sort, x, y);
        }
        match self.less_by_interval(relation, sort, x, y) {
            Some(value) => Ok(TermId::of_bool(value)),
            None => self.stuck_relation(relation, sort, x, y),
        }
    }
}

/// Comparison recurses as deep as terms are nested.
fn deeper<T>(job: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(128 * 1024, 1024 * 1024, job)
}
