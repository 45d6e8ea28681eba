//! What code did before.
//!
//! What a guard says and what an effect does depends on the variables that it reads, and on nothing else. Where those are few, that is kept for the values they had, and looked up when they have
//! them again. What an address leads to counts as one value, by its number in the packed state: as long as everything is looked up, no object has to exist in memory. Objects
//! are made again from the state when code has to run after all.

use super::MachineWalk;
use crate::code::{Expression, Place};
use crate::deeds::Deed;
use crate::machines::Machines;
use crate::memory::{ALL_MACHINES, ALL_OBJECTS, Mask, Undo, VARIABLE_BITS, variable_bit};
use crate::system::Effects;
use crate::visit;
use sortie_model::ModelError;
use std::collections::BTreeSet;

/// Code that reads more variables is always run.
const MOST_READ: usize = 8;

/// So much may have to be run without anything being said against the table.
const TRIAL: u64 = 1 << 12;

/// After that, what is run has to be made up for by so much that is looked up.
const WORTH: u64 = 4;

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
    /// What it reads: variables, or words of the packed state where these hold addresses.
    sources: Vec<(u32, bool)>,
    reads: Mask,
}

/// Guards of transitions that leave the same local state under the same conditions, and that read the same: who asks one of them asks all.
#[derive(Debug)]
struct Group {
    members: Vec<u32>,
    code: Code,
}

/// Groups are no larger.
const MOST_MEMBERS: usize = 32;

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
        if read.is_plain {
            return Guard::Plain;
        }
        let Some(code) = read.code(machines) else {
            return Guard::Run;
        };
        let asked = |number: u32| {
            let transition = &machines.system.transitions[number as usize];
            (
                transition.machine,
                transition.from,
                transition.class,
                &transition.conditions,
            )
        };
        let belongs = |group: &Group| {
            group.code.sources == code.sources
                && group.members.len() < MOST_MEMBERS
                && asked(group.members[0]) == asked(number)
        };
        let place = groups.iter().position(belongs).unwrap_or_else(|| {
            groups.push(Group {
                members: Vec::new(),
                code,
            });
            groups.len() - 1
        });
        groups[place].members.push(number);
        Guard::Kept(place as u32)
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    /// Zero where there is none.
    hash: u64,
    /// Which guard or effect it is about.
    number: u32,
    /// Where the values lie that were read.
    first_value: u32,
    /// What guards say, a bit for each, or where what an effect wrote begins and ends in the list.
    first: u32,
    behind: u32,
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
    values: Vec<i64>,
    writes: Vec<Write>,
    /// The values that code was begun with which is not in the table, and their hash.
    key: Vec<i64>,
    hash: u64,
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
                values: Vec::new(),
                writes: Vec::new(),
                key: Vec::new(),
                hash: 0,
                hits: 0,
                misses: 0,
                is_stale: true,
            }
        })
    }

    /// The objects in memory are what the packed state says, or are not.
    pub(super) fn set_stale(&mut self, is_stale: bool) {
        self.is_stale = is_stale;
    }

    /// Looks up what code did with the values that it would read now: its entry, or else the hash to add one by.
    #[inline]
    fn find(&self, number: u32, now: impl Iterator<Item = i64> + Clone) -> Result<Slot, u64> {
        let mix = |hash: u64, value: i64| {
            let product = u128::from(hash ^ value as u64) * u128::from(SPREAD);
            (product as u64) ^ ((product >> 64) as u64)
        };
        let seed = u64::from(number + 1).wrapping_mul(SPREAD);
        let hash = now.clone().fold(seed, mix).max(1);
        let mask = self.slots.len() - 1;
        let mut place = hash as usize;
        loop {
            let slot = self.slots[place & mask];
            if slot.hash == 0 {
                return Err(hash);
            }
            if slot.hash == hash && slot.number == number {
                let kept = &self.values[slot.first_value as usize..];
                if now.clone().zip(kept).all(|(now, kept)| now == *kept) {
                    return Ok(slot);
                }
            }
            place = place.wrapping_add(1);
        }
    }

    /// Keeps what code did with the values that it began with.
    fn add(&mut self, number: u32, first: u32, behind: u32) {
        if self.values.len() + 4 * self.writes.len() + self.used > MOST_ENTRIES {
            return;
        }
        if self.used * 2 >= self.slots.len() {
            let larger = vec![Slot::default(); self.slots.len() * 2];
            let old = std::mem::replace(&mut self.slots, larger);
            for slot in old.into_iter().filter(|slot| slot.hash != 0) {
                self.put(slot);
            }
        }
        self.used += 1;
        self.put(Slot {
            hash: self.hash,
            number,
            first_value: self.values.len() as u32,
            first,
            behind,
        });
        self.values.extend_from_slice(&self.key);
    }

    fn put(&mut self, slot: Slot) {
        let mask = self.slots.len() - 1;
        let mut place = slot.hash as usize & mask;
        while self.slots[place].hash != 0 {
            place = (place + 1) & mask;
        }
        self.slots[place] = slot;
    }

    /// Something has to be run; whether the table is still worth its trouble.
    fn miss(&mut self) -> bool {
        self.misses += 1;
        self.misses <= TRIAL || self.hits >= WORTH * self.misses
    }
}

