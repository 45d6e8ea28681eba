//! Walks that draw their steps without listing all of them.

use crate::dice::Dice;
use crate::fingerprint::Fingerprint;
use crate::model::{LabelId, ModelError};

/// Who goes along on a stroll.
pub trait Lookout {
    /// Whether steps with this label are to be looked at one by one. The answer for a label is always the same.
    fn wants(&mut self, label: LabelId) -> bool;

    /// The stroll leaves a state that has so many steps.
    fn leave(&mut self, state: Fingerprint, steps: usize);
}

/// A walk at random through a model without random transitions. It knows how many steps a state has, but finds out where one leads only
/// when it takes it; so what cannot be evaluated is an error only where the walk goes.
pub trait Stroll {
    /// Goes on from this state.
    fn turn_to(&mut self, state: &[u32]);

    /// Where it is.
    fn state(&self) -> &[u32];

    /// Takes at most so many steps, each drawn uniformly from those that [`Model::expand`](crate::Model::expand) would list, by its place in that list; how many
    /// it took. It stops early in a state whose steps must be listed: there are none, one is wanted, or they cannot be told apart otherwise.
    fn go(
        &mut self,
        most: u64,
        dice: &mut Dice,
        lookout: &mut dyn Lookout,
    ) -> Result<u64, ModelError>;
}
