//! How a walk uses the table: guards and effects are looked up, or run and kept.

use super::super::MachineWalk;
use super::{Group, Guard, Recall, Write, effect_number, guard_number};
use crate::machines::Machines;
use crate::memory::{ALL_OBJECTS, Mask, Undo, variable_bit};
use sortie_model::ModelError;
use std::collections::BTreeSet;

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
        self.guards.forget_all();
    }

    /// Finds out about the guard of a transition, and about those that are asked at the same times and depend on the same.
    #[inline]
    pub(in crate::walk) fn learn_guard(&mut self, transition: usize) -> Result<(), ModelError> {
        if let Some(recall) = &mut self.recall {
            match &recall.guards[transition] {
                Guard::Plain => {}
                Guard::Kept(number) => {
                    let group = &recall.groups[*number as usize];
                    match recall.find(guard_number(*number), &group.code, &self.state) {
                        Ok(slot) => {
                            let Group { word, members, .. } = *group;
                            self.guards.learn_together(word, members, slot.holds());
                            recall.hits += u64::from(!group.is_plain);
                        }
                        Err(hash) => {
                            let number = *number;
                            recall.missed.set(hash, &group.code, &self.state);
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
        let is_plain = |recall: &Recall| recall.groups[number as usize].is_plain;
        let is_plain = self.recall.as_deref().is_some_and(is_plain);
        if !is_plain {
            self.refresh();
        }
        let Some(mut recall) = self.recall.take() else {
            return Ok(());
        };
        let Group { code, .. } = &recall.groups[number as usize];
        let mut hold = 0;
        let mut has_read_others = false;
        for member in recall.groups[number as usize].transitions() {
            let (holds, reads) = self.run_guard(member)?;
            has_read_others |= !code.has_read(reads);
            self.guards.learn(member, holds, code.reads | reads);
            hold |= u64::from(holds) << (member % 64);
        }
        recall.add(guard_number(number), hold as u32, (hold >> 32) as u32);
        let pays = match is_plain {
            true => {
                recall.miss_plain(number);
                true
            }
            false => recall.miss(),
        };
        let goes_on = pays && !has_read_others;
        self.recall = Some(recall);
        if !goes_on {
            self.stop_recalling();
        }
        Ok(())
    }

    /// Does what the code of a transition does, in a step with others or alone.
    pub(in crate::walk) fn run_code(
        &mut self,
        transition: u32,
        together: bool,
    ) -> Result<(), ModelError> {
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
        match recall.find(effect_number(transition), code, &self.state) {
            Ok(slot) => {
                recall.hits += 1;
                Some((slot.first, slot.behind))
            }
            Err(hash) => {
                recall.missed.set(hash, code, &self.state);
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
        let before = std::mem::replace(&mut self.shares[variable], write.share);
        self.variables_print ^= before ^ write.share;
        let layout = &self.machines.layout;
        if write.is_address {
            recall.is_stale = true;
            self.state[layout.word(variable)] = write.value as u32;
        } else {
            self.live.memory.variables[variable] = write.value;
            layout.set_variable(&mut self.state, variable, write.value);
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
