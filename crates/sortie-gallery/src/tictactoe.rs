//! Noughts and crosses: x and o mark squares in turn until one has a full row, column or diagonal.
//!
//! The end of a game is marked by `win(x)`, `win(o)` or `draw`. On the board of 3 × 3 there are 5,478 positions, of
//! which x has won 626, o 316, and 16 are draws.

use crate::bits::{flip, join, ones, plane, positions, words_for};
use crate::graph::Graph;
use crate::{Entry, Parameter, Values};
use sortie_model::{Field, LabelId, Steps};

pub const ENTRY: Entry = Entry {
    name: "tictactoe",
    help: "noughts and crosses; look for win(o) or draw",
    parameters: &[Parameter::new("n", 3, 1..=5).help("rows and columns")],
    build: |values| TicTacToe::new(values).model(values),
    small: &[],
};

const WIN: [LabelId; 2] = [LabelId(0), LabelId(1)];
const DRAW: LabelId = LabelId(2);
/// The first label of a move.
const MOVES: u32 = 3;
const NAMES: [&str; 2] = ["x", "o"];

/// Two planes: the squares of x, the squares of o.
struct TicTacToe {
    n: u32,
    lines: Vec<u64>,
}

impl TicTacToe {
    fn new(values: &Values) -> Self {
        let n = values.small("n");
        let line = |square: &dyn Fn(u32) -> u32| (0..n).fold(0, |all, i| all | 1 << square(i));
        let mut lines = vec![line(&|i| i * n + i), line(&|i| i * n + n - 1 - i)];
        for k in 0..n {
            lines.push(line(&|i| k * n + i));
            lines.push(line(&|i| i * n + k));
        }
        TicTacToe { n, lines }
    }

    fn squares(&self) -> u32 {
        self.n * self.n
    }

    fn planes(&self, state: &[u32]) -> [u64; 2] {
        let all = join(state);
        [0, 1].map(|player| plane(all, player, self.squares()))
    }
}

impl Graph for TicTacToe {
    fn width(&self) -> usize {
        words_for(2 * self.squares())
    }

    fn expand(&self, state: &[u32], steps: &mut Steps) {
        let planes = self.planes(state);
        for (player, marked) in planes.into_iter().enumerate() {
            if self.lines.iter().any(|line| line & !marked == 0) {
                steps.push(WIN[player], state);
                return;
            }
        }
        let free = ones(self.squares()) & !(planes[0] | planes[1]);
        if free == 0 {
            steps.push(DRAW, state);
            return;
        }
        let player = u32::from(planes[0].count_ones() > planes[1].count_ones());
        for square in positions(free) {
            let target = steps.push_like(LabelId(MOVES + square), state);
            flip(target, player * self.squares() + square);
        }
    }

    fn label(&self, label: LabelId) -> String {
        match label {
            DRAW => "draw".into(),
            LabelId(player) if player < DRAW.0 => format!("win({})", NAMES[player as usize]),
            LabelId(number) => {
                let square = number - MOVES;
                format!("place({}, {})", square / self.n + 1, square % self.n + 1)
            }
        }
    }

    fn describe(&self, state: &[u32]) -> Vec<Field> {
        let planes = self.planes(state);
        let mark = |square: u32| {
            let player = planes.iter().position(|plane| plane >> square & 1 == 1);
            player.map_or(".", |player| NAMES[player])
        };
        let marks = |row| {
            (0..self.n)
                .map(|c| mark(row * self.n + c))
                .collect::<String>()
        };
        crate::values::numbered("row", self.n, marks)
    }
}
