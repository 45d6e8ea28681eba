//! Pairs of uses of an object: what is remarkable about a run.
//!
//! Where moves say what they do, each use of an object is paired with the last one by another task; elsewhere each move is paired with the one before,
//! if that was another task's.

use super::tasks::task_of;
use sortie_model::{Choice, Fingerprinter};
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// Who did what.
type Use = (u64, u64);

/// The pairs of a run.
#[derive(Default)]
pub(crate) struct Pairs {
    /// The last use of each object, and the last by a task other than that one's.
    uses: HashMap<u64, (Use, Option<Use>), BuildHasherDefault<Fingerprinter>>,
    last: Option<Use>,
    /// Hashes of the pairs, each with the number of questions with a choice that the run had asked by then.
    seen: Vec<(u64, u32)>,
    is_silent: bool,
}

impl Pairs {
    pub(crate) fn begin(&mut self) {
        self.uses.clear();
        self.last = None;
        self.seen.clear();
        self.is_silent = false;
    }

    /// A task moves, after this number of questions with a choice.
    pub(crate) fn moved(&mut self, choice: &Choice<'_>, chosen: usize, asked: usize) {
        let who = task_of(choice, chosen);
        let now = (who, choice.names.key(chosen).what);
        let operation = match self.is_silent {
            true => None,
            false => choice.names.operation(chosen),
        };
        let Some(operation) = operation else {
            self.is_silent = true;
            let before = self.last.replace(now).filter(|(last, _)| *last != who);
            if let Some((last, what)) = before {
                self.see(&[last, what, now.0, now.1], asked);
            }
            return;
        };
        let Some((last, other)) = self.uses.get_mut(&operation.object) else {
            self.uses.insert(operation.object, (now, None));
            return;
        };
        if last.0 != who {
            *other = Some(*last);
        }
        *last = now;
        if let Some((_, what)) = *other {
            self.see(&[what, now.1, u64::from(operation.looks)], asked);
        }
    }

    fn see(&mut self, parts: &[u64], asked: usize) {
        let mut print = Fingerprinter::new();
        parts.iter().for_each(|part| print.mix(*part));
        self.seen.push((print.fingerprint().high(), asked as u32));
    }

    /// Hashes of the pairs, each once, in order, with the number of questions that had been asked when it first occurred.
    pub(crate) fn distinct(&mut self) -> &[(u64, u32)] {
        self.seen.sort_unstable();
        self.seen.dedup_by_key(|(pair, _)| *pair);
        &self.seen
    }
}
