//! From text to tokens, by longest match. Every token knows its byte span; comments and white space vanish here.

use sortie_syntax::Diagnostic;
use std::ops::Range;

macro_rules! tokens {
    (keywords { $($keyword:ident $ktext:literal),* $(,)? } symbols { $($symbol:ident $stext:literal),* $(,)? }) => {
        /// The kind of a token; the text of names and numbers is found through the span.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Token {
            Identifier,
            Number,
            /// After the last token of the text.
            End,
            $($keyword,)*
            $($symbol,)*
        }

        impl Token {
            /// How the token is written, for messages.
            pub fn text(self) -> &'static str {
                match self {
                    Token::Identifier => "a name",
                    Token::Number => "a number",
                    Token::End => "the end of the text",
                    $(Token::$keyword => $ktext,)*
                    $(Token::$symbol => $stext,)*
                }
            }
        }

        fn keyword(text: &str) -> Option<Token> {
            match text {
                $($ktext => Some(Token::$keyword),)*
                _ => None,
            }
        }

        /// All symbols, each before those it starts with.
        const SYMBOLS: &[(&str, Token)] = &[$(($stext, Token::$symbol),)*];
    };
}

tokens! {
    keywords {
        Sort "sort", Cons "cons", Map "map", Glob "glob", Var "var", Eqn "eqn", Act "act", Proc "proc",
        Init "init", Struct "struct", Whr "whr", EndKeyword "end", In "in", Div "div", Mod "mod",
        True "true", False "false", Lambda "lambda", Forall "forall", Exists "exists",
        Bool "Bool", Pos "Pos", Nat "Nat", Int "Int", Real "Real",
        List "List", Set "Set", Bag "Bag", FSet "FSet", FBag "FBag",
        Delta "delta", Tau "tau", Sum "sum", Dist "dist", Block "block", Allow "allow", Hide "hide",
        Rename "rename", Comm "comm", Val "val", Mu "mu", Nu "nu", Delay "delay", Yaled "yaled",
        Form "form", Pbes "pbes", Pres "pres", Inf "inf", Sup "sup", Eqinf "eqinf", Eqninf "eqninf",
        Condsm "condsm", Condeq "condeq",
    }
    symbols {
        LeftMerge "||_", BarBar "||", BarGreater "|>", Bar "|", AndAnd "&&",
        EqualEqual "==", Implies "=>", Assign "=", NotEqual "!=", Not "!",
        Until "<<", Else "<>", LessEqual "<=", LessBar "<|", Less "<",
        GreaterEqual ">=", Greater ">", PlusPlus "++", Plus "+", Arrow "->", Minus "-",
        Star "*", Slash "/", Dot ".", Comma ",", Semicolon ";", Colon ":", Hash "#", At "@", Question "?",
        OpenParen "(", CloseParen ")", OpenSquare "[", CloseSquare "]", OpenBrace "{", CloseBrace "}",
    }
}

impl Token {
    /// Is this word reserved (never usable as a name)?
    pub fn is_keyword(self) -> bool {
        keyword(self.text()).is_some()
    }

    /// Does this word open a section of a specification?
    pub fn opens_section(self) -> bool {
        use Token::*;
        matches!(
            self,
            Sort | Cons | Map | Glob | Var | Eqn | Act | Proc | Init | Form
        )
    }
}

/// One token and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lexeme {
    pub token: Token,
    pub span: Range<usize>,
}

