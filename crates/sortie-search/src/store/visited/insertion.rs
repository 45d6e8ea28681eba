//! Inserting states by several threads at once, with the numbers and parents that one thread would have given.
//!
//! Each state has an owner, who alone touches its shard of the table: a line of memory that two processors write takes as long as one that is in no cache,
//! and so does a locked instruction behind it. Of the successors a thread finds it inserts at once those that it owns, and sends the others to their owners, who insert them
//! when all states are expanded. So states arrive in any order, and of all steps to a new state the first in the order of one thread counts. In the end, new states are
//! counted in that order, which gives their numbers.

use super::divided::{Arena, Divided, Place};
use super::outbox::{MOST_STEPS, Outbox, Sent, message_length, order_of};
use super::{NO_PARENT, StateId, VisitedSet};
use crate::parallel::team::Tasks;
use crate::store::packed::Layout;
use crate::store::table::{Lookup, SHARDS, ShardGroup};
use sortie_model::Exactness;
use std::ops::Range;
use std::sync::{Mutex, RwLock};

/// More states than this are inserted by one thread.
const MOST: u64 = 1 << 31;

/// So many are looked up at once.
const AHEAD: usize = 32;

/// So many parts of a batch for each thread: who is done early takes another one.
const PARTS: usize = 32;

/// A state has room for so many steps at least in the order of all steps; then for twice as many, and so on.
const FEWEST_STEPS: u32 = 16;

const UNHURT: &str = "a thread that panics ends the search";

/// What the threads of an insertion share.
#[derive(Debug)]
pub(crate) struct Insertion {
    /// By owner.
    tables: Vec<Mutex<OwnerTable>>,
    outboxes: Vec<RwLock<Outbox>>,
    new_states: Vec<RwLock<NewStates>>,
    /// Those of the set from when all states are expanded.
    arenas: Vec<Mutex<Arena>>,
    /// By owner: how many states it had before.
    known: Vec<u32>,
    /// What is told of the batch, cut into as many pieces as there are owners.
    pieces: Vec<Mutex<Piece>>,
    /// Of a phase, for each of its rounds.
    tasks: [Tasks; 2],
    /// The numbers of the states that are expanded.
    numbers: Range<u32>,
    /// For how many steps of each there is room.
    room: u32,
    /// The layout that all states are to have.
    wider: Option<Layout>,
    marks: Marks,
}

/// Where an owner finds its states.
#[derive(Debug, Default)]
#[repr(align(128))]
struct OwnerTable {
    group: ShardGroup,
    /// The keys of those that are new.
    keys: Vec<u64>,
}

/// What is told of new states.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Piece {
    /// Where new states are, in the order of their numbers.
    places: Vec<Place>,
    /// The states they were first reached from.
    parents: Vec<StateId>,
}

/// What is new at an owner.
#[derive(Debug, Default)]
#[repr(align(128))]
struct NewStates {
    /// The first steps to the states, in the order of all steps.
    orders: Vec<u32>,
    /// By step in that order: whether it led to one of them.
    marks: Vec<u64>,
}

/// Where a thread puts the successors it finds.
pub(crate) struct Sender<'a> {
    divided: &'a Divided,
    layout: &'a Layout,
    own: usize,
    table: &'a mut OwnerTable,
    new_states: &'a mut NewStates,
    outbox: &'a mut Outbox,
    /// How many are not inserted yet.
    kept: usize,
    /// The order of the first step of the state that is expanded.
    begin: u32,
    room: u32,
}

impl VisitedSet {
    /// Whether several threads can insert now.
    pub(crate) fn is_shareable(&self) -> bool {
        let found_by_hash = self.has_table() || self.divided.is_some();
        let exact = self.exactness == Exactness::Exact && self.parents.is_some();
        found_by_hash && exact && self.count < MOST
    }
}

impl Insertion {
    /// For so many threads.
    pub(crate) fn new(threads: usize) -> Insertion {
        let owners = threads.clamp(1, SHARDS);
        let all = || 0..owners;
        Insertion {
            tables: all().map(|_| Mutex::default()).collect(),
            outboxes: all().map(|_| RwLock::new(Outbox::new(owners))).collect(),
            new_states: all().map(|_| RwLock::default()).collect(),
            arenas: all().map(|_| Mutex::default()).collect(),
            known: Vec::new(),
            pieces: all().map(|_| Mutex::default()).collect(),
            tasks: [Tasks::new(owners), Tasks::new(owners)],
            numbers: 0..0,
            room: u64::BITS,
            wider: None,
            marks: Marks::default(),
        }
    }

    /// How many states can be expanded together at most: all their steps must have a place in one order.
    pub(crate) fn most_states(&self) -> u32 {
        (MOST_STEPS / self.room).max(1)
    }

