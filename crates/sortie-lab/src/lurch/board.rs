//! Boards of tic-tac-toe as `models/tic_tac_toe_board.machines` draws them, and who can still win.

/// The mark on a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    Free,
    Cross,
    Nought,
}

/// A board before the first move, which is the one of crosses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    side: usize,
    /// Row by row.
    pub marks: Vec<Mark>,
}

impl Board {
    /// The board of the model with these constants.
    pub fn draw(side: u64, seed: u64, marked: u64) -> Board {
        const PRIME: u64 = 2_147_483_647;
        const SCALE: u64 = 630_360_016;
        const MOST: u64 = 1600;
        let mark = |place| {
            let scaled = (seed * MOST + place + 1) * SCALE % PRIME;
            let drawn = scaled * scaled % PRIME * scaled % PRIME % 200;
            if drawn < marked {
                Mark::Cross
            } else if drawn >= 200 - marked {
                Mark::Nought
            } else {
                Mark::Free
            }
        };
        Board {
            side: side as usize,
            marks: (0..side * side).map(mark).collect(),
        }
    }

    /// The first seeds whose boards have no line yet.
    pub fn open_seeds(side: u64, marked: u64) -> impl Iterator<Item = u64> {
        (1..=100_000).filter(move |&seed| !Board::draw(side, seed, marked).is_won())
    }

    /// Rows, columns and diagonals, as places of their cells.
    pub fn lines(&self) -> impl Iterator<Item = Vec<usize>> {
        let n = self.side;
        let rows = (0..n).map(move |x| (0..n).map(|y| x * n + y).collect());
        let columns = (0..n).map(move |y| (0..n).map(|x| x * n + y).collect());
        let falling = (0..n).map(|k| k * n + k).collect();
        let rising = (0..n).map(|k| k * n + n - 1 - k).collect();
        rows.chain(columns).chain([falling, rising])
    }

    /// Whether there is a line already.
    pub fn is_won(&self) -> bool {
        let mut players = [Mark::Cross, Mark::Nought].into_iter();
        players.any(|mark| self.missing(mark).any(|missing| missing == 0))
    }

    /// Whether a player can get a line, if the other does not mind.
    ///
    /// A line without marks of the other player in which `k` cells are free takes `k` moves. Crosses make every odd move, so their move number `k`
    /// is move `2k - 1` of the game and there must be as many free cells; noughts need `2k`. That is enough: besides the line there are then as
    /// many free cells as the other player has to fill meanwhile. If that gives the other player a line, somebody has won, too.
    pub fn can_be_won(&self) -> bool {
        let free = self.marks.iter().filter(|&&mark| mark == Mark::Free);
        let free = free.count();
        let mut crosses = self.missing(Mark::Cross);
        let mut noughts = self.missing(Mark::Nought);
        crosses.any(|k| 2 * k <= free + 1) || noughts.any(|k| 2 * k <= free)
    }

    /// For each line in which only this player has marks: how many cells are free.
    fn missing(&self, mark: Mark) -> impl Iterator<Item = usize> {
        let open = move |line: Vec<usize>| {
            let marks = || line.iter().map(|&place| self.marks[place]);
            let is_open = marks().all(|other| other == Mark::Free || other == mark);
            is_open.then(|| marks().filter(|&other| other == Mark::Free).count())
        };
        self.lines().filter_map(open)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::open_model;
    use sortie_model::{Silent, Verdict};
    use sortie_open::{Opened, Wanted};
    use sortie_search::{Hunt, strategy};

    fn open(side: u64, seed: u64, marked: u64) -> Opened {
        let model = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../models/tic_tac_toe_board.machines"
        );
        let set = [("N", side), ("SEED", seed), ("MARKED", marked)];
        let set = set.map(|(name, value)| format!("{name}={value}"));
        open_model(model, &set, &Wanted::default()).expect("the model has no errors")
    }

    #[test]
    fn boards_are_those_of_the_model() {
        let boards = [
            (2, 1, 50),
            (5, 3, 0),
            (6, 9, 100),
            (9, 77, 61),
            (15, 20, 33),
        ];
        for (side, seed, marked) in boards {
            let opened = open(side, seed, marked);
            let machines = opened.machines.expect("there are machines");
            let all = machines.system().machines.iter();
            let cells = all.filter(|machine| machine.name.starts_with("cell"));
            let marks = cells.map(
                |cell| match cell.states[cell.initial as usize].name.as_str() {
                    "free" => Mark::Free,
                    "cross" => Mark::Cross,
                    _ => Mark::Nought,
                },
            );
            let marks: Vec<Mark> = marks.collect();
            assert_eq!(marks, Board::draw(side, seed, marked).marks);
        }
    }

    /// Whether the model gets to a line, by looking at all of it.
    fn is_won_somewhere(side: u64, seed: u64, marked: u64) -> bool {
        let opened = open(side, seed, marked);
        let own = opened.own.expect("there are machines");
        let wanted = own.wanted().properties;
        let hunt = Hunt::new(&*opened.model, &wanted, &Silent);
        let outcome = strategy("bfs").and_then(|bfs| bfs.hunt(&hunt));
        let verdict = outcome.expect("the search can be carried out").verdict;
        assert!(matches!(verdict, Verdict::Found | Verdict::Exhausted));
        verdict == Verdict::Found
    }

    /// Boards of all shares of marks, but for large ones with too many free cells, and boards with many marks and no line.
    #[test]
    fn the_oracle_agrees_with_exhaustive_search() {
        let (mut won, mut never) = (0, 0);
        let mut compare = |side, seed, marked| {
            let can = Board::draw(side, seed, marked).can_be_won();
            let does = is_won_somewhere(side, seed, marked);
            assert_eq!(can, does, "N={side} SEED={seed} MARKED={marked}");
            won += u64::from(does);
            never += u64::from(!does);
        };
        for (side, from, seeds) in [(1, 0, 2), (2, 0, 12), (3, 0, 12), (4, 60, 12)] {
            for marked in (from..=100).step_by(10) {
                (1..=seeds).for_each(|seed| compare(side, seed, marked));
            }
        }
        for (side, marked) in [(3, 80), (3, 94), (4, 85), (4, 94), (5, 90)] {
            let seeds = Board::open_seeds(side, marked).take(20);
            seeds.for_each(|seed| compare(side, seed, marked));
        }
        assert!(won > 200 && never > 30, "{won} {never}");
    }

    /// On 2 by 2 any two cells are a line, so there is always somebody who can win.
    #[test]
    fn every_board_of_two_by_two_can_be_won() {
        for number in 0..81 {
            let all = [Mark::Free, Mark::Cross, Mark::Nought];
            let marks = (0..4).map(|place| all[number / 3_usize.pow(place) % 3]);
            let (side, marks) = (2, marks.collect());
            let board = Board { side, marks };
            assert!(board.can_be_won(), "{board:?}");
        }
    }
}
