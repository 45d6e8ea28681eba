//! The states of a part of the network with what it is ready for, remembered where that pays.

use crate::network::Network;
use crate::offer::Processes;
use crate::ready::Ready;
use crate::row::{Part, Row};
use crate::tree::ComponentId;
use sortie_intern::{Chunks, Register};
use sortie_model::{Fingerprint, ModelError};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// After so many states of a part it is decided whether remembering them pays.
const TRIAL: u64 = 4096;

/// Remembering pays when at least one in this many states that are met is met again.
const WORTH: u64 = 4;

/// What all threads know of a part.
pub(crate) struct Known<P: Processes> {
    /// The components whose words make up a state of the part.
    components: Vec<ComponentId>,
    /// Numbers states of several words.
    tuples: Register<()>,
    /// By number of the state.
    ready: Chunks<Arc<Ready<P>>>,
    meetings: Meetings,
    forgets: AtomicBool,
}

/// How often states of a part were met. It is written often, and thus not in a line of memory with what everybody reads.
#[derive(Default)]
#[repr(align(128))]
struct Meetings {
    again: AtomicU64,
    first: AtomicU64,
}

impl<P: Processes> Known<P> {
    pub(crate) fn new(part: &Part) -> Known<P> {
        let mut components = Vec::new();
        match part {
            Part::Component(component) => components.push(*component),
            Part::Row(row) => gather_components(row, &mut components),
        }
        Known {
            components,
            tuples: Register::new(),
            ready: Chunks::new(),
            meetings: Meetings::default(),
            forgets: AtomicBool::new(false),
        }
    }

    /// The components whose words make up a state of the part.
    pub(crate) fn components(&self) -> &[ComponentId] {
        &self.components
    }

    /// Counts states that a thread met; whether to remember them.
    fn pays(&self, met: Met) -> bool {
        let again = self.meetings.again.fetch_add(met.again, Ordering::Relaxed) + met.again;
        let first = self.meetings.first.fetch_add(met.first, Ordering::Relaxed) + met.first;
        if first >= TRIAL && again * WORTH < first {
            self.forgets.store(true, Ordering::Relaxed);
        }
        !self.forgets()
    }

    /// From now on nothing is remembered.
    #[cfg(test)]
    pub(crate) fn forget(&self) {
        self.forgets.store(true, Ordering::Relaxed);
    }

    fn forgets(&self) -> bool {
        self.forgets.load(Ordering::Relaxed)
    }
}

fn gather_components(row: &Row, components: &mut Vec<ComponentId>) {
    for part in &row.parts {
        match part {
            Part::Component(component) => components.push(*component),
            Part::Row(row) => gather_components(row, components),
        }
    }
}

/// A part in the current state, and one thread's copy of what is known of it.
pub(crate) struct Shown<P: Processes> {
    /// The words of the state, where they are several.
    tuple: Vec<u32>,
    ready: Vec<Option<Arc<Ready<P>>>>,
    now: Now<P>,
    /// What is not told yet.
    met: Met,
}

/// How many states of a part a thread met again, and for the first time.
#[derive(Clone, Copy, Default)]
struct Met {
    again: u64,
    first: u64,
}

/// So many states that are met for the first time are told together.
const TOLD_TOGETHER: u64 = 16;

enum Now<P: Processes> {
    Remembered(u32),
    Fresh(Box<Ready<P>>),
}

impl<P: Processes> Shown<P> {
    pub(crate) fn new() -> Shown<P> {
        Shown {
            tuple: Vec::new(),
            ready: Vec::new(),
            now: Now::Remembered(0),
            met: Met::default(),
        }
    }

    /// What the part is ready for in the state it was turned to.
    #[inline]
    pub(crate) fn ready(&self) -> &Ready<P> {
        match &self.now {
            Now::Remembered(number) => self.ready[*number as usize]
                .as_deref()
                .expect("a part is turned to a state that is known"),
            Now::Fresh(ready) => ready,
        }
    }

    /// The number of the state, if it is remembered.
    pub(crate) fn number(&self) -> Option<u32> {
        match self.now {
            Now::Remembered(number) => Some(number),
            Now::Fresh(_) => None,
        }
    }

    /// Counts states that were met again without a call here.
    pub(crate) fn count(&mut self, met_again: u64) {
        self.met.again += met_again;
    }

    /// The number of the part's state in a global state, if it is known.
    #[inline]
    pub(crate) fn number_in(&mut self, network: &Network<P>, part: usize, state: &[u32]) -> u32 {
        match &*network.parts[part].components {
            [only] => state[only.0 as usize],
            several => {
                self.tuple.clear();
                self.tuple
                    .extend(several.iter().map(|component| state[component.0 as usize]));
                let known = &network.parts[part].tuples;
                let number = known.find(Fingerprint::of_words(&self.tuple));
                number.unwrap_or(NOT_SEEN)
            }
        }
    }

    #[inline]
    pub(crate) fn turn_to(
        &mut self,
        network: &Network<P>,
        part: usize,
        state: &[u32],
    ) -> Result<(), ModelError> {
        let number = self.number_in(network, part, state);
        if let Some(Some(_)) = self.ready.get(number as usize) {
            self.met.again += 1;
            self.now = Now::Remembered(number);
            return Ok(());
        }
        self.learn(network, part, number, state)
    }

    #[cold]
    fn learn(
        &mut self,
        network: &Network<P>,
        part: usize,
        number: u32,
        state: &[u32],
    ) -> Result<(), ModelError> {
        let known = &network.parts[part];
        self.met.first += 1;
        let pays = match self.met.first {
            TOLD_TOGETHER.. => known.pays(std::mem::take(&mut self.met)),
            _ => !known.forgets(),
        };
        if !pays {
            self.ready.clear();
            let ready = network.prepare(part, state, false)?;
            self.now = Now::Fresh(Box::new(ready));
            return Ok(());
        }
        let number = if number == NOT_SEEN {
            let print = Fingerprint::of_words(&self.tuple);
            known.tuples.find_or_enter(print, || ())
        } else {
            number
        };
        let ready = match known.ready.get(number) {
            Some(ready) => Arc::clone(ready),
            None => {
                let ready = Arc::new(network.prepare(part, state, true)?);
                network.count(ready.bytes() + 32);
                known.ready.set(number, Arc::clone(&ready));
                ready
            }
        };
        let place = number as usize;
        if self.ready.len() <= place {
            self.ready.resize(place + 1, None);
        }
        self.ready[place] = Some(ready);
        self.now = Now::Remembered(number);
        Ok(())
    }
}

/// No state of a part has this number.
pub(crate) const NOT_SEEN: u32 = u32::MAX;
