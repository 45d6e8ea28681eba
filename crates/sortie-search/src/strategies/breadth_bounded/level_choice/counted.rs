//! All sets of candidates that serve some lanes, as a diagram: candidate after candidate, taken or not, nodes that leave the same
//! lanes unserved being one node. With a weight at every node a set is drawn by one way through the diagram, exactly as likely as
//! it should be.
//!
//! Weights are long numbers, but a random draw hardly ever needs more than their first digits. So they are computed roughly first,
//! and exactly only when a draw comes too close to what it is compared with.

use num_bigint::BigUint;
use sortie_model::{Dice, Fingerprinter};
use std::cell::OnceCell;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// Candidates are taken with a probability of so many parts of this, before the lanes are considered.
pub const PARTS: u64 = 1 << 16;

/// A diagram may have so many nodes.
const LARGEST: usize = 1 << 13;

/// How far a rough share may be from the exact one, in units of 2⁻⁶⁴. Each layer adds at most six such units to the relative error
/// of a weight, there are fewer layers than nodes, and a share has the errors of two weights: less than 2¹⁷ units in all.
const MARGIN: u64 = 1 << 20;

/// Which lanes each candidate serves, as bits. Components of the same shape share a diagram.
pub type Shape = Vec<u64>;

#[derive(Debug)]
struct Node {
    /// The next node if the candidate is taken.
    taken: u32,
    /// The next node if it is not; a lane may forbid that.
    left: Option<u32>,
}

/// The sets of candidates that serve all lanes of a shape.
#[derive(Debug)]
pub struct Diagram {
    /// Layer by layer, a layer per candidate; the last node is the end.
    nodes: Vec<Node>,
}

impl Diagram {
    /// The diagram of a shape, unless it is too large.
    pub fn new(shape: &[u64]) -> Option<Diagram> {
        // The lanes whose last candidate this is: those it serves that no later one does.
        let mut later = 0;
        let mut closing = vec![0; shape.len()];
        for (candidate, serves) in shape.iter().enumerate().rev() {
            closing[candidate] = serves & !later;
            later |= serves;
        }
        let mut nodes = Vec::new();
        let mut layer = vec![0u64];
        for (serves, closing) in shape.iter().zip(closing) {
            let next_begins = (nodes.len() + layer.len()) as u32;
            let mut next = Vec::new();
            let mut numbers: HashMap<u64, u32, BuildHasherDefault<Fingerprinter>> =
                HashMap::default();
            let mut node = |served: u64| {
                *numbers.entry(served).or_insert_with(|| {
                    next.push(served);
                    next_begins + next.len() as u32 - 1
                })
            };
            for served in layer {
                let left = (served & closing == closing).then(|| node(served));
                nodes.push(Node {
                    taken: node(served | serves),
                    left,
                });
            }
            layer = next;
            if nodes.len() + layer.len() > LARGEST {
                return None;
            }
        }
        Some(Diagram { nodes })
    }

    /// With weights: a set is as likely as if each candidate had been taken with probability `parts` / [`PARTS`], provided that all lanes
    /// are served.
    pub fn weigh(&self, parts: u64) -> Weighed<'_> {
        let mut weights = vec![Rough::ONE; self.nodes.len() + 1];
        let mut shares = vec![u64::MAX; self.nodes.len()];
        for (number, node) in self.nodes.iter().enumerate().rev() {
            let taken = weights[node.taken as usize].times(parts);
            weights[number] = taken;
            if let Some(left) = node.left {
                weights[number] = taken.plus(weights[left as usize].times(PARTS - parts));
                shares[number] = taken.share_of(weights[number]);
            }
        }
        Weighed {
            diagram: self,
            parts,
            shares,
            exact: OnceCell::new(),
        }
    }

    /// The exact odds at each node.
    fn weigh_exactly(&self, parts: u64) -> Vec<Odds> {
        let mut weights = vec![BigUint::from(1u32); self.nodes.len() + 1];
        let mut odds = Vec::with_capacity(self.nodes.len());
        for (number, node) in self.nodes.iter().enumerate().rev() {
            let taken = &weights[node.taken as usize] * parts;
            let left = node.left.map_or(BigUint::ZERO, |left| {
                &weights[left as usize] * (PARTS - parts)
            });
            weights[number] = &taken + left;
            odds.push(Odds::new(taken, &weights[number]));
        }
        odds.reverse();
        odds
    }
}

