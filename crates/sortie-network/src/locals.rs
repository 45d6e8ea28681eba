//! The local states of one component, numbered in the order of their arrival, without gaps: these numbers are the words of a global
//! state.

use crate::offer::{LocalId, Processes};
use crate::tree::ComponentId;
use sortie_intern::Register;
use sortie_model::{Fingerprint, Fingerprinter};

/// What a word of a global state stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Before the random choice among several initial states.
    Start,
    Local(LocalId),
    /// After all components terminated.
    End,
}

impl Place {
    /// Under which it is registered.
    fn key(self) -> Fingerprint {
        match self {
            Place::Start => Fingerprint::of_words(&[0]),
            Place::End => Fingerprint::of_words(&[1]),
            Place::Local(LocalId(local)) => Fingerprint::of_words(&[2, local]),
        }
    }
}

pub(crate) struct Locals {
    component: ComponentId,
    slots: Register<Slot>,
}

struct Slot {
    place: Place,
    print: Fingerprint,
}

impl Locals {
    pub(crate) fn new(component: ComponentId) -> Locals {
        Locals {
            component,
            slots: Register::new(),
        }
    }

    /// The word for a place.
    pub(crate) fn word<P: Processes>(&self, processes: &P, place: Place) -> u32 {
        self.slots.find_or_enter(place.key(), || Slot {
            place,
            print: self.print_of(processes, place),
        })
    }

    pub(crate) fn place(&self, word: u32) -> Place {
        self.slots.get(word).place
    }

    /// The share of this word in the fingerprint of a global state.
    pub(crate) fn print(&self, word: u32) -> Fingerprint {
        self.slots.get(word).print
    }

    /// Shares are added up, so each must be as good as random on its own, and equal places of two components must differ.
    pub(crate) fn print_of<P: Processes>(&self, processes: &P, place: Place) -> Fingerprint {
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

    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.slots.bytes()
    }
}
