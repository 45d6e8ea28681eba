//! The tokens of the language.

use super::tree::WordConstant;
use crate::Domain;
use sortie_syntax::{Comments, Lexicon};
use std::fmt;

/// Words that cannot be names, besides those that begin sections.
pub(super) const RESERVED: &[&str] = &[
    "A", "ABF", "ABG", "AF", "AG", "AX", "BU", "E", "EBF", "EBG", "EF", "EG", "EX", "F", "FALSE",
    "G", "H", "MAX", "MIN", "MODULE", "NAME", "O", "S", "T", "TRUE", "U", "V", "X", "Y", "Z",
    "abs", "array", "bool", "boolean", "case", "clock", "count", "esac", "extend", "in", "init",
    "integer", "max", "min", "mod", "next", "of", "process", "real", "resize", "self", "signed",
    "sizeof", "swconst", "toint", "union", "unsigned", "uwconst", "word", "word1", "xnor", "xor",
];

/// Longer symbols come before those that they begin with.
const SYMBOLS: &[&str] = &[
    "<->", "->", ":=", "::", "..", "!=", "<=", ">=", "<<", ">>", "{", "}", "(", ")", "[", "]", ";",
    ":", ",", ".", "=", "<", ">", "+", "-", "*", "/", "!", "&", "|", "?",
];

/// What people write who know other languages, and what it is here.
const ELSEWHERE: &[(&str, &str)] = &[
    ("<=>", "`<->`"),
    ("=>", "`->`"),
    ("&&", "`&`"),
    ("||", "`|`"),
    ("==", "`=`"),
    ("%", "`mod`"),
    ("~", "`!`"),
    ("//", "`--` before a comment"),
    ("/*", "`/--` before a comment and `--/` behind it"),
    (
        "#",
        "definitions into a `DEFINE`; there is no preprocessor here",
    ),
];

/// A number, or a word of bits as `0ud8_5`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
    Plain(i64),
    Word(WordConstant),
}

impl Default for Number {
    fn default() -> Number {
        Number::Plain(0)
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Plain(number) => number.fmt(f),
            Number::Word(word) => write!(f, "{} in {} bits", word.value, word.bits),
        }
    }
}

/// How a text is cut into tokens.
pub(super) const LEXICON: Lexicon<Number> = Lexicon {
    symbols: SYMBOLS,
    comments: Comments {
        line: "--",
        block: ("/--", "--/"),
    },
    elsewhere: ELSEWHERE,
    word,
    number,
    quotes: false,
    strict: true,
};

/// Names may contain `-`, as in `take-off`; `a->b` and `a--comment` are not meant.
fn word(text: &str) -> usize {
    let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '#');
    let ends =
        |&(at, c): &(usize, char)| !(part(c) || c == '-' && text[at + 1..].starts_with(part));
    text.char_indices()
        .find(ends)
        .map_or(text.len(), |(at, _)| at)
}

fn number(written: &str) -> Result<Number, (&'static str, String)> {
    if !written.bytes().all(|b| b.is_ascii_digit()) {
        let word = word_constant(written).map(Number::Word);
        return word.map_err(|help| ("is not a number", help));
    }
    let number = written.parse().ok().filter(|&number| number <= MOST);
    let too_large = || ("is too large", "numbers have at most 62 bits".into());
    number.map(Number::Plain).ok_or_else(too_large)
}

/// Numbers that are written down do not come near those that stand for names.
const MOST: i64 = (1 << 62) - 1;

/// `0ud8_5`, `0b4_0101`, `0h_ff`, `0sd16_12`.
fn word_constant(written: &str) -> Result<WordConstant, String> {
    const FORM: &str = "words are written 0ud8_12, 0sd8_12, 0b8_00001100, 0o6_14 or 0h8_0c: base, number of bits, `_`, value; names begin with a letter";
    let form = || FORM.to_owned();
    let rest = written.strip_prefix('0').ok_or_else(form)?;
    let (signed, rest) = match rest.as_bytes().first() {
        Some(b's') => (true, &rest[1..]),
        Some(b'u') => (false, &rest[1..]),
        _ => (false, rest),
    };
    let (radix, each) = match rest.as_bytes().first() {
        Some(b'b' | b'B') => (2, 1),
        Some(b'o' | b'O') => (8, 3),
        Some(b'd' | b'D') => (10, 0),
        Some(b'h' | b'H') => (16, 4),
        _ => return Err(form()),
    };
    let (width, digits) = rest[1..].split_once('_').ok_or_else(form)?;
    let digits = digits.replace('_', "");
    if digits.is_empty() {
        return Err(form());
    }
    let bits = match width {
        "" if each > 0 => u32::try_from(digits.len()).map_or(u32::MAX, |n| n.saturating_mul(each)),
        _ => width.parse().map_err(|_| form())?,
    };
    if bits == 0 || bits > Domain::MOST_BITS {
        return Err(format!(
            "words have between 1 and {} bits",
            Domain::MOST_BITS
        ));
    }
    let value = u64::from_str_radix(&digits, radix).map_err(|_| form())?;
    // The smallest number with a sign is written as the negative of one that is too large by one.
    let most = match (signed, radix) {
        (true, 10) => 1 << (bits - 1),
        _ => (1 << bits) - 1,
    };
    if value > most {
        return Err(format!("the value does not fit into {bits} bits"));
    }
    let value = value as i64;
    let negative = signed && value >= 1 << (bits - 1);
    Ok(WordConstant {
        bits,
        signed,
        value: if negative { value - (1 << bits) } else { value },
    })
}
