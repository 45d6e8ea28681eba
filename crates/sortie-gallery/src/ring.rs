//! A ring: `next` from state to state, and `lap` back to the first.

use crate::{Entry, Parameter, Values};
use sortie_model::{Field, Identity, LabelId, Model, ModelError, Steps};

pub const ENTRY: Entry = Entry {
    name: "ring",
    help: "one cycle; look for 'lap', its last step",
    parameters: &[Parameter {
        name: "n",
        help: "states",
        default: 100,
        least: 1,
        most: 1 << 31,
    }],
    build: |values| Box::new(Ring::new(values)),
    small: &[],
};

const NEXT: LabelId = LabelId(0);
const LAP: LabelId = LabelId(1);

struct Ring {
    identity: Identity,
    n: u32,
}

impl Ring {
    fn new(values: &Values) -> Self {
        Ring {
            identity: values.identity(),
            n: values.small("n"),
        }
    }
}

impl Model for Ring {
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
        if state[0] + 1 == self.n {
            steps.push(LAP, &[0]);
        } else {
            steps.push(NEXT, &[state[0] + 1]);
        }
        Ok(())
    }

    fn label(&self, label: LabelId) -> String {
        if label == LAP { "lap" } else { "next" }.into()
    }

    fn describe(&self, state: &[u32]) -> Vec<Field> {
        crate::values::fields(&[("at", &state[0])])
    }
}
