//! A uniform draw of a given number of candidates that serve all lanes, by partial rejection sampling (Guo, Jerrum and Liu).
//!
//! If every candidate is taken independently with the same probability, then, provided that all lanes are served, all sets of the same size are equally likely.
//! Candidates of lanes are drawn in this way: as long as lanes are unserved, those lanes and what they have revealed about others are drawn again, and the rest stays.
//! A lane that shares candidates with what is drawn again stays out of it only if one of the shared candidates was taken: then nothing was learnt
//! about its others. The result is distributed as if everything had been drawn again, but many lanes need not be lucky everywhere at once.
//!
//! The candidates of no lane then fill up to the wanted number; a total of j is accepted in proportion to the number of ways to fill up, divided by the odds of the candidates
//! to the power of j. That number is never computed: from the best total on, its changes are fractions below one, each of which is a coin to toss.
//! The probability only decides how often totals are accepted. It is found by trial, so that the wanted number is typical.

use super::cover::{Cover, lanes_of};
use super::shuffle_front;
use sortie_model::Dice;

/// Probabilities are multiples of one divided by this.
const PARTS: u64 = 1 << 16;

/// A draw is given up when this number of candidates were drawn again, plus this many times their number. When that happens has nothing to
/// do with what is drawn.
const EFFORT: (usize, usize) = (20_000, 20);

/// Draws at each probability tried.
const TRIALS: u64 = 2;

/// Totals drawn before giving up.
const ATTEMPTS: u32 = 4000;

/// Draws that took too long before giving up.
const FAILURES: u32 = 3;

/// Draws from a cover that has lanes; none where that takes too long.
pub fn draw(cover: &Cover, dice: &mut Dice) -> Option<Vec<u32>> {
    let lanes = Lanes {
        bound: cover.bound(),
        lanes: &cover.lanes,
        lanes_of: lanes_of(&cover.lanes, cover.candidates),
    };
    let parts = lanes.typical_parts(cover, dice);
    let mut failures = 0;
    for _ in 0..ATTEMPTS {
        let Some(mut chosen) = lanes.draw(parts, dice) else {
            failures += 1;
            if failures == FAILURES {
                break;
            }
            continue;
        };
        if accepts(cover, chosen.len() as u64, parts, dice) {
            let mut free = cover.free.clone();
            let missing = cover.wanted - chosen.len();
            shuffle_front(&mut free, missing, dice);
            chosen.extend_from_slice(&free[..missing]);
            return Some(chosen);
        }
    }
    None
}

/// Whether a total is accepted: with probability w(total) / w(best), where w(j) is the number of ways to choose the other
/// wanted - j candidates from the free ones, divided by the odds to the power of j.
fn accepts(cover: &Cover, total: u64, parts: u64, dice: &mut Dice) -> bool {
    let (wanted, free) = (cover.wanted as u64, cover.free.len() as u64);
    if total > wanted || wanted - total > free {
        return false;
    }
    // w(j + 1) / w(j), which falls as j grows.
    let change = |j: u64| {
        let above = (wanted - j) * (PARTS - parts);
        (above, (free + j + 1 - wanted) * parts)
    };
    let (mut best, mut high) = (wanted.saturating_sub(free), wanted);
    while best < high {
        let middle = best + (high - best) / 2;
        let (above, below) = change(middle);
        if above <= below {
            high = middle;
        } else {
            best = middle + 1;
        }
    }
    // The way leads up to the total or down to it.
    (best.min(total)..best.max(total)).all(|j| {
        let (above, below) = change(j);
        match best < total {
            true => dice.chance(above, below),
            false => dice.chance(below, above),
        }
    })
}

/// The lanes of a cover, and their candidates.
struct Lanes<'a> {
    /// The candidates of lanes, ascending.
    bound: Vec<u32>,
    lanes: &'a [Vec<u32>],
    /// By candidate.
    lanes_of: Vec<Vec<u32>>,
}

