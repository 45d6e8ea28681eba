//! The k smallest of many candidates by a random priority: a uniform draw of distinct states, in any order of
//! arrival.
//!
//! A candidate's priority is a hash of seed, level and state, so a state met again gets the same one, and the k
//! states with the smallest priorities are a uniform sample of the *distinct* candidates. Samples of parts can be
//! merged. A candidate above the current threshold is rejected before anything is looked up; the others wait in a
//! buffer that is sorted and cut when it is twice as long as needed.

use crate::seen::Seen;
use crate::share::share;
use sortie_model::{Fingerprint, Fingerprinter};

/// What is out of the question.
pub trait Known {
    /// Lookups of these states, one after another, follow.
    fn expect(&self, prints: impl Iterator<Item = Fingerprint>);

    /// Whether a state is out of the question.
    fn has(&self, print: Fingerprint, state: &[u32]) -> bool;
}

impl Known for Seen {
    #[inline]
    fn expect(&self, prints: impl Iterator<Item = Fingerprint>) {
        self.warm_hashes(prints.map(|print| print.low()));
    }

    #[inline]
    fn has(&self, print: Fingerprint, state: &[u32]) -> bool {
        self.contains(print, state)
    }
}

/// Fewer candidates than this are merged by one thread.
const MANY: usize = 1 << 13;

/// So many states are looked up at once.
const AHEAD: usize = 16;

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
    /// Where they go when they are settled.
    settled: (Vec<Candidate>, Vec<u32>),
    threshold: u64,
    dropped: bool,
    rejected: bool,
}

