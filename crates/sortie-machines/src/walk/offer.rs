//! Transitions on offer.

use crate::machines::Machines;
use sortie_model::{Fingerprint, Key, LabelId, Names};

/// A set of transitions of which one is to be chosen.
pub(super) struct Offer {
    pub(super) members: Vec<u64>,
    pub(super) count: usize,
}

impl Offer {
    /// Of so many transitions none.
    pub(super) fn new(count: usize) -> Self {
        Offer {
            members: vec![0; count.div_ceil(64)],
            count: 0,
        }
    }

    /// The member with this place in their order.
    #[inline]
    pub(super) fn member(&self, mut place: usize) -> u32 {
        let mut first = 0;
        for &bits in &self.members {
            let sums = byte_sums(bits);
            let here = (sums >> 56) as usize;
            if place < here {
                return first + select(bits, sums, place as u64);
            }
            place -= here;
            first += 64;
        }
        unreachable!("a place below the number of members was asked for")
    }

    #[inline]
    pub(super) fn count_members(&mut self) {
        let here = |&bits: &u64| byte_sums(bits) as usize >> 56;
        self.count = self.members.iter().map(here).sum();
    }

    pub(super) fn list(&self, into: &mut Vec<u32>) {
        into.clear();
        for (first, &bits) in (0..).step_by(64).zip(&self.members) {
            list(first, bits, into);
        }
    }

    /// All members, in their order.
    pub(super) fn iter(&self) -> impl Iterator<Item = u32> {
        (0..self.count).map(|place| self.member(place))
    }
}

/// Adds the numbers of the bits that are set to a list, the lowest of which has this number.
#[inline]
pub(super) fn list(first: u32, bits: u64, into: &mut Vec<u32>) {
    let mut left = bits;
    while left != 0 {
        into.push(first + left.trailing_zeros());
        left &= left - 1;
    }
}

/// In each byte: how many bits are set in this byte and in those below.
#[inline]
fn byte_sums(bits: u64) -> u64 {
    let pairs = bits - ((bits >> 1) & 0x5555_5555_5555_5555);
    let fours = (pairs & 0x3333_3333_3333_3333) + ((pairs >> 2) & 0x3333_3333_3333_3333);
    let bytes = (fours + (fours >> 4)) & 0x0f0f_0f0f_0f0f_0f0f;
    bytes.wrapping_mul(ONES)
}

const ONES: u64 = 0x0101_0101_0101_0101;

/// The bit with this place among those that are set, without branches, which nobody could foresee: the byte is found by comparing all sums at once.
#[inline]
fn select(bits: u64, sums: u64, place: u64) -> u32 {
    let reached = (((place * ONES) | (ONES << 7)) - sums) & (ONES << 7);
    let byte = ((reached >> 7).wrapping_mul(ONES) >> 56) as u32 * 8;
    let below = (sums << 8) >> byte & 0xff;
    let within = IN_BYTE[(place - below) as usize & 7][(bits >> byte) as usize & 0xff];
    byte + u32::from(within)
}

/// By place and byte: the bit with this place among those that are set.
static IN_BYTE: [[u8; 256]; 8] = {
    let mut table = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let (mut place, mut bit) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                table[place][byte] = bit as u8;
                place += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};

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

#[cfg(test)]
mod tests {
    use super::*;
    use sortie_model::Dice;

    #[test]
    fn members_are_found_by_place() {
        let mut dice = Dice::new(5);
        for round in 0..2000 {
            let mut word = || match round % 4 {
                0 => dice.bits() & dice.bits() & dice.bits(),
                1 => dice.bits() | dice.bits() | dice.bits(),
                2 => [0, u64::MAX, 1, 1 << 63][dice.index(4)],
                _ => dice.bits(),
            };
            let offer = Offer {
                members: vec![word(), word(), word()],
                count: 0,
            };
            let mut listed = Vec::new();
            offer.list(&mut listed);
            let found = (0..listed.len()).map(|place| offer.member(place));
            assert!(found.eq(listed.iter().copied()), "{:x?}", offer.members);
        }
    }
}
