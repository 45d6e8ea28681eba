//! The models of the figures for SPIN: one process that makes one of all possible steps, so that its states are those of our machines.

use super::board::{Board, Mark};
use std::fmt::Write;

/// In which order the steps are listed, which is the order in which SPIN tries them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Step by step, each for all philosophers.
    BySteps,
    /// Philosopher by philosopher, with all steps of each.
    ByPhilosophers,
}

/// Dining philosophers.
pub fn philosophers(n: u64, order: Order) -> String {
    let step = |kind: u64, i: u64| {
        let next = (i + 1) % n;
        match kind {
            0 => format!(
                "philosopher[{i}] == 0 && !taken[{i}] -> philosopher[{i}] = 1; taken[{i}] = 1"
            ),
            1 => format!(
                "philosopher[{i}] == 1 && !taken[{next}] -> philosopher[{i}] = 2; taken[{next}] = 1"
            ),
            _ => format!(
                "philosopher[{i}] == 2 -> philosopher[{i}] = 0; taken[{i}] = 0; taken[{next}] = 0"
            ),
        }
    };
    let steps: Vec<String> = match order {
        Order::BySteps => (0..3)
            .flat_map(|kind| (0..n).map(move |i| step(kind, i)))
            .collect(),
        Order::ByPhilosophers => (0..n)
            .flat_map(|i| (0..3).map(move |kind| step(kind, i)))
            .collect(),
    };
    let variables = format!("byte philosopher[{n}];\nbit taken[{n}];");
    process(&variables, "", &steps)
}

/// Queens on a board: rows and diagonals say whether they are taken.
pub fn queens(n: u64) -> String {
    let steps: Vec<String> = (0..n)
        .flat_map(|column| (0..n).map(move |row| (column, row)))
        .map(|(column, row)| {
            let (up, down) = (column + row, column + n - 1 - row);
            format!(
                "!queen[{column}] && !row[{row}] && !up[{up}] && !down[{down}] -> queen[{column}] = {}; \
                 row[{row}] = 1; up[{up}] = 1; down[{down}] = 1; standing++; assert(standing < {n})",
                row + 1
            )
        })
        .collect();
    let diagonals = 2 * n - 1;
    let variables =
        format!("byte queen[{n}], standing;\nbit row[{n}], up[{diagonals}], down[{diagonals}];");
    process(&variables, "end: ", &steps)
}

/// Tic-tac-toe from a board on.
pub fn tic_tac_toe(board: &Board) -> String {
    let cells = board.marks.len();
    let mut begin = String::from("d_step {");
    let mut steps = Vec::new();
    let lines: Vec<Vec<usize>> = board.lines().collect();
    for (place, mark) in board.marks.iter().enumerate() {
        let number = match mark {
            Mark::Free => 0,
            Mark::Cross => 1,
            Mark::Nought => 2,
        };
        if number != 0 {
            // Writing to a string cannot fail.
            let _ = write!(begin, " cell[{place}] = {number};");
            continue;
        }
        let mut step = format!("cell[{place}] == 0 -> cell[{place}] = mark;");
        for line in lines.iter().filter(|line| line.contains(&place)) {
            let same = line.iter().map(|cell| format!("cell[{cell}] == mark"));
            let same: Vec<String> = same.collect();
            let _ = write!(step, " assert(!({}));", same.join(" && "));
        }
        step.push_str(" mark = 3 - mark");
        steps.push(step);
    }
    begin.push_str(" skip };\n  end: ");
    let variables = format!("byte cell[{cells}], mark = 1;");
    process(&variables, &begin, &steps)
}

fn process(variables: &str, begin: &str, steps: &[String]) -> String {
    let mut text = format!("{variables}\n\nactive proctype play() {{\n  {begin}do\n");
    for step in steps {
        let _ = writeln!(text, "  :: d_step {{ {step} }}");
    }
    if steps.is_empty() {
        text.push_str("  :: false\n");
    }
    text.push_str("  od\n}\n");
    text
}
