//! A uniform draw of a given number of candidates that serve all lanes, by components: lanes that share candidates.
//!
//! If every candidate is taken independently with the same probability, then, provided that all lanes are served, all sets of the
//! same size are equally likely. So each component is drawn on its own, provided that *its* lanes are served, and the sizes are
//! added up. The candidates of no lane then fill up to the wanted number; a total of j is accepted in proportion to the number of
//! ways to fill up, divided by the odds of the candidates to the power of j. That number is never computed: from the best total on,
//! its changes are fractions below one, each of which is a coin to toss.
//!
//! The probability only decides how often totals are accepted. It is found by trial, so that the wanted number is typical.

use super::counted::{Diagram, PARTS, Shape, Weighed};
use super::cover::{Cover, lanes_of};
use super::loose::Loose;
use super::{TooEntangled, shuffle_front};
use sortie_model::Dice;
use std::collections::BTreeMap;

/// Draws at each probability tried.
const TRIALS: u64 = 2;

/// Totals drawn before giving up.
const ATTEMPTS: u32 = 4000;

/// Draws that took too long before giving up.
const FAILURES: u32 = 3;

/// Draws from a cover that has lanes.
pub fn draw(cover: &Cover, dice: &mut Dice) -> Result<Vec<u32>, TooEntangled> {
    Parted::new(cover, true).draw_all(dice)
}

/// The components of a cover.
pub struct Parted<'a> {
    cover: &'a Cover,
    /// One for every shape of component.
    diagrams: Vec<Diagram>,
    components: Vec<Component>,
}

struct Component {
    candidates: Vec<u32>,
    lanes: usize,
    kind: Kind,
}

enum Kind {
    /// The number of its diagram.
    Counted(usize),
    Loose(Loose),
}

impl<'a> Parted<'a> {
    /// Finds the components; those small enough are counted, if that is wanted.
    pub fn new(cover: &'a Cover, count: bool) -> Self {
        let lanes_of = lanes_of(&cover.lanes, cover.candidates);
        let mut parted = Parted {
            cover,
            diagrams: Vec::new(),
            components: Vec::new(),
        };
        let mut shapes: BTreeMap<Shape, Option<usize>> = BTreeMap::new();
        let mut place = vec![u32::MAX; cover.candidates];
        let mut met = vec![false; cover.lanes.len()];
        for first in 0..cover.lanes.len() {
            if met[first] {
                continue;
            }
            // Lanes in breadth-first order, candidates as they are met: neighbours stay together, and diagrams narrow.
            met[first] = true;
            let mut lanes = vec![first as u32];
            let mut candidates: Vec<u32> = Vec::new();
            let mut next = 0;
            while let Some(&lane) = lanes.get(next) {
                next += 1;
                for &candidate in &cover.lanes[lane as usize] {
                    if place[candidate as usize] != u32::MAX {
                        continue;
                    }
                    place[candidate as usize] = candidates.len() as u32;
                    candidates.push(candidate);
                    for &other in &lanes_of[candidate as usize] {
                        if !met[other as usize] {
                            met[other as usize] = true;
                            lanes.push(other);
                        }
                    }
                }
            }
            let local = |lane: &u32| -> Vec<u32> {
                let lane = &cover.lanes[*lane as usize];
                lane.iter().map(|&c| place[c as usize]).collect()
            };
            let local: Vec<Vec<u32>> = lanes.iter().map(local).collect();
            let shape = shape(&local, candidates.len()).filter(|_| count);
            let counted = shape.and_then(|shape| {
                *shapes.entry(shape).or_insert_with_key(|shape| {
                    let diagram = Diagram::new(shape)?;
                    parted.diagrams.push(diagram);
                    Some(parted.diagrams.len() - 1)
                })
            });
            let kind = match counted {
                Some(diagram) => Kind::Counted(diagram),
                None => Kind::Loose(Loose::new(local, candidates.len())),
            };
            parted.components.push(Component {
                candidates,
                lanes: lanes.len(),
                kind,
            });
        }
        parted
    }

