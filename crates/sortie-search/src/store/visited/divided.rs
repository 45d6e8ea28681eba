//! Whole states divided among owners, so that several threads can insert without meeting: see [`insertion`](super::insertion).
//!
//! An owner has some shards of the table, and the states whose hashes belong there in the order in which they came. The table leads to a state's place among those of its
//! owner, and a list of all places tells where the state with a number is: so a state stays where it was put before its number was known.

use super::StateId;
use crate::store::packed::Layout;
use crate::store::table::{Lookup, SHARDS, Shard, ShardGroup, Table, shard_of};

/// States that are divided.
#[derive(Debug)]
pub(crate) struct Divided {
    /// By owner.
    pub(super) arenas: Vec<Arena>,
    pub(super) groups: Vec<ShardGroup>,
    /// By shard: whose it is.
    owner_of: Box<[u8; SHARDS]>,
    /// How many bits of a place tell the owner.
    bits: u32,
    /// By number.
    places: Vec<Place>,
}

/// States of an owner.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct Arena {
    pub(super) keys: Vec<u64>,
    /// How many there are.
    pub(super) states: usize,
    /// Whether they lie in memory of the owner.
    is_local: bool,
}

/// Where a state is: the owner's number in the lowest bits, and the place among its states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Place(u32);

impl Divided {
    /// Divides states among so many owners.
    pub(super) fn new(table: Table, keys: &[u64], states: usize, owners: usize) -> Divided {
        let mut owner_of = Box::new([0; SHARDS]);
        for (shard, owner) in owner_of.iter_mut().enumerate() {
            *owner = (shard * owners / SHARDS) as u8;
        }
        let mut divided = Divided {
            arenas: (0..owners).map(|_| Arena::default()).collect(),
            groups: table.divide(owners),
            places: vec![Place(0); states],
            bits: owners.next_power_of_two().trailing_zeros(),
            owner_of,
        };
        for owner in 0..owners {
            for state in divided.groups[owner].shards.iter().flat_map(Shard::numbers) {
                divided.places[state as usize] = Place(owner as u32);
            }
        }
        let units = keys.len() / states.max(1);
        let bits = divided.bits;
        for number in 0..states {
            let place = &mut divided.places[number];
            let arena = &mut divided.arenas[place.0 as usize];
            place.0 |= (arena.states as u32) << bits;
            arena.states += 1;
            arena.keys.extend(&keys[number * units..][..units]);
        }
        for shard in divided
            .groups
            .iter_mut()
            .flat_map(|group| &mut group.shards)
        {
            shard.renumber(|number| divided.places[number as usize].0 >> bits);
        }
        divided
    }

    /// The states in the order of their numbers.
    pub(super) fn together(self, units: usize) -> (Table, Vec<u64>) {
        let mut keys = Vec::with_capacity(self.places.len() * units);
        let states = self.arenas.iter().map(|arena| arena.states);
        let mut numbers: Vec<Vec<u32>> = states.map(|states| vec![0; states]).collect();
        for (number, place) in (0..).zip(&self.places) {
            keys.extend(self.key(*place, units));
            let (owner, index) = self.split(*place);
            numbers[owner][index] = number;
        }
        let mut groups = self.groups;
        for (group, numbers) in groups.iter_mut().zip(numbers) {
            for shard in &mut group.shards {
                shard.renumber(|index| numbers[index as usize]);
            }
        }
        (Table::of_groups(groups), keys)
    }

    /// The place of a state among those of its owner.
    #[inline]
    pub(super) fn place_of(&self, owner: usize, index: u32) -> Place {
        Place(index << self.bits | owner as u32)
    }

    /// The owner of a state, and its place among the owner's.
    #[inline]
    fn split(&self, place: Place) -> (usize, usize) {
        let owner = place.0 & ((1 << self.bits) - 1);
        (owner as usize, (place.0 >> self.bits) as usize)
    }

    /// Memory in bytes.
    pub(super) fn bytes(&self) -> u64 {
        let arenas = self.arenas.iter().map(|arena| arena.keys.len() * 8);
        let groups = self.groups.iter().map(ShardGroup::bytes);
        let numbers = self.places.len() * 4;
        (arenas.chain(groups).sum::<usize>() + numbers) as u64
    }

    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    #[inline]
    pub(super) fn owner(&self, hash: u64) -> usize {
        usize::from(self.owner_of[shard_of(hash)])
    }

    /// Where the state with this hash is, for whose key `same` holds.
    #[inline]
    pub(super) fn find(
        &self,
        hash: u64,
        units: usize,
        same: impl Fn(&[u64]) -> bool,
    ) -> Option<Place> {
        let owner = self.owner(hash);
        let arena = &self.arenas[owner];
        let same = |index: u32| same(arena.key(index as usize, units));
        match self.groups[owner].shard(hash).find(hash, same) {
            Lookup::Found(index) => Some(self.place_of(owner, index)),
            Lookup::Free(_) => None,
        }
    }

    /// Inserts a state that is not there.
    pub(super) fn push(&mut self, hash: u64, state: &[u32], layout: &mut Layout) {
        let owner = self.owner(hash);
        if !layout.has_room(state) {
            layout.widen(state, self.arenas.iter_mut().map(|arena| &mut arena.keys));
        }
        let arena = &mut self.arenas[owner];
        let group = &mut self.groups[owner];
        let index = arena.states as u32;
        if let Lookup::Free(slot) = group.shard(hash).find(hash, |_| false) {
            group.occupy(hash, slot, index);
        }
        layout.append(state, &mut arena.keys);
        arena.states += 1;
        self.places.push(self.place_of(owner, index));
    }

    /// Finds nothing any more that is not in the arenas.
    pub(super) fn forget_new(&mut self) {
        for (group, arena) in self.groups.iter_mut().zip(&self.arenas) {
            group.keep_below(arena.states as u32);
        }
    }

    /// States that were added to the arenas get the next numbers.
    pub(super) fn add(&mut self, places: &[Place]) {
        self.places.extend_from_slice(places);
    }

    #[inline]
    pub(super) fn place(&self, id: StateId) -> Place {
        self.places[id.0 as usize]
    }

    #[inline]
    pub(super) fn key(&self, place: Place, units: usize) -> &[u64] {
        let (owner, index) = self.split(place);
        self.arenas[owner].key(index, units)
    }

    /// Slow, and seldom asked.
    pub(super) fn number(&self, place: Place) -> StateId {
        let number = self.places.iter().position(|other| *other == place);
        StateId(number.expect("every place has a number") as u32)
    }
}

impl Arena {
    /// Adds states with these keys, which are taken. The thread that calls is the owner: see [`ShardGroup::reallocate_locally`].
    pub(super) fn add(&mut self, keys: &mut Vec<u64>, states: usize) {
        if !self.is_local {
            self.keys = self.keys.clone();
            self.is_local = true;
        }
        self.keys.append(keys);
        self.states += states;
    }

    #[inline]
    pub(super) fn key(&self, index: usize, units: usize) -> &[u64] {
        &self.keys[index * units..][..units]
    }
}
