//! LTL on fair paths.
//!
//! A path is weakly fair if a label that is possible in all its states from some point on is taken infinitely often, and strongly fair if a label that
//! is possible infinitely often is; labels are told apart by their full text. Paths that end are fair. Every beginning of a path can be continued to a
//! fair one, so a beginning that cannot be made good is a violation without further search.
//!
//! Otherwise a violation is a strongly connected part of the product of state space and automaton, all of which a path can pass for ever: it keeps every
//! promise, and takes every label that fairness demands. If a part lacks a label that strong fairness demands, a path in it must avoid the
//! states where that is possible; they are removed and what remains is searched again (Emerson and Lei, *Modalities for model checking*, 1987).

use super::lasso::{self, Lasso};
use super::ltl::Ltl;
use super::product::Product;
use crate::Space;
use crate::strongly_connected::components;
use crate::{Allowance, FormulaError, Labels};
use sortie_property::Condition;
use std::collections::BTreeSet;

/// Which paths count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Fairness {
    /// All maximal paths.
    #[default]
    None,
    /// What stays possible happens.
    Weak,
    /// What is possible again and again happens.
    Strong,
}

/// Whether all fair paths satisfy a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FairAnswer {
    /// They do.
    Holds,
    /// This one does not.
    Violated(Lasso),
    /// What is known does not decide it.
    Unknown,
}

/// So many vertices are expanded before the first search, and so many times as many before each that follows.
const FIRST_LOOK: usize = 1000;
const GROWTH: usize = 4;

/// Looks for a fair path that violates the formula.
pub fn fair_counterexample(
    formula: &Ltl,
    fairness: Fairness,
    space: &mut dyn Space,
    labels: &dyn Labels,
    predicates: &[Box<dyn Condition>],
    allowance: Allowance<'_>,
) -> Result<FairAnswer, FormulaError> {
    let automaton = formula.violations()?;
    let sets = &formula.parsed.sets;
    let mut product = Product::new(&automaton, sets, space, labels, predicates);
    let mut next_look = FIRST_LOOK;
    loop {
        let expanded = product.expanded();
        let finished = product.is_finished();
        let stopped = expanded.is_multiple_of(1024) && must_stop(&product, allowance);
        if finished || stopped || expanded >= next_look {
            if let Some(part) = fair_part(&product, fairness) {
                let lasso = lasso::within(&product, &part, fairness);
                return Ok(FairAnswer::Violated(lasso));
            }
            if finished && !product.loose_ends {
                return Ok(FairAnswer::Holds);
            }
            if finished || stopped {
                return Ok(FairAnswer::Unknown);
            }
            next_look = expanded * GROWTH;
        }
        if let Some(lasso) = product.expand_next()? {
            return Ok(FairAnswer::Violated(lasso));
        }
    }
}

fn must_stop(product: &Product<'_>, allowance: Allowance<'_>) -> bool {
    let over = |limit| product.bytes() > limit;
    allowance.memory.is_some_and(over) || allowance.stop.is_some_and(|stop| stop())
}

/// A strongly connected part that holds a fair accepted path: the one nearest to the beginning.
fn fair_part(product: &Product<'_>, fairness: Fairness) -> Option<Vec<u32>> {
    let mut best: Option<Vec<u32>> = None;
    let mut waiting: Vec<Vec<u32>> = vec![(0..product.expanded() as u32).collect()];
    let mut places = vec![NOWHERE; product.expanded()];
    while let Some(vertices) = waiting.pop() {
        for part in split(product, &vertices, &mut places) {
            let judged = Part::new(product, &part, &mut places);
            if !judged.accepting {
                continue;
            }
            match judged.lacking(product, &part, fairness) {
                Lack::Nothing => {
                    if best.as_ref().is_none_or(|best| part[0] < best[0]) {
                        best = Some(part);
                    }
                }
                Lack::Hopeless => {}
                Lack::Avoid(labels) => {
                    let avoids = |vertex: &u32| {
                        let possible = product.possible(*vertex).iter();
                        possible.filter(|label| labels.contains(label)).count() == 0
                    };
                    let rest: Vec<u32> = part.into_iter().filter(avoids).collect();
                    if !rest.is_empty() {
                        waiting.push(rest);
                    }
                }
            }
        }
    }
    best
}

