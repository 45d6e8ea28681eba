//! What is known of guards.

use crate::code::Expression;
use crate::index::Bits;
use crate::memory::Mask;
use crate::system::System;
use crate::visit;
use std::collections::HashMap;

/// What is known of guards. Transitions with the same guard learn of it together.
pub(super) struct Guards {
    /// Whether any of them asks where a machine is.
    pub(super) ask_for_machines: bool,
    /// Transitions that have one.
    pub(super) guarded: Bits,
    /// Those whose guard was evaluated and has not changed since.
    pub(super) known: Bits,
    /// Those whose guard holds.
    pub(super) hold: Bits,
    /// By transition: which of the different guards it has.
    guard: Vec<usize>,
    /// By guard: the transitions that have it.
    users: Vec<Bits>,
    /// By guard: what it read when it was evaluated.
    reads: Vec<Mask>,
}

impl Guards {
    pub(super) fn new(system: &System) -> Self {
        let transitions = &system.transitions;
        let count = transitions.len();
        let mut guards = Guards {
            ask_for_machines: asks_for_machines(system),
            guarded: Bits::new(count),
            known: Bits::new(count),
            hold: Bits::new(count),
            guard: vec![0; count],
            users: Vec::new(),
            reads: Vec::new(),
        };
        let mut numbers: HashMap<String, usize> = HashMap::new();
        for (number, transition) in transitions.iter().enumerate() {
            let Some(guard) = &transition.guard else {
                continue;
            };
            let next = numbers.len();
            let guard = *numbers.entry(format!("{guard:?}")).or_insert(next);
            if guard == next {
                guards.users.push(Bits::new(count));
                guards.reads.push(0);
            }
            guards.guarded.set(number);
            guards.guard[number] = guard;
            guards.users[guard].set(number);
        }
        guards
    }

    /// Whether there are any.
    pub(super) fn any(&self) -> bool {
        !self.users.is_empty()
    }

    /// The guard of a transition was evaluated.
    pub(super) fn learn(&mut self, number: usize, holds: bool, reads: Mask) {
        let guard = self.guard[number];
        self.reads[guard] = reads;
        let known = self.known.0.iter_mut().zip(&mut self.hold.0);
        for ((known, hold), &users) in known.zip(&self.users[guard].0) {
            *known |= users;
            *hold = if holds { *hold | users } else { *hold & !users };
        }
    }

    /// Forgets guards that read what was written, and those of transitions that are not ready.
    pub(super) fn forget(&mut self, written: Mask, ready: &Bits) {
        for word in 0..self.known.0.len() {
            self.known.0[word] &= ready.0[word];
            let mut left = self.known.0[word];
            while left != 0 {
                let number = word * 64 + left.trailing_zeros() as usize;
                let guard = self.guard[number];
                let users = &self.users[guard].0;
                // Those in other words are looked at there.
                left &= !users[word];
                if self.reads[guard] & written != 0 {
                    self.known.0[word] &= !users[word];
                }
            }
        }
    }
}

/// Whether a guard, or a function that guards might call, asks where a machine is.
fn asks_for_machines(system: &System) -> bool {
    let mut asks = false;
    let mut look = |part: &Expression| asks |= matches!(part, Expression::In { .. });
    for guard in system.transitions.iter().filter_map(|t| t.guard.as_ref()) {
        visit::expression(guard, &mut look);
    }
    for function in &system.functions {
        visit::statements(&function.body, &mut look);
    }
    asks
}
