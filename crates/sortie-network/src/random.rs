//! Steps into local states that stand for a random choice.
//!
//! The components that move choose independently, so the outcomes of a step are the product of their distributions. Outcomes with the same
//! target are one, and a transition that was found before is not listed again; transitions that differ only in their probabilities are
//! both listed.

use crate::join::too_many_combinations;
use crate::locals::Place;
use crate::memory::Memory;
use crate::offer::Processes;
use crate::tree::ComponentId;
use sortie_model::{LabelId, ModelError, PartSet, Steps};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;

/// A global state and its weight.
type Outcome = (Box<[u32]>, u64);

/// The transitions of a global state that were found so far.
#[derive(Debug, Default)]
pub(crate) struct Transitions {
    /// The steps of each. Outcomes are in the order of their targets, so that equal distributions are equal.
    known: HashMap<(LabelId, Vec<Outcome>), Range<usize>>,
}

impl Transitions {
    /// Adds a step to a state in which random choices may be open, with all its outcomes, unless it is known; with the parts that take
    /// part in it, if they are asked for.
    pub(crate) fn add<P: Processes>(
        &mut self,
        memory: &Memory<P>,
        (label, target): (LabelId, &[u32]),
        parts: Option<PartSet>,
        steps: &mut Steps,
    ) -> Result<(), ModelError> {
        let outcomes = outcomes(memory, target)?;
        let mut sorted = outcomes.clone();
        sorted.sort_unstable();
        let listed = match self.known.entry((label, sorted)) {
            Entry::Occupied(known) => {
                for step in known.get().clone().filter(|_| parts.is_some()) {
                    steps.extend_parts(step, &parts.unwrap_or_default());
                }
                return Ok(());
            }
            Entry::Vacant(place) => place.insert(steps.len()..steps.len() + outcomes.len()),
        };
        for (target, _) in &outcomes {
            steps.push(label, target);
        }
        if let Some(parts) = parts {
            listed.for_each(|_| steps.push_parts(parts));
        }
        if outcomes.len() > 1 {
            let weights: Vec<u64> = outcomes.iter().map(|(_, weight)| *weight).collect();
            steps.mark_random(&weights);
        }
        Ok(())
    }
}

/// The states that a state with open random choices stands for, each once, with weights that have no common divisor.
pub(crate) fn outcomes<P: Processes>(
    memory: &Memory<P>,
    state: &[u32],
) -> Result<Vec<Outcome>, ModelError> {
    let mut all: Vec<Outcome> = vec![(state.into(), 1)];
    for (place, word) in state.iter().enumerate() {
        let Place::Local(local) = memory.locals[place].place(*word) else {
            continue;
        };
        let choices = memory.outcomes(local)?;
        if choices.is_empty() {
            continue;
        }
        if all.len().saturating_mul(choices.len()) as u64 > memory.combinations {
            return Err(too_many_combinations(memory.combinations));
        }
        let mut next = Vec::with_capacity(all.len() * choices.len());
        for (target, weight) in &all {
            for (local, factor) in &*choices {
                let mut target = target.clone();
                target[place] = memory.word(ComponentId(place as u32), *local);
                let weight = weight.checked_mul(*factor).ok_or_else(too_fine)?;
                next.push((target, weight));
            }
        }
        all = next;
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
