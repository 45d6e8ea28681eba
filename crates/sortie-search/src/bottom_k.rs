//! The k smallest of many candidates by a random priority: a uniform draw of distinct states, in any order of
//! arrival.
//!
//! A candidate's priority is a hash of seed, level and state, so a state met again gets the same one, and the k
//! states with the smallest priorities are a uniform sample of the *distinct* candidates. Samples of parts can be
//! merged. A candidate above the current threshold is rejected before anything is looked up; the others wait in a
//! buffer that is sorted and cut when it is twice as long as needed.

use sortie_model::{Fingerprint, Fingerprinter};

/// A state that may be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The state.
    pub print: Fingerprint,
    /// Position of the expanded state within its level.
    pub position: u32,
    /// Whether the state is known to be new.
    fresh: bool,
}

/// Collects candidates and keeps the `k` best.
#[derive(Clone, Debug)]
pub struct BottomK {
    key: Fingerprint,
    k: usize,
    width: usize,
    /// Priority and index of every candidate; short, as this is what gets sorted.
    order: Vec<(u64, u32)>,
    /// In order of arrival, or of priority once settled.
    candidates: Vec<Candidate>,
    words: Vec<u32>,
    threshold: u64,
    dropped: bool,
}

/// What decides the priorities of one level.
fn level_key(seed: u64, level: u64) -> Fingerprint {
    let mut print = Fingerprinter::new();
    print.mix(seed);
    print.mix(level);
    print.fingerprint()
}

impl BottomK {
    /// For the states of one level.
    pub fn new(seed: u64, level: u64, k: usize, width: usize) -> Self {
        BottomK {
            key: level_key(seed, level),
            k,
            width,
            order: Vec::new(),
            candidates: Vec::new(),
            words: Vec::new(),
            threshold: u64::MAX,
            dropped: false,
        }
    }

    /// Offers a state seen from the lane at `position`; lanes must come in order. `known` tells whether a state is out of
    /// the question; it is asked late, and only about states with a chance.
    #[inline]
    pub fn offer(
        &mut self,
        print: Fingerprint,
        state: &[u32],
        position: u32,
        known: impl Fn(Fingerprint, &[u32]) -> bool,
    ) {
        let priority = self.priority(print);
        if priority > self.threshold {
            return;
        }
        self.add(
            priority,
            Candidate {
                print,
                position,
                fresh: false,
            },
            state,
        );
        if self.order.len() >= 2 * self.k + 64 {
            self.settle(known);
        }
    }

    fn add(&mut self, priority: u64, candidate: Candidate, state: &[u32]) {
        self.order.push((priority, self.candidates.len() as u32));
        self.candidates.push(candidate);
        self.words.extend_from_slice(state);
    }

    /// The halves of a fingerprint are random already: one multiplication makes them depend on the level.
    #[inline]
    fn priority(&self, print: Fingerprint) -> u64 {
        let product =
            u128::from(print.low() ^ self.key.low()) * u128::from(print.high() ^ self.key.high());
        product as u64 ^ (product >> 64) as u64
    }

    /// Keeps the `k` best distinct unknown candidates, in order of priority.
    pub fn settle(&mut self, known: impl Fn(Fingerprint, &[u32]) -> bool) {
        let candidates = &self.candidates;
        let print = |index: u32| candidates[index as usize].print;
        // Of equal states the one that came first stays, which is the first in order of position and step.
        self.order.sort_unstable_by(|a, b| {
            a.0.cmp(&b.0)
                .then_with(|| print(a.1).cmp(&print(b.1)))
                .then(a.1.cmp(&b.1))
        });
        self.order.dedup_by_key(|(_, index)| print(*index));
        let width = self.width;
        let state = |index: u32| &self.words[index as usize * width..(index as usize + 1) * width];
        let mut order = Vec::with_capacity(self.order.capacity());
        let mut kept = Vec::with_capacity(self.order.capacity());
        let mut words = Vec::with_capacity(self.words.capacity());
        for &(priority, index) in &self.order {
            let candidate = candidates[index as usize];
            if !candidate.fresh && known(candidate.print, state(index)) {
                continue;
            }
            // Those behind the first k are out; that there is one of them shows that something is left out.
            if kept.len() == self.k {
                self.dropped = true;
                self.threshold = order
                    .last()
                    .map_or(u64::MAX, |&(worst, _): &(u64, u32)| worst);
                break;
            }
            order.push((priority, kept.len() as u32));
            kept.push(Candidate {
                fresh: true,
                ..candidate
            });
            words.extend_from_slice(state(index));
        }
        (self.order, self.candidates, self.words) = (order, kept, words);
    }

    /// Takes over the candidates of the next part of the same level. Both must have been settled.
    pub fn merge(&mut self, other: &BottomK) {
        for &(priority, index) in &other.order {
            self.add(
                priority,
                other.candidates[index as usize],
                other.state(index as usize),
            );
        }
        self.dropped |= other.dropped;
        self.settle(|_, _| false);
    }

    /// The candidates, in order of priority once settled.
    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    /// The state of the candidate with this index.
    pub fn state(&self, index: usize) -> &[u32] {
        &self.words[index * self.width..(index + 1) * self.width]
    }

    /// The states of all candidates, one after another.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Whether there were more than `k` distinct candidates.
    pub fn dropped(&self) -> bool {
        self.dropped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offer_all(sample: &mut BottomK, states: impl Iterator<Item = u32>) {
        for (position, state) in states.enumerate() {
            let print = Fingerprint::of_words(&[state]);
            sample.offer(print, &[state], position as u32, |_, words| {
                words[0] % 10 == 3
            });
        }
        sample.settle(|_, words| words[0] % 10 == 3);
    }

    fn chosen(sample: &BottomK) -> Vec<u32> {
        sample.words().to_vec()
    }

    #[test]
    fn order_and_repetition_do_not_matter() {
        let mut forward = BottomK::new(5, 1, 20, 1);
        offer_all(&mut forward, 0..1000);
        let mut backward = BottomK::new(5, 1, 20, 1);
        offer_all(&mut backward, (0..1000).rev().chain(0..1000));
        assert_eq!(chosen(&forward), chosen(&backward));
        assert_eq!(forward.candidates().len(), 20);
        assert!(forward.dropped());
        assert!(chosen(&forward).iter().all(|state| state % 10 != 3));
    }

    #[test]
    fn parts_can_be_merged() {
        let mut whole = BottomK::new(9, 4, 50, 1);
        offer_all(&mut whole, 0..3000);
        let mut merged = BottomK::new(9, 4, 50, 1);
        offer_all(&mut merged, 0..1200);
        let mut rest = BottomK::new(9, 4, 50, 1);
        offer_all(&mut rest, 1000..3000);
        merged.merge(&rest);
        assert_eq!(chosen(&whole), chosen(&merged));
    }

    #[test]
    fn exactly_k_candidates_are_not_a_cut() {
        let mut sample = BottomK::new(9, 4, 9, 1);
        offer_all(&mut sample, (0..10).cycle().take(500));
        assert_eq!(sample.candidates().len(), 9);
        assert!(!sample.dropped());
    }
}
