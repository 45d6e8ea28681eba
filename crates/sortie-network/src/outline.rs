//! The least that must be known of a part's state to tell whether two parts can do something together.
//!
//! What a part offers and what it looks for are sets of bits; two parts can have a step together only if one offers what the other looks
//! for. Different things now and then share a bit, so this says *perhaps* or *no*. What a part offers in all of its states is kept in
//! more bits than what it offers in one of them.

use crate::channel::{ChannelId, digest};
use crate::contribution::ContributionId;
use crate::network::Network;
use crate::offer::{Name, Processes};
use crate::pair_table::Span;
use crate::ready::{Ready, name_bit};
use std::collections::BTreeSet;

/// Multiplying by it mixes bits.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// So many times 64 bits tell parts apart, whatever states they are in.
const WORDS: usize = 16;

/// A part in one of its states.
#[derive(Clone, Copy, Default)]
pub(crate) struct Outline {
    /// What the part adds to the fingerprint of the global state.
    pub(crate) print: u128,
    pub(crate) wishes: Wishes,
    /// The names on offer.
    pub(crate) names: u64,
    /// Which of the remembered steps need nobody else.
    pub(crate) alone: Span,
    /// To plans that are no meetings of two.
    pub(crate) contribution: ContributionId,
    pub(crate) is_known: bool,
    /// Whether there are internal steps, or plans that need the general join.
    pub(crate) is_unusual: bool,
}

/// What is offered and what is looked for.
#[derive(Clone, Copy, Default)]
pub(crate) struct Wishes {
    offered: u64,
    wanted: u64,
}

impl Wishes {
    /// Whether two parts may have something to do together.
    #[inline]
    pub(crate) fn may_meet(self, other: Wishes) -> bool {
        self.wanted & other.offered | self.offered & other.wanted != 0
    }
}

/// What a part offers and looks for in all states that are known.
#[derive(Clone, Default)]
pub(crate) struct Character {
    offered: Traits,
    wanted: Traits,
}

impl Character {
    pub(crate) fn may_meet(&self, other: &Character) -> bool {
        self.wanted.may_share(&other.offered) || self.offered.may_share(&other.wanted)
    }
}

/// Things that have names. Those of parts with much data fill all bits, but their names are told apart.
#[derive(Clone, Default)]
struct Traits {
    names: BTreeSet<Name>,
    things: [u64; WORDS],
}

impl Traits {
    /// Adds something; whether that made a difference.
    fn add(&mut self, name: Name, what: u64) -> bool {
        let word = &mut self.things[(what >> 40) as usize % WORDS];
        let before = *word;
        *word |= bit(what);
        let is_new = *word != before;
        self.names.insert(name) || is_new
    }

    fn may_share(&self, other: &Traits) -> bool {
        let mut words = self.things.iter().zip(&other.things);
        words.any(|(one, other)| one & other != 0) && !self.names.is_disjoint(&other.names)
    }
}

/// How the actions of a name are offered by any part in any state that is known. What nobody offers nobody needs to look for.
#[derive(Clone, Debug, Default)]
struct Habit {
    is_sent: bool,
    /// Whether only data that is not ordinary is received, and the place of the known argument.
    received: Vec<(bool, Option<u32>)>,
}

/// The habits of all names.
#[derive(Debug, Default)]
pub(crate) struct Habits(Vec<Habit>);

impl Habits {
    pub(crate) fn new(names: usize) -> Habits {
        Habits(vec![Habit::default(); names])
    }

    /// Takes note of what a part is ready for; whether something of it is new, so that all outlines are out of date.
    pub(crate) fn note<P: Processes>(&mut self, ready: &Ready<P>) -> bool {
        let mut is_new = false;
        for sent in &ready.sent {
            let is_sent = &mut self.0[sent.name.0 as usize].is_sent;
            is_new |= !std::mem::replace(is_sent, true);
        }
        for receiver in &ready.receivers {
            let received = &mut self.0[receiver.name.0 as usize].received;
            let way = (receiver.rest, receiver.known.map(|(place, _)| place));
            if !received.contains(&way) {
                received.push(way);
                is_new = true;
            }
        }
        is_new
    }
}

