//! Partial order sampling (Yuan, Yang and Gu): every pending event has a random priority, the highest is done, and then the priorities of those that
//! race with it are drawn anew.
//!
//! Events that commute keep their order of priority, so that few priorities decide the run, and partial orders are sampled more evenly than by drawing at
//! every step. Which events race is known where the system says what they do; elsewhere only the task that moved draws anew. An event that
//! could not happen for a while draws anew, too: something that raced with it kept it back. A task that asks for others to move first, or moves alone for too long, gets the
//! lowest priority. Cost: a look-up and a question about its operation for each alternative.

use super::cast::Cast;
use super::lore::{Lore, Tale};
use super::record::is_move;
use super::search::{Done, Search};
use sortie_model::{Choice, Dice, End};

#[derive(Default)]
pub(crate) struct Pos {
    lore: Lore,
}

/// The next event of a task.
#[derive(Clone, Copy, Debug)]
struct Event {
    /// Zero until it is drawn.
    priority: u64,
    /// The question at which it was last offered.
    offered: u64,
    patience: u64,
}

/// Priorities of events in one run.
pub(crate) struct Events {
    pub(crate) cast: Cast,
    events: Vec<Event>,
    question: u64,
    lowest: u64,
    dice: Dice,
}

impl Events {
    pub(crate) fn new(cast: Cast) -> Self {
        Events {
            cast,
            events: Vec::new(),
            question: 0,
            lowest: 0,
            dice: Dice::new(0),
        }
    }

    pub(crate) fn begin(&mut self, dice: Dice) {
        self.cast.begin();
        self.events.clear();
        self.question = 0;
        self.lowest = 1 << 63;
        self.dice = dice;
    }

    pub(crate) fn choose(&mut self, choice: &Choice<'_>, lore: &Lore) -> usize {
        if !is_move(choice.kind) {
            return choice.draw(&mut self.dice);
        }
        self.question += 1;
        let events = &self.events;
        let giving_way = self.cast.gives_way(choice, |task| events[task].patience);
        let (mut best, mut chosen, mut ties) = (0, 0, 0);
        for index in 0..choice.alternatives {
            let task = self.cast.number(choice, index);
            if task == self.events.len() {
                self.events.push(Event {
                    priority: 0,
                    offered: self.question,
                    patience: lore.patience(self.cast.members[task].who),
                });
            }
            let event = &mut self.events[task];
            if event.priority == 0 || event.offered + 1 < self.question {
                event.priority = 1 << 63 | self.dice.bits();
            }
            event.offered = self.question;
            if giving_way == Some(task) {
                self.lowest -= 1;
                event.priority = self.lowest;
            }
            if event.priority > best {
                (best, chosen, ties) = (event.priority, index, 1);
            } else if event.priority == best {
                ties += 1;
                if self.dice.below(ties) == 0 {
                    chosen = index;
                }
            }
        }
        let task = self.cast.moved(choice, chosen);
        if choice.alternatives > 1
            && let Some(operation) = choice.names.operation(chosen)
        {
            for index in 0..choice.alternatives {
                let races = |other: &sortie_model::Operation| !other.commutes(&operation);
                if choice.names.operation(index).as_ref().is_some_and(races) {
                    let racing = self.cast.here(index);
                    self.events[racing].priority = 0;
                }
            }
        }
        self.events[task].priority = 0;
        chosen
    }
}

impl Search for Pos {
    type Player = Events;
    type Lesson = Tale;

    fn player(&self) -> Events {
        Events::new(Cast::default())
    }

    fn begin(&self, player: &mut Events, _run: u64, dice: Dice) {
        player.begin(dice);
    }

    fn choose(&self, player: &mut Events, choice: &Choice<'_>) -> usize {
        player.choose(choice, &self.lore)
    }

    fn end(&self, player: &mut Events, done: &Done<'_>) -> Tale {
        Tale::of(&player.cast, done.moves, *done.end == End::Limit)
    }

    fn learn(&mut self, _run: u64, tale: Tale) {
        self.lore.learn(&tale);
    }
}
