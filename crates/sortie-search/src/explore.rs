//! Listing a state space, transition by transition, in breadth-first order.

use crate::SearchError;
use crate::store::visited::{NO_PARENT, Seen, StateId};
use sortie_model::{Budget, Exactness, LabelId, Model, Observer, Spending, Steps};

/// How far an exploration got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explored {
    /// How many states were met.
    pub states: u64,
    /// How many of them were expanded.
    pub expanded: u64,
    /// How many levels were begun.
    pub levels: u64,
    /// Why it is not the whole state space, if it is not.
    pub cut: Option<Spending>,
}

/// Calls `each` for every step of every expanded state, states numbered in breadth-first order.
pub fn explore(
    model: &dyn Model,
    budget: &Budget,
    observer: &dyn Observer,
    mut each: impl FnMut(StateId, LabelId, StateId),
) -> Result<Explored, SearchError> {
    explore_transitions(model, budget, observer, |from, label, targets, _| {
        targets.iter().for_each(|to| each(from, label, *to));
    })
}

/// Calls `each` for every transition of every expanded state, with its targets and, if it is random, their weights. States are numbered in
/// breadth-first order.
pub fn explore_transitions(
    model: &dyn Model,
    budget: &Budget,
    observer: &dyn Observer,
    mut each: impl FnMut(StateId, LabelId, &[StateId], &[u64]),
) -> Result<Explored, SearchError> {
    let mut seen = Seen::new(model, Exactness::Exact, true, budget.memory);
    let mut state = Vec::new();
    model.initial(&mut state)?;
    seen.insert(model.fingerprint(&state), &state, NO_PARENT);
    let mut steps = Steps::new(model.width());
    let mut prints = Vec::new();
    let batch = model.extensions().batch_expansion;
    let mut targets = Vec::new();
    let mut explored = Explored {
        states: 1,
        expanded: 0,
        levels: 1,
        cut: None,
    };
    let mut level_end = 1;
    while explored.expanded < seen.len() {
        explored.cut = limit_reached(model, budget, &seen, explored.expanded);
        if explored.cut.is_some() {
            break;
        }
        if explored.expanded == level_end {
            level_end = seen.len();
            explored.levels += 1;
        }
        let from = StateId(explored.expanded as u32);
        seen.read(from, &mut state);
        steps.clear();
        prints.clear();
        model.expand(&state, &mut steps)?;
        steps.fingerprints_into(model, batch, &mut prints);
        targets.clear();
        for ((_, target), &print) in steps.iter().zip(&prints) {
            let to = seen
                .insert(print, target, from)
                .or_else(|| seen.number(print, target));
            targets.push(to.expect("a state that is not new is there"));
        }
        if steps.has_random() {
            for index in 0..steps.transitions() {
                let transition = steps.transition(index);
                let label = steps.label(transition.steps.start);
                each(from, label, &targets[transition.steps], transition.weights);
            }
        } else {
            for (label, to) in steps.labels().iter().zip(&targets) {
                each(from, *label, std::slice::from_ref(to), &[]);
            }
        }
        explored.expanded += 1;
        if explored.expanded.is_multiple_of(4096) {
            observer.progress(4096);
        }
    }
    explored.states = seen.len();
    Ok(explored)
}

fn limit_reached(
    model: &dyn Model,
    budget: &Budget,
    seen: &Seen,
    expanded: u64,
) -> Option<Spending> {
    if budget.max_states == Some(expanded) {
        return Some(Spending::States);
    }
    if let Some(reason) = budget.stop.requested() {
        return Some(Spending::Stopped(reason));
    }
    let over = expanded.is_multiple_of(1024)
        && budget
            .memory
            .is_some_and(|limit| seen.bytes() + model.bytes() > limit);
    (over || seen.is_full()).then_some(Spending::Memory)
}
