//! A line of states with a deadlock at its end.

use crate::graph::Graph;
use crate::{Entry, Parameter};
use sortie_model::{Field, LabelId, Steps};

pub const ENTRY: Entry = Entry {
    name: "line",
    help: "one path to one deadlock",
    parameters: &[Parameter::new("n", 100, 1..=1 << 31).help("states")],
    build: |values| Line(values.small("n")).model(values),
    small: &[],
};

/// A line of this number of states.
struct Line(u32);

impl Graph for Line {
    fn expand(&self, state: &[u32], steps: &mut Steps) {
        if state[0] + 1 < self.0 {
            steps.push(LabelId(0), &[state[0] + 1]);
        }
    }

    fn label(&self, _label: LabelId) -> String {
        "next".into()
    }

    fn describe(&self, state: &[u32]) -> Vec<Field> {
        crate::values::fields(&[("at", &state[0])])
    }
}
