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
    let erasing = Erasing::All(HashMap::new());
    again(model, walk, answer, taken, limit, erasing)
}

/// The same, but the last step stays, even if it leads back to a state of the path: it is what the path is about.
pub fn walked_to_a_step(
    model: &dyn Model,
    walk: &mut dyn Walk,
    answer: &mut dyn FnMut(&Choice<'_>) -> usize,
    taken: u64,
    limit: u64,
) -> Result<Trace, SearchError> {
    let erasing = Erasing::ButTheLast(HashMap::new());
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
    again(model, walk, answer, taken, limit, Erasing::None)
}

fn again(
    model: &dyn Model,
    walk: &mut dyn Walk,
    answer: &mut dyn FnMut(&Choice<'_>) -> usize,
    taken: u64,
    limit: u64,
    erasing: Erasing,
) -> Result<Trace, SearchError> {
    let mut start = Vec::new();
    model.initial(&mut start)?;
    let mut again = Again {
        answer,
        left: taken,
        erasing,
        trace: Trace {
            start,
            steps: Vec::new(),
        },
        next: None,
    };
    walk.run(&mut again, limit)?;
    Ok(again.trace)
}

/// Which loops are erased. By state: how many steps of the trace lead to it.
enum Erasing {
    None,
    ButTheLast(HashMap<Vec<u32>, usize>),
    All(HashMap<Vec<u32>, usize>),
}

/// Repeats a walk and records its path.
struct Again<'a> {
    answer: &'a mut dyn FnMut(&Choice<'_>) -> usize,
    left: u64,
    erasing: Erasing,
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
        let is_last = view.taken == self.left;
        match &mut self.erasing {
            Erasing::ButTheLast(places) if !is_last => erase_loop(&mut self.trace, places, state),
            Erasing::All(places) => erase_loop(&mut self.trace, places, state),
            Erasing::None | Erasing::ButTheLast(_) => {}
        }
        if is_last { Flow::Stop } else { Flow::Go }
    }
}

/// Forgets all steps since the last visit of the state at the end of the trace.
pub(crate) fn erase_loop(trace: &mut Trace, places: &mut HashMap<Vec<u32>, usize>, state: &[u32]) {
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
