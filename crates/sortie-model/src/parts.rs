//! Which parts of a system take part in which step.
//!
//! Steps in which different parts take part do not notice one another: they can be exchanged, and neither makes the other possible or
//! impossible. Partial-order reduction and searches that choose by name build on it.

use crate::model::{Model, ModelError};

/// Models with more parts than this do not show them.
pub const MOST_PARTS: usize = 256;

const WORDS: usize = MOST_PARTS / 64;

/// A set of parts, by number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PartSet([u64; WORDS]);

impl PartSet {
    /// The set of one part.
    pub fn one(part: usize) -> Self {
        let mut set = PartSet::default();
        set.insert(part);
        set
    }

    /// The parts with numbers below `count`.
    pub fn first(count: usize) -> Self {
        (0..count).collect()
    }

    /// Adds a part.
    ///
    /// # Panics
    /// When its number is not below [`MOST_PARTS`].
    pub fn insert(&mut self, part: usize) {
        self.0[part / 64] |= 1 << (part % 64);
    }

    /// Whether a part is in the set.
    pub fn contains(&self, part: usize) -> bool {
        self.0[part / 64] >> (part % 64) & 1 == 1
    }

    /// Adds all parts of another set.
    pub fn extend(&mut self, other: &PartSet) {
        for (word, more) in self.0.iter_mut().zip(other.0) {
            *word |= more;
        }
    }

    /// Whether some part is in both sets.
    pub fn meets(&self, other: &PartSet) -> bool {
        self.0.iter().zip(other.0).any(|(a, b)| a & b != 0)
    }

    /// Whether every part of this set is in the other.
    pub fn is_within(&self, other: &PartSet) -> bool {
        self.0.iter().zip(other.0).all(|(a, b)| a & !b == 0)
    }

    /// The least part that is in this set and not in the other.
    pub fn first_outside(&self, other: &PartSet) -> Option<usize> {
        let mut words = self.0.iter().zip(other.0).enumerate();
        words.find_map(|(place, (word, others))| {
            let left = word & !others;
            (left != 0).then(|| place * 64 + left.trailing_zeros() as usize)
        })
    }

    /// The parts in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        let words = self.0;
        (0..WORDS).flat_map(move |place| {
            let mut left = words[place];
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros() as usize)?;
                left &= left - 1;
                Some(place * 64 + bit)
            })
        })
    }

    /// The set as words.
    pub fn words(&self) -> &[u64] {
        &self.0
    }
}

impl FromIterator<usize> for PartSet {
    fn from_iter<I: IntoIterator<Item = usize>>(parts: I) -> Self {
        let mut set = PartSet::default();
        parts.into_iter().for_each(|part| set.insert(part));
        set
    }
}

/// A model that shows its parts: asked to, it says of every step which parts take part in it (see
/// [`Steps::want_parts`](crate::Steps::want_parts)). Whether a step can be taken, and what it changes, depends on these parts alone.
pub trait Parts: Model {
    /// What people call the parts, each name once; at most [`MOST_PARTS`].
    fn part_names(&self) -> Vec<String>;

    /// The parts that may ever take part in a step for which `part` is ready as it is in `state`, with itself; too many are allowed, too few
    /// are not.
    fn partners(&self, state: &[u32], part: usize) -> Result<PartSet, ModelError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_parts_are_sets() {
        let low: PartSet = [3, 63, 64].into_iter().collect();
        let high: PartSet = [200, 255].into_iter().collect();
        assert!(!low.meets(&high));
        let mut both = low;
        both.extend(&high);
        assert!(both.meets(&high) && low.is_within(&both) && !both.is_within(&low));
        assert_eq!(both.iter().collect::<Vec<_>>(), [3, 63, 64, 200, 255]);
        assert_eq!(both.first_outside(&low), Some(200));
        assert_eq!(low.first_outside(&both), None);
        assert_eq!(PartSet::first(70).iter().count(), 70);
        assert!(PartSet::one(64).contains(64) && !PartSet::one(64).contains(0));
    }
}
