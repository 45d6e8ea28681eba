//! Reading a text character by character.

use crate::{Diagnostic, Parsed, Span};

/// What comments look like.
#[derive(Clone, Copy, Debug)]
pub struct Comments {
    /// What begins a comment that ends with the line; empty where there is none.
    pub line: &'static str,
    /// What begins and what ends a comment that may span lines; both empty where there are none.
    pub block: (&'static str, &'static str),
}

/// A text and how far it has been read.
#[derive(Clone, Copy, Debug)]
pub struct Scanner<'s> {
    /// The whole text.
    pub text: &'s str,
    /// The next byte.
    pub at: usize,
}

impl<'s> Scanner<'s> {
    /// A scanner at the beginning of a text.
    pub fn new(text: &'s str) -> Self {
        Scanner { text, at: 0 }
    }

    /// What has not been read.
    pub fn rest(&self) -> &'s str {
        &self.text[self.at..]
    }

    /// The next character.
    pub fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// From there to the last byte read.
    pub fn since(&self, start: usize) -> Span {
        Span::new(start, self.at)
    }

    /// Reads this many bytes.
    pub fn take(&mut self, length: usize) -> &'s str {
        let taken = &self.rest()[..length];
        self.at += length;
        taken
    }

    /// Reads characters for as long as they belong.
    pub fn take_while(&mut self, belongs: impl Fn(char) -> bool) -> &'s str {
        let rest = self.rest();
        self.take(rest.find(|c| !belongs(c)).unwrap_or(rest.len()))
    }

    /// Reads one character, if there is one.
    pub fn take_one(&mut self) -> &'s str {
        self.take(self.peek().map_or(0, char::len_utf8))
    }

    /// Reads this text if it comes next.
    pub fn takes(&mut self, wanted: &str) -> bool {
        let found = self.rest().starts_with(wanted);
        self.at += if found { wanted.len() } else { 0 };
        found
    }

    /// Reads the first symbol of the table that comes next; longer symbols stand before those that they begin with.
    pub fn symbol(&mut self, symbols: &'static [&'static str]) -> Option<&'static str> {
        let first = *self.rest().as_bytes().first()?;
        let mut known = symbols.iter().copied();
        known.find(|symbol| symbol.as_bytes()[0] == first && self.takes(symbol))
    }

    /// Skips blanks and comments. A comment without an end is an error, and the rest of the text belongs to it.
    pub fn skip_blanks(&mut self, comments: Comments) -> Parsed<()> {
        let (open, close) = comments.block;
        loop {
            self.at = self.text.len() - self.rest().trim_start().len();
            let start = self.at;
            if !open.is_empty() && self.takes(open) {
                let Some(length) = self.rest().find(close) else {
                    self.at = self.text.len();
                    let span = start..start + open.len();
                    return Diagnostic::error("this comment has no end", span)
                        .help(format!(
                            "comments end with `{close}`, or begin with `{}` and end with the line",
                            comments.line
                        ))
                        .fail();
                };
                self.at += length + close.len();
            } else if !comments.line.is_empty() && self.rest().starts_with(comments.line) {
                self.take_while(|c| c != '\n');
            } else {
                return Ok(());
            }
        }
    }
}
