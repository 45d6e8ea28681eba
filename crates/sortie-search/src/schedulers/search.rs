//! What a search among runs is to those who carry it out.

use super::Answer;
use sortie_model::{Choice, Dice, End, Verdict};

/// From this run on, rounds have their full length.
const FULL: u64 = 256;

/// Decides runs. What it knows changes only between rounds, so any thread may do any run of a round.
pub(crate) trait Search: Send + Sync {
    /// What is remembered during one run; one per thread.
    type Player: Send;
    /// What a run teaches.
    type Lesson: Send;

    /// A new player.
    fn player(&self) -> Self::Player;

    /// How many runs the round has that begins with run `first`. The first rounds are short, so that what they teach is known early.
    fn round(&self, first: u64) -> u64 {
        first.clamp(1, FULL)
    }

    /// A run begins. All its random choices are drawn from `dice`.
    fn begin(&self, player: &mut Self::Player, start: RunStart, dice: Dice);

    /// Picks one of the alternatives.
    fn choose(&self, player: &mut Self::Player, choice: &Choice<'_>) -> usize;

    /// Hears what the run counts.
    fn count(&self, _player: &mut Self::Player, _name: &str, _amount: i64) {}

    /// A run is over.
    fn end(&self, player: &mut Self::Player, done: &Done<'_>) -> Self::Lesson;

    /// Learns from a run. Runs come in the order of their numbers, when the round is over.
    fn learn(&mut self, run: u64, lesson: Self::Lesson);

    /// All runs of a round were learnt from.
    fn reflect(&mut self) {}

    /// Why no further run makes sense, if none does.
    fn over(&self) -> Option<Verdict> {
        None
    }
}

/// A run that begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunStart {
    /// Its number, from 0.
    pub(crate) run: u64,
    /// The number of moves it will have unless it ends before, where that is planned.
    pub(crate) length: Option<u64>,
}

/// A run that is over.
pub(crate) struct Done<'r> {
    /// How it ended.
    pub(crate) end: &'r End,
    /// The answers given.
    pub(crate) answers: &'r [Answer],
    /// How many moves it had.
    pub(crate) moves: u64,
}
