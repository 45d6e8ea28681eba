//! Formulas over a specification, after name resolution and type checking.

pub use sortie_formula::tree::{
    ActionCall, ActionFormula, ActionFormulaKind, Fixpoint, FixpointId, Formula, FormulaKind,
    Modality, Regular, RegularKind,
};

use crate::check::names::Names;
use crate::specification::{Action, Specification};
use sortie_data::Signature;
use sortie_syntax::Diagnostic;

/// A formula and what it may refer to: the specification's declarations and its own.
#[derive(Clone, Debug)]
pub struct FormulaSpecification {
    /// Starts with the signature of the specification.
    pub signature: Signature,
    /// Starts with the actions of the specification; the others never happen.
    pub actions: Vec<Action>,
    pub formula: Formula,
    pub warnings: Vec<Diagnostic>,
    pub(crate) names: Names,
    /// All variables have smaller numbers.
    pub(crate) next_variable: u32,
}

impl FormulaSpecification {
    /// The specification with the declarations of the formula added. A model of it understands the data of the formula.
    pub fn extend(&self, specification: Specification) -> Specification {
        Specification {
            signature: self.signature.clone(),
            actions: self.actions.clone(),
            names: self.names.clone(),
            next_variable: self.next_variable,
            ..specification
        }
    }
}
