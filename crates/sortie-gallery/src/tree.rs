//! A complete tree. The last leaf has the step `goal`, all others are deadlocks.
//!
//! A random walk meets the goal with probability `degree`^-`depth`; there are 1 + d + d² + … states, and no state is
//! reached twice.

use crate::graph::Graph;
use crate::{Entry, Parameter, Values};
use sortie_model::{Field, LabelId, Steps};

pub const ENTRY: Entry = Entry {
    name: "tree",
    help: "a complete tree whose last leaf has the step 'goal'",
    parameters: &[
        Parameter::new("degree", 2, 1..=16).help("children of an inner node"),
        Parameter::new("depth", 10, 1..=15).help("steps from the root to a leaf"),
    ],
    build: |values| Tree::new(values).model(values),
    small: &[],
};

const GOAL: LabelId = LabelId(0);

/// A node is its number in order of levels, in two words, the lower half first.
struct Tree {
    degree: u32,
    /// Nodes from this number on are leaves.
    first_leaf: u64,
    last: u64,
}

impl Tree {
    fn new(values: &Values) -> Self {
        let (degree, depth) = (values.get("degree"), values.small("depth"));
        // At most (16^16 - 1) / 15 nodes, which fits.
        let first_leaf = (0..depth).map(|level| degree.pow(level)).sum::<u64>();
        Tree {
            degree: values.small("degree"),
            first_leaf,
            last: first_leaf + degree.pow(depth) - 1,
        }
    }
}

fn number(state: &[u32]) -> u64 {
    u64::from(state[0]) | u64::from(state[1]) << 32
}

impl Graph for Tree {
    fn width(&self) -> usize {
        2
    }

    fn expand(&self, state: &[u32], steps: &mut Steps) {
        let node = number(state);
        if node < self.first_leaf {
            for child in 1..=self.degree {
                let target = node * u64::from(self.degree) + u64::from(child);
                steps.push(LabelId(child), &[target as u32, (target >> 32) as u32]);
            }
        } else if node == self.last {
            steps.push(GOAL, state);
        }
    }

    fn label(&self, label: LabelId) -> String {
        match label {
            GOAL => "goal".into(),
            LabelId(child) => format!("child({child})"),
        }
    }

    fn describe(&self, state: &[u32]) -> Vec<Field> {
        crate::values::fields(&[("node", &number(state))])
    }
}
