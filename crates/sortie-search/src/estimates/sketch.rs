//! How many distinct things there are, from a sample of bounded size.

use sortie_model::Fingerprinter;
use std::collections::HashSet;
use std::hash::BuildHasherDefault;

/// At most this many hashes are kept, unless there is less room.
const KEPT: usize = 1 << 12;

/// The smallest of the hashes of all things that were noted. Since hashes are evenly spread, they are a fair sample, and two such samples can be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sketch {
    /// How many hashes are kept at most.
    room: usize,
    /// No hash above is kept.
    bound: u64,
    kept: HashSet<u64, BuildHasherDefault<Fingerprinter>>,
}

impl Default for Sketch {
    fn default() -> Self {
        Sketch::with_room(KEPT)
    }
}

impl Sketch {
    /// One that keeps at most so many hashes.
    pub(crate) fn with_room(room: usize) -> Self {
        Sketch {
            room,
            bound: u64::MAX,
            kept: HashSet::default(),
        }
    }

    /// The same with these hashes, all of them up to the bound.
    pub(crate) fn holding(self, bound: u64, kept: impl IntoIterator<Item = u64>) -> Self {
        let kept = kept.into_iter().filter(|&hash| hash <= bound).collect();
        Sketch {
            bound,
            kept,
            ..self
        }
    }

    /// The bound, and what is kept in ascending order.
    pub(crate) fn parts(&self) -> (u64, Vec<u64>) {
        let mut kept: Vec<u64> = self.kept.iter().copied().collect();
        kept.sort_unstable();
        (self.bound, kept)
    }

    /// Larger hashes are of no interest.
    pub(crate) fn bound(&self) -> u64 {
        self.bound
    }

    /// Something with this hash was seen.
    #[inline]
    pub(crate) fn note(&mut self, hash: u64) {
        if hash <= self.bound && self.kept.insert(hash) && self.kept.len() > self.room {
            self.lower(self.bound / 2);
        }
    }

    fn lower(&mut self, bound: u64) {
        self.bound = bound;
        self.kept.retain(|&hash| hash <= bound);
    }

    /// About how many distinct things were noted.
    pub(crate) fn distinct(&self) -> u64 {
        self.scaled(self.kept.len())
    }

    /// Adds what another has; about how many things that were not known here.
    pub(crate) fn absorb(&mut self, other: &Sketch) -> u64 {
        if other.bound < self.bound {
            self.lower(other.bound);
        }
        let fits = |hash: &&u64| **hash <= self.bound;
        let before = self.kept.len();
        let more: Vec<u64> = other.kept.iter().filter(fits).copied().collect();
        self.kept.extend(more);
        let new = self.scaled(self.kept.len() - before);
        while self.kept.len() > self.room {
            self.lower(self.bound / 2);
        }
        new
    }

    fn scaled(&self, count: usize) -> u64 {
        (count as u128 * (1 << 64) / (u128::from(self.bound) + 1)) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sortie_model::Dice;

    /// Hypothesis: the estimate is unbiased with a standard error below 1 / sqrt(KEPT / 2), 2.2 %; four of these are allowed.
    #[test]
    fn things_are_counted_about_right() {
        let mut dice = Dice::new(3);
        for count in [10u64, 4000, 50_000, 400_000] {
            let hashes: Vec<u64> = (0..count).map(|_| dice.bits()).collect();
            let mut sketch = Sketch::default();
            for hash in hashes.iter().chain(&hashes) {
                sketch.note(*hash);
            }
            let error = sketch.distinct() as f64 / count as f64 - 1.0;
            assert!(error.abs() < 0.09, "{count}: {}", sketch.distinct());
        }
    }

    #[test]
    fn what_another_adds_is_what_is_not_known() {
        let mut dice = Dice::new(4);
        let hashes: Vec<u64> = (0..100_000).map(|_| dice.bits()).collect();
        let sketch = |part: &[u64]| {
            let mut sketch = Sketch::default();
            part.iter().for_each(|hash| sketch.note(*hash));
            sketch
        };
        let mut first = sketch(&hashes[..60_000]);
        let new = first.absorb(&sketch(&hashes[30_000..]));
        assert!((37_000..43_000).contains(&new), "{new}");
        assert_eq!(first.absorb(&sketch(&hashes)), 0);
        let (bound, kept) = first.parts();
        assert_eq!(Sketch::default().holding(bound, kept), first);
    }
}
