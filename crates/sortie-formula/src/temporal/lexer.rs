//! From text to tokens. Atoms are read whole: `<...>` and `[...]` with their patterns, `{...}` with whatever it holds.

use super::atoms::{self, LabelSet};
use super::tree::{Binary, PredicateText, Quantifier, Unary};
use crate::tree::{Modality, Span};
use sortie_syntax::Diagnostic;

/// The smallest part of a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    Constant(bool),
    Labels(Modality, usize),
    Predicate(usize),
    Quantifier(Quantifier),
    Unary(Unary),
    Binary(Binary),
    Not,
    And,
    Or,
    Implies,
    Iff,
    Open,
    Close,
    /// Only directly behind a quantifier; elsewhere `[` begins an atom.
    OpenSquare,
    CloseSquare,
    End,
}

/// All tokens of a text, the last of which is the end, and the atoms that they number.
#[derive(Debug, Default)]
pub(crate) struct Lexed {
    pub(crate) tokens: Vec<(Token, Span)>,
    pub(crate) sets: Vec<LabelSet>,
    pub(crate) predicates: Vec<PredicateText>,
}

type Lex<T> = Result<T, Box<Diagnostic>>;

/// What is written with other characters, longest first.
const SYMBOLS: &[(&str, Token)] = &[
    ("<=>", Token::Iff),
    ("=>", Token::Implies),
    ("&&", Token::And),
    ("||", Token::Or),
    ("!", Token::Not),
    ("(", Token::Open),
    (")", Token::Close),
    ("]", Token::CloseSquare),
];

/// What people write who know other tools, and what it is here.
const ELSEWHERE: &[(&str, &str)] = &[
    ("<->", "`<=>`"),
    ("->", "`=>`"),
    ("==", "`<=>`, or `{...}` around a predicate on states"),
    ("&", "`&&`"),
    ("|", "`||`"),
    ("~", "`!`"),
    ("/\\", "`&&`"),
    ("\\/", "`||`"),
    ("}", "`{` before the predicate"),
    (">", "`<` before the pattern"),
];

/// Takes a text apart.
pub(crate) fn lex(text: &str) -> Lex<Lexed> {
    let mut lexed = Lexed::default();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        if first.is_whitespace() {
            at += first.len_utf8();
        } else if first == '%' {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if first.is_alphanumeric() || first == '_' {
            at = lexed.word(text, at)?;
        } else {
            at = lexed.symbol(text, at)?;
        }
    }
    lexed.tokens.push((Token::End, at..at));
    Ok(lexed)
}

impl Lexed {
    /// Reads a word and returns where it ends. Operators may be written together, as in `AG` and `GF`.
    fn word(&mut self, text: &str, at: usize) -> Lex<usize> {
        let rest = &text[at..];
        let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
        let word = &rest[..length.unwrap_or(rest.len())];
        let span = at..at + word.len();
        if word == "true" || word == "false" {
            self.tokens.push((Token::Constant(word == "true"), span));
            return Ok(at + word.len());
        }
        let operators: Option<Vec<Token>> = word.chars().map(operator).collect();
        let Some(operators) = operators else {
            let error = Diagnostic::error(format!("`{word}` means nothing here"), span).help(format!(
                "a step is written `<{word}>`, a predicate on states `{{{word}}}`; the operators are A E X N F G U W R"
            ));
            return Err(Box::new(error));
        };
        let spans = (at..).map(|at| at..at + 1);
        self.tokens.extend(operators.into_iter().zip(spans));
        Ok(at + word.len())
    }

    fn symbol(&mut self, text: &str, at: usize) -> Lex<usize> {
        let rest = &text[at..];
        if let Some((symbol, token)) = SYMBOLS.iter().find(|(s, _)| rest.starts_with(s)) {
            self.tokens.push((*token, at..at + symbol.len()));
            return Ok(at + symbol.len());
        }
        let behind_quantifier = matches!(self.tokens.last(), Some((Token::Quantifier(_), _)));
        if rest.starts_with('[') && behind_quantifier {
            self.tokens.push((Token::OpenSquare, at..at + 1));
            return Ok(at + 1);
        }
        if let Some((symbol, here)) = ELSEWHERE.iter().find(|(s, _)| rest.starts_with(s)) {
            let error = Diagnostic::error(
                format!("`{symbol}` means nothing here"),
                at..at + symbol.len(),
            )
            .help(format!("write {here}"));
            return Err(Box::new(error));
        }
        match rest.as_bytes()[0] {
            b'<' => self.labels(text, at, Modality::May),
            b'[' => self.labels(text, at, Modality::Must),
            b'{' => self.predicate(text, at),
            _ => {
                let found = rest.chars().next().unwrap_or(' ');
                let error = Diagnostic::error(
                    format!("`{found}` means nothing here"),
                    at..at + found.len_utf8(),
                )
                .help(
                    "a step is written `<pattern>` or `[pattern]`, a predicate on states `{...}`",
                );
                Err(Box::new(error))
            }
        }
    }

    fn labels(&mut self, text: &str, at: usize, modality: Modality) -> Lex<usize> {
        let close = match modality {
            Modality::May => '>',
            Modality::Must => ']',
        };
        let (set, end) = atoms::read(text, at + 1, close)?;
        let number = place_of(&mut self.sets, |known| *known == set, || set.clone());
        let token = Token::Labels(modality, number);
        self.tokens.push((token, at..end + 1));
        Ok(end + 1)
    }

    /// Braces within the predicate are counted, so that sets can be written in it.
    fn predicate(&mut self, text: &str, at: usize) -> Lex<usize> {
        let mut depth = 0;
        let end = text[at..].char_indices().find(|(_, c)| {
            depth += i32::from(*c == '{') - i32::from(*c == '}');
            depth == 0
        });
        let Some((end, _)) = end else {
            let error = Diagnostic::error("`{` is not closed", at..at + 1)
                .help("write `}` behind the predicate on states");
            return Err(Box::new(error));
        };
        let end = at + end;
        let inside = &text[at + 1..end];
        let words = inside.trim();
        let begin = at + 1 + (inside.len() - inside.trim_start().len());
        if words.is_empty() {
            let error = Diagnostic::error("a predicate on states is missing", at..end + 1)
                .help("write it between the braces");
            return Err(Box::new(error));
        }
        let number = place_of(
            &mut self.predicates,
            |known| known.text == words,
            || PredicateText {
                text: words.to_owned(),
                span: begin..begin + words.len(),
            },
        );
        self.tokens.push((Token::Predicate(number), at..end + 1));
        Ok(end + 1)
    }
}

fn operator(letter: char) -> Option<Token> {
    Some(match letter {
        'A' => Token::Quantifier(Quantifier::All),
        'E' => Token::Quantifier(Quantifier::Some),
        'X' => Token::Unary(Unary::Next),
        'N' => Token::Unary(Unary::WeakNext),
        'F' => Token::Unary(Unary::Finally),
        'G' => Token::Unary(Unary::Globally),
        'U' => Token::Binary(Binary::Until),
        'W' => Token::Binary(Binary::WeakUntil),
        'R' => Token::Binary(Binary::Release),
        _ => return None,
    })
}

/// Equal atoms get one number.
fn place_of<T>(all: &mut Vec<T>, same: impl Fn(&T) -> bool, new: impl FnOnce() -> T) -> usize {
    all.iter().position(same).unwrap_or_else(|| {
        all.push(new());
        all.len() - 1
    })
}
