//! Selectively uniform random walk (Zhao and others, "Selectively Uniform Concurrency Testing"): each run picks operations that interest it and makes
//! every order of those equally likely, whatever happens between them.
//!
//! By default a run is interested in the uses of one random object that several tasks use and one changes, as earlier runs showed. Before each interesting
//! operation a task is drawn to do it, as often as its share of those still to come; other tasks that stand before an interesting operation are held
//! back until it is done. Of the rest any moves at each step, or they move by a random order, as is drawn for each run. Differences: numbers of uses are means over earlier runs; the paper
//! takes them from one. Where the system does not say what moves do, a run is interested in all moves of two random tasks. A task that is intended but never
//! comes, because it waits for one that is held back, loses its turn after a while. Cost: two look-ups for each alternative.

use super::cast::Cast;
use super::lore::{Lore, PARTS, Tale};
use super::record::is_move;
use super::search::{Done, Search};
use sortie_model::{Choice, Dice, End};
use std::collections::HashMap;

/// Interest in an object, with these, and in two tasks, with those, each as likely as any other.
const OBJECT_PACES: &[Pace] = &[Pace::Any, Pace::IntendedFirst, Pace::Ranked];
const PAIR_PACES: &[Pace] = &[Pace::Ranked, Pace::IntendedFirst];

#[derive(Default)]
pub(crate) struct Surw {
    lore: Lore,
}

/// What a run is interested in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Interest {
    /// Nothing is known yet.
    Nothing,
    /// Uses of an object.
    Object(u64),
    /// Moves of these tasks.
    Pair(u64, u64),
}

/// How those move that are not held back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pace {
    /// Any of them, at each move.
    Any,
    /// By a random order.
    Ranked,
    /// By a random order, but first the one that is to do the next interesting operation.
    IntendedFirst,
}

/// One run.
pub(crate) struct Selection {
    pub(crate) cast: Cast,
    interest: Interest,
    /// By name of the task: interesting operations expected of it and of those it brings about.
    expected: Expected,
    /// By number of the task: what is left of them.
    left: Vec<u64>,
    /// How long each may move alone.
    patience: Vec<u64>,
    intended: Option<usize>,
    /// Moves since the last interesting one.
    waited: u64,
    /// How those move that are not held back.
    pace: Pace,
    /// By number of the task: its rank, where there are ranks.
    ranks: Vec<u64>,
    lowest: u64,
    /// For each alternative, whether it may be taken.
    weights: Vec<u64>,
    dice: Dice,
}

type Expected = HashMap<u64, u64, std::hash::BuildHasherDefault<sortie_model::Fingerprinter>>;

impl Default for Selection {
    fn default() -> Self {
        Selection {
            cast: Cast::noting_objects(),
            interest: Interest::Nothing,
            expected: Expected::default(),
            left: Vec::new(),
            patience: Vec::new(),
            intended: None,
            waited: 0,
            pace: Pace::Any,
            ranks: Vec::new(),
            lowest: 0,
            weights: Vec::new(),
            dice: Dice::new(0),
        }
    }
}

impl Selection {
    pub(crate) fn begin(&mut self, lore: &Lore, mut dice: Dice) {
        self.cast.begin();
        self.left.clear();
        self.patience.clear();
        self.intended = None;
        self.waited = 0;
        self.interest = Interest::Nothing;
        self.pace = Pace::Any;
        self.ranks.clear();
        self.lowest = 1 << 63;
        if let Some(object) = lore.contested(&mut dice) {
            self.interest = Interest::Object(object);
            self.expected = lore.uses(object);
            self.pace = OBJECT_PACES[dice.index(OBJECT_PACES.len())];
        } else {
            let tasks = lore.tasks();
            if tasks.len() > 1 {
                let first = dice.index(tasks.len());
                let second = (first + 1 + dice.index(tasks.len() - 1)) % tasks.len();
                let (first, second) = (tasks[first], tasks[second]);
                self.interest = Interest::Pair(first, second);
                self.expected = lore.moves_of(&[first, second]);
                self.pace = PAIR_PACES[dice.index(PAIR_PACES.len())];
            }
        }
        self.dice = dice;
    }

    fn interests(&self, choice: &Choice<'_>, index: usize, task: usize) -> bool {
        match self.interest {
            Interest::Nothing => false,
            Interest::Object(object) => choice
                .names
                .operation(index)
                .is_some_and(|operation| operation.object == object),
            Interest::Pair(first, second) => {
                let who = self.cast.members[task].who;
                who == first || who == second
            }
        }
    }

