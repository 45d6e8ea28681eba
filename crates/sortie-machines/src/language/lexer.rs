//! Cuts a text into words, numbers, strings and symbols.

use sortie_syntax::Diagnostic;
use std::ops::Range;

/// Words that cannot be names.
pub(super) const RESERVED: &[&str] = &[
    "accept",
    "all",
    "always",
    "any",
    "asynchronous",
    "bool",
    "constant",
    "count",
    "deadlock",
    "do",
    "else",
    "end",
    "exists",
    "false",
    "fault",
    "faults",
    "for",
    "function",
    "goto",
    "if",
    "in",
    "initial",
    "initially",
    "int",
    "ltl",
    "machine",
    "never",
    "of",
    "parameter",
    "priority",
    "progress",
    "property",
    "queue",
    "return",
    "state",
    "sum",
    "synchronous",
    "then",
    "timing",
    "true",
    "type",
    "var",
    "when",
    "while",
];

/// Longer symbols come before those that they begin with.
const SYMBOLS: &[&str] = &[
    "->", "=>", "==", "!=", "<=", ">=", "<<", ">>", "&&", "||", "+=", "-=", "..", "{", "}", "(",
    ")", "[", "]", ";", ":", ",", ".", "=", "<", ">", "+", "-", "*", "/", "%", "!", "&", "|", "^",
];

/// What a piece of the text is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name, or a word of the language.
    Word(String),
    Number(i64),
    /// The inside of `"..."`.
    Text(String),
    Symbol(&'static str),
    End,
}

#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) span: Range<usize>,
    /// Whether it is on another line than the one before.
    pub(super) begins_line: bool,
}

impl Token {
    /// The token in messages.
    pub(super) fn shown(&self) -> String {
        match &self.kind {
            Kind::Word(word) => format!("`{word}`"),
            Kind::Number(number) => format!("`{number}`"),
            Kind::Text(_) => "a text in quotes".into(),
            Kind::Symbol(symbol) => format!("`{symbol}`"),
            Kind::End => "the end of the text".into(),
        }
    }
}

/// All tokens, the last of which is the end, and what cannot be read.
pub(super) fn tokens(text: &str) -> (Vec<Token>, Vec<Diagnostic>) {
    let mut lexer = Lexer {
        text,
        at: 0,
        errors: Vec::new(),
    };
    let mut tokens = Vec::new();
    loop {
        let end = lexer.at;
        lexer.skip_blanks();
        let start = lexer.at;
        let begins_line = text[end..start].contains('\n');
        let Some(first) = text[start..].chars().next() else {
            break;
        };
        if let Some(kind) = lexer.token(first) {
            tokens.push(Token {
                kind,
                span: start..lexer.at,
                begins_line,
            });
        }
    }
    tokens.push(Token {
        kind: Kind::End,
        span: text.len()..text.len(),
        begins_line: true,
    });
    (tokens, lexer.errors)
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    errors: Vec<Diagnostic>,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            let blanks = rest.len() - rest.trim_start().len();
            let comment = if rest[blanks..].starts_with("//") {
                rest[blanks..].find('\n').unwrap_or(rest.len() - blanks)
            } else if rest[blanks..].starts_with("/*") {
                match rest[blanks..].find("*/") {
                    Some(end) => end + 2,
                    None => {
                        let start = self.at + blanks;
                        self.errors.push(
                            Diagnostic::error("this comment has no end", start..start + 2).help(
                                "comments end with `*/`, or begin with `//` and end with the line",
                            ),
                        );
                        rest.len() - blanks
                    }
                }
            } else {
                0
            };
            let skipped = blanks + comment;
            if skipped == 0 {
                return;
            }
            self.at += skipped;
        }
    }

    fn token(&mut self, first: char) -> Option<Kind> {
        if first.is_ascii_alphabetic() || first == '_' {
            let word = self.take(|c| c.is_ascii_alphanumeric() || c == '_');
            return Some(Kind::Word(word));
        }
        if first.is_ascii_digit() {
            return Some(self.number());
        }
        if first == '"' {
            return Some(self.quoted());
        }
        if let Some(symbol) = SYMBOLS.iter().find(|s| self.rest().starts_with(**s)) {
            self.at += symbol.len();
            return Some(Kind::Symbol(symbol));
        }
        let span = self.at..self.at + first.len_utf8();
        self.at = span.end;
        self.errors.push(Diagnostic::error(
            format!("`{}` means nothing here", first.escape_debug()),
            span,
        ));
        None
    }

    fn take(&mut self, part: impl Fn(char) -> bool) -> String {
        let rest = self.rest();
        let length = rest.find(|c| !part(c)).unwrap_or(rest.len());
        let taken = rest[..length].to_owned();
        self.at += length;
        taken
    }

    fn number(&mut self) -> Kind {
        let start = self.at;
        let written = self.take(|c| c.is_ascii_alphanumeric() || c == '_');
        let digits = written.replace('_', "");
        let value = match digits.strip_prefix("0x") {
            Some(hexadecimal) => i64::from_str_radix(hexadecimal, 16),
            None => digits.parse(),
        };
        Kind::Number(value.unwrap_or_else(|_| {
            self.errors.push(
                Diagnostic::error(format!("`{written}` is not a number"), start..self.at).help(
                    "numbers are written 12 or 0x0c and have at most 64 bits; names begin with a letter",
                ),
            );
            0
        }))
    }

    fn quoted(&mut self) -> Kind {
        let start = self.at;
        let inside = &self.text[start + 1..];
        let end = inside.find(['"', '\n']).unwrap_or(inside.len());
        let text = inside[..end].to_owned();
        let closed = inside[end..].starts_with('"');
        self.at = start + 1 + end + usize::from(closed);
        if !closed {
            self.errors.push(
                Diagnostic::error("this text has no end", start..self.at)
                    .help("texts stand between two `\"` on one line"),
            );
        }
        Kind::Text(text)
    }
}
