//! States that one thread found and that were not visited before, each once, in the order in which they were found.
//!
//! Successors of neighbouring states are often the same. A thread that drops those it found before leaves less to do for the one that
//! inserts them all.

use crate::store::visited::StateId;

/// A state is looked up in its slot and the following ones; at most half of them are taken.
const SMALLEST: usize = 1 << 10;

/// The states, with the state each was first reached from.
#[derive(Debug, Default)]
pub(crate) struct Fresh {
    width: usize,
    /// Parents and hashes.
    origins: Vec<(StateId, u64)>,
    words: Vec<u32>,
    /// Places in the lists plus one.
    slots: Vec<u32>,
}

impl Fresh {
    /// An empty list for states of so many words.
    pub(crate) fn new(width: usize) -> Fresh {
        Fresh {
            width,
            slots: vec![0; SMALLEST],
            ..Fresh::default()
        }
    }

    /// Forgets all states and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.origins.clear();
        self.words.clear();
        self.slots.fill(0);
    }

    /// Adds a state with this hash, unless it is there already.
    #[inline]
    pub(crate) fn add(&mut self, hash: u64, state: &[u32], parent: StateId) {
        if self.origins.len() * 2 >= self.slots.len() {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let mut at = home(hash, state) & mask;
        loop {
            match self.slots[at] {
                0 => break,
                number => {
                    let place = number as usize - 1;
                    if self.origins[place].1 == hash && self.state(place) == state {
                        return;
                    }
                }
            }
            at = (at + 1) & mask;
        }
        self.origins.push((parent, hash));
        self.words.extend_from_slice(state);
        self.slots[at] = self.origins.len() as u32;
    }

    #[cold]
    fn grow(&mut self) {
        let mask = self.slots.len() * 2 - 1;
        self.slots.clear();
        self.slots.resize(mask + 1, 0);
        for (place, (_, hash)) in self.origins.iter().enumerate() {
            let mut at = home(*hash, &self.words[place * self.width..]) & mask;
            while self.slots[at] != 0 {
                at = (at + 1) & mask;
            }
            self.slots[at] = place as u32 + 1;
        }
    }

    fn state(&self, place: usize) -> &[u32] {
        &self.words[place * self.width..][..self.width]
    }

    /// Parent, hash and words of every state.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (StateId, u64, &[u32])> {
        let origins = self.origins.iter().enumerate();
        origins.map(|(place, &(parent, hash))| (parent, hash, self.state(place)))
    }

    /// The hashes of the states from number `first` on.
    pub(crate) fn hashes(&self, first: usize) -> impl Iterator<Item = u64> {
        self.origins[first..].iter().map(|(_, hash)| *hash)
    }
}

/// Where to look for a state first. A search that needs no hashes gives none, so a word of the state helps to tell them apart.
#[inline]
fn home(hash: u64, state: &[u32]) -> usize {
    let word = state.first().map_or(0, |word| u64::from(*word));
    (hash.wrapping_add(word.wrapping_mul(0x9e37_79b9_7f4a_7c15)) >> 32) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_state_is_there_once_with_its_first_parent() {
        let mut fresh = Fresh::new(2);
        for _ in 0..2 {
            for number in 0..9000u32 {
                // Hashes may be equal where states are not.
                let state = number % 3000;
                fresh.add(u64::from(state / 2), &[state, 7], StateId(number));
            }
            let found: Vec<_> = fresh.iter().collect();
            assert_eq!(found.len(), 3000);
            for (number, (parent, hash, state)) in (0..).zip(found) {
                assert_eq!((parent, hash), (StateId(number), u64::from(number / 2)));
                assert_eq!(state, [number, 7]);
            }
            fresh.clear();
            assert_eq!(fresh.iter().count(), 0);
        }
    }
}
