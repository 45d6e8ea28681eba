//! Steps of a global state on their way out: each is listed once, with its fingerprint if that is wanted.

use crate::between::{Goal, Prepared};
use crate::memory::Memory;
use crate::offer::Processes;
use crate::ready::Move;
use sortie_model::{Change, Fingerprint, LabelId, MOST_PARTS, PartSet, Steps};

/// More steps than this are looked up in a table.
const FEW: usize = 32;

/// Tells labels apart.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// The shares of words in fingerprints, by component and word: a copy for one thread, which needs no lock.
#[derive(Default)]
pub(crate) struct Prints(Vec<Vec<Fingerprint>>);

impl Prints {
    pub(crate) fn new(components: usize) -> Prints {
        Prints(vec![Vec::new(); components])
    }

    #[inline]
    pub(crate) fn of<P: Processes>(
        &mut self,
        memory: &Memory<P>,
        component: u32,
        word: u32,
    ) -> u128 {
        let known = &mut self.0[component as usize];
        if word as usize >= known.len() {
            learn(known, memory, component as usize);
        }
        known[word as usize].0
    }

    /// The fingerprint of a global state.
    #[inline]
    pub(crate) fn state<P: Processes>(&mut self, memory: &Memory<P>, state: &[u32]) -> Fingerprint {
        let words = state.iter().enumerate();
        Fingerprint(words.fold(0, |sum, (component, word)| {
            sum.wrapping_add(self.of(memory, component as u32, *word))
        }))
    }
}

#[cold]
fn learn<P: Processes>(known: &mut Vec<Fingerprint>, memory: &Memory<P>, component: usize) {
    let locals = &memory.locals[component];
    let words = known.len() as u32..locals.len() as u32;
    known.extend(words.map(|word| locals.print(word)));
}

/// Short hashes of the steps listed so far.
#[derive(Default)]
pub(crate) struct Marks {
    list: Vec<u64>,
    /// Places in the list plus one, when it is long.
    table: Vec<u32>,
}

impl Marks {
    fn clear(&mut self) {
        self.list.clear();
        self.table.clear();
    }

    /// Adds a mark unless `is_same` says that the step at a place with the same mark is the same; gives that place.
    #[inline]
    fn add(&mut self, mark: u64, mut is_same: impl FnMut(usize) -> bool) -> Option<usize> {
        if self.list.len() < FEW {
            for (place, other) in self.list.iter().enumerate() {
                if *other == mark && is_same(place) {
                    return Some(place);
                }
            }
            self.list.push(mark);
            return None;
        }
        if self.table.len() < self.list.len() * 2 {
            self.grow();
        }
        let mut at = self.home(mark);
        while self.table[at] != 0 {
            let place = self.table[at] as usize - 1;
            if self.list[place] == mark && is_same(place) {
                return Some(place);
            }
            at = (at + 1) % self.table.len();
        }
        self.list.push(mark);
        self.table[at] = self.list.len() as u32;
        None
    }

    fn home(&self, mark: u64) -> usize {
        ((u128::from(mark) * self.table.len() as u128) >> 64) as usize
    }

    fn grow(&mut self) {
        self.table.clear();
        self.table.resize(self.list.len() * 4, 0);
        for place in 0..self.list.len() {
            let mut at = self.home(self.list[place]);
            while self.table[at] != 0 {
                at = (at + 1) % self.table.len();
            }
            self.table[at] = place as u32 + 1;
        }
    }
}

/// The steps of one state.
pub(crate) struct Emission<'a> {
    state: &'a [u32],
    steps: &'a mut Steps,
    first: usize,
    marks: &'a mut Marks,
    /// The fingerprint of the state itself, if those of its successors are wanted.
    print: Option<Fingerprint>,
    /// Whether it is to be said who takes part.
    pub(crate) wants_parts: bool,
    /// How many combinations may still be tried.
    left: u64,
}

impl<'a> Emission<'a> {
    /// For the steps of a state with this fingerprint, of which no more than so many combinations may be tried.
    pub(crate) fn new(
        state: &'a [u32],
        print: Fingerprint,
        steps: &'a mut Steps,
        marks: &'a mut Marks,
        combinations: u64,
    ) -> Self {
        marks.clear();
        Emission {
            state,
            first: steps.len(),
            print: steps.wants_fingerprints().then_some(print),
            wants_parts: wants_parts(steps, state),
            steps,
            marks,
            left: combinations,
        }
    }

