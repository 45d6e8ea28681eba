//! Parallel lanes, some of which share a successor on every level: the funnel that a draw over *attempts* favours and
//! a draw over *states* does not.
//!
//! From the start every lane of level 1 is reachable. A lane leads to itself on the next level, and the first `shared`
//! lanes also to that level's funnel, which has the step `report(level)` and no way on. The last level's lanes are
//! deadlocks. Where all lanes share it, a highway of width w < `lanes` meets the funnel of level 2 with probability
//! w / (w + 1) if it draws uniformly over states, and 1 - 1 / C(2w, w) if it draws over attempts. There are
//! `levels` · (`lanes` + 1) states.

use crate::graph::Graph;
use crate::{Entry, Parameter};
use sortie_model::{Field, LabelId, Steps};

pub const ENTRY: Entry = Entry {
    name: "funnel",
    help: "lanes that share successors; shows whether a draw favours states with many ways in",
    parameters: &[
        Parameter::new("lanes", 10, 1..=60_000).help("lanes of a level"),
        Parameter::new("shared", 10, 1..=60_000)
            .help("lanes that lead to the funnel; no more than there are count"),
        Parameter::new("levels", 2, 1..=60_000).help("levels after the start"),
    ],
    build: |values| {
        let graph = Funnel {
            lanes: values.small("lanes"),
            shared: values.small("shared"),
            levels: values.small("levels"),
        };
        graph.model(values)
    },
    small: &[],
};

const ENTER: LabelId = LabelId(0);
const PASS: LabelId = LabelId(1);
const SHARE: LabelId = LabelId(2);
/// `report(level)` is this plus the level.
const REPORT: u32 = 3;

/// A state has the level in its upper half; in the lower half 0 for the funnel, or the lane from 1.
const FUNNEL: u32 = 0;

struct Funnel {
    lanes: u32,
    shared: u32,
    levels: u32,
}

impl Graph for Funnel {
    fn expand(&self, state: &[u32], steps: &mut Steps) {
        let (level, lane) = (state[0] >> 16, state[0] & 0xffff);
        let next = (level + 1) << 16;
        if level == 0 {
            for lane in 1..=self.lanes {
                steps.push(ENTER, &[next | lane]);
            }
        } else if lane == FUNNEL {
            steps.push(LabelId(REPORT + level), state);
        } else if level < self.levels {
            steps.push(PASS, &[next | lane]);
            if lane <= self.shared {
                steps.push(SHARE, &[next | FUNNEL]);
            }
        }
    }

    fn label(&self, label: LabelId) -> String {
        match label {
            ENTER => "enter".into(),
            PASS => "pass".into(),
            SHARE => "share".into(),
            LabelId(number) => format!("report({})", number - REPORT),
        }
    }

    fn describe(&self, state: &[u32]) -> Vec<Field> {
        let (level, lane) = (state[0] >> 16, state[0] & 0xffff);
        match (level, lane) {
            (0, _) => crate::values::fields(&[("level", &0)]),
            (_, FUNNEL) => crate::values::fields(&[("level", &level), ("lane", &"funnel")]),
            _ => crate::values::fields(&[("level", &level), ("lane", &lane)]),
        }
    }
}
