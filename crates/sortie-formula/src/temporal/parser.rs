//! Reading CTL and LTL by precedence: `<=>`, `=>`, `||`, `&&`, then `U W R` (LTL), then everything that stands before its operand.

use super::lexer::{self, Token};
use super::tree::{Kind, Parsed, Quantifier, Tree, Unary};
use crate::tree::Span;
use sortie_syntax::Diagnostic;

/// Which of the two languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    Ctl,
    Ltl,
}

/// So deep may formulas be nested.
const MAX_HEIGHT: usize = 128;
/// So large may a formula be once each `f <=> g` is written out, which takes both sides twice.
const MAX_WEIGHT: u64 = 1 << 16;

const IFF: u8 = 0;
const IMPLIES: u8 = 1;
const OR: u8 = 2;
const AND: u8 = 3;
const UNTIL: u8 = 4;

type Parse<T> = Result<T, Box<Diagnostic>>;

/// Reads a formula.
pub(crate) fn parse(text: &str, language: Language) -> Parse<Parsed> {
    let lexed = lexer::lex(text)?;
    let mut parser = Parser {
        language,
        tokens: &lexed.tokens,
        place: 0,
        depth: 0,
        text,
    };
    let Weighed { tree, .. } = parser.above(IFF)?;
    if parser.token() != Token::End {
        return Err(parser.leftover());
    }
    Ok(Parsed {
        tree,
        sets: lexed.sets,
        predicates: lexed.predicates,
    })
}

/// A formula and its size once written out.
struct Weighed {
    tree: Tree,
    weight: u64,
}

impl Weighed {
    fn new(kind: Kind, span: Span, weight: u64) -> Weighed {
        let tree = Tree { kind, span };
        Weighed { tree, weight }
    }
}

struct Parser<'a> {
    language: Language,
    tokens: &'a [(Token, Span)],
    place: usize,
    depth: usize,
    text: &'a str,
}

