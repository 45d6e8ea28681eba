//! Expressions, by the strength of their operators.

use super::super::tree::Operator::{And, Arithmetic, Compare, Implies, Logic, Or, Order, Reversed};
use super::super::tree::{Expr, ExprKind, Name, Operator};
use super::{Kind, Parser, RESERVED};
use crate::expression::Binary::{
    Add, Divide, Equal, Less, LessEqual, Multiply, NotEqual, Remainder, Subtract,
};
use sortie_syntax::{Diagnostic, Grammar, Infix, Parsed, RecursiveDescent};

/// `NOT` takes what binds stronger than `AND`.
const NEGATED: u8 = 5;
const COMPARED: u8 = 6;
/// Sums and everything stronger.
const SUM: u8 = 7;
/// Operators that bind to one operand.
const SIGN: u8 = 9;

const SYMBOLS: &[(&str, Infix<Operator>)] = &[
    ("<->", Infix::left(Logic(Equal), 1)),
    // Only implication groups to the right.
    ("->", Infix::right(Implies, 2)),
    ("=", Infix::single(Compare(Equal), COMPARED)),
    ("!=", Infix::single(Compare(NotEqual), COMPARED)),
    ("/=", Infix::single(Compare(NotEqual), COMPARED)),
    ("<>", Infix::single(Compare(NotEqual), COMPARED)),
    ("<", Infix::single(Order(Less), COMPARED)),
    ("<=", Infix::single(Order(LessEqual), COMPARED)),
    (">", Infix::single(Reversed(Less), COMPARED)),
    (">=", Infix::single(Reversed(LessEqual), COMPARED)),
    ("+", Infix::left(Arithmetic(Add), SUM)),
    ("-", Infix::left(Arithmetic(Subtract), SUM)),
    ("*", Infix::left(Arithmetic(Multiply), 8)),
    ("/", Infix::left(Arithmetic(Divide), 8)),
];

const WORDS: &[(&str, Infix<Operator>)] = &[
    ("OR", Infix::left(Or, 3)),
    ("XOR", Infix::left(Logic(NotEqual), 3)),
    ("AND", Infix::left(And, 4)),
    ("IN_STATE", Infix::single(Compare(Equal), COMPARED)),
    ("MOD", Infix::left(Arithmetic(Remainder), 8)),
];

struct Expressions;