/// Groups of guards and effects are numbered together.
fn guard_number(group: u32) -> u32 {
    group * 2
}

fn effect_number(transition: usize) -> u32 {
    transition as u32 * 2 + 1
}

impl Code {
    /// The values that it would read now.
    #[inline]
    fn now<'a>(
        &'a self,
        variables: &'a [i64],
        state: &'a [u32],
    ) -> impl Iterator<Item = i64> + Clone + 'a {
        self.sources.iter().map(|&(place, is_word)| match is_word {
            true => i64::from(state[place as usize]),
            false => variables[place as usize],
        })
    }

    /// Whether it has read nothing else.
    fn has_read(&self, reads: Mask) -> bool {
        reads & !ALL_OBJECTS & !self.reads == 0
    }
}

impl MachineWalk<'_> {
    /// Makes the objects again, if memory has others.
    fn refresh(&mut self) {
        let Some(recall) = self.recall.as_mut().filter(|recall| recall.is_stale) else {
            return;
        };
        recall.is_stale = false;
        let Machines {
            layout, contents, ..
        } = self.machines;
        let memory = &mut self.live.memory;
        memory.forget_objects();
        contents.unpack(memory, &layout.addresses, |variable| {
            self.state[layout.word(variable as usize)]
        });
        self.writer
            .write_all(contents, memory, &layout.addresses, |_, _| {});
    }

    /// Does without the table from now on.
    #[cold]
    fn stop_recalling(&mut self) {
        self.refresh();
        self.recall = None;
        // What guards have read was told in terms of the table.
        self.guards.known.0.fill(0);
    }

    /// Finds out about the guard of a transition, and about those that are asked at the same times and depend on the same.
    #[inline]
    pub(super) fn learn_guard(&mut self, transition: usize) -> Result<(), ModelError> {
        if let Some(recall) = &mut self.recall {
            match &recall.guards[transition] {
                Guard::Plain => {}
                Guard::Kept(number) => {
                    let Group { members, code } = &recall.groups[*number as usize];
                    let now = code.now(&self.live.memory.variables, &self.state);
                    match recall.find(guard_number(*number), now.clone()) {
                        Ok(slot) => {
                            for (place, &member) in members.iter().enumerate() {
                                let holds = slot.first >> place & 1 == 1;
                                self.guards.learn(member as usize, holds, code.reads);
                            }
                            recall.hits += 1;
                        }
                        Err(hash) => {
                            let number = *number;
                            recall.hash = hash;
                            recall.key.clear();
                            recall.key.extend(now);
                            return self.keep_guards(number);
                        }
                    }
                    return Ok(());
                }
                Guard::Run => self.refresh(),
            }
        }
        self.run_guard(transition)?;
        Ok(())
    }

    /// Evaluates a guard; whether it holds, and what was read.
    fn run_guard(&mut self, transition: usize) -> Result<(bool, Mask), ModelError> {
        self.live.memory.reads = 0;
        let holds = self.live.guard_holds(transition)?;
        let reads = self.live.memory.reads;
        let objects = self.recall.as_ref().filter(|_| reads & ALL_OBJECTS != 0);
        let behind = objects.map_or(0, |recall| recall.addresses);
        self.guards.learn(transition, holds, reads | behind);
        Ok((holds, reads))
    }

    /// Evaluates the guards of a group, and keeps what they say.
    #[inline(never)]
    fn keep_guards(&mut self, number: u32) -> Result<(), ModelError> {
        self.refresh();
        let Some(mut recall) = self.recall.take() else {
            return Ok(());
        };
        let Group { members, code } = &recall.groups[number as usize];
        let mut says = 0;
        let mut has_read_others = false;
        for (place, &member) in members.iter().enumerate() {
            let (holds, reads) = self.run_guard(member as usize)?;
            has_read_others |= !code.has_read(reads);
            self.guards
                .learn(member as usize, holds, code.reads | reads);
            says |= u32::from(holds) << place;
        }
        recall.add(guard_number(number), says, 0);
        let goes_on = recall.miss() && !has_read_others;
        self.recall = Some(recall);
        if !goes_on {
            self.stop_recalling();
        }
        Ok(())
    }

    /// Does what the code of a transition does, in a step with others or alone.
    pub(super) fn run_code(&mut self, transition: u32, together: bool) -> Result<(), ModelError> {
        let number = transition as usize;
        if let Some((first, behind)) = self.find_effect(number) {
            for place in first..behind {
                self.write_again(place as usize, transition, together);
            }
            return Ok(());
        }
        self.refresh();
        let journal = self.live.memory.journal.len();
        self.live.memory.reads = 0;
        self.live.run_effect(number)?;
        if self.recall.is_some() {
            self.keep_effect(transition, journal, together);
            return Ok(());
        }
        if together {
            for place in journal..self.live.memory.journal.len() {
                if let Undo::Variable(variable, _) = self.live.memory.journal[place] {
                    let value = self.live.memory.variables[variable as usize];
                    self.look_for_conflict(transition, variable, value);
                }
            }
        }
        Ok(())
    }

    /// Where what an effect did with the present values lies in the list, if that is known.
    #[inline]
    fn find_effect(&mut self, transition: usize) -> Option<(u32, u32)> {
        let recall = self.recall.as_mut()?;
        let code = recall.effects[transition].as_ref()?;
        let now = code.now(&self.live.memory.variables, &self.state);
        match recall.find(effect_number(transition), now.clone()) {
            Ok(slot) => {
                recall.hits += 1;
                Some((slot.first, slot.behind))
            }
            Err(hash) => {
                recall.hash = hash;
                recall.key.clear();
                recall.key.extend(now);
                None
            }
        }
    }

    /// Does a part of what an effect did before.
    #[inline]
    fn write_again(&mut self, place: usize, transition: u32, together: bool) {
        let recall = self.recall.as_mut().expect("it was found there");
        let write = recall.writes[place];
        let variable = write.variable as usize;
        self.written |= variable_bit(variable);
        if write.is_address {
            recall.is_stale = true;
            self.state[self.machines.layout.word(variable)] = write.value as u32;
            let before = std::mem::replace(&mut self.shares[variable], write.share);
            self.variables_print ^= before ^ write.share;
        } else {
            self.live.memory.variables[variable] = write.value;
            if self.assigned.last() != Some(&write.variable) {
                self.assigned.push(write.variable);
            }
        }
        if together && write.is_assigned {
            self.look_for_conflict(transition, write.variable, write.value);
        }
    }

    /// Keeps what an effect has just done, from this place of the journal on.
    #[inline(never)]
    fn keep_effect(&mut self, transition: u32, journal: usize, together: bool) {
        let layout = &self.machines.layout;
        let reads = self.live.memory.reads;
        let mut assigned = BTreeSet::new();
        for undo in &self.live.memory.journal[journal..] {
            if let Undo::Variable(variable, _) = undo {
                assigned.insert(*variable);
            }
        }
        self.note_changes(journal);
        self.live.memory.journal.truncate(journal);
        let mut written = assigned.clone();
        written.extend(&self.changed_addresses);
        let mut writes = Vec::new();
        for variable in written {
            let place = variable as usize;
            let is_address = layout.is_address(place);
            writes.push(Write {
                variable,
                is_address,
                is_assigned: assigned.contains(&variable),
                value: match is_address {
                    true => i64::from(self.state[layout.word(place)]),
                    false => self.live.memory.variables[place],
                },
                share: self.shares[place],
            });
        }
        if together {
            for write in writes.iter().filter(|write| write.is_assigned) {
                self.look_for_conflict(transition, write.variable, write.value);
            }
        }
        let is_shared = self.writer.is_shared();
        let Some(recall) = &mut self.recall else {
            return;
        };
        let goes_on = recall.miss() && !is_shared;
        let code = &mut recall.effects[transition as usize];
        match code {
            Some(kept) if kept.has_read(reads) && !is_shared => {
                let first = recall.writes.len() as u32;
                recall.writes.extend(writes);
                let behind = recall.writes.len() as u32;
                recall.add(effect_number(transition as usize), first, behind);
            }
            _ => *code = None,
        }
        if !goes_on {
            self.stop_recalling();
        }
    }
}

