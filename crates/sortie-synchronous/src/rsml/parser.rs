//! Reads tokens into trees.
//!
//! Words of the language are recognised where they can stand, in any case, and with blanks in place of `_`. After an error, reading goes on with the next
//! declaration, so that a text is told about several at once.

mod expression;
mod items;
mod parts;
mod rows;
mod types;

use super::lexer::{self, Kind, Token};
use super::tree::{Expr, Item, Name, Span};
use sortie_syntax::Diagnostic;

/// Brackets may be nested this deep.
const DEEPEST: usize = 100;
/// An operator may be repeated so often in one expression, and a list may have so many elements.
const LONGEST: usize = 1000;
/// Not more errors than this are listed.
const MOST_ERRORS: usize = 20;

/// Words that cannot be names, in any case.
const RESERVED: &[&str] = &[
    "AND",
    "CASE",
    "ELSE",
    "END",
    "EQUALS",
    "FALSE",
    "IF",
    "IN_STATE",
    "MOD",
    "NOT",
    "OR",
    "OTHERWISE",
    "PREV_STEP",
    "PREV_VALUE",
    "TABLE",
    "THEN",
    "TO",
    "TRANSITION",
    "TRUE",
    "UNDEFINED",
    "WHEN",
    "XOR",
];

/// An error has been written down.
#[derive(Debug)]
pub(super) struct Reported;

pub(super) type Parsed<T> = Result<T, Reported>;

/// The declarations of a whole text.
pub(super) fn items(text: &str) -> Result<Vec<Item>, Vec<Diagnostic>> {
    let mut parser = Parser::new(text);
    let mut items = Vec::new();
    while !parser.at_end() && parser.errors.len() < MOST_ERRORS {
        match parser.item() {
            Ok(Some(item)) => items.push(item),
            Ok(None) => {}
            Err(Reported) => parser.skip(),
        }
    }
    parser.finish(items)
}

/// A text that is one expression.
pub(super) fn expression(text: &str) -> Result<Expr, Vec<Diagnostic>> {
    let mut parser = Parser::new(text);
    let parsed = parser.expression();
    if parsed.is_ok() && !parser.at_end() {
        let _: Parsed<()> = parser.unexpected("the end of the expression");
    }
    match parsed {
        Ok(tree) => parser.finish(tree),
        Err(Reported) => Err(parser.errors),
    }
}

fn is_reserved(word: &str) -> bool {
    RESERVED
        .iter()
        .any(|reserved| reserved.eq_ignore_ascii_case(word))
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    errors: Vec<Diagnostic>,
}

impl Parser {
    fn new(text: &str) -> Self {
        let (tokens, errors) = lexer::tokens(text);
        Parser {
            tokens,
            at: 0,
            depth: 0,
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

    fn at_end(&self) -> bool {
        self.peek().kind == Kind::End
    }

    fn advance(&mut self) {
        if !self.at_end() {
            self.at += 1;
        }
    }

    /// From there to the end of the last token.
    fn since(&self, start: usize) -> Span {
        let end = self
            .at
            .checked_sub(1)
            .map(|last| self.tokens[last].span.end);
        start..end.unwrap_or(start).max(start)
    }

    fn is(&self, symbol: &str) -> bool {
        matches!(self.peek().kind, Kind::Symbol(found) if found == symbol)
    }

    fn takes(&mut self, symbol: &str) -> bool {
        let found = self.is(symbol);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, symbol: &str) -> Parsed<()> {
        if self.takes(symbol) {
            Ok(())
        } else {
            self.unexpected(&format!("`{symbol}`"))
        }
    }

    /// How many tokens from this one on are the keyword, if they are.
    fn keyword_at(&self, at: usize, keyword: &str) -> Option<usize> {
        let is = |at: usize, word: &str| match self.tokens.get(at).map(|token| &token.kind) {
            Some(Kind::Word(found)) => found.eq_ignore_ascii_case(word),
            _ => false,
        };
        if is(at, keyword) {
            return Some(1);
        }
        let parts = keyword.split('_').enumerate();
        let count = keyword.split('_').count();
        let mut all = parts.map(|(place, part)| is(at + place, part));
        (count > 1 && all.all(|found| found)).then_some(count)
    }

    fn is_keyword(&self, keyword: &str) -> bool {
        self.keyword_at(self.at, keyword).is_some()
    }

    fn takes_keyword(&mut self, keyword: &str) -> bool {
        let found = self.keyword_at(self.at, keyword);
        self.at += found.unwrap_or(0);
        found.is_some()
    }

    fn expect_keyword(&mut self, keyword: &str) -> Parsed<()> {
        if self.takes_keyword(keyword) {
            Ok(())
        } else {
            self.unexpected(&format!("`{keyword}`"))
        }
    }

    /// A name that is declared here.
    fn new_name(&mut self, what: &str) -> Parsed<Name> {
        let name = self.name(what)?;
        if is_reserved(&name.text) {
            let message = format!("`{}` is a word of the language, not a name", name.text);
            return self.report(Diagnostic::error(message, name.span));
        }
        Ok(name)
    }

    fn name(&mut self, what: &str) -> Parsed<Name> {
        match &self.peek().kind {
            Kind::Word(word) => {
                let name = Name {
                    text: word.clone(),
                    span: self.peek().span.clone(),
                };
                self.at += 1;
                Ok(name)
            }
            _ => self.unexpected(what),
        }
    }

    fn unexpected<T>(&mut self, wanted: &str) -> Parsed<T> {
        let token = self.peek();
        let message = format!("expected {wanted}, found {}", token.shown());
        let mut error = Diagnostic::error(message, token.span.clone());
        if let Kind::Strange(text) = &token.kind
            && text.starts_with(|c: char| c.is_ascii_digit())
        {
            error = error
                .help("numbers have at most 15 digits and nothing else; names begin with a letter");
        }
        self.report(error)
    }

    fn report<T>(&mut self, error: Diagnostic) -> Parsed<T> {
        self.errors.push(error);
        Err(Reported)
    }

    /// Whether one more fits; an error otherwise.
    fn fits(&mut self, count: usize, what: &str, start: usize) -> Parsed<()> {
        if count < LONGEST {
            return Ok(());
        }
        let span = self.since(start);
        self.report(Diagnostic::error(
            format!("more than {LONGEST} {what}"),
            span,
        ))
    }
}
