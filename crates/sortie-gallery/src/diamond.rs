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
    parameters: &[Parameter {
        name: "n",
        help: "steps from the top to the diagonal",
        default: 9,
        least: 1,
        most: 30_000,
    }],
    build: |values| {
        let graph = Diamond {
            n: values.small("n"),
        };
        graph.model(values)
    },
    small: &[],
};

const TAU: LabelId = LabelId(0);

struct Diamond {
    n: u32,
}

fn place(i: u32, j: u32) -> [u32; 1] {
    [i << 16 | j]
}

fn coordinates(state: &[u32]) -> (u32, u32) {
    (state[0] >> 16, state[0] & 0xffff)
}

impl Graph for Diamond {
    fn expand(&self, state: &[u32], steps: &mut Steps) {
        let (i, j) = coordinates(state);
        if i + j == self.n {
            steps.push(LabelId(1 + j), state);
        }
        if i < self.n {
            steps.push(TAU, &place(i + 1, j));
        }
        if j < self.n {
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
