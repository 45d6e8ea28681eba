//! Reading CTL and LTL by precedence: `<=>`, `=>`, `||`, `&&`, then `U W R` (LTL), then everything that stands before its operand.

use super::lexer::{self, Token};
use super::tree::{Kind, Parsed as Formula, Quantifier, Tree};
use crate::tree::Span;
use sortie_syntax::{Cursor, Diagnostic, Grammar, Infix, Parsed, RecursiveDescent};

/// Which of the two languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    Ctl,
    Ltl,
}

/// So large may a formula be once each `f <=> g` is written out, which takes both sides twice.
const MAX_WEIGHT: u64 = 1 << 16;

const IFF: u8 = 0;
const IMPLIES: u8 = 1;
const OR: u8 = 2;
const AND: u8 = 3;
const UNTIL: u8 = 4;

/// Reads a formula.
pub(crate) fn parse(text: &str, language: Language) -> Parsed<Formula> {
    let lexed = lexer::lex(text)?;
    let end = Span::new(text.len(), text.len());
    let mut parser = Parser {
        language,
        cursor: Cursor::new(lexed.tokens, end, Vec::new()),
        text,
    };
    let Weighed { tree, .. } = parser.climb::<Formulas>(IFF)?;
    if !parser.at_end() {
        return Err(parser.leftover());
    }
    Ok(Formula {
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
    cursor: Cursor<Token>,
    text: &'a str,
}

impl RecursiveDescent for Parser<'_> {
    type Kind = Token;
    const DEEPEST: usize = 128;
    const ADVICE: &'static str = "judge parts of it separately";

    fn cursor(&self) -> &Cursor<Token> {
        &self.cursor
    }

    fn cursor_mut(&mut self) -> &mut Cursor<Token> {
        &mut self.cursor
    }
}

struct Formulas;

impl Grammar<Parser<'_>> for Formulas {
    type Tree = Weighed;
    type Operator = Token;

    fn operand(parser: &mut Parser<'_>, _: u8) -> Parsed<Weighed> {
        parser.prefix()
    }

    fn infix(parser: &mut Parser<'_>, _: u8) -> Parsed<Option<Infix<Token>>> {
        let token = *parser.kind();
        Ok(Some(match token {
            Token::Iff => Infix::left(token, IFF),
            Token::Implies => Infix::right(token, IMPLIES),
            Token::Or => Infix::left(token, OR),
            Token::And => Infix::left(token, AND),
            Token::Binary(_) if parser.language == Language::Ltl => Infix::right(token, UNTIL),
            _ => return Ok(None),
        }))
    }

    fn join(
        _: &mut Parser<'_>,
        left: Weighed,
        infix: Infix<Token>,
        right: Weighed,
    ) -> Parsed<Weighed> {
        let span = left.tree.span.to(right.tree.span);
        let mut weight = left.weight + right.weight + 1;
        let (mut left, right) = (left.tree, right.tree);
        let kind = match (infix.operator, &mut left.kind) {
            // Long chains stay flat.
            (Token::And, Kind::And(parts)) | (Token::Or, Kind::Or(parts)) => {
                parts.push(right);
                left.kind
            }
            (Token::And, _) => Kind::And(vec![left, right]),
            (Token::Or, _) => Kind::Or(vec![left, right]),
            (Token::Implies, _) => Kind::Implies(Box::new(left), Box::new(right)),
            (Token::Binary(binary), _) => {
                Kind::Binary(None, binary, Box::new(left), Box::new(right))
            }
            _ => {
                weight *= 2;
                Kind::Iff(Box::new(left), Box::new(right))
            }
        };
        if weight > MAX_WEIGHT {
            return Diagnostic::error("this formula is too large", span)
                .label(format!(
                    "more than {MAX_WEIGHT} operators once each `<=>` is written out"
                ))
                .help("judge parts of it separately")
                .fail();
        }
        Ok(Weighed::new(kind, span, weight))
    }
}

