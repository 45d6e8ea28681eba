//! Inserting states by several threads at once, with the numbers and parents that one thread would have given.
//!
//! Each thread puts what it finds into the table at once, under a preliminary number, and remembers from where it came. If a state is found again, the
//! earlier origin counts, in the order in which one thread would have met them. In the end, new states are counted in the order of their origins, which gives
//! their numbers: with those they are laid out one after another, and the table is corrected.

use super::{Seen, StateId};
use crate::table::{Lookup, SHARDS, Shard, shard_of};
use crate::team::Tasks;
use sortie_model::Exactness;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Preliminary numbers must fit, too.
const MOST: u64 = 1 << 31;

/// A thread settles so many newcomers, then asks for more.
const CHUNK: usize = 512;

/// A step, by the number of its source and its place among the steps there; in the order in which one thread takes them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    pub(crate) parent: StateId,
    pub(crate) step: u32,
}

impl Origin {
    fn word(self) -> u64 {
        u64::from(self.parent.0) << 32 | u64::from(self.step)
    }

    fn of(word: u64) -> Origin {
        Origin {
            parent: StateId((word >> 32) as u32),
            step: word as u32,
        }
    }
}

/// What the threads of an insertion share.
#[derive(Debug)]
pub(crate) struct Insertion {
    nests: Vec<Nest>,
    /// Of each nest.
    room: usize,
    /// How many will likely enter each shard.
    share: usize,
    /// By shard: how many entered.
    entered: Vec<usize>,
    /// New states in order.
    keys: Vec<AtomicU64>,
    parents: Vec<AtomicU32>,
    marks: Marks,
    settling: Tasks,
    full: Mutex<Vec<(usize, Shard)>>,
    grown: Mutex<Vec<(usize, Shard)>>,
    /// How many states were new in the insertion before.
    last: usize,
}

/// The states that one thread found new, in memory of their own.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Nest {
    keys: Vec<AtomicU64>,
    origins: Vec<AtomicU64>,
    /// Shard and slot.
    places: Vec<AtomicU64>,
    count: AtomicU32,
}

/// What a thread needs to insert.
#[derive(Debug, Default)]
pub(crate) struct Inserter {
    /// How many were new.
    count: u32,
    key: Vec<u64>,
    spare: Vec<u64>,
}

impl Seen {
    /// Whether several threads can insert now.
    pub(crate) fn is_shareable(&self) -> bool {
        let has_table = self.small.is_none() && self.direct.is_none();
        has_table && self.exactness == Exactness::Exact && self.count < MOST
    }
}

impl Insertion {
    /// For so many threads.
    pub(crate) fn new(threads: usize) -> Insertion {
        Insertion {
            nests: (0..threads).map(|_| Nest::default()).collect(),
            room: 0,
            share: 0,
            entered: vec![0; SHARDS],
            keys: Vec::new(),
            parents: Vec::new(),
            marks: Marks::default(),
            settling: Tasks::default(),
            full: Mutex::default(),
            grown: Mutex::default(),
            last: 0,
        }
    }

    /// Makes room for what so many states will likely bring. The shards in want of it are to be [grown](Self::grow) by all threads before
    /// [`begin`](Self::begin); whether there are any.
    pub(crate) fn prepare(&mut self, seen: &mut Seen, states: usize) -> bool {
        self.room = 2 * self.last.max(states) + 1024;
        let units = seen.layout.units();
        for nest in &mut self.nests {
            let length = self.room.max(nest.origins.len());
            nest.keys.resize_with(length * units, AtomicU64::default);
            nest.origins.resize_with(length, AtomicU64::default);
            nest.places.resize_with(length, AtomicU64::default);
        }
        self.share = self.room / SHARDS / 2;
        let full = seen.table.take_full(self.share);
        let any = !full.is_empty();
        *self.full.get_mut().expect(UNHURT) = full;
        any
    }

