//! The tasks of a run, numbered as they appear, and which of them moved alone for too long.

use super::record::is_move;
use sortie_model::{Choice, Fingerprinter};
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// More tasks than this are forgotten between runs: they have other names in every run.
const REMEMBERED: usize = 1 << 14;

/// Number of moves in a row that are never too many.
const FEW: u64 = 64;

/// The task that moves by an alternative, as a hash that is the same in every run; where the system does not tell tasks apart, what happens.
#[inline]
pub(crate) fn task_of(choice: &Choice<'_>, index: usize) -> u64 {
    let key = choice.names.key(index);
    if key.who == 0 { key.what } else { key.who }
}

/// A task in the present run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task {
    /// Its name, the same in every run.
    pub(crate) who: u64,
    /// How often it moved.
    pub(crate) moves: u64,
    /// The task that moved just before it first appeared.
    pub(crate) creator: Option<usize>,
}

/// Numbers the tasks of a run from 0 in order of appearance.
#[derive(Default)]
pub(crate) struct RunTasks {
    numbers: HashMap<u64, (u64, usize), BuildHasherDefault<Fingerprinter>>,
    run: u64,
    pub(crate) all: Vec<Task>,
    /// For each alternative of the last question, the task and its number: most often they are the same again.
    lately: Vec<(u64, usize)>,
    pub(crate) last: Option<usize>,
    /// Number of moves in a row that the last task made while others could have moved.
    pub(crate) alone: u64,
    /// Whether it is noted which task uses which object.
    notes_objects: bool,
    /// By object and task: how often the task used the object, and whether it ever changed it.
    pub(crate) uses: HashMap<(u64, usize), (u64, bool), BuildHasherDefault<Fingerprinter>>,
    /// Whether a move did not say what it does; then no other is asked in this run.
    is_silent: bool,
}

impl RunTasks {
    /// No tasks yet; perhaps it is to be noted which of them uses which object.
    pub(crate) fn new(notes_objects: bool) -> Self {
        RunTasks {
            notes_objects,
            ..RunTasks::default()
        }
    }

    pub(crate) fn begin(&mut self) {
        self.run += 1;
        self.all.clear();
        self.lately.clear();
        self.last = None;
        self.alone = 0;
        self.uses.clear();
        self.is_silent = false;
        if self.numbers.len() > REMEMBERED {
            self.numbers.clear();
        }
    }

    /// The number of the task that moves by an alternative. A new task gets the next number.
    #[inline]
    fn number(&mut self, choice: &Choice<'_>, index: usize) -> usize {
        let who = task_of(choice, index);
        if let Some((known, number)) = self.lately.get(index)
            && *known == who
            && *number < self.all.len()
        {
            return *number;
        }
        let run = self.run;
        let place = self.numbers.entry(who).or_insert((0, 0));
        if place.0 != run {
            *place = (run, self.all.len());
            self.all.push(Task {
                who,
                moves: 0,
                creator: self.last,
            });
        }
        let number = place.1;
        if index >= self.lately.len() {
            self.lately.resize(index + 1, (!0, usize::MAX));
        }
        self.lately[index] = (who, number);
        number
    }

    /// Numbers the tasks of all alternatives. New ones come behind those that are known.
    #[inline]
    pub(crate) fn number_all(&mut self, choice: &Choice<'_>) {
        for index in 0..choice.alternatives {
            self.number(choice, index);
        }
    }

    /// The number of the task that moves by an alternative; [all of them](RunTasks::number_all) have numbers.
    #[inline]
    pub(crate) fn here(&self, index: usize) -> usize {
        self.lately[index].1
    }

    /// A task moves; [all alternatives](RunTasks::number_all) have numbers.
    #[inline]
    pub(crate) fn moved(&mut self, choice: &Choice<'_>, chosen: usize) -> usize {
        debug_assert!(is_move(choice.kind));
        let number = self.here(chosen);
        self.all[number].moves += 1;
        if self.last == Some(number) {
            self.alone += u64::from(choice.alternatives > 1);
        } else {
            self.alone = 0;
            self.last = Some(number);
        }
        if self.notes_objects && !self.is_silent {
            match choice.names.operation(chosen) {
                Some(operation) => {
                    let (times, is_changed) =
                        self.uses.entry((operation.object, number)).or_default();
                    *times += 1;
                    *is_changed |= !operation.looks;
                }
                None => self.is_silent = true,
            }
        }
        number
    }

    /// The task that moved last, if it asks for others to move first or has moved alone for longer than it may.
    #[inline]
    pub(crate) fn gives_way(
        &mut self,
        choice: &Choice<'_>,
        patience: impl Fn(usize) -> u64,
    ) -> Option<usize> {
        let last = self.last?;
        if choice.yielding && choice.current.is_some() {
            return Some(last);
        }
        let is_too_long = self.alone >= FEW && self.alone > patience(last);
        if is_too_long {
            self.alone = 0;
        }
        is_too_long.then_some(last)
    }
}
