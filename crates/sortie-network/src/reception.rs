//! What receivers do with what they are sent, remembered.

use crate::network::Network;
use crate::offer::{ArgumentsId, Processes};
use crate::ready::{Move, Receiver};
use sortie_model::{Fingerprinter, ModelError};
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// Component and word; number of the offer and arguments.
type Reception = (u64, u64);

/// Where receivers go with what they receive.
#[derive(Default)]
pub(crate) struct Receptions {
    /// The first and the last place among the moves.
    known: HashMap<Reception, (u32, u32), BuildHasherDefault<Fingerprinter>>,
    moves: Vec<Move>,
}

impl Receptions {
    /// The moves of a receiver that gets these arguments, as places among those of the receptions.
    pub(crate) fn places<P: Processes>(
        &mut self,
        network: &Network<P>,
        state: &[u32],
        receiver: &Receiver<P>,
        arguments: ArgumentsId,
        remember: bool,
    ) -> Result<(u32, u32), ModelError> {
        let open = &receiver.open;
        let word = state[open.component.0 as usize];
        let both = |one: u32, other: u32| u64::from(one) << 32 | u64::from(other);
        let key = (
            both(open.component.0, word),
            both(open.offer as u32, arguments.0),
        );
        if let Some(known) = self.known.get(&key) {
            return Ok(*known);
        }
        let first = self.moves.len() as u32;
        for closed in network.received(open, arguments)? {
            let moved = network.memory.go(open.component, state, closed.target);
            if !self.moves[first as usize..].contains(&moved) {
                self.moves.push(moved);
            }
        }
        let places = (first, self.moves.len() as u32);
        if remember {
            self.known.insert(key, places);
            network.count(48);
        }
        Ok(places)
    }

    pub(crate) fn at(&self, place: u32) -> Move {
        self.moves[place as usize]
    }

    /// Drops moves that are not to be remembered.
    pub(crate) fn forget_from(&mut self, place: u32) {
        self.moves.truncate(place as usize);
    }
}
