//! Inserting what several threads found, by several threads, with the numbers and parents that one thread would have given.
//!
//! Threads that expand states put every successor, packed, into the bucket of its portion of the table. Then one thread for each portion looks
//! them up, in order; what is new gets a preliminary number. New states are counted in the order in which one thread would have met them, which gives
//! their numbers: with those they are laid out one after another, and the table is corrected. While they work, threads never wait for a lock, and each
//! stays within a part of the table that is more likely to be at hand than all of it.

use super::{Seen, StateId};
use crate::packed::Layout;
use crate::table::{Lookup, PORTIONS, Portion, portion_of};
use crate::team::Tasks;
use sortie_model::Exactness;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// So many states are looked up at once.
const AHEAD: usize = 16;

/// Preliminary numbers must fit, too.
const MOST: u64 = 1 << 31;

/// So many portions for each thread: who is done early takes another one.
const SPARE: usize = 8;

fn portions_for(threads: usize) -> usize {
    (threads * SPARE).next_power_of_two().min(PORTIONS)
}

/// The successors that one thread met, in order.
#[derive(Debug)]
pub(crate) struct Arrivals {
    buckets: Vec<Bucket>,
    count: u32,
    /// Whether each of them could be packed.
    fit: bool,
}

/// Those whose hashes belong to one portion of the table.
#[derive(Debug, Default)]
struct Bucket {
    arrivals: Vec<Arrival>,
    units: Vec<u64>,
}

#[derive(Clone, Copy, Debug)]
struct Arrival {
    hash: u64,
    parent: StateId,
    /// Among all that the thread met.
    order: u32,
}

impl Arrivals {
    /// An empty list for one of so many threads.
    pub(crate) fn new(threads: usize) -> Arrivals {
        Arrivals {
            buckets: (0..portions_for(threads))
                .map(|_| Bucket::default())
                .collect(),
            count: 0,
            fit: true,
        }
    }

    /// Forgets all and keeps the memory.
    pub(crate) fn clear(&mut self) {
        for bucket in &mut self.buckets {
            bucket.arrivals.clear();
            bucket.units.clear();
        }
        self.count = 0;
        self.fit = true;
    }

    /// Whether all states have room in the layout that they were packed with.
    pub(crate) fn fit(&self) -> bool {
        self.fit
    }

    #[inline]
    fn add(&mut self, layout: &Layout, hash: u64, state: &[u32], parent: StateId) {
        let portion = portion_of(hash, self.buckets.len());
        let bucket = &mut self.buckets[portion];
        bucket.arrivals.push(Arrival {
            hash,
            parent,
            order: self.count,
        });
        self.fit &= layout.append(state, &mut bucket.units);
        self.count += 1;
    }
}

impl Bucket {
    #[inline(always)]
    fn key(&self, index: u32, units: usize) -> &[u64] {
        &self.units[index as usize * units..][..units]
    }
}

/// Short ones, for which a call would take longer.
#[inline(always)]
fn equal(a: &[u64], b: &[u64]) -> bool {
    a.iter().zip(b).all(|(a, b)| a == b)
}

impl Seen {
    /// Whether arrivals can be inserted now.
    pub(crate) fn takes_arrivals(&self) -> bool {
        let has_table = self.small.is_none() && self.direct.is_none();
        has_table && self.exactness == Exactness::Exact && self.count < MOST
    }

    /// Adds a state to a list of arrivals.
    #[inline]
    pub(crate) fn arrive(&self, list: &mut Arrivals, hash: u64, state: &[u32], parent: StateId) {
        list.add(&self.layout, hash, state, parent);
    }
}

/// What the threads of an insertion share. Its phases are to be done by all threads, each phase after the one before: [`sift`](Self::sift),
/// [`mark`](Self::mark), [`settle`](Self::settle).
#[derive(Debug)]
pub(crate) struct Insertion {
    portions: Vec<Mutex<Portion>>,
    /// By portion, in the order in which they were found there.
    newcomers: Vec<RwLock<Vec<Newcomer>>>,
    /// By list: which of it are new.
    marks: Vec<RwLock<Marks>>,
    /// By list: those, in order.
    states: Vec<Mutex<States>>,
    sifting: Tasks,
    marking: Tasks,
    renumbering: Tasks,
    filling: Tasks,
}

