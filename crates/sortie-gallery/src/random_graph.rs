//! A random graph of given size and degree, the same for the same seed.
//!
//! The first step of a state leads to the next number, the others anywhere, so all states are reachable and there is no
//! deadlock; the last state has the step `goal` besides. There are `states` states and `states` · `degree` + 1
//! transitions. Nothing is stored: a step is computed from seed, state and index.

use crate::graph::Graph;
use crate::{Entry, Parameter};
use sortie_model::{Field, Fingerprinter, LabelId, Steps};

pub const ENTRY: Entry = Entry {
    name: "random_graph",
    help: "a random graph, all of it reachable; one state has the step 'goal'",
    parameters: &[
        Parameter::new("states", 100_000, 2..=1 << 31).help("states"),
        Parameter::new("degree", 3, 1..=1_000).help("steps of a state"),
        Parameter::new("seed", 1, 0..=u64::MAX).help("which graph of this size"),
    ],
    build: |values| {
        let graph = RandomGraph {
            states: values.small("states"),
            degree: values.small("degree"),
            seed: values.get("seed"),
        };
        graph.model(values)
    },
    small: &[("states", 500)],
};

const GOAL: LabelId = LabelId(0);

struct RandomGraph {
    states: u32,
    degree: u32,
    seed: u64,
}

impl RandomGraph {
    /// Any state, each equally likely but for a bias below 2^-32.
    fn anywhere(&self, state: u32, index: u32) -> u32 {
        let mut mixed = Fingerprinter::new();
        mixed.mix(self.seed);
        mixed.mix(u64::from(state) << 32 | u64::from(index));
        let drawn = mixed.fingerprint().low();
        ((u128::from(drawn) * u128::from(self.states)) >> 64) as u32
    }
}

impl Graph for RandomGraph {
    fn expand(&self, state: &[u32], steps: &mut Steps) {
        let at = state[0];
        let next = if at + 1 == self.states { 0 } else { at + 1 };
        steps.push(LabelId(1), &[next]);
        for index in 1..self.degree {
            steps.push(LabelId(1 + index), &[self.anywhere(at, index)]);
        }
        if next == 0 {
            steps.push(GOAL, state);
        }
    }

    fn label(&self, label: LabelId) -> String {
        match label {
            GOAL => "goal".into(),
            LabelId(number) => format!("step({number})"),
        }
    }

    fn describe(&self, state: &[u32]) -> Vec<Field> {
        crate::values::fields(&[("state", &state[0])])
    }
}
