//! Transitions on offer.

use crate::machines::Machines;
use sortie_model::{Fingerprint, Key, LabelId, Names};

/// A set of transitions of which one is to be chosen.
#[derive(Default)]
pub(super) struct Offer {
    pub(super) members: Vec<u64>,
    pub(super) count: usize,
}

impl Offer {
    /// The member with this place in their order.
    pub(super) fn member(&self, mut place: usize) -> u32 {
        for (word, &bits) in self.members.iter().enumerate() {
            let here = bits.count_ones() as usize;
            if place < here {
                let mut left = bits;
                for _ in 0..place {
                    left &= left - 1;
                }
                return (word * 64) as u32 + left.trailing_zeros();
            }
            place -= here;
        }
        unreachable!("a place below the number of members was asked for")
    }

    pub(super) fn list(&self, into: &mut Vec<u32>) {
        into.clear();
        for (word, &bits) in self.members.iter().enumerate() {
            let mut left = bits;
            while left != 0 {
                into.push((word * 64) as u32 + left.trailing_zeros());
                left &= left - 1;
            }
        }
    }
}

/// Names of transitions on offer.
pub(super) struct Offered<'a> {
    pub(super) machines: &'a Machines,
    pub(super) transition: &'a dyn Fn(usize) -> u32,
    /// Whether a step is one transition.
    pub(super) alone: bool,
}

impl Names for Offered<'_> {
    fn name(&self, index: usize) -> String {
        self.machines.text(&[(self.transition)(index)])
    }

    fn label(&self, index: usize) -> Option<LabelId> {
        self.alone.then(|| LabelId((self.transition)(index)))
    }

    fn key(&self, index: usize) -> Key {
        let transition = &self.machines.system.transitions[(self.transition)(index) as usize];
        Key {
            who: u64::from(transition.machine) + 1,
            what: Fingerprint::of_text(&transition.label).low(),
        }
    }
}
