//! Finite sets, and sets as a characteristic function with a finite set of exceptions.

use crate::expr::Builtin;
use crate::machine::{Machine, Outcome};
use crate::sort::Container;
use crate::sort_table::{SortKind, SortRef};
use crate::symbol::{Op, SymbolId};
use crate::term::TermId;
use crate::universe::Universe;

/// Where an element belongs in an increasing sequence.
pub(crate) enum Place {
    Found(usize),
    Before(usize),
    Undecided,
}

impl Universe {
    pub(crate) fn fset_of(&self, sort: SortRef, elements: &[TermId]) -> TermId {
        self.apply(self.inner(Op::FSetOf, sort), elements)
    }

    /// The set with this characteristic function and, when given, these exceptions.
    pub(crate) fn set_of(
        &self,
        sort: SortRef,
        function: TermId,
        exceptions: Option<TermId>,
    ) -> TermId {
        let exceptions = exceptions.unwrap_or_else(|| {
            let element = self.sorts.element(sort);
            self.fset_of(self.sorts.container(Container::FSet, element), &[])
        });
        self.apply(self.inner(Op::SetOf, sort), &[function, exceptions])
    }

    pub(crate) fn constant_fn(&self, sort: SortRef, value: bool) -> TermId {
        let op = if value { Op::TrueFn } else { Op::FalseFn };
        self.symbol(self.inner(op, sort))
    }

    pub(crate) fn not_fn(&self, sort: SortRef, f: TermId) -> TermId {
        match self.op(f) {
            Some(Op::FalseFn) => self.constant_fn(sort, true),
            Some(Op::TrueFn) => self.constant_fn(sort, false),
            _ => match self.arguments_of(Op::NotFn, f) {
                Some(inner) => inner[0],
                None => self.apply(self.inner(Op::NotFn, sort), &[f]),
            },
        }
    }

    pub(crate) fn and_fn(&self, sort: SortRef, f: TermId, g: TermId) -> TermId {
        match (self.op(f), self.op(g)) {
            _ if f == g => f,
            (Some(Op::FalseFn), _) | (_, Some(Op::TrueFn)) => f,
            (_, Some(Op::FalseFn)) | (Some(Op::TrueFn), _) => g,
            _ => self.apply(self.inner(Op::AndFn, sort), &[f, g]),
        }
    }

    pub(crate) fn or_fn(&self, sort: SortRef, f: TermId, g: TermId) -> TermId {
        match (self.op(f), self.op(g)) {
            _ if f == g => f,
            (Some(Op::FalseFn), _) | (_, Some(Op::TrueFn)) => g,
            (_, Some(Op::FalseFn)) | (Some(Op::TrueFn), _) => f,
            _ => self.apply(self.inner(Op::OrFn, sort), &[f, g]),
        }
    }
}

impl<'e> Machine<'e> {
    /// The finite set of these elements, in any order and with duplicates.
    pub(crate) fn fset(&mut self, sort: SortRef, elements: &[TermId]) -> Outcome {
        let mut set = self.universe.fset_of(sort, &[]);
        for element in elements.iter().rev() {
            set = self.fset_insert(sort, *element, set)?;
        }
        Ok(set)
    }

    pub(crate) fn fset_insert(&mut self, sort: SortRef, element: TermId, set: TermId) -> Outcome {
        if let Some(elements) = self.universe.arguments_of(Op::FSetOf, set) {
            match self.place(self.universe.sorts.element(sort), element, elements, 1)? {
                Place::Found(_) => return Ok(set),
                Place::Before(place) => {
                    let mut elements = elements.to_vec();
                    elements.insert(place, element);
                    return Ok(self.universe.fset_of(sort, &elements));
                }
                Place::Undecided => {}
            }
        }
        if let Some(parts) = self.universe.arguments_of(Op::FSetInsert, set)
            && parts[0] == element
        {
            return Ok(set);
        }
        let symbol = self.universe.inner(Op::FSetInsert, sort);
        Ok(self.universe.apply(symbol, &[element, set]))
    }

