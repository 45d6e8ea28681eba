//! Whether a condition can hold, and with which values.
//!
//! The values of unknowns are narrowed down until the condition is decided: all of it is computed with what is known of them, as intervals; if that does not decide it,
//! what must be so for it to hold is concluded; and then the unknown that occurs most often in what is undecided is split, names into one and the others, numbers at what they are compared with; or the difference of two of
//! them, if these are compared with each other. That is exact, because single values decide everything, and needs few steps where a few unknowns decide much. The cost is
//! counted in nodes computed.

use super::differences::Differences;
use super::graph::{Graph, Node, NodeId};
use super::implied::Needs;
use super::possible::{Interval, Possible, cut};
use crate::expression::Binary;

/// What is known about a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// It holds with these values: numbers of unknowns, and what they can be.
    Possible(Vec<(usize, Possible)>),
    Impossible,
    /// The effort did not suffice.
    Undecided,
}

/// What can be split.
#[derive(Clone, Copy)]
enum Open {
    Unknown(usize),
    /// The difference of a pair.
    Difference(usize),
}

struct Search<'a> {
    graph: &'a Graph,
    root: NodeId,
    order: Vec<NodeId>,
    possible: Vec<Possible>,
    /// What unknowns could be before they were narrowed, to go back to.
    trail: Vec<(usize, Possible)>,
    /// What the differences of pairs of unknowns have been narrowed to.
    narrowed: Vec<Option<Interval>>,
    differences: Differences,
    /// For every unknown, numbers in front of which a comparison changes.
    cuts: Vec<Vec<i64>>,
    values: Vec<Interval>,
    effort: &'a mut u64,
}

/// Whether the node can hold. Effort is taken from what there is.
pub(super) fn search(
    graph: &Graph,
    root: NodeId,
    possible: &[Possible],
    effort: &mut u64,
) -> Answer {
    // Looking at the graph costs something too.
    let Some(left) = effort.checked_sub(root.index() as u64) else {
        return Answer::Undecided;
    };
    *effort = left;
    let order = graph.below(root);
    let differences = Differences::new(graph, &order);
    let mut search = Search {
        cuts: cuts(graph, &order),
        narrowed: vec![None; differences.pairs.len()],
        differences,
        order,
        possible: possible.to_vec(),
        trail: Vec::new(),
        values: vec![Interval::only(0); root.index() + 1],
        graph,
        root,
        effort,
    };
    match search.narrow() {
        None => Answer::Undecided,
        Some(false) => Answer::Impossible,
        Some(true) => Answer::Possible(search.example(possible)),
    }
}

