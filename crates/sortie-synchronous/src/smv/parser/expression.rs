//! Expressions and formulas, by the strength of their operators.

use super::{Kind, Parser};
use crate::smv::lexer::Number;
use crate::smv::tree::{
    Between, CHOICE, COMPARISON, Chained, Expr, ExprKind, FUNCTIONS, IMPLIES, NEGATE, NOT,
    OPERATORS, Quantifier, RANGE, Temporal, TemporalOperator, levels,
};
use sortie_syntax::{Diagnostic, Grammar, Infix, Parsed, RecursiveDescent, did_you_mean};

/// Temporal operators before their operand.
const PREFIXES: &[(&str, Option<Quantifier>, TemporalOperator)] = &[
    ("AX", Some(Quantifier::All), TemporalOperator::Next),
    ("AF", Some(Quantifier::All), TemporalOperator::Finally),
    ("AG", Some(Quantifier::All), TemporalOperator::Globally),
    ("EX", Some(Quantifier::Some), TemporalOperator::Next),
    ("EF", Some(Quantifier::Some), TemporalOperator::Finally),
    ("EG", Some(Quantifier::Some), TemporalOperator::Globally),
    ("X", None, TemporalOperator::Next),
    ("F", None, TemporalOperator::Finally),
    ("G", None, TemporalOperator::Globally),
];

/// Temporal operators that are not read.
const REFUSED: &[(&str, &str)] = &[
    ("Y", PAST),
    ("Z", PAST),
    ("H", PAST),
    ("O", PAST),
    ("S", PAST),
    ("T", PAST),
    ("ABF", BOUNDED),
    ("ABG", BOUNDED),
    ("EBF", BOUNDED),
    ("EBG", BOUNDED),
    ("BU", BOUNDED),
];
const PAST: &str = "formulas do not look back; a variable of one's own can keep what was, and the formula can ask for it";
const BOUNDED: &str =
    "operators have no bounds; nested `X`, or a variable that counts steps, take their place";

/// A chain with one more operand. It can be very long, so its height is not worked out anew.
fn longer(mut chain: Expr, operand: Expr) -> Expr {
    if let ExprKind::Chain(_, parts) = &mut chain.kind {
        let highest = chain.height - levels(parts.len());
        chain.span.end = operand.span.end;
        chain.height = highest.max(operand.height) + levels(parts.len() + 1);
        parts.push(operand);
    }
    chain
}

struct Expressions;

impl<'s> Grammar<Parser<'s>> for Expressions {
    type Tree = Expr;
    type Operator = Between;

    fn operand(parser: &mut Parser<'s>, _: u8) -> Parsed<Expr> {
        parser.prefixed()
    }

    fn infix(parser: &mut Parser<'s>, _: u8) -> Parsed<Option<Infix<Between>>> {
        parser.refuse_temporal()?;
        let mut known = OPERATORS.iter();
        let found = known.find(|(written, ..)| parser.is(*written));
        Ok(match found {
            Some((_, Between::Temporal(_), _)) if parser.until_ends => None,
            Some(&(_, between, IMPLIES)) => Some(Infix::right(between, IMPLIES)),
            Some(&(_, between, level)) => Some(Infix::left(between, level)),
            None => None,
        })
    }

    fn join(
        parser: &mut Parser<'s>,
        left: Expr,
        infix: Infix<Between>,
        right: Expr,
    ) -> Parsed<Expr> {
        let span = left.span.to(right.span);
        let kind = match infix.operator {
            Between::Chain(chained) if is_open(&left, chained) => return Ok(longer(left, right)),
            Between::Chain(chained) => ExprKind::Chain(chained, vec![left, right]),
            Between::Operator(operator) => {
                ExprKind::Binary(operator, Box::new(left), Box::new(right))
            }
            Between::Temporal(operator) => {
                ExprKind::Temporal(Temporal(None, operator), vec![left, right])
            }
            Between::Range => ExprKind::Range(Box::new(left), Box::new(right)),
        };
        parser.made(kind, span)
    }

