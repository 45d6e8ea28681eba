//! Dynamic partial-order reduction (Flanagan and Godefroid), with sleep sets (Godefroid): of all runs that differ only in the order of moves that commute, at least one.
//!
//! Depth-first, but at a question about tasks only one alternative is taken at first. When a task is about to do something that races with an
//! earlier move, the task is also to be tried before that move; if it could not move there, all others are. A sleep set holds moves that were taken before at a
//! question and commute with everything since: taking them now would repeat a run. Differences from the paper: it is not known which operations can be
//! possible at the same time, so where a task could not move, earlier races are followed, too; who brings a task about happens before it; a move whose operation nobody knows
//! conflicts with all others. So without any knowledge this is plain depth-first search.

use super::clocks::{Clocks, Event, conflict};
use super::record::is_move;
use super::tasks::task_of;
use sortie_model::{Choice, End, Fingerprinter, Operation};
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// A move that can be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Move {
    task: usize,
    what: u64,
    operation: Option<Operation>,
}

/// A question on the present run.
#[derive(Debug)]
struct Question {
    moves: Vec<Move>,
    /// For each alternative, whether it is to be taken, and whether it was.
    wanted: Vec<bool>,
    taken: Vec<bool>,
    chosen: usize,
    /// Moves that need not be made here.
    asleep: Vec<Move>,
    /// How many moves the run had before.
    event: Option<usize>,
}

impl Question {
    fn want(&mut self, task: usize) -> bool {
        let mut any = false;
        for (wanted, candidate) in self.wanted.iter_mut().zip(&self.moves) {
            *wanted |= candidate.task == task;
            any |= candidate.task == task;
        }
        any
    }

    fn next(&self) -> Option<usize> {
        let open =
            |index: &usize| self.wanted[*index] && !self.taken[*index] && !self.sleeps(*index);
        (0..self.wanted.len()).find(open)
    }

    fn sleeps(&self, index: usize) -> bool {
        let candidate = self.moves.get(index);
        candidate.is_some_and(|candidate| self.asleep.contains(candidate))
    }
}

/// The alternative that is looked at first, which is also the answer where none matters any more: the run should come to an end.
fn usual(choice: &Choice<'_>) -> usize {
    let next = |current| current + usize::from(choice.yielding);
    choice.current.map_or(0, next) % choice.alternatives
}

/// Where a search stands.
#[derive(Debug, Default)]
pub(crate) struct Dpor {
    path: Vec<Question>,
    asked: usize,
    clocks: Clocks,
    /// Which question each move answered.
    questions: Vec<usize>,
    numbers: HashMap<u64, usize, BuildHasherDefault<Fingerprinter>>,
    /// By number of the task: what it is about to do, if it is there and that was told, and how many moves the run had when it last was.
    pending: Vec<Option<(Option<Operation>, usize)>>,
    /// Whether the rest of the run repeats another one.
    pub(crate) is_redundant: bool,
    /// Whether tasks that cannot move are told of.
    tells_waiting: bool,
    /// Whether the same answers led to other questions.
    pub(crate) is_lost: bool,
}

impl Dpor {
    /// A run begins.
    pub(crate) fn begin(&mut self) {
        self.asked = 0;
        self.clocks.begin();
        self.questions.clear();
        self.pending.iter_mut().for_each(|pending| *pending = None);
        self.is_redundant = false;
    }

    pub(crate) fn choose(&mut self, choice: &Choice<'_>) -> usize {
        if self.is_redundant || self.is_lost {
            return usual(choice);
        }
        if is_move(choice.kind) {
            self.choose_move(choice)
        } else {
            self.toss(choice)
        }
    }

    fn toss(&mut self, choice: &Choice<'_>) -> usize {
        let of = choice.alternatives;
        if self.asked == self.path.len() {
            self.path.push(Question {
                moves: Vec::new(),
                wanted: vec![true; of],
                taken: vec![false; of],
                chosen: 0,
                asleep: self.asleep(),
                event: None,
            });
        }
        let question = &self.path[self.asked];
        self.is_lost |= question.wanted.len() != of || question.event.is_some();
        self.asked += 1;
        question.chosen.min(of - 1)
    }

    /// The moves that sleep after the last answer.
    fn asleep(&self) -> Vec<Move> {
        let Some(last) = self.asked.checked_sub(1).map(|last| &self.path[last]) else {
            return Vec::new();
        };
        let Some(made) = last.moves.get(last.chosen) else {
            return last.asleep.clone();
        };
        let taken = last.moves.iter().zip(&last.taken);
        let taken = taken.filter_map(|(candidate, taken)| taken.then_some(candidate));
        let sleepers = last.asleep.iter().chain(taken);
        let stays = |sleeper: &&Move| {
            sleeper.task != made.task && !conflict(sleeper.operation, made.operation)
        };
        sleepers.filter(stays).copied().collect()
    }

