//! Probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi and Nagarakatte): tasks get random priorities, the highest one that can move does,
//! and at d - 1 random moves (`--changes`) the task about to move falls below all those that never fell.
//!
//! With n tasks and at most k moves, a bug that shows whenever d moves come in one certain order is found with probability at least
//! 1 / (n k^(d-1)) in each run. Differences: k is the length of the longest run so far, which the paper asks the user for; a task that asks for others
//! to move first, or that moves alone far longer than it ever had to, falls below all others, since under priorities a task that waits in a loop would
//! wait for ever. Questions that are not about tasks are answered at random. Cost: a table look-up for each alternative.

use super::cast::Cast;
use super::lore::{Lore, Tale};
use super::record::is_move;
use super::search::{Done, Search};
use crate::Options;
use crate::options::{DEPTH, Kind, OptionSpec};
use sortie_model::{Choice, Dice, End};

pub(crate) const CHANGES: OptionSpec = OptionSpec {
    name: "changes",
    help: "how many times a component or task falls behind at a random move",
    kind: Kind::Number(0, 1000),
    default: "2",
};

pub(crate) const OPTIONS: &[OptionSpec] = &[CHANGES, DEPTH];

/// Priorities of tasks that fell at a change point lie between this and twice this; those of others above.
const FALLEN: u64 = 1 << 62;

pub(crate) struct Pct {
    changes: u64,
    lore: Lore,
}

impl Pct {
    pub(crate) fn of(options: &Options) -> Self {
        Pct {
            changes: options.number(&CHANGES),
            lore: Lore::default(),
        }
    }
}

/// Priorities during one run.
pub(crate) struct Priorities {
    pub(crate) cast: Cast,
    /// By number of the task: its priority, and how long it may move alone.
    tasks: Vec<(u64, u64)>,
    /// The moves at which a task falls, and to which priority; the next one last.
    changes: Vec<(u64, u64)>,
    /// Below all priorities there are.
    lowest: u64,
    moves: u64,
    dice: Dice,
}

impl Priorities {
    pub(crate) fn new(cast: Cast) -> Self {
        Priorities {
            cast,
            tasks: Vec::new(),
            changes: Vec::new(),
            lowest: 0,
            moves: 0,
            dice: Dice::new(0),
        }
    }

    /// A run in which a task falls at this number of moves.
    pub(crate) fn begin(&mut self, changes: u64, lore: &Lore, mut dice: Dice) {
        self.cast.begin();
        self.tasks.clear();
        self.changes.clear();
        for _ in 0..changes {
            let at = dice.below(lore.longest());
            self.changes.push((at, FALLEN | dice.bits() >> 2));
        }
        self.changes
            .sort_unstable_by_key(|(at, _)| std::cmp::Reverse(*at));
        self.lowest = FALLEN;
        self.moves = 0;
        self.dice = dice;
    }

    pub(crate) fn choose(&mut self, choice: &Choice<'_>, lore: &Lore) -> usize {
        let dice = &mut self.dice;
        if !is_move(choice.kind) {
            return choice.draw(dice);
        }
        for index in 0..choice.alternatives {
            let number = self.cast.number(choice, index);
            if number == self.tasks.len() {
                let patience = lore.patience(self.cast.members[number].who);
                self.tasks.push((1 << 63 | dice.bits() >> 1, patience));
            }
        }
        let tasks = &self.tasks;
        if let Some(last) = self.cast.gives_way(choice, |task| tasks[task].1) {
            self.lowest -= 1;
            self.tasks[last].0 = self.lowest;
        }
        let mut chosen = self.highest(choice);
        while let Some((at, priority)) = self.changes.last().copied()
            && at <= self.moves
        {
            self.changes.pop();
            let task = self.cast.here(chosen);
            self.tasks[task].0 = priority;
            chosen = self.highest(choice);
        }
        self.moves += 1;
        self.cast.moved(choice, chosen);
        chosen
    }

    /// An alternative of the task with the highest priority.
    fn highest(&mut self, choice: &Choice<'_>) -> usize {
        let (mut best, mut chosen, mut ties) = (0, 0, 0);
        for index in 0..choice.alternatives {
            let priority = self.tasks[self.cast.here(index)].0;
            if priority > best {
                (best, chosen, ties) = (priority, index, 1);
            } else if priority == best {
                // A task that may move in several ways takes any.
                ties += 1;
                if self.dice.below(ties) == 0 {
                    chosen = index;
                }
            }
        }
        chosen
    }
}

impl Search for Pct {
    type Player = Priorities;
    type Lesson = Tale;

    fn player(&self) -> Priorities {
        Priorities::new(Cast::default())
    }

    fn begin(&self, player: &mut Priorities, _run: u64, dice: Dice) {
        player.begin(self.changes, &self.lore, dice);
    }

    fn choose(&self, player: &mut Priorities, choice: &Choice<'_>) -> usize {
        player.choose(choice, &self.lore)
    }

    fn end(&self, player: &mut Priorities, done: &Done<'_>) -> Tale {
        Tale::of(&player.cast, done.moves, *done.end == End::Limit)
    }

    fn learn(&mut self, _run: u64, tale: Tale) {
        self.lore.learn(&tale);
    }
}
