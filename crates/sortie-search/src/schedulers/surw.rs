//! Selectively uniform random walk (Zhao and others, "Selectively Uniform Concurrency Testing"): each run picks operations that interest it and makes
//! every order of those equally likely, whatever happens between them.
//!
//! By default a run is interested in the uses of one random object that several tasks use and one changes, as earlier runs showed. Before each interesting
//! operation a task is drawn to do it, as often as its share of those still to come; other tasks that stand before an interesting operation are held
//! back until it is done. Of the rest any moves at each step, or they move by a random order, as is drawn for each run. Differences: numbers of uses are means over earlier runs; the paper
//! takes them from one. Where the system does not say what moves do, a run is interested in all moves of two random tasks. A task that is intended but never
//! comes, because it waits for one that is held back, loses its turn after a while. Cost: two look-ups for each alternative.

use super::history::{History, PARTS};
use super::scheduler::{Question, Scheduler};
use super::search::RunStart;
use super::tasks::RunTasks;
use sortie_model::{Choice, Dice};
use std::collections::HashMap;

/// The paces of a run that is interested in an object, and of one that is interested in two tasks; each is as likely as any other.
const OBJECT_PACES: &[Pace] = &[Pace::Any, Pace::IntendedFirst, Pace::Ranked];
const PAIR_PACES: &[Pace] = &[Pace::Ranked, Pace::IntendedFirst];

/// What a run is interested in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Interest {
    /// Nothing is known yet.
    #[default]
    Nothing,
    /// Uses of an object.
    Object(u64),
    /// Moves of these tasks.
    Pair(u64, u64),
}

/// How tasks move that are not held back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Pace {
    /// Any of them, at each move.
    #[default]
    Any,
    /// By a random order.
    Ranked,
    /// By a random order, but first the one that is to do the next interesting operation.
    IntendedFirst,
}

/// One run.
#[derive(Clone, Default)]
pub(crate) struct Surw {
    interest: Interest,
    /// By name of the task: interesting operations expected of it and of the tasks it creates.
    expected: Expected,
    /// By number of the task: what is left of them.
    left: Vec<u64>,
    /// By number of the task: how long it may move alone.
    patience: Vec<u64>,
    /// The task that is to do the next interesting operation.
    intended: Option<usize>,
    /// Moves since the last interesting one.
    waited: u64,
    pace: Pace,
    /// By number of the task: its rank, where there are ranks.
    ranks: Vec<u64>,
    lowest: u64,
    /// For each alternative, whether it may be taken.
    weights: Vec<u64>,
}

type Expected = HashMap<u64, u64, std::hash::BuildHasherDefault<sortie_model::Fingerprinter>>;

impl Surw {
    fn interests(&self, choice: &Choice<'_>, index: usize, who: u64) -> bool {
        match self.interest {
            Interest::Nothing => false,
            Interest::Object(object) => {
                let operation = choice.names.operation(index);
                operation.is_some_and(|operation| operation.object == object)
            }
            Interest::Pair(first, second) => who == first || who == second,
        }
    }

    /// Notes the tasks that can move and did not appear before.
    fn meet(&mut self, question: &mut Question<'_>) {
        question.tasks.number_all(question.choice);
        let dice = &mut *question.dice;
        for task in &question.tasks.all[self.left.len()..] {
            let family = self.expected.get(&task.who).copied().unwrap_or(0);
            if let Some(creator) = task.creator {
                let rest = self.left[creator].saturating_sub(family);
                self.left[creator] = rest;
                // The task that was intended stood for those it would create.
                let all = rest + family;
                if self.intended == Some(creator) && all > 0 && dice.chance(family, all) {
                    self.intended = Some(self.left.len());
                }
            }
            self.left.push(family);
            self.patience.push(question.history.patience(task.who));
            self.ranks.push(1 << 63 | dice.bits() >> 1);
        }
    }

    /// All tasks that can move are held back: one of them has to go.
    fn intend_here(&mut self, tasks: &RunTasks, alternatives: usize, dice: &mut Dice) {
        for index in 0..alternatives {
            self.weights[index] = self.left[tasks.here(index)].max(PARTS / 2);
        }
        let task = tasks.here(dice.weighted(&self.weights));
        self.intended = Some(task);
        for index in 0..alternatives {
            self.weights[index] = u64::from(tasks.here(index) == task);
        }
    }
}

impl Scheduler for Surw {
    const NOTES_OBJECTS: bool = true;

    fn begin(&mut self, _start: &RunStart, history: &History, dice: &mut Dice) {
        // Lists keep their memory.
        self.left.clear();
        self.patience.clear();
        self.ranks.clear();
        self.intended = None;
        self.waited = 0;
        self.interest = Interest::Nothing;
        self.pace = Pace::Any;
        self.lowest = 1 << 63;
        if let Some(object) = history.contested(dice) {
            self.interest = Interest::Object(object);
            self.expected = history.uses(object);
            self.pace = OBJECT_PACES[dice.index(OBJECT_PACES.len())];
        } else {
            let tasks = history.tasks();
            if tasks.len() > 1 {
                let first = dice.index(tasks.len());
                let second = (first + 1 + dice.index(tasks.len() - 1)) % tasks.len();
                let (first, second) = (tasks[first], tasks[second]);
                self.interest = Interest::Pair(first, second);
                self.expected = history.moves_of(&[first, second]);
                self.pace = PAIR_PACES[dice.index(PAIR_PACES.len())];
            }
        }
    }

    fn choose(&mut self, mut question: Question<'_>) -> usize {
        self.meet(&mut question);
        let (choice, tasks, dice) = (question.choice, question.tasks, question.dice);
        let giving_way = tasks.gives_way(choice, |task| self.patience[task]);
        let is_late = giving_way == self.intended || self.waited > question.history.idling();
        if self.intended.is_some() && is_late {
            self.intended = None;
            self.waited = 0;
        }
        let is_interested = self.interest != Interest::Nothing;
        if self.intended.is_none() && is_interested && self.left.iter().any(|left| *left > 0) {
            // The task is drawn among all there are, whether they can move or not.
            self.intended = Some(dice.weighted(&self.left));
        }
        if let Some(task) = giving_way {
            self.lowest -= 1;
            self.ranks[task] = self.lowest;
        }
        let mut best = 0;
        self.weights.clear();
        for index in 0..choice.alternatives {
            let task = tasks.here(index);
            let is_intended = self.intended == Some(task);
            let is_free = is_intended || !self.interests(choice, index, tasks.all[task].who);
            let rank = match self.pace {
                _ if !is_free || giving_way == Some(task) => 0,
                Pace::Any => 1,
                Pace::IntendedFirst if is_intended => u64::MAX,
                Pace::Ranked | Pace::IntendedFirst => self.ranks[task],
            };
            best = best.max(rank);
            self.weights.push(rank);
        }
        if best > 0 {
            let weights = self.weights.iter_mut();
            weights.for_each(|weight| *weight = u64::from(*weight == best));
        } else {
            self.intend_here(tasks, choice.alternatives, dice);
        }
        let chosen = dice.weighted(&self.weights);
        let task = tasks.moved(choice, chosen);
        self.waited += 1;
        if self.interests(choice, chosen, tasks.all[task].who) {
            self.left[task] = self.left[task].saturating_sub(PARTS);
            self.intended = None;
            self.waited = 0;
        }
        chosen
    }
}
