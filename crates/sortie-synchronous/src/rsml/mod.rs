//! Requirement tables: RSML⁻ᵉ, `.rsml` files.
//!
//! A text goes through these steps: [`parser`] (into a [`tree`]), [`declare`] and [`resolve`] (names and types, into [`term`]s), [`lower`] and
//! [`assemble`] (into a [`System`]). [`tables`] looks for rows that overlap, are missing, or never apply.

mod assemble;
mod build;
mod declare;
mod lower;
mod parser;
mod resolve;
mod scope;
mod tables;
mod term;
mod tree;

use crate::expression::Expression;
use crate::system::System;
use lower::{Lowering, Time};
use resolve::Resolver;
use scope::Scope;
use sortie_model::Fingerprint;
use sortie_syntax::{Diagnostic, Source, Span};

/// What a text is about.
#[derive(Clone, Debug)]
pub struct Written {
    /// Its variables and how they change.
    pub system: System,
    /// What is odd about the text.
    pub warnings: Vec<Diagnostic>,
    /// Constants with the values they have, in the order of the text.
    pub parameters: Vec<(String, String)>,
    scope: Scope,
    /// Which of the scope's variables may be UNDEFINED.
    may: Vec<bool>,
}

impl Written {
    /// A condition that is true or false in every state, in the words of the text: variables are those of the state.
    pub fn expression(&self, text: &str) -> Result<Expression, Vec<Diagnostic>> {
        let tree = parser::expression(text)?;
        let mut errors = Vec::new();
        let mut resolver = Resolver {
            scope: &self.scope,
            parameters: &[],
            errors: &mut errors,
        };
        let Ok(term) = resolver.condition(&tree) else {
            return Err(errors);
        };
        let mut lowering = Lowering::new(&self.scope, &self.may, false);
        let condition = lowering
            .condition(&term, Time::Alone)
            .map_err(|error| self.within(tree.span, *error))?;
        let read = lowering.read_before.iter().enumerate();
        for (number, _) in read.filter(|(_, read)| **read) {
            let variable = &self.scope.variables[number];
            let undefined = self.scope.undefined;
            let has = self.system.variables[number].domain.place(undefined);
            if variable.input && variable.initial == undefined && has.is_none() {
                let name = &variable.name;
                let message = format!("the input `{name}` has no value before the first step");
                return Err(vec![
                    Diagnostic::error(message, tree.span)
                        .help(format!("give `{name}` an INITIAL_VALUE")),
                ]);
            }
        }
        Ok(condition)
    }

    /// What is odd about rows and columns: those that overlap with different results, that are missing, or that never apply. This may take
    /// seconds, because it is decided exactly.
    pub fn tables(&self) -> Vec<Diagnostic> {
        tables::check(&self.scope, &self.may)
    }

    /// Places of errors in macros are in another text than the expression.
    fn within(&self, span: Span, mut error: Diagnostic) -> Vec<Diagnostic> {
        error.secondary.clear();
        error.span = span;
        vec![error]
    }
}

/// Reads a text. The settings give constants other values than the text does.
///
/// ```
/// use sortie_syntax::Source;
/// use sortie_synchronous::rsml;
/// let text = "
/// CONSTANT Most : INTEGER = 3
/// IN_VARIABLE Button : BOOLEAN
///     INITIAL_VALUE : FALSE
/// END IN_VARIABLE
/// STATE_VARIABLE Presses : INTEGER 0 TO Most
///     INITIAL_VALUE : 0
///     EQUALS PREV_STEP(Presses) + 1 IF WHEN(Button) AND PREV_STEP(Presses) < Most
/// END STATE_VARIABLE
/// PROPERTY Few : Presses < 3 END PROPERTY";
/// let source = Source { name: "presses.rsml", text };
/// let written = rsml::read(source, &[("Most".into(), "2".into())]).expect("a text without errors");
/// assert_eq!(written.system.variables[1].domain.size(), 3);
/// assert!(written.expression("Pressed = 2").is_err());
/// ```
pub fn read(source: Source<'_>, settings: &[(String, String)]) -> Result<Written, Vec<Diagnostic>> {
    let items = parser::items(source.text)?;
    let file = source.name.rsplit(['/', '\\']).next().unwrap_or_default();
    let (scope, warnings) = declare::scope(file, &items, settings)?;
    let content = Fingerprint::of_settings(source.text, settings);
    let (system, may) = assemble::system(&scope, file, content)?;
    let parameters = scope.constants.iter().map(|constant| {
        let value = scope.value_name(constant.of.kind, constant.value);
        (constant.name.clone(), value)
    });
    Ok(Written {
        system,
        warnings,
        parameters: parameters.collect(),
        scope,
        may,
    })
}