/// A diagram with the odds at each node.
#[derive(Debug)]
pub struct Weighed<'a> {
    diagram: &'a Diagram,
    parts: u64,
    /// Roughly, how likely the candidate is taken at each node.
    shares: Vec<u64>,
    exact: OnceCell<Vec<Odds>>,
}

impl Weighed<'_> {
    /// Draws a set: calls `take` for each candidate in it, by its place in the shape.
    pub fn draw(&self, dice: &mut Dice, mut take: impl FnMut(usize)) {
        let mut at = 0;
        let mut candidate = 0;
        while let Some(node) = self.diagram.nodes.get(at) {
            let next = match node.left {
                Some(left) if !self.is_taken(at, dice) => left,
                _ => {
                    take(candidate);
                    node.taken
                }
            };
            at = next as usize;
            candidate += 1;
        }
    }

    fn is_taken(&self, node: usize, dice: &mut Dice) -> bool {
        let drawn = dice.bits();
        let share = self.shares[node];
        if drawn.abs_diff(share) > MARGIN {
            return drawn < share;
        }
        let exact = || self.diagram.weigh_exactly(self.parts);
        self.exact.get_or_init(exact)[node].happens(drawn, dice)
    }
}

/// A positive number, rounded down to 64 binary digits.
#[derive(Clone, Copy, Debug)]
struct Rough {
    /// The highest bit is set.
    digits: u64,
    exponent: u32,
}

impl Rough {
    const ONE: Rough = Rough {
        digits: 1 << 63,
        exponent: 0,
    };

    fn new(digits: u128, exponent: u32) -> Rough {
        let surplus = u64::BITS - digits.leading_zeros().min(u64::BITS);
        Rough {
            digits: (digits >> surplus) as u64,
            exponent: exponent + surplus,
        }
    }

    fn times(self, factor: u64) -> Rough {
        Rough::new(u128::from(self.digits) * u128::from(factor), self.exponent)
    }

    fn plus(self, other: Rough) -> Rough {
        let (large, small) = if self.exponent >= other.exponent {
            (self, other)
        } else {
            (other, self)
        };
        let lower = small.digits.checked_shr(large.exponent - small.exponent);
        Rough::new(
            u128::from(large.digits) + u128::from(lower.unwrap_or(0)),
            large.exponent,
        )
    }

    /// The first 64 binary digits of this number divided by a larger one.
    fn share_of(self, whole: Rough) -> u64 {
        let share = (u128::from(self.digits) << 64) / u128::from(whole.digits);
        let share = share.checked_shr(whole.exponent - self.exponent);
        share.unwrap_or(0).try_into().unwrap_or(u64::MAX)
    }
}

/// An exact probability: its first 64 binary digits and what they leave.
#[derive(Debug)]
struct Odds {
    first: u64,
    rest: BigUint,
    whole: BigUint,
}

impl Odds {
    fn new(part: BigUint, whole: &BigUint) -> Odds {
        let (first, rest) = digits(part, whole);
        Odds {
            first,
            rest,
            whole: whole.clone(),
        }
    }

    /// Compares random binary digits, the first 64 of which are given, with those of the probability.
    fn happens(&self, drawn: u64, dice: &mut Dice) -> bool {
        if drawn != self.first {
            return drawn < self.first;
        }
        let mut rest = self.rest.clone();
        while rest != BigUint::ZERO {
            let (next, left) = digits(rest, &self.whole);
            let drawn = dice.bits();
            if drawn != next {
                return drawn < next;
            }
            rest = left;
        }
        false
    }
}

