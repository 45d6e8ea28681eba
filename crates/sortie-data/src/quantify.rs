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
use crate::term::{Binder, BinderKind, BoundVariable, TermId, VariableId, View};
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
                let unknowns: Vec<Unknown> = (binder.first_slot as u32..)
                    .zip(&binder.variables)
                    .map(|(slot, variable)| Unknown {
                        slot,
                        sort: variable.sort,
                    })
                    .collect();
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
        let followed = self.follow(&plan.stages, first, at, &mut |_| Followed::Stopped);
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
            let Some(place) = branch
                .open
                .iter()
                .position(occurs)
                .or((!branch.open.is_empty()).then_some(0))
            else {
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
        let limit = self
            .evaluator
            .quantifier_limit(root.open.iter().all(finite));
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
                    return match *error {
                        EvalError::NotEnumerable { .. } | EvalError::TooManyElements { .. } => {
                            Ok(Found::GaveUp)
                        }
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
        self.universe.variable(crate::term::FreeVariable {
            name: variable.name.clone(),
            id: VariableId::Fresh(id),
            sort: variable.sort,
            low: None,
            high: None,
        })
    }

    /// The quantifier itself, over those of its variables that occur.
    fn requantified(
        &mut self,
        kind: BinderKind,
        variables: &[BoundVariable],
        first: u32,
        body: TermId,
    ) -> TermId {
        let mut kept = Vec::new();
        let mut body = body;
        // Renumbering keeps the fresh variables that are bound consecutive.
        for (id, variable) in (first..).zip(variables) {
            let old = self.opened(id, variable);
            if self.universe.occurs(old, body) {
                let new = self.opened(first + kept.len() as u32, variable);
                body = self.universe.renamed(body, old, new);
                kept.push(variable.clone());
            }
        }
        self.universe.binder(Binder {
            kind,
            body: self.universe.abstracted(body, first, kept.len() as u32),
            variables: kept.into(),
            sort: SortRef::BOOL,
        })
    }
}

impl crate::universe::Universe {
    /// The term with one variable in place of another; nothing is rewritten.
    fn renamed(&self, term: TermId, old: TermId, new: TermId) -> TermId {
        if old == new || !self.has_variables(term) {
            return term;
        }
        let all = |terms: &[TermId]| -> Vec<TermId> {
            terms.iter().map(|t| self.renamed(*t, old, new)).collect()
        };
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || match self.view(term) {
            View::Variable(_) if term == old => new,
            View::Apply(symbol, arguments) => self.apply(symbol, &all(arguments)),
            View::ApplyTerm(head, arguments) => {
                self.apply_term(self.renamed(head, old, new), &all(arguments))
            }
            View::Binder(binder) => self.binder(Binder {
                body: self.renamed(binder.body, old, new),
                ..binder.clone()
            }),
            _ => term,
        })
    }
}