    /// Done by all threads.
    pub(crate) fn grow(&self, own: &mut Inserter) {
        loop {
            let next = self.full.lock().expect(UNHURT).pop();
            let Some((number, mut shard)) = next else {
                return;
            };
            while shard.is_full(self.share) {
                shard.grow(&mut own.spare);
            }
            self.grown.lock().expect(UNHURT).push((number, shard));
        }
    }

    /// From now on threads may [insert](Self::insert).
    pub(crate) fn begin(&mut self, seen: &mut Seen) {
        for (number, shard) in self.grown.get_mut().expect(UNHURT).drain(..) {
            seen.table.put_back(number, shard);
        }
        for nest in &mut self.nests {
            *nest.count.get_mut() = 0;
        }
    }

    /// Inserts a state, by thread number so and so; false if there is no room for it, and the insertion must be [withdrawn](Self::withdraw).
    #[inline]
    pub(crate) fn insert(
        &self,
        seen: &Seen,
        (thread, own): (usize, &mut Inserter),
        (hash, state): (u64, &[u32]),
        origin: Origin,
    ) -> bool {
        own.key.clear();
        if !seen.layout.append(state, &mut own.key) {
            return false;
        }
        let units = own.key.len();
        let nest = &self.nests[thread];
        let index = own.count as usize;
        if index >= self.room {
            return false;
        }
        let before = seen.count as u32;
        let same = |number: u32| match number.checked_sub(before) {
            None => {
                let key = &seen.keys[number as usize * units..][..units];
                key.iter().zip(&own.key).all(|(a, b)| a == b)
            }
            Some(new) => {
                let (nest, index) = self.nest(new);
                let key = &nest.keys[index * units..][..units];
                let mut both = key.iter().zip(&own.key);
                both.all(|(a, b)| a.load(Ordering::Relaxed) == *b)
            }
        };
        // Others may read it as soon as it is in the table.
        for (word, unit) in nest.keys[index * units..].iter().zip(&own.key) {
            word.store(*unit, Ordering::Relaxed);
        }
        nest.origins[index].store(origin.word(), Ordering::Relaxed);
        let preliminary = before + (thread * self.room + index) as u32;
        match seen.table.enter(hash, same, preliminary) {
            None => return false,
            Some(Lookup::Free(slot)) => {
                let place = (shard_of(hash) as u64) << 32 | slot as u64;
                nest.places[index].store(place, Ordering::Relaxed);
                own.count += 1;
            }
            Some(Lookup::Found(number)) if number >= before => {
                let (nest, index) = self.nest(number - before);
                let earliest = &nest.origins[index];
                if origin.word() < earliest.load(Ordering::Relaxed) {
                    earliest.fetch_min(origin.word(), Ordering::Relaxed);
                }
            }
            Some(Lookup::Found(_)) => {}
        }
        true
    }

    /// Thread number so and so inserts no more.
    pub(crate) fn close(&self, thread: usize, own: &mut Inserter) {
        let count = std::mem::take(&mut own.count);
        self.nests[thread].count.store(count, Ordering::Relaxed);
    }

    /// The nest of a new state, and where it is there.
    #[inline]
    fn nest(&self, new: u32) -> (&Nest, usize) {
        (
            &self.nests[new as usize / self.room],
            new as usize % self.room,
        )
    }

    /// Takes back all that was inserted.
    pub(crate) fn withdraw(&self, seen: &Seen) {
        for nest in &self.nests {
            for index in 0..nest.count.load(Ordering::Relaxed) as usize {
                let (shard, slot) = nest.place(index);
                seen.table.withdraw(shard, slot);
            }
        }
    }

    /// Counts what is new. `orders` tells, by state that was expanded from number `first` on, how many steps all states before it had.
    pub(crate) fn count(&mut self, seen: &Seen, orders: Orders<'_>) {
        self.marks.clear(orders.all());
        self.entered.fill(0);
        let mut all = 0;
        for nest in &self.nests {
            let count = nest.count.load(Ordering::Relaxed) as usize;
            for origin in &nest.origins[..count] {
                let origin = Origin::of(origin.load(Ordering::Relaxed));
                self.marks.set(orders.order(origin));
            }
            for index in 0..count {
                self.entered[nest.place(index).0] += 1;
            }
            all += count;
        }
        self.marks.count();
        let units = seen.layout.units();
        if self.keys.len() < all * units {
            self.keys.resize_with(all * units, AtomicU64::default);
        }
        if self.parents.len() < all {
            self.parents.resize_with(all, AtomicU32::default);
        }
        self.last = all;
        self.settling.reset();
    }