    /// Whether too many combinations were tried; no more are listed then.
    pub(crate) fn is_spent(&self) -> bool {
        self.left == 0
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.steps.len() == self.first
    }

    /// Lists a step, unless it is listed already.
    #[inline]
    pub(crate) fn emit(&mut self, label: LabelId, moves: &[Move]) {
        let change = moves
            .iter()
            .fold(0u128, |sum, moved| sum.wrapping_add(moved.print));
        let goals = moves.iter().map(|moved| (moved.component, moved.word));
        self.add(label, change, goals.clone(), goals);
    }

    /// Lists a step of which all is known. Who stays where it is can be left out of the goals, but not of those who take part.
    #[inline]
    pub(crate) fn emit_prepared(&mut self, step: &Prepared, goals: &[Goal], taking_part: &[Goal]) {
        let taking_part = taking_part.iter().copied();
        self.add(step.label, step.change, goals.iter().copied(), taking_part);
    }

    /// Lists steps, no two of which are the same, as the only ones of the state.
    #[inline]
    pub(crate) fn emit_unique<'s>(
        &mut self,
        steps: impl ExactSizeIterator<Item = (&'s Prepared, &'s [Goal])>,
    ) {
        self.left = self.left.saturating_sub(steps.len() as u64);
        if self.is_spent() {
            return;
        }
        let print = self.print.map(|print| print.0);
        let changes = steps.map(|(step, goals)| Change {
            label: step.label,
            words: goals,
            fingerprint: print.map(|print| Fingerprint(print.wrapping_add(step.change))),
        });
        self.steps.push_changes(self.state, changes);
    }

    /// Lists a step of which it is known that it is not listed yet, and that no other is the same.
    pub(crate) fn emit_new(&mut self, step: &Prepared, goals: &[Goal], taking_part: &[Goal]) {
        if let Some(left) = self.left.checked_sub(1) {
            self.left = left;
            let (goals, taking_part) = (goals.iter().copied(), taking_part.iter().copied());
            self.push(step.label, step.change, goals, taking_part);
        }
    }

    #[inline]
    fn add(
        &mut self,
        label: LabelId,
        change: u128,
        goals: impl Iterator<Item = Goal> + Clone,
        taking_part: impl Iterator<Item = Goal>,
    ) {
        let Some(left) = self.left.checked_sub(1) else {
            return;
        };
        self.left = left;
        // What a component adds to the fingerprint is as good as random, and nothing if it stays where it is.
        let mark = (change as u64).wrapping_add(u64::from(label.0).wrapping_mul(SPREAD));
        let Emission {
            state,
            steps,
            first,
            marks,
            ..
        } = self;
        let is_same = |place: usize| {
            let index = *first + place;
            steps.label(index) == label && leads_to(steps.target(index), state, goals.clone())
        };
        if let Some(place) = marks.add(mark, is_same) {
            if self.wants_parts {
                steps.extend_parts(*first + place, &parts(taking_part));
            }
            return;
        }
        self.push(label, change, goals, taking_part);
    }

    #[inline(always)]
    fn push(
        &mut self,
        label: LabelId,
        change: u128,
        goals: impl Iterator<Item = Goal>,
        taking_part: impl Iterator<Item = Goal>,
    ) {
        let target = self.steps.push_like(label, self.state);
        for (component, word) in goals {
            target[component as usize] = word;
        }
        if let Some(print) = self.print {
            let sum = print.0.wrapping_add(change);
            self.steps.push_fingerprint(Fingerprint(sum));
        }
        if self.wants_parts {
            self.steps.push_parts(parts(taking_part));
        }
    }
}

/// Whether it is asked who takes part, and can be said.
pub(crate) fn wants_parts(steps: &Steps, state: &[u32]) -> bool {
    steps.wants_parts() && state.len() <= MOST_PARTS
}

#[cold]
fn parts(taking_part: impl Iterator<Item = Goal>) -> PartSet {
    taking_part
        .map(|(component, _)| component as usize)
        .collect()
}

/// Whether the goals lead from `state` to `target`.
#[cold]
fn leads_to(target: &[u32], state: &[u32], goals: impl Iterator<Item = Goal> + Clone) -> bool {
    let goal = |place: usize| goals.clone().find(|goal| goal.0 as usize == place);
    let mut places = target.iter().zip(state).enumerate();
    places.all(|(place, (word, before))| goal(place).map_or(*before, |goal| goal.1) == *word)
}
