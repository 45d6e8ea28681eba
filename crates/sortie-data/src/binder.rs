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
            let term = self.fresh_variable(&variable.name, variable.sort);
            self.stack.push(term);
        }
        first
    }

    pub(crate) fn fresh_variable(&mut self, name: &str, sort: SortRef) -> TermId {
        let id = VariableId::Fresh(self.fresh);
        self.fresh += 1;
        self.universe.variable(FreeVariable::new(name, id, sort))
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
        let u = self.universe;
        let ids: Vec<u32> = (first..).take(variables.len()).collect();
        let lambda = |sort: SortRef| {
            u.binder(Binder {
                kind: BinderKind::Lambda,
                variables: variables.into(),
                body: u.abstracted(body, &ids),
                sort,
            })
        };
        let from_element = |range: SortRef| u.sorts.function(&[u.sorts.element(sort)], range);
        match form {
            BinderForm::Term(BinderKind::Lambda) => Ok(lambda(sort)),
            BinderForm::Set => Ok(u.set_of(sort, lambda(from_element(SortRef::BOOL)), None)),
            BinderForm::Bag => Ok(u.bag_of(sort, lambda(from_element(SortRef::NAT)), None)),
            BinderForm::Term(kind) => self.quantify(kind, variables, first, body),
        }
    }
}

impl Universe {
    /// The term with fresh variables, given by their numbers, as bound ones, the last of them `Bound(0)`.
    pub(crate) fn abstracted(&self, term: TermId, ids: &[u32]) -> TermId {
        self.abstract_at(term, ids, 0)
    }

    fn abstract_at(&self, term: TermId, ids: &[u32], depth: u32) -> TermId {
        if !self.has_variables(term) {
            return term;
        }
        let one = |term: TermId| self.abstract_at(term, ids, depth);
        let all = |terms: &[TermId]| terms.iter().map(|t| one(*t)).collect::<Vec<TermId>>();
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || match self.view(term) {
            View::Variable(variable) => {
                let place = ids
                    .iter()
                    .position(|id| variable.id == VariableId::Fresh(*id));
                let bound = |place| depth + (ids.len() - 1 - place) as u32;
                place.map_or(term, |place| self.bound(bound(place), variable.sort))
            }
            View::Apply(symbol, arguments) => self.apply(symbol, &all(arguments)),
            View::ApplyTerm(head, arguments) => self.apply_term(one(head), &all(arguments)),
            View::Binder(binder) => {
                let inner = depth + binder.variables.len() as u32;
                self.binder(Binder {
                    body: self.abstract_at(binder.body, ids, inner),
                    ..binder.clone()
                })
            }
            _ => term,
        })
    }
}
