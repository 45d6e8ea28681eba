//! Messages about specifications and formulas.

pub use sortie_model::{Diagnostic, Severity};
