//! Words and signs of C, with the places they stand at.

use sortie_syntax::{Comments, Diagnostic, Scanner, TokenKind, plain_word};
pub(in crate::lurch) use sortie_syntax::{Parsed, Span};
use std::ops::Range;

/// An error, boxed because it is large and rare.
pub(in crate::lurch) type Fault = Box<Diagnostic>;

/// An error with advice.
pub(in crate::lurch) fn fault(
    span: Span,
    message: impl Into<String>,
    help: impl Into<String>,
) -> Diagnostic {
    Diagnostic::error(message, span).help(help)
}

/// The same, as the result of something that failed.
pub(in crate::lurch) fn fail<T>(
    span: Span,
    message: impl Into<String>,
    help: impl Into<String>,
) -> Parsed<T> {
    fault(span, message, help).fail()
}

/// What kind of word or sign it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::lurch) enum Kind {
    Name(String),
    /// A number, whether it carries `u`, and whether it carries `l`.
    Number(i64, bool, bool),
    /// A number with a point or an exponent.
    Real,
    /// A text in double quotes, without them.
    Text(String),
    Sign(&'static str),
    /// Something that is no C; it matters only where it is used.
    Bad(&'static str),
    End,
}

pub(in crate::lurch) type Token = sortie_syntax::Token<Kind>;

impl TokenKind for Kind {
    const END: Self = Kind::End;
    const COMMA: Self = Kind::Sign(",");

    fn shown(&self) -> String {
        match self {
            Kind::Name(name) => format!("`{name}`"),
            Kind::Number(value, ..) => format!("`{value}`"),
            Kind::Real => "a number with a point".to_owned(),
            Kind::Text(_) => "a text".to_owned(),
            Kind::Sign(sign) => format!("`{sign}`"),
            Kind::Bad(what) => (*what).to_owned(),
            Kind::End => "the end of the code".to_owned(),
        }
    }

    fn word(&self) -> Option<&str> {
        match self {
            Kind::Name(name) => Some(name),
            _ => None,
        }
    }
}

/// Words and signs are equal to what is written.
impl PartialEq<&str> for Kind {
    fn eq(&self, written: &&str) -> bool {
        match self {
            Kind::Name(name) => name == written,
            Kind::Sign(sign) => sign == written,
            _ => false,
        }
    }
}

const COMMENTS: Comments = Comments {
    line: "//",
    block: ("/*", "*/"),
};

/// Longer ones first.
static SIGNS: [&str; 48] = [
    "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=",
    "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##", "+", "-", "*", "/", "%", "<", ">", "=", "!",
    "&", "|", "^", "~", "?", ":", ";", ",", ".", "(", ")", "[", "]", "{", "}", "#",
];

/// The tokens of a part of a text. A comment without an end is a token that nobody accepts.
pub(in crate::lurch) fn tokens(text: &str, part: Range<usize>) -> Vec<Token> {
    let mut reader = Reader(Scanner {
        text: &text[..part.end],
        at: part.start,
    });
    let mut all = Vec::new();
    let mut begins_line = true;
    loop {
        let end = reader.0.at;
        let comment = reader.0.skip_blanks(COMMENTS).err();
        begins_line |= text[end..reader.0.at].contains('\n');
        let start = reader.0.at;
        let (kind, span) = if let Some(comment) = comment {
            (Kind::Bad("a comment without an end"), comment.span)
        } else if reader.0.takes("\\\n") || reader.0.takes("\\\r\n") {
            continue;
        } else {
            match reader.token() {
                Some(kind) => (kind, reader.0.since(start)),
                None => return all,
            }
        };
        all.push(Token {
            kind,
            span,
            begins_line: std::mem::replace(&mut begins_line, false),
        });
    }
}

struct Reader<'a>(Scanner<'a>);

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        self.0.rest()
    }

    fn token(&mut self) -> Option<Kind> {
        Some(match self.0.peek()? {
            c if c.is_ascii_alphabetic() || c == '_' => Kind::Name(self.word().to_owned()),
            '0'..='9' => self.number(),
            '"' => self.text(),
            '\'' => self.character(),
            _ => match self.0.symbol(&SIGNS) {
                Some(sign) => Kind::Sign(sign),
                None => {
                    self.0.take_one();
                    Kind::Bad("a character that C does not know")
                }
            },
        })
    }

    /// The letters, digits and underscores that come next.
    fn word(&mut self) -> &'a str {
        self.0.take(plain_word(self.rest()))
    }

    fn number(&mut self) -> Kind {
        let word = self.word().to_ascii_lowercase();
        if self.0.takes(".") {
            self.word();
            return Kind::Real;
        }
        if !word.starts_with("0x") && word.contains('e') {
            return Kind::Real;
        }
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
            Ok(value) if suffix.len() <= 3 => {
                Kind::Number(value, suffix.contains('u'), suffix.contains('l'))
            }
            _ => Kind::Bad("a number that does not fit or is not well-formed"),
        }
    }

    fn text(&mut self) -> Kind {
        self.0.at += 1;
        let mut text = String::new();
        loop {
            match self.rest().chars().next() {
                Some('"') => {
                    self.0.at += 1;
                    return Kind::Text(text);
                }
                None | Some('\n') => return Kind::Bad("a text without an end"),
                Some('\\') => match self.escape() {
                    Some(code) => text.push(char::from(code)),
                    None => return Kind::Bad("an unknown escape"),
                },
                Some(c) => {
                    text.push(c);
                    self.0.at += c.len_utf8();
                }
            }
        }
    }

    fn character(&mut self) -> Kind {
        const BAD: Kind = Kind::Bad("a character constant that is not well-formed");
        self.0.at += 1;
        let code = match self.rest().as_bytes().first() {
            Some(b'\\') => self.escape(),
            Some(&byte) if byte.is_ascii() && byte != b'\'' && byte != b'\n' => {
                self.0.at += 1;
                Some(byte)
            }
            _ => None,
        };
        let (Some(code), true) = (code, self.rest().starts_with('\'')) else {
            return BAD;
        };
        self.0.at += 1;
        // A character is a number with a sign.
        Kind::Number(i64::from(code.cast_signed()), false, false)
    }

    /// The code after a backslash.
    fn escape(&mut self) -> Option<u8> {
        self.0.at += 1;
        let byte = *self.rest().as_bytes().first()?;
        let simple = match byte {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'a' => 7,
            b'b' => 8,
            b'f' => 12,
            b'v' => 11,
            b'\\' | b'\'' | b'"' | b'?' => byte,
            b'x' => return self.digits(1, 2, 16),
            b'0'..=b'7' => return self.digits(0, 3, 8),
            _ => return None,
        };
        self.0.at += 1;
        Some(simple)
    }

    /// The number that at most this many digits stand for.
    fn digits(&mut self, skipped: usize, most: usize, radix: u32) -> Option<u8> {
        let rest = &self.rest()[skipped..];
        let digits = rest.chars().take(most).take_while(|c| c.is_digit(radix));
        let count = digits.count();
        self.0.at += skipped + count;
        u8::from_str_radix(&rest[..count], radix).ok()
    }
}
