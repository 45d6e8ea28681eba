//! Local states: where a sequential process is, what it still has to do afterwards, and the values that matter there.

use crate::model::program::{NodeId, Program};
use sortie_data::{TermId, Universe};
use sortie_model::{Fingerprint, Fingerprinter, ModelError};
use sortie_network::{ArgumentsId, Closed, LocalId, Offer};
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, RwLock};

/// A position with the values of the variables that are alive there, in the order of their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) node: NodeId,
    pub(crate) values: Vec<TermId>,
}

/// A local state; its steps are found at first use.
pub(crate) struct Local {
    nodes: Box<[NodeId]>,
    values: Box<[TermId]>,
    pub(crate) fingerprint: Fingerprint,
    pub(crate) steps: OnceLock<Result<LocalSteps, ModelError>>,
    pub(crate) closed: Mutex<ClosedSteps>,
    pub(crate) closed_with: RwLock<ReceivedSteps>,
}

/// Closed steps by offer and received values.
pub(crate) type ClosedSteps =
    HashMap<(usize, Box<[Option<TermId>]>), Result<Arc<[Closed]>, ModelError>>;

/// Closed steps by offer and all its arguments.
pub(crate) type ReceivedSteps = HashMap<(usize, ArgumentsId), Arc<[Closed]>>;

/// The steps of a local state.
#[derive(Debug, Default)]
pub(crate) struct LocalSteps {
    pub(crate) offers: Vec<Offer<TermId>>,
    /// What is needed to close an offer, by its number.
    pub(crate) open: HashMap<usize, OpenStep>,
    /// Instead of steps, where the local state stands for a random choice: what it leads to, with weights.
    pub(crate) outcomes: Vec<(LocalId, u64)>,
}

/// A summand that waits for values.
#[derive(Debug)]
pub(crate) struct OpenStep {
    pub(crate) sum: NodeId,
    pub(crate) summand: usize,
    pub(crate) bound: Vec<(u32, TermId)>,
    /// What follows after the summand, innermost last.
    pub(crate) pending: Vec<NodeId>,
    /// The frames of the local state that follow after those.
    pub(crate) below: Range<usize>,
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
        Local {
            nodes: frames.iter().map(|frame| frame.node).collect(),
            values: frames.iter().flat_map(|f| f.values.clone()).collect(),
            fingerprint: fingerprint.fingerprint(),
            steps: OnceLock::new(),
            closed: Mutex::default(),
            closed_with: RwLock::default(),
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

    /// Memory on the heap, nearly.
    pub(crate) fn heap_bytes(&self) -> usize {
        let steps = self.steps.get().and_then(|steps| steps.as_ref().ok());
        let offers = steps.map_or(0, |steps| steps.offers.len());
        4 * (self.nodes.len() + self.values.len()) + 64 * offers
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
