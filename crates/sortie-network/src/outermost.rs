//! The general join of the outermost row, in words.

use crate::join::{Joint, Output, Source, join};
use crate::network::Network;
use crate::offer::{LocalId, Processes};
use crate::operators::MultiAction;
use crate::part::Shown;
use crate::ready::Move;
use crate::row::Part;
use crate::tree::ComponentId;
use sortie_model::{LabelId, ModelError};

/// More moves of a component are not searched for one that was made before.
const MOST_MOVES: usize = 32;

/// What a part that was turned to the state offers there.
pub(crate) fn source<P: Processes>(
    network: &Network<P>,
    parts: &[Shown<P>],
    part: usize,
    state: &[u32],
) -> Result<Source<P>, ModelError> {
    match &network.row.parts[part] {
        Part::Component(component) => Source::of_component(&network.memory, *component, state),
        Part::Row(row) => {
            let joints = parts[part].ready().joints(&network.memory, row, state)?;
            Ok(Source::Row(joints))
        }
    }
}

/// Moves that were found in a join, which may list many steps with few of them.
#[derive(Default)]
pub(crate) struct Departures {
    /// By component: where it can go from the current state. There are few places, as each is one of the component alone.
    moves: Vec<Vec<(LocalId, Move)>>,
    /// The moves of the step at hand.
    chosen: Vec<Move>,
}

impl Departures {
    /// A join in another state begins.
    fn begin(&mut self, components: usize) {
        self.moves.resize_with(components, Vec::new);
        self.moves.iter_mut().for_each(Vec::clear);
    }

    fn go<P: Processes>(
        &mut self,
        network: &Network<P>,
        state: &[u32],
        (component, local): (ComponentId, LocalId),
    ) -> Move {
        let known = &mut self.moves[component.0 as usize];
        if let Some((_, moved)) = known.iter().find(|(other, _)| *other == local) {
            return *moved;
        }
        let moved = network.memory.go(component, state, local);
        if known.len() < MOST_MOVES {
            known.push((local, moved));
        }
        moved
    }
}

/// Calls back with what the sources can do by the given plans; without plans, with all they can do.
pub(crate) fn join_by<P: Processes>(
    network: &Network<P>,
    departures: &mut Departures,
    state: &[u32],
    sources: Vec<Source<P>>,
    plans: Option<impl Iterator<Item = usize>>,
    output: impl FnMut(LabelId, &[Move]),
) -> Result<(), ModelError> {
    departures.begin(state.len());
    let mut found = Found {
        network,
        departures,
        state,
        output,
    };
    join(&network.memory, &network.row, sources, plans, &mut found)
}

struct Found<'a, P: Processes, F> {
    network: &'a Network<P>,
    departures: &'a mut Departures,
    state: &'a [u32],
    output: F,
}

impl<P: Processes, F: FnMut(LabelId, &[Move])> Output<P> for Found<'_, P, F> {
    fn step(&mut self, action: &mut MultiAction, moves: &[(ComponentId, LocalId)]) {
        let Network { labels, memory, .. } = self.network;
        let label = labels.of(&memory.processes, action);
        let mut chosen = std::mem::take(&mut self.departures.chosen);
        chosen.clear();
        for target in moves {
            chosen.push(self.departures.go(self.network, self.state, *target));
        }
        (self.output)(label, &chosen);
        self.departures.chosen = chosen;
    }

    fn open(&mut self, _joint: Joint<P>) {
        unreachable!("open steps are not accepted")
    }

    fn accepts_open(&self) -> bool {
        false
    }
}