    /// Finds the place of an element among every `stride`-th of the sequence.
    pub(crate) fn place(
        &mut self,
        sort: SortRef,
        element: TermId,
        sequence: &[TermId],
        stride: usize,
    ) -> Outcome<Place> {
        let (mut low, mut high) = (0, sequence.len() / stride);
        while low < high {
            let middle = (low + high) / 2;
            let other = sequence[middle * stride];
            if other == element {
                return Ok(Place::Found(middle * stride));
            }
            if self.less(sort, element, other)? == TermId::TRUE {
                high = middle;
            } else if self.less(sort, other, element)? == TermId::TRUE {
                low = middle + 1;
            } else {
                return Ok(Place::Undecided);
            }
        }
        Ok(Place::Before(low * stride))
    }

    pub(crate) fn fset_contains(
        &mut self,
        sort: SortRef,
        symbol: SymbolId,
        element: TermId,
        set: TermId,
    ) -> Outcome {
        if let Some(parts) = self.universe.arguments_of(Op::FSetInsert, set) {
            let here = self.equal(sort, element, parts[0])?;
            let rest = self.fset_contains(sort, symbol, element, parts[1])?;
            return self.or(here, rest);
        }
        let Some(elements) = self.universe.arguments_of(Op::FSetOf, set) else {
            return self.stuck(symbol, &[element, set]);
        };
        if elements.contains(&element) {
            return Ok(TermId::TRUE);
        }
        if self.universe.is_plain(element) && self.universe.is_plain(set) {
            return Ok(TermId::FALSE);
        }
        let mut open = Vec::new();
        for other in elements {
            match self.equal(sort, element, *other)? {
                TermId::TRUE => return Ok(TermId::TRUE),
                TermId::FALSE => {}
                stuck => open.push(stuck),
            }
        }
        self.disjunction(&open)
    }

    /// Whether an element is in a set of the form `SetOf`.
    pub(crate) fn set_contains(&mut self, set: TermId, element: TermId) -> Outcome {
        let parts = self.universe.arguments_of(Op::SetOf, set);
        let parts = parts.expect("callers have checked the form");
        let by_function = self.apply_values(parts[0], &[element])?;
        let excepted = self.is_in(element, parts[1])?;
        let same = self.equal(SortRef::BOOL, by_function, excepted)?;
        self.not(same)
    }

    /// `element in container`.
    pub(crate) fn is_in(&mut self, element: TermId, container: TermId) -> Outcome {
        let sort = self.universe.sort_of(container);
        let symbol = self.universe.of_element(Builtin::In, sort, SortRef::BOOL);
        self.member(symbol, element, container)
    }

    pub(crate) fn finite_subset(
        &mut self,
        element: SortRef,
        sort: SortRef,
        x: TermId,
        y: TermId,
    ) -> Outcome {
        let xs = match self.universe.arguments_of_both(Op::FSetOf, x, y) {
            (Some(xs), Some(_)) => xs,
            (Some([]), _) => return Ok(TermId::TRUE),
            _ => return self.stuck_relation(Builtin::LessEqual, sort, x, y),
        };
        let symbol = self.universe.of_element(Builtin::In, sort, SortRef::BOOL);
        self.all(xs.iter(), |machine, element_of_x| {
            machine.fset_contains(element, symbol, *element_of_x, y)
        })
    }

    pub(crate) fn combine_sets(
        &mut self,
        symbol: SymbolId,
        builtin: Builtin,
        x: TermId,
        y: TermId,
    ) -> Outcome {
        let result = self.range(symbol);
        let value = match self.universe.sorts.kind(result) {
            SortKind::FSet(_) => self.combine_finite(builtin, result, x, y)?,
            _ => self.combine_infinite(builtin, result, x, y)?,
        };
        match value {
            Some(value) => Ok(value),
            None => self.stuck(symbol, &[x, y]),
        }
    }

    fn combine_finite(
        &mut self,
        builtin: Builtin,
        sort: SortRef,
        x: TermId,
        y: TermId,
    ) -> Outcome<Option<TermId>> {
        let forms = self.universe.arguments_of_both(Op::FSetOf, x, y);
        if builtin == Builtin::Union {
            return match forms {
                _ if x == y => Ok(Some(x)),
                (Some([]), _) => Ok(Some(y)),
                (_, Some([])) => Ok(Some(x)),
                (Some(elements), Some(_)) => {
                    let mut set = y;
                    for element in elements.iter().rev() {
                        set = self.fset_insert(sort, *element, set)?;
                    }
                    Ok(Some(set))
                }
                _ => Ok(None),
            };
        }
        // The elements of the finite operand that are, or are not, in the other one.
        let (elements, other) = match (forms, builtin) {
            ((Some(elements), _), _) => (elements, y),
            ((None, Some(elements)), Builtin::Intersection) => (elements, x),
            _ => return Ok(None),
        };
        let mut kept = Vec::new();
        for element in elements {
            let Some(inside) = self.is_in(*element, other)?.as_bool() else {
                return Ok(None);
            };
            if inside == (builtin == Builtin::Intersection) {
                kept.push(*element);
            }
        }
        Ok(Some(self.universe.fset_of(sort, &kept)))
    }

