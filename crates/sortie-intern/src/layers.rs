//! Following several paths at once, where it is not known which one is meant.

use sortie_model::{LabelId, TraceStep};
use std::collections::HashSet;

/// Layers of states, each state with its predecessor in the layer before.
#[derive(Clone, Debug)]
pub struct Layers {
    layers: Vec<Layer>,
}

/// One layer; each state is in it once.
#[derive(Clone, Debug, Default)]
pub struct Layer {
    states: Vec<(TraceStep, usize)>,
    there: HashSet<Vec<u32>>,
}

impl Layer {
    /// Adds a state reached by `label` from the state at place `from` of the layer before, unless it is there.
    pub fn add(&mut self, label: LabelId, target: &[u32], from: usize) {
        if self.there.insert(target.to_vec()) {
            self.states.push((
                TraceStep {
                    label,
                    target: target.to_vec(),
                },
                from,
            ));
        }
    }

    /// Keeps only so many of its states: those that rank first.
    pub fn keep_least<R: Ord>(&mut self, count: usize, rank: impl Fn(&[u32]) -> R) {
        self.states
            .sort_by_cached_key(|(step, _)| rank(&step.target));
        for (step, _) in self.states.drain(count.min(self.states.len())..) {
            self.there.remove(&step.target);
        }
    }

    /// How many states it has.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// Its states, in order of adding.
    pub fn states(&self) -> impl Iterator<Item = &[u32]> {
        self.states.iter().map(|(step, _)| &step.target[..])
    }
}

impl Layers {
    /// One layer with one state.
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

    /// The steps from the first layer to a place of the last.
    pub fn path(&self, mut place: usize) -> Vec<TraceStep> {
        let mut path = Vec::new();
        for layer in self.layers.iter().skip(1).rev() {
            let (step, from) = &layer.states[place];
            path.push(step.clone());
            place = *from;
        }
        path.reverse();
        path
    }
}
