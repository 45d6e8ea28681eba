//! Cuts a text into words, numbers and symbols.

use sortie_syntax::Diagnostic;
use std::ops::Range;

/// Longer symbols come before those that they begin with.
const SYMBOLS: &[&str] = &[
    "<->", "->", "<=", ">=", "<>", "!=", "/=", "..", "{", "}", "(", ")", ";", ":", ",", ".", "=",
    "<", ">", "+", "-", "*", "/",
];

/// Numbers are written with at most so many digits, so that they never reach the values of names.
const MOST_DIGITS: usize = 15;

/// What a piece of the text is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name, or a word of the language.
    Word(String),
    Number(i64),
    Symbol(&'static str),
    /// Something that is allowed only where it is not read, as in the units of a variable.
    Strange(String),
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
            Kind::Symbol(symbol) => format!("`{symbol}`"),
            Kind::Strange(text) => format!("`{}`", text.escape_debug()),
            Kind::End => "the end of the text".into(),
        }
    }
}

/// All tokens, the last of which is the end, and what is wrong with comments.
pub(super) fn tokens(text: &str) -> (Vec<Token>, Vec<Diagnostic>) {
    let mut errors = Vec::new();
    let mut tokens = Vec::new();
    let mut at = 0;
    loop {
        let end = at;
        at = skip_blanks(text, at, &mut errors);
        let begins_line = tokens.is_empty() || text[end..at].contains('\n');
        let Some(first) = text[at..].chars().next() else {
            break;
        };
        let (kind, length) = token(&text[at..], first);
        tokens.push(Token {
            kind,
            span: at..at + length,
            begins_line,
        });
        at += length;
    }
    tokens.push(Token {
        kind: Kind::End,
        span: text.len()..text.len(),
        begins_line: true,
    });
    (tokens, errors)
}

/// Where the next token begins.
fn skip_blanks(text: &str, mut at: usize, errors: &mut Vec<Diagnostic>) -> usize {
    loop {
        at = text.len() - text[at..].trim_start().len();
        let rest = &text[at..];
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with("/*") {
            match rest.find("*/") {
                Some(end) => at += end + 2,
                None => {
                    errors.push(
                        Diagnostic::error("this comment has no end", at..at + 2).help(
                            "comments end with `*/`, or begin with `//` and end with the line",
                        ),
                    );
                    return text.len();
                }
            }
        } else {
            return at;
        }
    }
}

/// The token that a text begins with, and its length.
fn token(rest: &str, first: char) -> (Kind, usize) {
    if first.is_ascii_alphanumeric() || first == '_' {
        let length = rest
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(rest.len());
        let word = &rest[..length];
        if !first.is_ascii_digit() {
            return (Kind::Word(word.to_owned()), length);
        }
        let number = word
            .parse()
            .ok()
            .filter(|_| word.trim_start_matches('0').len() <= MOST_DIGITS);
        return match number {
            Some(number) => (Kind::Number(number), length),
            None => (Kind::Strange(word.to_owned()), length),
        };
    }
    match SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
        Some(symbol) => (Kind::Symbol(symbol), symbol.len()),
        None => (Kind::Strange(first.to_string()), first.len_utf8()),
    }
}
