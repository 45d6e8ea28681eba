//! What others can tell of a part in one of its states: all that it offers, but not where that leads.
//!
//! Buffers and counters make many local states, which differ in where their steps lead and seldom in what is offered. States with one
//! stance have the same number of steps with any partner, so this number is worked out once for two stances, not for each two states.

use crate::network::Network;
use crate::offer::{Arguments, Processes, Target};
use crate::ready::{Ready, Receiver};
use sortie_model::Fingerprinter;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// The number of a stance of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StanceId(pub(crate) u32);

/// An exit that leads nowhere else.
pub(crate) const STAYS: u32 = 0;

/// Everything that makes a stance.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Content<V> {
    words: Vec<u32>,
    values: Vec<Option<V>>,
}

/// The stances of a part, numbered in order of arrival.
pub(crate) struct Stances<P: Processes> {
    numbers: HashMap<Content<P::Value>, StanceId, BuildHasherDefault<Fingerprinter>>,
    /// Of the state looked at last.
    content: Content<P::Value>,
}

impl<P: Processes> Default for Stances<P> {
    fn default() -> Self {
        Stances {
            numbers: HashMap::default(),
            content: Content {
                words: Vec::new(),
                values: Vec::new(),
            },
        }
    }
}

/// A part of one component in one of its states.
pub(crate) struct Posture<'a, P: Processes> {
    pub(crate) ready: &'a Ready<P>,
    /// The number of the state, which is its only word.
    pub(crate) word: u32,
    /// Where it goes alone, and then where it goes with what it sends.
    pub(crate) exits: &'a [u32],
}

impl<P: Processes> Stances<P> {
    pub(crate) fn clear(&mut self) {
        self.numbers.clear();
    }

    /// The stance of a part, and whether it is new.
    pub(crate) fn of(
        &mut self,
        network: &Network<P>,
        posture: &Posture<'_, P>,
    ) -> (StanceId, bool) {
        let Content { words, values } = &mut self.content;
        words.clear();
        values.clear();
        let Posture { ready, word, exits } = posture;
        let mut class = classes(*word, exits);
        words.push(ready.alone.len() as u32);
        for (label, _) in &ready.alone {
            words.extend([label.0, class.next().unwrap_or(STAYS)]);
        }
        words.push(ready.sent.len() as u32);
        for sent in &ready.sent {
            words.extend([sent.channel.0, class.next().unwrap_or(STAYS)]);
        }
        words.push(ready.receivers.len() as u32);
        for receiver in &ready.receivers {
            describe(network, receiver, *word, (words, values));
        }
        words.extend(ready.mixed().iter().map(|name| name.0));
        if let Some(number) = self.numbers.get(&self.content) {
            return (*number, false);
        }
        let number = StanceId(self.numbers.len() as u32);
        self.numbers.insert(self.content.clone(), number);
        (number, true)
    }
}

/// Adds what a receiver accepts.
fn describe<P: Processes>(
    network: &Network<P>,
    receiver: &Receiver<P>,
    word: u32,
    (words, values): (&mut Vec<u32>, &mut Vec<Option<P::Value>>),
) {
    let offer = &receiver.open.offers[receiver.open.offer];
    words.extend([receiver.name.0, u32::from(receiver.rest)]);
    match &offer.actions[0].arguments {
        Arguments::Known(arguments) => words.extend([0, arguments.0]),
        Arguments::Open(pattern) => {
            words.extend([1, pattern.len() as u32]);
            values.extend_from_slice(pattern);
        }
    }
    let before = values.len();
    let guard = match &offer.target {
        Target::Open(open) | Target::Rest(open) => network.memory.processes.guard(open, values),
        Target::Known(_) => unreachable!("the offer is open"),
    };
    let more = (values.len() - before) as u32;
    match guard {
        Some(guard) => words.extend([1, more, guard as u32, (guard >> 32) as u32]),
        None => {
            let offer = receiver.open.offer as u32;
            words.extend([0, more, word, offer]);
        }
    }
}

/// Which exits lead to the same state: the place of the first of them, counted from one, or [`STAYS`].
pub(crate) fn classes(word: u32, exits: &[u32]) -> impl Iterator<Item = u32> {
    exits.iter().map(move |exit| {
        let first = exits.iter().position(|other| other == exit);
        match first {
            Some(first) if *exit != word => first as u32 + 1,
            _ => STAYS,
        }
    })
}