impl Search<'_> {
    /// Whether it can hold within what is possible; if so, that has been narrowed to where it does.
    fn narrow(&mut self) -> Option<bool> {
        let mark = self.trail.len();
        let found = self.narrow_from_here();
        if found == Some(false) {
            self.go_back(mark);
        }
        found
    }

    fn go_back(&mut self, mark: usize) {
        for (unknown, before) in self.trail.drain(mark..).rev() {
            self.possible[unknown] = before;
        }
    }

    fn narrow_from_here(&mut self) -> Option<bool> {
        loop {
            *self.effort = self.effort.checked_sub(self.order.len() as u64)?;
            if !self.propagate() {
                return Some(false);
            }
            if let Some(decided) = self.compute() {
                return Some(decided);
            }
            match self.conclude() {
                Some(true) => {}
                Some(false) => break,
                None => return Some(false),
            }
        }
        match self.most_frequent() {
            Some(Open::Unknown(unknown)) => self.split_unknown(unknown),
            Some(Open::Difference(pair)) => self.split_difference(pair),
            // Only what has no value at all, as a division by zero, is undecided.
            None => Some(false),
        }
    }

    /// Narrows unknowns to what they must be for the condition to hold; whether that was something new, or none if it cannot hold.
    fn conclude(&mut self) -> Option<bool> {
        let mut needs = Needs::new(self.root);
        let mut news = false;
        for place in (0..self.order.len()).rev() {
            let id = self.order[place];
            let Some(need) = needs.of(id) else {
                continue;
            };
            for (unknown, restricted) in needs.below(self.graph, &self.values, id, need)? {
                let narrowed = restricted.applied(&self.possible[unknown])?;
                if narrowed != self.possible[unknown] {
                    news = true;
                    self.set(unknown, narrowed);
                }
            }
        }
        Some(news)
    }

    fn set(&mut self, unknown: usize, possible: Possible) {
        let before = std::mem::replace(&mut self.possible[unknown], possible);
        self.trail.push((unknown, before));
    }

    fn split_unknown(&mut self, unknown: usize) -> Option<bool> {
        let (first, second) = self.possible[unknown].split(&self.cuts[unknown]);
        for part in [first, second] {
            let mark = self.trail.len();
            self.set(unknown, part);
            if self.narrow()? {
                return Some(true);
            }
            self.go_back(mark);
        }
        Some(false)
    }

    fn split_difference(&mut self, pair: usize) -> Option<bool> {
        let before = self.narrowed[pair];
        let Interval { least, most } = self.difference(pair)?;
        let cut = cut(least, most, &self.differences.cuts[pair]);
        for (least, most) in [(least, cut - 1), (cut, most)] {
            self.narrowed[pair] = Some(Interval { least, most });
            if self.narrow()? {
                return Some(true);
            }
        }
        self.narrowed[pair] = before;
        Some(false)
    }

    /// What the difference of a pair can still be, if both are numbers.
    fn difference(&self, pair: usize) -> Option<Interval> {
        let (left, right) = self.differences.pairs[pair];
        let left = self.possible[left].numbers()?;
        let right = self.possible[right].numbers()?;
        let (least, most) = (left.0 - right.1, left.1 - right.0);
        Some(match self.narrowed[pair] {
            Some(known) => Interval {
                least: least.max(known.least),
                most: most.min(known.most),
            },
            None => Interval { least, most },
        })
    }

    /// Narrows unknowns to what their differences allow; false if nothing is possible.
    fn propagate(&mut self) -> bool {
        if self.narrowed.iter().all(Option::is_none) {
            return true;
        }
        let bounds = self.possible.iter().map(Possible::numbers).collect();
        let Some(bounds) = self.differences.propagated(bounds, &self.narrowed) else {
            return false;
        };
        for (unknown, bounds) in bounds.into_iter().enumerate() {
            if let Some((least, most)) = bounds
                && bounds != self.possible[unknown].range
            {
                self.set(unknown, Possible::number(least, most));
            }
        }
        true
    }

    /// Computes every node with what is known.
    fn compute(&mut self) -> Option<bool> {
        for id in &self.order {
            let value = |part: NodeId| self.values[part.index()];
            let computed = match self.graph.nodes[id.index()] {
                Node::Constant(value) => Interval::only(value),
                Node::Unknown(unknown) => self.possible[unknown].hull(),
                Node::Not(part) => Interval::of_truth(value(part).truth().map(|truth| !truth)),
                Node::Negate(part) => value(part).negated(),
                Node::Binary(operator, left, right) => {
                    let compared = self.differences.comparison(*id);
                    let by_difference = compared.and_then(|comparison| {
                        Some(comparison.value(self.difference(comparison.pair)?))
                    });
                    let by_name = match operator {
                        Binary::Equal => self.member(left, right),
                        Binary::NotEqual => self.member(left, right).map(|same| !same),
                        _ => None,
                    };
                    match (by_name, by_difference) {
                        (Some(truth), _) => Interval::of_truth(Some(truth)),
                        (None, Some(value)) => value,
                        (None, None) => Interval::combined(operator, value(left), value(right)),
                    }
                }
                Node::If(condition, then, otherwise) => match value(condition).truth() {
                    Some(true) => value(then),
                    Some(false) => value(otherwise),
                    None => value(then).either(value(otherwise)),
                },
            };
            self.values[id.index()] = computed;
        }
        self.values[self.root.index()].truth()
    }

    /// An unknown is not equal to a value that it cannot have, even if that lies between others.
    fn member(&self, left: NodeId, right: NodeId) -> Option<bool> {
        let nodes = &self.graph.nodes;
        match (nodes[left.index()], nodes[right.index()]) {
            (Node::Unknown(unknown), Node::Constant(value))
            | (Node::Constant(value), Node::Unknown(unknown)) => {
                (!self.possible[unknown].contains(value)).then_some(false)
            }
            _ => None,
        }
    }

    /// What occurs most often in what is undecided.
    fn most_frequent(&self) -> Option<Open> {
        let mut open = vec![false; self.root.index() + 1];
        let mut counts = vec![0usize; self.possible.len()];
        let mut pairs = vec![0usize; self.narrowed.len()];
        open[self.root.index()] = true;
        for id in self.order.iter().rev() {
            if !open[id.index()] {
                continue;
            }
            let node = self.graph.nodes[id.index()];
            if let Node::Unknown(unknown) = node {
                counts[unknown] += usize::from(!self.possible[unknown].is_single());
                continue;
            }
            if let Some(comparison) = self.differences.comparison(*id)
                && self.difference(comparison.pair).is_some()
            {
                pairs[comparison.pair] += 1;
                continue;
            }
            let unused = match node {
                Node::If(condition, then, otherwise) => {
                    let truth = self.values[condition.index()].truth();
                    truth.map(|truth| if truth { otherwise } else { then })
                }
                _ => None,
            };
            for part in node.parts().filter(|part| Some(*part) != unused) {
                if let Node::Unknown(unknown) = self.graph.nodes[part.index()] {
                    counts[unknown] += usize::from(!self.possible[unknown].is_single());
                } else if !self.values[part.index()].is_single() {
                    open[part.index()] = true;
                }
            }
        }
        let unknowns = counts.into_iter().enumerate();
        let unknowns = unknowns.map(|(place, count)| (count, Open::Unknown(place)));
        let pairs = pairs.into_iter().enumerate();
        let pairs = pairs.map(|(place, count)| (count, Open::Difference(place)));
        // The first of those that are as frequent.
        let most = unknowns.chain(pairs).rev().max_by_key(|(count, _)| *count);
        most.filter(|(count, _)| *count > 0).map(|(_, open)| open)
    }

    /// What has to be narrowed for the condition to hold; the rest may be anything.
    fn example(mut self, all: &[Possible]) -> Vec<(usize, Possible)> {
        // The least numbers together have the differences that were assumed.
        for pair in 0..self.narrowed.len() {
            if self.narrowed[pair].take().is_some() {
                let (left, right) = self.differences.pairs[pair];
                for unknown in [left, right] {
                    let range = &mut self.possible[unknown].range;
                    *range = range.map(|(least, _)| (least, least));
                }
            }
        }
        let mut needed = Vec::new();
        for (unknown, whole) in all.iter().enumerate() {
            if self.possible[unknown] == *whole {
                continue;
            }
            let narrowed = std::mem::replace(&mut self.possible[unknown], whole.clone());
            if self.compute() != Some(true) {
                self.possible[unknown] = narrowed.clone();
                needed.push((unknown, narrowed));
            }
        }
        needed
    }
}

/// Where comparisons of unknowns with constants change.
fn cuts(graph: &Graph, order: &[NodeId]) -> Vec<Vec<i64>> {
    let mut cuts = vec![Vec::new(); graph.unknowns.len()];
    for id in order {
        let Node::Binary(operator, left, right) = graph.nodes[id.index()] else {
            continue;
        };
        let sides = (graph.nodes[left.index()], graph.nodes[right.index()]);
        let (unknown, value, first) = match sides {
            (Node::Unknown(unknown), Node::Constant(value)) => (unknown, value, true),
            (Node::Constant(value), Node::Unknown(unknown)) => (unknown, value, false),
            _ => continue,
        };
        let next = value.saturating_add(1);
        match (operator, first) {
            (Binary::Less, true) | (Binary::LessEqual, false) => cuts[unknown].push(value),
            (Binary::Less, false) | (Binary::LessEqual, true) => cuts[unknown].push(next),
            (Binary::Equal | Binary::NotEqual, _) => cuts[unknown].extend([value, next]),
            _ => {}
        }
    }
    for cuts in &mut cuts {
        cuts.sort_unstable();
        cuts.dedup();
    }
    cuts
}
