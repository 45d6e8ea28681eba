//! Strongly connected components (Engels et al., section 5.1.3): complete graphs beside one another, entered by
//! `ini(k)` and left by `report(k)` from one state each.
//!
//! A search that follows one path sees one component. There are 1 + components · (size + 1) states.

use crate::graph::Graph;
use crate::{Entry, Parameter};
use sortie_model::{Field, LabelId, Steps};

pub const ENTRY: Entry = Entry {
    name: "scc",
    help: "strongly connected components, each left by its report(k)",
    parameters: &[
        Parameter::new("components", 5, 1..=10_000).help("components beside one another"),
        Parameter::new("size", 5, 1..=10_000).help("states of a component"),
    ],
    build: |values| {
        let graph = Components {
            components: values.small("components"),
            size: values.small("size"),
        };
        graph.model(values)
    },
    small: &[],
};

const KINDS: [&str; 3] = ["ini", "scc", "report"];
const START: u32 = 0;

struct Components {
    components: u32,
    size: u32,
}

/// Component and position, both from 1; position 0 is the end behind the exit.
fn pack(component: u32, position: u32) -> [u32; 1] {
    [component << 16 | position]
}

fn label(kind: u32, component: u32) -> LabelId {
    LabelId(component * 3 + kind)
}

impl Graph for Components {
    fn expand(&self, state: &[u32], steps: &mut Steps) {
        if state[0] == START {
            for component in 1..=self.components {
                steps.push(label(0, component), &pack(component, 1));
            }
            return;
        }
        let (component, position) = (state[0] >> 16, state[0] & 0xffff);
        if position == 0 {
            return;
        }
        for next in (1..=self.size).filter(|&next| next != position) {
            steps.push(label(1, component), &pack(component, next));
        }
        if position == self.size {
            steps.push(label(2, component), &pack(component, 0));
        }
    }

    fn label(&self, label: LabelId) -> String {
        format!("{}({})", KINDS[label.0 as usize % 3], label.0 / 3)
    }

    fn describe(&self, state: &[u32]) -> Vec<Field> {
        let (component, position) = (state[0] >> 16, state[0] & 0xffff);
        match (component, position) {
            (0, _) => crate::values::fields(&[("component", &"none")]),
            (_, 0) => crate::values::fields(&[("component", &component), ("position", &"left")]),
            _ => crate::values::fields(&[("component", &component), ("position", &position)]),
        }
    }
}
