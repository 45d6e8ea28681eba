//! `forall` and `exists`: decided by enumeration where that ends, otherwise left as they are.
//!
//! Where there is a plan (`plan`), it is followed. Otherwise values are searched with open variables.
//! Which quantifiers stay shows in labels and states, so the search is the one the language describes: one-point rule
//! first, then breadth first, each variable in turn, a number by its least value and the rest, and a fixed number
//! of steps unless all sorts are finite.

use crate::code::BinderNode;
use crate::enumerate::Branch;
use crate::error::EvalError;
use crate::follow::Followed;
use crate::machine::{Machine, Outcome};
use crate::plan::{Literal, Purpose, Rows, Unknown, literals};
use crate::sort_table::SortRef;
use crate::term::{Binder, BinderKind, BoundVariable, FreeVariable, TermId, VariableId};
use std::collections::VecDeque;

enum Found {
    Witness,
    /// There is none, except where one of these conditions holds.
    None(Vec<TermId>),
    GaveUp,
}

impl<'e> Machine<'e> {
    /// The truth of a quantifier, if there is a plan and it decides.
    pub(crate) fn quantify_by_plan(
        &mut self,
        kind: BinderKind,
        binder: &'e BinderNode,
        base: usize,
    ) -> Outcome<Option<bool>> {
        let known = binder.plan.known();
        if known.is_some_and(|plan| plan.is_none()) || self.allowance.is_some() {
            return Ok(None);
        }
        let exists = kind == BinderKind::Exists;
        let first = self.literals.len();
        literals(&binder.body, exists, &mut self.literals);
        let width = binder.first_slot + binder.variables.len();
        let plan = match known {
            Some(plan) => plan,
            None => {
                let sorts = binder.variables.iter().map(|variable| variable.sort);
                let unknown = |(slot, sort)| Unknown { slot, sort };
                let slots = binder.first_slot as u32..;
                let unknowns: Vec<Unknown> = slots.zip(sorts).map(unknown).collect();
                let all = self.literals[first..].to_vec();
                self.plan(&binder.plan, Purpose::Quantifier, &all, &unknowns, width)
            }
        };
        let Some(plan) = plan else {
            self.literals.truncate(first);
            return Ok(None);
        };
        let at = self.stack.len();
        self.stack
            .extend_from_within(base..base + binder.first_slot);
        self.stack.resize(at + width, TermId::FALSE);
        let followed = self.follow(plan, first, at, &mut |_| Followed::Stopped);
        self.stack.truncate(at);
        self.literals.truncate(first);
        Ok(match followed? {
            Followed::Stopped => Some(exists),
            Followed::ToTheEnd => Some(!exists),
            Followed::Undecided => None,
        })
    }

