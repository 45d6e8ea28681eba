//! What can go wrong with a formula that is well-typed.

use crate::tree::Span;
use sortie_data::EvalError;
use sortie_model::ModelError;

/// A formula could not be judged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormulaError {
    /// The model could not be evaluated.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Data in the formula could not be evaluated.
    #[error("{error}")]
    Data {
        /// Why.
        error: EvalError,
        /// Where in the formula.
        span: Span,
    },
    /// Part of the language that is not supported.
    #[error("{what}")]
    Unsupported {
        /// What it is, and what to do.
        what: String,
        /// Where in the formula.
        span: Span,
    },
    /// The game has too many vertices.
    #[error(
        "the formula and the state space give more than {limit} equations; bound the quantifiers and parameters of the formula, or the state space"
    )]
    TooLarge {
        /// How many there may be.
        limit: u64,
    },
}

impl FormulaError {
    /// Where in the formula it went wrong.
    pub fn span(&self) -> Option<Span> {
        match self {
            FormulaError::Data { span, .. } | FormulaError::Unsupported { span, .. } => Some(*span),
            FormulaError::Model(_) | FormulaError::TooLarge { .. } => None,
        }
    }
}
