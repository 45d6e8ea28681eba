//! The states a search has visited, in as much detail as memory allows.
//!
//! Whole states lie one after another in an arena, packed; a state's number is its place. When the limit is near, each
//! state is replaced by its 64-bit fingerprint, and when that is too much, by a few bits in a fixed table. What
//! remains of a state in the arena (its *key*) is enough to find the way back: see [`retrace`](crate::retrace).

mod divided;
mod insertion;
mod outbox;

pub(crate) use insertion::{Insertion, Sender};

use crate::store::bit_table::BitTable;
use crate::store::packed::Layout;
use crate::store::table::{Lookup, ShardGroup, Table};
use divided::{Divided, Place};
use sortie_model::{Exactness, Fingerprint, Model, ModelError};

/// The number of a visited state, in order of visiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateId(pub u32);

/// The initial state's parent.
pub const NO_PARENT: StateId = StateId(u32::MAX);

/// Bits tested per state in bitstate mode.
const PROBES: u64 = 3;

/// Without a memory limit a bitstate table has this many bytes.
const BITSTATE_BYTES: u64 = 64 << 20;

/// The visited states.
#[derive(Debug)]
pub struct VisitedSet {
    exactness: Exactness,
    /// Words of a state in the model.
    width: usize,
    /// Of whole states.
    layout: Layout,
    /// Whole states, or fingerprints. Bitstate mode keeps halves of fingerprints, two in a word, and only if paths are wanted.
    keys: Vec<u64>,
    parents: Option<Vec<StateId>>,
    table: Table,
    /// Instead of the table, for exact states that are dense numbers: by state, its number plus one.
    direct: Option<Vec<u32>>,
    /// Instead of keys and table, for exact states that several threads insert.
    divided: Option<Divided>,
    bits: BitTable,
    count: u64,
}

impl VisitedSet {
    /// An empty set of states of `model`. With `parents`, states are numbered, and each remembers where it was reached
    /// from.
    pub fn new(
        model: &dyn Model,
        exactness: Exactness,
        parents: bool,
        memory: Option<u64>,
    ) -> Self {
        let width = model.width();
        let exact = exactness == Exactness::Exact;
        let mut seen = VisitedSet {
            exactness,
            width,
            layout: Layout::new(width),
            keys: Vec::new(),
            parents: parents.then(Vec::new),
            table: Table::default(),
            direct: (exact && model.identity().traits.dense).then(Vec::new),
            divided: None,
            bits: BitTable::default(),
            count: 0,
        };
        if exactness == Exactness::Bitstate {
            let bytes = memory.map_or(BITSTATE_BYTES, |limit| limit / 2);
            seen.bits = BitTable::new((bytes / 8) as usize);
        }
        seen
    }

    /// A set that has the initial state of `model`, and that state.
    pub fn with_initial(
        model: &dyn Model,
        exactness: Exactness,
        parents: bool,
        memory: Option<u64>,
    ) -> Result<(Self, Vec<u32>), ModelError> {
        let mut seen = VisitedSet::new(model, exactness, parents, memory);
        let mut initial = Vec::new();
        model.initial(&mut initial)?;
        seen.insert(model.fingerprint(&initial).low(), &initial, NO_PARENT);
        Ok((seen, initial))
    }

    /// How states are remembered now.
    pub fn exactness(&self) -> Exactness {
        self.exactness
    }

    /// How many states were inserted.
    pub fn len(&self) -> u64 {
        self.count
    }

    /// Memory in bytes.
    pub fn bytes(&self) -> u64 {
        let parents = self.parents.as_ref().map_or(0, |p| p.len() * 4);
        let table = match self.exactness {
            Exactness::Bitstate => 0,
            _ => self.table.bytes(),
        };
        let direct = self.direct.as_ref().map_or(0, |direct| direct.len() * 4);
        let divided = self.divided.as_ref().map_or(0, Divided::bytes);
        let keys = self.keys.len() * 8;
        (keys + parents + direct) as u64 + self.bits.bytes() + table + divided
    }