    /// The values that satisfy the literals, which read no other variables, and how many splits finding them as the
    /// language describes takes; none when there are more than `most` or the search does not decide.
    pub(crate) fn rows_of_quantifier(
        &mut self,
        literals: &[Literal<'e>],
        group: &[Unknown],
        width: usize,
        most: usize,
    ) -> Outcome<Option<Rows>> {
        let mut frame = vec![TermId::FALSE; width];
        let open = self.unknowns_in(group, &mut frame);
        let base = self.stack.len();
        self.stack.append(&mut frame);
        let condition = self.conjoined(literals, base)?;
        self.stack.truncate(base);
        let finite = |v: &TermId| self.evaluator.is_finite_ref(self.universe.sort_of(*v));
        let limit = self.evaluator.quantifier_limit(open.iter().all(finite));
        let mut rows = Rows::default();
        let mut queue = VecDeque::from([Branch {
            values: open.clone(),
            open,
            condition,
            evaluated: 0,
            fresh: self.fresh,
        }]);
        while let Some(branch) = queue.pop_front() {
            self.fresh = branch.fresh;
            if branch.condition == TermId::FALSE {
                continue;
            }
            let occurs = |v: &TermId| self.universe.occurs(*v, branch.condition);
            let some = (!branch.open.is_empty()).then_some(0);
            let Some(place) = branch.open.iter().position(occurs).or(some) else {
                if branch.condition != TermId::TRUE {
                    return Ok(None);
                }
                rows.values.extend_from_slice(&branch.values);
                self.earn();
                continue;
            };
            rows.splits += 1;
            if rows.splits > limit || rows.values.len() > most * group.len() {
                return Ok(None);
            }
            for (pattern, parts) in self.patterns(branch.open[place])? {
                queue.push_back(self.child(&branch, place, branch.open.len(), pattern, parts)?);
            }
        }
        Ok((rows.values.len() <= most * group.len()).then_some(rows))
    }

    /// Quantifies over the fresh variables from `first` on, which stand for the bound variables in the body.
    pub(crate) fn quantify(
        &mut self,
        kind: BinderKind,
        variables: &[BoundVariable],
        first: u32,
        body: TermId,
    ) -> Outcome {
        if body.as_bool().is_some() {
            return Ok(body);
        }
        let universal = kind == BinderKind::Forall;
        // A universal body is refuted by a value for which its negation holds.
        let condition = if universal { self.not(body)? } else { body };
        let open: Vec<TermId> = (first..)
            .zip(variables)
            .map(|(id, variable)| self.opened(id, variable))
            .filter(|variable| self.universe.occurs(*variable, body))
            .collect();
        if open.is_empty() {
            return Ok(body);
        }
        match self.find_witness(open, condition)? {
            Found::Witness => Ok(TermId::of_bool(!universal)),
            Found::None(undecided) if universal => {
                let mut parts = Vec::with_capacity(undecided.len());
                for part in undecided {
                    parts.push(self.not(part)?);
                }
                self.conjunction(&parts)
            }
            Found::None(undecided) => self.disjunction(&undecided),
            Found::GaveUp => Ok(self.requantified(kind, variables, first, body)),
        }
    }

    fn find_witness(&mut self, open: Vec<TermId>, condition: TermId) -> Outcome<Found> {
        let fresh = self.fresh;
        let mut root = Branch {
            values: Vec::new(),
            open,
            condition,
            evaluated: 0,
            fresh,
        };
        self.fix_variables(&mut root, &|_, _| true)?;
        let result = self.search_witness(root);
        self.fresh = fresh;
        result
    }

    fn search_witness(&mut self, root: Branch) -> Outcome<Found> {
        let finite = |v: &TermId| self.evaluator.is_finite_ref(self.universe.sort_of(*v));
        let all_finite = root.open.iter().all(finite);
        let limit = self.evaluator.quantifier_limit(all_finite);
        let (mut undecided, mut steps) = (Vec::new(), 0);
        let mut queue = VecDeque::from([root]);
        while let Some(branch) = queue.pop_front() {
            self.fresh = branch.fresh;
            match branch.condition {
                TermId::TRUE => return Ok(Found::Witness),
                TermId::FALSE => continue,
                _ => {}
            }
            let occurs = |v: &TermId| self.universe.occurs(*v, branch.condition);
            let Some(place) = branch.open.iter().position(occurs) else {
                undecided.push(branch.condition);
                continue;
            };
            steps += 1;
            if steps > limit {
                return Ok(Found::GaveUp);
            }
            let patterns = match self.patterns(branch.open[place]) {
                Ok(patterns) => patterns,
                Err(error) => {
                    use EvalError::{NotEnumerable, TooManyElements};
                    return match *error {
                        NotEnumerable { .. } | TooManyElements { .. } => Ok(Found::GaveUp),
                        _ => Err(error),
                    };
                }
            };
            for (pattern, parts) in patterns {
                let child = self.child(&branch, place, branch.open.len(), pattern, parts)?;
                match child.condition {
                    TermId::TRUE => return Ok(Found::Witness),
                    TermId::FALSE => {}
                    _ => queue.push_back(child),
                }
            }
        }
        Ok(Found::None(undecided))
    }

    fn opened(&self, id: u32, variable: &BoundVariable) -> TermId {
        let BoundVariable { name, sort } = variable;
        self.universe
            .variable(FreeVariable::new(name, VariableId::Fresh(id), *sort))
    }

    /// The quantifier itself, over those of its variables that occur.
    fn requantified(
        &mut self,
        kind: BinderKind,
        variables: &[BoundVariable],
        first: u32,
        body: TermId,
    ) -> TermId {
        let pairs = (first..).zip(variables);
        let (ids, kept): (Vec<u32>, Vec<BoundVariable>) = pairs
            .filter(|(id, variable)| self.universe.occurs(self.opened(*id, variable), body))
            .map(|(id, variable)| (id, variable.clone()))
            .unzip();
        self.universe.binder(Binder {
            kind,
            body: self.universe.abstracted(body, &ids),
            variables: kept.into(),
            sort: SortRef::BOOL,
        })
    }
}
