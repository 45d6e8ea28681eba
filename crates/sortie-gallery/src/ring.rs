//! A ring: `next` from state to state, and `lap` back to the first.

use crate::graph::Graph;
use crate::{Entry, Parameter};
use sortie_model::{Field, LabelId, Steps};

pub const ENTRY: Entry = Entry {
    name: "ring",
    help: "one cycle; look for 'lap', its last step",
    parameters: &[Parameter::new("n", 100, 1..=1 << 31).help("states")],
    build: |values| Ring(values.small("n")).model(values),
    small: &[],
};

const NEXT: LabelId = LabelId(0);
const LAP: LabelId = LabelId(1);

/// A ring of this number of states.
struct Ring(u32);

impl Graph for Ring {
    fn expand(&self, state: &[u32], steps: &mut Steps) {
        if state[0] + 1 == self.0 {
            steps.push(LAP, &[0]);
        } else {
            steps.push(NEXT, &[state[0] + 1]);
        }
    }

    fn label(&self, label: LabelId) -> String {
        if label == LAP { "lap" } else { "next" }.into()
    }

    fn describe(&self, state: &[u32]) -> Vec<Field> {
        crate::values::fields(&[("at", &state[0])])
    }
}
