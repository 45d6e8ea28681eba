//! The beginning of a breadth-first search as a slice: explicit bounded model checking, as the paper on breadth-bounded model
//! checking has it.

use crate::SearchError;
use crate::store::visited::{NO_PARENT, Seen, StateId};
use sortie_formula::{Edge, OUTSIDE, Slice};
use sortie_model::{Budget, Exactness, Model, Spending, Steps};

/// The states that a breadth-first search expands first, `expanded` of them, which may end inside a level; fewer if there are no
/// more, or if the budget is used up, which is said, but always the initial one. States that were met and not expanded are outside.
///
/// States are numbered in order of expansion, so the slice of fewer states is a part of it: see [`first_states`].
pub fn breadth_first_slice(
    model: &dyn Model,
    expanded: u64,
    budget: &Budget,
) -> Result<(Slice, Option<Spending>), SearchError> {
    let mut seen = Seen::new(model, Exactness::Exact, true, budget.memory);
    let mut state = Vec::new();
    model.initial(&mut state)?;
    seen.insert(model.fingerprint(&state), &state, NO_PARENT);
    let mut slice = Slice::new(model.width());
    let mut steps = Steps::new(model.width());
    let mut prints = Vec::new();
    let batch = model.extensions().batch_expansion;
    let mut targets = Vec::new();
    let most = expanded.min(budget.max_states.unwrap_or(u64::MAX)).max(1);
    let mut cut = None;
    while u64::from(slice.states()) < most.min(seen.len()) {
        cut = limit_reached(model, budget, &seen, &slice);
        if cut.is_some() {
            break;
        }
        let from = StateId(slice.states());
        seen.read(from, &mut state);
        steps.clear();
        prints.clear();
        targets.clear();
        model.expand(&state, &mut steps)?;
        steps.fingerprints_into(model, batch, &mut prints);
        for ((label, target), &print) in steps.iter().zip(&prints) {
            let to = seen
                .insert(print, target, from)
                .or_else(|| seen.number(print, target));
            targets.push(Edge {
                label,
                target: to.expect("a state that is not new is there").0,
            });
        }
        slice.push(&state, targets.iter().copied());
    }
    if cut.is_none() && most < expanded.min(seen.len()) {
        cut = Some(Spending::States);
    }
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
        let inside = |edge: &Edge| Edge {
            target: if edge.target < states {
                edge.target
            } else {
                OUTSIDE
            },
            ..*edge
        };
        part.push(slice.words(state), slice.edges(state).iter().map(inside));
    }
    part
}

fn limit_reached(
    model: &dyn Model,
    budget: &Budget,
    seen: &Seen,
    slice: &Slice,
) -> Option<Spending> {
    if slice.states() == 0 {
        return None;
    }
    if let Some(reason) = budget.stop.requested() {
        return Some(Spending::Stopped(reason));
    }
    let over = slice.states().is_multiple_of(1024)
        && budget
            .counted_memory()
            .is_some_and(|limit| seen.bytes() + model.bytes() + 2 * slice.bytes() > limit);
    (over || seen.is_full()).then_some(Spending::Memory)
}
