//! Uniform random walk (Zhao and others, "Selectively Uniform Concurrency Testing"): a task is chosen as often as its share of the moves that are
//! still to come, among them those of the tasks it will bring about.
//!
//! If every task makes as many moves as expected, and waits for nobody, every interleaving is equally likely, where random choices greatly prefer
//! those that mix all tasks evenly. The numbers of moves are means over earlier runs, by name of the task, where the paper takes them from one run; a
//! task nobody knows counts as much as the mean of those who are known. Cost: as for priorities, a look-up for each alternative.

use super::cast::Cast;
use super::lore::{Lore, PARTS, Tale};
use super::record::is_move;
use super::search::{Done, Search};
use sortie_model::{Choice, Dice, End};

#[derive(Default)]
pub(crate) struct Urw {
    lore: Lore,
}

/// What is left to do for each task of a run.
pub(crate) struct Remaining {
    pub(crate) cast: Cast,
    /// By number of the task, moves in parts.
    left: Vec<u64>,
    /// For each alternative of a question.
    weights: Vec<u64>,
    dice: Dice,
}

impl Remaining {
    pub(crate) fn new(cast: Cast) -> Self {
        Remaining {
            cast,
            left: Vec::new(),
            weights: Vec::new(),
            dice: Dice::new(0),
        }
    }

    pub(crate) fn begin(&mut self, dice: Dice) {
        self.cast.begin();
        self.left.clear();
        self.dice = dice;
    }

    pub(crate) fn choose(&mut self, choice: &Choice<'_>, lore: &Lore) -> usize {
        if !is_move(choice.kind) {
            return choice.draw(&mut self.dice);
        }
        self.weights.clear();
        for index in 0..choice.alternatives {
            let task = self.cast.number(choice, index);
            if task == self.left.len() {
                self.meet(task, lore);
            }
            self.weights.push(0);
        }
        // Only now is it known what is left for those who brought others about.
        for index in 0..choice.alternatives {
            let task = self.cast.here(index);
            // A task that can move has at least half a move left, whatever was expected.
            self.weights[index] = self.left[task].max(PARTS / 2);
        }
        let chosen = match choice.alternatives {
            1 => 0,
            _ => self.dice.weighted(&self.weights),
        };
        let task = self.cast.moved(choice, chosen);
        self.left[task] = self.left[task].saturating_sub(PARTS);
        chosen
    }

    fn meet(&mut self, task: usize, lore: &Lore) {
        let member = &self.cast.members[task];
        let family = lore.family(member.who);
        if let Some(creator) = member.creator {
            self.left[creator] = self.left[creator].saturating_sub(family);
        }
        self.left.push(family);
    }
}

impl Search for Urw {
    type Player = Remaining;
    type Lesson = Tale;

    fn player(&self) -> Remaining {
        Remaining::new(Cast::default())
    }

    fn begin(&self, player: &mut Remaining, _run: u64, dice: Dice) {
        player.begin(dice);
    }

    fn choose(&self, player: &mut Remaining, choice: &Choice<'_>) -> usize {
        player.choose(choice, &self.lore)
    }

    fn end(&self, player: &mut Remaining, done: &Done<'_>) -> Tale {
        Tale::of(&player.cast, done.moves, *done.end == End::Limit)
    }

    fn learn(&mut self, _run: u64, tale: Tale) {
        self.lore.learn(&tale);
    }
}
