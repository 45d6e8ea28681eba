//! The k smallest of many candidates by a random priority: a uniform draw of distinct states, in any order of
//! arrival.
//!
//! A candidate's priority is a hash of seed, level and state, so a state met again gets the same one, and the k
//! states with the smallest priorities are a uniform sample of the *distinct* candidates. Samples of parts can be
//! merged. A candidate above the current threshold is rejected before anything is looked up; the others wait in a
//! buffer that is sorted and cut when it is twice as long as needed.

use crate::store::visited::VisitedSet;
use sortie_model::{Fingerprint, Fingerprinter};

/// What is out of the question.
pub trait Known {
    /// Lookups of these states, one after another, follow.
    fn expect(&self, prints: impl Iterator<Item = Fingerprint>);

    /// Whether a state is out of the question.
    fn has(&self, print: Fingerprint, state: &[u32]) -> bool;
}

impl Known for VisitedSet {
    #[inline]
    fn expect(&self, prints: impl Iterator<Item = Fingerprint>) {
        self.warm(prints.map(|print| print.low()));
    }

    #[inline]
    fn has(&self, print: Fingerprint, state: &[u32]) -> bool {
        self.contains(print.low(), state)
    }
}

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
        self.order.push((priority, self.candidates.len() as u32));
        self.candidates.push(Candidate {
            print,
            position,
            fresh: false,
        });
        self.words.extend_from_slice(state);
        if self.order.len() >= 2 * self.k + 64 {
            self.settle(known);
        }
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

    /// The `k` best of samples of parts of a level, each of them settled. A state that is in several of them counts as seen from the first of its lanes. Nothing if the guess
    /// was wrong with which they began.
    pub fn draw(samples: &[&BottomK]) -> Option<Draw> {
        Draw::of(samples, [Merged::of(samples, None, None)])
    }

    /// Priorities that divide the candidates of several samples into so many parts, about evenly: those of one sample are as good as random.
    pub(crate) fn bounds(samples: &[&BottomK], parts: usize) -> Vec<u64> {
        let order = samples.first().map_or(&[][..], |sample| &sample.order);
        let bound = |part: usize| order.get(order.len() * part / parts);
        let bounds = (1..parts).map(bound);
        bounds.map(|at| at.map_or(u64::MAX, |at| at.0)).collect()
    }

    /// How many candidates there are.
    pub(crate) fn len(&self) -> usize {
        self.order.len()
    }
}

/// The distinct candidates of several samples whose priorities are in some range, in order.
#[derive(Debug, Default)]
pub(crate) struct Merged {
    priorities: Vec<u64>,
    candidates: Vec<Candidate>,
    words: Vec<u32>,
}

impl Merged {
    /// Those with priorities from `begin` on and below `end`.
    pub(crate) fn of(samples: &[&BottomK], begin: Option<u64>, end: Option<u64>) -> Merged {
        let range = |sample: &BottomK| {
            let below = |limit: u64| sample.order.partition_point(|entry| entry.0 < limit);
            begin.map_or(0, below)..end.map_or(sample.order.len(), below)
        };
        if let [only] = samples {
            let range = range(only);
            return Merged {
                priorities: only.order[range.clone()].iter().map(|o| o.0).collect(),
                words: only.words[range.start * only.width..range.end * only.width].to_vec(),
                candidates: only.candidates[range].to_vec(),
            };
        }
        let mut all = Vec::new();
        for sample in samples {
            let entries = sample.order[range(sample)].iter();
            all.extend(entries.map(|(priority, index)| (*priority, sample, *index as usize)));
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
        let mut merged = Merged::default();
        for (priority, sample, index) in all {
            merged.priorities.push(priority);
            merged.candidates.push(sample.candidates[index]);
            merged.words.extend_from_slice(sample.state(index));
        }
        merged
    }
}

impl Draw {
    /// The best of samples, from what all of them have in one range of priorities after another. Nothing if the guess was wrong with which they began.
    pub(crate) fn of(
        samples: &[&BottomK],
        parts: impl IntoIterator<Item = Merged>,
    ) -> Option<Draw> {
        let first = samples.first()?;
        let mut draw = Draw {
            dropped: samples.iter().any(|sample| sample.dropped),
            ..Draw::default()
        };
        for mut part in parts {
            let left = first.k - draw.candidates.len();
            draw.dropped |= part.candidates.len() > left;
            part.candidates.truncate(left);
            part.words.truncate(left * first.width);
            let taken = part.candidates.len();
            if taken > 0 && taken == left {
                draw.worst = Some(part.priorities[taken - 1]);
            }
            append(&mut draw.candidates, part.candidates);
            append(&mut draw.words, part.words);
        }
        let is_full = draw.candidates.len() == first.k;
        let rejected = samples.iter().any(|sample| sample.rejected);
        (is_full || !rejected).then_some(draw)
    }
}

/// Without copying the first of many.
fn append<T>(all: &mut Vec<T>, mut more: Vec<T>) {
    match all.is_empty() {
        true => *all = more,
        false => all.append(&mut more),
    }
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
