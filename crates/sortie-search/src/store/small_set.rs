//! A set of states of one or two words, stored in the table itself.
//!
//! A lookup touches one place in memory instead of two, and a state costs 10.7 to 16 bytes in all. It knows no numbers,
//! so it serves searches that keep their own path.

use crate::store::table::{SHARD_BITS, shard_of};

const SMALLEST: usize = 16;
const FREE: u64 = u64::MAX;

/// The states, each packed into 64 bits.
#[derive(Clone, Debug)]
pub struct SmallSet {
    shards: Vec<Shard>,
    /// Whether the state that looks like a free slot is there.
    has_free: bool,
}

#[derive(Clone, Debug)]
struct Shard {
    slots: Vec<u64>,
    used: usize,
}

/// Spreads the bits of a state. The set is exact, so this decides nothing but speed.
fn spread(state: u64) -> u64 {
    let product = u128::from(state ^ 0x9e37_79b9_7f4a_7c15) * u128::from(0xd6e8_feb8_6659_fd93u64);
    (product as u64 ^ (product >> 64) as u64).wrapping_mul(0xa076_1d64_78bd_642f)
}

fn pack(state: &[u32]) -> u64 {
    match *state {
        [a] => u64::from(a),
        [a, b] => u64::from(a) | (u64::from(b) << 32),
        _ => unreachable!("small sets are for states of one or two words"),
    }
}

impl Shard {
    fn home(&self, hash: u64) -> usize {
        let below_shard = hash << SHARD_BITS;
        ((u128::from(below_shard) * self.slots.len() as u128) >> 64) as usize
    }

    /// Where the state is, or where it belongs.
    #[inline]
    fn find(&self, hash: u64, state: u64) -> (usize, bool) {
        let mut at = self.home(hash);
        loop {
            let slot = self.slots[at];
            if slot == state || slot == FREE {
                return (at, slot == state);
            }
            at += 1;
            if at == self.slots.len() {
                at = 0;
            }
        }
    }

    fn grow(&mut self) {
        let larger = self.slots.len() * 3 / 2;
        let old = std::mem::replace(&mut self.slots, vec![FREE; larger]);
        for state in old.into_iter().filter(|&state| state != FREE) {
            let (at, _) = self.find(spread(state), state);
            self.slots[at] = state;
        }
    }
}

impl Default for SmallSet {
    fn default() -> Self {
        let shard = Shard {
            slots: vec![FREE; SMALLEST],
            used: 0,
        };
        SmallSet {
            shards: vec![shard; 1 << SHARD_BITS],
            has_free: false,
        }
    }
}

impl SmallSet {
    /// Whether the state is there.
    #[inline]
    pub fn contains(&self, state: &[u32]) -> bool {
        let state = pack(state);
        if state == FREE {
            return self.has_free;
        }
        let hash = spread(state);
        self.shards[shard_of(hash)].find(hash, state).1
    }

    /// Reads what lookups of these states, given one after another, will read. The reads do not wait for one another, which
    /// lookups do.
    #[inline]
    pub fn warm(&self, words: &[u32], width: usize) {
        let mut read = 0;
        for state in words.chunks_exact(width) {
            let hash = spread(pack(state));
            let shard = &self.shards[shard_of(hash)];
            read ^= shard.slots[shard.home(hash)];
        }
        std::hint::black_box(read);
    }

    /// Adds a state; whether it is new.
    #[inline]
    pub fn insert(&mut self, state: &[u32]) -> bool {
        let state = pack(state);
        if state == FREE {
            return !std::mem::replace(&mut self.has_free, true);
        }
        let hash = spread(state);
        let shard = &mut self.shards[shard_of(hash)];
        let (at, there) = shard.find(hash, state);
        if !there {
            shard.slots[at] = state;
            shard.used += 1;
            if shard.used * 4 > shard.slots.len() * 3 {
                shard.grow();
            }
        }
        !there
    }

    /// All states, in no particular order, as two words each.
    pub fn states(&self) -> impl Iterator<Item = [u32; 2]> {
        let stored = self
            .shards
            .iter()
            .flat_map(|shard| &shard.slots)
            .copied()
            .filter(|&state| state != FREE);
        stored
            .chain(self.has_free.then_some(FREE))
            .map(|state| [state as u32, (state >> 32) as u32])
    }

    /// Memory in bytes.
    pub fn bytes(&self) -> u64 {
        self.shards
            .iter()
            .map(|shard| shard.slots.len() as u64 * 8)
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn it_is_a_set() {
        let mut dice = sortie_model::Dice::new(1);
        let mut set = SmallSet::default();
        let mut reference = HashSet::new();
        for _ in 0..100_000 {
            let state = [dice.below(300) as u32, u32::MAX - dice.below(300) as u32];
            assert_eq!(set.contains(&state), reference.contains(&state));
            assert_eq!(set.insert(&state), reference.insert(state));
        }
        assert!(set.insert(&[u32::MAX, u32::MAX]) != reference.contains(&[u32::MAX, u32::MAX]));
        assert!(set.contains(&[u32::MAX, u32::MAX]) && !set.insert(&[u32::MAX, u32::MAX]));
        reference.insert([u32::MAX, u32::MAX]);
        assert_eq!(set.states().collect::<HashSet<_>>(), reference);
    }
}
