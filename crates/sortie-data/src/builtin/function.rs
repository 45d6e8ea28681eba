//! Functions as values: updates, the functions inside sets and bags, and equality by enumeration.

use crate::builtin::set::Place;
use crate::expr::Builtin;
use crate::machine::{Machine, Outcome};
use crate::sort_table::{Numeric, SortRef};
use crate::symbol::Op;
use crate::term::{BinderKind, BoundVariable, TermId};
use crate::universe::Universe;

impl<'e> Machine<'e> {
    /// `function[place -> value]`; updates are kept in increasing order, and one to the value that the
    /// function has anyway is left out.
    pub(crate) fn update_function(
        &mut self,
        sort: SortRef,
        function: TermId,
        place: TermId,
        value: TermId,
    ) -> Outcome {
        let u = self.universe;
        if u.op(function) == Some(Op::UpdateStuck) {
            return Ok(u.apply(u.inner(Op::UpdateStuck, sort), &[function, place, value]));
        }
        let (original, pairs) = u.updates(function);
        let domain = u.sorts.domain(sort)[0];
        let found = self.place(domain, place, pairs, 2)?;
        let own = self.apply_values(original, &[place])?;
        let needless = self.equal(u.sorts.range(sort), own, value)? == TermId::TRUE;
        let mut pairs = pairs.to_vec();
        match found {
            Place::Found(at) if needless => {
                pairs.drain(at..at + 2);
            }
            Place::Found(at) => pairs[at + 1] = value,
            Place::Before(_) if needless => return Ok(function),
            Place::Before(at) => {
                pairs.splice(at..at, [place, value]);
            }
            Place::Undecided => {
                return Ok(u.apply(u.inner(Op::UpdateStuck, sort), &[function, place, value]));
            }
        }
        if pairs.is_empty() {
            return Ok(original);
        }
        pairs.insert(0, original);
        Ok(u.apply(u.inner(Op::UpdateOf, sort), &pairs))
    }

    /// Applies an inner form of function sort; `None` when it is stuck.
    pub(crate) fn apply_inner(
        &mut self,
        op: Op,
        parts: &[TermId],
        argument: TermId,
    ) -> Outcome<Option<TermId>> {
        let zero = self.universe.small(Numeric::Nat, 0);
        Ok(Some(match op {
            Op::FalseFn => TermId::FALSE,
            Op::TrueFn => TermId::TRUE,
            Op::ZeroFn => zero,
            Op::OneFn => self.universe.small(Numeric::Nat, 1),
            Op::NotFn => {
                let value = self.apply_values(parts[0], &[argument])?;
                self.not(value)?
            }
            Op::AndFn => match self.apply_values(parts[0], &[argument])? {
                TermId::FALSE => TermId::FALSE,
                left => {
                    let right = self.apply_values(parts[1], &[argument])?;
                    self.and(left, right)?
                }
            },
            Op::OrFn => match self.apply_values(parts[0], &[argument])? {
                TermId::TRUE => TermId::TRUE,
                left => {
                    let right = self.apply_values(parts[1], &[argument])?;
                    self.or(left, right)?
                }
            },
            Op::AddFn | Op::MinFn | Op::MonusFn => {
                let left = self.apply_values(parts[0], &[argument])?;
                let right = self.apply_values(parts[1], &[argument])?;
                let combined = match op {
                    Op::AddFn => Builtin::Union,
                    Op::MinFn => Builtin::Intersection,
                    _ => Builtin::Difference,
                };
                self.combine_counts(combined, left, right)?
            }
            Op::BoolToNatFn => {
                let value = self.apply_values(parts[0], &[argument])?;
                let one = self.universe.small(Numeric::Nat, 1);
                self.if_else(value, one, zero)?
            }
            Op::NatToBoolFn => {
                let value = self.apply_values(parts[0], &[argument])?;
                self.less(SortRef::NAT, zero, value)?
            }
            Op::UpdateOf | Op::UpdateStuck => return self.apply_update(parts, argument),
            _ => return Ok(None),
        }))
    }

    fn apply_update(&mut self, parts: &[TermId], argument: TermId) -> Outcome<Option<TermId>> {
        let plain = self.universe.is_plain(argument);
        let sort = self.universe.sort_of(argument);
        for pair in parts[1..].chunks(2) {
            if pair[0] == argument {
                return Ok(Some(pair[1]));
            }
            if plain && self.universe.is_plain(pair[0]) {
                continue;
            }
            match self.equal(sort, argument, pair[0])? {
                TermId::TRUE => return Ok(Some(pair[1])),
                TermId::FALSE => {}
                _ => return Ok(None),
            }
        }
        self.apply_values(parts[0], &[argument]).map(Some)
    }

    /// `forall x. f(x) == g(x)`; updates of one function differ at most where they are updated.
    pub(crate) fn equal_functions(&mut self, sort: SortRef, f: TermId, g: TermId) -> Outcome {
        let u = self.universe;
        let range = u.sorts.range(sort);
        let (for_f, for_g) = (u.op(f), u.op(g));
        if let (Some(Op::TrueFn), Some(Op::FalseFn)) | (Some(Op::FalseFn), Some(Op::TrueFn)) =
            (for_f, for_g)
        {
            return Ok(TermId::FALSE);
        }
        let ((original, of_f), (other, of_g)) = (u.updates(f), u.updates(g));
        if original == other {
            let places = of_f.iter().chain(of_g).step_by(2);
            return self.all(places, |machine, place| {
                let left = machine.apply_values(f, &[*place])?;
                let right = machine.apply_values(g, &[*place])?;
                machine.equal(range, left, right)
            });
        }
        let sorts = u.sorts.domain(sort).iter();
        let variables: Vec<BoundVariable> = sorts.map(|s| BoundVariable::new("x", *s)).collect();
        let at = self.stack.len();
        let first = self.push_fresh(&variables);
        let arguments = self.stack.split_off(at);
        let left = self.apply_values(f, &arguments)?;
        let right = self.apply_values(g, &arguments)?;
        let equal = self.equal(range, left, right)?;
        let result = self.quantify(BinderKind::Forall, &variables, first, equal);
        self.fresh = first;
        result
    }
}

impl Universe {
    /// A function without its updates, and those: places and values in turn.
    fn updates(&self, function: TermId) -> (TermId, &[TermId]) {
        match self.arguments_of(Op::UpdateOf, function) {
            Some([original, pairs @ ..]) => (*original, pairs),
            _ => (function, &[]),
        }
    }
}
