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
    parameters: &[Parameter::new("n", 8, 1..=16).help("rows, columns and queens")],
    build: |values| Queens(values.small("n")).model(values),
    small: &[("n", 6)],
};

/// Columns per word.
const PER_WORD: u32 = 8;
const PLACED: usize = 0;

/// A board with this number of queens, rows and columns.
struct Queens(u32);

fn column(state: &[u32], row: u32) -> u32 {
    state[1 + (row / PER_WORD) as usize] >> (4 * (row % PER_WORD)) & 15
}

impl Graph for Queens {
    fn width(&self) -> usize {
        1 + self.0.div_ceil(PER_WORD) as usize
    }

    fn expand(&self, state: &[u32], steps: &mut Steps) {
        let Queens(n) = *self;
        let row = state[PLACED];
        if row == n {
            steps.push(LabelId(n * n), state);
            return;
        }
        let mut attacked = 0u64;
        for other in 0..row {
            let (at, distance) = (column(state, other), row - other);
            attacked |= 1 << at | 1 << (at + distance) | (1u64 << at) >> distance;
        }
        for c in (0..n).filter(|c| attacked >> c & 1 == 0) {
            let target = steps.push_like(LabelId(row * n + c), state);
            target[PLACED] += 1;
            target[1 + (row / PER_WORD) as usize] |= c << (4 * (row % PER_WORD));
        }
    }

    fn label(&self, label: LabelId) -> String {
        let Queens(n) = *self;
        if label.0 == n * n {
            return "solved".into();
        }
        let (row, column) = (label.0 / n, label.0 % n);
        format!("place({}, {})", row + 1, column + 1)
    }

    fn describe(&self, state: &[u32]) -> Vec<Field> {
        let shown = |row| format!("column {}", column(state, row) + 1);
        crate::values::numbered("row", state[PLACED], shown)
    }
}