    fn choose_move(&mut self, choice: &Choice<'_>) -> usize {
        let moves: Vec<Move> = (0..choice.alternatives)
            .map(|index| Move {
                task: self.number(task_of(choice, index)),
                what: choice.names.key(index).what,
                operation: choice.names.operation(index),
            })
            .collect();
        for candidate in &moves {
            self.meet(candidate.task, candidate.operation);
        }
        let mut index = 0;
        while let Some((who, operation)) = choice.names.waiting(index) {
            self.tells_waiting = true;
            let task = self.number(who);
            self.meet(task, Some(operation));
            index += 1;
        }
        if self.asked == self.path.len() {
            self.open(choice, &moves);
            if self.is_redundant {
                return usual(choice);
            }
        }
        let question = &self.path[self.asked];
        if question.moves != moves {
            self.is_lost = true;
            return 0;
        }
        let chosen = question.chosen;
        self.questions.push(self.asked);
        self.asked += 1;
        let (task, operation) = (moves[chosen].task, moves[chosen].operation);
        self.clocks.happen(Event { task, operation });
        self.pending[task] = None;
        chosen
    }

    fn open(&mut self, choice: &Choice<'_>, moves: &[Move]) {
        let mut question = Question {
            wanted: vec![false; moves.len()],
            taken: vec![false; moves.len()],
            asleep: self.asleep(),
            moves: moves.to_vec(),
            chosen: 0,
            event: Some(self.clocks.events.len()),
        };
        let awake = |index: &usize| !question.sleeps(*index);
        let mut turns = (0..moves.len()).map(|turn| (usual(choice) + turn) % moves.len());
        match turns.find(awake) {
            Some(first) => {
                // All ways in which one task can move belong together.
                question.want(moves[first].task);
                question.chosen = first;
                self.path.push(question);
            }
            None => self.is_redundant = true,
        }
    }

    fn number(&mut self, who: u64) -> usize {
        let next = self.numbers.len();
        let number = *self.numbers.entry(who).or_insert(next);
        if self.pending.len() <= number {
            self.pending.resize(number + 1, None);
        }
        number
    }

    /// A task is about to do something: whatever races with it is to be tried the other way round.
    fn meet(&mut self, task: usize, operation: Option<Operation>) {
        let moves = self.clocks.events.len();
        let before = self.pending[task].replace((operation, moves));
        if let Some(last) = moves.checked_sub(1)
            && before == Some((operation, last))
        {
            // Earlier events were looked at before.
            if self.clocks.races(last, task, operation) {
                self.reverse(&[last], task);
            }
            return;
        }
        if !self.clocks.knows(task) {
            self.clocks.appear(task);
        }
        let racing = self.clocks.racing(task, operation);
        self.reverse(&racing, task);
    }

    /// Wants a task to move before events, the latest first, until it could have.
    fn reverse(&mut self, racing: &[usize], task: usize) {
        for event in racing {
            let question = &mut self.path[self.questions[*event]];
            if question.want(task) {
                return;
            }
            question.wanted.iter_mut().for_each(|wanted| *wanted = true);
        }
    }

    /// The last move ended the run: whoever could still do something might have done it before.
    fn close(&mut self, end: &End) {
        let Some(last) = self.clocks.events.len().checked_sub(1) else {
            return;
        };
        let mover = self.clocks.events[last].task;
        for task in 0..self.pending.len() {
            if self.pending[task].is_some() {
                if self.clocks.races(last, task, None) {
                    self.reverse(&[last], task);
                }
            } else if matches!(end, End::Failed(_))
                && self.clocks.knows(task)
                && (task == mover || !self.tells_waiting)
            {
                // A deadlock may keep it from something that nobody told of.
                let racing = self.clocks.racing(task, None);
                self.reverse(&racing, task);
            }
        }
    }

    /// Prepares the next run; whether there is one.
    pub(crate) fn next(&mut self, end: &End) -> bool {
        if !self.is_redundant {
            self.close(end);
        }
        self.path.truncate(self.asked);
        while let Some(question) = self.path.last_mut() {
            question.taken[question.chosen] = true;
            if let Some(next) = question.next() {
                question.chosen = next;
                return true;
            }
            self.path.pop();
        }
        false
    }
}
