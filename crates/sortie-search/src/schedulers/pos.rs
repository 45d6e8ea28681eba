//! Partial order sampling (Yuan, Yang and Gu): every pending event has a random priority, the highest is done, and then the priorities of those that
//! race with it are drawn anew.
//!
//! Events that commute keep their order of priority, so that few priorities decide the run, and partial orders are sampled more evenly than by drawing at
//! every step. Which events race is known where the system says what they do; elsewhere only the task that moved draws anew. An event that
//! could not happen for a while draws anew, too: something that raced with it kept it back. A task that asks for others to move first, or moves alone for too long, gets the
//! lowest priority. Cost: a look-up and a question about its operation for each alternative.

use super::history::History;
use super::scheduler::{Best, Question, Scheduler};
use super::search::RunStart;
use sortie_model::{Dice, Operation};

/// The next event of a task.
#[derive(Clone, Copy, Debug)]
struct Event {
    /// Zero until it is drawn.
    priority: u64,
    /// The question at which it was last offered.
    offered: u64,
    /// How long the task may move alone.
    patience: u64,
}

/// Priorities of events in one run.
#[derive(Clone, Default)]
pub(crate) struct Pos {
    /// By number of the task.
    events: Vec<Event>,
    question: u64,
    /// Below all priorities there are.
    lowest: u64,
}

impl Scheduler for Pos {
    fn begin(&mut self, _start: &RunStart, _history: &History, _dice: &mut Dice) {
        self.events.clear();
        self.question = 0;
        self.lowest = 1 << 63;
    }

    fn choose(&mut self, question: Question<'_>) -> usize {
        let (choice, tasks, dice) = (question.choice, question.tasks, question.dice);
        self.question += 1;
        let giving_way = tasks.gives_way(choice, |task| self.events[task].patience);
        tasks.number_all(choice);
        for task in &tasks.all[self.events.len()..] {
            self.events.push(Event {
                priority: 0,
                offered: self.question,
                patience: question.history.patience(task.who),
            });
        }
        let mut best = Best::default();
        for index in 0..choice.alternatives {
            let task = tasks.here(index);
            let event = &mut self.events[task];
            if event.priority == 0 || event.offered + 1 < self.question {
                event.priority = 1 << 63 | dice.bits();
            }
            event.offered = self.question;
            if giving_way == Some(task) {
                self.lowest -= 1;
                event.priority = self.lowest;
            }
            best.offer(index, event.priority, dice);
        }
        let chosen = best.index;
        let task = tasks.moved(choice, chosen);
        if choice.alternatives > 1
            && let Some(operation) = choice.names.operation(chosen)
        {
            for index in 0..choice.alternatives {
                let races = |other: &Operation| !other.commutes(&operation);
                if choice.names.operation(index).as_ref().is_some_and(races) {
                    self.events[tasks.here(index)].priority = 0;
                }
            }
        }
        self.events[task].priority = 0;
        chosen
    }
}