    /// The states with these numbers can be expanded from now on. Until the [end](Self::finish) nothing is found in the set.
    pub(crate) fn begin(&mut self, seen: &mut VisitedSet, numbers: Range<u32>) {
        seen.divide(self.tables.len());
        let divided = seen.divided.as_mut().expect("it was divided just now");
        for (table, group) in self.tables.iter_mut().zip(divided.groups.drain(..)) {
            table.get_mut().expect(UNHURT).group = group;
        }
        for outbox in &mut self.outboxes {
            outbox.get_mut().expect(UNHURT).close();
        }
        self.numbers = numbers;
    }

    /// Another phase begins.
    pub(crate) fn begin_phase(&self) {
        self.tasks.iter().for_each(Tasks::reset);
    }

    /// Calls `visit` with every state and its number, and with where its successors go, until it says that it is enough. Done by all threads.
    pub(crate) fn expand(
        &self,
        thread: usize,
        seen: &VisitedSet,
        mut visit: impl FnMut(u32, &mut Sender<'_>) -> bool,
    ) {
        let Some(divided) = &seen.divided else {
            return;
        };
        // More threads than owners: the others can only wait.
        let (Some(table), Some(outbox), Some(new_states)) = (
            self.tables.get(thread),
            self.outboxes.get(thread),
            self.new_states.get(thread),
        ) else {
            return;
        };
        let table = &mut *table.lock().expect(UNHURT);
        let outbox = &mut *outbox.write().expect(UNHURT);
        let new_states = &mut *new_states.write().expect(UNHURT);
        table.group.reallocate_locally();
        outbox.begin(seen.layout.units());
        let mut sender = Sender {
            divided,
            layout: &seen.layout,
            own: thread,
            table,
            new_states,
            outbox,
            kept: 0,
            begin: 0,
            room: self.room,
        };
        let parts = self.tables.len() * PARTS;
        let length = self.numbers.len().div_ceil(parts) as u32;
        let mut last = 0;
        self.tasks[0].each(thread, parts, |part| {
            if part < last {
                sender.outbox.tell_all();
            }
            last = part;
            let begin = self.numbers.start + part as u32 * length;
            for number in begin..(begin + length).min(self.numbers.end) {
                sender.begin = (number - self.numbers.start) * self.room;
                if !visit(number, &mut sender) {
                    return;
                }
            }
        });
        sender.flush();
    }

    /// All states are expanded. Whether something that was sent does not fit, so that all states are to be [laid out](Insertion::repack) anew.
    pub(crate) fn gather(&mut self, seen: &mut VisitedSet) -> bool {
        let divided = seen.divided.as_mut().expect("it is divided");
        self.known.clear();
        for (place, arena) in self.arenas.iter_mut().zip(divided.arenas.drain(..)) {
            self.known.push(arena.states as u32);
            *place.get_mut().expect(UNHURT) = arena;
        }
        let outboxes = self.outboxes.iter_mut();
        let outboxes = outboxes.map(|outbox| &*outbox.get_mut().expect(UNHURT));
        let outboxes: Vec<&Outbox> = outboxes.collect();
        let mut words = vec![0; seen.width];
        let wide = outboxes
            .iter()
            .flat_map(|outbox| outbox.wide_states(seen.width));
        for state in wide {
            for (all, word) in words.iter_mut().zip(state) {
                *all |= word;
            }
        }
        if words.iter().all(|word| *word == 0) {
            return false;
        }
        let units = seen.layout.units();
        let sent = outboxes.iter().flat_map(|outbox| outbox.keys(units));
        let arenas = self.arenas.iter_mut();
        let known = arenas.map(|arena| &arena.get_mut().expect(UNHURT).keys);
        let tables = self.tables.iter_mut();
        let new = tables.map(|table| &table.get_mut().expect(UNHURT).keys);
        let kept = known.chain(new).flat_map(|keys| keys.chunks_exact(units));
        self.wider = Some(seen.layout.widened(&words, kept.chain(sent)));
        true
    }

    /// Changes all states to the new layout. Done by all threads.
    pub(crate) fn repack(&self, thread: usize, seen: &VisitedSet) {
        let Some(wider) = &self.wider else {
            return;
        };
        self.tasks[0].each_own(thread, |own| {
            let known = &mut self.arenas[own].lock().expect(UNHURT).keys;
            let new = &mut self.tables[own].lock().expect(UNHURT).keys;
            for keys in [known, new] {
                seen.layout.repack(wider, keys);
            }
            let outbox = &mut *self.outboxes[own].write().expect(UNHURT);
            outbox.repack(&seen.layout, wider, seen.width);
        });
    }

    /// All states have the new layout.
    pub(crate) fn finish_repacking(&mut self, seen: &mut VisitedSet) {
        seen.layout = self.wider.take().expect("states were laid out anew");
    }

    /// Inserts what was sent. Done by all threads.
    pub(crate) fn absorb(&self, thread: usize, seen: &VisitedSet) {
        let steps = self.numbers.len() as u32 * self.room;
        let units = seen.layout.units();
        self.tasks[0].each_own(thread, |own| {
            let table = &mut *self.tables[own].lock().expect(UNHURT);
            let new_states = &mut *self.new_states[own].write().expect(UNHURT);
            let arena = self.arenas[own].lock().expect(UNHURT);
            for outbox in &self.outboxes {
                let outbox = outbox.read().expect(UNHURT);
                table.insert(new_states, &arena, outbox.messages(own), units);
            }
            new_states.mark(steps);
        });
    }

    /// Counts what is new.
    pub(crate) fn count(&mut self) {
        let new_states = self.new_states.iter_mut();
        let marks = new_states.map(|new_states| &new_states.get_mut().expect(UNHURT).marks);
        self.marks.count(marks);
    }

    /// Gives what is new its numbers. Done by all threads.
    pub(crate) fn settle(&self, thread: usize, seen: &VisitedSet) {
        let Some(divided) = &seen.divided else {
            return;
        };
        self.tasks[0].each_own(thread, |own| {
            let keys = &mut self.tables[own].lock().expect(UNHURT).keys;
            let states = self.new_states[own].read().expect(UNHURT).orders.len();
            self.arenas[own].lock().expect(UNHURT).add(keys, states);
        });
        let all = self.marks.all as usize;
        self.tasks[1].each_own(thread, |number| {
            let piece = &mut *self.pieces[number].lock().expect(UNHURT);
            let pieces = self.pieces.len();
            let range = all * number / pieces..all * (number + 1) / pieces;
            piece.places.resize(range.len(), Place::default());
            piece.parents.resize(range.len(), NO_PARENT);
            for (owner, new_states) in self.new_states.iter().enumerate() {
                let new_states = new_states.read().expect(UNHURT);
                for (index, order) in (self.known[owner]..).zip(&new_states.orders) {
                    let place = (self.marks.before(*order) as usize).checked_sub(range.start);
                    if let Some(place) = place.filter(|place| *place < range.len()) {
                        piece.places[place] = divided.place_of(owner, index);
                        piece.parents[place] = StateId(self.numbers.start + order / self.room);
                    }
                }
            }
        });
    }

    /// All that was inserted is in the set now; no state had more steps than this.
    pub(crate) fn finish(&mut self, seen: &mut VisitedSet, most_steps: u32) {
        let divided = seen.divided.as_mut().expect("it is divided");
        let parents = seen.parents.as_mut();
        let parents = parents.expect("states with parents are divided");
        for (arena, piece) in self.arenas.iter_mut().zip(&mut self.pieces) {
            let piece = piece.get_mut().expect(UNHURT);
            divided
                .arenas
                .push(std::mem::take(arena.get_mut().expect(UNHURT)));
            divided.add(&piece.places);
            parents.extend_from_slice(&piece.parents);
        }
        seen.count = divided.len() as u64;
        self.give_back(seen);
        if most_steps <= self.room / 4 {
            self.room = (self.room / 2).max(FEWEST_STEPS);
        }
    }

    /// Nothing was inserted, and some state has so many steps.
    pub(crate) fn withdraw(&mut self, seen: &mut VisitedSet, most_steps: u32) {
        self.give_back(seen);
        let divided = seen.divided.as_mut().expect("it is divided");
        divided.forget_new();
        for outbox in &mut self.outboxes {
            outbox.get_mut().expect(UNHURT).forget();
        }
        self.room = most_steps.max(FEWEST_STEPS).next_power_of_two();
    }

    fn give_back(&mut self, seen: &mut VisitedSet) {
        let divided = seen.divided.as_mut().expect("it is divided");
        for (table, new_states) in self.tables.iter_mut().zip(&mut self.new_states) {
            let table = table.get_mut().expect(UNHURT);
            divided.groups.push(std::mem::take(&mut table.group));
            table.keys.clear();
            new_states.get_mut().expect(UNHURT).orders.clear();
        }
    }
}

impl Sender<'_> {
    /// Whether the state with this hash is known here; others may know it, too.
    pub(crate) fn knows(&self, hash: u64, state: &[u32]) -> bool {
        let units = self.layout.units();
        let arena = &self.divided.arenas[self.own];
        let same = |index: u32| {
            let key = self.table.key(arena, index as usize, units);
            self.layout.is(key, state)
        };
        let found = || self.table.group.shard(hash).find(hash, same);
        self.divided.owner(hash) == self.own && matches!(found(), Lookup::Found(_))
    }

