//! Which runs are the same but for the order of what commutes.
//!
//! Where every move says what it does to which object, two runs are of one class if each object is changed by the same moves in the same
//! order and looked at between the same changes: Mazurkiewicz's traces. A move is numbered within its task and marked with how often
//! its object was changed before; the sum of the hashes of all marked moves stands for the class. Elsewhere a class is one run, told by its answers.

use super::Answer;
use super::cast::task_of;
use sortie_model::{Choice, Fingerprinter};
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

type Numbers = HashMap<u64, u64, BuildHasherDefault<Fingerprinter>>;

/// The class of a run while it goes on.
#[derive(Default)]
pub(super) struct Class {
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
    pub(super) fn begin(&mut self) {
        self.changes.clear();
        self.places.clear();
        self.sum = 0;
        self.last = 0;
        self.is_unknown = false;
    }

    #[inline]
    pub(super) fn moved(&mut self, choice: &Choice<'_>, chosen: usize) {
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
        self.add(&[self.last, place, operation.object, mark]);
    }

    #[inline]
    pub(super) fn tossed(&mut self, chosen: usize) {
        if !self.is_unknown {
            let place = self.place();
            self.add(&[self.last, place, !0, chosen as u64]);
        }
    }

    fn place(&mut self) -> u64 {
        let place = self.places.entry(self.last).or_insert(0);
        *place += 1;
        *place
    }

    fn add(&mut self, parts: &[u64]) {
        let mut print = Fingerprinter::new();
        parts.iter().for_each(|part| print.mix(*part));
        self.sum = self.sum.wrapping_add(print.fingerprint().high());
    }

    /// A hash of the class of the run that gave these answers.
    pub(super) fn print(&self, answers: &[Answer]) -> u64 {
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
