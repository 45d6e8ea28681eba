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

/// Calls back with what the sources can do by the given plans; without plans, with all they can do.
pub(crate) fn join_by<P: Processes>(
    network: &Network<P>,
    state: &[u32],
    sources: Vec<Source<P>>,
    plans: Option<impl Iterator<Item = usize>>,
    output: impl FnMut(LabelId, &[Move]),
) -> Result<(), ModelError> {
    let mut found = Found {
        network,
        state,
        chosen: Vec::new(),
        output,
    };
    join(&network.memory, &network.row, sources, plans, &mut found)
}

struct Found<'a, P: Processes, F> {
    network: &'a Network<P>,
    state: &'a [u32],
    /// The moves of the step at hand.
    chosen: Vec<Move>,
    output: F,
}

impl<P: Processes, F: FnMut(LabelId, &[Move])> Output<P> for Found<'_, P, F> {
    fn step(&mut self, action: &mut MultiAction, moves: &[(ComponentId, LocalId)]) {
        let Network { labels, memory, .. } = self.network;
        let label = labels.of(&memory.processes, action);
        self.chosen.clear();
        let moves = moves.iter();
        let moves = moves.map(|(component, local)| memory.go(*component, self.state, *local));
        self.chosen.extend(moves);
        (self.output)(label, &self.chosen);
    }

    fn open(&mut self, _joint: Joint<P>) {
        unreachable!("open steps are not accepted")
    }

    fn accepts_open(&self) -> bool {
        false
    }
}
