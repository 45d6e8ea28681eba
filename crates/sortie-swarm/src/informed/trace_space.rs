//! The traces of a subsystem as far as an informed swarm has to know them: counted, or met step by step.

use crate::informed::subsystem_graph::Graph;
use crate::informed::trace_counting::{Observed, Pruning, SwarmTrace, Traces};
use num_bigint::BigUint;
use sortie_model::Fingerprint;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

/// Traces that were counted before, or none at all: then every step of the subsystem leads to another job, and what the subsystem can do
/// need not be known.
#[derive(Clone, Debug)]
pub enum TraceSpace {
    /// Traces through a graph.
    Counted(Traces),
    /// The numbers given to the labels that were met. What begins with the same label is searched together.
    Met(BTreeMap<Fingerprint, usize>),
}

impl TraceSpace {
    /// All traces of a graph, or where there are cycles, none: that costs the fewest states.
    pub fn of(graph: Graph) -> TraceSpace {
        match graph.is_acyclic() {
            true => TraceSpace::Counted(Traces::all(graph).expect("there is no cycle")),
            false => TraceSpace::Met(BTreeMap::new()),
        }
    }

    /// The graph, if there is one.
    pub fn graph(&self) -> Option<&Graph> {
        match self {
            TraceSpace::Counted(traces) => Some(traces.graph()),
            TraceSpace::Met(_) => None,
        }
    }

    /// After how many steps traces are cut, if they are.
    pub fn bound(&self) -> Option<usize> {
        match self {
            TraceSpace::Counted(traces) => traces.bound(),
            TraceSpace::Met(_) => Some(0),
        }
    }

    /// How many traces begin at a state.
    pub fn total(&self, start: usize) -> Cow<'_, BigUint> {
        match self {
            TraceSpace::Counted(traces) => Cow::Borrowed(traces.total(start)),
            TraceSpace::Met(_) => Cow::Owned(BigUint::from(1u8)),
        }
    }

    /// The trace from a state with this number.
    pub(crate) fn trace(&self, start: usize, number: &BigUint) -> Option<SwarmTrace> {
        match self {
            TraceSpace::Counted(traces) => traces.trace(start, number),
            TraceSpace::Met(_) => (*number == BigUint::ZERO).then(|| SwarmTrace {
                nodes: vec![start],
                labels: Vec::new(),
                cut: true,
            }),
        }
    }

    /// What need not be searched after a complete search along a trace.
    pub(crate) fn prune(&self, start: usize, number: &BigUint, observed: &Observed) -> Pruning {
        match self {
            TraceSpace::Counted(traces) => traces.prune(start, number, observed),
            TraceSpace::Met(_) => Pruning::default(),
        }
    }

    /// For each state of a trace, the traces that begin in the same way.
    pub(crate) fn prefixes(&self, start: usize, number: &BigUint) -> Vec<Range<BigUint>> {
        match self {
            TraceSpace::Counted(traces) => traces.prefixes(start, number),
            TraceSpace::Met(_) => Vec::new(),
        }
    }

    /// Where a label leads to from a state; none if it cannot be there.
    pub(crate) fn after(&mut self, node: usize, label: Fingerprint) -> Option<usize> {
        match self {
            TraceSpace::Counted(traces) => {
                let mut arcs = traces.graph().nodes()[node].arcs.iter();
                arcs.find(|arc| arc.label == label).map(|arc| arc.target)
            }
            TraceSpace::Met(numbers) => {
                // The state that everything begins with has the number 0.
                let next = numbers.len() + 1;
                Some(*numbers.entry(label).or_insert(next))
            }
        }
    }

    /// Whether there can be a state with this number.
    pub(crate) fn has(&self, node: usize) -> bool {
        match self {
            TraceSpace::Counted(traces) => node < traces.graph().nodes().len(),
            TraceSpace::Met(numbers) => node <= numbers.len(),
        }
    }
}