    /// Draws until the total is accepted.
    pub fn draw_all(&self, dice: &mut Dice) -> Result<Vec<u32>, TooEntangled> {
        let parts = self.typical_parts(dice);
        let scales = self.weigh(parts);
        let mut chosen = Vec::new();
        let mut failures = 0;
        for _ in 0..ATTEMPTS {
            chosen.clear();
            if !self.draw(&scales, parts, dice, &mut chosen) {
                failures += 1;
                if failures == FAILURES {
                    break;
                }
                continue;
            }
            if self.accepts(chosen.len() as u64, parts, dice) {
                let mut free = self.cover.free.clone();
                let missing = self.cover.wanted - chosen.len();
                shuffle_front(&mut free, missing, dice);
                chosen.extend_from_slice(&free[..missing]);
                return Ok(chosen);
            }
        }
        Err(self.entangled())
    }

    fn weigh(&self, parts: u64) -> Vec<Weighed<'_>> {
        self.diagrams.iter().map(|d| d.weigh(parts)).collect()
    }

    /// Draws every component; whether all of them succeeded.
    fn draw(
        &self,
        scales: &[Weighed<'_>],
        parts: u64,
        dice: &mut Dice,
        chosen: &mut Vec<u32>,
    ) -> bool {
        for component in &self.components {
            match &component.kind {
                Kind::Counted(diagram) => {
                    scales[*diagram].draw(dice, |place| chosen.push(component.candidates[place]));
                }
                Kind::Loose(loose) => {
                    let Some(taken) = loose.draw(parts, dice) else {
                        return false;
                    };
                    let taken = component.candidates.iter().zip(taken);
                    chosen.extend(taken.filter(|(_, taken)| *taken).map(|(c, _)| c));
                }
            }
        }
        true
    }

    /// A probability for which about as many candidates are drawn as are wanted. Whatever it is, draws are uniform.
    fn typical_parts(&self, dice: &mut Dice) -> u64 {
        let (mut low, mut high) = (0, PARTS - 1);
        let unit = u128::from(TRIALS * PARTS);
        let wanted = self.cover.wanted as u128;
        let mut chosen = Vec::new();
        // Finer than a share of 64 is not worth the trials.
        while high - low > 1 + high.min(PARTS - high) / 64 {
            let parts = (low + high) / 2;
            let scales = self.weigh(parts);
            let mut drawn = self.cover.free.len() as u128 * u128::from(parts * TRIALS);
            let mut trials = 0..TRIALS;
            let succeeded = trials.all(|_| {
                chosen.clear();
                let succeeds = self.draw(&scales, parts, dice, &mut chosen);
                drawn += chosen.len() as u128 * u128::from(PARTS);
                succeeds
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

    /// Whether a total is accepted: with probability w(total) / w(best), where w(j) is the number of ways to choose the other
    /// wanted - j candidates from the free ones, divided by the odds to the power of j.
    fn accepts(&self, total: u64, parts: u64, dice: &mut Dice) -> bool {
        let (wanted, free) = (self.cover.wanted as u64, self.cover.free.len() as u64);
        if total > wanted || wanted - total > free {
            return false;
        }
        // w(j + 1) / w(j), which falls as j grows.
        let change = |j: u64| {
            (
                (wanted - j) * (PARTS - parts),
                (free + j + 1 - wanted) * parts,
            )
        };
        let falls = |j: u64| {
            let (above, below) = change(j);
            above <= below
        };
        let best = partition_point(wanted.saturating_sub(free), wanted, falls);
        let mut up = best..total;
        let mut down = total..best;
        up.all(|j| {
            let (above, below) = change(j);
            dice.chance(above, below)
        }) && down.all(|j| {
            let (above, below) = change(j);
            dice.chance(below, above)
        })
    }

    /// The component with most lanes.
    fn entangled(&self) -> TooEntangled {
        let largest = self
            .components
            .iter()
            .max_by_key(|component| component.lanes);
        largest.map_or(
            TooEntangled {
                lanes: 0,
                candidates: 0,
            },
            |largest| TooEntangled {
                lanes: largest.lanes,
                candidates: largest.candidates.len(),
            },
        )
    }
}

/// The first number from `low` on for which `holds`, or `high`.
fn partition_point(mut low: u64, mut high: u64, holds: impl Fn(u64) -> bool) -> u64 {
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

/// Which lanes each candidate serves, if there are few enough.
fn shape(lanes: &[Vec<u32>], candidates: usize) -> Option<Shape> {
    let mut shape = vec![0; candidates];
    for (number, lane) in lanes.iter().enumerate() {
        let bit = 1u64.checked_shl(number as u32)?;
        lane.iter().for_each(|&c| shape[c as usize] |= bit);
    }
    Some(shape)
}
