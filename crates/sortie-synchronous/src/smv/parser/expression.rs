//! Expressions and formulas, by the strength of their operators.

use super::Parser;
use crate::smv::lexer::{Kind, RESERVED};
use crate::smv::log::Read;
use crate::smv::tree::{
    Chained, Expr, ExprKind, FUNCTIONS, Operator, Quantifier, Temporal, TemporalOperator, levels,
};
use sortie_syntax::Diagnostic;

/// What stands between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Between {
    Operator(Operator),
    Chain(Chained),
    Range,
    Choice,
    Temporal(TemporalOperator),
}

const IMPLIES: u8 = 1;
const CHOICE: u8 = 3;
/// What a temporal operator applies to, if there are no brackets.
const COMPARISON: u8 = 8;
const RANGE: u8 = 11;
const NEGATE: u8 = 15;
const NOT: u8 = 17;

/// Symbols and words with what they mean and how strongly they bind.
const OPERATORS: &[(&str, Between, u8)] = &[
    ("->", Between::Operator(Operator::Implies), IMPLIES),
    ("<->", Between::Operator(Operator::Iff), 2),
    ("?", Between::Choice, CHOICE),
    ("|", Between::Chain(Chained::Or), 4),
    ("xor", Between::Operator(Operator::Xor), 4),
    ("xnor", Between::Operator(Operator::Xnor), 4),
    ("&", Between::Chain(Chained::And), 5),
    ("U", Between::Temporal(TemporalOperator::Until), 6),
    ("V", Between::Temporal(TemporalOperator::Release), 6),
    ("=", Between::Operator(Operator::Equal), COMPARISON),
    ("!=", Between::Operator(Operator::Different), COMPARISON),
    ("<", Between::Operator(Operator::Less), COMPARISON),
    (">", Between::Operator(Operator::Greater), COMPARISON),
    ("<=", Between::Operator(Operator::AtMost), COMPARISON),
    (">=", Between::Operator(Operator::AtLeast), COMPARISON),
    ("in", Between::Operator(Operator::In), 9),
    ("union", Between::Chain(Chained::Union), 10),
    ("..", Between::Range, RANGE),
    ("<<", Between::Operator(Operator::ShiftLeft), 12),
    (">>", Between::Operator(Operator::ShiftRight), 12),
    ("+", Between::Chain(Chained::Add), 13),
    ("-", Between::Operator(Operator::Subtract), 13),
    ("*", Between::Operator(Operator::Multiply), 14),
    ("/", Between::Operator(Operator::Divide), 14),
    ("mod", Between::Operator(Operator::Remainder), 14),
    ("::", Between::Operator(Operator::Concatenate), 16),
];

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

impl Parser {
    pub(super) fn expression(&mut self) -> Read<Expr> {
        self.operand(0)
    }

    /// What can be a bound or a range.
    pub(super) fn range_operand(&mut self) -> Read<Expr> {
        self.operand(RANGE)
    }

    fn between(&self) -> Option<(Between, u8)> {
        let written = match &self.peek().kind {
            Kind::Symbol(symbol) => symbol,
            Kind::Word(word) => word.as_str(),
            _ => return None,
        };
        let found = OPERATORS.iter().find(|(s, ..)| *s == written);
        found.map(|&(_, between, strength)| (between, strength))
    }

