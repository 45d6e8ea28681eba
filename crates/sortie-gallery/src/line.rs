//! A line of states with a deadlock at its end.

use crate::{Entry, Parameter, Values};
use sortie_model::{Field, Identity, LabelId, Model, ModelError, Steps};

pub const ENTRY: Entry = Entry {
    name: "line",
    help: "one path to one deadlock",
    parameters: &[Parameter {
        name: "n",
        help: "states",
        default: 100,
        least: 1,
        most: 1 << 31,
    }],
    build: |values| Box::new(Line::new(values)),
    small: &[],
};

struct Line {
    identity: Identity,
    n: u32,
}

impl Line {
    fn new(values: &Values) -> Self {
        Line {
            identity: values.identity(),
            n: values.small("n"),
        }
    }
}

impl Model for Line {
    fn identity(&self) -> Identity {
        self.identity.clone()
    }

    fn width(&self) -> usize {
        1
    }

    fn initial(&self, state: &mut Vec<u32>) -> Result<(), ModelError> {
        state.push(0);
        Ok(())
    }

    fn expand(&self, state: &[u32], steps: &mut Steps) -> Result<(), ModelError> {
        if state[0] + 1 < self.n {
            steps.push(LabelId(0), &[state[0] + 1]);
        }
        Ok(())
    }

    fn label(&self, _label: LabelId) -> String {
        "next".into()
    }

    fn describe(&self, state: &[u32]) -> Vec<Field> {
        crate::values::fields(&[("at", &state[0])])
    }
}
