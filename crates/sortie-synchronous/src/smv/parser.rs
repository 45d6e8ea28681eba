//! Reads tokens into trees.
//!
//! After an error, reading goes on behind the next `;` or at the next section, so that a text is told about several at once.

mod expression;
mod section;

use super::lexer::{LEXICON, Number, RESERVED};
use super::tree::{Expr, ExprKind, Module, Span};
use section::SECTIONS;
use sortie_syntax::{Cursor, Diagnostic, Parsed, RecursiveDescent};

type Kind<'s> = sortie_syntax::Kind<'s, Number>;

/// What expressions become is not deeper than this.
const HIGHEST: usize = 1000;
/// Not more errors than this are listed.
const MOST_ERRORS: usize = 20;

/// The modules of a whole text.
pub(super) fn modules(text: &str) -> Result<Vec<Module>, Vec<Diagnostic>> {
    let mut parser = Parser::new(text, None);
    let mut modules = Vec::new();
    while !parser.at_end() && !parser.is_full() {
        let module = if parser.takes("MODULE") {
            parser.module().map(|module| modules.push(module))
        } else {
            let error = parser.unexpected("`MODULE`");
            while !parser.at_end() && !parser.is("MODULE") {
                parser.advance();
            }
            error
        };
        parser.keep(module);
    }
    parser.cursor.errors.truncate(MOST_ERRORS);
    parser.finish(Some(modules))
}

/// A text that is one expression. If it stands for a part of another text, all of it is said to be there.
pub(super) fn expression(text: &str, there: Option<Span>) -> Result<Expr, Vec<Diagnostic>> {
    let mut parser = Parser::new(text, there);
    let parsed = parser.expression();
    parser.lone(parsed, "the end of the expression")
}

pub(super) struct Parser<'s> {
    cursor: Cursor<Kind<'s>>,
    /// Directly within `A[ … ]`, where `U` does not belong to the first formula.
    until_ends: bool,
}

impl<'s> RecursiveDescent for Parser<'s> {
    type Kind = Kind<'s>;
    const DEEPEST: usize = 150;
    const ADVICE: &'static str = "a DEFINE for a part of it makes it shorter";

    fn is_reserved(word: &str) -> bool {
        RESERVED.contains(&word) || SECTIONS.iter().any(|(section, _)| *section == word)
    }

    fn cursor(&self) -> &Cursor<Kind<'s>> {
        &self.cursor
    }

    fn cursor_mut(&mut self) -> &mut Cursor<Kind<'s>> {
        &mut self.cursor
    }
}

impl<'s> Parser<'s> {
    fn new(text: &'s str, there: Option<Span>) -> Self {
        let mut cursor = LEXICON.cursor(text);
        if let Some(there) = there {
            for token in &mut cursor.tokens {
                token.span = there;
            }
            for error in &mut cursor.errors {
                error.span = there;
            }
        }
        cursor.errors.truncate(MOST_ERRORS);
        let until_ends = false;
        Parser { cursor, until_ends }
    }

    /// Whether as many errors are known as are listed.
    fn is_full(&self) -> bool {
        self.cursor.errors.len() >= MOST_ERRORS
    }

    /// An expression, unless it is too deep.
    fn made(&mut self, kind: ExprKind, span: Span) -> Parsed<Expr> {
        let height = kind.height();
        if height <= HIGHEST {
            return Ok(Expr { kind, span, height });
        }
        Diagnostic::error("this expression is too deep", span)
            .label(format!("operators and branches stand {height} deep"))
            .help(format!("at most {HIGHEST} are read; {}", Self::ADVICE))
            .fail()
    }
}
