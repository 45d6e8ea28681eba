//! Walking the same way again, to write down the path.

use crate::SearchError;
use sortie_model::{Choice, Chooser, Flow, LabelId, Model, Trace, View, Walk};
use std::collections::HashMap;

/// Which loops of a path are left out: when a state comes up again, everything since its last visit is erased.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loops {
    /// Every loop is left out.
    Erased,
    /// Every loop is left out, but the last step stays even if it leads back to a state of the path: it is what the path is about.
    ErasedButLast,
    /// Every step is kept.
    Kept,
}

/// Walks again with the same answers for `taken` steps, and writes down the path.
pub(crate) fn walked(
    model: &dyn Model,
    walk: &mut dyn Walk,
    answer: &mut dyn FnMut(&Choice<'_>) -> usize,
    (taken, limit): (u64, u64),
    loops: Loops,
) -> Result<Trace, SearchError> {
    let mut start = Vec::new();
    model.initial(&mut start)?;
    let mut again = Again {
        answer,
        left: taken,
        loops,
        places: HashMap::new(),
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
    loops: Loops,
    /// By state: the number of steps of the trace that lead to it.
    places: HashMap<Vec<u32>, usize>,
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
        let erases = match self.loops {
            Loops::Erased => true,
            Loops::ErasedButLast => !is_last,
            Loops::Kept => false,
        };
        if erases {
            erase_loop(&mut self.trace, &mut self.places, state);
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
