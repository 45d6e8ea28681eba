//! Inserting states by several threads at once, with the numbers and parents that one thread would have given.
//!
//! Each thread owns some shards of the table, and nobody else touches them: a line of memory that two processors write takes as long as one that is in no cache,
//! and so does a locked instruction behind it. Threads therefore send what they find to its owner, who inserts it in the order in which one thread would have met it, under a
//! preliminary number. In the end, new states are counted in that order, which gives their numbers: with those they are laid out one after another, and the
//! table is corrected.

use super::outbox::{Desk, Outbox};
use super::{Seen, StateId};
use crate::packed::Layout;
use crate::table::{Lookup, SHARDS, Shard, shard_of};
use crate::team::Claims;
use sortie_model::Exactness;
use std::ops::Range;
use std::sync::{Mutex, RwLock, RwLockWriteGuard};

/// Preliminary numbers must fit, too.
const MOST: u64 = 1 << 31;

/// So many are looked up at once.
const AHEAD: usize = 16;

const UNHURT: &str = "a thread that panics ends the search";

/// What the threads of an insertion share.
#[derive(Debug)]
pub(crate) struct Insertion {
    /// By owner.
    nests: Vec<Mutex<Nest>>,
    /// By owner: the states that were new.
    broods: Vec<RwLock<Brood>>,
    /// By thread.
    desks: Vec<RwLock<Desk>>,
    /// By shard: whose it is.
    owners: Box<[u8; SHARDS]>,
    inserting: Claims,
    settling: Claims,
    laying: Claims,
    /// New states in the order of their numbers, cut into as many pieces as there are owners.
    pieces: Vec<Mutex<Piece>>,
    marks: Marks,
    /// How many are new.
    count: usize,
    /// How the states are laid out that threads remember.
    layout: Layout,
}

/// What an owner has.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Nest {
    /// The number of the first shard.
    first: usize,
    shards: Vec<Shard>,
    spare: Vec<u64>,
}

/// States that are new, in the order in which one thread would have met them.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Brood {
    hashes: Vec<u64>,
    keys: Vec<u64>,
    parents: Vec<StateId>,
    /// The first steps to them, as all steps are counted.
    orders: Vec<u32>,
}

