//! Takes transitions.

use super::MachineWalk;
use super::asking::Form;
use super::offer::Offered;
use super::queue::Queue;
use crate::conflicts::Target;
use crate::deeds::Deed;
use crate::index::Put;
use crate::layout::MarkId;
use crate::memory::{ALL_MACHINES, machine_bit, variable_bit};
use crate::system::{Effects, Timing};
use sortie_model::{Choice, Chooser, Kind, ModelError};

impl MachineWalk<'_> {
    /// Lets a class move, whose enabled transitions were found.
    pub(super) fn move_class(
        &mut self,
        class: usize,
        chooser: &mut (impl Chooser + ?Sized),
    ) -> Result<(), ModelError> {
        let never = self.machines.index.classes[class].never;
        if self.machines.timing == Timing::Asynchronous && !never {
            let offer = &self.offer;
            let alone = self.machines.index.classes.len() == 1;
            let names = Offered {
                machines: self.machines,
                transition: &|index| offer.member(index),
                alone,
            };
            let choice = Choice::new(offer.count, Kind::Step, &names);
            let form = Form::One { alone };
            let chosen = self.asking.ask(chooser, choice, form, offer.iter());
            self.take(self.offer.member(chosen))?;
            if self.masked {
                self.find_ready();
            }
            return Ok(());
        }
        if let Some(mut knots) = self.knots.take() {
            let done = match never {
                true => self.watch(&mut knots, chooser),
                false => self.knot_by_knot(&mut knots, chooser),
            };
            self.knots = Some(knots);
            return done;
        }
        match self.machines.system.effects {
            // Few machines watch, and many of them stay where they are.
            Effects::AtOnce if never => {
                self.strayed = false;
                self.one_after_another(chooser, |walk, transition| {
                    walk.take_in_turn(transition, true)
                })?;
                if self.masked && self.strayed {
                    self.find_ready();
                }
                Ok(())
            }
            Effects::AtOnce => {
                let follow = !self.masked;
                self.one_after_another(chooser, |walk, transition| {
                    walk.take_in_turn(transition, follow)
                })?;
                if self.masked {
                    self.note_all_moves();
                }
                Ok(())
            }
            Effects::Afterwards => self.together(chooser),
        }
    }

    /// All enabled transitions stand in a queue in random order, and each is taken unless its machine has moved. Those that get in nobody's way need not queue.
    #[inline]
    pub(super) fn one_after_another(
        &mut self,
        chooser: &mut (impl Chooser + ?Sized),
        mut take: impl FnMut(&mut Self, u32) -> Result<(), ModelError>,
    ) -> Result<(), ModelError> {
        let machines = self.machines;
        let mut queue = std::mem::take(&mut self.enabled);
        if let [transition] = queue[..] {
            self.enabled = queue;
            return take(self, transition);
        }
        let mut queueing = 0;
        for place in 0..queue.len() {
            let transition = queue[place];
            if machines
                .index
                .rivals
                .has_any(transition, &self.offer.members)
            {
                queue[queueing] = transition;
                queueing += 1;
            } else {
                take(self, transition)?;
            }
        }
        self.take_queue(&mut queue[..queueing], chooser, take)?;
        self.enabled = queue;
        Ok(())
    }

    /// The first places of a queue.
    #[inline(always)]
    pub(super) fn ask_for_order(
        &mut self,
        queue: &[u32],
        chooser: &mut (impl Chooser + ?Sized),
    ) -> usize {
        if self.asking.is_recording {
            return self.ask_and_record_order(queue, chooser);
        }
        let (_, alternatives) = self.questions.about(queue.len());
        let names = Queue::new(self.machines, &self.questions, queue);
        chooser.choose(Choice::new(alternatives, Kind::Step, &names))
    }

    /// The same where the question is remembered: apart from the other, which nothing is to slow down.
    #[inline(never)]
    fn ask_and_record_order(
        &mut self,
        queue: &[u32],
        chooser: &mut (impl Chooser + ?Sized),
    ) -> usize {
        let (places, alternatives) = self.questions.about(queue.len());
        let names = Queue::new(self.machines, &self.questions, queue);
        let choice = Choice::new(alternatives, Kind::Step, &names);
        let form = Form::Order { places };
        self.asking
            .ask(chooser, choice, form, queue.iter().copied())
    }

    /// Takes the transitions of a queue in random order.
    #[inline]
    pub(super) fn take_queue(
        &mut self,
        queue: &mut [u32],
        chooser: &mut (impl Chooser + ?Sized),
        mut take: impl FnMut(&mut Self, u32) -> Result<(), ModelError>,
    ) -> Result<(), ModelError> {
        let mut left = queue;
        while !left.is_empty() {
            let (places, alternatives) = self.questions.about(left.len());
            let mut answer = 0;
            if alternatives > 1 {
                answer = self.ask_for_order(left, chooser);
            }
            // The last one in the queue needs no question.
            for _ in 0..places.max(1) {
                answer = self.questions.draw(left, answer);
                let transition = left[0];
                left = &mut left[1..];
                take(self, transition)?;
            }
        }
        Ok(())
    }

    fn together(&mut self, chooser: &mut (impl Chooser + ?Sized)) -> Result<(), ModelError> {
        let mut sorted = std::mem::take(&mut self.enabled);
        self.selected.clear();
        // Transitions of one machine need not stand together in the file.
        sorted.sort_by_key(|&transition| (self.owner(transition), transition));
        let machines = self.machines;
        let owner = |t: u32| machines.index.owner[t as usize];
        for options in sorted.chunk_by(|&a, &b| owner(a) == owner(b)) {
            let chosen = match options.len() {
                1 => 0,
                count => {
                    let names = Offered {
                        machines,
                        transition: &|index| options[index],
                        alone: false,
                    };
                    let choice = Choice::new(count, Kind::Toss, &names);
                    let form = Form::One { alone: false };
                    let options = options.iter().copied();
                    self.asking.ask(chooser, choice, form, options)
                }
            };
            self.selected.push(options[chosen]);
            let machine = self.owner(options[chosen]);
            self.seats[machine].moved_in = self.step;
        }
        let moved = self.live.moved.len();
        self.live.move_together(&self.selected)?;
        for place in moved..self.live.moved.len() {
            let (machine, _) = self.live.moved[place];
            let local = self.live.locals[machine as usize];
            self.put(&Put {
                machine,
                mark: machines.layout.mark_of(machine as usize, local),
            });
        }
        self.taken.extend_from_slice(&self.selected);
        self.enabled = sorted;
        if self.masked {
            self.find_ready();
        }
        Ok(())
    }

    /// Takes a transition now.
    fn take(&mut self, transition: u32) -> Result<(), ModelError> {
        let index = &self.machines.index;
        let action = index.moves[transition as usize];
        for put in index.puts(action) {
            self.put(put);
        }
        self.taken.push(transition);
        if action.is_quiet {
            return Ok(());
        }
        self.change_variables(transition, false)
    }

    /// Takes a transition in a step with others, unless its machine has moved. Where everything is looked at after the step in any case, it is enough to say where
    /// machines are; otherwise they are followed.
    #[inline(always)]
    fn take_in_turn(&mut self, transition: u32, follow: bool) -> Result<(), ModelError> {
        let index = &self.machines.index;
        let step = self.step;
        let action = index.moves[transition as usize];
        let moved_in = &mut self.seats[action.owner as usize].moved_in;
        if std::mem::replace(moved_in, step) == step {
            return Ok(());
        }
        for put in index.puts(action) {
            let seat = &mut self.seats[put.machine as usize];
            let before = seat.set(step, transition, put, &mut self.live.conflicts);
            if follow {
                self.note_move(before, put);
            }
        }
        self.taken.push(transition);
        if action.is_quiet {
            return Ok(());
        }
        self.change_variables(transition, true)
    }

    /// What a transition does to variables.
    #[inline]
    pub(super) fn change_variables(
        &mut self,
        transition: u32,
        together: bool,
    ) -> Result<(), ModelError> {
        let machines = self.machines;
        match &machines.index.deeds[transition as usize] {
            Deed::Plain(changes) => {
                for change in changes {
                    let place = change.variable as usize;
                    let value = change.how.of(self.live.memory.variables[place]);
                    self.live.memory.variables[place] = value;
                    let layout = &machines.layout;
                    layout.set_variable(&mut self.state, place, value);
                    if self.assigned.last() != Some(&change.variable) {
                        self.assigned.push(change.variable);
                    }
                    self.written |= variable_bit(place);
                    if together {
                        self.look_for_conflict(transition, change.variable, value);
                    }
                }
            }
            Deed::Code => {
                if together && self.masked && self.guards.ask_for_machines {
                    self.note_all_moves();
                }
                self.run_code(transition, together)?;
            }
        }
        Ok(())
    }

    /// Whether another transition of this step wrote something else to a variable.
    pub(super) fn look_for_conflict(&mut self, transition: u32, variable: u32, value: i64) {
        let place = variable as usize;
        let now = (self.step, transition, value);
        let (step, by, other) = std::mem::replace(&mut self.written_in[place], now);
        if step == self.step && by != transition && other != value {
            let target = Target::Variable(variable);
            self.live.conflicts.note(by, transition, target);
        }
    }

    /// Puts a machine into a local state.
    #[inline]
    fn put(&mut self, put: &Put) {
        let seat = &mut self.seats[put.machine as usize];
        let before = std::mem::replace(&mut seat.mark, put.mark);
        self.note_move(before, put);
    }

    /// Keeps up to date what depends on where a machine is.
    #[inline(always)]
    fn note_move(&mut self, before: MarkId, put: &Put) {
        let layout = &self.machines.layout;
        let place = put.machine as usize;
        let (old, new) = (layout.mark(before), layout.mark(put.mark));
        self.live.locals[place] = new.local;
        self.locals_print ^= old.print ^ new.print;
        self.state[old.word as usize] ^= old.bits ^ new.bits;
        if self.guards.ask_for_machines {
            self.written |= machine_bit(place);
        }
        if before != put.mark {
            self.strayed = true;
            if !self.masked {
                self.follow_machine(before, put.mark);
            }
        }
    }

    /// Finds what depends on where machines are from the beginning: where many moved, that is faster than following them.
    fn note_all_moves(&mut self) {
        let layout = &self.machines.layout;
        let allowing = self.machines.index.allowing.of_few();
        let (mut word, mut bits) = (0, 0);
        let mut print = 0;
        let mut ready = u64::MAX;
        for (seat, local) in self.seats.iter().zip(&mut self.live.locals) {
            let mark = layout.mark(seat.mark);
            *local = mark.local;
            print ^= mark.print;
            // Machines of one word stand together.
            if mark.word != word {
                self.state[word as usize] = bits;
                (word, bits) = (mark.word, 0);
            }
            bits |= mark.bits;
            if let Some(allowing) = allowing {
                ready &= allowing[seat.mark.0 as usize];
            }
        }
        match allowing {
            Some(_) => self.ready.0[0] = ready,
            None => self.find_ready(),
        }
        self.state[word as usize] = bits;
        self.locals_print = print;
        if self.guards.ask_for_machines {
            self.written |= ALL_MACHINES;
        }
    }

    /// A machine went from one local state to another: which transitions does that concern?
    #[inline]
    fn follow_machine(&mut self, old: MarkId, new: MarkId) {
        let watching = &self.machines.index.watching;
        let ready = &mut self.ready.0[..];
        if let (Some((left, from)), Some((entered, to))) =
            (watching.plain(old), watching.plain(new))
        {
            ready[left as usize] &= !from;
            ready[entered as usize] |= to;
            return;
        }
        for &(word, bits) in watching.all(old) {
            ready[word as usize] &= !bits;
        }
        for &transition in watching.shared(old) {
            self.unmet[transition as usize] += 1;
        }
        for &(word, bits) in watching.alone(new) {
            ready[word as usize] |= bits;
        }
        for &transition in watching.shared(new) {
            let number = transition as usize;
            self.unmet[number] -= 1;
            if self.unmet[number] == 0 {
                self.ready.set(number);
            }
        }
    }
}