    /// Whether the state with this hash, the lower half of its fingerprint, was inserted.
    #[inline]
    pub fn contains(&self, hash: u64, state: &[u32]) -> bool {
        if self.exactness == Exactness::Bitstate {
            return (0..PROBES).all(|probe| self.bits.get(self.bit(hash, probe)));
        }
        if self.divided.is_some() {
            return self.find_divided(hash, state).is_some();
        }
        matches!(self.lookup(hash, state), Lookup::Found(_))
    }

    /// Whether hashes are of no use to this set, so that they need not be computed.
    pub fn ignores_hashes(&self) -> bool {
        self.direct.is_some()
    }

    /// Inserts a state with this hash; its number if it is new.
    #[inline]
    pub fn insert(&mut self, hash: u64, state: &[u32], parent: StateId) -> Option<StateId> {
        if self.divided.is_some() {
            return self.insert_divided(hash, state, parent);
        }
        let number = self.count as u32;
        if self.exactness == Exactness::Bitstate {
            if !self.set_bits(hash) {
                return None;
            }
        } else {
            match self.lookup(hash, state) {
                Lookup::Found(_) => return None,
                Lookup::Free(slot) => match &mut self.direct {
                    Some(direct) => direct_put(direct, state[0], number),
                    None => self.table.occupy(hash, slot, number),
                },
            }
        }
        match self.exactness {
            Exactness::Exact => self.layout.push(state, &mut self.keys),
            Exactness::Fingerprints => self.keys.push(hash),
            Exactness::Bitstate if self.parents.is_some() => self.push_half(number, hash),
            Exactness::Bitstate => {}
        }
        if let Some(parents) = &mut self.parents {
            parents.push(parent);
        }
        self.count += 1;
        Some(StateId(number))
    }

    /// Inserts states that are new and distinct, one after another, with their parents; false, and nothing is done, where they cannot be known to be
    /// that: a store that does not keep whole states takes some of them for others. With so many groups as the table is divided into, `add` puts in numbers from the one it is
    /// given.
    pub(crate) fn insert_distinct(
        &mut self,
        states: &[u32],
        parents_of: &[StateId],
        groups: usize,
        add: impl FnOnce(Vec<ShardGroup>, u32) -> Vec<ShardGroup>,
    ) -> bool {
        if self.exactness != Exactness::Exact || !self.has_table() {
            return false;
        }
        for state in states.chunks_exact(self.width) {
            self.layout.push(state, &mut self.keys);
        }
        if let Some(parents) = &mut self.parents {
            parents.extend_from_slice(parents_of);
        }
        let table = std::mem::replace(&mut self.table, Table::of_groups([]));
        self.table = Table::of_groups(add(table.divide(groups), self.count as u32));
        self.count += (states.len() / self.width) as u64;
        true
    }

    /// The number of a state that was inserted; bitstate mode does not know it.
    pub fn number(&self, hash: u64, state: &[u32]) -> Option<StateId> {
        if self.exactness == Exactness::Bitstate {
            return None;
        }
        if let Some(divided) = &self.divided {
            let place = self.find_divided(hash, state);
            return place.map(|place| divided.number(place));
        }
        match self.lookup(hash, state) {
            Lookup::Found(number) => Some(StateId(number)),
            Lookup::Free(_) => None,
        }
    }

    /// Whether numbers are used up; a search must stop then.
    pub fn is_full(&self) -> bool {
        self.count >= u64::from(u32::MAX - 1)
    }

    /// Reads the state with this number, where whole states are stored; whether that is so.
    pub fn read(&self, id: StateId, state: &mut [u32]) -> bool {
        let whole = self.exactness == Exactness::Exact;
        if whole {
            let key = match &self.divided {
                Some(divided) => divided.key(divided.place(id), self.layout.units()),
                None => self.whole(id.0),
            };
            self.layout.unpack(key, state);
        }
        whole
    }

