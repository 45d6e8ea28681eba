//! Partial rejection sampling (Guo, Jerrum and Liu): candidates are taken independently; as long as lanes are unserved, those lanes and what they have
//! revealed about others are drawn again, and the rest stays.
//!
//! A lane that shares candidates with what is drawn again stays out of it only if one of the shared candidates was taken: then nothing was learnt about its
//! others. The result is distributed as if everything had been drawn again, but large components need not be lucky everywhere at once.

use super::counted::PARTS;
use super::cover::lanes_of;
use sortie_model::Dice;

/// Draws are given up when so many candidates were drawn again, plus so many times their number. When that happens has nothing to do with what is drawn.
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
        let mut again = Vec::new();
        let mut is_again = vec![false; count];
        let mut included = vec![false; self.lanes.len()];
        loop {
            let is_unserved =
                |&lane: &u32| !self.lanes[lane as usize].iter().any(|&c| taken[c as usize]);
            let mut queue: Vec<u32> = (0..self.lanes.len() as u32).filter(is_unserved).collect();
            if queue.is_empty() {
                return Some(taken);
            }
            included.fill(false);
            queue
                .iter()
                .for_each(|&lane| included[lane as usize] = true);
            while let Some(lane) = queue.pop() {
                let begin = again.len();
                for &candidate in &self.lanes[lane as usize] {
                    if !is_again[candidate as usize] {
                        is_again[candidate as usize] = true;
                        again.push(candidate);
                    }
                }
                for &candidate in &again[begin..] {
                    for &neighbour in &self.lanes_of[candidate as usize] {
                        let ruled_out = |&c: &u32| is_again[c as usize] && taken[c as usize];
                        if !included[neighbour as usize]
                            && !self.lanes[neighbour as usize].iter().any(ruled_out)
                        {
                            included[neighbour as usize] = true;
                            queue.push(neighbour);
                        }
                    }
                }
            }
            effort = effort.checked_sub(again.len())?;
            // In order of place, so that the draw does not depend on how the lanes were met.
            again.sort_unstable();
            for &candidate in &again {
                taken[candidate as usize] = dice.chance(parts, PARTS);
                is_again[candidate as usize] = false;
            }
            again.clear();
        }
    }
}
