//! Paths that show a violation: a way, and what follows it.

use super::fair::Fairness;
use super::product::{Joint, Product};
use std::collections::{BTreeSet, HashMap, VecDeque};

/// A step: the state that it leaves, and its place among the steps of that state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Hop {
    /// The state.
    pub state: u32,
    /// Which of its steps.
    pub place: u32,
}

/// What follows the way of a lasso.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Nothing: the last state has no steps.
    Deadlock,
    /// These steps, for ever.
    Cycle(Vec<Hop>),
    /// Whatever: no way to go on makes up for what has happened. The last state may lie outside of what is known.
    Anything,
}

/// A path from the initial state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso {
    /// Its beginning.
    pub prefix: Vec<Hop>,
    /// Its rest.
    pub ending: Ending,
}

/// A fair path that the automaton accepts and that stays in a part of the product, which is strongly connected and in which there is such a path.
pub(crate) fn within(product: &Product<'_>, part: &[u32], fairness: Fairness) -> Lasso {
    let entry = *part.iter().min().expect("a part is not empty");
    let mut cycle = Cycle {
        product,
        fairness,
        inside: part.iter().copied().collect(),
        edges: Vec::new(),
        entry,
        at: entry,
        waiting: Vec::new(),
        taken: BTreeSet::new(),
        owed: product.possible(entry).iter().copied().collect(),
    };
    loop {
        if let Some(need) = cycle.unmet() {
            cycle.extend(need);
        } else if cycle.at == entry && !cycle.edges.is_empty() {
            break;
        } else {
            cycle.extend(Need::Return);
        }
    }
    let hops = cycle.edges.iter();
    let hops = hops.map(|(vertex, edge)| product.hop(*vertex, edge));
    Lasso {
        prefix: product.way_to(entry),
        ending: Ending::Cycle(hops.collect()),
    }
}

/// What a cycle still lacks.
#[derive(Clone, Copy)]
enum Need {
    /// To be closed.
    Return,
    /// A step that does not keep this promise waiting.
    Keep(usize),
    /// A label that fairness demands.
    Settle,
}

/// A cycle under construction.
struct Cycle<'a, 'p> {
    product: &'a Product<'p>,
    fairness: Fairness,
    inside: BTreeSet<u32>,
    edges: Vec<(u32, Joint)>,
    entry: u32,
    at: u32,
    /// The promises that all steps so far keep waiting.
    waiting: Vec<usize>,
    taken: BTreeSet<u32>,
    /// The labels that have not been taken: for strong fairness those that were possible somewhere, for weak fairness those that were everywhere.
    owed: BTreeSet<u32>,
}

impl Cycle<'_, '_> {
    /// A need that the steps so far do not meet. Each is met once and for all, so there is an end to them.
    fn unmet(&self) -> Option<Need> {
        if let Some(promise) = self.waiting.first() {
            return Some(Need::Keep(*promise));
        }
        let owes = self.fairness != Fairness::None && !self.owed.is_empty();
        owes.then_some(Need::Settle)
    }

    fn meets(&self, vertex: u32, edge: &Joint, need: Need) -> bool {
        match need {
            Need::Return => edge.target == self.entry,
            Need::Keep(promise) => !self.product.promises(vertex, edge).contains(&promise),
            Need::Settle => {
                let possible = self.product.possible(edge.target);
                let lost = |label: &u32| possible.binary_search(label).is_err();
                self.owed.contains(&edge.label)
                    || self.fairness == Fairness::Weak && self.owed.iter().any(lost)
            }
        }
    }

    fn pass(&mut self, vertex: u32, edge: Joint) {
        let promises = self.product.promises(vertex, &edge);
        if self.edges.is_empty() {
            self.waiting = promises.to_vec();
        } else {
            self.waiting.retain(|promise| promises.contains(promise));
        }
        self.edges.push((vertex, edge));
        self.at = edge.target;
        self.taken.insert(edge.label);
        self.owed.remove(&edge.label);
        let possible = self.product.possible(edge.target);
        match self.fairness {
            Fairness::None => {}
            Fairness::Weak => {
                let kept = |label: &u32| possible.binary_search(label).is_ok();
                self.owed.retain(kept);
            }
            Fairness::Strong => {
                let taken = &self.taken;
                let new = possible.iter().filter(|label| !taken.contains(label));
                self.owed.extend(new);
            }
        }
    }

    /// Goes a shortest way to an edge that meets the need, and along it.
    fn extend(&mut self, need: Need) {
        let mut came_from: HashMap<u32, (u32, Joint)> = HashMap::new();
        let mut queue = VecDeque::from([self.at]);
        while let Some(vertex) = queue.pop_front() {
            for edge in self.product.edges(vertex) {
                if !self.inside.contains(&edge.target) {
                    continue;
                }
                if self.meets(vertex, edge, need) {
                    let mut way = vec![(vertex, *edge)];
                    let mut first = vertex;
                    while first != self.at {
                        let (before, edge) = came_from[&first];
                        way.push((before, edge));
                        first = before;
                    }
                    for (vertex, edge) in way.into_iter().rev() {
                        self.pass(vertex, edge);
                    }
                    return;
                }
                if edge.target != self.at && !came_from.contains_key(&edge.target) {
                    came_from.insert(edge.target, (vertex, *edge));
                    queue.push_back(edge.target);
                }
            }
        }
        unreachable!("every need can be met in a part that holds a fair accepted path");
    }
}