    #[inline]
    fn whole(&self, number: u32) -> &[u64] {
        let units = self.layout.units();
        let start = number as usize * units;
        &self.keys[start..start + units]
    }

    /// The state from which a state was reached.
    ///
    /// # Panics
    /// When the set was made without parents.
    pub fn parent(&self, id: StateId) -> StateId {
        let parents = self.parents.as_ref();
        parents.expect("parents are asked of sets with parents only")[id.0 as usize]
    }

    /// From the initial state to `id`: what is remembered of each state on the way.
    ///
    /// # Panics
    /// When the set was made without parents.
    pub fn path(&self, id: StateId) -> Vec<Key> {
        let mut path = Vec::new();
        let mut at = id;
        while at != NO_PARENT {
            path.push(self.key(at));
            at = self.parent(at);
        }
        path.reverse();
        path
    }

    fn key(&self, id: StateId) -> Key {
        match self.exactness {
            Exactness::Exact => {
                let mut state = vec![0; self.width];
                self.read(id, &mut state);
                Key::State(state)
            }
            Exactness::Fingerprints => Key::Hash(self.keys[id.0 as usize]),
            Exactness::Bitstate => {
                let both = self.keys[id.0 as usize / 2];
                Key::HalfHash((both >> (32 * (id.0 % 2))) as u32)
            }
        }
    }

    /// Gives up exactness until `bytes()` is within `limit`; the steps taken. Nothing is left to give up in bitstate
    /// mode.
    pub fn shrink_to(&mut self, limit: u64, model: &dyn Model) -> Vec<(Exactness, Exactness)> {
        let mut taken = Vec::new();
        while self.bytes() > limit && self.exactness != Exactness::Bitstate {
            let from = self.exactness;
            if from == Exactness::Exact && self.layout.units() > 1 {
                self.keep_fingerprints(model);
            } else {
                self.keep_bits(limit, model);
            }
            taken.push((from, self.exactness));
        }
        taken
    }

    /// In place: a key is shorter than what it replaces. The table stays, as it works on the same hashes.
    fn keep_fingerprints(&mut self, model: &dyn Model) {
        let mut state = vec![0; self.width];
        for id in 0..self.count as u32 {
            self.read(StateId(id), &mut state);
            self.keys[id as usize] = model.fingerprint(&state).low();
        }
        self.keys.truncate(self.count as usize);
        self.keys.shrink_to_fit();
        self.exactness = Exactness::Fingerprints;
    }

    fn keep_bits(&mut self, limit: u64, model: &dyn Model) {
        // The bits get what the tables give back, or half of the limit if that is less.
        let parents = self.parents.as_ref().map_or(0, |p| p.len() * 4);
        let tables = self.bytes() - (self.keys.len() * 8 + parents) as u64;
        let bytes = tables.min(limit / 2);
        self.table = Table::default();
        self.direct = None;
        self.bits = BitTable::in_pieces((bytes / 8) as usize);
        let mut state = vec![0; self.width];
        let stored = if self.keys.is_empty() { 0 } else { self.count };
        for id in 0..stored as u32 {
            let hash = if self.read(StateId(id), &mut state) {
                model.fingerprint(&state).low()
            } else {
                self.keys[id as usize]
            };
            self.set_bits(hash);
            // In place: what is left of a state comes no later than the state did, which was read already.
            let both = &mut self.keys[id as usize / 2];
            *both = match id % 2 {
                0 => u64::from(hash as u32),
                _ => *both | hash << 32,
            };
        }
        let kept = if self.parents.is_some() { stored } else { 0 };
        self.keys.truncate(kept.div_ceil(2) as usize);
        self.keys.shrink_to_fit();
        self.exactness = Exactness::Bitstate;
    }

