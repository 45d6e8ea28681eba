//! What every reader of a text needs: diagnostics that show the place, and suggestions for misspelt names.

#![forbid(unsafe_code)]

mod diagnostic;
mod suggestion;

pub use diagnostic::{Diagnostic, Severity, Source};
pub use suggestion::did_you_mean;
