//! The traces through a subsystem, counted and numbered.
//!
//! The weight of a state is the number of traces that begin there: the sum over its steps, and 1 where there is none. Traces that begin
//! with the same steps have consecutive numbers, so that a whole prefix is a range.

use crate::informed::subsystem_graph::Graph;
use num_bigint::BigUint;
use sortie_model::Fingerprint;
use std::collections::BTreeSet;
use std::ops::Range;

/// The traces through a graph, all of them or those up to a length.
#[derive(Clone, Debug)]
pub struct Traces {
    graph: Graph,
    /// How long a trace may be, if that is limited.
    bound: Option<usize>,
    /// By the number of steps that are left, if that is limited, and by state.
    weights: Vec<Vec<BigUint>>,
}

/// A trace through a subsystem: what a worker is bound to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwarmTrace {
    /// Its states, one more than its labels.
    pub nodes: Vec<usize>,
    /// Its labels.
    pub labels: Vec<Fingerprint>,
    /// Whether it was cut, so that the subsystem might go on after it.
    pub cut: bool,
}

/// The labels of a subsystem that were seen in each phase of an informed search; `None` for phases that were never entered.
pub type Observed = Vec<Option<BTreeSet<Fingerprint>>>;

/// What feedback says about traces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pruning {
    /// Numbers of traces that need not be searched any more.
    pub ranges: Vec<Range<BigUint>>,
    /// Labels that were seen where the subsystem cannot have them, with their phase.
    pub foreign: Vec<(usize, Fingerprint)>,
}

impl Traces {
    /// All traces of a graph; none if there is a cycle.
    pub fn all(graph: Graph) -> Option<Traces> {
        let order = graph.topological_order()?;
        let mut weights = vec![BigUint::ZERO; graph.nodes().len()];
        for node in order.into_iter().rev() {
            weights[node] = weight_of(&graph, node, &weights);
        }
        Some(Traces {
            graph,
            bound: None,
            weights: vec![weights],
        })
    }

    /// The traces of at most `bound` steps, and those that end before.
    pub fn bounded(graph: Graph, bound: usize) -> Traces {
        let mut weights = vec![vec![BigUint::from(1u8); graph.nodes().len()]];
        for left in 1..=bound {
            let nodes = 0..graph.nodes().len();
            let longer = nodes.map(|node| weight_of(&graph, node, &weights[left - 1]));
            weights.push(longer.collect());
        }
        Traces {
            graph,
            bound: Some(bound),
            weights,
        }
    }

    /// The graph.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// How long a trace may be, if that is limited.
    pub fn bound(&self) -> Option<usize> {
        self.bound
    }

    /// How many traces begin at a state.
    pub fn total(&self, start: usize) -> &BigUint {
        self.weight(start, 0)
    }

    /// How many traces go on from a state that was reached after so many steps.
    fn weight(&self, node: usize, steps: usize) -> &BigUint {
        let level = self.bound.map_or(0, |bound| bound - steps);
        &self.weights[level][node]
    }

    fn is_at_bound(&self, steps: usize) -> bool {
        self.bound == Some(steps)
    }

    /// The trace from a state with this number.
    pub fn trace(&self, start: usize, number: &BigUint) -> Option<SwarmTrace> {
        if number >= self.total(start) {
            return None;
        }
        let mut left = number.clone();
        let mut trace = SwarmTrace {
            nodes: vec![start],
            labels: Vec::new(),
            cut: false,
        };
        let mut node = start;
        while !self.graph.nodes()[node].arcs.is_empty() {
            if self.is_at_bound(trace.labels.len()) {
                trace.cut = true;
                break;
            }
            let mut arcs = self.graph.nodes()[node].arcs.iter();
            let steps = trace.labels.len() + 1;
            let arc = arcs.find(|arc| {
                let weight = self.weight(arc.target, steps);
                let within = left < *weight;
                if !within {
                    left -= weight;
                }
                within
            });
            let arc = arc.expect("the weights of the steps add up to that of the state");
            trace.labels.push(arc.label);
            trace.nodes.push(arc.target);
            node = arc.target;
        }
        Some(trace)
    }

    /// For each state of a trace with this number, the traces that begin in the same way.
    pub fn prefixes(&self, start: usize, number: &BigUint) -> Vec<Range<BigUint>> {
        let Some(trace) = self.trace(start, number) else {
            return Vec::new();
        };
        let mut begin = BigUint::ZERO;
        let mut ranges = vec![BigUint::ZERO..self.total(start).clone()];
        for (steps, label) in trace.labels.iter().enumerate() {
            let arcs = &self.graph.nodes()[trace.nodes[steps]].arcs;
            let before = arcs.iter().take_while(|arc| arc.label != *label);
            let before = before.map(|arc| self.weight(arc.target, steps + 1));
            begin += before.sum::<BigUint>();
            let end = &begin + self.weight(trace.nodes[steps + 1], steps + 1);
            ranges.push(begin.clone()..end);
        }
        ranges
    }

    /// What need not be searched after a complete search along a trace: the trace itself, and for each of its states all that
    /// goes on with a step that was not seen there.
    pub fn prune(&self, start: usize, number: &BigUint, observed: &Observed) -> Pruning {
        let mut pruning = Pruning::default();
        let Some(trace) = self.trace(start, number) else {
            return pruning;
        };
        pruning.ranges.push(number.clone()..number + 1u8);
        let mut begin = BigUint::ZERO;
        for (steps, node) in trace.nodes.iter().enumerate() {
            // A phase that was never entered is no evidence.
            let Some(Some(seen)) = observed.get(steps) else {
                break;
            };
            let arcs = &self.graph.nodes()[*node].arcs;
            let known = |label: &&Fingerprint| arcs.iter().any(|arc| arc.label == **label);
            let foreign = seen.iter().filter(|label| !known(label));
            pruning.foreign.extend(foreign.map(|label| (steps, *label)));
            let Some(taken) = trace.labels.get(steps) else {
                break;
            };
            let mut end = begin.clone();
            for arc in arcs {
                let from = end.clone();
                end += self.weight(arc.target, steps + 1);
                if arc.label == *taken {
                    begin = from.clone();
                }
                if !seen.contains(&arc.label) {
                    pruning.ranges.push(from..end.clone());
                }
            }
        }
        pruning
    }
}

fn weight_of(graph: &Graph, node: usize, weights: &[BigUint]) -> BigUint {
    let arcs = &graph.nodes()[node].arcs;
    match arcs.is_empty() {
        true => BigUint::from(1u8),
        false => arcs.iter().map(|arc| &weights[arc.target]).sum(),
    }
}
