//! Whole states in few bits: each word gets as many as the largest value seen in its place needs.
//!
//! Words of a state are mostly small numbers: of local states, of values, of control locations. The words of a state share 64-bit units,
//! none reaching over the edge of one. When a value does not fit, all states are packed anew with more bits in that place; the
//! spare bits of a unit are handed out beforehand, so that this is rare.

use std::cmp::Reverse;

const UNIT: u32 = 64;

/// Where a word is within its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    shift: u32,
    mask: u64,
}

/// How words are laid out in units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    places: Vec<Place>,
    /// By unit: the first word that is not in it any more.
    ends: Vec<usize>,
}

impl Layout {
    /// For words of which nothing is known.
    pub(crate) fn new(width: usize) -> Layout {
        Layout::of(&vec![1; width])
    }

    /// For words with at least so many bits each.
    fn of(bits: &[u32]) -> Layout {
        let mut places = Vec::with_capacity(bits.len());
        let mut ends = Vec::new();
        let mut rest = bits;
        while !rest.is_empty() {
            let mut used = 0;
            let fits = |&&wanted: &&u32| {
                used += wanted;
                used <= UNIT
            };
            let together = rest.iter().take_while(fits).count();
            let (now, later) = rest.split_at(together);
            let spare = UNIT - now.iter().sum::<u32>();
            let (each, rest_of_spare) = (spare / together as u32, spare as usize % together);
            // What had many values so far will soon have more.
            let mut largest: Vec<usize> = (0..together).collect();
            largest.sort_by_key(|word| Reverse(now[*word]));
            let mut given: Vec<u32> = now.iter().map(|wanted| wanted + each).collect();
            for word in &largest[..rest_of_spare] {
                given[*word] += 1;
            }
            let mut shift = 0;
            for given in given.into_iter().map(|given| given.min(u32::BITS)) {
                places.push(Place {
                    shift,
                    mask: (1 << given) - 1,
                });
                shift += given;
            }
            ends.push(places.len());
            rest = later;
        }
        Layout { places, ends }
    }

    /// Units of a key.
    pub(crate) fn units(&self) -> usize {
        self.ends.len()
    }

