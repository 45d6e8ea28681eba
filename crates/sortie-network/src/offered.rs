//! What local states offer, remembered for whoever asks again.

use crate::offer::{LocalId, OfferOf, Processes};
use crate::pool::Tally;
use sortie_intern::Chunks;
use sortie_model::ModelError;
use std::sync::Arc;

/// The offers of a local state.
pub(crate) type Offers<P> = Arc<[OfferOf<P>]>;

pub(crate) struct Offered<P: Processes> {
    /// By local state.
    known: Chunks<Offers<P>>,
    bytes: Tally,
}

impl<P: Processes> Offered<P> {
    pub(crate) fn new() -> Offered<P> {
        Offered {
            known: Chunks::new(),
            bytes: Tally::default(),
        }
    }

    /// What a local state offers.
    pub(crate) fn of(&self, processes: &P, local: LocalId) -> Result<Offers<P>, ModelError> {
        if let Some(known) = self.known.get(local.0) {
            return Ok(Arc::clone(known));
        }
        Ok(processes.offers(local)?.into())
    }

    pub(crate) fn remember(&self, local: LocalId, offers: &Offers<P>) {
        // Another thread may have found out the same.
        if self.known.set(local.0, Arc::clone(offers)) {
            let each = size_of::<OfferOf<P>>() + 32;
            let bytes = Chunks::<Offers<P>>::bytes(1) + (16 + offers.len() * each) as u64;
            self.bytes.add(bytes);
        }
    }

    /// Memory.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.sum()
    }
}
