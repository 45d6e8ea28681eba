//! The diamond (Engels et al., section 5.1.1): a grid in which every step goes right or down, with `report(j)` on the
//! long diagonal.
//!
//! A random walk meets one state of the diagonal, `report(j)` with probability C(n, j) / 2^n; there are (n + 1)^2
//! states. The paper's instance has n = 9.

use crate::graph::Graph;
use crate::{Entry, Parameter};
use sortie_model::{Field, LabelId, Steps};

pub const ENTRY: Entry = Entry {
    name: "diamond",
    help: "a grid with report(j) on its diagonal; random walks rarely see the corners",
    parameters: &[Parameter::new("n", 9, 1..=30_000).help("steps from the top to the diagonal")],
    build: |values| Diamond(values.small("n")).model(values),
    small: &[],
};

const TAU: LabelId = LabelId(0);

/// A diamond whose diagonal is this number of steps from the top.
struct Diamond(u32);

fn place(i: u32, j: u32) -> [u32; 1] {
    [i << 16 | j]
}

fn coordinates(state: &[u32]) -> (u32, u32) {
    (state[0] >> 16, state[0] & 0xffff)
}

impl Graph for Diamond {
    fn expand(&self, state: &[u32], steps: &mut Steps) {
        let Diamond(n) = *self;
        let (i, j) = coordinates(state);
        if i + j == n {
            steps.push(LabelId(1 + j), state);
        }
        if i < n {
            steps.push(TAU, &place(i + 1, j));
        }
        if j < n {
            steps.push(TAU, &place(i, j + 1));
        }
    }

    fn label(&self, label: LabelId) -> String {
        match label {
            TAU => "tau".into(),
            LabelId(report) => format!("report({})", report - 1),
        }
    }

    fn describe(&self, state: &[u32]) -> Vec<Field> {
        let (i, j) = coordinates(state);
        crate::values::fields(&[("i", &i), ("j", &j)])
    }
}
