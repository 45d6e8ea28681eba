//! Keeps what a walk knows up to date with what machines did.

use super::MachineWalk;
use crate::contents::Noted;
use crate::index::{Bits, Class};
use crate::memory::{Undo, object_bit, variable_bit};
use sortie_model::ModelError;
use std::ops::Range;

impl MachineWalk<'_> {
    /// Brings the tables up to date with what the memory is now, from this place of the journal on.
    #[inline]
    pub(super) fn note_changes(&mut self, journal: usize) {
        self.changed_addresses.clear();
        let is_quiet = self.assigned.is_empty() & (self.written == 0);
        if !is_quiet || self.live.memory.journal.len() != journal {
            self.follow_changes(journal);
        }
    }

    /// The same where there are any.
    #[inline(never)]
    fn follow_changes(&mut self, journal: usize) {
        let machines = self.machines;
        let memory = &self.live.memory;
        let layout = &machines.layout;
        let mut written = std::mem::take(&mut self.written);
        while let Some(variable) = self.assigned.pop() {
            let place = variable as usize;
            let share = layout.variable_share(place, memory.variables[place]);
            self.variables_print ^= std::mem::replace(&mut self.shares[place], share) ^ share;
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
                        self.variables_print ^=
                            std::mem::replace(&mut self.shares[place], share) ^ share;
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
                variables_print,
                changed_addresses,
                ..
            } = self;
            let set = |variable: u32, noted: Noted| {
                let place = variable as usize;
                written |= variable_bit(place);
                changed_addresses.push(variable);
                layout.set_address(state, place, noted);
                let share = layout.address_share(place, noted.print);
                *variables_print ^= std::mem::replace(&mut shares[place], share) ^ share;
            };
            writer.write_changes(&machines.contents, memory, &layout.addresses, set);
        }
        if self.guards.any() && written != 0 {
            self.guards.forget(written);
        }
    }

    /// Finds the transitions whose machines are where they want them, all at once.
    pub(super) fn find_ready(&mut self) {
        let allowing = &self.machines.index.allowing;
        allowing.find(self.seats.iter().map(|seat| seat.mark), &mut self.ready.0);
    }

    /// The transitions of a class that can be taken.
    pub(super) fn find_enabled(&mut self, class: usize) -> Result<(), ModelError> {
        let Class { members, words, .. } = &self.machines.index.classes[class];
        if self.machines.index.classes.len() > 1 {
            self.offer.members.fill(0);
        }
        let mut first = match self.guards.any() {
            true => words.start,
            false => words.end,
        };
        while let Some(word) = self.first_unknown(members, first..words.end) {
            let ready = self.ready.0[word] & members.0[word];
            let mut unknown = ready & self.guards.unknown.0[word];
            while unknown != 0 {
                self.learn_guard(word * 64 + unknown.trailing_zeros() as usize)?;
                unknown &= self.guards.unknown.0[word];
            }
            first = word + 1;
        }
        let ready = self.ready.0[words.clone()].iter();
        let members = members.0[words.clone()].iter();
        let refused = self.guards.refused.0[words.clone()].iter();
        let offered = self.offer.members[words.clone()].iter_mut();
        for (((offered, ready), members), refused) in offered.zip(ready).zip(members).zip(refused) {
            *offered = ready & members & !refused;
        }
        Ok(())
    }

    /// The first of these words of a set with a transition that is ready but for a guard of which nothing is known.
    #[inline]
    fn first_unknown(&self, members: &Bits, words: Range<usize>) -> Option<usize> {
        let ready = self.ready.0[words.clone()].iter();
        let unknown = self.guards.unknown.0[words.clone()].iter();
        let members = members.0[words.clone()].iter();
        let mut asked = ready.zip(unknown).zip(members);
        let place = asked.position(|((ready, unknown), members)| ready & unknown & members != 0);
        place.map(|place| words.start + place)
    }
}