    /// Puts what is new in its place. Done by all threads.
    pub(crate) fn settle(&self, seen: &Seen, orders: Orders<'_>) {
        let chunks = self.room.div_ceil(CHUNK);
        self.settling.each(chunks * self.nests.len(), |task| {
            let nest = &self.nests[task / chunks];
            let begin = task % chunks * CHUNK;
            let count = nest.count.load(Ordering::Relaxed) as usize;
            for index in begin..count.min(begin + CHUNK) {
                self.settle_one(seen, orders, nest, index);
            }
        });
    }

    #[inline]
    fn settle_one(&self, seen: &Seen, orders: Orders<'_>, nest: &Nest, index: usize) {
        let units = seen.layout.units();
        let origin = Origin::of(nest.origins[index].load(Ordering::Relaxed));
        let place = self.marks.before(orders.order(origin));
        let (shard, slot) = nest.place(index);
        seen.table.renumber(shard, slot, seen.count as u32 + place);
        let place = place as usize;
        let from = &nest.keys[index * units..][..units];
        let to = &self.keys[place * units..][..units];
        for (from, to) in from.iter().zip(to) {
            to.store(from.load(Ordering::Relaxed), Ordering::Relaxed);
        }
        self.parents[place].store(origin.parent.0, Ordering::Relaxed);
    }

    /// All that was inserted is in the set now.
    pub(crate) fn finish(&mut self, seen: &mut Seen) {
        let units = seen.layout.units();
        let keys = &mut self.keys[..self.last * units];
        seen.keys.extend(keys.iter_mut().map(|key| *key.get_mut()));
        if let Some(parents) = &mut seen.parents {
            let own = &mut self.parents[..self.last];
            parents.extend(own.iter_mut().map(|parent| StateId(*parent.get_mut())));
        }
        seen.count += self.last as u64;
        for (shard, entered) in self.entered.iter().enumerate() {
            seen.table.note(shard, *entered);
        }
    }
}

const UNHURT: &str = "no thread panics while a shard grows";

impl Nest {
    fn place(&self, index: usize) -> (usize, usize) {
        let place = self.places[index].load(Ordering::Relaxed);
        ((place >> 32) as usize, place as u32 as usize)
    }
}

/// How many steps there are before those of each state that was expanded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Orders<'a> {
    /// The number of the first of the states.
    pub(crate) first: u32,
    /// By state, and one more: of all.
    pub(crate) before: &'a [u32],
}

impl Orders<'_> {
    fn order(&self, origin: Origin) -> u32 {
        self.before[(origin.parent.0 - self.first) as usize] + origin.step
    }

    fn all(&self) -> u32 {
        self.before.last().copied().unwrap_or(0)
    }
}

/// Which steps led to a new state, and how many before each.
#[derive(Debug, Default)]
struct Marks {
    bits: Vec<u64>,
    /// By word of bits.
    before: Vec<u32>,
}

impl Marks {
    fn clear(&mut self, count: u32) {
        self.bits.clear();
        self.bits.resize(count.div_ceil(u64::BITS) as usize, 0);
    }

    fn set(&mut self, order: u32) {
        self.bits[(order / u64::BITS) as usize] |= 1 << (order % u64::BITS);
    }

    fn count(&mut self) {
        self.before.clear();
        let mut all = 0;
        for bits in &self.bits {
            self.before.push(all);
            all += bits.count_ones();
        }
    }

    /// How many are marked before this one.
    #[inline]
    fn before(&self, order: u32) -> u32 {
        let word = (order / u64::BITS) as usize;
        let earlier = self.bits[word] & ((1 << (order % u64::BITS)) - 1);
        self.before[word] + earlier.count_ones()
    }
}
