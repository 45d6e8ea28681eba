//! Labels as data.

use sortie_data::TermId;
use sortie_model::{LabelId, ModelError};

/// One action of a label, with its data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Happening {
    /// The name of the action.
    pub name: String,
    /// Its data.
    pub values: Vec<TermId>,
}

/// What the labels of a model mean.
pub trait Labels: Sync {
    /// The label as people write it.
    fn text(&self, label: LabelId) -> String;

    /// The actions that happen at once; none for an internal step.
    fn actions(&self, label: LabelId) -> Result<Vec<Happening>, ModelError>;
}
