//! Expressions, by the strength of their operators.

use super::super::tree::{Expr, ExprKind, Name, Operator};
use super::{DEEPEST, Kind, Parsed, Parser, RESERVED};
use sortie_syntax::Diagnostic;

/// `NOT` takes what binds stronger than `AND`.
const NEGATED: u8 = 5;
const COMPARED: u8 = 6;
/// Sums and everything stronger.
const SUM: u8 = 7;
/// Operators that bind to one operand.
const SIGN: u8 = 9;

const SYMBOLS: &[(&str, Operator, u8)] = &[
    ("<->", Operator::Same, 1),
    ("->", Operator::Implies, 2),
    ("=", Operator::Equal, COMPARED),
    ("!=", Operator::NotEqual, COMPARED),
    ("/=", Operator::NotEqual, COMPARED),
    ("<>", Operator::NotEqual, COMPARED),
    ("<", Operator::Less, COMPARED),
    ("<=", Operator::LessEqual, COMPARED),
    (">", Operator::Greater, COMPARED),
    (">=", Operator::GreaterEqual, COMPARED),
    ("+", Operator::Add, SUM),
    ("-", Operator::Subtract, SUM),
    ("*", Operator::Multiply, 8),
    ("/", Operator::Divide, 8),
];

const WORDS: &[(&str, Operator, u8)] = &[
    ("OR", Operator::Or, 3),
    ("XOR", Operator::Xor, 3),
    ("AND", Operator::And, 4),
    ("IN_STATE", Operator::Equal, COMPARED),
    ("MOD", Operator::Remainder, 8),
];

impl Parser {
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.climb(0)
    }

    /// Without comparisons and logic, as bounds are.
    pub(super) fn sum(&mut self) -> Parsed<Expr> {
        self.climb(SUM)
    }

    /// What is held together by operators of at least this strength.
    fn climb(&mut self, least: u8) -> Parsed<Expr> {
        self.depth += 1;
        if self.depth > DEEPEST {
            let error = Diagnostic::error(
                format!("nested more than {DEEPEST} deep"),
                self.peek().span.clone(),
            )
            .help("give a part of it a name, as a MACRO or a FUNCTION");
            self.depth -= 1;
            return self.report(error);
        }
        let parsed = self.climb_within(least);
        self.depth -= 1;
        parsed
    }

    fn climb_within(&mut self, least: u8) -> Parsed<Expr> {
        let start = self.peek().span.start;
        let mut left = self.operand()?;
        let mut count = 0;
        let mut compared = false;
        while let Some((operator, strength, tokens)) = self.operator()
            && strength >= least
        {
            if strength == COMPARED && compared {
                let error =
                    Diagnostic::error("comparisons cannot be chained", self.peek().span.clone())
                        .help("write `a < b AND b < c`");
                return self.report(error);
            }
            compared = strength == COMPARED;
            self.at += tokens;
            self.fits(count, "operators in one expression", start)?;
            count += 1;
            // Only implication groups to the right.
            let right = self.climb(match operator {
                Operator::Implies => strength,
                _ => strength + 1,
            })?;
            left = self.joined(operator, left, right, start)?;
        }
        Ok(left)
    }

    /// Chains of AND and of OR are lists, so that long ones are not deep.
    fn joined(
        &mut self,
        operator: Operator,
        left: Expr,
        right: Expr,
        start: usize,
    ) -> Parsed<Expr> {
        let span = self.since(start);
        let kind = match (operator, left) {
            (
                Operator::And,
                Expr {
                    kind: ExprKind::All(mut parts),
                    ..
                },
            ) => {
                parts.push(right);
                ExprKind::All(parts)
            }
            (
                Operator::Or,
                Expr {
                    kind: ExprKind::Any(mut parts),
                    ..
                },
            ) => {
                parts.push(right);
                ExprKind::Any(parts)
            }
            (Operator::And, left) => ExprKind::All(vec![left, right]),
            (Operator::Or, left) => ExprKind::Any(vec![left, right]),
            (operator, left) => {
                if depth_to_the_left(&left) >= DEEPEST {
                    let error =
                        Diagnostic::error(format!("more than {DEEPEST} operators in a row"), span)
                            .help("group them with brackets");
                    return self.report(error);
                }
                ExprKind::Binary(operator, Box::new(left), Box::new(right))
            }
        };
        Ok(Expr { kind, span })
    }

    fn operator(&self) -> Option<(Operator, u8, usize)> {
        match &self.peek().kind {
            Kind::Symbol(symbol) => {
                let found = SYMBOLS.iter().find(|(known, ..)| known == symbol)?;
                Some((found.1, found.2, 1))
            }
            Kind::Word(_) => WORDS.iter().find_map(|&(word, operator, strength)| {
                Some((operator, strength, self.keyword_at(self.at, word)?))
            }),
            _ => None,
        }
    }

    fn operand(&mut self) -> Parsed<Expr> {
        let start = self.peek().span.start;
        let kind = match self.peek().kind.clone() {
            Kind::Number(number) => {
                self.at += 1;
                ExprKind::Number(number)
            }
            Kind::Symbol("-") => {
                self.at += 1;
                ExprKind::Negate(Box::new(self.climb(SIGN)?))
            }
            Kind::Symbol("(") => {
                self.at += 1;
                let inside = self.expression()?;
                self.expect(")")?;
                return Ok(Expr {
                    span: self.since(start),
                    ..inside
                });
            }
            Kind::Symbol("..") => ExprKind::Path(self.path()?),
            Kind::Word(_) => self.word()?,
            _ => return self.unexpected("an expression"),
        };
        Ok(Expr {
            kind,
            span: self.since(start),
        })
    }

    fn word(&mut self) -> Parsed<ExprKind> {
        if self.takes_keyword("TRUE") {
            return Ok(ExprKind::Truth(true));
        }
        if self.takes_keyword("FALSE") {
            return Ok(ExprKind::Truth(false));
        }
        if self.takes_keyword("UNDEFINED") {
            return Ok(ExprKind::Undefined);
        }
        if self.takes_keyword("NOT") {
            return Ok(ExprKind::Not(Box::new(self.climb(NEGATED)?)));
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
            let otherwise = self.expression()?;
            return Ok(ExprKind::Case(
                vec![(condition, then)],
                Some(Box::new(otherwise)),
            ));
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
        let start = self.peek().span.start;
        let mut arguments = Vec::new();
        self.expect("(")?;
        if self.takes(")") {
            return Ok(arguments);
        }
        loop {
            self.fits(arguments.len(), "arguments", start)?;
            arguments.push(self.expression()?);
            if !self.takes(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok(arguments)
    }

    /// `CASE condition : value; ... OTHERWISE : value; END CASE`.
    fn case(&mut self) -> Parsed<ExprKind> {
        let start = self.peek().span.start;
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
        let start = self.peek().span.start;
        self.takes("..");
        let mut path = Vec::new();
        loop {
            self.fits(path.len(), "components", start)?;
            path.push(self.name("a name")?);
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
