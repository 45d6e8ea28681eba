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
    /// Room for the entries of a shard while it grows.
    spare: Vec<u64>,
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
            spare: Vec::new(),
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

    /// In place, since getting and giving back memory takes long where there are several threads.
    #[cold]
    fn grow(&mut self, spare: &mut Vec<u64>) {
        let larger = match self.slots.len() {
            slots @ ..LARGE => slots * 3 / 2,
            slots => slots * 5 / 4,
        };
        spare.clear();
        spare.extend(self.slots.iter().filter(|&&slot| slot != 0));
        self.slots.fill(0);
        self.slots.resize(larger, 0);
        for &slot in &*spare {
            let mut at = self.home((slot >> 32) as u32);
            while self.slots[at] != 0 {
                at = if at + 1 == larger { 0 } else { at + 1 };
            }
            self.slots[at] = slot;
        }
    }

    #[inline(always)]
    fn find(&self, hash: u64, same: impl Fn(u32) -> bool) -> Lookup {
        let tag = tag_of(hash);
        let mut at = self.home(tag);
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return Lookup::Free(at);
            }
            let number = (slot as u32).wrapping_sub(1);
            if (slot >> 32) as u32 == tag && same(number) {
                return Lookup::Found(number);
            }
            at += 1;
            if at == self.slots.len() {
                at = 0;
            }
        }
    }

    #[inline]
    fn likely(&self, hash: u64) -> Option<u32> {
        let tag = tag_of(hash);
        let slot = self.slots[self.home(tag)];
        (slot != 0 && (slot >> 32) as u32 == tag).then(|| slot as u32 - 1)
    }

    #[inline]
    fn occupy(&mut self, hash: u64, slot: usize, number: u32, spare: &mut Vec<u64>) {
        self.slots[slot] = u64::from(tag_of(hash)) << 32 | u64::from(number + 1);
        self.used += 1;
        if self.used * 4 > self.slots.len() * 3 {
            self.grow(spare);
        }
    }
}

/// The shards of some of all hashes, lent by a table to one of several threads.
#[derive(Debug, Default)]
pub struct Portion {
    shards: Vec<Shard>,
    spare: Vec<u64>,
}

impl Portion {
    /// [`Table::find`] for a hash of this portion.
    #[inline(always)]
    pub fn find(&self, hash: u64, same: impl Fn(u32) -> bool) -> Lookup {
        self.shards[self.place(hash)].find(hash, same)
    }

    /// [`Table::likely`] for a hash of this portion.
    #[inline]
    pub fn likely(&self, hash: u64) -> Option<u32> {
        self.shards[self.place(hash)].likely(hash)
    }

    /// [`Table::occupy`] for a hash of this portion.
    #[inline]
    pub fn occupy(&mut self, hash: u64, slot: usize, number: u32) {
        let place = self.place(hash);
        self.shards[place].occupy(hash, slot, number, &mut self.spare);
    }

    /// Gives a state that was put into this slot another number.
    #[inline]
    pub fn renumber(&mut self, hash: u64, slot: usize, before: u32, now: u32) {
        let place = self.place(hash);
        let shard = &mut self.shards[place];
        let old = u64::from(tag_of(hash)) << 32 | u64::from(before + 1);
        let slot = match shard.slots.get_mut(slot) {
            Some(slot) if *slot == old => slot,
            // The shard has grown meanwhile.
            _ => {
                let home = shard.home(tag_of(hash));
                let (wrapped, after) = shard.slots.split_at_mut(home);
                let slot = after.iter_mut().chain(wrapped).find(|slot| **slot == old);
                slot.expect("the state is in the table")
            }
        };
        *slot = *slot >> 32 << 32 | u64::from(now + 1);
    }

    /// The shards of a portion are neighbours, and there are as many in each.
    fn place(&self, hash: u64) -> usize {
        shard_of(hash) % self.shards.len()
    }
}

/// Which of so many portions a hash belongs to; the number is a power of two.
#[inline]
pub(crate) fn portion_of(hash: u64, portions: usize) -> usize {
    shard_of(hash) / ((1 << SHARD_BITS) / portions)
}

/// The largest number of portions of a table.
pub(crate) const PORTIONS: usize = 1 << SHARD_BITS;

impl Table {
    /// Looks for a state with this hash for which `same` holds.
    #[inline(always)]
    pub fn find(&self, hash: u64, same: impl Fn(u32) -> bool) -> Lookup {
        self.shards[shard_of(hash)].find(hash, same)
    }

    /// The number at the place where this hash belongs, if it is likely the right one.
    #[inline]
    pub fn likely(&self, hash: u64) -> Option<u32> {
        self.shards[shard_of(hash)].likely(hash)
    }

    /// Puts a number into the slot that [`find`](Table::find) gave for the same hash just before.
    #[inline]
    pub fn occupy(&mut self, hash: u64, slot: usize, number: u32) {
        self.shards[shard_of(hash)].occupy(hash, slot, number, &mut self.spare);
    }

    /// Lends all shards, a power of two of portions; until they are given back, nothing can be found.
    pub(crate) fn lend<'a>(&mut self, portions: impl ExactSizeIterator<Item = &'a mut Portion>) {
        let each = PORTIONS / portions.len();
        let mut shards = self.shards.drain(..);
        portions.for_each(|portion| portion.shards.extend(shards.by_ref().take(each)));
    }

    /// Takes shards back, portion after portion.
    pub(crate) fn take_back(&mut self, portion: &mut Portion) {
        self.shards.append(&mut portion.shards);
    }

    /// Memory in bytes.
    pub fn bytes(&self) -> u64 {
        let slots = self.shards.iter().map(|shard| shard.slots.len());
        (slots.sum::<usize>() + self.spare.capacity()) as u64 * 8
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