    pub(crate) fn choose(&mut self, choice: &Choice<'_>, lore: &Lore) -> usize {
        if !is_move(choice.kind) {
            return choice.draw(&mut self.dice);
        }
        self.meet(choice, lore);
        let patience = &self.patience;
        let giving_way = self.cast.gives_way(choice, |task| patience[task]);
        if self.intended.is_some() && (giving_way == self.intended || self.waited > lore.idling()) {
            self.intended = None;
            self.waited = 0;
        }
        if self.intended.is_none() && self.interest != Interest::Nothing {
            self.intend_any();
        }
        if let Some(task) = giving_way {
            self.lowest -= 1;
            self.ranks[task] = self.lowest;
        }
        let mut free = 0;
        let mut best = 0;
        self.weights.clear();
        for index in 0..choice.alternatives {
            let task = self.cast.here(index);
            let is_intended = self.intended == Some(task);
            let is_free = is_intended || !self.interests(choice, index, task);
            let rank = match self.pace {
                _ if !is_free || giving_way == Some(task) => 0,
                Pace::Any => 1,
                Pace::IntendedFirst if is_intended => u64::MAX,
                Pace::Ranked | Pace::IntendedFirst => self.ranks[task],
            };
            free += u64::from(rank > 0);
            best = best.max(rank);
            self.weights.push(rank);
        }
        for weight in &mut self.weights {
            *weight = u64::from(*weight == best);
        }
        if free == 0 {
            self.intend_here(choice);
        }
        let chosen = self.dice.weighted(&self.weights);
        self.moved(choice, chosen);
        chosen
    }

    /// Makes the acquaintance of all who can move.
    fn meet(&mut self, choice: &Choice<'_>, lore: &Lore) {
        for index in 0..choice.alternatives {
            let task = self.cast.number(choice, index);
            if task < self.left.len() {
                continue;
            }
            let member = self.cast.members[task];
            let family = self.expected.get(&member.who).copied().unwrap_or(0);
            if let Some(creator) = member.creator {
                let rest = self.left[creator].saturating_sub(family);
                self.left[creator] = rest;
                // Who was intended stood for those it would bring about.
                if self.intended == Some(creator)
                    && rest + family > 0
                    && self.dice.chance(family, rest + family)
                {
                    self.intended = Some(task);
                }
            }
            self.left.push(family);
            self.patience.push(lore.patience(member.who));
            self.ranks.push(1 << 63 | self.dice.bits() >> 1);
        }
    }

    /// Draws who is to do the next interesting operation, among all there are.
    fn intend_any(&mut self) {
        let sum: u64 = self.left.iter().sum();
        if sum > 0 {
            self.intended = Some(self.dice.weighted(&self.left));
        }
    }

    /// Everybody who can move is held back: one of them has to go.
    fn intend_here(&mut self, choice: &Choice<'_>) {
        for index in 0..choice.alternatives {
            let task = self.cast.here(index);
            self.weights[index] = self.left[task].max(PARTS / 2);
        }
        let chosen = self.dice.weighted(&self.weights);
        let task = self.cast.here(chosen);
        self.intended = Some(task);
        for index in 0..choice.alternatives {
            let is_it = self.cast.here(index) == task;
            self.weights[index] = u64::from(is_it);
        }
    }

    fn moved(&mut self, choice: &Choice<'_>, chosen: usize) {
        let task = self.cast.moved(choice, chosen);
        self.waited += 1;
        if self.interests(choice, chosen, task) {
            self.left[task] = self.left[task].saturating_sub(PARTS);
            self.intended = None;
            self.waited = 0;
        }
    }
}

impl Search for Surw {
    type Player = Selection;
    type Lesson = Tale;

    fn player(&self) -> Selection {
        Selection::default()
    }

    fn begin(&self, player: &mut Selection, _run: u64, dice: Dice) {
        player.begin(&self.lore, dice);
    }

    fn choose(&self, player: &mut Selection, choice: &Choice<'_>) -> usize {
        player.choose(choice, &self.lore)
    }

    fn end(&self, player: &mut Selection, done: &Done<'_>) -> Tale {
        Tale::of(&player.cast, done.moves, *done.end == End::Limit)
    }

    fn learn(&mut self, _run: u64, tale: Tale) {
        self.lore.learn(&tale);
    }
}
