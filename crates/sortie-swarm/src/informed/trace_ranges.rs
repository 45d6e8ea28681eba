//! Sets of natural numbers, as ranges that do not touch.

use num_bigint::BigUint;
use sortie_model::Dice;
use std::collections::BTreeMap;
use std::ops::Range;

/// Draws before the gaps are searched one by one.
const DRAWS: usize = 16;

/// A set of natural numbers, each range by its begin. Its size is that of the number of ranges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranges {
    ranges: BTreeMap<BigUint, BigUint>,
}

impl Ranges {
    /// Adds the numbers of a range, merging what overlaps or touches.
    pub fn insert(&mut self, range: Range<BigUint>) {
        let Range { mut start, mut end } = range;
        if start >= end {
            return;
        }
        // Ranges that begin before the end and reach the start, from the last one down.
        while let Some((begin, stop)) = self.ranges.range(..=&end).next_back() {
            if *stop < start {
                break;
            }
            let begin = begin.clone();
            let stop = self.ranges.remove(&begin).expect("it was just seen");
            start = start.min(begin);
            end = end.max(stop);
        }
        self.ranges.insert(start, end);
    }

    /// Whether a number is in the set.
    pub fn contains(&self, number: &BigUint) -> bool {
        let below = self.ranges.range(..=number).next_back();
        below.is_some_and(|(_, end)| number < end)
    }

    /// The ranges, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (&BigUint, &BigUint)> {
        self.ranges.iter()
    }

    /// How many ranges there are.
    pub fn len(&self) -> usize {
        self.ranges.len()
    }

    /// Whether no number is in the set.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// How many numbers are in the set.
    pub fn size(&self) -> BigUint {
        self.ranges.iter().map(|(begin, end)| end - begin).sum()
    }

    /// Whether all numbers below `total` are in the set.
    pub fn covers(&self, total: &BigUint) -> bool {
        let first = self.ranges.get(&BigUint::ZERO);
        *total == BigUint::ZERO || first.is_some_and(|end| end >= total)
    }

    /// What is not in the set, below `total`, ascending.
    pub fn gaps<'a>(&'a self, total: &'a BigUint) -> impl Iterator<Item = Range<BigUint>> + 'a {
        let zero = BigUint::ZERO;
        let starts = std::iter::once(zero).chain(self.ranges.values().cloned());
        let ends = self.ranges.keys().chain(std::iter::once(total));
        let gaps = starts.zip(ends).map(|(start, end)| start..end.clone());
        gaps.filter(|gap| gap.start < gap.end)
    }

    /// A number below `total` that is not in the set, each with the same probability.
    pub fn draw_missing(&self, total: &BigUint, dice: &mut Dice) -> Option<BigUint> {
        if self.covers(total) {
            return None;
        }
        for _ in 0..DRAWS {
            let number = below(total, dice);
            if !self.contains(&number) {
                return Some(number);
            }
        }
        let missing = self.gaps(total).map(|gap| gap.end - gap.start).sum();
        let mut number = below(&missing, dice);
        for gap in self.gaps(total) {
            let size = &gap.end - &gap.start;
            if number < size {
                return Some(gap.start + number);
            }
            number -= size;
        }
        None
    }
}

/// A number below `bound`, each with the same probability.
fn below(bound: &BigUint, dice: &mut Dice) -> BigUint {
    let bits = bound.bits();
    loop {
        let mut digits: Vec<u32> = (0..bits.div_ceil(32)).map(|_| dice.bits() as u32).collect();
        if let (Some(last), rest @ 1..) = (digits.last_mut(), bits % 32) {
            *last &= (1 << rest) - 1;
        }
        let number = BigUint::new(digits);
        if number < *bound {
            return number;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn big(number: u64) -> BigUint {
        BigUint::from(number)
    }

    #[test]
    fn ranges_that_touch_become_one() {
        let mut ranges = Ranges::default();
        ranges.insert(big(0)..big(5));
        ranges.insert(big(8)..big(14));
        assert_eq!(ranges.len(), 2);
        ranges.insert(big(5)..big(8));
        assert_eq!(ranges.iter().collect::<Vec<_>>(), [(&big(0), &big(14))]);
        assert!(ranges.covers(&big(14)));
        assert!(!ranges.covers(&big(15)));
    }

    #[test]
    fn they_are_a_set_of_numbers() {
        let mut dice = Dice::new(1);
        for _ in 0..2000 {
            let mut ranges = Ranges::default();
            let mut set = BTreeSet::new();
            for _ in 0..dice.below(12) {
                let begin = dice.below(60);
                let end = begin + dice.below(9);
                ranges.insert(big(begin)..big(end));
                set.extend(begin..end);
            }
            for number in 0..70 {
                assert_eq!(ranges.contains(&big(number)), set.contains(&number));
            }
            assert_eq!(ranges.size(), big(set.len() as u64));
            let all: Vec<_> = ranges.iter().collect();
            assert!(all.windows(2).all(|pair| pair[0].1 < pair[1].0));
            let number = |n: BigUint| u64::try_from(n).expect("it is small");
            let total = big(64);
            let gaps = ranges.gaps(&total);
            let gaps = gaps.flat_map(|gap| number(gap.start)..number(gap.end));
            assert!(gaps.eq((0..64).filter(|n| !set.contains(n))));
        }
    }

    /// The draw is uniform over what is missing, whether it is drawn at once or gap by gap: chi-square with 99.9 % quantiles.
    #[test]
    fn draws_are_uniform_over_what_is_missing() {
        for (full, degrees, quantile) in [(10u64, 29, 58.3), (3990, 9, 27.9)] {
            let mut ranges = Ranges::default();
            ranges.insert(big(2)..big(2 + full));
            let total = big(full + degrees + 1);
            let mut dice = Dice::new(7);
            let mut counts: BTreeMap<BigUint, u64> = BTreeMap::new();
            for _ in 0..30_000 {
                let number = ranges.draw_missing(&total, &mut dice);
                *counts.entry(number.expect("some are missing")).or_default() += 1;
            }
            assert_eq!(counts.len() as u64, degrees + 1);
            assert!(!counts.keys().any(|number| ranges.contains(number)));
            let expected = 30_000.0 / (degrees + 1) as f64;
            let squares = counts.values().map(|n| (*n as f64 - expected).powi(2));
            let statistic = squares.sum::<f64>() / expected;
            assert!(statistic < quantile, "chi-square {statistic}");
        }
    }

    #[test]
    fn nothing_is_missing_from_all() {
        let mut ranges = Ranges::default();
        ranges.insert(big(0)..big(9));
        assert_eq!(ranges.draw_missing(&big(9), &mut Dice::new(1)), None);
    }
}
