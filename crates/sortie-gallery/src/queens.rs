//! Queens on a chess board, placed row by row where no other queen attacks them; `solved` when all stand.
//!
//! A board that cannot be completed is a deadlock. There are 2 solutions for n = 4, 4 for 6 and 92 for 8; with 8 queens
//! there are 2,057 boards.

use crate::graph::Graph;
use crate::{Entry, Parameter};
use sortie_model::{Field, LabelId, Steps};

pub const ENTRY: Entry = Entry {
    name: "queens",
    help: "n queens on a chess board; look for 'solved'",
    parameters: &[Parameter {
        name: "n",
        help: "rows, columns and queens",
        default: 8,
        least: 1,
        most: 16,
    }],
    build: |values| {
        let graph = Queens {
            n: values.small("n"),
        };
        graph.model(values)
    },
    small: &[("n", 6)],
};

/// Columns per word.
const PER_WORD: u32 = 8;
const PLACED: usize = 0;

struct Queens {
    n: u32,
}

fn column(state: &[u32], row: u32) -> u32 {
    state[1 + (row / PER_WORD) as usize] >> (4 * (row % PER_WORD)) & 15
}

impl Graph for Queens {
    fn width(&self) -> usize {
        1 + self.n.div_ceil(PER_WORD) as usize
    }

    fn expand(&self, state: &[u32], steps: &mut Steps) {
        let row = state[PLACED];
        if row == self.n {
            steps.push(LabelId(self.n * self.n), state);
            return;
        }
        let mut attacked = 0u64;
        for other in 0..row {
            let (at, distance) = (column(state, other), row - other);
            attacked |= 1 << at | 1 << (at + distance) | (1u64 << at) >> distance;
        }
        for c in (0..self.n).filter(|c| attacked >> c & 1 == 0) {
            let target = steps.push_like(LabelId(row * self.n + c), state);
            target[PLACED] += 1;
            target[1 + (row / PER_WORD) as usize] |= c << (4 * (row % PER_WORD));
        }
    }

    fn label(&self, label: LabelId) -> String {
        if label.0 == self.n * self.n {
            return "solved".into();
        }
        let (row, column) = (label.0 / self.n, label.0 % self.n);
        format!("place({}, {})", row + 1, column + 1)
    }

    fn describe(&self, state: &[u32]) -> Vec<Field> {
        (0..state[PLACED])
            .map(|row| Field {
                name: format!("row {}", row + 1),
                value: format!("column {}", column(state, row) + 1),
            })
            .collect()
    }
}
