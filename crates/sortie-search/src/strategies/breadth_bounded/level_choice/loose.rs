//! Partial rejection sampling (Guo, Jerrum and Liu): candidates are taken independently; as long as lanes are unserved, those lanes
//! and what they have revealed about others are drawn again, and the rest stays.
//!
//! A lane that shares candidates with what is drawn again stays out of it only if one of the shared candidates was taken: then
//! nothing was learnt about its others. The result is distributed as if everything had been drawn again, but large components need
//! not be lucky everywhere at once.

use super::counted::PARTS;
use super::cover::lanes_of;
use sortie_model::Dice;

/// Draws are given up when so many candidates were drawn again, plus so many times their number. When that happens has nothing to
/// do with what is drawn.
const EFFORT: (usize, usize) = (20_000, 20);

/// Lanes that share candidates, too many of them to be counted.
#[derive(Debug)]
pub struct Loose {
    lanes: Vec<Vec<u32>>,
    lanes_of: Vec<Vec<u32>>,
}

impl Loose {
    /// Lanes by places of their candidates.
    pub fn new(lanes: Vec<Vec<u32>>, candidates: usize) -> Loose {
        let lanes_of = lanes_of(&lanes, candidates);
        Loose { lanes, lanes_of }
    }

    /// Draws a set that serves all lanes, as likely as if each candidate had been taken with probability `parts` / [`PARTS`] provided that
    /// all lanes are served; `None` when that takes too long.
    pub fn draw(&self, parts: u64, dice: &mut Dice) -> Option<Vec<bool>> {
        let count = self.lanes_of.len();
        let mut taken: Vec<bool> = (0..count).map(|_| dice.chance(parts, PARTS)).collect();
        let mut effort = EFFORT.0 + EFFORT.1 * count;
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
        Some(taken)
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
        self.candidates
            .drain(..)
            .for_each(|c| self.has[c as usize] = false);
        self.lanes
            .drain(..)
            .for_each(|l| self.has_lane[l as usize] = false);
    }
}
