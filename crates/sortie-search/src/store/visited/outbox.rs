//! What owners send one another: see [`insertion`](super::insertion).

use crate::store::packed::Layout;
use crate::store::table::IGNORED_BITS;

/// An owner remembers so many states that it sent lately.
const RECENT: usize = 1 << 14;

/// What an owner sends.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct Outbox {
    /// By receiver.
    messages: Vec<Messages>,
    /// Hash and key of states that were sent: those need not be sent again.
    recent: Vec<u64>,
    /// Whether what was sent lately is sent again.
    tells_all: bool,
    /// Whether anything was sent in this batch.
    is_open: bool,
}

/// What is sent to a receiver, in memory of its own: of each state, the head and the key. Two processors take longest for what one reads that the other wrote, so it is
/// short.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Messages {
    /// Some of them are not used yet.
    words: Vec<u64>,
    used: usize,
    /// Hash and order of states that do not fit into the layout, and the states.
    wide: Vec<(u64, u32)>,
    wide_states: Vec<u32>,
}

/// So many steps have a place in the order of a batch at most.
pub(super) const MOST_STEPS: u32 = 1 << 22;

const _: () = assert!(MOST_STEPS <= 1 << IGNORED_BITS);

/// The hash of a state as far as tables look at it, and in the bits that they ignore the order of the step.
#[inline]
fn head(hash: u64, order: u32) -> u64 {
    hash >> IGNORED_BITS << IGNORED_BITS | u64::from(order)
}

/// The order of the step in the head of a message, which stands for the hash as it is.
#[inline]
pub(super) fn order_of(head: u64) -> u32 {
    head as u32 & ((1 << IGNORED_BITS) - 1)
}

/// Words of a message about a state of so many units.
#[inline]
pub(super) fn message_length(units: usize) -> usize {
    units + 1
}

impl Messages {
    #[inline]
    fn push(&mut self, word: u64) {
        if self.used == self.words.len() {
            self.words.resize(self.used * 2 + 4096, 0);
        }
        self.words[self.used] = word;
        self.used += 1;
    }

    fn used(&self) -> &[u64] {
        &self.words[..self.used]
    }

    /// Changes keys from one layout to another, in which there is room for what did not fit.
    fn repack(&mut self, from: &Layout, to: &Layout, width: usize) {
        let old = std::mem::take(self);
        let mut state = vec![0; width];
        for message in old.used().chunks_exact(message_length(from.units())) {
            if let [head, key @ ..] = message {
                from.unpack(key, &mut state);
                self.push_packed(*head, to, &state);
            }
        }
        let states = old.wide_states.chunks_exact(width);
        for (&(hash, order), state) in old.wide.iter().zip(states) {
            self.push_packed(head(hash, order), to, state);
        }
    }

    fn push_packed(&mut self, head: u64, layout: &Layout, state: &[u32]) {
        self.push(head);
        for unit in layout.pack(state) {
            self.push(unit.expect("the layout has room for all states"));
        }
    }
}

impl Outbox {
    pub(super) fn new(owners: usize) -> Outbox {
        Outbox {
            messages: (0..owners).map(|_| Messages::default()).collect(),
            recent: Vec::new(),
            tells_all: false,
            is_open: false,
        }
    }

    /// What was sent is read. A thread that is late may have nothing to send in the next batch.
    pub(super) fn close(&mut self) {
        self.is_open = false;
    }

    /// What was sent does not count.
    pub(super) fn forget(&mut self) {
        self.recent.clear();
    }

    /// Nothing is sent yet, of states of so many units.
    pub(super) fn begin(&mut self, units: usize) {
        self.recent.resize(RECENT * recent_length(units), 0);
        for messages in &mut self.messages {
            messages.used = 0;
            messages.wide.clear();
            messages.wide_states.clear();
        }
        self.tells_all = false;
        self.is_open = true;
    }

    /// The states that were sent and do not fit into the layout, of so many words each.
    pub(super) fn wide_states(&self, width: usize) -> impl Iterator<Item = &[u32]> {
        let messages = self.messages.iter().filter(|_| self.is_open);
        messages.flat_map(move |messages| messages.wide_states.chunks_exact(width))
    }

    /// The keys that were sent, of so many units.
    pub(super) fn keys(&self, units: usize) -> impl Iterator<Item = &[u64]> {
        let messages = self.messages.iter().filter(|_| self.is_open);
        let messages =
            messages.flat_map(move |messages| messages.used().chunks_exact(message_length(units)));
        messages.map(|message| &message[1..])
    }

    /// Changes what was sent from one layout to another, in which there is room for all of it.
    pub(super) fn repack(&mut self, from: &Layout, to: &Layout, width: usize) {
        self.forget();
        for messages in self.messages.iter_mut().filter(|_| self.is_open) {
            messages.repack(from, to, width);
        }
    }

    /// What there is for a receiver.
    pub(super) fn messages(&self, receiver: usize) -> &[u64] {
        let messages = &self.messages[receiver];
        match self.is_open {
            true => messages.used(),
            false => &[],
        }
    }

    /// Until the end of the batch, steps may come before those that were told: all are told.
    pub(super) fn tell_all(&mut self) {
        self.tells_all = true;
    }

    /// Begins anew for this receiver, who is the owner itself.
    #[inline]
    pub(super) fn clear_own(&mut self, receiver: usize) {
        self.messages[receiver].used = 0;
    }

    /// Sends a state, unless that was done lately.
    #[inline]
    pub(super) fn send(
        &mut self,
        receiver: usize,
        layout: &Layout,
        (hash, state): (u64, &[u32]),
        order: u32,
    ) -> Sent {
        let messages = &mut self.messages[receiver];
        let begin = messages.used;
        let length = recent_length(layout.units());
        let recent = &mut self.recent[(hash as usize % RECENT) * length..][..=layout.units()];
        let (known, recent) = recent
            .split_first_mut()
            .expect("there is a word for the hash");
        // Zero stands for nothing.
        let mut is_known = *known == hash && hash != 0;
        *known = hash;
        messages.push(head(hash, order));
        for (recent, unit) in recent.iter_mut().zip(layout.pack(state)) {
            let Some(unit) = unit else {
                messages.used = begin;
                messages.wide.push((hash, order));
                messages.wide_states.extend_from_slice(state);
                return Sent::Later;
            };
            is_known &= *recent == unit;
            *recent = unit;
            messages.push(unit);
        }
        if is_known && !self.tells_all {
            messages.used = begin;
            return Sent::Before;
        }
        Sent::Now
    }
}

/// Whether a state was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sent {
    Now,
    /// It was sent lately.
    Before,
    /// It does not fit into the layout, which is to be changed first.
    Later,
}

/// Words of a remembered state, few of which share two lines of memory.
#[inline]
fn recent_length(units: usize) -> usize {
    (units + 1).next_power_of_two()
}
