//! The steps of a global state: what the parts are ready for, brought together.

use crate::between::MOST_PARTS;
use crate::emission::{Emission, Marks, Prints};
use crate::join::{Source, inner_joints, too_many_combinations};
use crate::multiway;
use crate::network::Network;
use crate::offer::Processes;
use crate::outermost::join_by;
use crate::pairs::{Pairs, Sources};
use crate::part::Shown;
use crate::row::Part;
use sortie_model::{Fingerprint, ModelError, Steps};

/// What one thread needs to expand states; most of it are copies of what is shared, read without locks.
pub(crate) struct Scratch<P: Processes> {
    parts: Vec<Shown<P>>,
    pairs: Pairs,
    marks: Marks,
    prints: Prints,
}

impl<P: Processes> Scratch<P> {
    pub(crate) fn new(network: &Network<P>) -> Scratch<P> {
        Scratch {
            parts: network.row.parts.iter().map(|_| Shown::new()).collect(),
            pairs: Pairs::new(network),
            marks: Marks::default(),
            prints: Prints::new(network.memory.locals.len()),
        }
    }

    /// The fingerprint of a global state.
    pub(crate) fn fingerprint(&mut self, network: &Network<P>, state: &[u32]) -> Fingerprint {
        self.prints.state(&network.memory, state)
    }
}

/// Lists all steps of a state.
#[inline]
pub(crate) fn expand<P: Processes>(
    network: &Network<P>,
    scratch: &mut Scratch<P>,
    state: &[u32],
    steps: &mut Steps,
) -> Result<(), ModelError> {
    let Scratch {
        parts,
        pairs,
        marks,
        prints,
    } = scratch;
    let combinations = network.memory.combinations;
    let suits_pairs = network.row.plans.is_some() && network.parts.len() <= MOST_PARTS;
    let mut emission = if suits_pairs {
        let mut sources = Sources {
            network,
            parts,
            prints,
        };
        let print = pairs.find(&mut sources, state)?;
        let mut emission = Emission::new(state, print, steps, marks, combinations);
        if pairs.is_all() {
            pairs.emit(&mut emission);
        } else {
            multiway::list(network, parts, state, pairs, &mut emission)?;
        }
        emission
    } else {
        let print = prints.state(&network.memory, state);
        let mut emission = Emission::new(state, print, steps, marks, combinations);
        combine(network, state, &mut emission)?;
        emission
    };
    if emission.is_empty() {
        network.terminate(state, &mut emission);
    }
    if emission.is_spent() {
        return Err(too_many_combinations(combinations));
    }
    Ok(())
}

/// Joins what the parts offer by all plans; without plans, tries all combinations.
pub(crate) fn combine<P: Processes>(
    network: &Network<P>,
    state: &[u32],
    emission: &mut Emission<'_>,
) -> Result<(), ModelError> {
    let mut sources = Vec::new();
    for part in &network.row.parts {
        sources.push(match part {
            Part::Component(component) => Source::of_component(&network.memory, *component, state)?,
            Part::Row(inner) => Source::Row(inner_joints(&network.memory, inner, state)?.into()),
        });
    }
    let plans = network.row.plans.as_ref().map(|plans| 0..plans.len());
    join_by(network, state, sources, plans, |label, moves| {
        emission.emit(label, moves);
    })
}
