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
    guarded: Bits,
    /// Those whose guard was not evaluated yet, or may have changed since.
    pub(super) unknown: Bits,
    /// Those whose guard does not hold, as far as it is known.
    pub(super) refused: Bits,
    /// By transition: which of the different guards it has.
    guard: Vec<u32>,
    /// By guard: the transitions that have it, as words of a set.
    users: Vec<Vec<(u32, u64)>>,
    /// By guard: what it read when it was evaluated last, and what it may read whenever it is looked up instead.
    reads: Vec<Mask>,
    may_read: Vec<Mask>,
    /// For every bit of such masks a set, all in one list: the transitions whose guard read it.
    readers: Vec<u64>,
}

impl Guards {
    pub(super) fn new(system: &System) -> Self {
        let transitions = &system.transitions;
        let count = transitions.len();
        let mut guards = Guards {
            ask_for_machines: asks_for_machines(system),
            guarded: Bits::new(count),
            unknown: Bits::new(count),
            refused: Bits::new(count),
            guard: vec![0; count],
            users: Vec::new(),
            reads: Vec::new(),
            may_read: Vec::new(),
            readers: Vec::new(),
        };
        let mut numbers: HashMap<String, u32> = HashMap::new();
        for (number, transition) in transitions.iter().enumerate() {
            let Some(guard) = &transition.guard else {
                continue;
            };
            let next = numbers.len() as u32;
            let guard = *numbers.entry(format!("{guard:?}")).or_insert(next);
            if guard == next {
                guards.users.push(Vec::new());
                guards.reads.push(0);
                guards.may_read.push(0);
            }
            guards.guarded.set(number);
            guards.guard[number] = guard;
            let (word, bit) = (number as u32 / 64, 1 << (number % 64));
            let users = &mut guards.users[guard as usize];
            match users.last_mut() {
                Some((last, bits)) if *last == word => *bits |= bit,
                _ => users.push((word, bit)),
            }
        }
        if guards.any() {
            let sets = Mask::BITS as usize;
            guards.readers = vec![0; sets * guards.guarded.0.len()];
        }
        guards.forget_all();
        guards
    }

    /// Whether there are any.
    pub(super) fn any(&self) -> bool {
        !self.users.is_empty()
    }

    /// The guard of a transition was evaluated.
    pub(super) fn learn(&mut self, number: usize, holds: bool, reads: Mask) {
        self.set_reads(number, reads);
        let users = &self.users[self.guard[number] as usize];
        for &(word, bits) in users {
            self.unknown.0[word as usize] &= !bits;
            let refused = &mut self.refused.0[word as usize];
            *refused = if holds {
                *refused & !bits
            } else {
                *refused | bits
            };
        }
    }

    /// The guard of a transition will be looked up, and depends on no more than this. The same guard may be evaluated elsewhere, and read less.
    pub(super) fn will_be_looked_up(&mut self, number: usize, may_read: Mask) {
        self.may_read[self.guard[number] as usize] = may_read;
        self.set_reads(number, 0);
    }

    /// Guards of transitions of one word were looked up, of which it was said before what they depend on.
    #[inline]
    pub(super) fn learn_together(&mut self, word: u32, asked: u64, hold: u64) {
        self.unknown.0[word as usize] &= !asked;
        let refused = &mut self.refused.0[word as usize];
        *refused = *refused & !asked | asked & !hold;
    }

    /// What the guard of a transition has read.
    fn set_reads(&mut self, number: usize, reads: Mask) {
        let guard = self.guard[number] as usize;
        let reads = reads | self.may_read[guard];
        if self.reads[guard] == reads {
            return;
        }
        let words = self.guarded.0.len();
        for bit in ones(std::mem::replace(&mut self.reads[guard], reads) ^ reads) {
            for &(word, bits) in &self.users[guard] {
                self.readers[bit * words + word as usize] ^= bits;
            }
        }
    }

    /// Nothing is known of any guard.
    pub(super) fn forget_all(&mut self) {
        self.unknown.0.copy_from_slice(&self.guarded.0);
    }

    /// Forgets guards that read what was written.
    pub(super) fn forget(&mut self, written: Mask) {
        let words = self.guarded.0.len();
        for (first, half) in [(0, written as u64), (64, (written >> 64) as u64)] {
            let mut left = half;
            while left != 0 {
                let bit = first + left.trailing_zeros() as usize;
                let readers = &self.readers[bit * words..][..words];
                for (unknown, readers) in self.unknown.0.iter_mut().zip(readers) {
                    *unknown |= readers;
                }
                left &= left - 1;
            }
        }
    }
}

/// The places of the bits that are set.
fn ones(mask: Mask) -> impl Iterator<Item = usize> {
    let halves = [(0, mask as u64), (64, (mask >> 64) as u64)];
    halves.into_iter().flat_map(|(first, mut left)| {
        std::iter::from_fn(move || {
            (left != 0).then(|| {
                let bit = first + left.trailing_zeros() as usize;
                left &= left - 1;
                bit
            })
        })
    })
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
