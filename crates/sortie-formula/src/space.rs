//! State spaces as far as they are known: the ground on which formulas are judged.

use sortie_model::{LabelId, ModelError};

/// The target of a step that leaves what is known.
pub const OUTSIDE: u32 = u32::MAX;

/// A step between numbered states; its target may be [`OUTSIDE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Edge {
    /// The label of the step.
    pub label: LabelId,
    /// The number of the state it leads to.
    pub target: u32,
}

impl Edge {
    /// The step, leading to another state.
    pub fn led_to(self, target: u32) -> Edge {
        Edge { target, ..self }
    }
}

/// A state space whose states have numbers; the initial one is 0.
pub trait Space {
    /// All steps of a state, in the model's order. Those with a target are certain; of the others only the label is known.
    fn edges(&mut self, state: u32) -> Result<&[Edge], ModelError>;

    /// How many states have numbers.
    fn known(&self) -> u32;

    /// Replaces `words` by the state as the model packs it.
    fn read(&self, state: u32, words: &mut Vec<u32>);
}

/// A part of a state space: some states, and all their steps. A step either leads to a state of the part or to the [`OUTSIDE`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slice {
    width: usize,
    words: Vec<u32>,
    /// Where the edges of each state begin.
    begins: Vec<u32>,
    edges: Vec<Edge>,
}

impl Slice {
    /// A part without states, which have `width` words each.
    pub fn new(width: usize) -> Slice {
        Slice {
            width,
            words: Vec::new(),
            begins: vec![0],
            edges: Vec::new(),
        }
    }

    /// Adds the next state with all its edges, whose targets may be states that are added later.
    pub fn push(&mut self, words: &[u32], edges: impl IntoIterator<Item = Edge>) {
        debug_assert_eq!(words.len(), self.width);
        self.words.extend_from_slice(words);
        self.edges.extend(edges);
        self.begins.push(self.edges.len() as u32);
    }

    /// How many states there are.
    pub fn states(&self) -> u32 {
        self.begins.len() as u32 - 1
    }

    /// How many edges lead from a state of the part to another.
    pub fn transitions(&self) -> usize {
        self.edges.iter().filter(|e| e.target != OUTSIDE).count()
    }

    /// Whether no edge leaves the part: then it is all that is reachable.
    pub fn is_whole(&self) -> bool {
        self.edges.iter().all(|edge| edge.target != OUTSIDE)
    }

    /// The state as the model packs it.
    pub fn words(&self, state: u32) -> &[u32] {
        &self.words[state as usize * self.width..][..self.width]
    }

    /// All steps of a state.
    pub fn edges(&self, state: u32) -> &[Edge] {
        let state = state as usize;
        &self.edges[self.begins[state] as usize..self.begins[state + 1] as usize]
    }

    /// Memory in bytes.
    pub fn bytes(&self) -> u64 {
        (self.words.len() * 4 + self.begins.len() * 4 + self.edges.len() * 8) as u64
    }
}

impl Space for Slice {
    fn edges(&mut self, state: u32) -> Result<&[Edge], ModelError> {
        Ok(Slice::edges(self, state))
    }

    fn known(&self) -> u32 {
        self.states()
    }

    fn read(&self, state: u32, words: &mut Vec<u32>) {
        words.clear();
        words.extend_from_slice(self.words(state));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_knows_what_leaves_it() {
        let edge = |label, target| Edge {
            label: LabelId(label),
            target,
        };
        let mut slice = Slice::new(1);
        slice.push(&[7], [edge(0, 1), edge(1, OUTSIDE)]);
        slice.push(&[9], [edge(0, 0)]);
        assert_eq!((slice.states(), slice.transitions()), (2, 2));
        assert!(!slice.is_whole());
        assert_eq!(slice.words(1), [9]);
        assert_eq!(slice.edges(1), [edge(0, 0)]);
    }
}
