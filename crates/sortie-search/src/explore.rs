//! The state space in breadth-first order: transition by transition, or its beginning as a slice.
//!
//! A slice is explicit bounded model checking as the paper on breadth-bounded model checking has it.

use crate::SearchError;
use crate::expansion::Lister;
use crate::store::visited::{StateId, VisitedSet};
use sortie_formula::{Edge, OUTSIDE, Slice};
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
    expand_in_order(
        model,
        budget,
        budget.max_states,
        |from, _, steps, targets| {
            if steps.has_random() {
                for index in 0..steps.transitions() {
                    let transition = steps.transition(index);
                    let label = steps.label(transition.steps.start);
                    each(from, label, &targets[transition.steps], transition.weights);
                }
            } else {
                for (label, to) in steps.labels().iter().zip(targets) {
                    each(from, *label, std::slice::from_ref(to), &[]);
                }
            }
            if (from.0 + 1).is_multiple_of(4096) {
                observer.progress(4096);
            }
            0
        },
    )
}

/// The states that a breadth-first search expands first, `expanded` of them, which may end inside a level; fewer if there are no
/// more, or if the budget is used up, which is said, but always the initial one. States that were met and not expanded are outside.
///
/// States are numbered in order of expansion, so the slice of fewer states is a part of it: see [`first_states`].
pub fn breadth_first_slice(
    model: &dyn Model,
    expanded: u64,
    budget: &Budget,
) -> Result<(Slice, Option<Spending>), SearchError> {
    let mut slice = Slice::new(model.width());
    let most = expanded.min(budget.max_states.unwrap_or(u64::MAX)).max(1);
    let explored = expand_in_order(model, budget, Some(most), |_, state, steps, targets| {
        let edges = steps.labels().iter().zip(targets);
        let edge = |(&label, &StateId(target))| Edge { label, target };
        slice.push(state, edges.map(edge));
        2 * slice.bytes()
    })?;
    // Not the budget ends the slice that has as many states as were asked for.
    let cut = explored.cut;
    let cut = cut.filter(|cut| *cut != Spending::States || most < expanded);
    Ok((first_states(&slice, slice.states()), cut))
}

/// The part of a slice that has only its first states.
///
/// # Panics
/// When the slice has no state.
pub fn first_states(slice: &Slice, states: u32) -> Slice {
    let states = states.min(slice.states());
    let mut part = Slice::new(slice.words(0).len());
    for state in 0..states {
        let edges = slice.edges(state).iter();
        part.push(slice.words(state), edges.map(|edge| within(edge, states)));
    }
    part
}

/// A step in a part of the state space with this number of states.
pub(crate) fn within(edge: &Edge, states: u32) -> Edge {
    let is_inside = edge.target < states;
    edge.led_to(if is_inside { edge.target } else { OUTSIDE })
}

/// Expands states in breadth-first order, the initial one whatever the budget is, and calls `each` with every state, its steps and the numbers of their targets. What `each` gives
/// is the memory that its caller holds.
fn expand_in_order(
    model: &dyn Model,
    budget: &Budget,
    max_states: Option<u64>,
    mut each: impl FnMut(StateId, &[u32], &Steps, &[StateId]) -> u64,
) -> Result<Explored, SearchError> {
    let (mut seen, mut state) =
        VisitedSet::with_initial(model, Exactness::Exact, true, budget.memory)?;
    let mut lister = Lister::new(model);
    let mut targets = Vec::new();
    let (mut expanded, mut levels, mut level_end) = (0, 1, 1);
    let mut held = 0;
    let mut cut = None;
    while expanded < seen.len() {
        let over = |limit| seen.bytes() + model.bytes() + held > limit;
        cut = match budget.stop.requested() {
            _ if expanded == 0 => None,
            _ if max_states == Some(expanded) => Some(Spending::States),
            Some(reason) => Some(Spending::Stopped(reason)),
            None if seen.is_full()
                || expanded.is_multiple_of(1024) && budget.counted_memory().is_some_and(over) =>
            {
                Some(Spending::Memory)
            }
            None => None,
        };
        if cut.is_some() {
            break;
        }
        if expanded == level_end {
            level_end = seen.len();
            levels += 1;
        }
        let from = StateId(expanded as u32);
        seen.read(from, &mut state);
        lister.list(&state)?;
        targets.clear();
        for (_, target, print) in lister.iter() {
            let new = seen.insert(print.low(), target, from);
            let to = new.or_else(|| seen.number(print.low(), target));
            targets.push(to.expect("a state that is not new is there"));
        }
        held = each(from, &state, &lister.steps, &targets);
        expanded += 1;
    }
    Ok(Explored {
        states: seen.len(),
        expanded,
        levels,
        cut,
    })
}