/// The place of a vertex that does not belong to what is being looked at.
const NOWHERE: u32 = u32::MAX;

/// The strongly connected parts of the graph of these vertices, each in order; `places` is all [`NOWHERE`] before and after.
fn split(product: &Product<'_>, vertices: &[u32], places: &mut [u32]) -> Vec<Vec<u32>> {
    for (place, vertex) in (0..).zip(vertices) {
        places[*vertex as usize] = place;
    }
    let found = components(vertices.len(), |from, edge| {
        let target = product.edges(vertices[from]).get(edge)?.target as usize;
        let place = places.get(target).copied().unwrap_or(NOWHERE);
        // An edge that leads elsewhere is as good as none, which a loop is too.
        Some(if place == NOWHERE {
            from
        } else {
            place as usize
        })
    });
    let count = found.iter().max().map_or(0, |last| last + 1);
    let mut parts = vec![Vec::new(); count];
    for (vertex, part) in vertices.iter().zip(found) {
        parts[part].push(*vertex);
        places[*vertex as usize] = NOWHERE;
    }
    parts
}

/// What a strongly connected part offers.
struct Part {
    /// Whether a path that passes all of it is accepted.
    accepting: bool,
    /// The labels of its edges.
    taken: BTreeSet<u32>,
}

/// What keeps a path that passes all of a part from being fair.
enum Lack {
    Nothing,
    /// No path in the part is fair.
    Hopeless,
    /// A fair path in the part does not pass states in which one of these labels is possible.
    Avoid(BTreeSet<u32>),
}

impl Part {
    /// `places` is all [`NOWHERE`] before and after.
    fn new(product: &Product<'_>, vertices: &[u32], places: &mut [u32]) -> Part {
        for vertex in vertices {
            places[*vertex as usize] = 0;
        }
        let mut taken = BTreeSet::new();
        // The promises that all edges keep waiting; none is known as long as there was no edge.
        let mut waiting: Option<Vec<usize>> = None;
        for vertex in vertices {
            for edge in product.edges(*vertex) {
                if places.get(edge.target as usize).copied().unwrap_or(NOWHERE) == NOWHERE {
                    continue;
                }
                taken.insert(edge.label);
                let promises = product.promises(*vertex, edge);
                match &mut waiting {
                    Some(waiting) => waiting.retain(|promise| promises.contains(promise)),
                    None => waiting = Some(promises.to_vec()),
                }
            }
        }
        for vertex in vertices {
            places[*vertex as usize] = NOWHERE;
        }
        Part {
            accepting: waiting.is_some_and(|waiting| waiting.is_empty()),
            taken,
        }
    }

    fn lacking(&self, product: &Product<'_>, vertices: &[u32], fairness: Fairness) -> Lack {
        let missing = |label: &&u32| !self.taken.contains(label);
        match fairness {
            Fairness::None => Lack::Nothing,
            Fairness::Weak => {
                let always = |label: &u32| {
                    let mut vertices = vertices.iter();
                    vertices.all(|v| product.possible(*v).binary_search(label).is_ok())
                };
                let mut owed = product.possible(vertices[0]).iter().filter(missing);
                match owed.any(always) {
                    true => Lack::Hopeless,
                    false => Lack::Nothing,
                }
            }
            Fairness::Strong => {
                let possible = vertices.iter().flat_map(|v| product.possible(*v));
                let owed: BTreeSet<u32> = possible.filter(missing).copied().collect();
                match owed.is_empty() {
                    true => Lack::Nothing,
                    false => Lack::Avoid(owed),
                }
            }
        }
    }
}
