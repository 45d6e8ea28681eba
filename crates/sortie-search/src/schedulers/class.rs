//! Which runs are the same but for the order of what commutes.
//!
//! Where every move says what it does to which object, two runs are of one class if each object is changed by the same moves in the same
//! order and looked at between the same changes: Mazurkiewicz's traces. A move is numbered within its task and marked with how often
//! its object was changed before; the sum of the hashes of all marked moves stands for the class. Elsewhere a class is one run, told by its answers.

use super::Answer;
use super::tasks::task_of;
use sortie_model::{Choice, Fingerprinter};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Every move is looked up twice, so hashing has to be quick.
#[derive(Default)]
struct Quick(u64);

impl Hasher for Quick {
    fn write(&mut self, bytes: &[u8]) {
        let words = bytes.iter().map(|byte| u64::from(*byte));
        words.for_each(|word| self.write_u64(word));
    }

    #[inline]
    fn write_u64(&mut self, value: u64) {
        self.0 = fold(self.0 ^ value, 0x9e37_79b9_7f4a_7c15);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Multiplies to 128 bits and folds the halves together.
#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ ((product >> 64) as u64)
}

type Numbers = HashMap<u64, u64, BuildHasherDefault<Quick>>;

/// The class of a run while it goes on.
#[derive(Default)]
pub(crate) struct Class {
    sum: u64,
    /// Whether some move did not say what it does.
    is_unknown: bool,
    /// How often each object was changed.
    changes: Numbers,
    /// How many moves and tosses each task had.
    places: Numbers,
    /// Who moved last.
    last: u64,
}

impl Class {
    pub(crate) fn begin(&mut self) {
        // The tables keep their memory.
        self.changes.clear();
        self.places.clear();
        (self.sum, self.last, self.is_unknown) = (0, 0, false);
    }

    #[inline]
    pub(crate) fn moved(&mut self, choice: &Choice<'_>, chosen: usize) {
        if self.is_unknown {
            return;
        }
        let Some(operation) = choice.names.operation(chosen) else {
            self.is_unknown = true;
            return;
        };
        self.last = task_of(choice, chosen);
        let place = self.place();
        let changes = self.changes.entry(operation.object).or_insert(0);
        let mark = *changes * 2 + u64::from(operation.looks);
        *changes += u64::from(!operation.looks);
        self.add(self.last, place, operation.object, mark);
    }

    #[inline]
    pub(crate) fn tossed(&mut self, chosen: usize) {
        if !self.is_unknown {
            let place = self.place();
            self.add(self.last, place, !0, chosen as u64);
        }
    }

    fn place(&mut self) -> u64 {
        let place = self.places.entry(self.last).or_insert(0);
        *place += 1;
        *place
    }

    #[inline]
    fn add(&mut self, who: u64, place: u64, object: u64, mark: u64) {
        let doer = fold(who ^ 0xa076_1d64_78bd_642f, place ^ 0xe703_7ed1_a0b4_28db);
        let deed = fold(object ^ 0xd6e8_feb8_6659_fd93, mark ^ 0x8ebc_6af0_9c88_c6e3);
        let event = fold(doer ^ 0x9e37_79b9_7f4a_7c15, deed);
        self.sum = self.sum.wrapping_add(event);
    }

    /// A hash of the class of the run that gave these answers.
    pub(crate) fn print(&self, answers: &[Answer]) -> u64 {
        let mut print = Fingerprinter::new();
        if self.is_unknown {
            let codes = answers
                .iter()
                .map(|answer| u64::from(answer.chosen) << 32 | u64::from(answer.of));
            codes.for_each(|code| print.mix(code));
        } else {
            print.mix(self.sum);
        }
        print.fingerprint().high()
    }
}
