//! Cuts a text into words, numbers and symbols.

use super::tree::WordConstant;
use crate::Domain;
use sortie_syntax::Diagnostic;
use std::ops::Range;

/// Words that cannot be names.
pub(super) const RESERVED: &[&str] = &[
    "A",
    "ABF",
    "ABG",
    "AF",
    "AG",
    "ASSIGN",
    "AX",
    "BU",
    "COMPASSION",
    "COMPID",
    "COMPUTE",
    "CONSTANTS",
    "CONSTRAINT",
    "CTLSPEC",
    "DEFINE",
    "E",
    "EBF",
    "EBG",
    "EF",
    "EG",
    "EX",
    "F",
    "FAIRNESS",
    "FALSE",
    "FROZENVAR",
    "G",
    "H",
    "INIT",
    "INVAR",
    "INVARSPEC",
    "ISA",
    "IVAR",
    "JUSTICE",
    "LTLSPEC",
    "MAX",
    "MDEFINE",
    "MIN",
    "MIRROR",
    "MODULE",
    "NAME",
    "O",
    "PARSYNTH",
    "PRED",
    "PREDICATES",
    "PSLSPEC",
    "S",
    "SPEC",
    "T",
    "TRANS",
    "TRUE",
    "U",
    "V",
    "VAR",
    "X",
    "Y",
    "Z",
    "abs",
    "array",
    "bool",
    "boolean",
    "case",
    "clock",
    "count",
    "esac",
    "extend",
    "in",
    "init",
    "integer",
    "max",
    "min",
    "mod",
    "next",
    "of",
    "process",
    "real",
    "resize",
    "self",
    "signed",
    "sizeof",
    "swconst",
    "toint",
    "union",
    "unsigned",
    "uwconst",
    "word",
    "word1",
    "xnor",
    "xor",
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

/// What a piece of the text is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name, or a word of the language.
    Word(String),
    Number(i64),
    WordConstant(WordConstant),
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
            Kind::WordConstant(_) => "a word constant".into(),
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
            let rest = &rest[blanks..];
            let comment = if let Some(inside) = rest.strip_prefix("/--") {
                match inside.find("--/") {
                    Some(end) => 3 + end + 3,
                    None => {
                        let start = self.at + blanks;
                        self.errors.push(
                            Diagnostic::error("this comment has no end", start..start + 3).help(
                                "comments end with `--/`, or begin with `--` and end with the line",
                            ),
                        );
                        rest.len()
                    }
                }
            } else if rest.starts_with("--") {
                rest.find('\n').unwrap_or(rest.len())
            } else {
                0
            };
            if blanks + comment == 0 {
                return;
            }
            self.at += blanks + comment;
        }
    }

    fn token(&mut self, first: char) -> Option<Kind> {
        if first.is_ascii_alphabetic() || first == '_' {
            return Some(Kind::Word(self.word()));
        }
        if first.is_ascii_digit() {
            return Some(self.number());
        }
        let rest = self.rest();
        if let Some((symbol, here)) = ELSEWHERE.iter().find(|(s, _)| rest.starts_with(s)) {
            let span = self.at..self.at + symbol.len();
            self.at = span.end;
            self.errors.push(
                Diagnostic::error(format!("`{symbol}` means nothing here"), span)
                    .help(format!("write {here}")),
            );
            return None;
        }
        if let Some(symbol) = SYMBOLS.iter().find(|s| rest.starts_with(**s)) {
            self.at += symbol.len();
            return Some(Kind::Symbol(symbol));
        }
        let span = self.at..self.at + first.len_utf8();
        self.at = span.end;
        let shown = match first.is_control() {
            true => first.escape_default().to_string(),
            false => first.to_string(),
        };
        self.errors.push(Diagnostic::error(
            format!("`{shown}` means nothing here"),
            span,
        ));
        None
    }

    /// Names may contain `-`, as in `take-off`; `a->b` and `a--comment` are not meant.
    fn word(&mut self) -> String {
        let rest = self.rest();
        let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '#');
        let mut end = 0;
        for (at, c) in rest.char_indices() {
            let joins = c == '-' && rest[at + 1..].starts_with(part);
            if !part(c) && !joins {
                break;
            }
            end = at + c.len_utf8();
        }
        self.at += end;
        rest[..end].to_owned()
    }

    fn number(&mut self) -> Kind {
        let start = self.at;
        let rest = self.rest();
        let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let written = &rest[..length.unwrap_or(rest.len())];
        self.at += written.len();
        let span = start..self.at;
        if written.bytes().all(|b| b.is_ascii_digit()) {
            return Kind::Number(match written.parse() {
                Ok(number) if number <= MOST => number,
                _ => {
                    self.errors.push(
                        Diagnostic::error(format!("`{written}` is too large"), span)
                            .help("numbers have at most 62 bits"),
                    );
                    0
                }
            });
        }
        match word_constant(written) {
            Ok(constant) => Kind::WordConstant(constant),
            Err(help) => {
                self.errors.push(
                    Diagnostic::error(format!("`{written}` is not a number"), span).help(help),
                );
                Kind::Number(0)
            }
        }
    }
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
