//! Partial-order reduction for walks: persistent sets and sleep sets (Godefroid, "Model checking for programming languages using
//! VeriSoft", 1997), without a store of states.
//!
//! Steps of different components can be exchanged, so of all walks that differ in such exchanges alone one is enough. A *persistent set*
//! leaves out transitions that can as well be taken later: it starts from a component that can move and adds every component that may ever
//! take part in what its members are ready for; only the transitions of these components are offered. *Sleep sets* leave out what was
//! offered before in another order: a transition that was passed over sleeps until one is taken that has a component in common with it.
//!
//! A sleeping transition is recognised by a hash of 64 bits of its label and of what it changes.

use crate::components::{Components, MOST_PARTS, PartSet};
use crate::fingerprint::Fingerprinter;
use crate::model::ModelError;
use crate::steps::Steps;

/// The transitions that a reduced walk leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reducing {
    /// Transitions that can as well be taken later.
    Persistent,
    /// Transitions that another walk takes first.
    Sleep,
    /// Both kinds.
    Both,
}

/// The transitions to offer along one walk.
pub(crate) struct Reduction<'a> {
    model: &'a dyn Components,
    reducing: Reducing,
    /// Transitions that other walks take, by their hash, with their participants.
    asleep: Vec<(u64, PartSet)>,
    /// Numbers of the transitions of the current state that are offered.
    offered: Vec<usize>,
    /// Participants by transition of the current state.
    transitions: Vec<PartSet>,
    /// Components that can move in the current state.
    moving: PartSet,
    /// Components whose partners are complete.
    known: PartSet,
    /// Components that may take part in what a component is ready for. The participants of a transition that comes about in several ways
    /// count as partners, even if some of them could do it without the others.
    partners: Vec<PartSet>,
}

impl<'a> Reduction<'a> {
    pub(crate) fn new(model: &'a dyn Components, reducing: Reducing) -> Self {
        Reduction {
            model,
            reducing,
            asleep: Vec::new(),
            offered: Vec::new(),
            transitions: Vec::new(),
            moving: PartSet::default(),
            known: PartSet::default(),
            partners: vec![PartSet::default(); MOST_PARTS],
        }
    }

    /// Forgets the last walk.
    pub(crate) fn begin(&mut self) {
        self.asleep.clear();
    }

    /// Finds the transitions to offer in a state that has some, and returns their numbers: none if other walks take all of them.
    pub(crate) fn offer(&mut self, state: &[u32], steps: &Steps) -> Result<&[usize], ModelError> {
        self.transitions.clear();
        self.moving = PartSet::default();
        self.known = PartSet::default();
        for transition in 0..steps.transitions() {
            let first = steps.transition(transition).steps.start;
            let participants = steps.parts(first);
            let participants = participants.expect("the participants of every step are given");
            self.transitions.push(participants);
            for component in participants.iter() {
                if !self.moving.contains(component) {
                    self.partners[component] = PartSet::default();
                }
                self.partners[component].extend(&participants);
            }
            self.moving.extend(&participants);
        }
        let persistent = match self.reducing {
            Reducing::Sleep => PartSet::first(MOST_PARTS),
            Reducing::Persistent | Reducing::Both => self.persistent(state)?,
        };
        let awake = |number: &usize| {
            let hash = (!self.asleep.is_empty()).then(|| hash(state, steps, *number));
            self.asleep.iter().all(|(other, _)| Some(*other) != hash)
        };
        let persists = |number: &usize| self.transitions[*number].meets(&persistent);
        let all = 0..self.transitions.len();
        self.offered.clear();
        self.offered.extend(all.filter(persists).filter(awake));
        Ok(&self.offered)
    }

    /// Takes the transition offered at `choice` and returns its number. Other walks take those offered before it.
    pub(crate) fn take(&mut self, state: &[u32], steps: &Steps, choice: usize) -> usize {
        let number = self.offered[choice];
        if self.reducing != Reducing::Persistent {
            let taken = self.transitions[number];
            self.asleep
                .retain(|(_, participants)| !participants.meets(&taken));
            for &number in &self.offered[..choice] {
                let participants = self.transitions[number];
                if !participants.meets(&taken) {
                    self.asleep.push((hash(state, steps, number), participants));
                }
            }
        }
        number
    }

    /// A closed set of components with as few transitions as possible, at least one; of several the one started from the least component.
    fn persistent(&mut self, state: &[u32]) -> Result<PartSet, ModelError> {
        let moving = self.moving;
        let mut best = (usize::MAX, moving);
        let mut tried = PartSet::default();
        for start in moving.iter() {
            let closed = self.closed(state, start, &tried)?;
            tried.insert(start);
            let Some(closed) = closed else {
                continue;
            };
            let transitions = self.transitions.iter();
            let count = transitions.filter(|other| other.meets(&closed)).count();
            if count < best.0 {
                best = (count, closed);
            }
            if count == 1 {
                break;
            }
        }
        Ok(best.1)
    }

    /// The least set with a component in which no member may take part in a step with a component outside. None if it contains a component
    /// that was tried before: the set found then is a subset of this one.
    fn closed(
        &mut self,
        state: &[u32],
        start: usize,
        tried: &PartSet,
    ) -> Result<Option<PartSet>, ModelError> {
        let mut closed = PartSet::one(start);
        let mut done = PartSet::default();
        while let Some(component) = closed.first_outside(&done) {
            done.insert(component);
            if !self.known.contains(component) {
                self.known.insert(component);
                if !self.moving.contains(component) {
                    self.partners[component] = PartSet::default();
                }
                let partners = self.model.partners(state, component)?;
                self.partners[component].extend(&partners);
            }
            closed.extend(&self.partners[component]);
            if closed.meets(tried) {
                return Ok(None);
            }
        }
        Ok(Some(closed))
    }
}

/// A hash of a transition that stays the same after others that have no component in common with it: of its label and of what it changes,
/// summed over all outcomes of a random one.
fn hash(state: &[u32], steps: &Steps, number: usize) -> u64 {
    let transition = steps.transition(number);
    let mut sum = 0u64;
    for (outcome, step) in transition.steps.enumerate() {
        let mut print = Fingerprinter::new();
        print.mix(u64::from(steps.label(step).0));
        print.mix(transition.weights.get(outcome).copied().unwrap_or(0));
        let words = state.iter().zip(steps.target(step)).enumerate();
        for (place, (before, after)) in words.filter(|(_, (before, after))| before != after) {
            print.mix((place as u64) << 32 | u64::from(before ^ after));
        }
        sum = sum.wrapping_add(print.fingerprint().low());
    }
    sum
}
