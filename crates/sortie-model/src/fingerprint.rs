//! Content fingerprints of 128 bits.
//!
//! A fingerprint depends on content alone: it is the same on every platform, in every run and for any number of
//! threads. It is what gets stored in witness files, sent between machines, and used to order states.

use std::fmt;
use std::hash::Hasher;

const K0: u64 = 0x9e37_79b9_7f4a_7c15;
const K1: u64 = 0xd6e8_feb8_6659_fd93;
const K2: u64 = 0xa076_1d64_78bd_642f;
const K3: u64 = 0xe703_7ed1_a0b4_28db;

/// Multiplies to 128 bits and folds the halves together: every input bit reaches every output bit.
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ ((product >> 64) as u64)
}

/// A 128-bit fingerprint of some content.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Fingerprint(pub u128);

impl Fingerprint {
    /// Of a packed state.
    #[inline]
    pub fn of_words(words: &[u32]) -> Self {
        let mut f = Fingerprinter {
            a: K0 ^ words.len() as u64,
            b: K1,
        };
        let mut pairs = words.chunks_exact(2);
        for pair in &mut pairs {
            f.mix(u64::from(pair[0]) | (u64::from(pair[1]) << 32));
        }
        if let [last] = pairs.remainder() {
            f.mix(u64::from(*last));
        }
        f.fingerprint()
    }

    /// Of a text.
    pub fn of_text(text: &str) -> Self {
        let mut f = Fingerprinter::new();
        f.write(text.as_bytes());
        f.fingerprint()
    }

    /// Of a text and the settings that it is read with, the order of which does not matter.
    pub fn of_settings(text: &str, settings: &[(String, String)]) -> Self {
        let settings = settings.iter();
        let mut lines: Vec<String> = settings.map(|(k, v)| format!("{k}={v}\n")).collect();
        lines.sort();
        Fingerprint::of_text(text).and(Fingerprint::of_text(&lines.concat()))
    }

    /// The fingerprint of a pair; the order matters.
    pub fn and(self, other: Fingerprint) -> Self {
        let mut f = Fingerprinter::new();
        for half in [self.low(), self.high(), other.low(), other.high()] {
            f.mix(half);
        }
        f.fingerprint()
    }

    /// The lower 64 bits.
    pub fn low(self) -> u64 {
        self.0 as u64
    }

    /// The upper 64 bits.
    pub fn high(self) -> u64 {
        (self.0 >> 64) as u64
    }

    /// Reads the 32 hexadecimal digits that [`Display`](fmt::Display) writes.
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() != 32 || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        u128::from_str_radix(text, 16).ok().map(Fingerprint)
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Builds a [`Fingerprint`] piece by piece; also a [`Hasher`], so that any `Hash` type has a fingerprint.
///
/// All integers are taken in little-endian order and `usize` as 64 bits, so platforms agree.
#[derive(Clone, Debug)]
pub struct Fingerprinter {
    a: u64,
    b: u64,
}

impl Default for Fingerprinter {
    fn default() -> Self {
        Self::new()
    }
}

impl Fingerprinter {
    /// The empty content.
    pub fn new() -> Self {
        Fingerprinter { a: K0, b: K1 }
    }

    /// Adds 64 bits. The two lanes do not wait for each other.
    #[inline]
    pub fn mix(&mut self, value: u64) {
        self.a = fold(self.a ^ value, K2);
        self.b = (self.b ^ value).wrapping_mul(K3).rotate_left(31);
    }

    /// The fingerprint of everything added so far.
    #[inline]
    pub fn fingerprint(&self) -> Fingerprint {
        let low = fold(self.a ^ self.b.rotate_left(23), K1);
        let high = fold(self.b ^ self.a.rotate_left(41), K0);
        Fingerprint(u128::from(low) | (u128::from(high) << 64))
    }
}

impl Hasher for Fingerprinter {
    fn finish(&self) -> u64 {
        self.fingerprint().low()
    }
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut eight = [0; 8];
            eight[..chunk.len()].copy_from_slice(chunk);
            self.mix(u64::from_le_bytes(eight));
        }
        self.mix(bytes.len() as u64);
    }
    fn write_u8(&mut self, i: u8) {
        self.mix(u64::from(i));
    }
    fn write_u16(&mut self, i: u16) {
        self.mix(u64::from(i));
    }
    fn write_u32(&mut self, i: u32) {
        self.mix(u64::from(i));
    }
    fn write_u64(&mut self, i: u64) {
        self.mix(i);
    }
    fn write_u128(&mut self, i: u128) {
        self.mix(i as u64);
        self.mix((i >> 64) as u64);
    }
    fn write_usize(&mut self, i: usize) {
        self.mix(i as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn neighbouring_states_differ_in_about_half_of_the_bits() {
        let mut flips = [0u32; 128];
        let samples = 2000u32;
        for i in 0..samples {
            let a = Fingerprint::of_words(&[i, 7, i ^ 0x55]);
            let b = Fingerprint::of_words(&[i, 7 ^ (1 << (i % 32)), i ^ 0x55]);
            for (bit, count) in flips.iter_mut().enumerate() {
                *count += ((a.0 ^ b.0) >> bit) as u32 & 1;
            }
        }
        // Binomial(2000, 1/2): six standard deviations are 134.
        for (bit, &count) in flips.iter().enumerate() {
            assert!(
                count.abs_diff(samples / 2) < 134,
                "bit {bit} flips {count} times of {samples}"
            );
        }
    }

    #[test]
    fn the_halves_do_not_collide_on_a_million_small_states() {
        let mut low = HashSet::new();
        let mut high = HashSet::new();
        for i in 0..1_000_000u32 {
            let words = [i % 100, i / 100 % 100, i / 10_000];
            let f = Fingerprint::of_words(&words);
            assert!(
                low.insert(f.low()) && high.insert(f.high()),
                "collision at {i}"
            );
        }
    }

    #[test]
    fn values_are_fixed_forever() {
        // Witness files carry these: changing the function breaks them.
        assert_eq!(
            Fingerprint::of_words(&[1, 2, 3]).to_string(),
            "5e28ee988bdcae43e0dbf05d34cf04ac"
        );
        assert_eq!(
            Fingerprint::of_text("sortie").to_string(),
            "9b21dddf67034b552186627199dbf4b5"
        );
        assert_eq!(
            Fingerprint::parse(&Fingerprint(5).to_string()),
            Some(Fingerprint(5))
        );
        assert_eq!(Fingerprint::parse("5"), None);
    }
}
