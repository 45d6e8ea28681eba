//! The states that are tracked.
//!
//! Fingerprints are as good as random already, so a table of its own finds them without hashing them once more.

use crate::estimates::walk_sample::Met;

/// Tables begin this large: a power of two.
const FIRST: usize = 1 << 8;

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    /// The upper half of the fingerprint; zero where there is none.
    print: u64,
    met: Met,
}

/// By the upper half of the fingerprint: the walks that met a state.
#[derive(Debug)]
pub(super) struct Tracked {
    slots: Vec<Slot>,
    used: usize,
}

impl Tracked {
    pub(super) fn new() -> Self {
        Tracked {
            slots: vec![Slot::default(); FIRST],
            used: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.used
    }

    /// What is known of a state, which is tracked from now on; whether it is new.
    #[inline]
    pub(super) fn find(&mut self, print: u64) -> (&mut Met, bool) {
        // Zero stands for an empty slot.
        let print = print.max(1);
        let mask = self.slots.len() - 1;
        let mut place = print as usize & mask;
        while self.slots[place].print != print {
            if self.slots[place].print == 0 {
                return (self.add(print, place), true);
            }
            place = (place + 1) & mask;
        }
        (&mut self.slots[place].met, false)
    }

    #[cold]
    fn add(&mut self, print: u64, mut place: usize) -> &mut Met {
        if self.used * 4 >= self.slots.len() * 3 {
            self.grow();
            place = self.free_place(print);
        }
        self.used += 1;
        self.slots[place].print = print;
        &mut self.slots[place].met
    }

    /// Forgets all states with larger fingerprints. The table stays where it is: memory that was never used before is slow.
    #[cold]
    pub(super) fn keep_up_to(&mut self, bound: u64) {
        let is_kept = |slot: &&Slot| slot.print != 0 && slot.print <= bound;
        let kept: Vec<Slot> = self.slots.iter().filter(is_kept).copied().collect();
        self.slots.fill(Slot::default());
        self.put_all(kept);
    }

    fn grow(&mut self) {
        let larger = vec![Slot::default(); self.slots.len() * 2];
        let mut old = std::mem::replace(&mut self.slots, larger);
        old.retain(|slot| slot.print != 0);
        self.put_all(old);
    }

    /// These are all that is tracked.
    fn put_all(&mut self, slots: Vec<Slot>) {
        self.used = slots.len();
        for slot in slots {
            let place = self.free_place(slot.print);
            self.slots[place] = slot;
        }
    }

    /// Where a state that is not tracked yet belongs.
    fn free_place(&self, print: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut place = print as usize & mask;
        while self.slots[place].print != 0 {
            place = (place + 1) & mask;
        }
        place
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, Met)> {
        let full = self.slots.iter().filter(|slot| slot.print != 0);
        full.map(|slot| (slot.print, slot.met))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sortie_model::Dice;
    use std::collections::BTreeMap;

    #[test]
    fn agrees_with_a_map() {
        let mut dice = Dice::new(4);
        let prints: Vec<u64> = (0..2000).map(|_| dice.bits() | 1).collect();
        let mut tracked = Tracked::new();
        let mut map: BTreeMap<u64, Met> = BTreeMap::new();
        for round in 0..20_000 {
            let print = prints[dice.index(prints.len())];
            let (met, new) = tracked.find(print);
            assert_eq!(new, !map.contains_key(&print));
            met.note(round);
            map.entry(print).or_default().note(round);
            if round == 10_000 {
                let bound = u64::MAX / 2;
                tracked.keep_up_to(bound);
                map.retain(|&print, _| print <= bound);
            }
            assert_eq!(tracked.len(), map.len());
        }
        assert_eq!(tracked.iter().collect::<BTreeMap<_, _>>(), map);
    }
}
