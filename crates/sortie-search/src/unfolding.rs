//! A state space that is explored where somebody looks.

use crate::expansion::Lister;
use crate::store::visited::{StateId, VisitedSet};
use sortie_formula::{Edge, OUTSIDE, Space};
use sortie_model::{Budget, Exactness, Model, ModelError, Spending};

/// The states of a model, numbered as they are met, expanded when their edges are asked for. Once the budget is used up, no state is added: steps
/// to others lead to the [`OUTSIDE`].
pub struct Unfolding<'a> {
    model: &'a dyn Model,
    budget: &'a Budget,
    seen: VisitedSet,
    /// By state, where its edges lie, once they are known.
    places: Vec<Option<(u32, u32)>>,
    edges: Vec<Edge>,
    expanded: u64,
    spent: Option<Spending>,
    lister: Lister<'a>,
    state: Vec<u32>,
}

impl<'a> Unfolding<'a> {
    /// Knows the initial state only.
    pub fn new(model: &'a dyn Model, budget: &'a Budget) -> Result<Unfolding<'a>, ModelError> {
        let (seen, state) = VisitedSet::with_initial(model, Exactness::Exact, true, None)?;
        Ok(Unfolding {
            model,
            budget,
            seen,
            places: vec![None],
            edges: Vec::new(),
            expanded: 0,
            spent: None,
            lister: Lister::new(model),
            state,
        })
    }

    /// How many states were met.
    pub fn states(&self) -> u64 {
        self.seen.len()
    }

    /// How many of them were expanded.
    pub fn expanded(&self) -> u64 {
        self.expanded
    }

    /// How many steps they have.
    pub fn transitions(&self) -> u64 {
        self.edges.len() as u64
    }

    /// Why some steps lead outside, if they do.
    pub fn spent(&self) -> Option<Spending> {
        self.spent
    }

    /// Memory in bytes, the model's included.
    pub fn bytes(&self) -> u64 {
        let places = self.places.len() * 12;
        self.seen.bytes() + self.model.bytes() + (places + self.edges.len() * 8) as u64
    }

    fn check_budget(&mut self) {
        if self.spent.is_some() {
            return;
        }
        let looks = self.expanded.is_multiple_of(1024);
        let over = |limit| self.bytes() > limit;
        if let Some(reason) = self.budget.stop.requested() {
            self.spent = Some(Spending::Stopped(reason));
        } else if looks && self.budget.memory.is_some_and(over) || self.seen.is_full() {
            self.spent = Some(Spending::Memory);
        }
    }

    fn expand(&mut self, state: u32) -> Result<(u32, u32), ModelError> {
        self.check_budget();
        self.seen.read(StateId(state), &mut self.state);
        self.lister.list(&self.state)?;
        let begin = self.edges.len() as u32;
        let most = self.budget.max_states.unwrap_or(u64::MAX);
        for (label, target, print) in self.lister.iter() {
            if self.seen.len() >= most {
                self.spent.get_or_insert(Spending::States);
            }
            let number = match (self.seen.number(print.low(), target), self.spent) {
                (None, None) => {
                    self.places.push(None);
                    self.seen.insert(print.low(), target, StateId(state))
                }
                (known, _) => known,
            };
            let target = number.map_or(OUTSIDE, |number| number.0);
            self.edges.push(Edge { label, target });
        }
        self.expanded += 1;
        Ok((begin, self.edges.len() as u32))
    }
}

impl Space for Unfolding<'_> {
    fn edges(&mut self, state: u32) -> Result<&[Edge], ModelError> {
        let place = match self.places[state as usize] {
            Some(place) => place,
            None => {
                let place = self.expand(state)?;
                self.places[state as usize] = Some(place);
                place
            }
        };
        Ok(&self.edges[place.0 as usize..place.1 as usize])
    }

    fn known(&self) -> u32 {
        self.seen.len() as u32
    }

    fn read(&self, state: u32, words: &mut Vec<u32>) {
        words.resize(self.model.width(), 0);
        self.seen.read(StateId(state), words);
    }
}
