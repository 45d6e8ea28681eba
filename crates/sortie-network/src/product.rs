//! The steps of a global state: what the parts are ready for, brought together.

use crate::assembly::Assembly;
use crate::emission::{Emission, Marks, Prints};
use crate::join::{Source, inner_joints, too_many_combinations};
use crate::network::Network;
use crate::offer::Processes;
use crate::outermost::{Departures, join_by};
use crate::pairs::{Pairs, Sources};
use crate::part::Shown;
use crate::row::Part;
use sortie_model::{Fingerprint, ModelError, Steps};

/// What one thread needs to expand states; most of it are copies of what is shared, read without locks.
pub(crate) struct Scratch<P: Processes> {
    parts: Vec<Shown<P>>,
    departures: Departures,
    pairs: Pairs,
    assembly: Assembly,
    marks: Marks,
    prints: Prints,
}

impl<P: Processes> Scratch<P> {
    pub(crate) fn new(network: &Network<P>) -> Scratch<P> {
        Scratch {
            parts: network.row.parts.iter().map(|_| Shown::new()).collect(),
            departures: Departures::default(),
            pairs: Pairs::new(
                network.parts.iter().map(|part| part.components()),
                network.names(),
            ),
            assembly: Assembly::new(network.names()),
            marks: Marks::default(),
            prints: Prints::new(network.memory.locals.len()),
        }
    }

    /// From now on all parts are brought together at once.
    #[cfg(test)]
    pub(crate) fn forgo_pairs(&mut self) {
        self.pairs = Pairs::over();
    }

    /// Whether the last state was taken in pairs.
    #[cfg(test)]
    pub(crate) fn found_pairs(&self) -> bool {
        self.pairs.found()
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
        departures,
        pairs,
        assembly,
        marks,
        prints,
    } = scratch;
    let has_plans = network.row.plans.is_some();
    let mut sources = Sources {
        network,
        parts,
        departures,
        prints,
    };
    let in_pairs = match has_plans {
        true => pairs.find(&mut sources, state)?,
        false => None,
    };
    let print = in_pairs.unwrap_or_else(|| prints.state(&network.memory, state));
    let combinations = network.memory.combinations;
    let mut emission = Emission::new(state, print, steps, marks, combinations);
    if in_pairs.is_some() {
        pairs.emit(&mut emission);
    } else if has_plans {
        emission = assembly.expand(network, parts, departures, state, emission)?;
    } else {
        combine(network, departures, state, &mut emission)?;
    }
    if emission.is_empty() {
        network.terminate(state, &mut emission);
    }
    if emission.is_spent() {
        return Err(too_many_combinations(combinations));
    }
    Ok(())
}

/// Tries all combinations of what the parts offer.
fn combine<P: Processes>(
    network: &Network<P>,
    departures: &mut Departures,
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
    let nothing = None::<std::iter::Empty<usize>>;
    join_by(
        network,
        departures,
        state,
        sources,
        nothing,
        |label, moves| {
            emission.emit(label, moves);
        },
    )
}
