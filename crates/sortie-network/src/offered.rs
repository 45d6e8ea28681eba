//! What local states offer, remembered for whoever asks again. Components that are alike, such as the two sides of a protocol, reach
//! the same local states, and what one of them found out is there for the others.

use crate::offer::{LocalId, OfferOf, Processes};
use sortie_model::{Chunks, ModelError};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// The offers of a local state.
pub(crate) type Offers<P> = Arc<[OfferOf<P>]>;

/// After so many local states it is decided whether components are alike.
const TRIAL: u32 = 4096;

/// They are if one in so many local states is that of another component, too.
const WORTH: u32 = 8;

pub(crate) struct Offered<P: Processes> {
    /// By local state.
    known: Chunks<Offers<P>>,
    bytes: AtomicU64,
    trial: Trial,
}

/// How often something was asked for the first time and again, as long as it is counted. It is written often, and thus not in a line of
/// memory with what everybody reads.
#[derive(Default)]
#[repr(align(128))]
struct Trial {
    first: AtomicU32,
    again: AtomicU32,
}

impl<P: Processes> Offered<P> {
    pub(crate) fn new() -> Offered<P> {
        Offered {
            known: Chunks::new(),
            bytes: AtomicU64::new(0),
            trial: Trial::default(),
        }
    }

    /// What a local state offers.
    pub(crate) fn of(&self, processes: &P, local: LocalId) -> Result<Offers<P>, ModelError> {
        if let Some(known) = self.known.get(local.0) {
            return Ok(Arc::clone(known));
        }
        Ok(processes.offers(local)?.into())
    }

    /// What a local state offers that a component was not in before.
    pub(crate) fn at_first(&self, processes: &P, local: LocalId) -> Result<Offers<P>, ModelError> {
        let first = self.trial.first.load(Ordering::Relaxed);
        if let Some(known) = self.known.get(local.0) {
            if first < TRIAL {
                self.trial.again.fetch_add(1, Ordering::Relaxed);
            }
            return Ok(Arc::clone(known));
        }
        let offers: Offers<P> = processes.offers(local)?.into();
        let is_alike = if first < TRIAL {
            self.trial.first.fetch_add(1, Ordering::Relaxed);
            true
        } else {
            self.trial.again.load(Ordering::Relaxed) >= TRIAL / WORTH
        };
        if is_alike {
            self.remember(local, &offers);
        }
        Ok(offers)
    }

    pub(crate) fn remember(&self, local: LocalId, offers: &Offers<P>) {
        // Another thread may have found out the same.
        if self.known.set(local.0, Arc::clone(offers)) {
            let each = size_of::<OfferOf<P>>() + 32;
            let bytes = Chunks::<Offers<P>>::bytes(1) + (16 + offers.len() * each) as u64;
            self.bytes.fetch_add(bytes, Ordering::Relaxed);
        }
    }

    /// Memory.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }
}
