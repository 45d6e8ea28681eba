//! What receivers do with what they are sent, remembered.

use crate::network::Network;
use crate::offer::{ArgumentsId, Processes};
use crate::ready::{Move, Receiver};
use sortie_intern::Register;
use sortie_model::{Fingerprinter, ModelError};
use std::borrow::Cow;

/// Where receivers go with what they receive, by component, word, number of the offer and arguments. Known to all threads: finding it out takes far longer than finding it.
#[derive(Default)]
pub(crate) struct Receptions(Register<Box<[Move]>>);

impl Receptions {
    /// The moves of a receiver that gets these arguments.
    pub(crate) fn moves<'n, P: Processes>(
        &'n self,
        network: &Network<P>,
        state: &[u32],
        receiver: &Receiver<P>,
        arguments: ArgumentsId,
        remember: bool,
    ) -> Result<Cow<'n, [Move]>, ModelError> {
        let open = &receiver.open;
        let word = state[open.component.0 as usize];
        let mut print = Fingerprinter::new();
        for (one, other) in [(open.component.0, word), (open.offer as u32, arguments.0)] {
            print.mix(u64::from(one) << 32 | u64::from(other));
        }
        let print = print.fingerprint();
        if let Some(known) = self.0.look_up(print) {
            return Ok(Cow::Borrowed(known));
        }
        let mut moves = Vec::new();
        for closed in network.received(open, arguments)? {
            let moved = network.memory.go(open.component, state, closed.target);
            if !moves.contains(&moved) {
                moves.push(moved);
            }
        }
        if !remember {
            return Ok(Cow::Owned(moves));
        }
        let known = self.0.find_or_enter(print, || {
            network.count(size_of_val(&*moves) as u64);
            moves.into()
        });
        Ok(Cow::Borrowed(self.0.get(known)))
    }

    /// Memory in bytes, without what the network counts.
    pub(crate) fn bytes(&self) -> u64 {
        self.0.bytes()
    }
}