/// The `k` best of one or several samples.
#[derive(Debug, Default)]
pub struct Draw {
    /// In order of priority.
    pub candidates: Vec<Candidate>,
    /// The states, one after another.
    pub words: Vec<u32>,
    /// The priority of the last, if there are `k` of them.
    pub worst: Option<u64>,
    /// Whether there were more than `k` distinct candidates.
    pub dropped: bool,
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
            settled: Default::default(),
            threshold: u64::MAX,
            dropped: false,
            rejected: false,
        }
    }

    /// Begins another level. Candidates with a priority above `guess` are rejected; if fewer than `k` are left then, the guess was wrong.
    pub fn begin(&mut self, seed: u64, level: u64, guess: Option<u64>) {
        self.key = level_key(seed, level);
        self.order.clear();
        self.candidates.clear();
        self.words.clear();
        self.threshold = guess.unwrap_or(u64::MAX);
        self.dropped = false;
        self.rejected = false;
    }

    /// Offers a state seen from the lane at `position`; lanes must come in order. `known` tells whether a state is out of
    /// the question; it is asked late, and only about states with a chance.
    #[inline]
    pub fn offer(&mut self, print: Fingerprint, state: &[u32], position: u32, known: &impl Known) {
        let priority = self.priority(print);
        if priority > self.threshold {
            self.rejected = true;
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
    pub fn settle(&mut self, known: &impl Known) {
        let BottomK {
            order,
            candidates,
            words,
            width,
            ..
        } = self;
        let print = |index: u32| candidates[index as usize].print;
        // Of equal states the one that came first stays, which is the first in order of position and step.
        order.sort_unstable_by(|a, b| {
            (a.0.cmp(&b.0))
                .then_with(|| print(a.1).cmp(&print(b.1)))
                .then(a.1.cmp(&b.1))
        });
        order.dedup_by_key(|(_, index)| print(*index));
        let (mut kept, mut kept_words) = std::mem::take(&mut self.settled);
        kept.clear();
        kept_words.clear();
        for place in 0..order.len() {
            if place % AHEAD == 0 {
                let ahead = order[place..].iter().take(AHEAD);
                known.expect(ahead.map(|(_, index)| candidates[*index as usize].print));
            }
            let (priority, index) = order[place];
            let candidate = candidates[index as usize];
            let state = &words[index as usize * *width..][..*width];
            if !candidate.fresh && known.has(candidate.print, state) {
                continue;
            }
            // Those behind the first k are out; that there is one of them shows that something is left out.
            if kept.len() == self.k {
                self.dropped = true;
                self.threshold = order[self.k - 1].0;
                break;
            }
            order[kept.len()] = (priority, kept.len() as u32);
            kept.push(Candidate {
                fresh: true,
                ..candidate
            });
            kept_words.extend_from_slice(state);
        }
        order.truncate(kept.len());
        self.settled = (
            std::mem::replace(candidates, kept),
            std::mem::replace(words, kept_words),
        );
    }

    /// The candidates, in order of priority once settled.
    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    /// The state of the candidate with this index.
    pub fn state(&self, index: usize) -> &[u32] {
        &self.words[index * self.width..(index + 1) * self.width]
    }

    /// Whether there were more than `k` distinct candidates.
    pub fn dropped(&self) -> bool {
        self.dropped
    }

    /// The `k` best of samples of parts of a level, each of them settled. A state that is in several of them counts as seen from the first of its lanes. Done by as many
    /// threads as there are samples, if there is much to do; nothing if the guess was wrong with which they began.
    pub fn draw(samples: &[&BottomK]) -> Option<Draw> {
        let first = samples.first()?;
        let rejected = samples.iter().any(|sample| sample.rejected);
        if let [only] = samples {
            let is_full = only.order.len() == only.k;
            return (is_full || !rejected).then(|| Draw {
                candidates: only.candidates.clone(),
                words: only.words.clone(),
                worst: only.order.last().filter(|_| is_full).map(|last| last.0),
                dropped: only.dropped,
            });
        }
        let mut draw = Draw {
            dropped: samples.iter().any(|sample| sample.dropped),
            ..Draw::default()
        };
        // Priorities are as good as random, so those of one sample tell how to divide them evenly.
        let count: usize = samples.iter().map(|sample| sample.order.len()).sum();
        let threads = if count < MANY { 1 } else { samples.len() };
        let bounds = (1..threads).map(|part| first.order.get(first.order.len() * part / threads));
        let bounds: Vec<u64> = bounds.map(|at| at.map_or(u64::MAX, |at| at.0)).collect();
        let parts = share(&mut vec![(); threads], 0..threads, |(), parts| {
            let merge = |part: usize| {
                let begin = part.checked_sub(1).map(|before| bounds[before]);
                merge(samples, begin, bounds.get(part).copied())
            };
            parts.map(merge).collect::<Vec<_>>()
        });
        for (priorities, part) in parts.into_iter().flatten() {
            let left = first.k - draw.candidates.len();
            draw.dropped |= priorities.len() > left;
            let taken = priorities.len().min(left);
            draw.candidates.extend(&part.candidates[..taken]);
            draw.words.extend(&part.words[..taken * first.width]);
            if taken > 0 && taken == left {
                draw.worst = Some(priorities[taken - 1]);
            }
        }
        let count = draw.candidates.len();
        (count == first.k || !rejected).then_some(draw)
    }
}

/// The distinct candidates with priorities from `begin` on and below `end`, in order: their priorities, and themselves.
fn merge(samples: &[&BottomK], begin: Option<u64>, end: Option<u64>) -> (Vec<u64>, Draw) {
    let mut all = Vec::new();
    for sample in samples {
        let below = |limit: u64| sample.order.partition_point(|entry| entry.0 < limit);
        let last = end.map_or(sample.order.len(), below);
        for (priority, index) in &sample.order[begin.map_or(0, below)..last] {
            all.push((*priority, sample, *index as usize));
        }
    }
    // Each sample is sorted already, which a stable sort makes use of.
    all.sort_by(|a, b| {
        let of = |entry: &(u64, &&BottomK, usize)| {
            let candidate = &entry.1.candidates[entry.2];
            (candidate.print, candidate.position)
        };
        a.0.cmp(&b.0).then_with(|| of(a).cmp(&of(b)))
    });
    all.dedup_by_key(|(priority, sample, index)| (*priority, sample.candidates[*index].print));
    let mut draw = Draw::default();
    let mut priorities = Vec::with_capacity(all.len());
    for (priority, sample, index) in all {
        priorities.push(priority);
        draw.candidates.push(sample.candidates[index]);
        draw.words.extend_from_slice(sample.state(index));
    }
    (priorities, draw)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Knows one state in ten.
    struct Threes;

    impl Known for Threes {
        fn expect(&self, _: impl Iterator<Item = Fingerprint>) {}

        fn has(&self, _: Fingerprint, state: &[u32]) -> bool {
            state[0] % 10 == 3
        }
    }

    fn offer_all(sample: &mut BottomK, states: impl Iterator<Item = u32>) {
        for (position, state) in states.enumerate() {
            let print = Fingerprint::of_words(&[state]);
            sample.offer(print, &[state], position as u32, &Threes);
        }
        sample.settle(&Threes);
    }

    fn chosen(sample: &BottomK) -> Vec<u32> {
        sample.words.clone()
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
    fn samples_of_parts_give_the_draw_of_the_whole() {
        for (k, states) in [(50, 3000), (50, 40), (1, 3000), (9000, 20_000)] {
            let mut whole = BottomK::new(9, 4, k, 1);
            offer_all(&mut whole, 0..states);
            for parts in 1..6 {
                let part = |number: u32| {
                    let mut sample = BottomK::new(9, 4, k, 1);
                    let begin = states * number / parts;
                    offer_all(
                        &mut sample,
                        begin.saturating_sub(200)..states * (number + 1) / parts,
                    );
                    sample
                };
                let samples: Vec<BottomK> = (0..parts).map(part).collect();
                let draw = BottomK::draw(&samples.iter().collect::<Vec<_>>()).expect("no guess");
                assert_eq!(chosen(&whole), draw.words);
                assert_eq!(whole.dropped(), draw.dropped);
                assert_eq!(draw.worst.is_some(), draw.candidates.len() == k);
            }
        }
    }

    #[test]
    fn a_guess_changes_nothing_or_is_told_to_be_wrong() {
        let mut whole = BottomK::new(9, 4, 50, 1);
        offer_all(&mut whole, 0..3000);
        let worst = BottomK::draw(&[&whole])
            .and_then(|draw| draw.worst)
            .expect("there are more");
        let with_guess = |guess: u64| {
            let mut sample = BottomK::new(1, 1, 50, 1);
            sample.begin(9, 4, Some(guess));
            offer_all(&mut sample, 0..3000);
            BottomK::draw(&[&sample]).map(|draw| draw.words)
        };
        assert_eq!(with_guess(worst), Some(chosen(&whole)));
        assert_eq!(with_guess(worst * 2), Some(chosen(&whole)));
        assert_eq!(with_guess(worst - 1), None);
    }

    #[test]
    fn exactly_k_candidates_are_not_a_cut() {
        let mut sample = BottomK::new(9, 4, 9, 1);
        offer_all(&mut sample, (0..10).cycle().take(500));
        assert_eq!(sample.candidates().len(), 9);
        assert!(!sample.dropped());
    }
}
