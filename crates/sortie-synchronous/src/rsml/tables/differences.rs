//! Numbers compared with each other: `h < k + 200` is about the difference of two unknowns.
//!
//! Splitting both unknowns until the comparison is decided would take as many steps as there are numbers. Instead the difference is narrowed like an unknown of its own, and
//! what that means for the two is propagated. A set of bounds on numbers and on differences can be met if the least values that it allows stay below the upper bounds;
//! these are found in as many rounds as there are unknowns, or there are none.

use super::graph::{Graph, Node, NodeId};
use super::possible::Interval;
use crate::expression::Binary;
use std::collections::HashMap;

/// A comparison of `left - right`, or its opposite, plus a constant, with zero.
#[derive(Clone, Copy, Debug)]
pub(super) struct Comparison {
    /// The number of the pair.
    pub(super) pair: usize,
    operator: Binary,
    /// Whether the pair's difference is taken with the other sign.
    opposite: bool,
    plus: i64,
}

impl Comparison {
    /// What it is, if the difference is this.
    pub(super) fn value(self, difference: Interval) -> Interval {
        let signed = match self.opposite {
            true => difference.negated(),
            false => difference,
        };
        let sum = Interval::combined(Binary::Add, signed, Interval::only(self.plus));
        Interval::combined(self.operator, sum, Interval::only(0))
    }

    /// Differences in front of which it changes.
    fn cuts(self) -> Vec<i64> {
        let at = if self.opposite { self.plus } else { -self.plus };
        match (self.operator, self.opposite) {
            (Binary::Less, false) | (Binary::LessEqual, true) => vec![at],
            (Binary::Less, true) | (Binary::LessEqual, false) => vec![at + 1],
            _ => vec![at, at + 1],
        }
    }
}

/// Pairs of unknowns that are compared.
pub(super) struct Differences {
    pub(super) pairs: Vec<(usize, usize)>,
    pub(super) cuts: Vec<Vec<i64>>,
    comparisons: HashMap<NodeId, Comparison>,
}

impl Differences {
    pub(super) fn new(graph: &Graph, order: &[NodeId]) -> Self {
        let mut all = Differences {
            pairs: Vec::new(),
            cuts: Vec::new(),
            comparisons: HashMap::new(),
        };
        for id in order {
            all.compare(graph, *id);
        }
        for cuts in &mut all.cuts {
            cuts.sort_unstable();
            cuts.dedup();
        }
        all
    }

    pub(super) fn comparison(&self, node: NodeId) -> Option<Comparison> {
        self.comparisons.get(&node).copied()
    }

    fn compare(&mut self, graph: &Graph, id: NodeId) {
        let Node::Binary(operator, left, right) = graph.nodes[id.index()] else {
            return;
        };
        if !matches!(
            operator,
            Binary::Equal | Binary::NotEqual | Binary::Less | Binary::LessEqual
        ) {
            return;
        }
        let mut sum = Sum::default();
        if sum.add(graph, left, 1).is_none() || sum.add(graph, right, -1).is_none() {
            return;
        }
        sum.terms.retain(|(_, factor)| *factor != 0);
        sum.terms.sort_unstable();
        let (pair, opposite) = match sum.terms[..] {
            [(first, 1), (second, -1)] => ((first, second), false),
            [(first, -1), (second, 1)] => ((first, second), true),
            _ => return,
        };
        let known = self.pairs.iter().position(|known| *known == pair);
        let place = known.unwrap_or_else(|| {
            self.pairs.push(pair);
            self.cuts.push(Vec::new());
            self.pairs.len() - 1
        });
        let comparison = Comparison {
            pair: place,
            operator,
            opposite,
            plus: sum.constant,
        };
        self.cuts[place].extend(comparison.cuts());
        self.comparisons.insert(id, comparison);
    }

    /// The bounds of unknowns within which these differences are met; none if there are no such values. What is not a range of numbers has no bounds. The
    /// least values together are one solution.
    pub(super) fn propagated(
        &self,
        mut bounds: Vec<Option<(i64, i64)>>,
        differences: &[Option<Interval>],
    ) -> Option<Vec<Option<(i64, i64)>>> {
        let rounds = bounds.len() + 1;
        for _ in 0..=rounds {
            let mut changed = false;
            for (&(left, right), difference) in self.pairs.iter().zip(differences) {
                let (Some(difference), Some(first), Some(second)) =
                    (difference, bounds[left], bounds[right])
                else {
                    continue;
                };
                let Interval { least, most } = *difference;
                let first = (first.0.max(second.0 + least), first.1.min(second.1 + most));
                let second = (second.0.max(first.0 - most), second.1.min(first.1 - least));
                if first.0 > first.1 || second.0 > second.1 {
                    return None;
                }
                changed |= bounds[left] != Some(first) || bounds[right] != Some(second);
                bounds[left] = Some(first);
                bounds[right] = Some(second);
            }
            if !changed {
                return Some(bounds);
            }
        }
        None
    }
}

/// Unknowns with factors, and a constant.
#[derive(Default)]
struct Sum {
    terms: Vec<(usize, i64)>,
    constant: i64,
}

impl Sum {
    /// Longer sums are not differences.
    const MOST_TERMS: usize = 8;
    /// Constants are so small that sums of them, and of numbers, are exact.
    const LARGEST: i64 = 1 << 55;

    fn add(&mut self, graph: &Graph, node: NodeId, factor: i64) -> Option<()> {
        match graph.nodes[node.index()] {
            Node::Constant(value) if (-Self::LARGEST..=Self::LARGEST).contains(&value) => {
                self.constant = self.constant.checked_add(value * factor)?;
                let small = (-Self::LARGEST..=Self::LARGEST).contains(&self.constant);
                small.then_some(())
            }
            Node::Unknown(unknown) => {
                match self.terms.iter().position(|(known, _)| *known == unknown) {
                    Some(place) => self.terms[place].1 += factor,
                    None => self.terms.push((unknown, factor)),
                }
                (self.terms.len() <= Self::MOST_TERMS).then_some(())
            }
            Node::Negate(value) => self.add(graph, value, -factor),
            Node::Binary(Binary::Add, left, right) => {
                self.add(graph, left, factor)?;
                self.add(graph, right, factor)
            }
            Node::Binary(Binary::Subtract, left, right) => {
                self.add(graph, left, factor)?;
                self.add(graph, right, -factor)
            }
            _ => None,
        }
    }
}
