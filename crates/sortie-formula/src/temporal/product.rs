//! State space and automaton side by side, as far as they were looked at.

use super::atoms::LabelSet;
use super::automaton::{Automaton, Transition};
use super::lasso::{Ending, Hop, Lasso};
use crate::{Edge, OUTSIDE, Space};
use crate::{FormulaError, Labels};
use sortie_model::LabelId;
use sortie_property::Condition;
use std::collections::HashMap;

/// A step of both.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Joint {
    /// The vertex it leads to.
    pub(crate) target: u32,
    /// Its place among the steps of the state.
    pub(crate) place: u32,
    /// The number of its label's text.
    pub(crate) label: u32,
    /// Its place among the transitions of the automaton's state.
    transition: u32,
}

/// What is known of a label.
struct KnownLabel {
    /// The number of its text.
    number: u32,
    /// For each set of labels, whether it is in there.
    inside: Vec<bool>,
}

/// Vertices in breadth-first order, each a state and a state of the automaton.
pub(crate) struct Product<'a> {
    automaton: &'a Automaton,
    sets: &'a [LabelSet],
    space: &'a mut dyn Space,
    labels: &'a dyn Labels,
    predicates: &'a [Box<dyn Condition>],
    vertices: Vec<(u32, usize)>,
    numbers: HashMap<(u32, usize), u32>,
    /// For each vertex where it was met first.
    parents: Vec<(u32, u32)>,
    /// For each expanded vertex where its edges begin.
    begins: Vec<usize>,
    edges: Vec<Joint>,
    known_labels: HashMap<LabelId, KnownLabel>,
    texts: HashMap<String, u32>,
    /// For each state met the numbers of the labels that are possible there.
    possible: HashMap<u32, Box<[u32]>>,
    /// Whether something was met of which it is unknown whether the automaton accepts it.
    pub(crate) loose_ends: bool,
    words: Vec<u32>,
}

