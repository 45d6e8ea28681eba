//! Paths through one model, with its own numbers.

use crate::model::LabelId;

/// A path from the initial state, as numbers of the model at hand. Witnesses are for files and other runs.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Trace {
    /// The initial state.
    pub start: Vec<u32>,
    /// The steps, in order.
    pub steps: Vec<TraceStep>,
}

/// One step of a [`Trace`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceStep {
    /// The label of the step.
    pub label: LabelId,
    /// The state it leads to.
    pub target: Vec<u32>,
}

impl Trace {
    /// The state after `steps` steps.
    pub fn state(&self, steps: usize) -> &[u32] {
        match steps {
            0 => &self.start,
            steps => &self.steps[steps - 1].target,
        }
    }

    /// The state at the end.
    pub fn last(&self) -> &[u32] {
        self.state(self.steps.len())
    }

    /// The number of steps.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether no step is taken.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Adds a step.
    pub fn push(&mut self, label: LabelId, target: &[u32]) {
        self.steps.push(TraceStep {
            label,
            target: target.to_vec(),
        });
    }
}
