//! A set of candidates that serves all lanes, built lane by lane and then mixed by random swaps: nearly uniform.
//!
//! Building comes first: in random order, each lane that is not yet served takes one of its candidates at random; then the set is
//! filled up at random. Every admissible set can come out of this, but those whose candidates serve many lanes too rarely. Then,
//! again and again, a chosen candidate and another are drawn and change places if all lanes stay served. Since a swap is as likely
//! as the way back, the uniform distribution stays as it is, so no swap can take the result further away from it. Where hardly more
//! candidates are wanted than needed, there may be sets that no swap leads away from; they stay as likely as they were built.

use super::cover::{Cover, lanes_of};
use super::shuffle_front;
use sortie_model::Dice;

/// Swaps tried per candidate.
const SWAPS: usize = 32;

/// Draws from a cover that has lanes.
pub fn draw(cover: &Cover, dice: &mut Dice) -> Vec<u32> {
    let mut set = Set::build(cover, dice);
    set.mix(SWAPS * (cover.free.len() + set.bound), dice);
    set.open.truncate(cover.wanted);
    set.open
}

/// The set before any swap.
#[cfg(test)]
pub fn build(cover: &Cover, dice: &mut Dice) -> Vec<u32> {
    let mut set = Set::build(cover, dice);
    set.open.truncate(cover.wanted);
    set.open
}

struct Set {
    /// The chosen candidates, then the others.
    open: Vec<u32>,
    wanted: usize,
    /// How many candidates lanes have.
    bound: usize,
    lanes_of: Vec<Vec<u32>>,
    /// How many chosen candidates each lane has.
    serving: Vec<u32>,
}

impl Set {
    fn build(cover: &Cover, dice: &mut Dice) -> Set {
        let bound = cover.bound();
        let lanes_of = lanes_of(&cover.lanes, cover.candidates);
        let mut serving = vec![0; cover.lanes.len()];
        let mut is_chosen = vec![false; cover.candidates];
        let mut chosen = Vec::with_capacity(cover.wanted);
        let mut order: Vec<usize> = (0..cover.lanes.len()).collect();
        shuffle_front(&mut order, cover.lanes.len(), dice);
        for lane in order {
            if serving[lane] == 0 {
                let candidates = &cover.lanes[lane];
                let candidate = candidates[dice.index(candidates.len())];
                is_chosen[candidate as usize] = true;
                chosen.push(candidate);
                let served = lanes_of[candidate as usize].iter();
                served.for_each(|&l| serving[l as usize] += 1);
            }
        }
        let others = cover.free.iter().chain(&bound).copied();
        let mut others: Vec<u32> = others.filter(|&c| !is_chosen[c as usize]).collect();
        let missing = cover.wanted - chosen.len();
        shuffle_front(&mut others, missing, dice);
        let served = others[..missing]
            .iter()
            .flat_map(|&c| &lanes_of[c as usize]);
        served.for_each(|&l| serving[l as usize] += 1);
        chosen.extend(others);
        Set {
            open: chosen,
            wanted: cover.wanted,
            bound: bound.len(),
            lanes_of,
            serving,
        }
    }

    fn mix(&mut self, swaps: usize, dice: &mut Dice) {
        for _ in 0..swaps {
            let out = dice.index(self.wanted);
            let come = self.wanted + dice.index(self.open.len() - self.wanted);
            let leaving = &self.lanes_of[self.open[out] as usize];
            let coming = &self.lanes_of[self.open[come] as usize];
            coming.iter().for_each(|&l| self.serving[l as usize] += 1);
            leaving.iter().for_each(|&l| self.serving[l as usize] -= 1);
            if leaving.iter().all(|&l| self.serving[l as usize] > 0) {
                self.open.swap(out, come);
            } else {
                coming.iter().for_each(|&l| self.serving[l as usize] -= 1);
                leaving.iter().for_each(|&l| self.serving[l as usize] += 1);
            }
        }
    }
}
