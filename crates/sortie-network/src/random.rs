//! Steps into local states that stand for a random choice.
//!
//! The components that move choose independently, so the outcomes of a step are the product of their distributions. Outcomes with the same
//! target are one, and a transition that was found before is not listed again; transitions that differ only in their probabilities are
//! both listed.

use crate::offer::{LocalId, Processes};
use crate::tree::ComponentId;
use sortie_model::{LabelId, ModelError, Steps};
use std::collections::{HashMap, HashSet};

/// A global state and its weight.
type Outcome = (Box<[u32]>, u64);

/// The transitions of a global state that were found so far.
#[derive(Debug, Default)]
pub(crate) struct Transitions {
    /// Outcomes in the order of their targets, so that equal distributions are equal.
    known: HashSet<(LabelId, Vec<Outcome>)>,
    failure: Option<ModelError>,
}

impl Transitions {
    /// Adds a step of the components in `moves`, with all its outcomes, unless it is known.
    pub(crate) fn add<P: Processes>(
        &mut self,
        processes: &P,
        from: &[u32],
        label: LabelId,
        moves: &[(ComponentId, LocalId)],
        steps: &mut Steps,
    ) {
        if self.failure.is_some() {
            return;
        }
        let outcomes = match product(processes, from, moves) {
            Ok(outcomes) => outcomes,
            Err(error) => {
                self.failure = Some(error);
                return;
            }
        };
        let mut sorted = outcomes.clone();
        sorted.sort_unstable();
        if !self.known.insert((label, sorted)) {
            return;
        }
        for (target, _) in &outcomes {
            steps.push(label, target);
        }
        if outcomes.len() > 1 {
            let weights: Vec<u64> = outcomes.iter().map(|(_, weight)| *weight).collect();
            steps.mark_random(&weights);
        }
    }

    /// The first error that was met.
    pub(crate) fn failure(self) -> Result<(), ModelError> {
        self.failure.map_or(Ok(()), Err)
    }
}

/// The outcomes of a step, each once, with weights that have no common divisor.
fn product<P: Processes>(
    processes: &P,
    from: &[u32],
    moves: &[(ComponentId, LocalId)],
) -> Result<Vec<Outcome>, ModelError> {
    let mut all: Vec<Outcome> = vec![(from.into(), 1)];
    for (component, local) in moves {
        let place = component.0 as usize;
        match processes.outcomes(*local)? {
            [] => all
                .iter_mut()
                .for_each(|(target, _)| target[place] = local.0),
            choices => {
                let mut next = Vec::with_capacity(all.len() * choices.len());
                for (target, weight) in &all {
                    for (local, factor) in choices {
                        let mut target = target.clone();
                        target[place] = local.0;
                        let weight = weight.checked_mul(*factor).ok_or_else(too_fine)?;
                        next.push((target, weight));
                    }
                }
                all = next;
            }
        }
    }
    merged(all)
}

fn merged(all: Vec<Outcome>) -> Result<Vec<Outcome>, ModelError> {
    if all.len() == 1 {
        return Ok(all.into_iter().map(|(target, _)| (target, 1)).collect());
    }
    let mut places: HashMap<Box<[u32]>, usize> = HashMap::new();
    let mut merged: Vec<Outcome> = Vec::with_capacity(all.len());
    let mut sum = 0u64;
    let mut divisor = 0;
    for (target, weight) in all {
        sum = sum.checked_add(weight).ok_or_else(too_fine)?;
        match places.get(&target) {
            Some(place) => merged[*place].1 += weight,
            None => {
                places.insert(target.clone(), merged.len());
                merged.push((target, weight));
            }
        }
    }
    for (_, weight) in &merged {
        divisor = greatest_common_divisor(divisor, *weight);
    }
    for (_, weight) in &mut merged {
        *weight /= divisor;
    }
    Ok(merged)
}

fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

fn too_fine() -> ModelError {
    ModelError::new(
        "the random choices of components that move together have probabilities that do not fit in 64 bits; use fractions with smaller \
         denominators",
    )
}
