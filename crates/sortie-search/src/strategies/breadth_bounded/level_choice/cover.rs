//! What is left to decide once the obvious is settled, and plain draws until one serves every lane.

use super::{Level, shuffle_front};
use sortie_model::Dice;

/// Candidates of which `wanted` are to be chosen so that every lane has one. Candidates keep the numbers they have in the level.
#[derive(Clone, Debug)]
pub struct Cover {
    /// In every admissible set, and not counted in `wanted`.
    pub forced: Vec<u32>,
    /// Candidates of no lane.
    pub free: Vec<u32>,
    /// Of each lane at least two candidates, ascending; no lane contains another.
    pub lanes: Vec<Vec<u32>>,
    /// How many are to be chosen from `free` and the lanes' candidates.
    pub wanted: usize,
    /// How many candidates the level has.
    pub candidates: usize,
}

impl Cover {
    /// The stuck lanes of a level, without those that need no care: a lane with one candidate forces it; a lane that has a forced
    /// candidate, that contains another lane, or that has so many candidates that any choice meets one, is served anyway.
    pub fn new(level: &Level) -> Cover {
        let stuck = level.lanes.iter().filter(|lane| lane.stuck);
        let mut lanes: Vec<&[u32]> = stuck.map(|lane| &lane.candidates[..]).collect();
        let mut is_forced = vec![false; level.candidates];
        for lane in &lanes {
            if let [only] = lane {
                is_forced[*only as usize] = true;
            }
        }
        let all = || 0..level.candidates as u32;
        let forced: Vec<u32> = all().filter(|&c| is_forced[c as usize]).collect();
        let (left, wanted) = (level.candidates - forced.len(), level.wanted - forced.len());
        lanes.retain(|lane| {
            let is_served = lane.iter().any(|&c| is_forced[c as usize]);
            !is_served && left - lane.len() >= wanted
        });
        let lanes = without_implied(lanes, level.candidates);
        let mut is_free: Vec<bool> = is_forced.iter().map(|forced| !forced).collect();
        let bound = lanes.iter().flatten();
        bound.for_each(|&c| is_free[c as usize] = false);
        Cover {
            forced,
            free: all().filter(|&c| is_free[c as usize]).collect(),
            lanes,
            wanted,
            candidates: level.candidates,
        }
    }

    /// The candidates of the lanes, ascending.
    pub fn bound(&self) -> Vec<u32> {
        let mut bound = self.lanes.concat();
        bound.sort_unstable();
        bound.dedup();
        bound
    }

    /// A plain draw that happens to serve all lanes, if one of the first ones does. Conditioned on that, it is uniform.
    pub fn draw_by_rejection(&self, attempts: u32, dice: &mut Dice) -> Option<Vec<u32>> {
        let mut open = [&self.free[..], &self.bound()[..]].concat();
        let mut is_chosen = vec![false; self.candidates];
        for _ in 0..attempts {
            shuffle_front(&mut open, self.wanted, dice);
            let chosen = &open[..self.wanted];
            chosen.iter().for_each(|&c| is_chosen[c as usize] = true);
            let serves = |lane: &Vec<u32>| lane.iter().any(|&c| is_chosen[c as usize]);
            if self.lanes.iter().all(serves) {
                return Some(chosen.to_vec());
            }
            chosen.iter().for_each(|&c| is_chosen[c as usize] = false);
        }
        None
    }
}

/// For each candidate, which lanes it belongs to.
pub fn lanes_of(lanes: &[Vec<u32>], candidates: usize) -> Vec<Vec<u32>> {
    let mut of = vec![Vec::new(); candidates];
    for (number, lane) in lanes.iter().enumerate() {
        lane.iter()
            .for_each(|&c| of[c as usize].push(number as u32));
    }
    of
}

/// The lanes that contain no other lane, each once.
fn without_implied(mut lanes: Vec<&[u32]>, candidates: usize) -> Vec<Vec<u32>> {
    lanes.sort_unstable();
    lanes.dedup();
    let mut degree = vec![0u32; candidates];
    let all = lanes.iter().flat_map(|lane| *lane);
    all.for_each(|&c| degree[c as usize] += 1);
    // A lane within another has its rarest candidate there.
    let mut by_rarest: Vec<Vec<&[u32]>> = vec![Vec::new(); candidates];
    for lane in &lanes {
        let rarest = lane.iter().min_by_key(|&&c| degree[c as usize]);
        by_rarest[*rarest.expect("a stuck lane has successors") as usize].push(lane);
    }
    let contains_another = |lane: &[u32]| {
        let mut others = lane.iter().flat_map(|&c| &by_rarest[c as usize]);
        others.any(|other| other.len() < lane.len() && is_within(other, lane))
    };
    let kept = lanes.iter().filter(|lane| !contains_another(lane));
    kept.map(|lane| lane.to_vec()).collect()
}

fn is_within(small: &[u32], large: &[u32]) -> bool {
    small.iter().all(|c| large.binary_search(c).is_ok())
}

#[cfg(test)]
mod tests {
    use super::super::Lane;
    use super::*;

    fn cover(candidates: usize, wanted: usize, lanes: &[&[u32]]) -> Cover {
        let lane = |candidates: &&[u32]| Lane {
            candidates: candidates.to_vec(),
            stuck: true,
        };
        Cover::new(&Level {
            candidates,
            wanted,
            most: wanted,
            lanes: lanes.iter().map(lane).collect(),
        })
    }

    #[test]
    fn lanes_that_need_no_care_are_settled() {
        let lanes: [&[u32]; 6] = [&[3], &[3, 4], &[0, 1], &[0, 1], &[0, 1, 5], &[5, 6, 7, 8]];
        let settled = cover(9, 6, &lanes);
        assert_eq!(settled.forced, [3]);
        assert_eq!(settled.lanes, [vec![0, 1]]);
        assert_eq!(settled.free, [2, 4, 5, 6, 7, 8]);
        assert_eq!(settled.wanted, 5);
        let needed = cover(9, 5, &lanes);
        let lanes = [vec![0, 1], vec![5, 6, 7, 8]];
        assert_eq!(needed.lanes, lanes, "four of eight can miss four");
    }

    #[test]
    fn one_lane_alone_is_never_missed() {
        let all: Vec<u32> = (0..40).collect();
        assert!(cover(40, 1, &[&all]).lanes.is_empty());
    }
}