/// Splits `source` into tokens, ending with [`Token::End`]. Characters that start no token are reported and skipped.
pub fn lex(source: &str) -> (Vec<Lexeme>, Vec<Diagnostic>) {
    let bytes = source.as_bytes();
    let mut lexemes = Vec::with_capacity(source.len() / 3);
    let mut errors = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        match bytes[at] {
            b' ' | b'\t' | b'\r' | b'\n' => at += 1,
            b'%' => at = end_of(bytes, at, |b| b != b'\n'),
            b'A'..=b'Z' | b'a'..=b'z' | b'_' => {
                at = end_of(bytes, at, |b| {
                    b.is_ascii_alphanumeric() || b == b'_' || b == b'\''
                });
                let token = keyword(&source[start..at]).unwrap_or(Token::Identifier);
                lexemes.push(Lexeme {
                    token,
                    span: start..at,
                });
            }
            b'0'..=b'9' => {
                at = end_of(bytes, at, |b| b.is_ascii_digit());
                if bytes[start] == b'0' && at > start + 1 {
                    errors.push(
                        Diagnostic::error("a number does not start with 0", start..at)
                            .label("leading zero")
                            .help(format!(
                                "write `{}`",
                                Some(source[start..at].trim_start_matches('0'))
                                    .filter(|rest| !rest.is_empty())
                                    .unwrap_or("0")
                            )),
                    );
                }
                lexemes.push(Lexeme {
                    token: Token::Number,
                    span: start..at,
                });
            }
            _ => match symbol(&bytes[at..]) {
                Some((text, token)) => {
                    at += text.len();
                    lexemes.push(Lexeme {
                        token,
                        span: start..at,
                    });
                }
                None => {
                    at = end_of_unknown(source, at);
                    errors.push(unknown(&source[start..at], start..at));
                }
            },
        }
    }
    lexemes.push(Lexeme {
        token: Token::End,
        span: bytes.len()..bytes.len(),
    });
    (lexemes, errors)
}

fn end_of(bytes: &[u8], start: usize, belongs: impl Fn(u8) -> bool) -> usize {
    bytes[start..]
        .iter()
        .position(|&b| !belongs(b))
        .map_or(bytes.len(), |length| start + length)
}

/// The table lists longer symbols before their beginnings, so the first that fits is the longest.
fn symbol(rest: &[u8]) -> Option<(&'static str, Token)> {
    SYMBOLS
        .iter()
        .find(|(text, _)| text.as_bytes()[0] == rest[0] && rest.starts_with(text.as_bytes()))
        .copied()
}

/// A run of characters that start no token is one mistake, not many.
fn end_of_unknown(source: &str, start: usize) -> usize {
    let known = |c: char| {
        c.is_ascii_whitespace()
            || c.is_ascii_alphanumeric()
            || c == '_'
            || c == '%'
            || "|&=!<>+-*/.,;:#@?()[]{}".contains(c)
    };
    let mut characters = source[start..].char_indices();
    characters.next();
    characters
        .find(|&(_, c)| known(c))
        .map_or(source.len(), |(offset, _)| start + offset)
}

fn unknown(text: &str, span: Range<usize>) -> Diagnostic {
    let shown: String = text.chars().take(20).collect();
    let error = Diagnostic::error(
        format!("`{}` is not part of the language", shown.escape_debug()),
        span,
    )
    .label("unexpected character");
    match text {
        "&" => error.help("conjunction is written `&&`"),
        "\"" => error
            .help("there are no strings; a `struct` with one constructor per value does the same"),
        "'" => error.help("a quote may follow a letter of a name, but not start one"),
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(source: &str) -> Vec<Token> {
        lex(source)
            .0
            .into_iter()
            .map(|lexeme| lexeme.token)
            .collect()
    }

    #[test]
    fn takes_the_longest_match() {
        use Token::*;
        assert_eq!(
            kinds("a||_b||c|>d"),
            [
                Identifier, LeftMerge, Identifier, BarBar, Identifier, BarGreater, Identifier, End
            ]
        );
        assert_eq!(
            kinds("<>->=>==="),
            [Else, Arrow, Implies, EqualEqual, Assign, End]
        );
        assert_eq!(
            kinds("x' _ a_1 init initial"),
            [Identifier, Identifier, Identifier, Init, Identifier, End]
        );
    }

    #[test]
    fn no_symbol_hides_a_longer_one() {
        for (index, (text, _)) in SYMBOLS.iter().enumerate() {
            assert!(
                SYMBOLS[..index]
                    .iter()
                    .all(|(earlier, _)| !text.starts_with(earlier)),
                "{text}"
            );
        }
    }

    #[test]
    fn a_comment_may_end_the_text() {
        assert_eq!(kinds("a % rest"), [Token::Identifier, Token::End]);
        assert_eq!(kinds("% é\na"), [Token::Identifier, Token::End]);
    }

    #[test]
    fn reports_what_is_no_token() {
        for wrong in ["007", "'a", "a & b", "a $ b", "\"text\"", "é"] {
            assert!(!lex(wrong).1.is_empty(), "{wrong}");
        }
    }
}