impl Parser<'_> {
    fn token(&self) -> Token {
        self.tokens[self.place].0
    }

    fn span(&self) -> Span {
        self.tokens[self.place].1.clone()
    }

    fn advance(&mut self) -> Span {
        let span = self.span();
        self.place = (self.place + 1).min(self.tokens.len() - 1);
        span
    }

    fn accept(&mut self, token: Token) -> bool {
        let found = self.token() == token;
        if found {
            self.advance();
        }
        found
    }

    fn above(&mut self, least: u8) -> Parse<Weighed> {
        if self.depth == MAX_HEIGHT {
            let error = Diagnostic::error("this formula is nested too deeply", self.span())
                .label(format!("more than {MAX_HEIGHT} levels"))
                .help("judge parts of it separately");
            return Err(Box::new(error));
        }
        self.depth += 1;
        let mut left = self.prefix()?;
        loop {
            let token = self.token();
            let level = match token {
                Token::Iff => IFF,
                Token::Implies => IMPLIES,
                Token::Or => OR,
                Token::And => AND,
                Token::Binary(_) if self.language == Language::Ltl => UNTIL,
                _ => break,
            };
            if level < least {
                break;
            }
            self.advance();
            left = self.operation(left, token, level)?;
        }
        self.depth -= 1;
        Ok(left)
    }

    /// What stands behind the operator, and both sides put together.
    fn operation(&mut self, left: Weighed, token: Token, level: u8) -> Parse<Weighed> {
        let right = match token {
            // These lean to the right.
            Token::Implies | Token::Binary(_) => self.above(level)?,
            _ => self.above(level + 1)?,
        };
        let span = left.tree.span.start..right.tree.span.end;
        let mut weight = left.weight + right.weight + 1;
        let kind = match token {
            // Long chains stay flat.
            Token::And => match left.tree.kind {
                Kind::And(mut parts) => {
                    parts.push(right.tree);
                    Kind::And(parts)
                }
                kind => {
                    let span = left.tree.span;
                    Kind::And(vec![Tree { kind, span }, right.tree])
                }
            },
            Token::Or => match left.tree.kind {
                Kind::Or(mut parts) => {
                    parts.push(right.tree);
                    Kind::Or(parts)
                }
                kind => {
                    let span = left.tree.span;
                    Kind::Or(vec![Tree { kind, span }, right.tree])
                }
            },
            Token::Implies => Kind::Implies(Box::new(left.tree), Box::new(right.tree)),
            Token::Binary(binary) => {
                Kind::Binary(None, binary, Box::new(left.tree), Box::new(right.tree))
            }
            _ => {
                weight *= 2;
                Kind::Iff(Box::new(left.tree), Box::new(right.tree))
            }
        };
        if weight > MAX_WEIGHT {
            let error = Diagnostic::error("this formula is too large", span)
                .label(format!(
                    "more than {MAX_WEIGHT} operators once each `<=>` is written out"
                ))
                .help("judge parts of it separately");
            return Err(Box::new(error));
        }
        Ok(Weighed::new(kind, span, weight))
    }

    fn prefix(&mut self) -> Parse<Weighed> {
        let span = self.span();
        let kind = match self.token() {
            Token::Constant(value) => Kind::Constant(value),
            Token::Labels(modality, number) => Kind::Labels(modality, number),
            Token::Predicate(number) => Kind::Predicate(number),
            Token::Not => {
                self.advance();
                let body = self.operand()?;
                let span = span.start..body.tree.span.end;
                let kind = Kind::Not(Box::new(body.tree));
                return Ok(Weighed::new(kind, span, body.weight + 1));
            }
            Token::Unary(unary) if self.language == Language::Ltl => {
                self.advance();
                return self.unary(None, unary, span.start);
            }
            Token::Quantifier(quantifier) if self.language == Language::Ctl => {
                self.advance();
                return self.quantified(quantifier, span.start);
            }
            Token::Open => {
                self.advance();
                let inner = self.above(IFF)?;
                self.close(Token::Close, span)?;
                return Ok(inner);
            }
            _ => return Err(self.unexpected()),
        };
        self.advance();
        Ok(Weighed::new(kind, span, 1))
    }

    /// What an operator before it applies to.
    fn operand(&mut self) -> Parse<Weighed> {
        self.above(UNTIL + 1)
    }

    fn unary(
        &mut self,
        quantifier: Option<Quantifier>,
        unary: Unary,
        start: usize,
    ) -> Parse<Weighed> {
        let body = self.operand()?;
        let span = start..body.tree.span.end;
        let kind = Kind::Unary(quantifier, unary, Box::new(body.tree));
        Ok(Weighed::new(kind, span, body.weight + 1))
    }

    /// What follows `A` or `E`: `X f` and its like, or `[f U g]` and its like.
    fn quantified(&mut self, quantifier: Quantifier, start: usize) -> Parse<Weighed> {
        let open = self.span();
        let close = match self.token() {
            Token::Unary(unary) => {
                self.advance();
                return self.unary(Some(quantifier), unary, start);
            }
            Token::OpenSquare => Token::CloseSquare,
            Token::Open => Token::Close,
            _ => {
                let letter = quantifier.letter();
                let error = Diagnostic::error(
                    format!("`{letter}` is followed by no temporal operator"),
                    start..start + 1,
                )
                .help(format!(
                    "write {letter}X f, {letter}N f, {letter}F f, {letter}G f, {letter}[f U g], {letter}[f W g] or {letter}[f R g]"
                ));
                return Err(Box::new(error));
            }
        };
        self.advance();
        let left = self.above(IFF)?;
        let Token::Binary(binary) = self.token() else {
            let letter = quantifier.letter();
            let error = Diagnostic::error("`U`, `W` or `R` is missing", self.span())
                .also(open, "in this bracket")
                .help(format!(
                    "write {letter}[f U g]; without `U` write {letter}F f, {letter}G f, {letter}X f or {letter}N f"
                ));
            return Err(Box::new(error));
        };
        self.advance();
        let right = self.above(IFF)?;
        let end = self.close(close, open)?;
        let kind = Kind::Binary(
            Some(quantifier),
            binary,
            Box::new(left.tree),
            Box::new(right.tree),
        );
        Ok(Weighed::new(
            kind,
            start..end,
            left.weight + right.weight + 1,
        ))
    }

    fn close(&mut self, token: Token, open: Span) -> Parse<usize> {
        let end = self.span().end;
        if self.accept(token) {
            return Ok(end);
        }
        if self.token() == Token::End {
            let error = Diagnostic::error("this bracket is not closed", open);
            return Err(Box::new(error));
        }
        let error = *self.leftover();
        Err(Box::new(error.also(open, "in this bracket")))
    }

    fn written(&self) -> &str {
        &self.text[self.span()]
    }

    /// An error where a formula should begin.
    fn unexpected(&self) -> Box<Diagnostic> {
        let span = self.span();
        let written = self.written();
        Box::new(match self.token() {
            Token::End => Diagnostic::error("a formula is missing", span)
                .help("the text ends where a formula should begin"),
            Token::Unary(unary) => {
                let letter = unary.letter();
                Diagnostic::error(format!("`{letter}` has no `A` or `E` before it"), span).help(
                    format!("in CTL write A{letter} f, for all paths, or E{letter} f, for some path; LTL has {letter} f"),
                )
            }
            Token::Quantifier(_) => {
                Diagnostic::error(format!("`{written}` is not part of LTL"), span).help(
                    "an LTL formula is about all paths: leave the quantifier out, or judge the formula as CTL",
                )
            }
            _ => Diagnostic::error(format!("`{written}` where a formula should begin"), span)
                .help("a formula begins with an atom, `!`, a bracket or a temporal operator"),
        })
    }

    /// An error behind a formula.
    fn leftover(&self) -> Box<Diagnostic> {
        let span = self.span();
        Box::new(match self.token() {
            Token::Binary(binary) => {
                let letter = binary.letter();
                Diagnostic::error(format!("`{letter}` has no `A` or `E` before it"), span)
                    .help(format!("in CTL write A[f {letter} g] or E[f {letter} g]"))
            }
            Token::Close | Token::CloseSquare => {
                Diagnostic::error(format!("`{}` has no opening bracket", self.written()), span)
            }
            _ => Diagnostic::error("an operator is missing before this", span)
                .help("join formulas by `&&`, `||`, `=>` or `<=>`"),
        })
    }
}
