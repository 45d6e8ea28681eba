//! From text to tokens. Atoms are read whole: `<...>` and `[...]` with their patterns, `{...}` with whatever it holds.

use super::atoms::{self, LabelSet};
use super::tree::{Binary, PredicateText, Quantifier, Unary};
use crate::tree::{Modality, Span};
use sortie_syntax::{Comments, Diagnostic, Parsed, Scanner, TokenKind};

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

impl TokenKind for Token {
    const END: Self = Token::End;
    /// No list is part of a formula.
    const COMMA: Self = Token::End;

    fn shown(&self) -> String {
        format!("{self:?}")
    }
}

/// All tokens of a text, and the atoms that they number.
#[derive(Debug, Default)]
pub(crate) struct Lexed {
    pub(crate) tokens: Vec<sortie_syntax::Token<Token>>,
    pub(crate) sets: Vec<LabelSet>,
    pub(crate) predicates: Vec<PredicateText>,
}

const COMMENTS: Comments = Comments {
    line: "%",
    block: ("", ""),
};

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
pub(crate) fn lex(text: &str) -> Parsed<Lexed> {
    let mut lexed = Lexed::default();
    let mut scanner = Scanner::new(text);
    loop {
        scanner.skip_blanks(COMMENTS)?;
        match scanner.peek() {
            None => return Ok(lexed),
            Some(first) if first.is_alphanumeric() || first == '_' => lexed.word(&mut scanner)?,
            Some(_) => lexed.symbol(&mut scanner)?,
        }
    }
}

impl Lexed {
    fn push(&mut self, kind: Token, span: impl Into<Span>) {
        self.tokens.push(sortie_syntax::Token {
            kind,
            span: span.into(),
            begins_line: false,
        });
    }

    /// Reads a word. Operators may be written together, as in `AG` and `GF`.
    fn word(&mut self, scanner: &mut Scanner<'_>) -> Parsed<()> {
        let at = scanner.at;
        let word = scanner.take_while(|c| c.is_alphanumeric() || c == '_');
        if let Ok(value) = word.parse() {
            self.push(Token::Constant(value), scanner.since(at));
            return Ok(());
        }
        let operators: Option<Vec<Token>> = word.chars().map(operator).collect();
        let Some(operators) = operators else {
            return Diagnostic::error(format!("`{word}` means nothing here"), scanner.since(at)).help(format!(
                "a step is written `<{word}>`, a predicate on states `{{{word}}}`; the operators are A E X N F G U W R"
            )).fail();
        };
        for (at, operator) in (at..).zip(operators) {
            self.push(operator, at..at + 1);
        }
        Ok(())
    }

    fn symbol(&mut self, scanner: &mut Scanner<'_>) -> Parsed<()> {
        let (at, rest) = (scanner.at, scanner.rest());
        if let Some((_, token)) = SYMBOLS.iter().find(|(symbol, _)| scanner.takes(symbol)) {
            self.push(*token, scanner.since(at));
            return Ok(());
        }
        let last = self.tokens.last().map(|token| token.kind);
        if matches!(last, Some(Token::Quantifier(_))) && scanner.takes("[") {
            self.push(Token::OpenSquare, scanner.since(at));
            return Ok(());
        }
        let other = ELSEWHERE.iter().find(|(symbol, _)| scanner.takes(symbol));
        if let Some((symbol, here)) = other {
            return Diagnostic::error(format!("`{symbol}` means nothing here"), scanner.since(at))
                .help(format!("write {here}"))
                .fail();
        }
        match rest.as_bytes()[0] {
            b'<' => self.labels(scanner, Modality::May),
            b'[' => self.labels(scanner, Modality::Must),
            b'{' => self.predicate(scanner),
            _ => {
                let message = format!("`{}` means nothing here", scanner.take_one());
                Diagnostic::error(message, scanner.since(at))
                    .help("a step is written `<pattern>` or `[pattern]`, a predicate on states `{...}`")
                    .fail()
            }
        }
    }

    fn labels(&mut self, scanner: &mut Scanner<'_>, modality: Modality) -> Parsed<()> {
        let close = match modality {
            Modality::May => '>',
            Modality::Must => ']',
        };
        let start = scanner.at;
        scanner.at += 1;
        let set = atoms::read(scanner, close)?;
        let number = place_of(&mut self.sets, |known| *known == set, || set.clone());
        self.push(Token::Labels(modality, number), scanner.since(start));
        Ok(())
    }

    /// Braces within the predicate are counted, so that sets can be written in it.
    fn predicate(&mut self, scanner: &mut Scanner<'_>) -> Parsed<()> {
        let (at, rest) = (scanner.at, scanner.rest());
        let mut depth = 0;
        let end = rest.char_indices().find(|(_, c)| {
            depth += i32::from(*c == '{') - i32::from(*c == '}');
            depth == 0
        });
        let Some((end, _)) = end else {
            return Diagnostic::error("`{` is not closed", at..at + 1)
                .help("write `}` behind the predicate on states")
                .fail();
        };
        let inside = &scanner.take(end + 1)[1..end];
        let words = inside.trim();
        let begin = at + 1 + (inside.len() - inside.trim_start().len());
        if words.is_empty() {
            return Diagnostic::error("a predicate on states is missing", scanner.since(at))
                .help("write it between the braces")
                .fail();
        }
        let new = || PredicateText {
            text: words.to_owned(),
            span: Span::new(begin, begin + words.len()),
        };
        let number = place_of(&mut self.predicates, |known| known.text == words, new);
        self.push(Token::Predicate(number), scanner.since(at));
        Ok(())
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
