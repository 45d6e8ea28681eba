//! Our own language for machines: `.machines` files.
//!
//! A text goes through four steps: [`lexer`], [`parser`] (into a [`tree`]), and [`meaning`], which multiplies indices out, checks types and
//! makes a [`System`]. Everything that depends on indices, parameters and constants alone is calculated while reading, so that `all j in 0..N-1`
//! becomes a conjunction and a transition whose guard is false for an index does not exist.

mod lexer;
mod meaning;
mod parser;
mod tree;

use crate::System;
use crate::code::Expression;
use meaning::Scope;
use sortie_syntax::{Diagnostic, Source};

/// What a text says should hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// No state satisfies it.
    Never(Expression),
    /// Every state satisfies it.
    Always(Expression),
    /// A formula of linear temporal logic, as text; [`Written::expression`] reads its predicates.
    Ltl(String),
    /// No state from which nothing goes on, but for legal ends.
    Deadlock,
    /// No machine in a fault state.
    Faults,
    /// No cycle without a progress state.
    Progress,
    /// No cycle through an accepting state.
    Accept,
}

/// A property and its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedProperty {
    /// What it is called.
    pub name: String,
    /// What should hold.
    pub wanted: Wanted,
}

/// What a text is about.
#[derive(Clone, Debug)]
pub struct Written {
    /// The machines.
    pub system: System,
    /// What should hold of them, in the order of the text.
    pub properties: Vec<NamedProperty>,
    /// Parameters with the values they have, in the order of the text.
    pub parameters: Vec<(String, String)>,
    /// What is odd about the text.
    pub warnings: Vec<Diagnostic>,
    scope: Scope,
}

impl Written {
    /// An expression that is true or false in every state, in the words of the text.
    pub fn expression(&self, text: &str) -> Result<Expression, Vec<Diagnostic>> {
        let tree = parser::expression(text)?;
        meaning::predicate(&self.scope, &tree)
    }
}

/// Reads a text. The settings give parameters other values than the text does.
///
/// ```
/// use sortie_machines::language;
/// use sortie_syntax::Source;
/// let text = "parameter N = 2;
/// machine lamp[i: 0..N-1] {
///     state off, on;
///     switch_on: off -> on when all j in 0..N-1: lamp[j] in off;
///     switch_off: on -> off;
/// }
/// property one: never lamp[0] in on && lamp[1] in on;";
/// let source = Source { name: "lamps.machines", text };
/// let written = language::read(source, &[("N".into(), "3".into())]).expect("a text without errors");
/// assert_eq!(written.system.machines.len(), 3);
/// assert_eq!(written.system.transitions[4].label, "switch_on(2)");
/// assert!(written.expression("lamp[7] in on").is_err());
/// ```
pub fn read(source: Source<'_>, settings: &[(String, String)]) -> Result<Written, Vec<Diagnostic>> {
    let items = parser::items(source.text)?;
    meaning::written(source, &items, settings)
}