    /// Keeps half of the hash of the state with this number, the next one.
    fn push_half(&mut self, number: u32, hash: u64) {
        match self.keys.last_mut() {
            Some(both) if number % 2 == 1 => *both |= hash << 32,
            _ => self.keys.push(u64::from(hash as u32)),
        }
    }

    /// Reads what lookups of states with these hashes, one after another, will read. The reads do not wait for one another,
    /// which lookups do.
    #[inline]
    pub fn warm(&self, hashes: impl Iterator<Item = u64>) {
        if !self.has_table() || self.exactness == Exactness::Bitstate {
            return;
        }
        let units = match self.exactness {
            Exactness::Exact => self.layout.units(),
            _ => 1,
        };
        let mut read = 0;
        for hash in hashes {
            if let Some(number) = self.table.likely(hash) {
                read ^= self.keys[number as usize * units];
            }
        }
        std::hint::black_box(read);
    }

    /// Whether numbers are found by hash, in one table.
    fn has_table(&self) -> bool {
        self.direct.is_none() && self.divided.is_none()
    }

    #[cold]
    fn insert_divided(&mut self, hash: u64, state: &[u32], parent: StateId) -> Option<StateId> {
        if self.find_divided(hash, state).is_some() {
            return None;
        }
        let divided = self.divided.as_mut()?;
        divided.push(hash, state, &mut self.layout);
        self.parents.as_mut()?.push(parent);
        self.count += 1;
        Some(StateId(self.count as u32 - 1))
    }

    /// Divides the states among so many owners, if that is not done.
    fn divide(&mut self, owners: usize) {
        if self.divided.is_none() {
            let table = std::mem::take(&mut self.table);
            let keys = std::mem::take(&mut self.keys);
            let states = self.count as usize;
            self.divided = Some(Divided::new(table, &keys, states, owners));
        }
    }

    /// Puts all states together again that were divided. For a while that takes twice the memory.
    pub(crate) fn unite(&mut self) {
        if let Some(divided) = self.divided.take() {
            let (table, keys) = divided.together(self.layout.units());
            self.table = table;
            self.keys = keys;
        }
    }

    #[cold]
    fn find_divided(&self, hash: u64, state: &[u32]) -> Option<Place> {
        let same = |key: &[u64]| self.layout.is(key, state);
        let divided = self.divided.as_ref()?;
        divided.find(hash, self.layout.units(), same)
    }

    #[inline(always)]
    fn lookup(&self, hash: u64, state: &[u32]) -> Lookup {
        if let Some(direct) = &self.direct {
            return match direct.get(state[0] as usize) {
                None | Some(0) => Lookup::Free(0),
                Some(number) => Lookup::Found(number - 1),
            };
        }
        let table = &self.table;
        match self.exactness {
            Exactness::Exact => table.find(hash, |n| self.layout.is(self.whole(n), state)),
            _ => table.find(hash, |number| self.keys[number as usize] == hash),
        }
    }

    fn bit(&self, hash: u64, probe: u64) -> u64 {
        let mixed = hash
            .wrapping_add(probe << 57)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15 ^ (probe * 0x1234_5676));
        let spread = mixed ^ (mixed >> 29);
        ((u128::from(spread) * u128::from(self.bits.len())) >> 64) as u64
    }

    /// Sets the bits of a hash; whether one of them was new.
    fn set_bits(&mut self, hash: u64) -> bool {
        let mut new = false;
        for probe in 0..PROBES {
            let bit = self.bit(hash, probe);
            new |= self.bits.set(bit);
        }
        new
    }
}

/// Notes the number of a state that is itself a number.
fn direct_put(direct: &mut Vec<u32>, state: u32, number: u32) {
    let index = state as usize;
    if index >= direct.len() {
        direct.resize((index + 1).next_power_of_two(), 0);
    }
    direct[index] = number + 1;
}

