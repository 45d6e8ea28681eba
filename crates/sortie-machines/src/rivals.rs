//! Which transitions of a synchronous step get in each other's way.

use crate::deeds::Deed;
use crate::index::{Index, Put};
use crate::system::System;

/// For systems with more transitions the table would be too large; then all are taken for rivals.
const MOST: usize = 1 << 10;

/// For every transition a set, all in one list: those of the same machine, and those that do not commute with it.
#[derive(Debug, Default)]
pub(crate) struct Rivals {
    sets: Vec<u64>,
    /// How many words a set has.
    words: usize,
}

impl Rivals {
    pub(crate) fn new(system: &System, index: &Index) -> Self {
        let count = system.transitions.len();
        if count > MOST {
            return Rivals::default();
        }
        let words = count.div_ceil(64);
        let mut sets = vec![0; words * count];
        let mut add = |to: usize, other: usize| {
            sets[to * words + other / 64] |= 1 << (other % 64);
        };
        for one in 0..count {
            for other in one + 1..count {
                let same = index.owner[one] == index.owner[other];
                if same || !commute(index, one, other) {
                    add(one, other);
                    add(other, one);
                }
            }
        }
        Rivals { sets, words }
    }

    /// The rivals of a transition in a system of at most 64.
    #[inline]
    pub(crate) fn of_few(&self, transition: u32) -> u64 {
        self.sets[transition as usize]
    }

    /// Whether it matters in which order, or at all, a transition is taken where these can be, too.
    #[inline]
    pub(crate) fn has_any(&self, transition: u32, offered: &[u64]) -> bool {
        if let ([offered], 1) = (offered, self.words) {
            return self.sets[transition as usize] & offered != 0;
        }
        let first = transition as usize * self.words;
        let Some(rivals) = self.sets.get(first..first + offered.len()) else {
            return true;
        };
        let common = rivals.iter().zip(offered).map(|(a, b)| a & b);
        common.fold(0, |all, common| all | common) != 0
    }
}

/// Whether two transitions of different machines lead to the same state in either order.
fn commute(index: &Index, one: usize, other: usize) -> bool {
    let (deed, against) = (&index.deeds[one], &index.deeds[other]);
    if *deed == Deed::Code || *against == Deed::Code {
        return !index.touches[one].interferes(&index.touches[other]);
    }
    let agree = |put: &Put| {
        let mut others = index.puts_of(other).iter();
        others.all(|other| other.machine != put.machine || other.mark == put.mark)
    };
    index.puts_of(one).iter().all(agree) && deed.commutes(against)
}
