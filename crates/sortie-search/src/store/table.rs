//! An open-addressing table from hashes to state numbers, in shards.
//!
//! A slot holds 32 bits of the hash beside the number, so a lookup reads the state itself only when it is very
//! likely the right one, and growing needs no state at all. Shards grow one at a time, small ones by half and large ones by a quarter, which keeps the
//! peak low: a large table costs between 10.7 and 13.4 bytes per state.

/// Two to this power shards.
pub(crate) const SHARD_BITS: u32 = 6;
pub(crate) const SHARDS: usize = 1 << SHARD_BITS;
const SMALLEST: usize = 16;
/// A shard with so many slots is large.
const LARGE: usize = 1 << 12;
/// So many slots are read at once.
const AHEAD: usize = 16;

/// Finds state numbers by hash.
#[derive(Debug)]
pub struct Table {
    shards: Vec<Shard>,
    /// By thread: room for the entries of a shard while it grows.
    spare: Vec<Vec<u64>>,
}

/// The entries of those hashes that begin alike.
#[derive(Debug)]
pub(crate) struct Shard {
    /// Hash bits above, number plus one below; zero is free.
    slots: Vec<u64>,
    used: usize,
    /// Whether it lies in memory of the thread that has it for itself.
    is_local: bool,
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
            slots: vec![0; SMALLEST],
            used: 0,
            is_local: false,
        };
        Table {
            shards: (0..SHARDS).map(shard).collect(),
            spare: vec![Vec::new()],
        }
    }
}

/// The shard a hash belongs to.
#[inline]
pub(crate) fn shard_of(hash: u64) -> usize {
    (hash >> (64 - SHARD_BITS)) as usize
}

/// So many of the lowest bits of a hash are not looked at.
pub(crate) const IGNORED_BITS: u32 = 64 - SHARD_BITS - u32::BITS;

fn tag_of(hash: u64) -> u32 {
    (hash >> IGNORED_BITS) as u32
}

fn entry(tag: u32, number: u32) -> u64 {
    u64::from(tag) << 32 | u64::from(number + 1)
}

impl Shard {
    /// Order-preserving, so that growing moves entries in sequence.
    #[inline]
    fn home(&self, tag: u32) -> usize {
        ((u64::from(tag) * self.slots.len() as u64) >> 32) as usize
    }

    /// Looks for a state with this hash for which `same` holds.
    #[inline(always)]
    pub(crate) fn find(&self, hash: u64, same: impl Fn(u32) -> bool) -> Lookup {
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

    /// What is in the slot where this hash belongs.
    #[inline]
    fn at_home(&self, hash: u64) -> u64 {
        self.slots[self.home(tag_of(hash))]
    }

    /// The number at the place where this hash belongs, if it is likely the right one.
    #[inline]
    pub(crate) fn likely(&self, hash: u64) -> Option<u32> {
        let tag = tag_of(hash);
        let slot = self.at_home(hash);
        (slot != 0 && (slot >> 32) as u32 == tag).then(|| slot as u32 - 1)
    }

    /// Puts in a number for a hash whose state is not there.
    #[inline]
    fn add(&mut self, hash: u64, number: u32, spare: &mut Vec<u64>) {
        if let Lookup::Free(slot) = self.find(hash, |_| false) {
            self.occupy(hash, slot, number, spare);
        }
    }

    /// Puts a number into the slot that [`find`](Shard::find) gave for the same hash just before.
    #[inline]
    pub(crate) fn occupy(&mut self, hash: u64, slot: usize, number: u32, spare: &mut Vec<u64>) {
        self.slots[slot] = entry(tag_of(hash), number);
        self.used += 1;
        if self.used * 4 > self.slots.len() * 3 {
            self.grow(spare);
        }
    }

    /// The numbers of all states, in no order.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u32> {
        let taken = self.slots.iter().filter(|slot| **slot != 0);
        taken.map(|slot| *slot as u32 - 1)
    }

    /// Gives all states other numbers.
    pub(crate) fn renumber(&mut self, number: impl Fn(u32) -> u32) {
        for slot in self.slots.iter_mut().filter(|slot| **slot != 0) {
            *slot = entry((*slot >> 32) as u32, number(*slot as u32 - 1));
        }
    }

    /// Forgets the states from this number on.
    pub(crate) fn keep_below(&mut self, number: u32, spare: &mut Vec<u64>) {
        for slot in &mut self.slots {
            *slot *= u64::from(*slot as u32 <= number);
        }
        self.lay_out(self.slots.len(), spare);
    }

    /// Memory in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.slots.len() * 8
    }

    /// In place, since getting and giving back memory takes long where there are several threads.
    #[cold]
    fn grow(&mut self, spare: &mut Vec<u64>) {
        let larger = match self.slots.len() {
            slots @ ..LARGE => slots * 3 / 2,
            slots => slots * 5 / 4,
        };
        self.lay_out(larger, spare);
    }

    /// Puts all entries where they belong in so many slots.
    fn lay_out(&mut self, slots: usize, spare: &mut Vec<u64>) {
        // Which slots are free cannot be foretold, so the loop does not ask.
        spare.resize(spare.len().max(self.used + 1), 0);
        let mut count = 0;
        for slot in &self.slots {
            spare[count] = *slot;
            count += usize::from(*slot != 0);
        }
        self.used = count;
        self.slots.fill(0);
        self.slots.resize(slots, 0);
        for &slot in &spare[..count] {
            let mut at = self.home((slot >> 32) as u32);
            while self.slots[at] != 0 {
                at = if at + 1 == slots { 0 } else { at + 1 };
            }
            self.slots[at] = slot;
        }
    }
}

