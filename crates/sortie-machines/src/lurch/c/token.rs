//! Words and signs of C, with the places they stand at.

use sortie_syntax::Diagnostic;
use std::ops::Range;

/// Bytes of the file. Texts are shorter than 4 GB; [`read`](crate::lurch::read) sees to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::lurch) struct Span {
    pub start: u32,
    pub end: u32,
}

impl Span {
    pub fn new(start: usize, end: usize) -> Self {
        Span {
            start: u32::try_from(start).unwrap_or(u32::MAX),
            end: u32::try_from(end).unwrap_or(u32::MAX),
        }
    }

    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// From the beginning of this to the end of the other. Macros may leave the other in front.
    pub fn to(self, other: Span) -> Span {
        Span {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }
}

/// An error, boxed because it is large and rare.
pub(in crate::lurch) type Fault = Box<Diagnostic>;

/// An error with advice.
pub(in crate::lurch) fn fault(
    span: Span,
    message: impl Into<String>,
    help: impl Into<String>,
) -> Fault {
    Box::new(Diagnostic::error(message, span.range()).help(help))
}

/// The same, as the result of something that failed.
pub(in crate::lurch) fn fail<T>(
    span: Span,
    message: impl Into<String>,
    help: impl Into<String>,
) -> Result<T, Fault> {
    Err(fault(span, message, help))
}

/// What kind of word or sign it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::lurch) enum Kind {
    Name(String),
    /// A number and whether it carries `u` or `l`.
    Number {
        value: i64,
        unsigned: bool,
        long: bool,
    },
    /// A number with a point or an exponent.
    Real,
    /// A text in double quotes, without them.
    Text(String),
    Sign(&'static str),
    /// Something that is no C; it matters only where it is used.
    Bad(&'static str),
    End,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::lurch) struct Token {
    pub kind: Kind,
    pub span: Span,
    /// Whether it is the first of its line.
    pub first: bool,
}

impl Token {
    pub fn is(&self, sign: &str) -> bool {
        matches!(self.kind, Kind::Sign(s) if s == sign)
    }

    pub fn name(&self) -> Option<&str> {
        match &self.kind {
            Kind::Name(name) => Some(name),
            _ => None,
        }
    }

    /// How a message calls it.
    pub fn describe(&self) -> String {
        match &self.kind {
            Kind::Name(name) => format!("`{name}`"),
            Kind::Number { value, .. } => format!("`{value}`"),
            Kind::Real => "a number with a point".to_owned(),
            Kind::Text(_) => "a text".to_owned(),
            Kind::Sign(sign) => format!("`{sign}`"),
            Kind::Bad(what) => (*what).to_owned(),
            Kind::End => "the end of the code".to_owned(),
        }
    }
}

/// Longer ones first.
const SIGNS: [&str; 48] = [
    "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=",
    "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##", "+", "-", "*", "/", "%", "<", ">", "=", "!",
    "&", "|", "^", "~", "?", ":", ";", ",", ".", "(", ")", "[", "]", "{", "}", "#",
];

/// The tokens of a part of a text.
pub(in crate::lurch) fn tokens(text: &str, part: Range<usize>) -> Vec<Token> {
    let mut scanner = Scanner {
        text,
        at: part.start,
        end: part.end,
    };
    let mut all = Vec::new();
    let mut first = true;
    while let Some(next) = scanner.next(&mut first) {
        all.push(next);
    }
    all
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    end: usize,
}

impl Scanner<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..self.end]
    }

    fn next(&mut self, first: &mut bool) -> Option<Token> {
        if let Some(bad) = self.skip_blanks(first) {
            return Some(bad);
        }
        let start = self.at;
        let byte = *self.rest().as_bytes().first()?;
        let kind = match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                let length = self.word();
                let name = self.rest()[..length].to_owned();
                self.at += length;
                Kind::Name(name)
            }
            b'0'..=b'9' => self.number(),
            b'"' => self.text(),
            b'\'' => self.character(),
            _ => match SIGNS.iter().find(|sign| self.rest().starts_with(**sign)) {
                Some(sign) => {
                    self.at += sign.len();
                    Kind::Sign(sign)
                }
                None => {
                    self.at += self.rest().chars().next().map_or(1, char::len_utf8);
                    Kind::Bad("a character that C does not know")
                }
            },
        };
        Some(Token {
            kind,
            span: Span::new(start, self.at),
            first: std::mem::replace(first, false),
        })
    }

    /// Skips blanks and comments; a comment without an end is a token that nobody accepts.
    fn skip_blanks(&mut self, first: &mut bool) -> Option<Token> {
        loop {
            let rest = self.rest();
            let bytes = rest.as_bytes();
            match bytes.first() {
                Some(b'\n') => {
                    *first = true;
                    self.at += 1;
                }
                Some(b' ' | b'\t' | b'\r' | 0x0b | 0x0c) => self.at += 1,
                Some(b'\\') if bytes.get(1) == Some(&b'\n') => self.at += 2,
                Some(b'\\') if rest[1..].starts_with("\r\n") => self.at += 3,
                Some(b'/') if bytes.get(1) == Some(&b'/') => {
                    self.at += rest.find('\n').unwrap_or(rest.len());
                }
                Some(b'/') if bytes.get(1) == Some(&b'*') => match rest[2..].find("*/") {
                    Some(length) => self.at += length + 4,
                    None => {
                        let start = self.at;
                        self.at = self.end;
                        return Some(Token {
                            kind: Kind::Bad("a comment without an end"),
                            span: Span::new(start, start + 2),
                            first: false,
                        });
                    }
                },
                _ => return None,
            }
        }
    }

    /// How many bytes of letters, digits and underscores come next.
    fn word(&self) -> usize {
        let rest = self.rest();
        rest.bytes()
            .position(|b| !(b.is_ascii_alphanumeric() || b == b'_'))
            .unwrap_or(rest.len())
    }

    fn number(&mut self) -> Kind {
        let length = self.word();
        let rest = self.rest();
        let word = rest[..length].to_ascii_lowercase();
        let hexadecimal = word.starts_with("0x");
        let point = rest[length..].starts_with('.');
        if point || (!hexadecimal && word.contains('e')) {
            self.at += length;
            if point {
                self.at += 1;
                self.at += self.word();
            }
            return Kind::Real;
        }
        self.at += length;
        let digits = word.trim_end_matches(['u', 'l']);
        let suffix = &word[digits.len()..];
        let value = if let Some(digits) = digits.strip_prefix("0x") {
            i64::from_str_radix(digits, 16)
        } else if let Some(digits) = digits.strip_prefix("0b") {
            i64::from_str_radix(digits, 2)
        } else if digits.len() > 1 && digits.starts_with('0') {
            i64::from_str_radix(digits, 8)
        } else {
            digits.parse()
        };
        match value {
            Ok(value) if suffix.len() <= 3 => Kind::Number {
                value,
                unsigned: suffix.contains('u'),
                long: suffix.contains('l'),
            },
            _ => Kind::Bad("a number that does not fit or is not well-formed"),
        }
    }

    fn text(&mut self) -> Kind {
        self.at += 1;
        let mut text = String::new();
        loop {
            match self.rest().chars().next() {
                Some('"') => {
                    self.at += 1;
                    return Kind::Text(text);
                }
                None | Some('\n') => return Kind::Bad("a text without an end"),
                Some('\\') => match self.escape() {
                    Some(code) => text.push(char::from(code)),
                    None => return Kind::Bad("an unknown escape"),
                },
                Some(c) => {
                    text.push(c);
                    self.at += c.len_utf8();
                }
            }
        }
    }

    fn character(&mut self) -> Kind {
        const BAD: Kind = Kind::Bad("a character constant that is not well-formed");
        self.at += 1;
        let code = match self.rest().as_bytes().first() {
            Some(b'\\') => self.escape(),
            Some(&byte) if byte.is_ascii() && byte != b'\'' && byte != b'\n' => {
                self.at += 1;
                Some(byte)
            }
            _ => None,
        };
        let (Some(code), true) = (code, self.rest().starts_with('\'')) else {
            return BAD;
        };
        self.at += 1;
        // A character is a number with a sign.
        Kind::Number {
            value: i64::from(code.cast_signed()),
            unsigned: false,
            long: false,
        }
    }

    /// The code after a backslash.
    fn escape(&mut self) -> Option<u8> {
        self.at += 1;
        let bytes = self.rest().as_bytes();
        let byte = *bytes.first()?;
        let simple = match byte {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'a' => 7,
            b'b' => 8,
            b'f' => 12,
            b'v' => 11,
            b'\\' | b'\'' | b'"' | b'?' => byte,
            b'x' => {
                let digits = bytes[1..]
                    .iter()
                    .take(2)
                    .take_while(|b| b.is_ascii_hexdigit())
                    .count();
                let code = u8::from_str_radix(&self.rest()[1..1 + digits], 16).ok();
                self.at += 1 + digits;
                return code;
            }
            b'0'..=b'7' => {
                let digits = bytes
                    .iter()
                    .take(3)
                    .take_while(|b| (b'0'..=b'7').contains(*b))
                    .count();
                let code = u8::from_str_radix(&self.rest()[..digits], 8).ok();
                self.at += digits;
                return code;
            }
            _ => return None,
        };
        self.at += 1;
        Some(simple)
    }
}
