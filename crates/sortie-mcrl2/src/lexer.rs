//! From text to tokens, by longest match. Every token knows its byte span; comments and white space vanish here.

use sortie_syntax::{Comments, Cursor, Diagnostic, Scanner, Span, TokenKind};
use std::fmt;

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

impl TokenKind for Token {
    const END: Self = Token::End;
    const COMMA: Self = Token::Comma;

    fn shown(&self) -> String {
        match self {
            Token::End => self.text().to_owned(),
            _ => format!("`{}`", self.text()),
        }
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// One token and where it stands.
pub type Lexeme = sortie_syntax::Token<Token>;

const COMMENTS: Comments = Comments {
    line: "%",
    block: ("", ""),
};

/// Splits `source` into tokens, ending with [`Token::End`]. Characters that start no token are reported and skipped.
pub fn lex(source: &str) -> Cursor<Token> {
    let mut scanner = Scanner::new(source);
    let (mut lexemes, mut errors) = (Vec::with_capacity(source.len() / 3), Vec::new());
    loop {
        let end = scanner.at;
        errors.extend(scanner.skip_blanks(COMMENTS).err().map(|error| *error));
        let start = scanner.at;
        let Some(first) = scanner.peek() else {
            return Cursor::new(lexemes, scanner.since(start), errors);
        };
        let kind = if first.is_ascii_alphabetic() || first == '_' {
            let text = scanner.take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '\''));
            keyword(text).unwrap_or(Token::Identifier)
        } else if first.is_ascii_digit() {
            let text = scanner.take_while(|c| c.is_ascii_digit());
            if first == '0' && text.len() > 1 {
                let rest = text.trim_start_matches('0');
                let meant = if rest.is_empty() { "0" } else { rest };
                errors.push(
                    Diagnostic::error("a number does not start with 0", scanner.since(start))
                        .label("leading zero")
                        .help(format!("write `{meant}`")),
                );
            }
            Token::Number
        } else if let Some(token) = symbol(&mut scanner) {
            token
        } else {
            scanner.at = end_of_unknown(source, start);
            errors.push(unknown(&source[start..scanner.at], scanner.since(start)));
            continue;
        };
        lexemes.push(Lexeme {
            kind,
            span: scanner.since(start),
            begins_line: source[end..start].contains('\n'),
        });
    }
}

/// The table lists longer symbols before their beginnings, so the first that fits is the longest.
fn symbol(scanner: &mut Scanner<'_>) -> Option<Token> {
    let first = scanner.rest().as_bytes()[0];
    let fits = |(text, _): &&(&str, Token)| text.as_bytes()[0] == first && scanner.takes(text);
    SYMBOLS.iter().find(fits).map(|&(_, token)| token)
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

fn unknown(text: &str, span: Span) -> Diagnostic {
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
            .tokens
            .into_iter()
            .map(|lexeme| lexeme.kind)
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
            assert!(!lex(wrong).errors.is_empty(), "{wrong}");
        }
    }
}
