//! The local states of one component, numbered in the order of their arrival, without gaps: these numbers are the words of a global
//! state.

use crate::offer::{LocalId, OfferOf, Processes};
use crate::tree::ComponentId;
use sortie_model::{Fingerprint, Fingerprinter, ModelError};
use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// What a word of a global state stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Place {
    /// Before the random choice among several initial states.
    Start,
    Local(LocalId),
    /// After all components terminated.
    End,
}

/// The offers of a local state.
pub(crate) type Offers<P> = Arc<[OfferOf<P>]>;

pub(crate) struct Locals<P: Processes> {
    component: ComponentId,
    table: RwLock<Table<P>>,
}

struct Table<P: Processes> {
    numbers: HashMap<Place, u32, BuildHasherDefault<Fingerprinter>>,
    slots: Vec<Slot<P>>,
}

struct Slot<P: Processes> {
    place: Place,
    print: Fingerprint,
    offers: Option<Offers<P>>,
}

impl<P: Processes> Locals<P> {
    pub(crate) fn new(component: ComponentId) -> Locals<P> {
        Locals {
            component,
            table: RwLock::new(Table {
                numbers: HashMap::default(),
                slots: Vec::new(),
            }),
        }
    }

    fn read(&self) -> RwLockReadGuard<'_, Table<P>> {
        self.table.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Table<P>> {
        self.table.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// The word for a place.
    pub(crate) fn word(&self, processes: &P, place: Place) -> u32 {
        if let Some(word) = self.read().numbers.get(&place) {
            return *word;
        }
        let mut table = self.write();
        let next = table.slots.len() as u32;
        let word = *table.numbers.entry(place).or_insert(next);
        if word == next {
            table.slots.push(Slot {
                place,
                print: self.print_of(processes, place),
                offers: None,
            });
        }
        word
    }

    /// The word for a place that has one, and what going there from another word adds to the fingerprint of a global state.
    pub(crate) fn step(&self, from: u32, to: Place) -> Option<(u32, u128)> {
        let table = self.read();
        let word = *table.numbers.get(&to)?;
        let print = |word: u32| table.slots[word as usize].print.0;
        Some((word, print(word).wrapping_sub(print(from))))
    }

    pub(crate) fn place(&self, word: u32) -> Place {
        self.read().slots[word as usize].place
    }

    /// The share of this word in the fingerprint of a global state.
    pub(crate) fn print(&self, word: u32) -> Fingerprint {
        self.read().slots[word as usize].print
    }

    /// Shares are added up, so each must be as good as random on its own, and equal places of two components must differ.
    pub(crate) fn print_of(&self, processes: &P, place: Place) -> Fingerprint {
        let mut print = Fingerprinter::new();
        print.mix(u64::from(self.component.0));
        match place {
            Place::Start => print.mix(1),
            Place::End => print.mix(2),
            Place::Local(local) => {
                let content = processes.fingerprint(local);
                print.mix(content.low());
                print.mix(content.high());
            }
        }
        print.fingerprint()
    }

    /// What a local state offers; remembered if that is asked for.
    pub(crate) fn offers(
        &self,
        processes: &P,
        word: u32,
        remember: bool,
    ) -> Result<Offers<P>, ModelError> {
        let place = {
            let table = self.read();
            let slot = &table.slots[word as usize];
            if let Some(offers) = &slot.offers {
                return Ok(Arc::clone(offers));
            }
            slot.place
        };
        let offers: Offers<P> = match place {
            Place::Local(local) => processes.offers(local)?.into(),
            Place::Start | Place::End => Arc::new([]),
        };
        if remember {
            self.remember(word, Arc::clone(&offers));
        }
        Ok(offers)
    }

    pub(crate) fn remember(&self, word: u32, offers: Offers<P>) {
        self.write().slots[word as usize].offers = Some(offers);
    }

    pub(crate) fn len(&self) -> usize {
        self.read().slots.len()
    }

    /// Memory, without what offers own.
    pub(crate) fn bytes(&self) -> u64 {
        let each = size_of::<Slot<P>>() + size_of::<(Place, u32)>() * 3 / 2;
        (self.len() * each) as u64
    }
}