/// The next 64 binary digits of a fraction below one, and what they leave. A fraction of one has no such digits; it is never asked for.
fn digits(part: BigUint, whole: &BigUint) -> (u64, BigUint) {
    let shifted = part << 64;
    let digits: BigUint = &shifted / whole;
    let rest = shifted - &digits * whole;
    (digits.try_into().unwrap_or(u64::MAX), rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lanes {0,1} and {1,2}: of the eight sets, those with candidate 1, and {0,2}.
    #[test]
    fn every_way_through_serves_all_lanes() {
        let diagram = Diagram::new(&[0b01, 0b11, 0b10]).expect("small");
        let weighed = diagram.weigh(PARTS / 2);
        let mut dice = Dice::new(3);
        let mut seen = std::collections::BTreeMap::new();
        for _ in 0..5000 {
            let mut set = 0u32;
            weighed.draw(&mut dice, |candidate| set |= 1 << candidate);
            *seen.entry(set).or_insert(0) += 1;
        }
        let sets: Vec<u32> = seen.keys().copied().collect();
        assert_eq!(sets, [0b010, 0b011, 0b101, 0b110, 0b111]);
        assert!(
            seen.values().all(|&count| (900..1100).contains(&count)),
            "{seen:?}"
        );
    }

    /// Where 64 digits do not decide, the next ones do: a third is 0.0101… in binary.
    #[test]
    fn digits_go_on_for_ever() {
        let three = BigUint::from(3u32);
        let (first, rest) = digits(BigUint::from(1u32), &three);
        assert_eq!((first, rest), (0x5555_5555_5555_5555, BigUint::from(1u32)));
    }

    /// Rough shares are within half the margin of exact ones, in diagrams of all kinds and for probabilities from one end to the other.
    #[test]
    fn rough_shares_are_close() {
        let mut dice = Dice::new(8);
        let mut compared = 0;
        for _ in 0..200 {
            let (candidates, lanes) = (1 + dice.index(60), 1 + dice.below(6));
            let mut shape: Shape = (0..candidates)
                .map(|_| 1 << dice.below(lanes) | 1 << dice.below(lanes))
                .collect();
            shape.extend((0..lanes).map(|lane| 1 << lane));
            let diagram = Diagram::new(&shape).expect("few lanes");
            for parts in [1, 2, 77, PARTS / 3, PARTS / 2, PARTS - 2] {
                let exact = diagram.weigh_exactly(parts);
                let rough = diagram.weigh(parts).shares;
                for ((node, exact), rough) in diagram.nodes.iter().zip(exact).zip(rough) {
                    if node.left.is_some() {
                        compared += 1;
                        assert!(exact.first.abs_diff(rough) <= MARGIN / 2);
                    }
                }
            }
        }
        assert!(compared > 10_000, "{compared}");
    }

    /// Draws that are too close for rough shares are decided as exact ones are.
    #[test]
    fn close_draws_are_decided_exactly() {
        let diagram = Diagram::new(&[0b01, 0b11, 0b10]).expect("small");
        for odds in diagram
            .weigh_exactly(PARTS / 3)
            .iter()
            .filter(|odds| odds.first < u64::MAX)
        {
            let mut dice = Dice::new(1);
            assert!(odds.happens(odds.first - 1, &mut dice));
            assert!(!odds.happens(odds.first + 1, &mut dice));
        }
    }

    #[test]
    fn large_components_are_refused() {
        // Every candidate serves two lanes far apart, so that nearly all lanes are open in the middle.
        let shape: Shape = (0..60)
            .map(|c| 1 << (c % 30) | 1 << ((c * 7 + 3) % 60))
            .collect();
        assert!(Diagram::new(&shape).is_none());
    }
}
