//! The paper's own draw (Engels et al., algorithm 1): a reservoir over *attempts*, not states.
//!
//! Every attempt to add a state that is neither visited nor already selected counts; from the N+1st on, an attempt
//! succeeds with probability N/c and evicts a random member. A state rejected or evicted and met again counts again,
//! so states reached from many lanes (funnels) are favoured: formulas (2) and (3) of the paper.
//!
//! Kept to reproduce the paper's tables. It draws in order of arrival and therefore uses one thread.

use crate::strategies::highway::Selection;
use sortie_model::{Dice, Fingerprint};
use std::collections::HashMap;

/// The selection for the next level.
#[derive(Debug)]
pub struct Reservoir {
    size: usize,
    attempts: u64,
    entries: Vec<(Fingerprint, u32)>,
    words: Vec<u32>,
    places: HashMap<Fingerprint, usize>,
}

impl Reservoir {
    /// An empty selection of at most `size` states.
    pub fn new(size: usize) -> Self {
        Reservoir {
            size,
            attempts: 0,
            entries: Vec::new(),
            words: Vec::new(),
            places: HashMap::new(),
        }
    }

    /// Tries to add a state that was not visited before, seen from the lane at `position`.
    pub fn attempt(&mut self, print: Fingerprint, state: &[u32], position: u32, dice: &mut Dice) {
        if self.places.contains_key(&print) {
            return;
        }
        self.attempts += 1;
        if self.entries.len() < self.size {
            self.places.insert(print, self.entries.len());
            self.entries.push((print, position));
            self.words.extend_from_slice(state);
        } else if dice.chance(self.size as u64, self.attempts) {
            let victim = dice.index(self.size);
            self.places.remove(&self.entries[victim].0);
            self.places.insert(print, victim);
            self.entries[victim] = (print, position);
            let start = victim * state.len();
            self.words[start..start + state.len()].copy_from_slice(state);
        }
    }

    /// Whether some attempt failed or evicted a state.
    pub fn dropped(&self) -> bool {
        self.attempts > self.entries.len() as u64
    }

    /// What was selected.
    pub fn into_selection(self) -> Selection {
        Selection {
            entries: self.entries,
            words: self.words,
        }
    }
}
