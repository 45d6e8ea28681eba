//! Local states: where a sequential process is, what it still has to do afterwards, and the values that matter there.

use crate::model::program::{NodeId, Program};
use sortie_data::{TermId, Universe};
use sortie_model::{Fingerprint, Fingerprinter};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Positions, the one that runs first, each with the values of the variables that are alive there, in the order of their numbers. Those of alternatives
/// are separated by [`Program::bar`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frames<'a> {
    pub(crate) nodes: &'a [NodeId],
    /// The values of one position after the other.
    values: &'a [TermId],
}

/// Frames that can be added to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stack {
    pub(crate) nodes: Vec<NodeId>,
    /// The values of one position after the other.
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
    pub(crate) below: Stack,
}

impl<'a> Frames<'a> {
    /// Each position with its values.
    pub(crate) fn each(self, program: &Program) -> impl Iterator<Item = (NodeId, &'a [TermId])> {
        let Frames { nodes, mut values } = self;
        nodes.iter().map(move |node| {
            let (own, rest) = values.split_at(program.at(*node).live.len());
            values = rest;
            (*node, own)
        })
    }

    /// The position that runs with its values, and the frames that follow.
    pub(crate) fn split_first(
        self,
        program: &Program,
    ) -> Option<((NodeId, &'a [TermId]), Frames<'a>)> {
        let (top, nodes) = self.nodes.split_first()?;
        let (own, values) = self.values.split_at(program.at(*top).live.len());
        Some(((*top, own), Frames { nodes, values }))
    }

    /// The frames of each alternative.
    pub(crate) fn alternatives(self, program: &Program) -> impl Iterator<Item = Frames<'a>> {
        let Frames { nodes, mut values } = self;
        nodes.split(|node| *node == program.bar).map(move |nodes| {
            let (own, rest) = values.split_at(program.width(nodes));
            values = rest;
            Frames { nodes, values: own }
        })
    }

    /// Of the content.
    pub(crate) fn fingerprint(self, program: &Program, universe: &Universe) -> Fingerprint {
        let mut fingerprint = Fingerprinter::new();
        for (node, values) in self.each(program) {
            fingerprint.mix(u64::from(node.0));
            for value in values {
                let value = universe.fingerprint(*value);
                fingerprint.mix(value.low());
                fingerprint.mix(value.high());
            }
        }
        fingerprint.fingerprint()
    }
}

impl Stack {
    pub(crate) fn frames(&self) -> Frames<'_> {
        Frames {
            nodes: &self.nodes,
            values: &self.values,
        }
    }

    /// Adds frames that follow.
    pub(crate) fn extend(&mut self, frames: Frames<'_>) {
        self.nodes.extend_from_slice(frames.nodes);
        self.values.extend_from_slice(frames.values);
    }

    /// Keeps so many frames.
    pub(crate) fn truncate(&mut self, program: &Program, count: usize) {
        self.nodes.truncate(count);
        self.values.truncate(program.width(&self.nodes));
    }

    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.values.clear();
    }
}

impl Local {
    pub(crate) fn new(frames: Frames<'_>, fingerprint: Fingerprint) -> Local {
        Local {
            nodes: frames.nodes.into(),
            values: frames.values.into(),
            fingerprint,
        }
    }

    pub(crate) fn frames(&self) -> Frames<'_> {
        Frames {
            nodes: &self.nodes,
            values: &self.values,
        }
    }

    /// Whether nothing is left to do.
    pub(crate) fn is_terminated(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The value of the first of these variables that a frame has, the one that runs first.
    pub(crate) fn value_of(&self, program: &Program, variables: &[u32]) -> Option<TermId> {
        self.frames().each(program).find_map(|(node, values)| {
            let mut live = program.at(node).live.iter().zip(values);
            let found = live.find(|(variable, _)| variables.contains(variable));
            found.map(|(_, value)| *value)
        })
    }

    /// The position that runs, or the first that can, unless nothing is left to do.
    pub(crate) fn top(&self) -> Option<NodeId> {
        self.nodes.first().copied()
    }
}

impl PartialEq for Local {
    fn eq(&self, other: &Local) -> bool {
        self.frames() == other.frames()
    }
}

impl Eq for Local {}

impl Hash for Local {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.fingerprint.hash(hasher);
    }
}
