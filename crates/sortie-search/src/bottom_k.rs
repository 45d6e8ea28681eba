//! The k smallest of many candidates by a random priority: a uniform draw of distinct states, in any order of
//! arrival.
//!
//! A candidate's priority is a hash of seed, level and state, so a state met again gets the same one, and the k
//! states with the smallest priorities are a uniform sample of the *distinct* candidates. Samples of parts can be
//! merged. A candidate above the current threshold is rejected before anything is looked up; the others wait in a
//! buffer that is sorted and cut when it is twice as long as needed.

use sortie_model::{Fingerprint, Fingerprinter};

/// A state that may be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Candidate {
    /// What decides; smaller is better.
    pub priority: u64,
    /// The state; also settles equal priorities.
    pub print: Fingerprint,
    /// Position of the expanded state within its level.
    pub position: u32,
    /// Index of the step from there.
    pub step: u32,
    /// Where the words of the state are.
    slot: u32,
}

/// Collects candidates and keeps the `k` best.
#[derive(Clone, Debug)]
pub struct BottomK {
    key: Fingerprint,
    k: usize,
    width: usize,
    candidates: Vec<Candidate>,
    words: Vec<u32>,
    threshold: Option<(u64, Fingerprint)>,
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
            candidates: Vec::new(),
            words: Vec::new(),
            threshold: None,
            dropped: false,
        }
    }

    /// Offers a state. `known` tells whether a state is out of the question; it is asked late, and only about states
    /// with a chance.
    #[inline]
    pub fn offer(
        &mut self,
        print: Fingerprint,
        state: &[u32],
        position: u32,
        step: u32,
        known: impl Fn(Fingerprint, &[u32]) -> bool,
    ) {
        let priority = self.priority(print);
        if let Some((worst, _)) = self.threshold
            && priority > worst
        {
            return;
        }
        let slot = self.candidates.len() as u32;
        self.candidates.push(Candidate {
            priority,
            print,
            position,
            step,
            slot,
        });
        self.words.extend_from_slice(state);
        if self.candidates.len() >= 2 * self.k + 64 {
            self.settle(known);
        }
    }

    #[inline]
    fn priority(&self, print: Fingerprint) -> u64 {
        let mut mixed = Fingerprinter::new();
        mixed.mix(self.key.low() ^ print.low());
        mixed.mix(self.key.high() ^ print.high());
        mixed.fingerprint().high()
    }

    /// Keeps the `k` best distinct unknown candidates, in order of priority.
    pub fn settle(&mut self, known: impl Fn(Fingerprint, &[u32]) -> bool) {
        self.candidates.sort_unstable();
        // Of equal states the first in order of position and step stays.
        self.candidates.dedup_by_key(|candidate| candidate.print);
        let (words, width) = (&self.words, self.width);
        let state = |candidate: &Candidate| {
            let start = candidate.slot as usize * width;
            &words[start..start + width]
        };
        self.candidates
            .retain(|candidate| !known(candidate.print, state(candidate)));
        if self.candidates.len() > self.k {
            self.candidates.truncate(self.k);
            self.dropped = true;
            self.threshold = self
                .candidates
                .last()
                .map(|worst| (worst.priority, worst.print));
        }
        let kept: Vec<u32> = self
            .candidates
            .iter()
            .flat_map(|c| state(c).iter().copied())
            .collect();
        for (slot, candidate) in self.candidates.iter_mut().enumerate() {
            candidate.slot = slot as u32;
        }
        self.words = kept;
    }

    /// Takes over the candidates of another part of the same level. Both must have been settled.
    pub fn merge(&mut self, other: &BottomK) {
        for candidate in &other.candidates {
            let slot = self.candidates.len() as u32;
            self.candidates.push(Candidate { slot, ..*candidate });
            self.words.extend_from_slice(other.state(candidate));
        }
        self.dropped |= other.dropped;
        self.settle(|_, _| false);
    }

    /// The candidates, in order of priority once settled.
    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    /// The state of a candidate.
    pub fn state(&self, candidate: &Candidate) -> &[u32] {
        let start = candidate.slot as usize * self.width;
        &self.words[start..start + self.width]
    }

    /// Whether there were more than `k` distinct candidates.
    pub fn dropped(&self) -> bool {
        self.dropped
    }

    /// Memory in bytes.
    pub fn bytes(&self) -> u64 {
        (self.candidates.len() * size_of::<Candidate>() + self.words.len() * 4) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offer_all(sample: &mut BottomK, states: impl Iterator<Item = u32>) {
        for (position, state) in states.enumerate() {
            let print = Fingerprint::of_words(&[state]);
            sample.offer(print, &[state], position as u32, 0, |_, words| {
                words[0] % 10 == 3
            });
        }
        sample.settle(|_, words| words[0] % 10 == 3);
    }

    fn chosen(sample: &BottomK) -> Vec<u32> {
        sample
            .candidates()
            .iter()
            .map(|c| sample.state(c)[0])
            .collect()
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