impl Lanes<'_> {
    /// A probability for which about as many candidates are drawn as are wanted. Whatever it is, draws are uniform.
    fn typical_parts(&self, cover: &Cover, dice: &mut Dice) -> u64 {
        let (mut low, mut high) = (0, PARTS - 1);
        let unit = u128::from(TRIALS * PARTS);
        let wanted = cover.wanted as u128;
        // Finer than a share of 64 is not worth the trials.
        while high - low > 1 + high.min(PARTS - high) / 64 {
            let parts = (low + high) / 2;
            let mut drawn = cover.free.len() as u128 * u128::from(parts * TRIALS);
            let mut trials = 0..TRIALS;
            let succeeded = trials.all(|_| {
                let chosen = self.draw(parts, dice);
                drawn += chosen.as_ref().map_or(0, Vec::len) as u128 * u128::from(PARTS);
                chosen.is_some()
            });
            // Half the root of the wanted number is less than totals vary anyway.
            let away = drawn.abs_diff(wanted * unit);
            if succeeded && 4 * away * away <= wanted * unit * unit {
                return parts;
            }
            // A draw that takes too long leaves lanes unserved: it takes too few.
            if succeeded && drawn > wanted * unit {
                high = parts;
            } else {
                low = parts;
            }
        }
        high
    }

    /// Draws candidates that serve all lanes, as likely as if each had been taken with probability `parts` / [`PARTS`] provided that
    /// all lanes are served; none when that takes too long.
    fn draw(&self, parts: u64, dice: &mut Dice) -> Option<Vec<u32>> {
        let count = self.lanes_of.len();
        let mut taken = vec![false; count];
        for &candidate in &self.bound {
            taken[candidate as usize] = dice.chance(parts, PARTS);
        }
        let mut effort = EFFORT.0 + EFFORT.1 * self.bound.len();
        let mut again = Again {
            candidates: Vec::new(),
            has: vec![false; count],
            lanes: Vec::new(),
            has_lane: vec![false; self.lanes.len()],
        };
        let all = 0..self.lanes.len() as u32;
        let mut unserved: Vec<u32> = all.filter(|&lane| !self.is_served(lane, &taken)).collect();
        while !unserved.is_empty() {
            self.spread(&unserved, &taken, &mut again);
            effort = effort.checked_sub(again.candidates.len())?;
            for &candidate in &again.candidates {
                taken[candidate as usize] = dice.chance(parts, PARTS);
            }
            // Only lanes with a candidate that was drawn again can be unserved now.
            let drawn = again.candidates.iter();
            unserved = drawn
                .flat_map(|&c| &self.lanes_of[c as usize])
                .copied()
                .filter(|&lane| !self.is_served(lane, &taken))
                .collect();
            unserved.sort_unstable();
            unserved.dedup();
            again.clear();
        }
        let bound = self.bound.iter().copied();
        Some(bound.filter(|&c| taken[c as usize]).collect())
    }

    fn is_served(&self, lane: u32, taken: &[bool]) -> bool {
        let mut candidates = self.lanes[lane as usize].iter();
        candidates.any(|&c| taken[c as usize])
    }

    /// Collects what must be drawn again: the unserved lanes, and every lane of which something would be learnt otherwise.
    fn spread(&self, unserved: &[u32], taken: &[bool], again: &mut Again) {
        unserved.iter().for_each(|&lane| again.add_lane(lane));
        let mut next = 0;
        while let Some(&lane) = again.lanes.get(next) {
            next += 1;
            let begin = again.candidates.len();
            for &candidate in &self.lanes[lane as usize] {
                again.add(candidate);
            }
            for place in begin..again.candidates.len() {
                let candidate = again.candidates[place];
                for &neighbour in &self.lanes_of[candidate as usize] {
                    let ruled_out = |&c: &u32| again.has[c as usize] && taken[c as usize];
                    if !self.lanes[neighbour as usize].iter().any(ruled_out) {
                        again.add_lane(neighbour);
                    }
                }
            }
        }
    }
}

/// What is drawn again.
struct Again {
    candidates: Vec<u32>,
    has: Vec<bool>,
    lanes: Vec<u32>,
    has_lane: Vec<bool>,
}

impl Again {
    fn add(&mut self, candidate: u32) {
        if !std::mem::replace(&mut self.has[candidate as usize], true) {
            self.candidates.push(candidate);
        }
    }

    fn add_lane(&mut self, lane: u32) {
        if !std::mem::replace(&mut self.has_lane[lane as usize], true) {
            self.lanes.push(lane);
        }
    }

    fn clear(&mut self) {
        let (candidates, lanes) = (self.candidates.drain(..), self.lanes.drain(..));
        candidates.for_each(|c| self.has[c as usize] = false);
        lanes.for_each(|l| self.has_lane[l as usize] = false);
    }
}
