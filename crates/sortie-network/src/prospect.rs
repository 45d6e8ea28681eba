//! The steps that one or two parts have by their [stances](crate::stance), in the order in which they are listed, without where they lead.
//!
//! Two steps of a state are listed once if they have the same label and lead to the same state. Whether they do must be clear from what is known:
//! a part that sends, or acts alone, goes where it goes whatever the others do; where a receiver goes is not known. A part that moves in one step
//! and not in another, or goes elsewhere there, makes them different. Where this does not settle it, the steps of the state must be listed.

use crate::between::{Turn, key, last_first};
use crate::network::Network;
use crate::offer::{ArgumentsId, Processes};
use crate::ready::{How, Ready, Sent};
use crate::stance::STAYS;
use sortie_model::LabelId;

/// So many steps of two parts are compared with one another.
const MANY: usize = 64;

/// Instead of the number of steps: they must be listed.
pub(crate) const HARD: u32 = u32::MAX;

/// The number of the cell without steps, and of one with steps that must be listed.
pub(crate) const NO_STEPS: u32 = 0;
pub(crate) const HARD_STEPS: u32 = 1;

/// What a part does in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    /// It has no part in it.
    Nothing,
    /// It takes the exit with this number.
    Exit(u32),
    /// It hears something: the number of the [reception](Heard).
    Hears(u32),
}

/// A step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prospect {
    /// Its place among the steps of a state.
    pub(crate) key: u64,
    pub(crate) label: LabelId,
    /// What the earlier and the later part do.
    pub(crate) acts: [Act; 2],
}

/// What a part hears: the number of its receiver, and what is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Heard {
    pub(crate) receiver: u32,
    pub(crate) arguments: ArgumentsId,
}

/// The steps of one or two stances.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    /// That of the first step.
    pub(crate) key: u64,
    pub(crate) begin: u32,
    pub(crate) count: u32,
    /// By part: where it goes in steps in which perhaps nobody else moves, as bits.
    pub(crate) bits: [u32; 2],
    /// Whether nobody moves in one of the steps.
    pub(crate) loops: bool,
}

impl Cell {
    fn empty(count: u32) -> Cell {
        Cell {
            key: 0,
            begin: 0,
            count,
            bits: [0; 2],
            loops: false,
        }
    }
}

/// All steps of stances that were met so far.
pub(crate) struct Prospects {
    pub(crate) all: Vec<Prospect>,
    /// The first two are [`NO_STEPS`] and [`HARD_STEPS`].
    pub(crate) cells: Vec<Cell>,
    /// By part.
    pub(crate) heard: Vec<Vec<Heard>>,
}

/// A part whose stance is looked at, and the classes of its exits.
pub(crate) struct Side<'a, P: Processes> {
    pub(crate) part: usize,
    pub(crate) ready: &'a Ready<P>,
    pub(crate) classes: &'a [u32],
}

impl<P: Processes> Side<'_, P> {
    /// The exit of an offer to meet.
    fn exit(&self, sent: usize) -> Act {
        Act::Exit((self.ready.alone.len() + sent) as u32)
    }

    fn class(&self, act: Act) -> Option<u32> {
        match act {
            Act::Exit(exit) => Some(self.classes[exit as usize]),
            Act::Nothing | Act::Hears(_) => None,
        }
    }
}

impl Prospects {
    /// There are so many parts.
    pub(crate) fn new(parts: usize) -> Prospects {
        Prospects {
            all: Vec::new(),
            cells: vec![Cell::empty(0), Cell::empty(HARD)],
            heard: vec![Vec::new(); parts],
        }
    }

    /// Keeps nothing.
    pub(crate) fn clear(&mut self) {
        self.all.clear();
        self.cells.truncate(2);
        for heard in &mut self.heard {
            heard.clear();
        }
    }

    /// Keeps the steps of a cell, which gets a number.
    pub(crate) fn keep(&mut self, cell: Cell) -> u32 {
        if cell.count == 0 {
            return NO_STEPS;
        }
        self.cells.push(cell);
        self.cells.len() as u32 - 1
    }

    /// A part hears something, which gets a number.
    pub(crate) fn hear(&mut self, part: usize, what: Heard) -> Act {
        let all = &mut self.heard[part];
        let known = all.iter().position(|other| *other == what);
        let number = known.unwrap_or_else(|| {
            all.push(what);
            all.len() - 1
        });
        Act::Hears(number as u32)
    }

    /// Adds what a part can do alone.
    pub(crate) fn add_alone<P: Processes>(&mut self, side: &Side<'_, P>) -> Cell {
        let begin = self.all.len();
        for (number, (label, _)) in side.ready.alone.iter().enumerate() {
            self.all.push(Prospect {
                key: key(Turn::Sent, (side.part, 0), number, 0),
                label: *label,
                acts: [Act::Exit(number as u32), Act::Nothing],
            });
        }
        let classes = side.classes[..side.ready.alone.len()].iter();
        let moving = classes.clone().filter(|class| **class != STAYS);
        Cell {
            key: self.all.get(begin).map_or(0, |step| step.key),
            begin: begin as u32,
            count: (self.all.len() - begin) as u32,
            bits: [moving.fold(0, |all, class| all | bit(*class)), 0],
            loops: classes.clone().any(|class| *class == STAYS),
        }
    }

