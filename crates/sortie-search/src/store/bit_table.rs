//! A fixed number of bits, in one piece or in several.
//!
//! One piece is faster, as the system can map it in large pages. A table that takes the place of hash tables which were given up is made of pieces of moderate size: they fit
//! into the room that those leave, which would not be given back to the system.

/// Two to this power words are a piece of moderate size.
const MODERATE: u32 = 16;

/// Bits, all clear at first.
#[derive(Debug, Default)]
pub(crate) struct BitTable {
    pieces: Vec<Vec<u64>>,
    /// Two to this power words are one piece.
    piece_bits: u32,
    words: usize,
}

impl BitTable {
    /// So many times 64 bits, at least once, in one piece.
    pub(crate) fn new(words: usize) -> Self {
        let words = words.max(1);
        BitTable {
            pieces: vec![vec![0; words]],
            piece_bits: usize::BITS - 1,
            words,
        }
    }

    /// The same in pieces.
    pub(crate) fn in_pieces(words: usize) -> Self {
        let words = words.max(1);
        let piece = 1 << MODERATE;
        let sizes = (0..words).step_by(piece).map(|at| piece.min(words - at));
        BitTable {
            pieces: sizes.map(|size| vec![0; size]).collect(),
            piece_bits: MODERATE,
            words,
        }
    }

    /// Memory in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.words as u64 * 8
    }

    /// How many bits there are.
    pub(crate) fn len(&self) -> u64 {
        self.words as u64 * 64
    }

    #[inline]
    fn place(&self, bit: u64) -> (usize, usize) {
        let word = (bit / 64) as usize;
        let piece = word >> self.piece_bits;
        (piece, word - (piece << self.piece_bits))
    }

    #[inline]
    pub(crate) fn get(&self, bit: u64) -> bool {
        let (piece, word) = self.place(bit);
        self.pieces[piece][word] & (1 << (bit % 64)) != 0
    }

    /// Sets a bit; whether it was clear.
    #[inline]
    pub(crate) fn set(&mut self, bit: u64) -> bool {
        let (piece, word) = self.place(bit);
        let word = &mut self.pieces[piece][word];
        let mask = 1 << (bit % 64);
        let clear = *word & mask == 0;
        *word |= mask;
        clear
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_do_not_disturb_each_other() {
        let words = (2 << MODERATE) + 3;
        for mut bits in [BitTable::new(words), BitTable::in_pieces(words)] {
            assert_eq!(bits.len(), words as u64 * 64);
            let some = (0..bits.len()).step_by(4093).chain([bits.len() - 1]);
            let some: Vec<u64> = some.collect();
            for &bit in &some {
                assert!(!bits.get(bit) && bits.set(bit) && !bits.set(bit) && bits.get(bit));
            }
            let set = (0..bits.len()).filter(|&bit| bits.get(bit)).count();
            assert_eq!(set, some.len());
        }
        assert_eq!(BitTable::in_pieces(0).len(), 64);
    }
}