/// What the store keeps of some states that follow one another.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Piece {
    keys: Vec<u64>,
    parents: Vec<StateId>,
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
        let count = threads.clamp(1, SHARDS);
        let mut owners = Box::new([0; SHARDS]);
        for (shard, owner) in owners.iter_mut().enumerate() {
            *owner = (shard * count / SHARDS) as u8;
        }
        let nest = |number: usize| Nest {
            first: (number * SHARDS).div_ceil(count),
            ..Nest::default()
        };
        Insertion {
            nests: (0..count).map(|number| Mutex::new(nest(number))).collect(),
            broods: (0..count).map(|_| RwLock::default()).collect(),
            desks: (0..threads)
                .map(|_| RwLock::new(Desk::new(count)))
                .collect(),
            owners,
            inserting: Claims::new(count),
            settling: Claims::new(count),
            laying: Claims::new(count),
            pieces: (0..count).map(|_| Mutex::default()).collect(),
            count: 0,
            marks: Marks::default(),
            layout: Layout::new(0),
        }
    }

    /// From now on threads can send what they find. What they sent before is in the set, or was [withdrawn](Self::withdraw).
    pub(crate) fn open(&mut self, seen: &Seen) {
        if self.layout != seen.layout {
            self.withdraw();
            self.layout = seen.layout.clone();
        }
        for desk in &mut self.desks {
            let desk = desk.get_mut().expect(UNHURT);
            desk.remember(seen.layout.units());
        }
    }

    /// What was sent will not be inserted.
    pub(crate) fn withdraw(&mut self) {
        for desk in &mut self.desks {
            desk.get_mut().expect(UNHURT).forget();
        }
    }

    /// Where thread number so and so begins to send.
    pub(crate) fn desk(&self, thread: usize) -> RwLockWriteGuard<'_, Desk> {
        let mut desk = self.desks[thread].write().expect(UNHURT);
        desk.begin();
        desk
    }

    /// Sends a successor to its owner, found by this step of those of an outbox; false if it does not fit into the layout of the set.
    #[inline]
    pub(crate) fn send(
        &self,
        desk: &mut Desk,
        seen: &Seen,
        (hash, state): (u64, &[u32]),
        step: u32,
    ) -> bool {
        let owner = usize::from(self.owners[shard_of(hash)]);
        desk.send(owner, &seen.layout, hash, state, step)
    }

    /// What was sent can be [inserted](Self::insert) from now on. Until the [end](Self::finish) the set has no table.
    pub(crate) fn begin(&mut self, seen: &mut Seen) {
        let mut shards = seen.table.lend();
        for (number, nest) in self.nests.iter_mut().enumerate() {
            let nest = nest.get_mut().expect(UNHURT);
            let of_owner = self.owners.iter().filter(|o| usize::from(**o) == number);
            nest.shards.extend(shards.by_ref().take(of_owner.count()));
        }
        self.inserting.reset();
        self.settling.reset();
        self.laying.reset();
    }

    /// Inserts what is in the outboxes, which follow one another. Done by all threads.
    pub(crate) fn insert(&self, thread: usize, seen: &Seen, outboxes: &[RwLock<Outbox>]) {
        self.inserting.each(thread, |owner| {
            let nest = &mut *self.nests[owner].lock().expect(UNHURT);
            let brood = &mut *self.broods[owner].write().expect(UNHURT);
            brood.clear();
            let mut before = 0;
            for outbox in outboxes {
                let outbox = outbox.read().expect(UNHURT);
                let desk = self.desks[outbox.thread].read().expect(UNHURT);
                brood.hatch(nest, seen, &outbox, desk.letters(&outbox, owner), before);
                before += outbox.steps();
            }
        });
    }

    /// Counts what is new, of so many steps.
    pub(crate) fn count(&mut self, steps: u32) {
        self.marks.clear(steps);
        self.count = 0;
        for brood in &mut self.broods {
            let orders = &brood.get_mut().expect(UNHURT).orders;
            self.count += orders.len();
            for order in orders {
                self.marks.set(*order);
            }
        }
        self.marks.count();
    }

    /// Gives what is new its numbers, and lays it out. Done by all threads.
    pub(crate) fn settle(&self, thread: usize, seen: &Seen) {
        self.settling.each(thread, |owner| {
            let brood = self.broods[owner].read().expect(UNHURT);
            let nest = &mut *self.nests[owner].lock().expect(UNHURT);
            nest.renumber(&brood, seen.count as u32, &self.marks);
        });
        self.laying.each(thread, |number| {
            let piece = &mut *self.pieces[number].lock().expect(UNHURT);
            let pieces = self.pieces.len();
            let places = self.count * number / pieces..self.count * (number + 1) / pieces;
            piece.make_room(places.len(), seen.layout.units());
            for brood in &self.broods {
                let brood = brood.read().expect(UNHURT);
                piece.take(&brood, &places, &self.marks, seen.layout.units());
            }
        });
    }

    /// All that was inserted is in the set now.
    pub(crate) fn finish(&mut self, seen: &mut Seen) {
        for nest in &mut self.nests {
            let nest = nest.get_mut().expect(UNHURT);
            seen.table.give_back(nest.shards.drain(..));
        }
        for piece in &mut self.pieces {
            let piece = piece.get_mut().expect(UNHURT);
            seen.keys.extend(&piece.keys);
            if let Some(parents) = &mut seen.parents {
                parents.extend(&piece.parents);
            }
        }
        seen.count += self.count as u64;
    }
}