impl Parser<'_> {
    fn prefix(&mut self) -> Parsed<Weighed> {
        let span = self.span();
        let kind = match *self.kind() {
            Token::Constant(value) => Kind::Constant(value),
            Token::Labels(modality, number) => Kind::Labels(modality, number),
            Token::Predicate(number) => Kind::Predicate(number),
            Token::Not => {
                self.advance();
                return self.before_operand(Kind::Not, span.start);
            }
            Token::Unary(unary) if self.language == Language::Ltl => {
                self.advance();
                return self.before_operand(|body| Kind::Unary(None, unary, body), span.start);
            }
            Token::Quantifier(quantifier) if self.language == Language::Ctl => {
                self.advance();
                return self.quantified(quantifier, span.start);
            }
            Token::Open => {
                self.advance();
                let inner = self.climb::<Formulas>(IFF)?;
                self.close(Token::Close, span)?;
                return Ok(inner);
            }
            _ => return Err(self.misplaced()),
        };
        self.advance();
        Ok(Weighed::new(kind, span, 1))
    }

    /// What an operator before it applies to, with that operator.
    fn before_operand(
        &mut self,
        kind: impl FnOnce(Box<Tree>) -> Kind,
        start: usize,
    ) -> Parsed<Weighed> {
        let body = self.climb::<Formulas>(UNTIL + 1)?;
        let span = Span::new(start, body.tree.span.end);
        Ok(Weighed::new(
            kind(Box::new(body.tree)),
            span,
            body.weight + 1,
        ))
    }

    /// What follows `A` or `E`: `X f` and its like, or `[f U g]` and its like.
    fn quantified(&mut self, quantifier: Quantifier, start: usize) -> Parsed<Weighed> {
        let (open, letter) = (self.span(), quantifier.letter());
        let close = match *self.kind() {
            Token::Unary(unary) => {
                self.advance();
                return self
                    .before_operand(|body| Kind::Unary(Some(quantifier), unary, body), start);
            }
            Token::OpenSquare => Token::CloseSquare,
            Token::Open => Token::Close,
            _ => {
                let message = format!("`{letter}` is followed by no temporal operator");
                return Diagnostic::error(message, start..start + 1).help(format!(
                    "write {letter}X f, {letter}N f, {letter}F f, {letter}G f, {letter}[f U g], {letter}[f W g] or {letter}[f R g]"
                )).fail();
            }
        };
        self.advance();
        let left = self.climb::<Formulas>(IFF)?;
        let Token::Binary(binary) = *self.kind() else {
            return Diagnostic::error("`U`, `W` or `R` is missing", self.span())
                .also(open, "in this bracket")
                .help(format!(
                    "write {letter}[f U g]; without `U` write {letter}F f, {letter}G f, {letter}X f or {letter}N f"
                ))
                .fail();
        };
        self.advance();
        let right = self.climb::<Formulas>(IFF)?;
        let end = self.close(close, open)?;
        let weight = left.weight + right.weight + 1;
        let (left, right) = (Box::new(left.tree), Box::new(right.tree));
        let kind = Kind::Binary(Some(quantifier), binary, left, right);
        Ok(Weighed::new(kind, Span::new(start, end), weight))
    }

    fn close(&mut self, token: Token, open: Span) -> Parsed<usize> {
        let end = self.span().end;
        if self.takes(token) {
            return Ok(end);
        }
        if self.at_end() {
            return Diagnostic::error("this bracket is not closed", open).fail();
        }
        self.leftover().also(open, "in this bracket").fail()
    }

    fn written(&self) -> &str {
        &self.text[self.span().range()]
    }

    /// An error where a formula should begin.
    fn misplaced(&self) -> Box<Diagnostic> {
        let span = self.span();
        let written = self.written();
        Box::new(match *self.kind() {
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
        Box::new(match *self.kind() {
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