impl Grammar<Parser<'_>> for Expressions {
    type Tree = Expr;
    type Operator = Operator;
    const UNCHAINED: &'static str = "write `a < b AND b < c`";

    fn operand(parser: &mut Parser<'_>, _: u8) -> Parsed<Expr> {
        parser.operand()
    }

    fn infix(parser: &mut Parser<'_>, _: u8) -> Parsed<Option<Infix<Operator>>> {
        Ok(match parser.kind() {
            Kind::Symbol(symbol) => {
                let found = SYMBOLS.iter().find(|(known, _)| known == symbol);
                found.map(|&(_, infix)| infix)
            }
            Kind::Word(_) => WORDS.iter().find_map(|&(word, infix)| {
                let tokens = parser.keyword_at(parser.0.at, word)?;
                Some(Infix { tokens, ..infix })
            }),
            _ => None,
        })
    }

    /// Chains of AND and of OR are lists, so that long ones are not deep.
    fn join(
        _: &mut Parser<'_>,
        mut left: Expr,
        infix: Infix<Operator>,
        right: Expr,
    ) -> Parsed<Expr> {
        let span = left.span.to(right.span);
        match (infix.operator, &mut left.kind) {
            (Operator::And, ExprKind::All(parts)) | (Operator::Or, ExprKind::Any(parts)) => {
                parts.push(right);
                return Ok(Expr { span, ..left });
            }
            _ => {}
        }
        let kind = match infix.operator {
            Operator::And => ExprKind::All(vec![left, right]),
            Operator::Or => ExprKind::Any(vec![left, right]),
            _ if depth_to_the_left(&left) >= Parser::DEEPEST => {
                let message = format!("more than {} operators in a row", Parser::DEEPEST);
                return Diagnostic::error(message, span)
                    .help("group them with brackets")
                    .fail();
            }
            operator => ExprKind::Binary(operator, Box::new(left), Box::new(right)),
        };
        Ok(Expr { kind, span })
    }
}

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.climb::<Expressions>(0)
    }

    /// Without comparisons and logic, as bounds are.
    pub(super) fn sum(&mut self) -> Parsed<Expr> {
        self.climb::<Expressions>(SUM)
    }

    fn operand(&mut self) -> Parsed<Expr> {
        let start = self.start();
        let kind = match *self.kind() {
            Kind::Number(number) => {
                self.advance();
                ExprKind::Number(number)
            }
            Kind::Symbol("-") => {
                self.advance();
                ExprKind::Negate(Box::new(self.climb::<Expressions>(SIGN)?))
            }
            Kind::Symbol("(") => {
                self.advance();
                let inside = self.expression()?;
                self.expect(")")?;
                return Ok(Expr {
                    span: self.since(start),
                    ..inside
                });
            }
            Kind::Symbol("..") => ExprKind::Path(self.path()?),
            Kind::Word(_) => self.word_kind()?,
            _ => return self.unexpected("an expression"),
        };
        let span = self.since(start);
        Ok(Expr { kind, span })
    }

    fn word_kind(&mut self) -> Parsed<ExprKind> {
        let (yes, no) = (ExprKind::Truth(true), ExprKind::Truth(false));
        for (word, kind) in [
            ("TRUE", yes),
            ("FALSE", no),
            ("UNDEFINED", ExprKind::Undefined),
        ] {
            if self.takes_keyword(word) {
                return Ok(kind);
            }
        }
        if self.takes_keyword("NOT") {
            return Ok(ExprKind::Not(Box::new(self.climb::<Expressions>(NEGATED)?)));
        }
        if self.takes_keyword("WHEN") {
            return Ok(ExprKind::When(Box::new(self.bracketed()?)));
        }
        if self.takes_keyword("PREV_STEP") || self.takes_keyword("PREV_VALUE") {
            return Ok(ExprKind::Previous(Box::new(self.bracketed()?)));
        }
        if self.takes_keyword("TABLE") {
            return Ok(ExprKind::Table(self.table()?));
        }
        if self.takes_keyword("CASE") {
            return self.case();
        }
        if self.takes_keyword("IF") {
            let condition = self.expression()?;
            self.expect_keyword("THEN")?;
            let then = self.expression()?;
            self.expect_keyword("ELSE")?;
            let otherwise = Some(Box::new(self.expression()?));
            return Ok(ExprKind::Case(vec![(condition, then)], otherwise));
        }
        if let Some(reserved) = RESERVED.iter().find(|word| self.is_keyword(word)) {
            let wanted = format!("an expression before `{reserved}`");
            return self.unexpected(&wanted);
        }
        let path = self.path()?;
        if self.is("(")
            && let [name] = path.as_slice()
        {
            let arguments = self.arguments()?;
            return Ok(ExprKind::Call(name.clone(), arguments));
        }
        Ok(ExprKind::Path(path))
    }

    fn bracketed(&mut self) -> Parsed<Expr> {
        self.expect("(")?;
        let inside = self.expression()?;
        self.expect(")")?;
        Ok(inside)
    }

    fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        self.expect("(")?;
        if self.takes(")") {
            return Ok(Vec::new());
        }
        let arguments = self.several("arguments", Self::expression)?;
        self.expect(")")?;
        Ok(arguments)
    }

    /// `CASE condition : value; ... OTHERWISE : value; END CASE`.
    fn case(&mut self) -> Parsed<ExprKind> {
        let start = self.start();
        let mut choices = Vec::new();
        let mut otherwise = None;
        while !self.is_keyword("END") {
            self.fits(choices.len(), "cases", start)?;
            let last = self.takes_keyword("OTHERWISE");
            if last {
                self.expect(":")?;
                otherwise = Some(Box::new(self.expression()?));
            } else {
                let condition = self.expression()?;
                self.expect(":")?;
                choices.push((condition, self.expression()?));
            }
            self.expect(";")?;
            if last {
                break;
            }
        }
        self.expect_keyword("END")?;
        self.expect_keyword("CASE")?;
        Ok(ExprKind::Case(choices, otherwise))
    }

    /// `Modes.On.ROLL`, `..ROLL` or `ROLL`.
    pub(super) fn path(&mut self) -> Parsed<Vec<Name>> {
        let start = self.start();
        self.takes("..");
        let mut path = Vec::new();
        loop {
            self.fits(path.len(), "components", start)?;
            path.push(self.word("a name")?);
            if !self.takes(".") {
                return Ok(path);
            }
        }
    }
}

/// How long the chain of operators at the left is. What is in brackets counts too, which is deep as well.
fn depth_to_the_left(mut expression: &Expr) -> usize {
    let mut depth = 0;
    while let ExprKind::Binary(_, left, _) = &expression.kind {
        depth += 1;
        expression = left;
    }
    depth
}
