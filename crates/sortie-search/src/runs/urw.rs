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
pub(super) struct Urw {
    pub(super) lore: Lore,
}

/// What is left to do for each task of a run.
#[derive(Default)]
pub(super) struct Remaining {
    pub(super) cast: Cast,
    /// By number of the task, moves in parts.
    left: Vec<u64>,
    /// For each alternative of a question.
    weights: Vec<u64>,
}

impl Remaining {
    pub(super) fn begin(&mut self) {
        self.cast.begin();
        self.left.clear();
    }

    /// Makes the acquaintance of all who can move.
    pub(super) fn meet(&mut self, choice: &Choice<'_>, lore: &Lore) {
        for index in 0..choice.alternatives {
            let number = self.cast.number(choice, index);
            if number == self.left.len() {
                let member = &self.cast.members[number];
                let family = lore.family(member.who);
                if let Some(creator) = member.creator {
                    self.left[creator] = self.left[creator].saturating_sub(family);
                }
                self.left.push(family);
            }
        }
    }

    /// An alternative among those that are eligible, by what their tasks have left to do.
    pub(super) fn draw(
        &mut self,
        choice: &Choice<'_>,
        dice: &mut Dice,
        eligible: impl Fn(usize) -> bool,
    ) -> usize {
        self.weights.clear();
        for index in 0..choice.alternatives {
            let weight = if eligible(index) {
                // A task that can move has at least half a move left, whatever was expected.
                self.left[self.cast.number(choice, index)].max(PARTS / 2)
            } else {
                0
            };
            self.weights.push(weight);
        }
        dice.weighted(&self.weights)
    }

    /// An alternative was chosen.
    pub(super) fn moved(&mut self, choice: &Choice<'_>, chosen: usize) {
        let task = self.cast.number(choice, chosen);
        self.cast.moved(choice, task);
        self.left[task] = self.left[task].saturating_sub(PARTS);
    }
}

/// Decides one run.
pub(super) struct UrwPlayer {
    remaining: Remaining,
    dice: Dice,
}

impl Search for Urw {
    type Player = UrwPlayer;
    type Lesson = Tale;

    fn player(&self) -> UrwPlayer {
        UrwPlayer {
            remaining: Remaining::default(),
            dice: Dice::new(0),
        }
    }

    fn begin(&self, player: &mut UrwPlayer, _run: u64, dice: Dice) {
        player.remaining.begin();
        player.dice = dice;
    }

    fn choose(&self, player: &mut UrwPlayer, choice: &Choice<'_>) -> usize {
        if !is_move(choice.kind) {
            return choice.draw(&mut player.dice);
        }
        player.remaining.meet(choice, &self.lore);
        let chosen = match choice.alternatives {
            1 => 0,
            _ => player.remaining.draw(choice, &mut player.dice, |_| true),
        };
        player.remaining.moved(choice, chosen);
        chosen
    }

    fn end(&self, player: &mut UrwPlayer, done: &Done<'_>) -> Tale {
        Tale::of(&player.remaining.cast, done.moves, *done.end == End::Limit)
    }

    fn learn(&mut self, _run: u64, tale: Tale) {
        self.lore.learn(&tale);
    }
}
