//! An open-addressing table from hashes to state numbers, in shards.
//!
//! A slot holds 32 bits of the hash beside the number, so a lookup reads the state itself only when it is very
//! likely the right one, and growing needs no state at all. Shards grow one at a time, small ones by half and large ones by a quarter, which keeps the
//! peak low: a large table costs between 10.7 and 13.4 bytes per state.

/// Two to this power shards.
pub(crate) const SHARD_BITS: u32 = 6;
const SMALLEST: usize = 16;
/// A shard with so many slots is large.
const LARGE: usize = 1 << 12;

/// Finds state numbers by hash.
#[derive(Clone, Debug)]
pub struct Table {
    shards: Vec<Shard>,
    /// Of all shards.
    slots: usize,
}

#[derive(Clone, Debug)]
struct Shard {
    /// Hash bits above, number plus one below; zero is free.
    slots: Vec<u64>,
    used: usize,
}

/// Where a lookup ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// The state has this number.
    Found(u32),
    /// The state is not there; it belongs into this slot.
    Free(usize),
}

impl Default for Table {
    fn default() -> Self {
        let shard = Shard {
            slots: vec![0; SMALLEST],
            used: 0,
        };
        Table {
            shards: vec![shard; 1 << SHARD_BITS],
            slots: SMALLEST << SHARD_BITS,
        }
    }
}

/// The shard a hash belongs to.
pub(crate) fn shard_of(hash: u64) -> usize {
    (hash >> (64 - SHARD_BITS)) as usize
}

fn tag_of(hash: u64) -> u32 {
    (hash >> 26) as u32
}

impl Shard {
    /// Order-preserving, so that growing moves entries in sequence.
    fn home(&self, tag: u32) -> usize {
        ((u64::from(tag) * self.slots.len() as u64) >> 32) as usize
    }

    fn grow(&mut self) {
        let larger = match self.slots.len() {
            slots @ ..LARGE => slots * 3 / 2,
            slots => slots * 5 / 4,
        };
        let old = std::mem::replace(&mut self.slots, vec![0; larger]);
        for slot in old.into_iter().filter(|&slot| slot != 0) {
            let mut at = self.home((slot >> 32) as u32);
            while self.slots[at] != 0 {
                at = if at + 1 == larger { 0 } else { at + 1 };
            }
            self.slots[at] = slot;
        }
    }
}

impl Table {
    /// Looks for a state with this hash for which `same` holds.
    #[inline(always)]
    pub fn find(&self, hash: u64, same: impl Fn(u32) -> bool) -> Lookup {
        let shard = &self.shards[shard_of(hash)];
        let tag = tag_of(hash);
        let home = shard.home(tag);
        let look = |at: usize, slot: u64| {
            if slot == 0 {
                return Some(Lookup::Free(at));
            }
            let number = (slot as u32).wrapping_sub(1);
            ((slot >> 32) as u32 == tag && same(number)).then_some(Lookup::Found(number))
        };
        let (before, after) = shard.slots.split_at(home);
        for (at, slot) in (home..).zip(after) {
            if let Some(found) = look(at, *slot) {
                return found;
            }
        }
        let mut slots = before.iter().enumerate();
        let found = slots.find_map(|(at, slot)| look(at, *slot));
        found.expect("a shard is never full")
    }

    /// The number at the place where this hash belongs, if it is likely the right one.
    #[inline]
    pub fn likely(&self, hash: u64) -> Option<u32> {
        let shard = &self.shards[shard_of(hash)];
        let tag = tag_of(hash);
        let slot = shard.slots[shard.home(tag)];
        (slot != 0 && (slot >> 32) as u32 == tag).then(|| slot as u32 - 1)
    }

    /// Puts a number into the slot that [`find`](Table::find) gave for the same hash just before.
    #[inline]
    pub fn occupy(&mut self, hash: u64, slot: usize, number: u32) {
        let shard = &mut self.shards[shard_of(hash)];
        shard.slots[slot] = u64::from(tag_of(hash)) << 32 | u64::from(number + 1);
        shard.used += 1;
        if shard.used * 4 > shard.slots.len() * 3 {
            let before = shard.slots.len();
            shard.grow();
            self.slots += shard.slots.len() - before;
        }
    }

    /// Memory in bytes.
    pub fn bytes(&self) -> u64 {
        self.slots as u64 * 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sortie_model::Fingerprint;

    #[test]
    fn every_number_is_found_again() {
        let mut table = Table::default();
        let hash = |i: u32| Fingerprint::of_words(&[i]).low();
        for i in 0..100_000 {
            match table.find(hash(i), |n| n == i) {
                Lookup::Free(slot) => table.occupy(hash(i), slot, i),
                Lookup::Found(n) => panic!("{i} found as {n}"),
            }
        }
        for i in 0..100_000 {
            assert_eq!(table.find(hash(i), |n| n == i), Lookup::Found(i));
        }
        assert!(table.bytes() <= 1_700_000, "{} bytes", table.bytes());
    }

    #[test]
    fn equal_hashes_are_told_apart_by_comparison() {
        let mut table = Table::default();
        for i in 0..200 {
            let Lookup::Free(slot) = table.find(7, |n| n == i) else {
                panic!("{i} is new")
            };
            table.occupy(7, slot, i);
        }
        assert_eq!(table.find(7, |n| n == 150), Lookup::Found(150));
    }
}