    /// `condition ? then : otherwise`
    fn postfix(parser: &mut Parser<'s>, left: Expr, least: u8) -> Parsed<(Expr, bool)> {
        if least > CHOICE || !parser.takes("?") {
            return Ok((left, false));
        }
        let then = parser.climb::<Expressions>(IMPLIES)?;
        parser.expect(":")?;
        let otherwise = parser.climb::<Expressions>(CHOICE)?;
        let span = left.span.to(otherwise.span);
        let kind = ExprKind::Choice(Box::new(left), Box::new(then), Box::new(otherwise));
        Ok((parser.made(kind, span)?, true))
    }
}

/// Whether an expression is a chain of this operator without brackets around it.
fn is_open(expression: &Expr, operator: Chained) -> bool {
    matches!(&expression.kind, ExprKind::Chain(found, parts)
        if *found == operator && parts[0].span.start == expression.span.start)
}

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.climb::<Expressions>(0)
    }

    /// What can be a bound or a range.
    pub(super) fn range_operand(&mut self) -> Parsed<Expr> {
        self.climb::<Expressions>(RANGE)
    }

    fn operand(&mut self, least: u8) -> Parsed<Expr> {
        self.climb::<Expressions>(least)
    }

    fn refuse_temporal(&self) -> Parsed<()> {
        match REFUSED.iter().find(|(word, _)| self.is(*word)) {
            None => Ok(()),
            Some((word, help)) => {
                Diagnostic::error(format!("`{word}` is not supported"), self.span())
                    .help(*help)
                    .fail()
            }
        }
    }

    fn prefixed(&mut self) -> Parsed<Expr> {
        let start = self.start();
        let kind = if self.takes("-") {
            ExprKind::Negate(Box::new(self.operand(NEGATE)?))
        } else if self.takes("!") {
            ExprKind::Not(Box::new(self.operand(NOT)?))
        } else if let Some(&(_, quantifier, operator)) =
            PREFIXES.iter().find(|(word, ..)| self.is(*word))
        {
            self.advance();
            if quantifier.is_none() && self.is("[") {
                let message = "an interval behind an operator is not supported";
                return Diagnostic::error(message, self.span()).help(BOUNDED).fail();
            }
            let body = self.operand(COMPARISON)?;
            ExprKind::Temporal(Temporal(quantifier, operator), vec![body])
        } else if self.is("A") || self.is("E") {
            self.bracketed_until()?
        } else {
            return self.postfixed();
        };
        let span = self.since(start);
        self.made(kind, span)
    }

    /// `A[f U g]`
    fn bracketed_until(&mut self) -> Parsed<ExprKind> {
        let quantifier = match self.is("A") {
            true => Quantifier::All,
            false => Quantifier::Some,
        };
        self.advance();
        self.expect("[")?;
        let around = std::mem::replace(&mut self.until_ends, true);
        let left = self.operand(0);
        self.until_ends = around;
        let left = left?;
        let operator = if self.takes("U") {
            TemporalOperator::Until
        } else if self.takes("V") {
            TemporalOperator::Release
        } else {
            return self.unexpected("`U`, as in `A [ f U g ]`");
        };
        let right = self.within(Self::expression)?;
        self.expect("]")?;
        let temporal = Temporal(Some(quantifier), operator);
        Ok(ExprKind::Temporal(temporal, vec![left, right]))
    }

    /// Within brackets of another kind, `U` belongs to what is in them.
    fn within<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let around = std::mem::replace(&mut self.until_ends, false);
        let result = read(self);
        self.until_ends = around;
        result
    }

    /// What stands for itself, with its members, elements and bits.
    pub(super) fn postfixed(&mut self) -> Parsed<Expr> {
        let start = self.start();
        let mut expression = self.within(Self::primary)?;
        loop {
            let kind = if self.takes(".") {
                let name = self.name("the name of a part of the instance")?;
                ExprKind::Member(Box::new(expression), name)
            } else if self.takes("[") {
                let first = self.within(Self::expression)?;
                let kind = if self.takes(":") {
                    let low = self.within(Self::expression)?;
                    ExprKind::Bits(Box::new(expression), Box::new(first), Box::new(low))
                } else {
                    ExprKind::Index(Box::new(expression), Box::new(first))
                };
                self.expect("]")?;
                kind
            } else {
                return Ok(expression);
            };
            let span = self.since(start);
            expression = self.made(kind, span)?;
        }
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let start = self.start();
        let kind = match *self.kind() {
            Kind::Number(number) => {
                self.advance();
                match number {
                    Number::Plain(number) => ExprKind::Number(number),
                    Number::Word(constant) => ExprKind::Word(constant),
                }
            }
            Kind::Symbol("(") => {
                self.advance();
                let mut inside = self.expression()?;
                self.expect(")")?;
                inside.span = self.since(start);
                return Ok(inside);
            }
            Kind::Symbol("{") => {
                self.advance();
                ExprKind::Set(self.parts("}")?)
            }
            Kind::Symbol("[") => {
                self.advance();
                ExprKind::List(self.parts("]")?)
            }
            Kind::Word(word) => self.word_kind(word)?,
            _ => return self.unexpected("an expression"),
        };
        let span = self.since(start);
        self.made(kind, span)
    }

    fn word_kind(&mut self, word: &str) -> Parsed<ExprKind> {
        Ok(match word {
            "TRUE" | "FALSE" | "self" | "case" | "next" => {
                self.advance();
                match word {
                    "self" => ExprKind::SelfName,
                    "case" => self.case()?,
                    "next" => {
                        self.expect("(")?;
                        let inside = self.expression()?;
                        self.expect(")")?;
                        ExprKind::Next(Box::new(inside))
                    }
                    _ => ExprKind::Truth(word == "TRUE"),
                }
            }
            _ if *self.kind_after(1) == "(" && FUNCTIONS.iter().any(|(name, ..)| *name == word) => {
                self.call(word)?
            }
            _ if Self::is_reserved(word) => {
                self.refuse_temporal()?;
                return self.unexpected("an expression");
            }
            _ if *self.kind_after(1) == "(" => {
                let names: Vec<&str> = FUNCTIONS.iter().map(|(name, ..)| *name).collect();
                return Diagnostic::error(format!("there is no function `{word}`"), self.span())
                    .help(format!("the functions are {}", names.join(", ")))
                    .maybe_help(did_you_mean(word, names))
                    .fail();
            }
            _ => {
                self.advance();
                ExprKind::Name(word.to_owned())
            }
        })
    }

    /// Expressions with commas between them, behind the opening bracket.
    fn parts(&mut self, close: &str) -> Parsed<Vec<Expr>> {
        let parts = self.separated(Self::expression)?;
        self.expect(close)?;
        Ok(parts)
    }

    fn call(&mut self, word: &str) -> Parsed<ExprKind> {
        let start = self.start();
        self.advance();
        self.advance();
        let arguments = self.parts(")")?;
        let found = FUNCTIONS.iter().find(|(name, ..)| *name == word);
        let Some(&(_, function, least, most)) = found else {
            return self.unexpected("a function");
        };
        if arguments.len() < least || arguments.len() > most {
            let takes = match (least, most) {
                (1, 1) => "one argument".to_owned(),
                (_, usize::MAX) => format!("at least {least} arguments"),
                _ => format!("{least} arguments"),
            };
            let message = format!("`{word}` takes {takes}, not {}", arguments.len());
            let span = self.since(start);
            return Diagnostic::error(message, span).fail();
        }
        Ok(ExprKind::Call(function, arguments))
    }

    fn case(&mut self) -> Parsed<ExprKind> {
        let mut branches = Vec::new();
        while branches.is_empty() || !self.takes("esac") {
            if self.at_end() {
                return self.unexpected("`esac`");
            }
            if self.is("esac") {
                return self.unexpected("a branch, as `x = 1 : 2;`");
            }
            let condition = self.expression()?;
            self.expect(":")?;
            let value = self.expression()?;
            self.expect(";")?;
            branches.push((condition, value));
        }
        Ok(ExprKind::Case(branches))
    }
}
