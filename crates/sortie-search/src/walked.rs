//! Walking the same way again, to write down the path.

use crate::SearchError;
use sortie_model::{Choice, Chooser, Flow, LabelId, Model, Trace, View, Walk};
use std::collections::HashMap;

/// Walks again with the same answers for `taken` steps, and erases loops: when a state comes up again, everything since its last
/// visit is forgotten.
pub fn walked(
    model: &dyn Model,
    walk: &mut dyn Walk,
    answer: &mut dyn FnMut(&Choice<'_>) -> usize,
    taken: u64,
    limit: u64,
) -> Result<Trace, SearchError> {
    let erasing = Some(HashMap::new());
    again(model, walk, answer, taken, limit, erasing)
}

/// Walks again with the same answers for `taken` steps, and keeps every step.
pub fn walked_whole(
    model: &dyn Model,
    walk: &mut dyn Walk,
    answer: &mut dyn FnMut(&Choice<'_>) -> usize,
    taken: u64,
    limit: u64,
) -> Result<Trace, SearchError> {
    again(model, walk, answer, taken, limit, None)
}

fn again(
    model: &dyn Model,
    walk: &mut dyn Walk,
    answer: &mut dyn FnMut(&Choice<'_>) -> usize,
    taken: u64,
    limit: u64,
    places: Option<HashMap<Vec<u32>, usize>>,
) -> Result<Trace, SearchError> {
    let mut start = Vec::new();
    model.initial(&mut start)?;
    let mut again = Again {
        answer,
        left: taken,
        places,
        trace: Trace {
            start,
            steps: Vec::new(),
        },
        next: None,
    };
    walk.run(&mut again, limit)?;
    Ok(again.trace)
}

/// Repeats a walk and records its path.
struct Again<'a> {
    answer: &'a mut dyn FnMut(&Choice<'_>) -> usize,
    left: u64,
    /// By state: how many steps of the trace lead to it, where loops are erased.
    places: Option<HashMap<Vec<u32>, usize>>,
    trace: Trace,
    /// The label of the step chosen last.
    next: Option<LabelId>,
}

impl Chooser for Again<'_> {
    fn choose(&mut self, choice: Choice<'_>) -> usize {
        let chosen = (self.answer)(&choice);
        // All outcomes of a random transition have its label.
        if let Some(label) = choice.names.label(chosen) {
            self.next = Some(label);
        }
        chosen
    }

    fn arrive(&mut self, view: View<'_>) -> Flow {
        let Some(state) = view.state else {
            return Flow::Go;
        };
        let chosen = self.next.take();
        let label = match view.label {
            Some(label) if view.taken > 0 => Some(label()),
            _ => chosen,
        };
        if let Some(label) = label {
            self.trace.push(label, state);
        }
        if let Some(places) = &mut self.places {
            erase(&mut self.trace, places, state);
        }
        if view.taken == self.left {
            Flow::Stop
        } else {
            Flow::Go
        }
    }
}

/// Forgets what happened since the last visit of the state at the end.
fn erase(trace: &mut Trace, places: &mut HashMap<Vec<u32>, usize>, state: &[u32]) {
    let Some(&length) = places.get(state) else {
        places.insert(state.to_vec(), trace.len());
        return;
    };
    for forgotten in trace.steps.drain(length..) {
        if forgotten.target != state {
            places.remove(&forgotten.target);
        }
    }
}