/// States as the store keeps them.
#[derive(Debug, Default)]
struct States {
    keys: Vec<u64>,
    parents: Vec<StateId>,
}

/// An arrival that was not there before.
#[derive(Clone, Copy, Debug)]
struct Newcomer {
    list: u32,
    /// In its bucket.
    index: u32,
    /// Where it was put, while its shard does not grow.
    slot: u32,
}

impl Insertion {
    /// For so many threads and so many lists of arrivals.
    pub(crate) fn new(threads: usize, lists: usize) -> Insertion {
        let portions = portions_for(threads);
        Insertion {
            portions: (0..portions).map(|_| Mutex::default()).collect(),
            newcomers: (0..portions).map(|_| RwLock::default()).collect(),
            marks: (0..lists).map(|_| RwLock::default()).collect(),
            states: (0..lists).map(|_| Mutex::default()).collect(),
            sifting: Tasks::default(),
            marking: Tasks::default(),
            renumbering: Tasks::default(),
            filling: Tasks::default(),
        }
    }

    /// Before the first phase.
    pub(crate) fn begin(&self, seen: &mut Seen) {
        let mut portions: Vec<_> = self.portions.iter().map(lock).collect();
        seen.table
            .lend(portions.iter_mut().map(|portion| &mut **portion));
        let tasks = [
            &self.sifting,
            &self.marking,
            &self.renumbering,
            &self.filling,
        ];
        tasks.into_iter().for_each(Tasks::reset);
    }

    /// After the last phase: all arrivals of all lists, in order, are in the set.
    pub(crate) fn finish(&self, seen: &mut Seen) {
        for portion in &self.portions {
            seen.table.take_back(&mut lock(portion));
        }
        for states in &self.states {
            let States { keys, parents } = &*lock(states);
            seen.count += parents.len() as u64;
            seen.keys.extend_from_slice(keys);
            if let Some(all) = &mut seen.parents {
                all.extend_from_slice(parents);
            }
        }
    }

    /// Finds out what is new.
    pub(crate) fn sift(&self, seen: &Seen, lists: &[&Arrivals]) {
        let before = Before::of(seen);
        self.sifting.each(self.portions.len(), |portion| {
            self.sift_portion(portion, before, lists);
        });
    }

    /// Counts what is new.
    pub(crate) fn mark(&self, lists: &[&Arrivals]) {
        self.marking
            .each(lists.len(), |list| self.mark_list(list, lists));
    }

    /// Puts what is new in its place.
    pub(crate) fn settle(&self, seen: &Seen, lists: &[&Arrivals]) {
        let before = Before::of(seen);
        self.renumbering.each(self.portions.len(), |portion| {
            self.renumber(portion, before, lists);
        });
        self.filling
            .each(lists.len(), |list| self.fill(list, before, lists));
    }

    /// Looks up all arrivals of a portion; what is new is numbered in the order in which it is found here.
    fn sift_portion(&self, number: usize, before: Before<'_>, lists: &[&Arrivals]) {
        let portion = &mut *lock(&self.portions[number]);
        let newcomers = &mut *write(&self.newcomers[number]);
        newcomers.clear();
        for (list, arrivals) in (0..).zip(lists) {
            let bucket = &arrivals.buckets[number];
            for (index, arrival) in (0..).zip(&bucket.arrivals) {
                if index as usize % AHEAD == 0 {
                    before.warm(portion, &bucket.arrivals[index as usize..]);
                }
                let key = bucket.key(index, before.units);
                let same = |found: u32| match found.checked_sub(before.count) {
                    None => equal(before.key(found), key),
                    Some(new) => {
                        let Newcomer { list, index, .. } = newcomers[new as usize];
                        let bucket = &lists[list as usize].buckets[number];
                        equal(bucket.key(index, before.units), key)
                    }
                };
                if let Lookup::Free(slot) = portion.find(arrival.hash, same) {
                    let preliminary = before.count + newcomers.len() as u32;
                    portion.occupy(arrival.hash, slot, preliminary);
                    newcomers.push(Newcomer {
                        list,
                        index,
                        slot: slot as u32,
                    });
                }
            }
        }
    }

