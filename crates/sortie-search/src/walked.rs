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
    let mut start = Vec::new();
    model.initial(&mut start)?;
    let mut again = Again {
        answer,
        left: taken,
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

/// Repeats a walk and records its loop-erased path.
struct Again<'a> {
    answer: &'a mut dyn FnMut(&Choice<'_>) -> usize,
    left: u64,
    /// By state: how many steps of the trace lead to it.
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
        if let Some(label) = self.next.take() {
            self.trace.push(label, state);
        }
        if let Some(&length) = self.places.get(state) {
            for forgotten in self.trace.steps.drain(length..) {
                if forgotten.target != state {
                    self.places.remove(&forgotten.target);
                }
            }
        } else {
            self.places.insert(state.to_vec(), self.trace.len());
        }
        if view.taken == self.left {
            Flow::Stop
        } else {
            Flow::Go
        }
    }
}