/// What a store remembers of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// All of it.
    State(Vec<u32>),
    /// 64 bits of its fingerprint.
    Hash(u64),
    /// 32 bits of its fingerprint.
    HalfHash(u32),
    /// Its fingerprint.
    Print(Fingerprint),
}

impl Key {
    /// Whether this may be what is remembered of `state`.
    pub fn fits(&self, state: &[u32], print: Fingerprint) -> bool {
        match self {
            Key::State(words) => words == state,
            Key::Hash(hash) => *hash == print.low(),
            Key::HalfHash(hash) => *hash == print.low() as u32,
            Key::Print(own) => *own == print,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sortie_model::{Identity, LabelId, ModelError, Steps};

    /// A model that is never run: stores only ask it for fingerprints.
    struct Words(usize);

    impl Model for Words {
        fn identity(&self) -> Identity {
            Identity::new(String::new(), Fingerprint(0))
        }
        fn width(&self) -> usize {
            self.0
        }
        fn initial(&self, _state: &mut Vec<u32>) -> Result<(), ModelError> {
            Ok(())
        }
        fn expand(&self, _state: &[u32], _steps: &mut Steps) -> Result<(), ModelError> {
            Ok(())
        }
        fn label(&self, _label: LabelId) -> String {
            String::new()
        }
    }

    /// Too wide for one unit.
    fn state(i: u32) -> [u32; 3] {
        [i.wrapping_mul(2_654_435_761), !i, 3]
    }

    fn hash(state: &[u32]) -> u64 {
        Fingerprint::of_words(state).low()
    }

    fn fill(seen: &mut VisitedSet, from: u32, to: u32) {
        for i in from..to {
            let state = state(i);
            let parent = if i == 0 { NO_PARENT } else { StateId(i - 1) };
            let number = seen.insert(hash(&state), &state, parent);
            assert_eq!(number, Some(StateId(i)));
        }
    }

    #[test]
    fn states_survive_every_loss_of_exactness() {
        let mut seen = VisitedSet::new(&Words(3), Exactness::Exact, true, None);
        fill(&mut seen, 0, 10_000);
        let check = |seen: &VisitedSet, n: u32| {
            for i in 0..n {
                let state = state(i);
                let known = seen.contains(hash(&state), &state);
                assert!(known, "{i} at {}", seen.exactness());
            }
            let path = seen.path(StateId(n - 1));
            assert_eq!(path.len(), n as usize);
            for (i, key) in path.iter().enumerate() {
                let state = state(i as u32);
                assert!(key.fits(&state, Fingerprint::of_words(&state)));
            }
        };
        check(&seen, 10_000);
        let taken = seen.shrink_to(seen.bytes() - 1, &Words(3));
        assert_eq!(taken, [(Exactness::Exact, Exactness::Fingerprints)]);
        check(&seen, 10_000);
        fill(&mut seen, 10_000, 12_000);
        check(&seen, 12_000);
        let limit = 250_000;
        let taken = seen.shrink_to(limit, &Words(3));
        assert_eq!(taken, [(Exactness::Fingerprints, Exactness::Bitstate)]);
        assert!(seen.bytes() <= limit, "{} bytes", seen.bytes());
        check(&seen, 12_000);
    }

    /// Hypothesis: with 2^20 bits and 20,000 states the three probes hit set bits independently. The chance of
    /// overlooking a new state is then (1 - e^(-60000/2^20))^3 = 1.8e-4; over 20,000 new states 3.5 are expected,
    /// and more than 20 in one of 10^9 cases.
    #[test]
    fn bitstate_overlooks_few_states() {
        let mut seen = VisitedSet::new(&Words(1), Exactness::Bitstate, false, Some(2 << 17));
        for i in 0..20_000 {
            seen.insert(hash(&[i]), &[i], NO_PARENT);
        }
        let known = |i: &u32| seen.contains(hash(&[*i]), &[*i]);
        let overlooked = (20_000..40_000).filter(known).count();
        assert!(overlooked <= 20, "{overlooked}");
    }
}
