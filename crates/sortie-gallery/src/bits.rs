//! States as bits: planes of one bit per process, one plane after another.
//!
//! A question about all processes is then a few operations on whole planes, and a step flips one to three bits.

/// Words needed for this many bits.
pub fn words_for(bits: u32) -> usize {
    bits.div_ceil(32) as usize
}

/// The bits of all words, the first word lowest.
#[inline]
pub fn join(words: &[u32]) -> u128 {
    words
        .iter()
        .rev()
        .fold(0, |all, &word| all << 32 | u128::from(word))
}

/// Plane number `index` of planes with `n` bits, at most 64.
#[inline]
pub fn plane(all: u128, index: u32, n: u32) -> u64 {
    (all >> (index * n)) as u64 & ones(n)
}

/// The `n` lowest bits, at most 64.
#[inline]
pub fn ones(n: u32) -> u64 {
    u64::MAX >> (64 - n)
}

/// The positions of the bits that are set, lowest first.
#[inline]
pub fn positions(mut mask: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        (mask != 0).then(|| {
            let position = mask.trailing_zeros();
            mask &= mask - 1;
            position
        })
    })
}

/// Flips one bit of a state.
#[inline]
pub fn flip(words: &mut [u32], bit: u32) {
    words[(bit / 32) as usize] ^= 1 << (bit % 32);
}

/// In a ring of `n`: bit `i` of the result is bit `i - 1` of the mask.
#[inline]
pub fn from_left(mask: u64, n: u32) -> u64 {
    (mask << 1 | mask >> (n - 1)) & ones(n)
}

/// In a ring of `n`: bit `i` of the result is bit `i + 1` of the mask.
#[inline]
pub fn from_right(mask: u64, n: u32) -> u64 {
    (mask >> 1 | mask << (n - 1)) & ones(n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_lie_one_after_another() {
        let mut words = [0; 3];
        for bit in [0, 12, 37, 70] {
            flip(&mut words, bit);
        }
        let all = join(&words);
        assert_eq!(plane(all, 0, 30), 1 | 1 << 12);
        assert_eq!(plane(all, 1, 30), 1 << 7);
        assert_eq!(plane(all, 2, 30), 1 << 10);
        assert_eq!(positions(0b10110).collect::<Vec<_>>(), [1, 2, 4]);
    }

    #[test]
    fn rings_close() {
        assert_eq!(from_left(0b10010, 5), 0b00101);
        assert_eq!(from_right(0b10001, 5), 0b11000);
        assert_eq!(from_left(0b01, 2), 0b10);
        assert_eq!(from_right(0b01, 2), 0b10);
    }
}