    /// For how many steps of a state there is room.
    pub(crate) fn room(&self) -> u32 {
        self.room
    }

    /// Puts the target of a step where it belongs.
    #[inline]
    pub(crate) fn send(&mut self, hash: u64, state: &[u32], step: u32) {
        let order = self.begin + step;
        let owner = self.divided.owner(hash);
        let sent = self.outbox.send(owner, self.layout, (hash, state), order);
        self.kept += usize::from(sent == Sent::Now && owner == self.own);
        if self.kept == AHEAD {
            self.flush();
        }
    }

    /// Inserts what is kept. They are inserted together, as lookups that wait for memory do not wait for one another then.
    fn flush(&mut self) {
        let units = self.layout.units();
        let kept = &self.outbox.messages(self.own)[..self.kept * message_length(units)];
        let arena = &self.divided.arenas[self.own];
        self.table.insert(self.new_states, arena, kept, units);
        self.outbox.clear_own(self.own);
        self.kept = 0;
    }
}

impl NewStates {
    /// Marks the steps, of so many, that led to new states.
    fn mark(&mut self, steps: u32) {
        self.marks.clear();
        self.marks.resize(steps.div_ceil(u64::BITS) as usize, 0);
        for order in &self.orders {
            self.marks[(order / u64::BITS) as usize] |= 1 << (order % u64::BITS);
        }
    }
}

