//! Takes the transitions of a synchronous step knot by knot.

use super::MachineWalk;
use super::asking::Form;
use super::knots::{Clashes, Knot, Knots};
use super::offer;
use super::queue::{Questions, Queue, Turns};
use crate::conflicts::Target;
use crate::machines::Machines;
use crate::memory::ALL_MACHINES;
use sortie_model::{Choice, Chooser, Kind, ModelError, Names};

impl MachineWalk<'_> {
    /// All enabled transitions are taken in random order, each unless its machine has moved. Those of different knots need not queue together.
    pub(super) fn knot_by_knot(
        &mut self,
        knots: &mut Knots,
        chooser: &mut (impl Chooser + ?Sized),
    ) -> Result<(), ModelError> {
        let offered = self.offer.members[0];
        let mut alone = offered;
        for number in 0..knots.untangle(offered) {
            let members = knots.found(number);
            alone &= !members;
            self.undo_knot(knots, members, chooser)?;
        }
        self.take_alone(knots, alone)?;
        self.look_abreast(knots);
        Ok(())
    }

    /// Takes all transitions that get in nobody's way: most of a step.
    #[inline(always)]
    fn take_alone(&mut self, knots: &mut Knots, alone: u64) -> Result<(), ModelError> {
        knots.taken.alone = alone;
        let mut left = alone;
        while left != 0 {
            knots.abreast.take_alone(left.trailing_zeros());
            left &= left - 1;
        }
        let mut loud = alone & knots.loud;
        while loud != 0 {
            self.change_variables(loud.trailing_zeros(), true)?;
            loud &= loud - 1;
        }
        Ok(())
    }

    /// Lets those move that watch: all of them are one knot.
    pub(super) fn watch(
        &mut self,
        knots: &mut Knots,
        chooser: &mut (impl Chooser + ?Sized),
    ) -> Result<(), ModelError> {
        let members = self.offer.members[0];
        let before = knots.abreast.now;
        match members & (members - 1) {
            0 => self.take_abreast(knots, members.trailing_zeros())?,
            _ => self.undo_knot(knots, members, chooser)?,
        }
        // Many watchers stay where they are.
        if knots.abreast.now != before {
            self.look_abreast(knots);
        }
        Ok(())
    }

    /// Takes the transitions of a knot in random order.
    #[inline(always)]
    fn undo_knot(
        &mut self,
        knots: &mut Knots,
        members: u64,
        chooser: &mut (impl Chooser + ?Sized),
    ) -> Result<(), ModelError> {
        let Some(knot) = knots.find(&self.questions, members) else {
            let mut queue = std::mem::take(&mut self.enabled);
            queue.clear();
            offer::list(0, members, &mut queue);
            let each = usize::from(knots.each(&queue));
            let each = (each > 0).then_some(each);
            return self.undo_large_knot(knots, members, queue, each, chooser);
        };
        if knot.answers == 0 {
            let before = knots.taken.count();
            if self.undo_at_once(knots, members, knot, chooser) {
                if members & knots.loud == 0 {
                    return Ok(());
                }
                for place in before..knots.taken.count() {
                    let transition = knots.taken.at(place);
                    if knots.loud >> transition & 1 == 1 {
                        self.change_variables(transition, true)?;
                    }
                }
                return Ok(());
            }
            let mut queue = std::mem::take(&mut self.enabled);
            knot.list(&mut queue);
            return self.undo_large_knot(knots, members, queue, knot.each(), chooser);
        }
        let answer = match self.asking.is_recording {
            true => self.ask_and_record_knot(knot, chooser),
            false => {
                let names = KnotNames {
                    machines: self.machines,
                    questions: &self.questions,
                    knot,
                };
                chooser.choose(Choice::new(knot.answers as usize, Kind::Step, &names))
            }
        };
        // The first contradiction is to be told in detail.
        if !self.knows_conflict() {
            let mut taken = knots.way(knot, answer).taken.iter();
            return taken.try_for_each(|transition| self.take_abreast(knots, transition));
        }
        self.live.conflicts.count += knots.undo(knot, answer);
        if members & knots.loud != 0 {
            let is_loud = |transition: &u32| knots.loud >> transition & 1 == 1;
            for transition in knots.way(knot, answer).taken.iter().filter(is_loud) {
                self.change_variables(transition, true)?;
            }
        }
        Ok(())
    }

    /// The same if one question is enough, and nothing has to be told of it; whether that is so. Variables are left to who asked.
    fn undo_at_once(
        &mut self,
        knots: &mut Knots,
        members: u64,
        knot: Knot,
        chooser: &mut (impl Chooser + ?Sized),
    ) -> bool {
        if !self.knows_conflict() || self.asking.is_recording {
            return false;
        }
        let questions = &self.questions;
        let each = knot.each().unwrap_or(1);
        let count = match each {
            1 => members.count_ones() as usize,
            each => knots.turns(members).len() / each,
        };
        let (places, alternatives) = questions.about_turns(count, each);
        if places < count {
            return false;
        }
        let names = KnotNames {
            machines: self.machines,
            questions,
            knot,
        };
        let answer = chooser.choose(Choice::new(alternatives, Kind::Step, &names));
        self.live.conflicts.count += match each {
            1 => knots.take_in_order(questions, members, count, answer),
            each => knots.take_turns(questions, each, answer),
        };
        true
    }

    /// The same for one whose ways are not known.
    fn undo_large_knot(
        &mut self,
        knots: &mut Knots,
        members: u64,
        mut queue: Vec<u32>,
        each: Option<usize>,
        chooser: &mut (impl Chooser + ?Sized),
    ) -> Result<(), ModelError> {
        if members & knots.loud != 0 || !self.knows_conflict() {
            self.take_all(&mut queue, each, chooser, |walk, transition| {
                walk.take_abreast(knots, transition)
            })?;
        } else {
            let mut clashes = Clashes::default();
            self.take_all(&mut queue, each, chooser, |_, transition| {
                let (is_taken, clashing) = knots.abreast.take(transition);
                knots.taken.push_if(is_taken, transition);
                clashes.add(clashing);
                Ok(())
            })?;
            self.live.conflicts.count += clashes.count();
        }
        self.enabled = queue;
        Ok(())
    }

    /// Takes the transitions of a queue in random order, machine by machine where that comes to the same.
    #[inline(always)]
    fn take_all(
        &mut self,
        queue: &mut [u32],
        each: Option<usize>,
        chooser: &mut (impl Chooser + ?Sized),
        mut take: impl FnMut(&mut Self, u32) -> Result<(), ModelError>,
    ) -> Result<(), ModelError> {
        let Some(each) = each else {
            return self.take_queue(queue, chooser, take);
        };
        let mut rest = queue;
        let mut left = rest.len() / each;
        while left > 0 {
            let (places, _) = self.questions.about_turns(left, each);
            let mut answer = self.ask_for_turns(rest, each, chooser);
            for _ in 0..places {
                answer = self.questions.draw_turn(rest, left, each, answer);
                let transition = rest[0];
                rest = &mut rest[each..];
                left -= 1;
                take(self, transition)?;
            }
        }
        Ok(())
    }

    /// In which order the transitions of a knot are taken, where the question is remembered.
    #[inline(never)]
    fn ask_and_record_knot(&mut self, knot: Knot, chooser: &mut (impl Chooser + ?Sized)) -> usize {
        let mut queue = Vec::new();
        knot.list(&mut queue);
        match knot.each() {
            Some(each) => self.ask_for_turns(&queue, each, chooser),
            None => self.ask_for_order(&queue, chooser),
        }
    }

    /// In which order machines have their turns, and what the first of them do.
    #[inline(always)]
    fn ask_for_turns(
        &mut self,
        queue: &[u32],
        each: usize,
        chooser: &mut (impl Chooser + ?Sized),
    ) -> usize {
        let (places, alternatives) = self.questions.about_turns(queue.len() / each, each);
        let names = Turns::new(self.machines, &self.questions, queue, each);
        let choice = Choice::new(alternatives, Kind::Step, &names);
        let form = Form::Turns { places, each };
        self.asking
            .ask(chooser, choice, form, queue.iter().copied())
    }

    /// Takes a transition unless its machine has moved.
    fn take_abreast(&mut self, knots: &mut Knots, transition: u32) -> Result<(), ModelError> {
        let (is_taken, clashes) = knots.abreast.take(transition);
        if !is_taken {
            return Ok(());
        }
        let index = &self.machines.index;
        if clashes != 0 {
            for put in index.puts_of(transition as usize) {
                if !knots.abreast.is_among(clashes, put.machine) {
                    continue;
                }
                let puts = |transition: &u32| {
                    let mut puts = index.puts_of(*transition as usize).iter();
                    puts.any(|other| other.machine == put.machine)
                };
                let other = knots.taken.iter().rev().find(puts);
                let other = other.expect("a transition of this step put it elsewhere");
                let target = Target::Machine(put.machine);
                self.live.conflicts.note(other, transition, target);
            }
        }
        knots.taken.push_if(true, transition);
        match knots.loud >> transition & 1 {
            0 => Ok(()),
            _ => self.change_variables(transition, true),
        }
    }

    /// Brings up to date what depends on where machines are.
    #[inline]
    pub(super) fn look_abreast(&mut self, knots: &Knots) {
        (self.locals_print, self.ready.0[0]) = knots.abreast.look();
        knots.abreast.write(&mut self.state);
        if self.guards.ask_for_machines {
            let layout = &self.machines.layout;
            for (machine, local) in self.live.locals.iter_mut().enumerate() {
                *local = layout.local(&self.state, machine);
            }
            self.written |= ALL_MACHINES;
        }
    }
}

/// Names of the orders of a knot, which are only worked out if somebody wants to know.
struct KnotNames<'a> {
    machines: &'a Machines,
    questions: &'a Questions,
    knot: Knot,
}

impl Names for KnotNames<'_> {
    fn name(&self, index: usize) -> String {
        let (machines, questions) = (self.machines, self.questions);
        let mut queue = Vec::new();
        self.knot.list(&mut queue);
        match self.knot.each() {
            Some(each) => Turns::new(machines, questions, &queue, each).name(index),
            None => Queue::new(machines, questions, &queue).name(index),
        }
    }
}
