//! Opening binders with fresh variables, and closing them again around a normalised body.

use crate::code::{BinderForm, BinderNode};
use crate::machine::{Machine, Outcome};
use crate::sort_table::SortRef;
use crate::term::{Binder, BinderKind, BoundVariable, FreeVariable, TermId, VariableId, View};
use crate::universe::Universe;

impl<'e> Machine<'e> {
    pub(crate) fn binder(&mut self, binder: &'e BinderNode, base: usize) -> Outcome {
        if let BinderForm::Term(kind @ (BinderKind::Forall | BinderKind::Exists)) = binder.form
            && let Some(truth) = self.quantify_by_plan(kind, binder, base)?
        {
            return Ok(TermId::of_bool(truth));
        }
        let at = self.stack.len();
        self.stack
            .extend_from_within(base..base + binder.first_slot);
        let first = self.push_fresh(&binder.variables);
        let body = self.eval(&binder.body, at)?;
        self.stack.truncate(at);
        let result = self.close(binder.form, &binder.variables, binder.sort, first, body);
        self.fresh = first;
        result
    }

    /// Pushes a fresh variable for each bound one and returns the number of the first.
    pub(crate) fn push_fresh(&mut self, variables: &[BoundVariable]) -> u32 {
        let first = self.fresh;
        for variable in variables {
            let term = self.fresh_variable(&variable.name, variable.sort, None, None);
            self.stack.push(term);
        }
        first
    }

    pub(crate) fn fresh_variable(
        &mut self,
        name: &str,
        sort: SortRef,
        low: Option<i64>,
        high: Option<i64>,
    ) -> TermId {
        self.fresh += 1;
        self.universe.variable(FreeVariable {
            name: name.to_string(),
            id: VariableId::Fresh(self.fresh - 1),
            sort,
            low,
            high,
        })
    }

    /// Builds the binder again around a body in which its variables are fresh ones, numbered from `first` on.
    pub(crate) fn close(
        &mut self,
        form: BinderForm,
        variables: &[BoundVariable],
        sort: SortRef,
        first: u32,
        body: TermId,
    ) -> Outcome {
        let lambda = |sort: SortRef| {
            self.universe.binder(Binder {
                kind: BinderKind::Lambda,
                variables: variables.into(),
                body: self
                    .universe
                    .abstracted(body, first, variables.len() as u32),
                sort,
            })
        };
        match form {
            BinderForm::Term(BinderKind::Lambda) => Ok(lambda(sort)),
            BinderForm::Set => {
                let element = self.universe.sorts.element(sort);
                let function = self.universe.sorts.function(&[element], SortRef::BOOL);
                Ok(self.universe.set_of(sort, lambda(function), None))
            }
            BinderForm::Bag => {
                let element = self.universe.sorts.element(sort);
                let function = self.universe.sorts.function(&[element], SortRef::NAT);
                Ok(self.universe.bag_of(sort, lambda(function), None))
            }
            BinderForm::Term(kind) => self.quantify(kind, variables, first, body),
        }
    }
}

impl Universe {
    /// The term with the `count` fresh variables from `first` on as bound ones, the last of them `Bound(0)`.
    pub(crate) fn abstracted(&self, term: TermId, first: u32, count: u32) -> TermId {
        self.abstract_at(term, first, count, 0)
    }

    fn abstract_at(&self, term: TermId, first: u32, count: u32, depth: u32) -> TermId {
        if !self.has_variables(term) {
            return term;
        }
        let all = |terms: &[TermId]| -> Vec<TermId> {
            terms
                .iter()
                .map(|t| self.abstract_at(*t, first, count, depth))
                .collect()
        };
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || match self.view(term) {
            View::Variable(variable) => match variable.id {
                VariableId::Fresh(id) if (first..first + count).contains(&id) => {
                    self.bound(depth + count - 1 - (id - first), variable.sort)
                }
                _ => term,
            },
            View::Apply(symbol, arguments) => self.apply(symbol, &all(arguments)),
            View::ApplyTerm(head, arguments) => {
                self.apply_term(self.abstract_at(head, first, count, depth), &all(arguments))
            }
            View::Binder(binder) => {
                let inner = depth + binder.variables.len() as u32;
                self.binder(Binder {
                    body: self.abstract_at(binder.body, first, count, inner),
                    ..binder.clone()
                })
            }
            View::Number(..) | View::Ratio(_) | View::Symbol(_) | View::Bound(..) => term,
        })
    }
}