    fn combine_infinite(
        &mut self,
        builtin: Builtin,
        sort: SortRef,
        x: TermId,
        y: TermId,
    ) -> Outcome<Option<TermId>> {
        let forms = self.universe.arguments_of_both(Op::SetOf, x, y);
        let (Some(xs), Some(ys)) = forms else {
            return Ok((x == y && builtin != Builtin::Difference).then_some(x));
        };
        let u = self.universe;
        let element = u.sorts.element(sort);
        let function = u.sorts.function(&[element], SortRef::BOOL);
        let combined = match builtin {
            Builtin::Union => u.or_fn(function, xs[0], ys[0]),
            Builtin::Intersection => u.and_fn(function, xs[0], ys[0]),
            _ => u.and_fn(function, xs[0], u.not_fn(function, ys[0])),
        };
        let forms = u.arguments_of_both(Op::FSetOf, xs[1], ys[1]);
        let (Some(left), Some(right)) = forms else {
            return Ok(None);
        };
        let mut exceptions = Vec::new();
        for candidate in left.iter().chain(right) {
            let in_x = self.set_contains(x, *candidate)?;
            let in_y = self.set_contains(y, *candidate)?;
            let wanted = match builtin {
                Builtin::Union => self.or(in_x, in_y)?,
                Builtin::Intersection => self.and(in_x, in_y)?,
                _ => {
                    let outside = self.not(in_y)?;
                    self.and(in_x, outside)?
                }
            };
            let by_function = self.apply_values(combined, &[*candidate])?;
            let (Some(wanted), Some(found)) = (wanted.as_bool(), by_function.as_bool()) else {
                return Ok(None);
            };
            exceptions.extend((wanted != found).then_some(*candidate));
        }
        let finite = u.sorts.container(Container::FSet, element);
        let exceptions = self.fset(finite, &exceptions)?;
        Ok(Some(u.set_of(sort, combined, Some(exceptions))))
    }

    pub(crate) fn complement(&mut self, symbol: SymbolId, set: TermId) -> Outcome {
        let result = self.range(symbol);
        let u = self.universe;
        let function = u.sorts.function(&[u.sorts.element(result)], SortRef::BOOL);
        if let Some(parts) = u.arguments_of(Op::SetOf, set) {
            return Ok(u.set_of(result, u.not_fn(function, parts[0]), Some(parts[1])));
        }
        if let SortKind::FSet(_) = u.sorts.kind(self.operand(symbol)) {
            return Ok(u.set_of(result, u.constant_fn(function, true), Some(set)));
        }
        self.stuck(symbol, &[set])
    }

    /// The least element of a finite set or bag.
    pub(crate) fn pick(&mut self, symbol: SymbolId, container: TermId) -> Outcome {
        let elements = |op: Op| self.universe.arguments_of(op, container);
        match elements(Op::FSetOf).or_else(|| elements(Op::FBagOf)) {
            Some([first, ..]) => Ok(*first),
            _ => self.stuck(symbol, &[container]),
        }
    }

    /// A finite set or bag as a set or bag.
    pub(crate) fn unbound(&mut self, symbol: SymbolId, finite: TermId) -> Outcome {
        let result = self.range(symbol);
        let u = self.universe;
        let element = u.sorts.element(result);
        Ok(match u.sorts.kind(result) {
            SortKind::Set(_) => {
                let function = u.sorts.function(&[element], SortRef::BOOL);
                u.set_of(result, u.constant_fn(function, false), Some(finite))
            }
            SortKind::Bag(_) => u.bag_of(result, u.zero_fn(element), Some(finite)),
            _ => finite,
        })
    }
}