impl OwnerTable {
    /// The key of a state, which may be a new one.
    #[inline]
    fn key<'a>(&'a self, arena: &'a Arena, index: usize, units: usize) -> &'a [u64] {
        let known = arena.states;
        match index.checked_sub(known) {
            Some(new) => &self.keys[new * units..][..units],
            None => arena.key(index, units),
        }
    }

    /// Reads what lookups will read; these reads do not wait for one another.
    #[inline]
    fn warm(&self, arena: &Arena, hashes: impl Iterator<Item = u64>, units: usize) {
        let mut read = 0;
        for hash in hashes {
            let likely = self.group.shard(hash).likely(hash);
            if let Some(key) = likely.and_then(|index| arena.keys.get(index as usize * units)) {
                read ^= key;
            }
        }
        std::hint::black_box(read);
    }

    /// Inserts states of so many units.
    fn insert(
        &mut self,
        new_states: &mut NewStates,
        arena: &Arena,
        messages: &[u64],
        units: usize,
    ) {
        let orders = &mut new_states.orders;
        // The compiler knows how to compare short keys.
        match units {
            1 => self.insert_with(orders, arena, messages, 1, is_same::<1>),
            2 => self.insert_with(orders, arena, messages, 2, is_same::<2>),
            3 => self.insert_with(orders, arena, messages, 3, is_same::<3>),
            _ => self.insert_with(orders, arena, messages, units, |a, b| a == b),
        }
    }

    #[inline(always)]
    fn insert_with(
        &mut self,
        orders: &mut Vec<u32>,
        arena: &Arena,
        messages: &[u64],
        units: usize,
        same: impl Fn(&[u64], &[u64]) -> bool,
    ) {
        let known = arena.states;
        let length = message_length(units);
        for messages in messages.chunks(length * AHEAD) {
            self.warm(arena, messages.iter().step_by(length).copied(), units);
            for message in messages.chunks_exact(length) {
                let [head, key @ ..] = message else {
                    continue;
                };
                let order = order_of(*head);
                let same = |index: u32| same(self.key(arena, index as usize, units), key);
                match self.group.shard(*head).find(*head, same) {
                    Lookup::Found(index) => {
                        if let Some(new) = (index as usize).checked_sub(known) {
                            orders[new] = orders[new].min(order);
                        }
                    }
                    Lookup::Free(slot) => {
                        let index = known + orders.len();
                        self.group.occupy(*head, slot, index as u32);
                        self.keys.extend_from_slice(key);
                        orders.push(order);
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn is_same<const UNITS: usize>(a: &[u64], b: &[u64]) -> bool {
    a.first_chunk::<UNITS>() == b.first_chunk::<UNITS>()
}

/// Which steps led to a new state, and how many before each.
#[derive(Debug, Default)]
struct Marks {
    /// By 64 steps: which of them, and how many before.
    words: Vec<(u64, u32)>,
    all: u32,
}

impl Marks {
    /// Takes all that is marked together, and counts it.
    fn count<'a>(&mut self, lists: impl Iterator<Item = &'a Vec<u64>>) {
        self.words.clear();
        for marks in lists {
            self.words.resize(marks.len(), (0, 0));
            for (word, marks) in self.words.iter_mut().zip(marks) {
                word.0 |= marks;
            }
        }
        self.all = 0;
        for (marks, before) in &mut self.words {
            *before = self.all;
            self.all += marks.count_ones();
        }
    }

    /// How many are marked before this one.
    #[inline]
    fn before(&self, order: u32) -> u32 {
        let (marks, before) = self.words[(order / u64::BITS) as usize];
        before + (marks & ((1 << (order % u64::BITS)) - 1)).count_ones()
    }
}
