//! What has been seen of the state space so far: the states of all paths, and those one step away from where one was.
//!
//! It is made for looking at, so it stays small: when it becomes too large, it begins anew with the surroundings of where one is.

use super::super::step::{Explorer, Taken};
use serde_json::{Value, json};
use sortie_model::Fingerprint;
use std::collections::{HashMap, HashSet, VecDeque};

/// It has no more states.
const STATES: usize = 1200;

/// Of a state with more successors, only so many are shown.
const SUCCESSORS: usize = 40;

/// So many steps of the path before and after where one is are shown when it begins anew.
const AROUND: usize = 150;

struct Node {
    print: Fingerprint,
    visited: bool,
    /// Whether a property was violated when one was there.
    violated: bool,
    /// Steps to other nodes.
    out: Vec<(u32, Taken)>,
}

/// A part of the state space.
#[derive(Default)]
pub struct Graph {
    nodes: Vec<Node>,
    numbers: HashMap<Fingerprint, u32>,
    edges: HashSet<(u32, u32, u32)>,
    /// How one comes to the first node.
    way: Vec<Taken>,
    /// The nodes of the path, as far as they are here, and the place of the first of them.
    path: Vec<u32>,
    first: usize,
    here: u32,
}

impl Graph {
    /// Adds what a session shows.
    pub fn update(&mut self, explorer: &Explorer) {
        if !self.add(explorer) {
            let here = explorer.here();
            let from = here.saturating_sub(AROUND);
            *self = Graph {
                way: explorer.path().steps[..from].to_vec(),
                ..Graph::default()
            };
            self.add(explorer);
        }
    }

    /// Adds the path around where one is and what can be done there; whether there is room.
    fn add(&mut self, explorer: &Explorer) -> bool {
        let path = explorer.path();
        let here = explorer.here();
        let first = here.saturating_sub(AROUND);
        let last = path.steps.len().min(here + AROUND);
        let model = explorer.model();
        let print = |place: usize| model.fingerprint(path.state(place));
        // What is far from all that is known cannot be drawn with it.
        if !self.nodes.is_empty() && !self.numbers.contains_key(&print(first)) {
            return false;
        }
        self.first = first;
        self.path.clear();
        for place in first..=last {
            let node = self.node(print(place));
            self.nodes[node as usize].visited |= place <= here;
            if let Some(&before) = self.path.last() {
                self.edge(before, node, &path.steps[place - 1]);
            }
            self.path.push(node);
        }
        self.here = self.path[here - first];
        let node = &mut self.nodes[self.here as usize];
        node.violated |= !explorer.violated().is_empty();
        for choice in explorer.offer().choices.iter().take(SUCCESSORS) {
            let target = self.node(model.fingerprint(&choice.target));
            self.edge(self.here, target, &choice.taken());
        }
        self.nodes.len() <= STATES
    }

    fn node(&mut self, print: Fingerprint) -> u32 {
        let next = self.nodes.len() as u32;
        let number = *self.numbers.entry(print).or_insert(next);
        if number == next {
            self.nodes.push(Node {
                print,
                visited: false,
                violated: false,
                out: Vec::new(),
            });
        }
        number
    }

    fn edge(&mut self, from: u32, to: u32, taken: &Taken) {
        if self.edges.insert((from, to, taken.label.0)) {
            self.nodes[from as usize].out.push((to, taken.clone()));
        }
    }

    /// By node: its distance from the first, and the step by which one comes to it on a shortest way.
    fn distances(&self) -> Vec<Option<(usize, u32, usize)>> {
        let mut distances = vec![None; self.nodes.len()];
        let mut queue = VecDeque::new();
        if let Some(first) = distances.first_mut() {
            *first = Some((0, 0, 0));
            queue.push_back(0);
        }
        while let Some(node) = queue.pop_front() {
            let level = distances[node as usize].map_or(0, |(level, ..)| level);
            for (edge, (to, _)) in self.nodes[node as usize].out.iter().enumerate() {
                if distances[*to as usize].is_none() {
                    distances[*to as usize] = Some((level + 1, node, edge));
                    queue.push_back(*to);
                }
            }
        }
        distances
    }

    /// A shortest known way to a node, from the initial state.
    pub fn way_to(&self, node: usize) -> Option<Vec<Taken>> {
        let distances = self.distances();
        let (mut level, ..) = (*distances.get(node)?)?;
        let mut at = node;
        let mut back = Vec::new();
        while level > 0 {
            let (_, from, edge) = distances[at]?;
            back.push(self.nodes[from as usize].out[edge].1.clone());
            at = from as usize;
            level -= 1;
        }
        let mut way = self.way.clone();
        way.extend(back.into_iter().rev());
        Some(way)
    }

    /// All of it.
    pub fn json(&self, explorer: &Explorer) -> Value {
        let distances = self.distances();
        let begin = self.way.len();
        let nodes = self.nodes.iter().zip(&distances).map(|(node, distance)| {
            json!({
                "level": begin + distance.map_or(0, |(level, ..)| level),
                "name": node.print.to_string()[..6].to_owned(),
                "visited": node.visited,
                "violated": node.violated,
            })
        });
        let mut edges = Vec::new();
        for (from, node) in self.nodes.iter().enumerate() {
            for (to, taken) in &node.out {
                edges.push(json!([from, to, explorer.model().label(taken.label)]));
            }
        }
        json!({
            "nodes": nodes.collect::<Vec<_>>(),
            "edges": edges,
            "path": self.path,
            "first": self.first,
            "here": self.here,
        })
    }
}
