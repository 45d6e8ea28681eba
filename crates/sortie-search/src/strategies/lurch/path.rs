//! The states of one path: how often each was met, and when last.

/// A path that meets more distinct states than this forgets about the later ones.
const MOST: usize = 1 << 17;

#[derive(Clone, Copy, Default)]
struct Slot {
    hash: u64,
    /// The path it belongs to; slots of other paths are empty.
    path: u32,
    repeats: u32,
    depth: u64,
}

/// What is known of a state that was met before on this path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Earlier {
    /// After how many steps it was met last.
    pub(super) depth: u64,
    /// How many times it was met again, this time included.
    pub(super) repeats: u32,
}

/// What is known of a state that a path meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meeting {
    /// The path was there before.
    Again(Earlier),
    /// An earlier path was there. Not all such states are known.
    Familiar,
    Unfamiliar,
}

/// The states of one path, by their hashes, and those of earlier paths that are not in their way.
pub(super) struct PathMap {
    slots: Vec<Slot>,
    used: usize,
    path: u32,
}

impl PathMap {
    pub(super) fn new() -> Self {
        PathMap {
            slots: vec![Slot::default(); 1 << 10],
            used: 0,
            path: 0,
        }
    }

    /// A new path begins.
    pub(super) fn begin(&mut self) {
        self.used = 0;
        self.path = self.path.wrapping_add(1);
        if self.path == 0 {
            // Numbers of paths begin anew, so no slot may carry an old one.
            self.slots.fill(Slot::default());
            self.path = 1;
        }
    }

    /// The path meets a state after so many steps.
    #[inline]
    pub(super) fn meet(&mut self, hash: u64, depth: u64) -> Meeting {
        let mask = self.slots.len() - 1;
        let mut place = hash as usize & mask;
        while self.slots[place].path == self.path {
            let slot = &mut self.slots[place];
            if slot.hash == hash {
                slot.repeats += 1;
                return Meeting::Again(Earlier {
                    depth: std::mem::replace(&mut slot.depth, depth),
                    repeats: slot.repeats,
                });
            }
            place = (place + 1) & mask;
        }
        let slot = &mut self.slots[place];
        let is_familiar = slot.hash == hash && slot.path != 0;
        if self.used < MOST {
            *slot = Slot {
                hash,
                path: self.path,
                repeats: 0,
                depth,
            };
            self.used += 1;
            if self.used * 2 > self.slots.len() {
                self.grow();
            }
        }
        match is_familiar {
            true => Meeting::Familiar,
            false => Meeting::Unfamiliar,
        }
    }

    #[cold]
    fn grow(&mut self) {
        let larger = vec![Slot::default(); self.slots.len() * 2];
        let mask = larger.len() - 1;
        for slot in std::mem::replace(&mut self.slots, larger) {
            if slot.path != self.path {
                continue;
            }
            let mut place = slot.hash as usize & mask;
            while self.slots[place].path == self.path {
                place = (place + 1) & mask;
            }
            self.slots[place] = slot;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_knows_its_own_states_only() {
        let mut map = PathMap::new();
        for path in 0..3 {
            map.begin();
            let hash = |n: u64| (n + path).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let mut familiar = 0;
            for n in 0..5000 {
                let meeting = map.meet(hash(n), n);
                assert!(!matches!(meeting, Meeting::Again(_)));
                assert!(path > 0 && n < 4999 || meeting == Meeting::Unfamiliar);
                familiar += u64::from(meeting == Meeting::Familiar);
            }
            assert_eq!(familiar > 0, path > 0);
            for (depth, repeats) in [(7, 1), (6000, 2)] {
                let again = map.meet(hash(7), 5999 + u64::from(repeats));
                assert_eq!(again, Meeting::Again(Earlier { depth, repeats }));
            }
        }
    }
}
