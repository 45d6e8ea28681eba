//! The tokens of the language.

use sortie_syntax::{Comments, Lexicon, plain_word};

/// Number of digits that numbers have at most, so that they never reach the values of names.
const MOST_DIGITS: usize = 15;

/// How a text is cut into tokens. The units of a variable may contain anything.
pub(super) const LEXICON: Lexicon<i64> = Lexicon {
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
