//! Strings of bits that stand for paths.
//!
//! Bits nobody has read yet are not there: they are drawn when they are read for the first time, and kept.

use sortie_model::Dice;

const WORD: usize = 64;

/// How often something happens, as parts of two to the 32nd power, so that it is decided without floating point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rate(u32);

impl Rate {
    /// So many times in a million.
    pub fn per_million(parts: u64) -> Self {
        let scaled = (u128::from(parts) << 32) / 1_000_000;
        Rate(u32::try_from(scaled).unwrap_or(u32::MAX))
    }

    /// So many times as often, but not more often than every second time because of that.
    pub fn times(self, factor: u32) -> Self {
        let most = self.0.max(u32::MAX / 2);
        Rate(self.0.saturating_mul(factor).min(most))
    }

    /// Half as often.
    pub fn halved(self) -> Self {
        Rate(self.0 / 2)
    }

    /// Sixty-four independent decisions: a bit is set as often as this says. Each bit compares its own random number with the rate, the
    /// most significant digit first, until all are decided.
    fn decisions(self, dice: &mut Dice) -> u64 {
        let mut happens = 0;
        let mut undecided = u64::MAX;
        for digit in (0..u32::BITS).rev() {
            let drawn = dice.bits();
            if self.0 >> digit & 1 == 1 {
                happens |= undecided & !drawn;
                undecided &= drawn;
            } else {
                undecided &= !drawn;
            }
            if undecided == 0 {
                break;
            }
        }
        happens
    }
}

/// A path as a string of bits, the most significant of a choice first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chromosome {
    words: Vec<u64>,
}

impl Chromosome {
    /// The next `count` bits from place `at` on, at most 32; bits that are not there yet are drawn.
    #[inline]
    pub fn read(&mut self, at: usize, count: u32, dice: &mut Dice) -> u32 {
        let end = at + count as usize;
        while self.words.len() * WORD < end {
            self.words.push(dice.bits());
        }
        let place = at / WORD;
        let both = u128::from(self.words[place]) << WORD
            | u128::from(self.words.get(place + 1).copied().unwrap_or(0));
        (both << (at % WORD) >> (2 * WORD - count as usize)) as u32
    }

    /// Puts `count` bits to place `at`; they were read before.
    pub fn write(&mut self, at: usize, count: u32, value: u32) {
        for bit in 0..count {
            let place = at + bit as usize;
            let mask = 1 << (WORD - 1 - place % WORD);
            let word = &mut self.words[place / WORD];
            if value >> (count - 1 - bit) & 1 == 1 {
                *word |= mask;
            } else {
                *word &= !mask;
            }
        }
    }

    /// The bits of this one before `cut`, those of `other` from there on.
    pub fn cross(&self, other: &Chromosome, cut: usize, dice: &mut Dice) -> Chromosome {
        let (whole, rest) = (cut / WORD, cut % WORD);
        let mut words: Vec<u64> = self.words[..whole.min(self.words.len())].to_vec();
        while words.len() < whole {
            words.push(dice.bits());
        }
        if rest > 0 {
            let mut part = |of: &Chromosome| match of.words.get(whole) {
                Some(word) => *word,
                None => dice.bits(),
            };
            let (head, tail) = (part(self), part(other));
            let mask = u64::MAX >> rest;
            words.push(head & !mask | tail & mask);
        }
        words.extend(other.words.iter().skip(words.len()));
        Chromosome { words }
    }

    /// Flips each of the first `length` bits as often as the rate says.
    pub fn flip(&mut self, length: usize, rate: Rate, dice: &mut Dice) {
        for (place, word) in self.words.iter_mut().enumerate() {
            let Some(left) = length.checked_sub(place * WORD).filter(|left| *left > 0) else {
                return;
            };
            let within = !u64::MAX.checked_shr(left.min(WORD) as u32).unwrap_or(0);
            *word ^= rate.decisions(dice) & within;
        }
    }

    /// Draws each half word anew, among those within the first `length` bits, as often as the rate says.
    pub fn redraw_halves(&mut self, length: usize, rate: Rate, dice: &mut Dice) {
        for (place, word) in self.words.iter_mut().enumerate() {
            if place * WORD >= length {
                return;
            }
            let chosen = rate.decisions(dice);
            for quarter in 0..4 {
                if chosen >> quarter & 1 == 1 {
                    let mask = 0xffff << (16 * quarter);
                    *word = *word & !mask | dice.bits() & mask;
                }
            }
        }
    }

    /// Memory in bytes.
    pub fn bytes(&self) -> u64 {
        self.words.capacity() as u64 * 8
    }

    /// The bits as text.
    #[cfg(test)]
    pub fn bits(&self, length: usize) -> String {
        let all = self.words.iter().map(|word| format!("{word:064b}"));
        all.collect::<String>().chars().take(length).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let mut dice = Dice::new(3);
        let mut chromosome = Chromosome::default();
        for at in [0, 5, 60, 63, 64, 100, 127, 300] {
            for count in [1, 2, 5, 31, 32] {
                chromosome.read(at, count, &mut dice);
                let value = dice.bits() as u32 >> (32 - count);
                let before = chromosome.bits(at);
                chromosome.write(at, count, value);
                assert_eq!(chromosome.read(at, count, &mut dice), value);
                assert_eq!(chromosome.bits(at), before);
                let digits = &chromosome.bits(at + count as usize)[at..];
                assert_eq!(digits, format!("{value:0width$b}", width = count as usize));
            }
        }
    }

    #[test]
    fn a_child_has_the_head_of_one_and_the_tail_of_the_other() {
        let mut dice = Dice::new(5);
        let mut long = |bits: usize| {
            let mut chromosome = Chromosome::default();
            for at in 0..bits {
                chromosome.read(at, 1, &mut dice);
            }
            chromosome
        };
        let (a, b) = (long(200), long(200));
        let mut other_dice = Dice::new(6);
        for cut in 0..=192 {
            let child = a.cross(&b, cut, &mut other_dice);
            assert_eq!(child.bits(192)[..cut], a.bits(192)[..cut]);
            assert_eq!(child.bits(192)[cut..], b.bits(192)[cut..]);
        }
        let short = long(10);
        let child = a.cross(&short, 100, &mut other_dice);
        assert_eq!(child.bits(100), a.bits(100));
        let child = short.cross(&b, 100, &mut other_dice);
        assert_eq!(child.bits(64), short.bits(64));
        assert_eq!(child.bits(256)[100..], b.bits(256)[100..]);
    }

    /// Hypothesis: each bit of the first 100 is flipped with probability 0.005, and no other. 20,000 chromosomes, seed 1: 10,000 flips
    /// are expected with a standard deviation of 100; 5 of those are allowed, and for the least flipped and most flipped bit as well.
    #[test]
    fn mutation_flips_bits_as_often_as_it_says() {
        let mut dice = Dice::new(1);
        let mut flips = vec![0u32; 128];
        for _ in 0..20_000 {
            let mut chromosome = Chromosome { words: vec![0, 0] };
            chromosome.flip(100, Rate::per_million(5000), &mut dice);
            for (count, bit) in flips.iter_mut().zip(chromosome.bits(128).chars()) {
                *count += u32::from(bit == '1');
            }
        }
        assert_eq!(flips[100..].iter().sum::<u32>(), 0);
        let all: u32 = flips.iter().sum();
        assert!((9_500..=10_500).contains(&all), "{all} flips");
        let usual = |count: &u32| (50..=150).contains(count);
        assert!(flips[..100].iter().all(usual), "{flips:?}");
    }
}
