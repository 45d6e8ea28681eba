//! An open-addressing table from hashes to state numbers, in shards.
//!
//! A slot holds 32 bits of the hash beside the number, so a lookup reads the state itself only when it is very
//! likely the right one, and growing needs no state at all. Shards grow one at a time, small ones by half and large ones by a quarter, which keeps the
//! peak low: a large table costs between 10.7 and 13.4 bytes per state.

use std::sync::atomic::{AtomicU64, Ordering};

/// Two to this power shards.
pub(crate) const SHARD_BITS: u32 = 6;
pub(crate) const SHARDS: usize = 1 << SHARD_BITS;
const SMALLEST: usize = 16;
/// A shard with so many slots is large.
const LARGE: usize = 1 << 12;

/// Finds state numbers by hash.
#[derive(Debug)]
pub struct Table {
    shards: Vec<Shard>,
    /// Room for the entries of a shard while it grows.
    spare: Vec<u64>,
}

#[derive(Debug)]
pub(crate) struct Shard {
    /// Hash bits above, number plus one below; zero is free. Atomic for those who [enter](Table::enter) at the same time.
    slots: Vec<AtomicU64>,
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
        let shard = |_| Shard {
            slots: slots(SMALLEST),
            used: 0,
        };
        Table {
            shards: (0..SHARDS).map(shard).collect(),
            spare: Vec::new(),
        }
    }
}

fn slots(count: usize) -> Vec<AtomicU64> {
    (0..count).map(|_| AtomicU64::new(0)).collect()
}

/// The shard a hash belongs to.
pub(crate) fn shard_of(hash: u64) -> usize {
    (hash >> (64 - SHARD_BITS)) as usize
}

fn tag_of(hash: u64) -> u32 {
    (hash >> 26) as u32
}

fn entry(tag: u32, number: u32) -> u64 {
    u64::from(tag) << 32 | u64::from(number + 1)
}

impl Shard {
    /// Order-preserving, so that growing moves entries in sequence.
    fn home(&self, tag: u32) -> usize {
        ((u64::from(tag) * self.slots.len() as u64) >> 32) as usize
    }

    /// Whether it should grow before so many more are in it.
    pub(crate) fn is_full(&self, more: usize) -> bool {
        (self.used + more) * 4 > self.slots.len() * 3
    }

    /// In place, since getting and giving back memory takes long where there are several threads.
    #[cold]
    pub(crate) fn grow(&mut self, spare: &mut Vec<u64>) {
        let larger = match self.slots.len() {
            slots @ ..LARGE => slots * 3 / 2,
            slots => slots * 5 / 4,
        };
        spare.clear();
        for slot in &mut self.slots {
            let slot = std::mem::take(slot.get_mut());
            if slot != 0 {
                spare.push(slot);
            }
        }
        self.slots.resize_with(larger, AtomicU64::default);
        for &slot in &*spare {
            let mut at = self.home((slot >> 32) as u32);
            while *self.slots[at].get_mut() != 0 {
                at = if at + 1 == larger { 0 } else { at + 1 };
            }
            *self.slots[at].get_mut() = slot;
        }
    }
}

impl Table {
    /// Looks for a state with this hash for which `same` holds.
    #[inline(always)]
    pub fn find(&self, hash: u64, same: impl Fn(u32) -> bool) -> Lookup {
        let shard = &self.shards[shard_of(hash)];
        let tag = tag_of(hash);
        let mut at = shard.home(tag);
        loop {
            let slot = shard.slots[at].load(Ordering::Relaxed);
            if slot == 0 {
                return Lookup::Free(at);
            }
            let number = (slot as u32).wrapping_sub(1);
            if (slot >> 32) as u32 == tag && same(number) {
                return Lookup::Found(number);
            }
            at += 1;
            if at == shard.slots.len() {
                at = 0;
            }
        }
    }

    /// The number at the place where this hash belongs, if it is likely the right one.
    #[inline]
    pub fn likely(&self, hash: u64) -> Option<u32> {
        let shard = &self.shards[shard_of(hash)];
        let tag = tag_of(hash);
        let slot = shard.slots[shard.home(tag)].load(Ordering::Relaxed);
        (slot != 0 && (slot >> 32) as u32 == tag).then(|| slot as u32 - 1)
    }

    /// Puts a number into the slot that [`find`](Table::find) gave for the same hash just before.
    #[inline]
    pub fn occupy(&mut self, hash: u64, slot: usize, number: u32) {
        let shard = &mut self.shards[shard_of(hash)];
        *shard.slots[slot].get_mut() = entry(tag_of(hash), number);
        shard.used += 1;
        if shard.is_full(0) {
            shard.grow(&mut self.spare);
        }
    }

    /// Looks for a state as [`find`](Table::find) does, while other threads do the same; if it is not there, it gets this number and is there from now on: then
    /// the answer is its slot; none if there is no room. What was written before a state was entered can be read by all who find it. In the end all is
    /// [noted](Table::note).
    #[inline(always)]
    pub(crate) fn enter(
        &self,
        hash: u64,
        same: impl Fn(u32) -> bool,
        number: u32,
    ) -> Option<Lookup> {
        let shard = &self.shards[shard_of(hash)];
        let tag = tag_of(hash);
        let own = entry(tag, number);
        let home = shard.home(tag);
        let mut at = home;
        loop {
            let mut slot = shard.slots[at].load(Ordering::Acquire);
            if slot == 0 {
                let place = &shard.slots[at];
                match place.compare_exchange(0, own, Ordering::AcqRel, Ordering::Acquire) {
                    Ok(_) => return Some(Lookup::Free(at)),
                    Err(other) => slot = other,
                }
            }
            let number = (slot as u32).wrapping_sub(1);
            if (slot >> 32) as u32 == tag && same(number) {
                return Some(Lookup::Found(number));
            }
            at += 1;
            if at == shard.slots.len() {
                at = 0;
            }
            if at == home {
                return None;
            }
        }
    }

    /// Gives a state that entered another number.
    #[inline]
    pub(crate) fn renumber(&self, shard: usize, slot: usize, number: u32) {
        let place = &self.shards[shard].slots[slot];
        let tag = (place.load(Ordering::Relaxed) >> 32) as u32;
        place.store(entry(tag, number), Ordering::Relaxed);
    }

    /// Takes back a state that entered, if all that entered are taken back.
    pub(crate) fn withdraw(&self, shard: usize, slot: usize) {
        self.shards[shard].slots[slot].store(0, Ordering::Relaxed);
    }

    /// Notes how many entered a shard.
    pub(crate) fn note(&mut self, shard: usize, entered: usize) {
        self.shards[shard].used += entered;
    }

    /// Takes out the shards that should grow before so many more are in each, with their numbers. They must be [put back](Table::put_back).
    pub(crate) fn take_full(&mut self, more: usize) -> Vec<(usize, Shard)> {
        let shards = self.shards.iter_mut().enumerate();
        let full = shards.filter(|(_, shard)| shard.is_full(more));
        let nothing = || Shard {
            slots: Vec::new(),
            used: 0,
        };
        full.map(|(number, shard)| (number, std::mem::replace(shard, nothing())))
            .collect()
    }

    pub(crate) fn put_back(&mut self, number: usize, shard: Shard) {
        self.shards[number] = shard;
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
