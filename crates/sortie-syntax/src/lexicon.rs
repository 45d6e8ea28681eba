//! Tokens of languages that consist of words, numbers, symbols and quoted texts.

use crate::{Comments, Cursor, Diagnostic, Scanner, Token, TokenKind};
use std::fmt::Display;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind<'s, N> {
    /// A name, or a word of the language.
    Word(&'s str),
    /// A number.
    Number(N),
    /// The inside of `"..."`.
    Text(&'s str),
    /// A symbol of the table.
    Symbol(&'static str),
    /// Something that is no token of the language, where it is an error only if the parser gets to it.
    Strange(&'s str),
    /// After the last token of the text.
    End,
}

impl<N: Clone + PartialEq + Display> TokenKind for Kind<'_, N> {
    const END: Self = Kind::End;
    const COMMA: Self = Kind::Symbol(",");

    fn shown(&self) -> String {
        match self {
            Kind::Word(text) | Kind::Symbol(text) => format!("`{text}`"),
            Kind::Number(number) => format!("`{number}`"),
            Kind::Text(_) => "a text in quotes".into(),
            Kind::Strange(text) => format!("`{}`", text.escape_debug()),
            Kind::End => "the end of the text".into(),
        }
    }

    fn word(&self) -> Option<&str> {
        match self {
            Kind::Word(word) => Some(word),
            _ => None,
        }
    }
}

/// Words and symbols are equal to what is written.
impl<N> PartialEq<&str> for Kind<'_, N> {
    fn eq(&self, written: &&str) -> bool {
        matches!(self, Kind::Word(text) | Kind::Symbol(text) if text == written)
    }
}

/// The rules by which a text is cut into tokens.
#[derive(Clone, Copy, Debug)]
pub struct Lexicon<N> {
    /// All symbols, longer ones before those that they begin with.
    pub symbols: &'static [&'static str],
    /// What comments look like.
    pub comments: Comments,
    /// What people write who know other languages, and what it is here.
    pub elsewhere: &'static [(&'static str, &'static str)],
    /// Length of the word that a text begins with, the first character of which is a letter or `_`.
    pub word: fn(&str) -> usize,
    /// The number that letters, digits and `_` after a digit stand for, or what it is and advice how to write one.
    pub number: fn(&str) -> Result<N, (&'static str, String)>,
    /// Whether there are texts in quotes.
    pub quotes: bool,
    /// Whether all that is no token is an error; otherwise it becomes [`Kind::Strange`].
    pub strict: bool,
}

/// Length of a word of letters, digits and `_`.
pub fn plain_word(text: &str) -> usize {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    end.unwrap_or(text.len())
}

impl<N: Clone + Default + PartialEq + Display> Lexicon<N> {
    /// A cursor over the tokens of a text, with what cannot be read as its errors.
    pub fn cursor<'s>(&self, text: &'s str) -> Cursor<Kind<'s, N>> {
        let mut scanner = Scanner::new(text);
        let (mut tokens, mut errors) = (Vec::with_capacity(text.len() / 4), Vec::new());
        loop {
            let end = scanner.at;
            errors.extend(scanner.skip_blanks(self.comments).err().map(|error| *error));
            let start = scanner.at;
            let Some(first) = scanner.peek() else {
                return Cursor::new(tokens, scanner.since(start), errors);
            };
            if let Some(kind) = self.token(&mut scanner, first, &mut errors) {
                tokens.push(Token {
                    kind,
                    span: scanner.since(start),
                    begins_line: tokens.is_empty() || text[end..start].contains('\n'),
                });
            }
        }
    }

    /// The next token. What is a number or a text but not a proper one is an error and read as if it were.
    fn token<'s>(
        &self,
        scanner: &mut Scanner<'s>,
        first: char,
        errors: &mut Vec<Diagnostic>,
    ) -> Option<Kind<'s, N>> {
        let (start, rest) = (scanner.at, scanner.rest());
        let kind;
        let (message, help) = if first.is_ascii_alphabetic() || first == '_' {
            return Some(Kind::Word(scanner.take((self.word)(rest))));
        } else if first.is_ascii_digit() {
            let written = scanner.take(plain_word(rest));
            match (self.number)(written) {
                Ok(number) => return Some(Kind::Number(number)),
                Err((problem, help)) => {
                    kind = Some(Kind::Number(N::default()));
                    (format!("`{written}` {problem}"), help)
                }
            }
        } else if self.quotes && scanner.takes("\"") {
            let text = Kind::Text(scanner.take_while(|c| c != '"' && c != '\n'));
            if scanner.takes("\"") {
                return Some(text);
            }
            kind = Some(text);
            let help = "texts stand between two `\"` on one line";
            ("this text has no end".to_owned(), help.to_owned())
        } else if let Some((other, here)) = self.elsewhere.iter().find(|(s, _)| scanner.takes(s)) {
            kind = None;
            (
                format!("`{other}` means nothing here"),
                format!("write {here}"),
            )
        } else if let Some(symbol) = scanner.symbol(self.symbols) {
            return Some(Kind::Symbol(symbol));
        } else {
            kind = None;
            let shown = match scanner.take_one() {
                control if first.is_control() => control.escape_default().to_string(),
                shown => shown.to_owned(),
            };
            (format!("`{shown}` means nothing here"), String::new())
        };
        let span = scanner.since(start);
        if !self.strict {
            return Some(Kind::Strange(&scanner.text[span.range()]));
        }
        let help = Some(help).filter(|help| !help.is_empty());
        errors.push(Diagnostic::error(message, span).maybe_help(help));
        kind
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEXICON: Lexicon<i64> = Lexicon {
        symbols: &["=>", "=", ","],
        comments: Comments {
            line: "--",
            block: ("/*", "*/"),
        },
        elsewhere: &[("==", "`=`")],
        word: plain_word,
        number: |text| {
            text.parse()
                .map_err(|_| ("is no number", "write digits".to_owned()))
        },
        quotes: true,
        strict: true,
    };

    fn messages(text: &str) -> Vec<String> {
        let errors = LEXICON.cursor(text).errors;
        errors.into_iter().map(|error| error.message).collect()
    }

    #[test]
    fn the_longest_symbol_counts() {
        let tokens = LEXICON.cursor("a=>1 = \"b c\" -- d\n,e").tokens;
        let kinds: Vec<Kind<'_, i64>> = tokens.iter().map(|token| token.kind).collect();
        let symbol = Kind::Symbol;
        assert_eq!(
            kinds,
            [
                Kind::Word("a"),
                symbol("=>"),
                Kind::Number(1),
                symbol("="),
                Kind::Text("b c"),
                symbol(","),
                Kind::Word("e"),
                Kind::End
            ]
        );
        assert!(tokens[5].begins_line && !tokens[6].begins_line);
    }

    #[test]
    fn what_is_no_token_is_an_error_or_strange() {
        assert_eq!(messages("a /* b"), ["this comment has no end"]);
        assert_eq!(messages("\"a\nb"), ["this text has no end"]);
        assert_eq!(
            messages("a == é"),
            ["`==` means nothing here", "`é` means nothing here"]
        );
        assert_eq!(messages("1x"), ["`1x` is no number"]);
        let lenient = Lexicon {
            strict: false,
            ..LEXICON
        };
        let cursor = lenient.cursor("1x");
        assert!(cursor.errors.is_empty());
        assert_eq!(cursor.tokens[0].kind, Kind::Strange("1x"));
    }
}
