//! Keeps what a walk knows up to date with what machines did.

use super::MachineWalk;
use crate::contents::Noted;
use crate::live::Live;
use crate::memory::{Mask, Undo, machine_bit, object_bit, variable_bit};
use sortie_model::ModelError;

impl MachineWalk<'_> {
    /// Brings the tables up to date with what the machines and the memory are now, from these places of the journals on.
    pub(super) fn note_changes(&mut self, moved: usize, journal: usize) {
        let machines = self.machines;
        let Live {
            locals,
            memory,
            moved: changes,
            ..
        } = &self.live;
        let layout = &machines.layout;
        let mut written: Mask = 0;
        for &(machine, _) in &changes[moved..] {
            let place = machine as usize;
            let (old, new) = (self.noted[place], locals[place]);
            if old == new {
                continue;
            }
            self.noted[place] = new;
            written |= machine_bit(place);
            layout.set_local(&mut self.state, place, new);
            self.print ^= layout.local_share(place, old) ^ layout.local_share(place, new);
            if self.masked {
                continue;
            }
            for &transition in &machines.index.watching[place][old as usize] {
                let number = transition as usize;
                if self.unmet[number] == 0 {
                    self.ready.clear(number);
                }
                self.unmet[number] += 1;
            }
            for &transition in &machines.index.watching[place][new as usize] {
                let number = transition as usize;
                self.unmet[number] -= 1;
                if self.unmet[number] == 0 {
                    self.ready.set(number);
                }
            }
        }
        let mut reached = false;
        for undo in &memory.journal[journal..] {
            match undo {
                Undo::Variable(variable, _) => {
                    let place = *variable as usize;
                    written |= variable_bit(place);
                    if layout.is_address(place) {
                        self.writer.touch(layout.address_place(*variable));
                        reached = true;
                    } else {
                        let value = memory.variables[place];
                        layout.set_variable(&mut self.state, place, value);
                        let share = layout.variable_share(place, value);
                        self.print ^= std::mem::replace(&mut self.shares[place], share) ^ share;
                    }
                }
                Undo::Object(number, ..) => {
                    written |= object_bit(*number as usize);
                    self.writer.touch_object(*number);
                    reached = true;
                }
                Undo::Allocated(number) => written |= object_bit(*number as usize),
                Undo::Released(number, _) => {
                    written |= object_bit(*number as usize);
                    self.writer.release_object(*number);
                    reached = true;
                }
            }
        }
        if reached {
            let Self {
                writer,
                state,
                shares,
                print,
                ..
            } = self;
            let set = |variable: u32, noted: Noted| {
                let place = variable as usize;
                layout.set_address(state, place, noted);
                let share = layout.address_share(place, noted.print);
                *print ^= std::mem::replace(&mut shares[place], share) ^ share;
            };
            writer.write_changes(&machines.contents, memory, &layout.addresses, set);
        }
        if self.masked {
            self.find_ready();
        }
        if self.guards.any() && written != 0 {
            self.guards.forget(written, &self.ready);
        }
    }

    /// Finds the transitions whose machines are where they want them, all at once.
    pub(super) fn find_ready(&mut self) {
        let allowing = &self.machines.index.allowing;
        allowing.find(&self.noted, &mut self.ready.0);
    }

    /// The transitions of a class that can be taken.
    pub(super) fn find_enabled(&mut self, class: usize) -> Result<(), ModelError> {
        self.offer.members.clear();
        self.offer.count = 0;
        let members = &self.machines.index.classes[class].members;
        for word in 0..members.0.len() {
            let ready = self.ready.0[word] & members.0[word];
            let mut unknown = ready & self.guards.guarded.0[word] & !self.guards.known.0[word];
            while unknown != 0 {
                let number = word * 64 + unknown.trailing_zeros() as usize;
                self.live.memory.reads = 0;
                let holds = self.live.guard_holds(number)?;
                self.guards.learn(number, holds, self.live.memory.reads);
                unknown &= !self.guards.known.0[word];
            }
            let guards = &self.guards;
            let offered = ready & (!guards.guarded.0[word] | guards.hold.0[word]);
            self.offer.members.push(offered);
            self.offer.count += offered.count_ones() as usize;
        }
        Ok(())
    }
}