    /// An expression whose operators bind at least so strongly.
    fn operand(&mut self, least: u8) -> Read<Expr> {
        let mut left = self.deeper(Self::prefixed)?;
        // Whether the chain at the left has no brackets around it.
        let mut open: Option<Chained> = None;
        while let Some((between, strength)) = self.between()
            && strength >= least
            && !(self.until_ends && matches!(between, Between::Temporal(_)))
        {
            self.at += 1;
            if between == Between::Choice {
                left = self.choice(left)?;
                open = None;
                continue;
            }
            let right =
                self.deeper(|parser| parser.operand(strength + u8::from(strength != IMPLIES)))?;
            if let Between::Chain(chained) = between
                && open == Some(chained)
            {
                left = longer(left, right);
                continue;
            }
            let span = left.span.start..right.span.end;
            let kind = match between {
                Between::Chain(chained) => ExprKind::Chain(chained, vec![left, right]),
                Between::Operator(operator) => {
                    ExprKind::Binary(operator, Box::new(left), Box::new(right))
                }
                Between::Temporal(operator) => {
                    let temporal = Temporal {
                        quantifier: None,
                        operator,
                    };
                    ExprKind::Temporal(temporal, vec![left, right])
                }
                Between::Range | Between::Choice => {
                    ExprKind::Range(Box::new(left), Box::new(right))
                }
            };
            open = match between {
                Between::Chain(chained) => Some(chained),
                _ => None,
            };
            left = self.made(kind, span)?;
        }
        self.refuse_temporal()?;
        Ok(left)
    }

    /// Behind `condition ?`.
    fn choice(&mut self, condition: Expr) -> Read<Expr> {
        let then = self.deeper(|parser| parser.operand(IMPLIES))?;
        self.expect(":")?;
        let otherwise = self.deeper(|parser| parser.operand(CHOICE))?;
        let span = condition.span.start..otherwise.span.end;
        let kind = ExprKind::Choice(Box::new(condition), Box::new(then), Box::new(otherwise));
        self.made(kind, span)
    }

    fn refuse_temporal(&mut self) -> Read<()> {
        let found = REFUSED.iter().find(|(word, _)| self.is_word(word));
        match found {
            None => Ok(()),
            Some((word, help)) => {
                let span = self.peek().span.clone();
                self.report(
                    Diagnostic::error(format!("`{word}` is not supported"), span).help(*help),
                )
            }
        }
    }

    fn prefixed(&mut self) -> Read<Expr> {
        let start = self.peek().span.start;
        let kind = if self.takes("-") {
            ExprKind::Negate(Box::new(self.operand(NEGATE)?))
        } else if self.takes("!") {
            ExprKind::Not(Box::new(self.operand(NOT)?))
        } else if let Some(&(_, quantifier, operator)) =
            PREFIXES.iter().find(|(word, ..)| self.is_word(word))
        {
            self.at += 1;
            if quantifier.is_none() && self.is("[") {
                let span = self.peek().span.clone();
                return self.report(
                    Diagnostic::error("an interval behind an operator is not supported", span)
                        .help(BOUNDED),
                );
            }
            let body = self.operand(COMPARISON)?;
            let temporal = Temporal {
                quantifier,
                operator,
            };
            ExprKind::Temporal(temporal, vec![body])
        } else if self.is_word("A") || self.is_word("E") {
            self.bracketed_until()?
        } else {
            return self.postfixed();
        };
        let span = self.since(start);
        self.made(kind, span)
    }

    /// `A[f U g]`
    fn bracketed_until(&mut self) -> Read<ExprKind> {
        let quantifier = if self.is_word("A") {
            Quantifier::All
        } else {
            Quantifier::Some
        };
        self.at += 1;
        self.expect("[")?;
        let around = std::mem::replace(&mut self.until_ends, true);
        let left = self.operand(0);
        self.until_ends = around;
        let left = left?;
        let operator = if self.takes_word("U") {
            TemporalOperator::Until
        } else if self.takes_word("V") {
            TemporalOperator::Release
        } else {
            return self.unexpected("`U`, as in `A [ f U g ]`");
        };
        let right = self.within(Self::expression)?;
        self.expect("]")?;
        let temporal = Temporal {
            quantifier: Some(quantifier),
            operator,
        };
        Ok(ExprKind::Temporal(temporal, vec![left, right]))
    }

