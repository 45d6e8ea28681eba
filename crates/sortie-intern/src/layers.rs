//! Layers of states with predecessors, to follow several candidate paths at once.

use sortie_model::{LabelId, TraceStep};
use std::collections::HashSet;

/// Layers of states, each state with its predecessor in the previous layer.
#[derive(Clone, Debug)]
pub struct Layers {
    layers: Vec<Layer>,
}

/// One layer, which contains each state once.
#[derive(Clone, Debug, Default)]
pub struct Layer {
    states: Vec<(TraceStep, usize)>,
    known: HashSet<Vec<u32>>,
}

impl Layer {
    /// Adds a state reached by `label` from the state at position `from` of the previous layer, unless the layer contains it.
    pub fn add(&mut self, label: LabelId, target: &[u32], from: usize) {
        if self.known.insert(target.to_vec()) {
            self.states.push((
                TraceStep {
                    label,
                    target: target.to_vec(),
                },
                from,
            ));
        }
    }

    /// Keeps the `count` states of lowest rank.
    pub fn keep_least<R: Ord>(&mut self, count: usize, rank: impl Fn(&[u32]) -> R) {
        self.states
            .sort_by_cached_key(|(step, _)| rank(&step.target));
        for (step, _) in self.states.drain(count.min(self.states.len())..) {
            self.known.remove(&step.target);
        }
    }

    /// The number of states.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether the layer is empty.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// The states, in order of insertion.
    pub fn states(&self) -> impl Iterator<Item = &[u32]> {
        self.states.iter().map(|(step, _)| &step.target[..])
    }
}

impl Layers {
    /// A first layer with one state.
    pub fn new(start: &[u32]) -> Self {
        let mut first = Layer::default();
        first.add(LabelId(0), start, 0);
        Layers {
            layers: vec![first],
        }
    }

    /// The last layer.
    pub fn last(&self) -> &Layer {
        self.layers.last().expect("there is always a first layer")
    }

    /// Adds a layer.
    pub fn push(&mut self, layer: Layer) {
        self.layers.push(layer);
    }

    /// The steps from the first layer to the state at a position of the last one.
    pub fn path(&self, mut position: usize) -> Vec<TraceStep> {
        let mut path = Vec::new();
        for layer in self.layers.iter().skip(1).rev() {
            let (step, from) = &layer.states[position];
            path.push(step.clone());
            position = *from;
        }
        path.reverse();
        path
    }
}