    /// A layout with room for all states with these keys, and for words like these.
    pub(crate) fn widened<'a>(
        &self,
        words: &[u32],
        keys: impl Iterator<Item = &'a [u64]>,
    ) -> Layout {
        // Bits that are set in some key are those that are set in some word.
        let mut all = vec![0; self.units()];
        for key in keys {
            for (all, unit) in all.iter_mut().zip(key) {
                *all |= unit;
            }
        }
        let mut needed = vec![0; words.len()];
        self.unpack(&all, &mut needed);
        let all = needed.iter().zip(words).map(|(kept, word)| kept | word);
        let bits = all.map(|word| u32::BITS - word.leading_zeros());
        Layout::of(&bits.map(|bits| bits.max(1)).collect::<Vec<u32>>())
    }

    /// Changes keys to those of a layout in which there is room for their states.
    pub(crate) fn repack(&self, wider: &Layout, keys: &mut Vec<u64>) {
        if self.ends == wider.ends {
            return self.shift(wider, keys);
        }
        let mut state = vec![0; self.places.len()];
        let mut packed = Vec::with_capacity(keys.len() / self.units() * wider.units());
        for key in keys.chunks_exact(self.units()) {
            self.unpack(key, &mut state);
            wider.append(&state, &mut packed);
        }
        *keys = packed;
    }

    /// Changes keys to those of a layout that has the same words in each unit, and room for them.
    fn shift(&self, wider: &Layout, keys: &mut [u64]) {
        for key in keys.chunks_exact_mut(self.units()) {
            let mut begin = 0;
            for (unit, &end) in key.iter_mut().zip(&self.ends) {
                let places = self.places[begin..end]
                    .iter()
                    .zip(&wider.places[begin..end]);
                *unit = places.fold(0, |all, (from, to)| {
                    all | (*unit >> from.shift & from.mask) << to.shift
                });
                begin = end;
            }
        }
    }

    /// Adds the key of a state, or a part of it if the state does not fit; whether it fits.
    #[inline]
    pub(crate) fn append(&self, state: &[u32], keys: &mut Vec<u64>) -> bool {
        let mut begin = 0;
        for &end in &self.ends {
            let Some(unit) = packed(&self.places[begin..end], &state[begin..end]) else {
                return false;
            };
            keys.push(unit);
            begin = end;
        }
        true
    }

    /// The units of the key of a state; none where the state does not fit.
    #[inline]
    pub(crate) fn pack<'a>(&'a self, state: &'a [u32]) -> impl Iterator<Item = Option<u64>> + 'a {
        let mut begin = 0;
        self.ends.iter().map(move |&end| {
            let unit = packed(&self.places[begin..end], &state[begin..end]);
            begin = end;
            unit
        })
    }

    /// Whether a key is that of the state.
    #[inline]
    pub(crate) fn is(&self, key: &[u64], state: &[u32]) -> bool {
        let mut begin = 0;
        for (unit, &end) in key.iter().zip(&self.ends) {
            if packed(&self.places[begin..end], &state[begin..end]) != Some(*unit) {
                return false;
            }
            begin = end;
        }
        true
    }

    #[inline]
    pub(crate) fn unpack(&self, key: &[u64], state: &mut [u32]) {
        let mut begin = 0;
        for (unit, &end) in key.iter().zip(&self.ends) {
            let places = self.places[begin..end].iter();
            for (place, word) in places.zip(&mut state[begin..end]) {
                *word = (unit >> place.shift & place.mask) as u32;
            }
            begin = end;
        }
    }

    /// Adds the key of a state, after changing the layout of all keys if it has no room.
    #[inline]
    pub(crate) fn push(&mut self, state: &[u32], keys: &mut Vec<u64>) {
        let before = keys.len();
        if !self.append(state, keys) {
            keys.truncate(before);
            self.widen(state, std::iter::once(&mut *keys));
            self.append(state, keys);
        }
    }

    /// Whether a state fits.
    pub(crate) fn has_room(&self, state: &[u32]) -> bool {
        self.pack(state).all(|unit| unit.is_some())
    }

    /// Changes the layout, and all keys, so that there is room for a state.
    #[cold]
    pub(crate) fn widen<'a>(
        &mut self,
        state: &[u32],
        lists: impl Iterator<Item = &'a mut Vec<u64>>,
    ) {
        let lists: Vec<&mut Vec<u64>> = lists.collect();
        let keys = lists.iter().flat_map(|l| l.chunks_exact(self.units()));
        let wider = self.widened(state, keys);
        for keys in lists {
            self.repack(&wider, keys);
        }
        *self = wider;
    }
}

/// The words of one unit together, if each has room in its place.
#[inline]
fn packed(places: &[Place], words: &[u32]) -> Option<u64> {
    let mut unit = 0;
    // States are short: leaving the loop early keeps the compiler from making it one for long ones.
    for (place, word) in places.iter().zip(words) {
        let word = u64::from(*word);
        if word > place.mask {
            return None;
        }
        unit |= word << place.shift;
    }
    Some(unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sortie_model::Dice;

    #[test]
    fn what_is_packed_can_be_unpacked() {
        for width in [1, 2, 3, 7, 40] {
            let mut dice = Dice::new(width as u64);
            let mut layout = Layout::new(width);
            let mut keys = Vec::new();
            let mut states: Vec<Vec<u32>> = Vec::new();
            for round in 0..2000u64 {
                let state: Vec<u32> = (0..width as u64)
                    .map(|place| (dice.below(1 + (round * (place + 1)).pow(2)) % (1 << 32)) as u32)
                    .collect();
                layout.push(&state, &mut keys);
                states.push(state);
            }
            layout.push(&vec![u32::MAX; width], &mut keys);
            states.push(vec![u32::MAX; width]);
            let mut word = vec![0; width];
            for (key, state) in keys.chunks_exact(layout.units()).zip(&states) {
                assert!(layout.is(key, state));
                layout.unpack(key, &mut word);
                assert_eq!(word, *state);
            }
            assert_eq!(keys.len(), states.len() * layout.units());
        }
    }

    #[test]
    fn small_numbers_share_a_unit() {
        let mut layout = Layout::new(10);
        let mut keys = Vec::new();
        for value in 0..60 {
            layout.push(&[value; 10], &mut keys);
        }
        assert_eq!(layout.units(), 1);
    }
}
