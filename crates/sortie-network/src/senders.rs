//! Who sends on which channel. What several parts send on one channel and another one receives comes in an order that is not that of
//! pairs, so it matters whether they do so in the same state.

use crate::offer::Processes;
use crate::outline::channel_bit;
use crate::ready::{Ready, Sent};

/// Stands for more parts than one.
const SEVERAL: u32 = u32::MAX;

/// What is known from all states of the parts that were met.
#[derive(Default)]
pub(crate) struct Senders {
    /// By channel.
    parts: Vec<Option<u32>>,
    /// The channels on which several parts send, and the names of those that may receive it, as bits.
    several: Vec<(u64, u64)>,
    /// The names that are received.
    received: u64,
    shared: u64,
}

impl Senders {
    /// The channels on which several parts send what is received, as bits.
    pub(crate) fn shared(&self) -> u64 {
        self.shared
    }

    /// Takes note of what a part is ready for.
    pub(crate) fn note<P: Processes>(&mut self, part: u32, ready: &Ready<P>) {
        for sent in &ready.sent {
            self.note_sent(part, sent);
        }
        self.received |= ready.masks.received();
        let received = self
            .several
            .iter()
            .filter(|(_, others)| others & self.received != 0);
        self.shared = received.fold(0, |all, (channel, _)| all | channel);
    }

    fn note_sent(&mut self, part: u32, sent: &Sent) {
        let place = sent.channel.0 as usize;
        if self.parts.len() <= place {
            self.parts.resize(place + 1, None);
        }
        match self.parts[place] {
            None => self.parts[place] = Some(part),
            Some(other) if other == part || other == SEVERAL => {}
            Some(_) => {
                self.parts[place] = Some(SEVERAL);
                self.several.push((channel_bit(sent.channel), sent.others));
            }
        }
    }
}
