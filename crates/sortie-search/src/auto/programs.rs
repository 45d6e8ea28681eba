//! Several schedulers that take turns, on programs, and learn from one another's runs.
//!
//! No search finds everything soonest: orders of operations on one object are best met by a [selectively uniform](crate::schedulers::surw) walk, few
//! preemptions by [priorities](crate::schedulers::pct), many small races by [sampled partial orders](crate::schedulers::pos), and programs that ask seldom by a
//! [uniform](crate::schedulers::urw) or plainly [random](crate::schedulers::random) walk. In turns, what the best of them finds in n runs is found in about n times the length of
//! the turn, divided by its share. What runs teach about tasks and objects is kept in one place for all.

use crate::schedulers::history::History;
use crate::schedulers::scheduler::Question;
use crate::schedulers::search::RunStart;
use crate::schedulers::{Pct, Pos, Random, Scheduler, Surw, Urw};
use sortie_model::Dice;

/// Which scheduler decides a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Turn {
    #[default]
    Random,
    Surw,
    Urw,
    Pos,
    /// With two changes of priorities.
    Pct,
    /// With one.
    PctOnce,
}

/// Run after run, from the beginning again after the last.
const TURNS: &[Turn] = &[
    Turn::Surw,
    Turn::Urw,
    Turn::Surw,
    Turn::Pct,
    Turn::Surw,
    Turn::Pos,
    Turn::Surw,
    Turn::Urw,
    Turn::PctOnce,
    Turn::Random,
];

#[derive(Clone)]
pub(crate) struct Auto {
    turn: Turn,
    surw: Surw,
    urw: Urw,
    pos: Pos,
    pct: Pct,
    pct_once: Pct,
}

impl Default for Auto {
    fn default() -> Self {
        Auto {
            turn: Turn::Random,
            surw: Surw::default(),
            urw: Urw::default(),
            pos: Pos::default(),
            pct: Pct::new(2),
            pct_once: Pct::new(1),
        }
    }
}

/// Calls a method of the scheduler whose turn it is.
macro_rules! in_turn {
    ($auto:ident, $call:ident($($argument:expr),*)) => {
        match $auto.turn {
            Turn::Random => Random.$call($($argument),*),
            Turn::Surw => $auto.surw.$call($($argument),*),
            Turn::Urw => $auto.urw.$call($($argument),*),
            Turn::Pos => $auto.pos.$call($($argument),*),
            Turn::Pct => $auto.pct.$call($($argument),*),
            Turn::PctOnce => $auto.pct_once.$call($($argument),*),
        }
    };
}

impl Scheduler for Auto {
    const NOTES_OBJECTS: bool = true;

    fn begin(&mut self, start: &RunStart, history: &History, dice: &mut Dice) {
        self.turn = TURNS[(start.run % TURNS.len() as u64) as usize];
        in_turn!(self, begin(start, history, dice));
    }

    fn choose(&mut self, question: Question<'_>) -> usize {
        in_turn!(self, choose(question))
    }
}
