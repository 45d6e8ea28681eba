//! Reads tokens into trees.
//!
//! After an error, reading goes on behind the next `;` or at the next section, so that a text is told about several at once.

mod expression;
mod section;

use super::lexer::{self, Kind, RESERVED, Token};
use super::log::{Read, Reported};
use super::tree::{Expr, ExprKind, Module, Name, Span};
use sortie_syntax::Diagnostic;

/// Brackets and operators before their operand may be nested this deep.
const DEEPEST: usize = 150;
/// What expressions become is not deeper than this.
const HIGHEST: usize = 1000;
/// Not more errors than this are listed.
const MOST_ERRORS: usize = 20;

/// The modules of a whole text.
pub(super) fn modules(text: &str) -> Result<Vec<Module>, Vec<Diagnostic>> {
    let mut parser = Parser::new(text, None);
    let mut modules = Vec::new();
    while !parser.at_end() && parser.errors.len() < MOST_ERRORS {
        if parser.is_word("MODULE") {
            parser.at += 1;
            if let Ok(module) = parser.module() {
                modules.push(module);
            }
        } else {
            let _: Read<()> = parser.unexpected("`MODULE`");
            while !parser.at_end() && !parser.is_word("MODULE") {
                parser.at += 1;
            }
        }
    }
    parser.finish(modules)
}

/// A text that is one expression. If it stands for a part of another text, all of it is said to be there.
pub(super) fn expression(text: &str, there: Option<Span>) -> Result<Expr, Vec<Diagnostic>> {
    let mut parser = Parser::new(text, there);
    let parsed = parser.expression();
    if parsed.is_ok() && !parser.at_end() {
        let _: Read<()> = parser.unexpected("the end of the expression");
    }
    match parsed {
        Ok(tree) => parser.finish(tree),
        Err(Reported) => Err(parser.errors),
    }
}

pub(super) struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    /// Directly within `A[ … ]`, where `U` does not belong to the first formula.
    until_ends: bool,
    errors: Vec<Diagnostic>,
}

impl Parser {
    fn new(text: &str, there: Option<Span>) -> Self {
        let (mut tokens, mut errors) = lexer::tokens(text);
        if let Some(there) = there {
            for token in &mut tokens {
                token.span = there.clone();
            }
            for error in &mut errors {
                error.span = there.clone();
            }
        }
        errors.truncate(MOST_ERRORS);
        Parser {
            tokens,
            at: 0,
            depth: 0,
            until_ends: false,
            errors,
        }
    }

    fn finish<T>(self, value: T) -> Result<T, Vec<Diagnostic>> {
        if self.errors.is_empty() {
            Ok(value)
        } else {
            Err(self.errors)
        }
    }

    fn peek(&self) -> &Token {
        &self.tokens[self.at]
    }

    fn peek_after(&self, ahead: usize) -> &Kind {
        let last = self.tokens.len() - 1;
        &self.tokens[(self.at + ahead).min(last)].kind
    }

    fn word(&self) -> Option<&str> {
        match &self.peek().kind {
            Kind::Word(word) => Some(word),
            _ => None,
        }
    }

    fn at_end(&self) -> bool {
        self.peek().kind == Kind::End
    }

    fn is(&self, symbol: &str) -> bool {
        matches!(self.peek().kind, Kind::Symbol(s) if s == symbol)
    }

    fn is_word(&self, word: &str) -> bool {
        self.word() == Some(word)
    }

    fn takes(&mut self, symbol: &str) -> bool {
        let found = self.is(symbol);
        self.at += usize::from(found);
        found
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, symbol: &str) -> Read<()> {
        if self.takes(symbol) {
            return Ok(());
        }
        self.missing(&format!("`{symbol}`"))
    }

    /// What is missing at the end of a line is missing there, not at the beginning of the next.
    fn missing<T>(&mut self, wanted: &str) -> Read<T> {
        if self.peek().begins_line
            && let Some(before) = self.at.checked_sub(1)
        {
            let end = self.tokens[before].span.end;
            let found = self.peek().shown();
            let message = format!("expected {wanted}, found {found} on another line");
            return self.report(Diagnostic::error(message, end..end));
        }
        self.unexpected(wanted)
    }

    fn name(&mut self, of: &str) -> Read<Name> {
        let Token { kind, span, .. } = self.peek().clone();
        match kind {
            Kind::Word(text) if RESERVED.contains(&text.as_str()) => self.report(
                Diagnostic::error(
                    format!("expected the name of {of}, but `{text}` is a word of the language"),
                    span,
                )
                .help(format!("another name would do, as `{text}_`")),
            ),
            Kind::Word(text) => {
                self.at += 1;
                Ok(Name { text, span })
            }
            _ => self.unexpected(&format!("the name of {of}")),
        }
    }

    /// From a byte to the end of the last token read.
    fn since(&self, start: usize) -> Span {
        let end = self
            .at
            .checked_sub(1)
            .map_or(0, |last| self.tokens[last].span.end);
        start..end.max(start)
    }

    /// An expression, unless it is too deep.
    fn made(&mut self, kind: ExprKind, span: Span) -> Read<Expr> {
        let height = kind.height();
        if height <= HIGHEST {
            return Ok(Expr { kind, span, height });
        }
        self.report(
            Diagnostic::error("this expression is too deep", span)
                .label(format!("operators and branches stand {height} deep"))
                .help(format!(
                    "at most {HIGHEST} are read; a DEFINE for a part of it makes it shorter"
                )),
        )
    }

    fn unexpected<T>(&mut self, wanted: &str) -> Read<T> {
        let token = self.peek().clone();
        let error = Diagnostic::error(
            format!("expected {wanted}, found {}", token.shown()),
            token.span,
        );
        self.report(error)
    }

    fn report<T>(&mut self, error: Diagnostic) -> Read<T> {
        if self.errors.len() < MOST_ERRORS {
            self.errors.push(error);
        }
        Err(Reported)
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth >= DEEPEST {
            let span = self.peek().span.clone();
            return self.report(
                Diagnostic::error("this is nested too deeply", span)
                    .help(format!("at most {DEEPEST} levels are read")),
            );
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }
}