/// A part in a state that is new: everything that is offered and looked for there.
pub(crate) struct Sketch<'a> {
    outline: Outline,
    habits: &'a Habits,
    character: &'a mut Character,
    /// Whether the character was changed.
    pub(crate) is_different: bool,
}

impl<'a> Sketch<'a> {
    pub(crate) fn new(habits: &'a Habits, character: &'a mut Character) -> Sketch<'a> {
        Sketch {
            outline: Outline::default(),
            habits,
            character,
            is_different: false,
        }
    }

    fn offer(&mut self, name: Name, what: u64) {
        self.outline.wishes.offered |= bit(what);
        self.is_different |= self.character.offered.add(name, what);
    }

    fn want(&mut self, name: Name, what: u64) {
        self.outline.wishes.wanted |= bit(what);
        self.is_different |= self.character.wanted.add(name, what);
    }

    pub(crate) fn outline<P: Processes>(
        &mut self,
        network: &Network<P>,
        ready: &Ready<P>,
        print: u128,
    ) -> Outline {
        let partners = |name: Name| {
            let encounters = network.encounters.of(name).iter();
            encounters.filter_map(|encounter| match *encounter.others {
                [other] => Some(other),
                _ => None,
            })
        };
        for sent in &ready.sent {
            self.offer(sent.name, on_channel(sent.channel));
            self.outline.names |= name_bit(sent.name);
            let values = network.memory.processes.arguments().get(sent.arguments.0);
            for other in partners(sent.name) {
                let habit = &self.habits.0[other.0 as usize];
                if habit.is_sent {
                    let channel = network.channels.number(other, sent.arguments);
                    self.want(other, on_channel(channel));
                }
                for &(rest, known) in &habit.received {
                    let known = match known {
                        None => Some(None),
                        Some(place) => {
                            let value = values.get(place as usize);
                            value.map(|value| Some((place, digest(value))))
                        }
                    };
                    if let Some(known) = known.filter(|_| !(rest && sent.ordinary)) {
                        self.want(other, listening(other, rest, known));
                    }
                }
            }
        }
        for receiver in &ready.receivers {
            self.outline.names |= name_bit(receiver.name);
            self.offer(
                receiver.name,
                listening(receiver.name, receiver.rest, receiver.known),
            );
            if !receiver.rest {
                self.offer(receiver.name, exchanging(receiver.name));
                for other in partners(receiver.name) {
                    let received = &self.habits.0[other.0 as usize].received;
                    if received.iter().any(|(rest, _)| !rest) {
                        self.want(other, exchanging(other));
                    }
                }
            }
        }
        for name in ready.mixed() {
            self.outline.names |= name_bit(*name);
        }
        Outline {
            print,
            is_known: true,
            is_unusual: !(ready.internal().is_empty() && ready.plans().is_empty()),
            ..self.outline
        }
    }
}

fn bit(what: u64) -> u64 {
    1 << (what >> 58)
}

fn on_channel(channel: ChannelId) -> u64 {
    mixed(0, u64::from(channel.0))
}

/// Somebody receives the name, with the known argument if there is one.
fn listening(name: Name, rest: bool, known: Option<(u32, u32)>) -> u64 {
    let known = known.map_or(0, |(place, digest)| {
        (u64::from(place) << 32 | u64::from(digest)) + 1
    });
    let kind = u64::from(name.0) << 2 | u64::from(rest) << 1 | 1;
    mixed(kind, known.wrapping_mul(SPREAD))
}

/// Two receive from each other.
fn exchanging(name: Name) -> u64 {
    mixed(2, u64::from(name.0))
}

fn mixed(kind: u64, what: u64) -> u64 {
    let mixed = (kind.wrapping_mul(SPREAD) ^ what).wrapping_mul(SPREAD);
    (mixed ^ mixed >> 29).wrapping_mul(SPREAD)
}
