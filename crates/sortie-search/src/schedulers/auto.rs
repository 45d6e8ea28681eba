//! Several searches taking turns, learning from one another's runs.
//!
//! No search finds everything soonest: orders of operations on one object are best met by a [selectively uniform](super::surw) walk, few
//! preemptions by [priorities](super::pct), many small races by [sampled partial orders](super::pos), and programs that ask seldom by a
//! [uniform](super::urw) or plainly [random](super::random) walk. In turns, what the best of them finds in n runs is found in about n times the length of
//! the turn, divided by its share. What runs teach about tasks and objects is kept in one place for all.

use super::cast::Cast;
use super::lore::{Lore, Tale};
use super::pct::Priorities;
use super::pos::Events;
use super::search::{Done, Search};
use super::surw::Selection;
use super::urw::Remaining;
use sortie_model::{Choice, Dice, End};

/// Who decides a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    Selective,
    /// With this number of changes of priorities.
    Priorities(u64),
    Events,
    Uniform,
    Random,
}

/// Run after run, from the beginning again after the last.
const TURNS: &[Turn] = &[
    Turn::Selective,
    Turn::Uniform,
    Turn::Selective,
    Turn::Priorities(2),
    Turn::Selective,
    Turn::Events,
    Turn::Selective,
    Turn::Uniform,
    Turn::Priorities(1),
    Turn::Random,
];

#[derive(Default)]
pub(crate) struct Auto {
    lore: Lore,
}

pub(crate) struct AutoPlayer {
    turn: Turn,
    selection: Selection,
    priorities: Priorities,
    events: Events,
    remaining: Remaining,
    dice: Dice,
}

impl Search for Auto {
    type Player = AutoPlayer;
    type Lesson = Option<Tale>;

    fn player(&self) -> AutoPlayer {
        AutoPlayer {
            turn: Turn::Random,
            selection: Selection::default(),
            priorities: Priorities::new(Cast::noting_objects()),
            events: Events::new(Cast::noting_objects()),
            remaining: Remaining::new(Cast::noting_objects()),
            dice: Dice::new(0),
        }
    }

    fn begin(&self, player: &mut AutoPlayer, run: u64, dice: Dice) {
        player.turn = TURNS[(run % TURNS.len() as u64) as usize];
        match player.turn {
            Turn::Selective => player.selection.begin(&self.lore, dice),
            Turn::Priorities(changes) => player.priorities.begin(changes, &self.lore, dice),
            Turn::Events => player.events.begin(dice),
            Turn::Uniform => player.remaining.begin(dice),
            Turn::Random => player.dice = dice,
        }
    }

    fn choose(&self, player: &mut AutoPlayer, choice: &Choice<'_>) -> usize {
        match player.turn {
            Turn::Selective => player.selection.choose(choice, &self.lore),
            Turn::Priorities(_) => player.priorities.choose(choice, &self.lore),
            Turn::Events => player.events.choose(choice, &self.lore),
            Turn::Uniform => player.remaining.choose(choice, &self.lore),
            Turn::Random => choice.draw(&mut player.dice),
        }
    }

    fn end(&self, player: &mut AutoPlayer, done: &Done<'_>) -> Option<Tale> {
        let cast = match player.turn {
            Turn::Selective => &player.selection.cast,
            Turn::Priorities(_) => &player.priorities.cast,
            Turn::Events => &player.events.cast,
            Turn::Uniform => &player.remaining.cast,
            Turn::Random => return None,
        };
        Some(Tale::of(cast, done.moves, *done.end == End::Limit))
    }

    fn learn(&mut self, _run: u64, tale: Option<Tale>) {
        if let Some(tale) = tale {
            self.lore.learn(&tale);
        }
    }
}
