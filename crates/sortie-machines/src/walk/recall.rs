//! What code did before.
//!
//! What a guard says and what an effect does depends on the variables that it reads, and on nothing else. Where those are few, that is kept for the values they had, and looked up when they have
//! them again. What an address leads to counts as one value, by its number in the packed state: as long as everything is looked up, no object has to exist in memory. Objects
//! are made again from the state when code has to run after all.

mod following;
mod reading;

use crate::deeds::Deed;
use crate::machines::Machines;
use crate::memory::{ALL_OBJECTS, Mask, VARIABLE_BITS, variable_bit};
use crate::system::Effects;
use reading::Read;

/// Code that reads more variables is always run.
const MOST_READ: usize = 8;

/// So much may have to be run without anything being said against the table.
const TRIAL: u64 = 1 << 12;

/// After that, what is run has to be made up for by so much that is looked up.
const WORTH: u64 = 4;

/// Guards that are evaluated fast are no longer looked up when there were more values than this.
const MOST_PLAIN: u32 = 1 << 8;

/// Nothing is added to a table with more entries.
const MOST_ENTRIES: usize = 1 << 18;

/// The table begins with so many slots: a power of two.
const FIRST: usize = 1 << 10;

/// Multiplying by this spreads the bits of a number.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// What an effect does to a variable.
#[derive(Clone, Copy, Debug)]
struct Write {
    variable: u32,
    /// Whether it holds an address: then the value is the number of what that leads to.
    is_address: bool,
    /// Whether the variable itself was assigned, and not only what it leads to.
    is_assigned: bool,
    value: i64,
    /// Its share in the fingerprint.
    share: u128,
}

/// Code whose result is kept.
#[derive(Debug)]
struct Code {
    /// The words of the packed state that it reads: the first two, or one of them twice, and the others.
    head: [u32; 2],
    rest: Vec<u32>,
    reads: Mask,
}

/// Guards of transitions that leave the same local state under the same conditions, and that read the same: who asks one of them asks all.
#[derive(Debug)]
struct Group {
    /// The transitions, which are all in one word of a set.
    word: u32,
    members: u64,
    /// Whether none of the guards looks at objects.
    is_plain: bool,
    /// How often they were evaluated because nothing was known.
    runs: u32,
    code: Code,
}

impl Group {
    fn first(&self) -> usize {
        self.word as usize * 64 + self.members.trailing_zeros() as usize
    }

    fn transitions(&self) -> impl Iterator<Item = usize> + use<> {
        let (word, members) = (self.word as usize, self.members);
        let places = (0..64).filter(move |place| members >> place & 1 == 1);
        places.map(move |place| word * 64 + place)
    }
}

/// How a guard is evaluated.
#[derive(Debug)]
enum Guard {
    /// Without a look at objects, and fast.
    Plain,
    /// With its group.
    Kept(u32),
    /// In full.
    Run,
}

impl Guard {
    fn new(
        machines: &Machines,
        number: u32,
        transition: &crate::Transition,
        groups: &mut Vec<Group>,
    ) -> Guard {
        let Some(guard) = &transition.guard else {
            return Guard::Plain;
        };
        let read = Read::of_expression(machines, guard);
        let Some(code) = read.code(machines) else {
            return match read.is_plain {
                true => Guard::Plain,
                false => Guard::Run,
            };
        };
        let asked = |number: usize| {
            let transition = &machines.system.transitions[number];
            (
                transition.machine,
                transition.from,
                transition.class,
                &transition.conditions,
            )
        };
        let belongs = |group: &Group| {
            group.code.reads == code.reads
                && group.word == number / 64
                && asked(group.first()) == asked(number as usize)
        };
        let place = groups.iter().position(belongs).unwrap_or_else(|| {
            groups.push(Group {
                word: number / 64,
                members: 0,
                is_plain: true,
                runs: 0,
                code,
            });
            groups.len() - 1
        });
        let group = &mut groups[place];
        group.members |= 1 << (number % 64);
        group.is_plain &= read.is_plain;
        Guard::Kept(place as u32)
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    hash: u64,
    /// The first two words that were read.
    head: u64,
    /// Which guards or effect it is about; zero where there is none.
    number: u32,
    /// Where the other words lie that were read.
    first_word: u32,
    /// Which guards hold, in two halves of a word, or where what an effect wrote begins and ends in the list.
    first: u32,
    behind: u32,
}

/// What code was begun with which is not in the table.
#[derive(Debug, Default)]
struct Missed {
    hash: u64,
    head: u64,
    rest: Vec<u32>,
}

impl Missed {
    fn set(&mut self, hash: u64, code: &Code, state: &[u32]) {
        self.hash = hash;
        self.head = code.head(state);
        self.rest.clear();
        self.rest.extend(code.rest(state));
    }
}

impl Slot {
    fn holds(&self) -> u64 {
        u64::from(self.first) | u64::from(self.behind) << 32
    }
}

/// The table.
#[derive(Debug)]
pub(super) struct Recall {
    /// By transition.
    guards: Vec<Guard>,
    groups: Vec<Group>,
    effects: Vec<Option<Code>>,
    /// All variables with addresses.
    addresses: Mask,
    slots: Vec<Slot>,
    used: usize,
    words: Vec<u32>,
    writes: Vec<Write>,
    missed: Missed,
    hits: u64,
    misses: u64,
    /// Whether objects in memory are not what the packed state says.
    is_stale: bool,
}

impl Recall {
    /// Only where transitions take effect at once, so that one after another is looked up, and where masks tell all variables apart.
    pub(super) fn new(machines: &Machines) -> Option<Self> {
        let system = &machines.system;
        let fits = system.effects == Effects::AtOnce
            && system.before_step.is_empty()
            && system.after_step.is_empty()
            && system.variables.len() <= VARIABLE_BITS
            && !machines.layout.addresses.is_empty()
            && machines.index.deeds.contains(&Deed::Code);
        fits.then(|| {
            let mut groups: Vec<Group> = Vec::new();
            let mut guards = Vec::new();
            for (number, transition) in (0..).zip(&system.transitions) {
                guards.push(Guard::new(machines, number, transition, &mut groups));
            }
            // A single one is evaluated as fast as it is looked up.
            let is_single = |group: &&Group| group.is_plain && group.members.count_ones() == 1;
            for group in groups.iter().filter(is_single) {
                guards[group.first()] = Guard::Plain;
            }
            let effect = |transition: &crate::Transition| {
                let effect = transition.effect?;
                Read::of_function(machines, effect.0 as usize).code(machines)
            };
            let addresses = &machines.layout.addresses;
            let bits = addresses.iter().map(|&v| variable_bit(v as usize));
            Recall {
                guards,
                groups,
                effects: system.transitions.iter().map(effect).collect(),
                addresses: bits.fold(0, |all, bit| all | bit),
                slots: vec![Slot::default(); FIRST],
                used: 0,
                words: Vec::new(),
                writes: Vec::new(),
                missed: Missed::default(),
                hits: 0,
                misses: 0,
                is_stale: true,
            }
        })
    }

