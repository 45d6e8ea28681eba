//! Recursive descent over tokens: looking at the next one, taking it, and saying what was expected.

use crate::{Diagnostic, Grammar, Parsed, Span, precedence};
use std::fmt::Display;

/// A name and where it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Where it is written.
    pub span: Span,
}

impl Display for Name {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.text)
    }
}

/// What a front end calls its tokens.
pub trait TokenKind: Clone + PartialEq {
    /// What stands behind the last token of a text.
    const END: Self;
    /// What separates the items of lists.
    const COMMA: Self;

    /// The token in messages.
    fn shown(&self) -> String;

    /// The word, if it is one.
    fn word(&self) -> Option<&str> {
        None
    }
}

/// One token and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token<K> {
    /// What it is.
    pub kind: K,
    /// Where it stands.
    pub span: Span,
    /// Whether it stands on another line than the one before.
    pub begins_line: bool,
}

impl<K: TokenKind> Token<K> {
    /// Whether it is this token.
    pub fn is<P>(&self, wanted: P) -> bool
    where
        K: PartialEq<P>,
    {
        self.kind == wanted
    }

    /// The word, if it is one.
    pub fn word(&self) -> Option<&str> {
        self.kind.word()
    }

    /// The token in messages.
    pub fn shown(&self) -> String {
        self.kind.shown()
    }
}

/// The tokens of a text, the next of them, and the errors so far.
#[derive(Clone, Debug)]
pub struct Cursor<K> {
    /// All tokens; the last is the end.
    pub tokens: Vec<Token<K>>,
    /// Number of the next token.
    pub at: usize,
    /// What is wrong with the text.
    pub errors: Vec<Diagnostic>,
    depth: usize,
}

impl<K: TokenKind> Cursor<K> {
    /// A cursor before the first of these tokens, behind which the text ends.
    pub fn new(mut tokens: Vec<Token<K>>, end: Span, errors: Vec<Diagnostic>) -> Self {
        tokens.push(Token {
            kind: K::END,
            span: end,
            begins_line: true,
        });
        Cursor {
            tokens,
            at: 0,
            errors,
            depth: 0,
        }
    }
}

