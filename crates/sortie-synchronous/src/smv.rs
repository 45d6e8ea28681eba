//! SMV, the language of NuSMV, in the style of assignments: `.smv` files.
//!
//! A text goes through these steps: [`lexer`], [`parser`] (into a [`tree`]), [`instances`], which makes copies of modules and their variables, and
//! [`model`], which makes rules of assignments and constraints with the help of [`lower`]. What depends on numbers and definitions alone is calculated
//! while reading.

mod assign;
mod constraints;
mod instances;
mod lexer;
mod lower;
mod model;
mod parser;
mod print;
mod properties;
mod scope;
mod tree;

use crate::{Expression, System};
use lower::{Context, Lowerer, Made};
use scope::{MAIN, Scope};
use sortie_syntax::{Diagnostic, Log, Source};

/// The messages about a text.
fn log(text: &str) -> Log {
    Log::new(
        text,
        "this model is too large",
        "smaller arrays and fewer instances make fewer variables; definitions with sets, and elements of arrays with a variable index within an index, are copied wherever they are used",
    )
}

/// What a text is about.
#[derive(Clone, Debug)]
pub struct Written {
    /// Variables and rules, and what should hold.
    pub system: System,
    /// What is odd about the text.
    pub warnings: Vec<Diagnostic>,
    /// Parameters and constant definitions of `main` with the values they have, in the order of the text.
    pub parameters: Vec<(String, String)>,
    scope: Scope,
    made: Made,
}

impl Written {
    /// An expression that is true or false in every state, in the words of the text: names are those of `main`, such as `left.mode`.
    pub fn expression(&self, text: &str) -> Result<Expression, Vec<Diagnostic>> {
        with_room(|| {
            let tree = parser::expression(text, None)?;
            let mut log = log(text);
            let mut made = self.made.clone();
            let about = Context::State("a property");
            let mut lowerer = Lowerer::new(&self.scope, &mut made, &mut log, MAIN, about);
            lowerer.truth(&tree).map_err(|_| log.errors)
        })
    }
}

/// Reads a text. The settings give definitions of `main` other values than the text does, and its parameters values.
///
/// ```
/// use sortie_syntax::Source;
/// use sortie_synchronous::smv;
/// let text = "
/// MODULE cell(left)
/// VAR on : boolean;
/// ASSIGN init(on) := FALSE; next(on) := left | on;
/// MODULE main
/// DEFINE first := FALSE;
/// VAR a : cell(first); b : cell(a.on);
/// INVARSPEC NAME order := b.on -> a.on;";
/// let source = Source { name: "cells.smv", text };
/// let written = smv::read(source, &[("first".into(), "TRUE".into())]).expect("a text without errors");
/// assert_eq!(written.system.variables[1].name, "b.on");
/// assert_eq!(written.system.properties[0].name, "order");
/// assert!(written.expression("c.on").is_err());
/// ```
pub fn read(source: Source<'_>, settings: &[(String, String)]) -> Result<Written, Vec<Diagnostic>> {
    with_room(|| {
        let modules = parser::modules(source.text)?;
        model::written(source, &modules, settings)
    })
}

/// Deep texts are followed deeply, for which other threads may not have enough room.
const ROOM: usize = 16 << 20;

fn with_room<T: Send>(read: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().stack_size(ROOM);
        let thread = builder
            .spawn_scoped(scope, read)
            .expect("a thread can be started");
        thread
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}
