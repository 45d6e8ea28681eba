//! The states that a breadth-first search has met, each with the step that led there.

use sortie_model::{LabelId, TraceStep};
use std::collections::HashSet;

pub(crate) struct Tree {
    known: HashSet<Vec<u32>>,
    nodes: Vec<Node>,
}

struct Node {
    step: TraceStep,
    from: usize,
    depth: usize,
}

impl Tree {
    /// The state where the search begins, at place 0.
    pub fn new(start: &[u32]) -> Self {
        let step = TraceStep {
            label: LabelId(0),
            target: start.to_vec(),
        };
        Tree {
            known: HashSet::from([start.to_vec()]),
            nodes: vec![Node {
                step,
                from: 0,
                depth: 0,
            }],
        }
    }

    /// Adds a state that a step from the state at a place leads to. Returns whether it is new.
    pub fn add(&mut self, from: usize, label: LabelId, target: &[u32]) -> bool {
        let is_new = !self.known.contains(target);
        if is_new {
            let target = target.to_vec();
            self.known.insert(target.clone());
            self.nodes.push(Node {
                step: TraceStep { label, target },
                from,
                depth: self.nodes[from].depth + 1,
            });
        }
        is_new
    }

    /// The state at a position, if there is one, and the number of steps that lead there.
    pub fn get(&self, place: usize) -> Option<(Vec<u32>, usize)> {
        let node = self.nodes.get(place)?;
        Some((node.step.target.clone(), node.depth))
    }

    /// The place of the state that was added last.
    pub fn last(&self) -> usize {
        self.nodes.len() - 1
    }

    /// The steps to the state at a place.
    pub fn path(&self, mut place: usize) -> Vec<TraceStep> {
        let mut path = Vec::with_capacity(self.nodes[place].depth);
        while place != 0 {
            path.push(self.nodes[place].step.clone());
            place = self.nodes[place].from;
        }
        path.reverse();
        path
    }
}
