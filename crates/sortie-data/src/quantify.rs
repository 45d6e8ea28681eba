//! `forall` and `exists`: decided by enumeration where that ends, otherwise left as they are.
//!
//! Which quantifiers stay shows in labels and states, so the search is the one the language describes: one-point rule
//! first, then breadth first, each variable in turn, a number by its least value and the rest, and a fixed number
//! of steps unless all sorts are finite.

use crate::enumerate::Branch;
use crate::error::EvalError;
use crate::machine::{Machine, Outcome};
use crate::sort_table::SortRef;
use crate::term::{Binder, BinderKind, BoundVariable, TermId, VariableId, View};
use std::collections::VecDeque;

enum Found {
    Witness,
    /// There is none, except where one of these conditions holds.
    None(Vec<TermId>),
    GaveUp,
}

impl Machine<'_> {
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
        let limits = self.evaluator.limits();
        let finite = |v: &TermId| self.evaluator.is_finite_ref(self.universe.sort_of(*v));
        let limit = match limits.quantifier {
            0 => limits.enumeration,
            _ if root.open.iter().all(finite) => limits.enumeration,
            limit => limit,
        };
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
                Err(EvalError::NotEnumerable { .. } | EvalError::TooManyElements { .. }) => {
                    return Ok(Found::GaveUp);
                }
                Err(error) => return Err(error),
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
