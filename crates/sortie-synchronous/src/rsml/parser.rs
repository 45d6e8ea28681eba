//! Reads tokens into trees.
//!
//! Words of the language are recognised where they can stand, in any case, and with blanks in place of `_`. After an error, reading goes on with the next
//! declaration, so that a text is told about several at once.

mod expression;
mod items;
mod parts;

use super::tree::{Expr, Item, Name};
use sortie_syntax::{Comments, Cursor, Diagnostic, Lexicon, Parsed, RecursiveDescent, plain_word};

type Kind<'s> = sortie_syntax::Kind<'s, i64>;

/// Number of digits that numbers have at most, so that they never reach the values of names.
const MOST_DIGITS: usize = 15;

/// How a text is cut into tokens. The units of a variable may contain anything.
const LEXICON: Lexicon<i64> = Lexicon {
    symbols: &[
        "<->", "->", "<=", ">=", "<>", "!=", "/=", "..", "{", "}", "(", ")", ";", ":", ",", ".",
        "=", "<", ">", "+", "-", "*", "/",
    ],
    comments: Comments {
        line: "//",
        block: ("/*", "*/"),
    },
    elsewhere: &[],
    word: plain_word,
    number: |written| {
        let fits = written.trim_start_matches('0').len() <= MOST_DIGITS;
        let number = written.parse().ok().filter(|_| fits);
        number.ok_or(("is not a number", String::new()))
    },
    quotes: false,
    strict: false,
};

/// Number of errors that are listed.
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

/// The declarations of a whole text.
pub(super) fn items(text: &str) -> Result<Vec<Item>, Vec<Diagnostic>> {
    let mut parser = Parser(LEXICON.cursor(text));
    let mut items = Vec::new();
    while !parser.at_end() && parser.0.errors.len() < MOST_ERRORS {
        let item = parser.item();
        match parser.keep(item) {
            Some(item) => items.extend(item),
            None => parser.skip(),
        }
    }
    parser.finish(Some(items))
}

/// A text that is one expression.
pub(super) fn expression(text: &str) -> Result<Expr, Vec<Diagnostic>> {
    let mut parser = Parser(LEXICON.cursor(text));
    let parsed = parser.expression();
    parser.lone(parsed, "the end of the expression")
}

fn is_reserved(word: &str) -> bool {
    RESERVED
        .iter()
        .any(|reserved| reserved.eq_ignore_ascii_case(word))
}

struct Parser<'s>(Cursor<Kind<'s>>);

impl<'s> RecursiveDescent for Parser<'s> {
    type Kind = Kind<'s>;
    const DEEPEST: usize = 100;
    const LONGEST: usize = 1000;
    const ADVICE: &'static str = "give a part of it a name, as a MACRO or a FUNCTION";

    fn cursor(&self) -> &Cursor<Kind<'s>> {
        &self.0
    }

    fn cursor_mut(&mut self) -> &mut Cursor<Kind<'s>> {
        &mut self.0
    }

    fn advice(&self) -> Option<String> {
        match self.kind() {
            Kind::Strange(text) if text.starts_with(|c: char| c.is_ascii_digit()) => Some(
                "numbers have at most 15 digits and nothing else; names begin with a letter".into(),
            ),
            _ => None,
        }
    }
}

impl Parser<'_> {
    /// How many tokens from this one on are the keyword, if they are.
    fn keyword_at(&self, at: usize, keyword: &str) -> Option<usize> {
        let is = |at: usize, word: &str| matches!(self.kind_at(at), Kind::Word(found) if found.eq_ignore_ascii_case(word));
        if is(at, keyword) {
            return Some(1);
        }
        let parts = keyword.split('_').enumerate();
        let count = keyword.split('_').count();
        let mut all = parts.map(|(place, part)| is(at + place, part));
        (count > 1 && all.all(|found| found)).then_some(count)
    }

    fn is_keyword(&self, keyword: &str) -> bool {
        self.keyword_at(self.0.at, keyword).is_some()
    }

    fn takes_keyword(&mut self, keyword: &str) -> bool {
        let found = self.keyword_at(self.0.at, keyword);
        self.0.at += found.unwrap_or(0);
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
        let name = self.word(what)?;
        if is_reserved(&name.text) {
            let message = format!("`{}` is a word of the language, not a name", name.text);
            return Diagnostic::error(message, name.span).fail();
        }
        Ok(name)
    }

    /// Whether one more fits; an error otherwise.
    fn fits(&self, count: usize, what: &str, start: usize) -> Parsed<()> {
        if count < Self::LONGEST {
            return Ok(());
        }
        let message = format!("more than {} {what}", Self::LONGEST);
        Diagnostic::error(message, self.since(start)).fail()
    }

    /// One or more items with commas between them.
    fn several<T>(
        &mut self,
        what: &str,
        mut item: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let start = self.start();
        let mut count = 0;
        self.separated(|parser| {
            parser.fits(count, what, start)?;
            count += 1;
            item(parser)
        })
    }
}
