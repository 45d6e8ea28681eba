//! The states of a part of the network with what it is ready for, remembered where that pays.

use crate::network::Network;
use crate::offer::Processes;
use crate::ready::{Draft, Ready};
use crate::row::{Part, Row};
use crate::tree::ComponentId;
use sortie_model::{Fingerprinter, ModelError};
use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// After so many states of a part it is decided whether remembering them pays.
const TRIAL: u64 = 4096;

/// It pays when a remembered state is met again so often, in states per state.
const WORTH: f64 = 0.25;

type Tuples = HashMap<Box<[u32]>, u32, BuildHasherDefault<Fingerprinter>>;

/// What all threads know of a part.
pub(crate) struct Known<P: Processes> {
    /// The components whose words make up a state of the part.
    components: Vec<ComponentId>,
    /// The number of a state of several words.
    tuples: RwLock<Tuples>,
    /// By number, shard after shard.
    ready: Vec<Shard<P>>,
    meetings: Meetings,
    forgets: AtomicBool,
}

/// Threads seldom wait for one another with so many of them.
const SHARDS: usize = 16;

/// In lines of memory of its own.
#[repr(align(128))]
struct Shard<P: Processes>(RwLock<Vec<Option<Arc<Ready<P>>>>>);

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
            tuples: RwLock::default(),
            ready: (0..SHARDS).map(|_| Shard(RwLock::default())).collect(),
            meetings: Meetings::default(),
            forgets: AtomicBool::new(false),
        }
    }

    /// The components whose words make up a state of the part.
    pub(crate) fn components(&self) -> &[ComponentId] {
        &self.components
    }

    fn number(&self, tuple: &[u32]) -> u32 {
        let read = self.tuples.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(number) = read.get(tuple) {
            return *number;
        }
        drop(read);
        let mut write = self.tuples.write().unwrap_or_else(PoisonError::into_inner);
        let next = write.len() as u32;
        *write.entry(tuple.into()).or_insert(next)
    }

    fn place(&self, number: u32) -> (&Shard<P>, usize) {
        let number = number as usize;
        (&self.ready[number % SHARDS], number / SHARDS)
    }

    fn get(&self, number: u32) -> Option<Arc<Ready<P>>> {
        let (shard, place) = self.place(number);
        let read = shard.0.read().unwrap_or_else(PoisonError::into_inner);
        read.get(place).and_then(Clone::clone)
    }

    fn put(&self, number: u32, ready: Arc<Ready<P>>) {
        let (shard, place) = self.place(number);
        let mut write = shard.0.write().unwrap_or_else(PoisonError::into_inner);
        if write.len() <= place {
            write.resize(place + 1, None);
        }
        write[place] = Some(ready);
    }

    /// Counts states that a thread met; whether to remember them.
    fn pays(&self, met: Met) -> bool {
        let again = self.meetings.again.fetch_add(met.again, Ordering::Relaxed) + met.again;
        let first = self.meetings.first.fetch_add(met.first, Ordering::Relaxed) + met.first;
        if first >= TRIAL && (again as f64) < WORTH * first as f64 {
            self.forgets.store(true, Ordering::Relaxed);
            for shard in &self.ready {
                let mut write = shard.0.write().unwrap_or_else(PoisonError::into_inner);
                write.clear();
            }
        }
        !self.forgets()
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
    tuples: Tuples,
    tuple: Vec<u32>,
    ready: Vec<Option<Arc<Ready<P>>>>,
    now: Now<P>,
    /// What is not told yet.
    met: Met,
    draft: Draft<P>,
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
            tuples: Tuples::default(),
            tuple: Vec::new(),
            ready: Vec::new(),
            now: Now::Remembered(0),
            met: Met::default(),
            draft: Draft::new(),
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
                match self.tuples.get(&*self.tuple) {
                    Some(number) => *number,
                    None => NOT_SEEN,
                }
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
            self.tuples.clear();
            let ready = network.prepare(part, state, false, &mut self.draft)?;
            self.now = Now::Fresh(Box::new(ready));
            return Ok(());
        }
        let number = if number == NOT_SEEN {
            let number = known.number(&self.tuple);
            self.tuples.insert(self.tuple.as_slice().into(), number);
            number
        } else {
            number
        };
        let ready = match known.get(number) {
            Some(ready) => ready,
            None => {
                let ready = Arc::new(network.prepare(part, state, true, &mut self.draft)?);
                network.count(ready.bytes() + 32);
                known.put(number, Arc::clone(&ready));
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
const NOT_SEEN: u32 = u32::MAX;
