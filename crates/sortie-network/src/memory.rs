//! The processes of a network with what was found out about them.

use crate::locals::{Locals, Place};
use crate::offer::{ArgumentsId, Closed, LocalId, Processes, Target};
use crate::offered::{Offered, Offers};
use crate::ready::Move;
use crate::tree::ComponentId;
use sortie_intern::Register;
use sortie_model::{Fingerprinter, ModelError};
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

/// An open offer of a component.
pub(crate) struct OpenOffer<P: Processes> {
    pub(crate) component: ComponentId,
    pub(crate) local: LocalId,
    pub(crate) offers: Offers<P>,
    /// Its number among the offers.
    pub(crate) offer: usize,
    /// For each action that is left, which action of the offer it is, unless all are left.
    pub(crate) origin: Option<Box<[usize]>>,
}

impl<P: Processes> Clone for OpenOffer<P> {
    fn clone(&self) -> Self {
        OpenOffer {
            offers: Arc::clone(&self.offers),
            origin: self.origin.clone(),
            ..*self
        }
    }
}

impl<P: Processes> OpenOffer<P> {
    /// An offer of which all actions are left, or none.
    pub(crate) fn new(
        offers: &Offers<P>,
        (component, local): (ComponentId, LocalId),
        offer: usize,
        left: usize,
    ) -> OpenOffer<P> {
        OpenOffer {
            component,
            local,
            offers: Arc::clone(offers),
            offer,
            origin: (left < offers[offer].actions.len()).then(Box::default),
        }
    }

    /// Which action of the offer one is that is left.
    pub(crate) fn origin(&self, left: usize) -> usize {
        self.origin.as_ref().map_or(left, |origin| origin[left])
    }

    /// The action of the offer among those that are left.
    pub(crate) fn left(&self, action: usize) -> Option<usize> {
        match &self.origin {
            None => Some(action),
            Some(origin) => origin.iter().position(|other| *other == action),
        }
    }
}

/// Local states with weights.
type Outcomes = Arc<[(LocalId, u64)]>;

pub(crate) struct Memory<P: Processes> {
    pub(crate) processes: P,
    /// How many combinations of steps of the components may be tried for one state.
    pub(crate) combinations: u64,
    /// By component.
    pub(crate) locals: Vec<Locals>,
    pub(crate) offered: Offered<P>,
    /// By local state, number of the offer, and values received.
    closings: Register<Box<[Closed]>>,
    /// What random choices can lead to.
    outcomes: Mutex<HashMap<LocalId, Outcomes>>,
}

impl<P: Processes> Memory<P> {
    pub(crate) fn new(processes: P, components: usize, combinations: u64) -> Memory<P> {
        let component = |number: usize| Locals::new(ComponentId(number as u32));
        Memory {
            processes,
            combinations,
            locals: (0..components).map(component).collect(),
            offered: Offered::new(),
            closings: Register::new(),
            outcomes: Mutex::default(),
        }
    }

    /// The word for a local state of a component.
    pub(crate) fn word(&self, component: ComponentId, local: LocalId) -> u32 {
        self.locals[component.0 as usize].word(&self.processes, Place::Local(local))
    }

    /// The move of a component from a global state to a local state.
    pub(crate) fn go(&self, component: ComponentId, state: &[u32], local: LocalId) -> Move {
        self.go_to(component, state, self.word(component, local))
    }

    pub(crate) fn go_to(&self, component: ComponentId, state: &[u32], word: u32) -> Move {
        let place = component.0 as usize;
        let locals = &self.locals[place];
        let before = locals.print(state[place]);
        Move {
            component: component.0,
            word,
            print: locals.print(word).0.wrapping_sub(before.0),
        }
    }

    /// The local state of a component in a global state.
    pub(crate) fn local(&self, component: ComponentId, state: &[u32]) -> Option<LocalId> {
        let place = component.0 as usize;
        match self.locals[place].place(state[place]) {
            Place::Local(local) => Some(local),
            Place::Start | Place::End => None,
        }
    }

    /// What a component offers in a global state, remembered.
    pub(crate) fn offers(
        &self,
        component: ComponentId,
        state: &[u32],
    ) -> Result<Offers<P>, ModelError> {
        let Some(local) = self.local(component, state) else {
            return Ok(Arc::new([]));
        };
        let offers = self.offered.of(&self.processes, local)?;
        self.offered.remember(local, &offers);
        Ok(offers)
    }

    /// [`Processes::outcomes`], remembered.
    pub(crate) fn outcomes(&self, local: LocalId) -> Result<Outcomes, ModelError> {
        let known = self.outcomes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(&local) {
            return Ok(Arc::clone(known));
        }
        drop(known);
        let outcomes: Outcomes = self.processes.outcomes(local)?.into();
        let mut known = self.outcomes.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(local, Arc::clone(&outcomes));
        Ok(outcomes)
    }

    /// [`Processes::close`], remembered.
    pub(crate) fn close(
        &self,
        open: &OpenOffer<P>,
        received: &[Option<P::Value>],
    ) -> Result<&[Closed], ModelError> {
        let mut print = Fingerprinter::new();
        (open.local, open.offer, received).hash(&mut print);
        let print = print.fingerprint();
        let known = match self.closings.find(print) {
            Some(known) => known,
            None => {
                let closed: Box<[Closed]> = self.close_anew(open, received)?.into();
                self.closings.find_or_enter(print, || closed)
            }
        };
        Ok(self.closings.get(known))
    }

    /// [`Processes::close`].
    pub(crate) fn close_anew(
        &self,
        open: &OpenOffer<P>,
        received: &[Option<P::Value>],
    ) -> Result<Vec<Closed>, ModelError> {
        match &open.offers[open.offer].target {
            Target::Open(needed) | Target::Rest(needed) => {
                self.processes.close(open.local, needed, received)
            }
            Target::Known(_) => unreachable!("the offer is open"),
        }
    }

    /// [`Processes::accepts`].
    pub(crate) fn accepts(
        &self,
        open: &OpenOffer<P>,
        received: &[Option<P::Value>],
    ) -> Result<Vec<Box<[ArgumentsId]>>, ModelError> {
        match &open.offers[open.offer].target {
            Target::Open(needed) | Target::Rest(needed) => {
                self.processes.accepts(open.local, needed, received)
            }
            Target::Known(_) => unreachable!("the offer is open"),
        }
    }

    pub(crate) fn bytes(&self) -> u64 {
        let closings = self.closings.bytes() + 64 * self.closings.len() as u64;
        let locals: u64 = self.locals.iter().map(Locals::bytes).sum();
        self.processes.bytes()
            + self.processes.arguments().bytes()
            + locals
            + self.offered.bytes()
            + closings
    }
}