    /// Adds what two parts can do together, or nothing if that must be listed.
    pub(crate) fn add_pair<P: Processes>(
        &mut self,
        network: &Network<P>,
        [earlier, later]: [&Side<'_, P>; 2],
    ) -> Option<Cell> {
        let begin = self.all.len();
        let cell = self.exchange_nothing(network, earlier, later).then(|| {
            self.meet(network, earlier, later);
            self.receive(network, [earlier, later])?;
            self.receive(network, [later, earlier])?;
            self.cell(begin, [earlier, later])
        });
        let cell = cell.flatten();
        if cell.is_none() {
            self.all.truncate(begin);
        }
        cell
    }

    /// Whether the two do not both wait for data of each other.
    fn exchange_nothing<P: Processes>(
        &self,
        network: &Network<P>,
        earlier: &Side<'_, P>,
        later: &Side<'_, P>,
    ) -> bool {
        let receivers = earlier.ready.receivers.iter().filter(|r| !r.rest);
        let mut encounters = receivers.flat_map(|r| network.encounters.of(r.name));
        !encounters.any(|encounter| match *encounter.others {
            [other] => later.ready.offers(other) >= Some(How::Received),
            _ => false,
        })
    }

    /// Both send, as in [`Between`](crate::between::Between).
    fn meet<P: Processes>(
        &mut self,
        network: &Network<P>,
        earlier: &Side<'_, P>,
        later: &Side<'_, P>,
    ) {
        let others = earlier.ready;
        for (number, sent) in later.ready.sent.iter().enumerate() {
            if sent.partners & others.sends == 0 {
                continue;
            }
            let channel = network.channel(sent);
            for (plan, meeting) in channel.meetings.iter().enumerate() {
                let Some((partner, _)) = meeting.pair else {
                    continue;
                };
                for (place, other) in others.sent.iter().enumerate().rev() {
                    if other.channel != partner {
                        continue;
                    }
                    let place_of = key(
                        Turn::Sent,
                        (later.part, number + 1),
                        plan,
                        last_first(earlier.part),
                    );
                    self.all.push(Prospect {
                        key: place_of,
                        label: meeting.label(
                            &network.labels,
                            &network.memory.processes,
                            sent.arguments,
                        ),
                        acts: [earlier.exit(place), later.exit(number)],
                    });
                }
            }
        }
    }

    /// One of them sends and the other one receives, likewise. Nothing if data is received in more ways than one.
    fn receive<P: Processes>(
        &mut self,
        network: &Network<P>,
        [sender, listener]: [&Side<'_, P>; 2],
    ) -> Option<()> {
        let (ready, listening) = (sender.ready, listener.ready);
        let received = listening.received;
        for (number, sent) in ready.sent.iter().enumerate() {
            let again = |other: &Sent| other.channel == sent.channel;
            if sent.others & received == 0 || ready.sent[..number].iter().any(again) {
                continue;
            }
            let channel = network.channel(sent);
            for (plan, meeting) in channel.meetings.iter().enumerate() {
                let Some((_, name)) = meeting.pair else {
                    continue;
                };
                let place_of = key(
                    Turn::Received,
                    (sender.part, number),
                    plan,
                    last_first(listener.part),
                );
                for (place, receiver) in listening.receivers.iter().enumerate().rev() {
                    if receiver.name != name || !receiver.may_hear(channel) {
                        continue;
                    }
                    match network.accepts(&receiver.open, sent.arguments) {
                        Ok(0) => continue,
                        Ok(1) => {}
                        Ok(_) | Err(_) => return None,
                    }
                    let label =
                        meeting.label(&network.labels, &network.memory.processes, sent.arguments);
                    let heard = Heard {
                        receiver: place as u32,
                        arguments: sent.arguments,
                    };
                    let hears = self.hear(listener.part, heard);
                    for (node, _) in ready.sent.iter().enumerate().rev().filter(|s| again(s.1)) {
                        let mut acts = [sender.exit(node), hears];
                        if sender.part > listener.part {
                            acts.reverse();
                        }
                        self.all.push(Prospect {
                            key: place_of,
                            label,
                            acts,
                        });
                    }
                }
            }
        }
        Some(())
    }

    /// The steps of two parts that were added, if no two of them can be the same.
    fn cell<P: Processes>(&self, begin: usize, sides: [&Side<'_, P>; 2]) -> Option<Cell> {
        let steps = &self.all[begin..];
        let mut bits = [0; 2];
        for (number, step) in steps.iter().enumerate() {
            let classes = |step: &Prospect| [0, 1].map(|side| sides[side].class(step.acts[side]));
            let own = classes(step);
            let differs = |other: &Prospect| {
                let mut known = own.into_iter().zip(classes(other));
                known.any(|both| matches!(both, (Some(one), Some(other)) if one != other))
            };
            let same_label = |other: &&Prospect| other.label == step.label;
            if steps[..number]
                .iter()
                .filter(same_label)
                .any(|s| !differs(s))
            {
                return None;
            }
            match own.map(|class| class.filter(|class| *class != STAYS)) {
                [Some(_), Some(_)] => {}
                [Some(class), None] => bits[0] |= bit(class),
                [None, Some(class)] => bits[1] |= bit(class),
                [None, None] => return None,
            }
        }
        (steps.len() <= MANY).then_some(Cell {
            key: steps.first().map_or(0, |step| step.key),
            begin: begin as u32,
            count: steps.len() as u32,
            bits,
            loops: false,
        })
    }
}

/// Exits beyond the last bit share it.
fn bit(class: u32) -> u32 {
    1 << (class - 1).min(31)
}
