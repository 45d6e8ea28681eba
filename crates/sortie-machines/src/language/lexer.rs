//! The tokens of the language.

use sortie_syntax::{Comments, Lexicon, plain_word};

/// Words that declarations begin with.
pub(super) const ITEMS: &[&str] = &[
    "parameter",
    "constant",
    "type",
    "var",
    "machine",
    "never",
    "function",
    "initially",
    "timing",
    "property",
];

/// Other words that cannot be names.
const RESERVED: &[&str] = &[
    "accept", "all", "always", "any", "bool", "count", "deadlock", "do", "else", "end", "exists",
    "false", "fault", "faults", "for", "goto", "if", "in", "initial", "int", "ltl", "of",
    "priority", "progress", "queue", "return", "state", "sum", "then", "true", "when", "while",
];

/// Whether a word cannot be a name.
pub(super) fn is_reserved(word: &str) -> bool {
    let other = matches!(word, "asynchronous" | "synchronous");
    other || ITEMS.contains(&word) || RESERVED.contains(&word)
}

/// Longer symbols come before those that they begin with.
const SYMBOLS: &[&str] = &[
    "->", "=>", "==", "!=", "<=", ">=", "<<", ">>", "&&", "||", "+=", "-=", "..", "{", "}", "(",
    ")", "[", "]", ";", ":", ",", ".", "=", "<", ">", "+", "-", "*", "/", "%", "!", "&", "|", "^",
];

/// How a text is cut into tokens.
pub(super) const LEXICON: Lexicon<i64> = Lexicon {
    symbols: SYMBOLS,
    comments: Comments {
        line: "//",
        block: ("/*", "*/"),
    },
    elsewhere: &[],
    word: plain_word,
    number,
    quotes: true,
    strict: true,
};

fn number(written: &str) -> Result<i64, (&'static str, String)> {
    let digits = written.replace('_', "");
    let value = match digits.strip_prefix("0x") {
        Some(hexadecimal) => i64::from_str_radix(hexadecimal, 16),
        None => digits.parse(),
    };
    let help = "numbers are written 12 or 0x0c and have at most 64 bits; names begin with a letter";
    value.map_err(|_| ("is not a number", help.into()))
}
