//! Listing the steps of many states.

use crate::model::{ModelError, Steps};

/// Lists steps as [`Model::expand`](crate::Model::expand) does, for one thread that wants those of many states: what a model needs for that is its own as long as
/// this lives, and need not be looked for, or locked, for each of them.
pub trait Expander: Send {
    /// Appends every labelled successor of `state` to `steps`.
    fn expand(&mut self, state: &[u32], steps: &mut Steps) -> Result<(), ModelError>;
}