    /// Within brackets of another kind, `U` belongs to what is in them.
    fn within<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        let around = std::mem::replace(&mut self.until_ends, false);
        let result = read(self);
        self.until_ends = around;
        result
    }

    /// What stands for itself, with its members, elements and bits.
    pub(super) fn postfixed(&mut self) -> Read<Expr> {
        let start = self.peek().span.start;
        let mut expression = self.within(Self::primary)?;
        loop {
            let kind = if self.takes(".") {
                ExprKind::Member(Box::new(expression), self.name("a part of the instance")?)
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

    fn primary(&mut self) -> Read<Expr> {
        let start = self.peek().span.start;
        let kind = match self.peek().kind.clone() {
            Kind::Number(number) => {
                self.at += 1;
                ExprKind::Number(number)
            }
            Kind::WordConstant(constant) => {
                self.at += 1;
                ExprKind::Word(constant)
            }
            Kind::Symbol("(") => {
                self.at += 1;
                let mut inside = self.expression()?;
                self.expect(")")?;
                inside.span = self.since(start);
                return Ok(inside);
            }
            Kind::Symbol("{") => {
                self.at += 1;
                let parts = self.list("}")?;
                ExprKind::Set(parts)
            }
            Kind::Symbol("[") => {
                self.at += 1;
                let parts = self.list("]")?;
                ExprKind::List(parts)
            }
            Kind::Word(word) => self.word_kind(&word)?,
            _ => return self.unexpected("an expression"),
        };
        let span = self.since(start);
        self.made(kind, span)
    }

    fn word_kind(&mut self, word: &str) -> Read<ExprKind> {
        Ok(match word {
            "TRUE" | "FALSE" => {
                self.at += 1;
                ExprKind::Truth(word == "TRUE")
            }
            "self" => {
                self.at += 1;
                ExprKind::SelfName
            }
            "case" => {
                self.at += 1;
                self.case()?
            }
            "next" => {
                self.at += 1;
                self.expect("(")?;
                let inside = self.expression()?;
                self.expect(")")?;
                ExprKind::Next(Box::new(inside))
            }
            _ if self.peek_after(1) == &Kind::Symbol("(")
                && FUNCTIONS.iter().any(|(name, ..)| *name == word) =>
            {
                self.call(word)?
            }
            _ if RESERVED.contains(&word) => {
                self.refuse_temporal()?;
                return self.unexpected("an expression");
            }
            _ if self.peek_after(1) == &Kind::Symbol("(") => {
                let span = self.peek().span.clone();
                let names: Vec<&str> = FUNCTIONS.iter().map(|(name, ..)| *name).collect();
                return self.report(
                    Diagnostic::error(format!("there is no function `{word}`"), span)
                        .help(format!("the functions are {}", names.join(", ")))
                        .maybe_help(sortie_syntax::did_you_mean(word, names)),
                );
            }
            _ => {
                self.at += 1;
                ExprKind::Name(word.to_owned())
            }
        })
    }

    /// Expressions with commas between them, behind the opening bracket.
    fn list(&mut self, close: &str) -> Read<Vec<Expr>> {
        let mut parts = vec![self.expression()?];
        while self.takes(",") {
            parts.push(self.expression()?);
        }
        self.expect(close)?;
        Ok(parts)
    }

    fn call(&mut self, word: &str) -> Read<ExprKind> {
        let start = self.peek().span.start;
        self.at += 2;
        let arguments = self.list(")")?;
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
            return self.report(Diagnostic::error(message, span));
        }
        Ok(ExprKind::Call(function, arguments))
    }

    fn case(&mut self) -> Read<ExprKind> {
        let mut branches = Vec::new();
        while !self.takes_word("esac") {
            if self.at_end() {
                return self.unexpected("`esac`");
            }
            let condition = self.expression()?;
            self.expect(":")?;
            let value = self.expression()?;
            self.expect(";")?;
            branches.push((condition, value));
        }
        if branches.is_empty() {
            self.at -= 1;
            return self.unexpected("a branch, as `x = 1 : 2;`");
        }
        Ok(ExprKind::Case(branches))
    }
}
