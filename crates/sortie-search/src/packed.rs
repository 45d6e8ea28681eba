//! Whole states in few bits: each word gets as many as the largest value seen in its place needs.
//!
//! Words of a state are mostly small numbers: of local states, of values, of control locations. The words of a state share 64-bit units,
//! none reaching over the edge of one. When a value does not fit, all states are packed anew with more bits in that place; the
//! spare bits of a unit are handed out beforehand, so that this is rare.

const UNIT: u32 = 64;

/// Where a word is within a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    unit: u32,
    shift: u32,
    mask: u64,
}

/// How words are laid out in units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    places: Vec<Place>,
    units: usize,
}

impl Layout {
    /// For words of which nothing is known.
    pub(crate) fn new(width: usize) -> Layout {
        Layout::of(&vec![1; width])
    }

    /// For words with at least so many bits each.
    fn of(bits: &[u32]) -> Layout {
        let mut places = Vec::with_capacity(bits.len());
        let mut units = 0;
        let mut rest = bits;
        while !rest.is_empty() {
            let mut used = 0;
            let fits = |&&wanted: &&u32| {
                used += wanted;
                used <= UNIT
            };
            let together = rest.iter().take_while(fits).count();
            let (now, later) = rest.split_at(together);
            let spare = (UNIT - now.iter().sum::<u32>()) / together as u32;
            let mut shift = 0;
            for wanted in now {
                let given = (wanted + spare).min(u32::BITS);
                places.push(Place {
                    unit: units as u32,
                    shift,
                    mask: (1 << given) - 1,
                });
                shift += given;
            }
            units += 1;
            rest = later;
        }
        Layout { places, units }
    }

    /// Units of a key.
    pub(crate) fn units(&self) -> usize {
        self.units
    }

    /// Whether every word has room in its place.
    #[inline]
    fn fits(&self, state: &[u32]) -> bool {
        let places = self.places.iter().zip(state);
        let left_over = places.fold(0, |left, (place, word)| {
            left | u64::from(*word) & !place.mask
        });
        left_over == 0
    }

    /// A layout with room for this state as well, where the words seen so far need these masks.
    fn widened(&self, state: &[u32], needed: &[u64]) -> Layout {
        let bits: Vec<u32> = needed
            .iter()
            .zip(state)
            .map(|(needed, word)| (UNIT - (needed | u64::from(*word)).leading_zeros()).max(1))
            .collect();
        Layout::of(&bits)
    }

    #[inline]
    fn append(&self, state: &[u32], keys: &mut Vec<u64>) {
        let begin = keys.len();
        keys.resize(begin + self.units, 0);
        let key = &mut keys[begin..];
        for (place, word) in self.places.iter().zip(state) {
            key[place.unit as usize] |= u64::from(*word) << place.shift;
        }
    }

    /// Whether a key is that of the state.
    #[inline]
    pub(crate) fn is(&self, key: &[u64], state: &[u32]) -> bool {
        let mut places = self.places.iter().zip(state);
        places.all(|(place, word)| place.word(key) == *word)
    }

    #[inline]
    pub(crate) fn unpack(&self, key: &[u64], state: &mut [u32]) {
        for (place, word) in self.places.iter().zip(state) {
            *word = place.word(key);
        }
    }

    /// Adds the key of a state, after changing the layout of all keys if it has no room.
    #[inline]
    pub(crate) fn push(&mut self, state: &[u32], keys: &mut Vec<u64>) {
        if !self.fits(state) {
            self.widen(state, keys);
        }
        self.append(state, keys);
    }

    #[cold]
    fn widen(&mut self, state: &[u32], keys: &mut Vec<u64>) {
        let mut word = vec![0; state.len()];
        let mut needed = vec![0; state.len()];
        for key in keys.chunks_exact(self.units) {
            self.unpack(key, &mut word);
            for (needed, word) in needed.iter_mut().zip(&word) {
                *needed |= u64::from(*word);
            }
        }
        let wider = self.widened(state, &needed);
        let mut packed = Vec::with_capacity(keys.len() / self.units * wider.units);
        for key in keys.chunks_exact(self.units) {
            self.unpack(key, &mut word);
            wider.append(&word, &mut packed);
        }
        *keys = packed;
        *self = wider;
    }
}

impl Place {
    #[inline]
    fn word(self, key: &[u64]) -> u32 {
        (key[self.unit as usize] >> self.shift & self.mask) as u32
    }
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