    /// Marks what is new in a list.
    fn mark_list(&self, number: usize, lists: &[&Arrivals]) {
        let list = lists[number];
        let marks = &mut *write(&self.marks[number]);
        marks.clear(list.count);
        for (portion, bucket) in list.buckets.iter().enumerate() {
            let newcomers = read(&self.newcomers[portion]);
            for newcomer in &newcomers[of_list(&newcomers, number)] {
                marks.set(bucket.arrivals[newcomer.index as usize].order);
            }
        }
        marks.count();
    }

    /// Puts the final numbers into the table.
    fn renumber(&self, number: usize, before: Before<'_>, lists: &[&Arrivals]) {
        let portion = &mut *lock(&self.portions[number]);
        let newcomers = read(&self.newcomers[number]);
        let mut first = before.count;
        for (list, arrivals) in lists.iter().enumerate() {
            let bucket = &arrivals.buckets[number];
            let marks = read(&self.marks[list]);
            for place in of_list(&newcomers, list) {
                let Newcomer { index, slot, .. } = newcomers[place];
                let Arrival { hash, order, .. } = bucket.arrivals[index as usize];
                let preliminary = before.count + place as u32;
                let number = first + marks.number(order);
                portion.renumber(hash, slot as usize, preliminary, number);
            }
            first += marks.all;
        }
    }

    /// Lays out what is new in a list.
    fn fill(&self, number: usize, before: Before<'_>, lists: &[&Arrivals]) {
        let units = before.units;
        let list = lists[number];
        let States { keys, parents } = &mut *lock(&self.states[number]);
        let marks = read(&self.marks[number]);
        keys.resize(marks.all as usize * units, 0);
        parents.resize(marks.all as usize, super::NO_PARENT);
        for (portion, bucket) in list.buckets.iter().enumerate() {
            let newcomers = read(&self.newcomers[portion]);
            for newcomer in &newcomers[of_list(&newcomers, number)] {
                let Arrival { order, parent, .. } = bucket.arrivals[newcomer.index as usize];
                let place = marks.number(order) as usize;
                let key = bucket.key(newcomer.index, units);
                let room = &mut keys[place * units..][..units];
                room.iter_mut().zip(key).for_each(|(to, from)| *to = *from);
                parents[place] = parent;
            }
        }
    }
}

/// The states before an insertion.
#[derive(Clone, Copy)]
struct Before<'a> {
    keys: &'a [u64],
    units: usize,
    count: u32,
}

impl<'a> Before<'a> {
    fn of(seen: &'a Seen) -> Self {
        Before {
            keys: &seen.keys,
            units: seen.layout.units(),
            count: seen.count as u32,
        }
    }

    #[inline(always)]
    fn key(&self, number: u32) -> &[u64] {
        &self.keys[number as usize * self.units..][..self.units]
    }

    /// Reads what the next lookups will read; the reads do not wait for one another.
    #[inline]
    fn warm(&self, portion: &Portion, next: &[Arrival]) {
        let mut read = 0;
        for arrival in next.iter().take(AHEAD) {
            if let Some(number) = portion.likely(arrival.hash)
                && number < self.count
            {
                read ^= self.keys[number as usize * self.units];
            }
        }
        std::hint::black_box(read);
    }
}

/// The newcomers that are of a list. They come list after list.
fn of_list(newcomers: &[Newcomer], list: usize) -> Range<usize> {
    let end = |list: usize| newcomers.partition_point(|n| (n.list as usize) < list);
    end(list)..end(list + 1)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect(UNHURT)
}

fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().expect(UNHURT)
}

fn write<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().expect(UNHURT)
}

const UNHURT: &str = "no thread panics during an insertion";

/// Which arrivals of a list are new, and how many before each.
#[derive(Debug, Default)]
struct Marks {
    bits: Vec<u64>,
    /// By word of bits.
    before: Vec<u32>,
    all: u32,
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
        self.all = 0;
        for bits in &self.bits {
            self.before.push(self.all);
            self.all += bits.count_ones();
        }
    }

    /// How many are marked before this one.
    #[inline]
    fn number(&self, order: u32) -> u32 {
        let word = (order / u64::BITS) as usize;
        let earlier = self.bits[word] & ((1 << (order % u64::BITS)) - 1);
        self.before[word] + earlier.count_ones()
    }
}
