//! Labels: the transitions of a step, in order.

use sortie_intern::Register;
use sortie_model::{Fingerprint, LabelId};

/// Numbers for lists of transitions. A single transition has its own number.
#[derive(Debug)]
pub(crate) struct Labels {
    transitions: u32,
    lists: Register<Box<[u32]>>,
}

impl Labels {
    pub(crate) fn new(transitions: usize) -> Self {
        Labels {
            transitions: transitions as u32,
            lists: Register::new(),
        }
    }

    pub(crate) fn number(&self, taken: &[u32]) -> LabelId {
        if let [single] = taken {
            return LabelId(*single);
        }
        let print = Fingerprint::of_words(taken);
        LabelId(self.transitions + self.lists.find_or_enter(print, || taken.into()))
    }

    pub(crate) fn transitions(&self, label: LabelId) -> Vec<u32> {
        match label.0.checked_sub(self.transitions) {
            Some(number) => self.lists.get(number).to_vec(),
            None => vec![label.0],
        }
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.lists.bytes() + 128 * self.lists.len() as u64
    }
}