/// What code may read.
struct Read {
    variables: BTreeSet<u32>,
    functions: BTreeSet<usize>,
    /// Whether it asks where machines are.
    asks: bool,
    /// Whether it has neither calls nor addresses.
    is_plain: bool,
}

impl Read {
    fn new() -> Read {
        Read {
            variables: BTreeSet::new(),
            functions: BTreeSet::new(),
            asks: false,
            is_plain: true,
        }
    }

    fn of_expression(machines: &Machines, expression: &Expression) -> Read {
        let mut read = Read::new();
        let mut calls = Vec::new();
        visit::expression(expression, &mut |part| {
            read.note(machines, part, &mut calls)
        });
        read.follow(machines, calls);
        read
    }

    fn of_function(machines: &Machines, function: usize) -> Read {
        let mut read = Read::new();
        read.follow(machines, vec![function]);
        read
    }

    fn follow(&mut self, machines: &Machines, mut calls: Vec<usize>) {
        while let Some(function) = calls.pop() {
            if self.functions.insert(function) {
                let body = &machines.system.functions[function].body;
                visit::statements(body, &mut |part| self.note(machines, part, &mut calls));
            }
        }
    }

    /// What a part reads itself. What an address leads to belongs to the variable that it comes from.
    fn note(&mut self, machines: &Machines, part: &Expression, calls: &mut Vec<usize>) {
        match part {
            Expression::In { .. } => self.asks = true,
            Expression::Call(function, _) => {
                self.is_plain = false;
                calls.push(function.0 as usize);
            }
            Expression::Read(place)
            | Expression::Address(place)
            | Expression::Change { place, .. } => match place {
                Place::Variable(variable) => {
                    self.is_plain &= !machines.layout.is_address(*variable as usize);
                    self.variables.insert(*variable);
                }
                Place::Element {
                    first, count, size, ..
                } => {
                    let behind = first + count * size;
                    self.is_plain = false;
                    self.variables
                        .extend(*first..behind.min(machines.system.variables.len() as u32));
                }
                Place::At(_) => self.is_plain = false,
                Place::Local(_) => {}
            },
            _ => {}
        }
    }

    /// The code, if its result can be kept.
    fn code(&self, machines: &Machines) -> Option<Code> {
        if self.asks || self.variables.len() > MOST_READ {
            return None;
        }
        let layout = &machines.layout;
        let source = |&variable: &u32| match layout.is_address(variable as usize) {
            true => (layout.word(variable as usize) as u32, true),
            false => (variable, false),
        };
        let bits = self.variables.iter().map(|&v| variable_bit(v as usize));
        let reads = bits.fold(0, |all, bit| all | bit);
        assert_eq!(reads & (ALL_MACHINES | ALL_OBJECTS), 0);
        Some(Code {
            sources: self.variables.iter().map(source).collect(),
            reads,
        })
    }
}