impl Nest {
    #[inline]
    fn shard(&self, hash: u64) -> &Shard {
        &self.shards[shard_of(hash) - self.first]
    }

    /// Puts the numbers of new states into the table, where so many states were there before.
    fn renumber(&mut self, brood: &Brood, before: u32, marks: &Marks) {
        let mut number = before;
        for (hashes, orders) in brood.hashes.chunks(AHEAD).zip(brood.orders.chunks(AHEAD)) {
            let warm = hashes.iter().map(|hash| self.shard(*hash).likely(*hash));
            std::hint::black_box(warm.flatten().max());
            for (hash, order) in hashes.iter().zip(orders) {
                let shard = &mut self.shards[shard_of(*hash) - self.first];
                shard.renumber(*hash, number, before + marks.before(*order));
                number += 1;
            }
        }
    }

    /// Reads what lookups will read; these reads do not wait for one another.
    #[inline]
    fn warm<'a>(&self, seen: &Seen, hashes: impl Iterator<Item = &'a u64>) {
        let units = seen.layout.units();
        let mut read = 0;
        for &hash in hashes {
            let likely = self.shard(hash).likely(hash);
            if let Some(key) = likely.and_then(|number| seen.keys.get(number as usize * units)) {
                read ^= key;
            }
        }
        std::hint::black_box(read);
    }
}

impl Brood {
    fn clear(&mut self) {
        self.hashes.clear();
        self.keys.clear();
        self.parents.clear();
        self.orders.clear();
    }

    /// Inserts what an outbox has for this owner, where so many steps come before those of the outbox.
    fn hatch(&mut self, nest: &mut Nest, seen: &Seen, outbox: &Outbox, words: &[u64], before: u32) {
        let record = seen.layout.units() + 2;
        let mut source = 0;
        for records in words.chunks(record * AHEAD) {
            nest.warm(seen, records.iter().step_by(record));
            for record in records.chunks_exact(record) {
                let [hash, key @ .., step] = record else {
                    continue;
                };
                if !self.enter(nest, seen, *hash, key) {
                    continue;
                }
                let step = *step as u32;
                while outbox.ends[source] <= step {
                    source += 1;
                }
                self.parents.push(StateId(outbox.first + source as u32));
                self.orders.push(before + step);
            }
        }
    }

    /// Whether a state is new.
    #[inline]
    fn enter(&mut self, nest: &mut Nest, seen: &Seen, hash: u64, key: &[u64]) -> bool {
        let units = key.len();
        let known = seen.count as u32;
        let same = |number: u32| {
            let place = number.checked_sub(known);
            let (keys, place) = place.map_or((&seen.keys, number), |place| (&self.keys, place));
            let other = &keys[place as usize * units..][..units];
            other.iter().zip(key).all(|(a, b)| a == b)
        };
        let shard = &mut nest.shards[shard_of(hash) - nest.first];
        let Lookup::Free(slot) = shard.find(hash, same) else {
            return false;
        };
        let number = known + self.hashes.len() as u32;
        shard.occupy(hash, slot, number, &mut nest.spare);
        self.hashes.push(hash);
        self.keys.extend(key);
        true
    }
}

impl Piece {
    fn make_room(&mut self, length: usize, units: usize) {
        self.keys.resize(length * units, 0);
        self.parents.resize(length, StateId(0));
    }

    /// Takes over those states that belong into these places.
    fn take(&mut self, brood: &Brood, places: &Range<usize>, marks: &Marks, units: usize) {
        let place = |order: u32| marks.before(order) as usize;
        let first = brood
            .orders
            .partition_point(|order| place(*order) < places.start);
        for (index, order) in brood.orders.iter().enumerate().skip(first) {
            let place = place(*order);
            if place >= places.end {
                return;
            }
            let to = place - places.start;
            let key = &brood.keys[index * units..][..units];
            self.keys[to * units..][..units].copy_from_slice(key);
            self.parents[to] = brood.parents[index];
        }
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