/// A parser by recursive descent.
pub trait RecursiveDescent: Sized {
    /// What its tokens are.
    type Kind: TokenKind;
    /// Number of levels that brackets, operators and blocks may be nested, so that no text exhausts the stack.
    const DEEPEST: usize;
    /// Number of operators in one row of operands.
    const LONGEST: usize = usize::MAX;
    /// What to do about an expression that is too deep or too long.
    const ADVICE: &'static str;
    /// Words that cannot be names.
    const RESERVED: &'static [&'static str] = &[];

    /// Whether a word cannot be a name.
    fn is_reserved(word: &str) -> bool {
        Self::RESERVED.contains(&word)
    }

    /// The tokens.
    fn cursor(&self) -> &Cursor<Self::Kind>;

    /// The tokens, to take some.
    fn cursor_mut(&mut self) -> &mut Cursor<Self::Kind>;

    /// The next token in messages.
    fn shown(&self) -> String {
        self.kind().shown()
    }

    /// Advice about the next token where it is not expected.
    fn advice(&self) -> Option<String> {
        None
    }

    /// The next token.
    fn kind(&self) -> &Self::Kind {
        &self.token().kind
    }

    /// The next token and where it stands.
    fn token(&self) -> &Token<Self::Kind> {
        let cursor = self.cursor();
        &cursor.tokens[cursor.at]
    }

    /// Where the next token stands.
    fn span(&self) -> Span {
        self.token().span
    }

    /// The last token taken.
    fn last(&self) -> Option<&Token<Self::Kind>> {
        let cursor = self.cursor();
        cursor.at.checked_sub(1).map(|last| &cursor.tokens[last])
    }

    /// Where the next token begins.
    fn start(&self) -> usize {
        self.span().start
    }

    /// The token with this number; the end behind the last.
    fn kind_at(&self, index: usize) -> &Self::Kind {
        let tokens = &self.cursor().tokens;
        &tokens[index.min(tokens.len() - 1)].kind
    }

    /// The token this far behind the next one.
    fn kind_after(&self, ahead: usize) -> &Self::Kind {
        self.kind_at(self.cursor().at + ahead)
    }

    /// Whether all tokens are taken.
    fn at_end(&self) -> bool {
        *self.kind() == Self::Kind::END
    }

    /// Whether this token comes next.
    fn is<P>(&self, wanted: P) -> bool
    where
        Self::Kind: PartialEq<P>,
    {
        *self.kind() == wanted
    }

    /// Takes a token and tells where it stood. The end is never passed.
    fn advance(&mut self) -> Span {
        let span = self.span();
        self.cursor_mut().at += usize::from(!self.at_end());
        span
    }

    /// Takes this token, if it comes next.
    fn takes<P>(&mut self, wanted: P) -> bool
    where
        Self::Kind: PartialEq<P>,
    {
        let found = self.is(wanted);
        if found {
            self.advance();
        }
        found
    }

    /// Takes this token, which has to come next. What is missing at the end of a line is missing there, not at the
    /// beginning of the next.
    fn expect<P: Display>(&mut self, wanted: P) -> Parsed<Span>
    where
        Self::Kind: PartialEq<P>,
    {
        let shown = format!("`{wanted}`");
        if self.is(wanted) {
            Ok(self.advance())
        } else {
            self.missing(&shown)
        }
    }

    /// An error where something does not stand behind the last token.
    fn missing<T>(&self, wanted: &str) -> Parsed<T> {
        match self.last().map(|last| last.span.end) {
            Some(end) if self.token().begins_line && !self.at_end() => {
                let found = self.shown();
                let message = format!("expected {wanted}, found {found} on another line");
                Diagnostic::error(message, end..end).fail()
            }
            _ => self.unexpected(wanted),
        }
    }

    /// An error at the next token.
    fn unexpected<T>(&self, wanted: &str) -> Parsed<T> {
        let message = format!("expected {wanted}, found {}", self.shown());
        Diagnostic::error(message, self.span())
            .maybe_help(self.advice())
            .fail()
    }

    /// Takes a word that is not reserved; `wanted` is what it should be, as "the name of a type".
    fn name(&mut self, wanted: &str) -> Parsed<Name> {
        match self.kind().word() {
            Some(word) if Self::is_reserved(word) => Diagnostic::error(
                format!("expected {wanted}, but `{word}` is a word of the language"),
                self.span(),
            )
            .help(format!("another name would do, as `{word}_`"))
            .fail(),
            _ => self.word(wanted),
        }
    }

    /// Takes any word.
    fn word(&mut self, wanted: &str) -> Parsed<Name> {
        match self.kind().word().map(str::to_owned) {
            Some(text) => Ok(Name {
                text,
                span: self.advance(),
            }),
            None => self.unexpected(wanted),
        }
    }

    /// From there to the end of the last token taken.
    fn since(&self, start: usize) -> Span {
        let end = self.last().map_or(start, |last| last.span.end);
        Span::new(start, end.max(start))
    }

    /// One or more items with commas between them.
    fn separated<T>(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.takes::<Self::Kind>(Self::Kind::COMMA) {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// Any number of items with commas between them, up to the closing bracket. A last comma may stand before it.
    fn list<T, P: Display + Clone>(
        &mut self,
        close: P,
        mut item: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>>
    where
        Self::Kind: PartialEq<P>,
    {
        let mut items = Vec::new();
        while !self.is(close.clone()) {
            items.push(item(self)?);
            if !self.takes::<Self::Kind>(Self::Kind::COMMA) {
                break;
            }
        }
        self.expect(close)?;
        Ok(items)
    }

    /// What follows this token, if it comes next.
    fn after<T, P>(
        &mut self,
        sign: P,
        read: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<Option<T>>
    where
        Self::Kind: PartialEq<P>,
    {
        Ok(if self.takes(sign) {
            Some(read(self)?)
        } else {
            None
        })
    }

    /// Reads something one level deeper.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.cursor().depth >= Self::DEEPEST {
            return self.too_deep(self.span()).fail();
        }
        self.cursor_mut().depth += 1;
        let result = read(self);
        self.cursor_mut().depth -= 1;
        result
    }

    /// An error about something that is nested deeper than [`DEEPEST`](Self::DEEPEST).
    fn too_deep(&self, span: Span) -> Diagnostic {
        Diagnostic::error("this is nested too deeply", span)
            .label(format!("more than {} levels", Self::DEEPEST))
            .help(Self::ADVICE)
    }

    /// Reads an expression, the operators of which bind at least as tightly as `least`.
    fn climb<G: Grammar<Self>>(&mut self, least: u8) -> Parsed<G::Tree> {
        precedence::climb::<Self, G>(self, least, least)
    }

    /// Writes the error down, if it is one.
    fn keep<T>(&mut self, parsed: Parsed<T>) -> Option<T> {
        parsed
            .map_err(|error| self.cursor_mut().errors.push(*error))
            .ok()
    }

    /// The whole of a text that is one thing, or all that is wrong with it.
    fn lone<T>(mut self, parsed: Parsed<T>, wanted: &str) -> Result<T, Vec<Diagnostic>> {
        let parsed = parsed.and_then(|tree| {
            if self.at_end() {
                Ok(tree)
            } else {
                self.unexpected(wanted)
            }
        });
        let tree = self.keep(parsed);
        self.finish(tree)
    }

    /// What was read, or all that is wrong with the text, in the order of the text.
    fn finish<T>(mut self, tree: Option<T>) -> Result<T, Vec<Diagnostic>> {
        let mut errors = std::mem::take(&mut self.cursor_mut().errors);
        errors.sort_by_key(|error| error.span.start);
        tree.filter(|_| errors.is_empty()).ok_or(errors)
    }
}