    /// By guard that is looked up: a transition that has it, and what it reads.
    pub(super) fn reads(&self) -> impl Iterator<Item = (usize, Mask)> {
        self.groups.iter().flat_map(|group| {
            let reads = group.code.reads;
            group.transitions().map(move |t| (t, reads))
        })
    }

    /// The objects in memory are what the packed state says, or are not.
    pub(super) fn set_stale(&mut self, is_stale: bool) {
        self.is_stale = is_stale;
    }

    /// Looks up what code did with the words that it would read now: its entry, or else the hash to add one by.
    #[inline(always)]
    fn find(&self, number: u32, code: &Code, state: &[u32]) -> Result<Slot, u64> {
        let mix = |hash: u64, value: u64| {
            let product = u128::from(hash ^ value) * u128::from(SPREAD);
            (product as u64) ^ ((product >> 64) as u64)
        };
        let head = code.head(state);
        let first = mix(u64::from(number).wrapping_mul(SPREAD), head);
        let rest = code.rest(state);
        let hash = rest.fold(first, |hash, word| mix(hash, u64::from(word)));
        let mask = self.slots.len() - 1;
        let mut place = hash as usize;
        loop {
            let slot = self.slots[place & mask];
            if slot.head == head && slot.number == number {
                let mut kept = self.words[slot.first_word as usize..].iter();
                if code.rest(state).all(|word| kept.next() == Some(&word)) {
                    return Ok(slot);
                }
            }
            if slot.number == 0 {
                return Err(hash);
            }
            place = place.wrapping_add(1);
        }
    }

    /// Keeps what code did with the words that it began with.
    fn add(&mut self, number: u32, first: u32, behind: u32) {
        if self.words.len() + 4 * self.writes.len() + 2 * self.used > MOST_ENTRIES {
            return;
        }
        if self.used * 2 >= self.slots.len() {
            let larger = vec![Slot::default(); self.slots.len() * 2];
            let old = std::mem::replace(&mut self.slots, larger);
            for slot in old.into_iter().filter(|slot| slot.number != 0) {
                self.put(slot);
            }
        }
        self.used += 1;
        self.put(Slot {
            hash: self.missed.hash,
            head: self.missed.head,
            number,
            first_word: self.words.len() as u32,
            first,
            behind,
        });
        self.words.extend_from_slice(&self.missed.rest);
    }

    fn put(&mut self, slot: Slot) {
        let mask = self.slots.len() - 1;
        let mut place = slot.hash as usize & mask;
        while self.slots[place].number != 0 {
            place = (place + 1) & mask;
        }
        self.slots[place] = slot;
    }

    /// Guards of a group were evaluated, which is fast; too many different values are not worth their place in the table.
    fn miss_plain(&mut self, number: u32) {
        let group = &mut self.groups[number as usize];
        group.runs += 1;
        if group.runs > MOST_PLAIN {
            for transition in group.transitions() {
                self.guards[transition] = Guard::Plain;
            }
        }
    }

    /// Something has to be run; whether the table is still worth its trouble.
    fn miss(&mut self) -> bool {
        self.misses += 1;
        self.misses <= TRIAL || self.hits >= WORTH * self.misses
    }
}

/// Groups of guards and effects are numbered together, from one on.
fn guard_number(group: u32) -> u32 {
    group * 2 + 2
}

fn effect_number(transition: usize) -> u32 {
    transition as u32 * 2 + 1
}

impl Code {
    /// The first two words that it would read now.
    #[inline]
    fn head(&self, state: &[u32]) -> u64 {
        let [low, high] = self.head.map(|word| u64::from(state[word as usize]));
        low | high << 32
    }

    /// The others.
    #[inline]
    fn rest(&self, state: &[u32]) -> impl Iterator<Item = u32> {
        self.rest.iter().map(|&word| state[word as usize])
    }

    /// Whether it has read nothing else.
    fn has_read(&self, reads: Mask) -> bool {
        reads & !ALL_OBJECTS & !self.reads == 0
    }
}