/// Some shards of a table that one thread has for itself.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct ShardGroup {
    /// The number of the first shard.
    first: usize,
    pub(crate) shards: Vec<Shard>,
    spare: Vec<u64>,
}

impl ShardGroup {
    /// Takes all shards into memory of the calling thread, unless they are there. What grows stays in the memory where it began, and threads that get some from
    /// the same wait for one another.
    pub(crate) fn reallocate_locally(&mut self) {
        let mut left = Vec::new();
        for shard in self.shards.iter_mut().filter(|shard| !shard.is_local) {
            let own = shard.slots.clone();
            // What a thread gives back it gets again when it asks for as much, so this is given back last.
            left.push(std::mem::replace(&mut shard.slots, own));
            shard.is_local = true;
        }
    }

    #[inline]
    pub(crate) fn shard(&self, hash: u64) -> &Shard {
        &self.shards[shard_of(hash) - self.first]
    }

    /// Puts a state into the slot that was found for it.
    #[inline]
    pub(crate) fn occupy(&mut self, hash: u64, slot: usize, index: u32) {
        let shard = &mut self.shards[shard_of(hash) - self.first];
        shard.occupy(hash, slot, index, &mut self.spare);
    }

    /// Finds nothing any more with this number or a larger one.
    pub(crate) fn keep_below(&mut self, number: u32) {
        for shard in &mut self.shards {
            shard.keep_below(number, &mut self.spare);
        }
    }

    /// Puts in numbers from `first` on for those of the hashes that belong here. Their states are not there.
    pub(crate) fn add_all(&mut self, first: u32, hashes: impl Iterator<Item = u64>) {
        self.reallocate_locally();
        let range = self.first..self.first + self.shards.len();
        let own = |(hash, _): &(u64, u32)| range.contains(&shard_of(*hash));
        let mut own = hashes.zip(first..).filter(own);
        let mut ahead = [(0, 0); AHEAD];
        loop {
            let mut count = 0;
            let mut read = 0;
            for (place, entry) in ahead.iter_mut().zip(&mut own) {
                *place = entry;
                count += 1;
                read ^= self.shard(entry.0).at_home(entry.0);
            }
            std::hint::black_box(read);
            for (hash, number) in &ahead[..count] {
                let ShardGroup { shards, spare, .. } = self;
                shards[shard_of(*hash) - range.start].add(*hash, *number, spare);
            }
            if count < AHEAD {
                return;
            }
        }
    }

    /// Memory in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let table: usize = self.shards.iter().map(Shard::bytes).sum();
        table + self.spare.capacity() * 8
    }
}

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
        self.shards[shard_of(hash)].occupy(hash, slot, number, &mut self.spare[0]);
    }

    /// Takes the table apart: so many groups have the shards, in order, and room to grow them.
    pub(crate) fn divide(self, count: usize) -> Vec<ShardGroup> {
        let mut shards = self.shards.into_iter();
        let mut spare = self.spare.into_iter();
        let mut first = 0;
        let groups = (1..=count).map(|next| {
            let end = (next * SHARDS).div_ceil(count);
            let group = ShardGroup {
                first,
                shards: shards.by_ref().take(end - first).collect(),
                spare: spare.next().unwrap_or_default(),
            };
            first = end;
            group
        });
        groups.collect()
    }

    /// The table that was taken apart.
    pub(crate) fn of_groups(groups: impl IntoIterator<Item = ShardGroup>) -> Table {
        let (mut shards, mut spare) = (Vec::with_capacity(SHARDS), Vec::new());
        for group in groups {
            shards.extend(group.shards);
            spare.push(group.spare);
        }
        Table { shards, spare }
    }

    /// Memory in bytes. Of the spare room, that of one thread is counted, so that threads do not show.
    pub fn bytes(&self) -> u64 {
        let shards = self.shards.iter().map(Shard::bytes);
        let spare = shards.clone().max().unwrap_or(0);
        (shards.sum::<usize>() + spare) as u64
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
    fn numbers_put_in_by_several_threads_are_found() {
        for threads in [1, 2, 3, 7] {
            let mut table = Table::default();
            let hash = |i: u32| Fingerprint::of_words(&[i]).low();
            for first in (0..60_000).step_by(20_000) {
                let mut groups = table.divide(threads);
                for group in &mut groups {
                    group.add_all(first, (first..first + 20_000).map(hash));
                }
                table = Table::of_groups(groups);
            }
            for i in 0..60_000 {
                assert_eq!(table.find(hash(i), |n| n == i), Lookup::Found(i));
            }
        }
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
