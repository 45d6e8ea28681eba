//! Partial-order reduction for walks: persistent sets and sleep sets (Godefroid, "Model checking for programming languages using
//! VeriSoft", 1997), without a store of states.
//!
//! Steps of different parts can be exchanged, so of all walks that differ in such exchanges alone one is enough. A *persistent set* leaves
//! out transitions that can as well be taken later: it starts from a part that can move and takes in everybody who may ever have to do
//! with what its members are ready for; only the transitions of these parts are offered. *Sleep sets* leave out what was offered before in
//! another order: a transition that was passed over sleeps until one is taken that has a part in common with it.
//!
//! A sleeping transition is recognised by a hash of 64 bits of its label and of what it changes.

use crate::components::{Components, MOST_PARTS, PartSet};
use crate::fingerprint::Fingerprinter;
use crate::model::ModelError;
use crate::steps::Steps;

/// What is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reducing {
    /// What can as well be taken later.
    Persistent,
    /// What another walk takes first.
    Sleep,
    /// Either.
    Both,
}

/// The transitions to offer along one walk.
pub(crate) struct Reduction<'a> {
    model: &'a dyn Components,
    reducing: Reducing,
    asleep: Vec<Sleeper>,
    /// Numbers of transitions in the current state.
    offered: Vec<usize>,
    /// By transition of the current state.
    transitions: Vec<PartSet>,
    company: Company,
}

/// A transition that another walk takes.
struct Sleeper {
    mark: u64,
    parts: PartSet,
}

/// With whom parts have to do in the current state.
struct Company {
    /// Those that can move.
    moving: PartSet,
    /// Those of which all partners are known.
    known: PartSet,
    /// By part. A transition that comes about in several ways makes partners of those who could do it without one another.
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
            company: Company {
                moving: PartSet::default(),
                known: PartSet::default(),
                partners: vec![PartSet::default(); MOST_PARTS],
            },
        }
    }

    /// A walk begins.
    pub(crate) fn begin(&mut self) {
        self.asleep.clear();
    }

    /// The numbers of the transitions that were found worth offering.
    pub(crate) fn offered(&self) -> &[usize] {
        &self.offered
    }

    /// Finds the transitions to offer in a state that has some: none if other walks take all of them.
    pub(crate) fn look(&mut self, state: &[u32], steps: &Steps) -> Result<(), ModelError> {
        self.transitions.clear();
        self.company.begin();
        for transition in 0..steps.transitions() {
            let first = steps.transition(transition).steps.start;
            let parts = steps.parts(first);
            let parts = parts.expect("a model that shows its parts says who takes part");
            self.transitions.push(parts);
            self.company.add(&parts);
        }
        let persistent = match self.reducing {
            Reducing::Sleep => PartSet::first(MOST_PARTS),
            Reducing::Persistent | Reducing::Both => self.persistent(state)?,
        };
        self.offered.clear();
        for (number, parts) in self.transitions.iter().enumerate() {
            if parts.meets(&persistent) && !self.sleeps(state, steps, number) {
                self.offered.push(number);
            }
        }
        Ok(())
    }

    /// Takes the transition offered at `choice`. Those before it are taken by other walks.
    pub(crate) fn take(&mut self, state: &[u32], steps: &Steps, choice: usize) {
        if self.reducing == Reducing::Persistent {
            return;
        }
        let taken = self.transitions[self.offered[choice]];
        self.asleep.retain(|sleeper| !sleeper.parts.meets(&taken));
        for &number in &self.offered[..choice] {
            let parts = self.transitions[number];
            if !parts.meets(&taken) {
                let mark = mark(state, steps, number);
                self.asleep.push(Sleeper { mark, parts });
            }
        }
    }

    fn sleeps(&self, state: &[u32], steps: &Steps, number: usize) -> bool {
        !self.asleep.is_empty() && {
            let mark = mark(state, steps, number);
            self.asleep.iter().any(|sleeper| sleeper.mark == mark)
        }
    }

    /// A closed set of parts with as few transitions as possible, at least one; of several the one that was started from the least part.
    fn persistent(&mut self, state: &[u32]) -> Result<PartSet, ModelError> {
        let moving = self.company.moving;
        let mut best = (usize::MAX, moving);
        let mut tried = PartSet::default();
        for start in moving.iter() {
            let closed = self.company.closed(self.model, state, start, &tried)?;
            tried.insert(start);
            let Some(closed) = closed else {
                continue;
            };
            let transitions = self.transitions.iter();
            let count = transitions.filter(|parts| parts.meets(&closed)).count();
            if count < best.0 {
                best = (count, closed);
            }
            if count == 1 {
                break;
            }
        }
        Ok(best.1)
    }
}

impl Company {
    fn begin(&mut self) {
        self.moving = PartSet::default();
        self.known = PartSet::default();
    }

    /// Notes who takes part in a transition.
    fn add(&mut self, parts: &PartSet) {
        for part in parts.iter() {
            if self.moving.contains(part) {
                self.partners[part].extend(parts);
            } else {
                self.partners[part] = *parts;
            }
        }
        self.moving.extend(parts);
    }

    /// The least set with a part in which nobody may have to do with anybody outside. None if somebody is in it who was tried before:
    /// the set found then is a part of this one.
    fn closed(
        &mut self,
        model: &dyn Components,
        state: &[u32],
        start: usize,
        tried: &PartSet,
    ) -> Result<Option<PartSet>, ModelError> {
        let mut closed = PartSet::one(start);
        let mut done = PartSet::default();
        while let Some(part) = closed.first_outside(&done) {
            done.insert(part);
            if !self.known.contains(part) {
                self.known.insert(part);
                let partners = model.partners(state, part)?;
                if self.moving.contains(part) {
                    self.partners[part].extend(&partners);
                } else {
                    self.partners[part] = partners;
                }
            }
            closed.extend(&self.partners[part]);
            if closed.meets(tried) {
                return Ok(None);
            }
        }
        Ok(Some(closed))
    }
}

/// What makes a transition the same after others that have no part in common with it: its label and what it changes, all outcomes of a
/// random one.
fn mark(state: &[u32], steps: &Steps, number: usize) -> u64 {
    let transition = steps.transition(number);
    let mut sum = 0u64;
    for (outcome, step) in transition.steps.enumerate() {
        let mut print = Fingerprinter::new();
        print.mix(u64::from(steps.label(step).0));
        print.mix(transition.weights.get(outcome).copied().unwrap_or(0));
        let words = state.iter().zip(steps.target(step)).enumerate();
        for (place, (before, after)) in words {
            if before != after {
                print.mix((place as u64) << 32 | u64::from(before ^ after));
            }
        }
        sum = sum.wrapping_add(print.fingerprint().low());
    }
    sum
}
