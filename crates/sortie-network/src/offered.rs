//! What local states offer, remembered for whoever asks again. Components that are alike, such as the two sides of a protocol, reach
//! the same local states, and what one of them found out is there for the others.

use crate::offer::{LocalId, OfferOf, Processes};
use crate::pool::Tally;
use sortie_intern::Chunks;
use sortie_model::ModelError;
use std::sync::{Arc, OnceLock};

/// The offers of a local state.
pub(crate) type Offers<P> = Arc<[OfferOf<P>]>;

/// After so many local states it is decided whether components are alike.
const TRIAL: u64 = 4096;

/// They are if one in so many local states is that of another component, too.
const WORTH: u64 = 8;

/// A thread looks at the trial after so many of its own.
const LOOKING: u64 = 64;

pub(crate) struct Offered<P: Processes> {
    /// By local state.
    known: Chunks<Offers<P>>,
    bytes: Tally,
    /// How many local states were asked for by a first component and by further ones, during the trial.
    first: Tally,
    again: Tally,
    /// The outcome of the trial.
    alike: OnceLock<bool>,
}

impl<P: Processes> Offered<P> {
    pub(crate) fn new() -> Offered<P> {
        Offered {
            known: Chunks::new(),
            bytes: Tally::default(),
            first: Tally::default(),
            again: Tally::default(),
            alike: OnceLock::new(),
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
        let alike = self.alike.get();
        if let Some(known) = self.known.get(local.0) {
            if alike.is_none() {
                self.again.add(1);
            }
            return Ok(Arc::clone(known));
        }
        let offers: Offers<P> = processes.offers(local)?.into();
        if alike.is_none() && self.first.add(1).is_multiple_of(LOOKING) {
            self.look_at_trial();
        }
        if alike.is_none_or(|alike| *alike) {
            self.remember(local, &offers);
        }
        Ok(offers)
    }

    fn look_at_trial(&self) {
        let first = self.first.sum();
        if first >= TRIAL {
            let is_alike = self.again.sum() >= first / WORTH;
            self.alike.get_or_init(|| is_alike);
        }
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
