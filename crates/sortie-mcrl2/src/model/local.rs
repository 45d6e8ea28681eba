//! Local states: where a sequential process is, what it still has to do afterwards, and the values that matter there.

use crate::model::program::{NodeId, Program};
use sortie_data::{TermId, Universe};
use sortie_model::{Fingerprint, Fingerprinter};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A position with the values of the variables that are alive there, in the order of their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) node: NodeId,
    pub(crate) values: Vec<TermId>,
}

/// A local state.
pub(crate) struct Local {
    nodes: Box<[NodeId]>,
    values: Box<[TermId]>,
    pub(crate) fingerprint: Fingerprint,
}

/// A summand that waits for values.
#[derive(Debug)]
pub struct OpenStep {
    pub(crate) sum: NodeId,
    pub(crate) summand: usize,
    /// That of all summands in the same place.
    pub(crate) around: Arc<Around>,
}

/// What is known around a summand.
#[derive(Debug)]
pub(crate) struct Around {
    /// Variables with their values.
    pub(crate) bound: Vec<(u32, TermId)>,
    /// What follows after the summand, innermost last.
    pub(crate) pending: Vec<NodeId>,
    /// The frames that follow after those.
    pub(crate) below: Box<[Frame]>,
}

impl Local {
    /// The first frame of each alternative is the one that can run.
    pub(crate) fn new(universe: &Universe, frames: &[Frame]) -> Local {
        let mut fingerprint = Fingerprinter::new();
        for frame in frames {
            fingerprint.mix(u64::from(frame.node.0));
            for value in &frame.values {
                let value = universe.fingerprint(*value).0;
                fingerprint.mix(value as u64);
                fingerprint.mix((value >> 64) as u64);
            }
        }
        let count = frames.iter().map(|frame| frame.values.len()).sum();
        let mut values = Vec::with_capacity(count);
        for frame in frames {
            values.extend_from_slice(&frame.values);
        }
        Local {
            nodes: frames.iter().map(|frame| frame.node).collect(),
            values: values.into(),
            fingerprint: fingerprint.fingerprint(),
        }
    }

    /// Whether nothing is left to do.
    pub(crate) fn is_terminated(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The position that runs, or the first that can.
    pub(crate) fn first(&self) -> Option<NodeId> {
        self.nodes.first().copied()
    }

    /// All frames; those of alternatives are separated by frames at [`Program::bar`].
    pub(crate) fn frames(&self, program: &Program) -> Vec<Frame> {
        let mut values = self.values.iter();
        self.nodes
            .iter()
            .map(|node| Frame {
                node: *node,
                values: program
                    .at(*node)
                    .live
                    .iter()
                    .zip(&mut values)
                    .map(|(_, value)| *value)
                    .collect(),
            })
            .collect()
    }

    /// The value of the first of these variables that a frame has, the one that runs first.
    pub(crate) fn value_of(&self, program: &Program, variables: &[u32]) -> Option<TermId> {
        let mut values = self.values.iter();
        for node in &self.nodes {
            let live = &program.at(*node).live;
            let mut found = None;
            for (variable, value) in live.iter().zip(&mut values) {
                if variables.contains(variable) {
                    found.get_or_insert(*value);
                }
            }
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// The position that runs, unless nothing is left to do.
    pub(crate) fn top(&self) -> Option<NodeId> {
        self.nodes.first().copied()
    }
}

impl PartialEq for Local {
    fn eq(&self, other: &Local) -> bool {
        self.nodes == other.nodes && self.values == other.values
    }
}

impl Eq for Local {}

impl Hash for Local {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        hasher.write_u128(self.fingerprint.0);
    }
}