impl<'a> Product<'a> {
    pub(crate) fn new(
        automaton: &'a Automaton,
        sets: &'a [LabelSet],
        space: &'a mut dyn Space,
        labels: &'a dyn Labels,
        predicates: &'a [Box<dyn Condition>],
    ) -> Product<'a> {
        let mut product = Product {
            automaton,
            sets,
            space,
            labels,
            predicates,
            vertices: Vec::new(),
            numbers: HashMap::new(),
            parents: Vec::new(),
            begins: vec![0],
            edges: Vec::new(),
            known_labels: HashMap::new(),
            texts: HashMap::new(),
            possible: HashMap::new(),
            loose_ends: false,
            words: Vec::new(),
        };
        if let Some(initial) = automaton.initial {
            product.number((0, initial), (0, 0));
        }
        product
    }

    /// How many vertices were expanded.
    pub(crate) fn expanded(&self) -> usize {
        self.begins.len() - 1
    }

    pub(crate) fn is_finished(&self) -> bool {
        self.expanded() == self.vertices.len()
    }

    pub(crate) fn bytes(&self) -> u64 {
        let possible: usize = self.possible.len() * 40 + self.edges.len() * 4;
        (self.vertices.len() * 72 + self.edges.len() * size_of::<Joint>() + possible) as u64
    }

    /// The edges of an expanded vertex.
    pub(crate) fn edges(&self, vertex: u32) -> &[Joint] {
        let vertex = vertex as usize;
        &self.edges[self.begins[vertex]..self.begins[vertex + 1]]
    }

    /// The promises that an edge keeps waiting.
    pub(crate) fn promises(&self, vertex: u32, edge: &Joint) -> &'a [usize] {
        let automaton = self.automaton;
        let (_, state) = self.vertices[vertex as usize];
        &automaton.states[state][edge.transition as usize].promises
    }

    /// The numbers of the labels of all steps that are possible in an expanded vertex, in order.
    pub(crate) fn possible(&self, vertex: u32) -> &[u32] {
        &self.possible[&self.vertices[vertex as usize].0]
    }

    pub(crate) fn hop(&self, vertex: u32, edge: &Joint) -> Hop {
        Hop {
            state: self.vertices[vertex as usize].0,
            place: edge.place,
        }
    }

    /// A shortest way from the beginning.
    pub(crate) fn way_to(&self, vertex: u32) -> Vec<Hop> {
        let mut hops = Vec::new();
        let mut vertex = vertex;
        while vertex != 0 {
            let (parent, place) = self.parents[vertex as usize];
            let state = self.vertices[parent as usize].0;
            hops.push(Hop { state, place });
            vertex = parent;
        }
        hops.reverse();
        hops
    }

    fn number(&mut self, pair: (u32, usize), parent: (u32, u32)) -> u32 {
        let next = self.vertices.len() as u32;
        let number = *self.numbers.entry(pair).or_insert(next);
        if number == next {
            self.vertices.push(pair);
            self.parents.push(parent);
        }
        number
    }

    /// Expands the next vertex. A path that ends here, or of which the rest does not matter, may be accepted.
    pub(crate) fn expand_next(&mut self) -> Result<Option<Lasso>, FormulaError> {
        let vertex = self.expanded() as u32;
        let (state, at) = self.vertices[vertex as usize];
        let automaton = self.automaton;
        let steps: Vec<Edge> = self.space.edges(state)?.to_vec();
        self.remember_possible(state, &steps);
        self.space.read(state, &mut self.words);
        for (place, transition) in automaton.states[at].iter().enumerate() {
            let fits = self.fits_state(transition)?;
            self.loose_ends |= fits.is_none();
            if fits != Some(true) {
                continue;
            }
            let ending = if steps.is_empty() && transition.may_end {
                Some(Ending::Deadlock)
            } else if automaton.accepts_whatever_follows(transition) {
                Some(Ending::Anything)
            } else {
                None
            };
            if let Some(ending) = ending {
                let prefix = self.way_to(vertex);
                return Ok(Some(Lasso { prefix, ending }));
            }
            if let Some(target) = transition.target
                && let Some(lasso) = self.take(vertex, &steps, place, target)
            {
                return Ok(Some(lasso));
            }
        }
        self.begins.push(self.edges.len());
        Ok(None)
    }

    /// Adds the edges that belong to a transition.
    fn take(
        &mut self,
        vertex: u32,
        steps: &[Edge],
        transition: usize,
        next: usize,
    ) -> Option<Lasso> {
        let automaton = self.automaton;
        let (state, at) = self.vertices[vertex as usize];
        let wanted = &automaton.states[at][transition].labels;
        for (place, step) in (0..).zip(steps) {
            let known = &self.known_labels[&step.label];
            let label = known.number;
            let fits = |(set, inside): &(usize, bool)| known.inside[*set] == *inside;
            if !wanted.iter().all(fits) {
                continue;
            }
            if automaton.everything == Some(next) {
                let mut prefix = self.way_to(vertex);
                prefix.push(Hop { state, place });
                let ending = Ending::Anything;
                return Some(Lasso { prefix, ending });
            }
            if step.target == OUTSIDE {
                self.loose_ends = true;
                continue;
            }
            let target = self.number((step.target, next), (vertex, place));
            self.edges.push(Joint {
                target,
                place,
                label,
                transition: transition as u32,
            });
        }
        None
    }

    /// Whether the predicates have the values that the transition wants in the state whose words were read.
    fn fits_state(&self, transition: &Transition) -> Result<Option<bool>, FormulaError> {
        let mut unknown = false;
        for (number, wanted) in &transition.predicates {
            match self.predicates[*number].evaluate(&self.words)?.decided() {
                Some(value) if value == *wanted => {}
                Some(_) => return Ok(Some(false)),
                None => unknown = true,
            }
        }
        Ok((!unknown).then_some(true))
    }

    fn remember_possible(&mut self, state: u32, steps: &[Edge]) {
        if self.possible.contains_key(&state) {
            return;
        }
        let mut numbers: Vec<u32> = steps.iter().map(|step| self.know(step.label)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        self.possible.insert(state, numbers.into());
    }

    /// The number of the label's text.
    fn know(&mut self, label: LabelId) -> u32 {
        if let Some(known) = self.known_labels.get(&label) {
            return known.number;
        }
        let text = self.labels.text(label);
        let inside = self.sets.iter().map(|set| set.contains(&text)).collect();
        let next = self.texts.len() as u32;
        let number = *self.texts.entry(text).or_insert(next);
        self.known_labels
            .insert(label, KnownLabel { number, inside });
        number
    }
}
