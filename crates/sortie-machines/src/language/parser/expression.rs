//! Expressions, by the strength of their operators.

use super::{Kind, Parser};
use crate::code::Binary;
use crate::language::lexer::is_reserved;
use crate::language::tree::Operator::{self, And, Implies, Or, Plain, Reversed};
use crate::language::tree::{Expr, ExprKind, Index, Path, Quantifier};
use sortie_syntax::{Grammar, Infix, Name, Parsed, RecursiveDescent};

/// Symbols with what they mean and how strongly they bind.
const OPERATORS: &[(&str, Infix<Operator>)] = &[
    ("=>", Infix::right(Implies, 1)),
    ("||", Infix::left(Or, 2)),
    ("&&", Infix::left(And, 3)),
    ("==", Infix::single(Plain(Binary::Equal), 4)),
    ("!=", Infix::single(Plain(Binary::Different), 4)),
    ("<", Infix::single(Plain(Binary::Less), 4)),
    ("<=", Infix::single(Plain(Binary::AtMost), 4)),
    (">", Infix::single(Reversed(Binary::Less), 4)),
    (">=", Infix::single(Reversed(Binary::AtMost), 4)),
    ("|", Infix::left(Plain(Binary::BitOr), 5)),
    ("^", Infix::left(Plain(Binary::BitXor), 6)),
    ("&", Infix::left(Plain(Binary::BitAnd), 7)),
    ("<<", Infix::left(Plain(Binary::ShiftLeft), 8)),
    (">>", Infix::left(Plain(Binary::ShiftRight), 8)),
    ("+", Infix::left(Plain(Binary::Add), 9)),
    ("-", Infix::left(Plain(Binary::Subtract), 9)),
    ("*", Infix::left(Plain(Binary::Multiply), 10)),
    ("/", Infix::left(Plain(Binary::Divide), 10)),
    ("%", Infix::left(Plain(Binary::Remainder), 10)),
];

struct Expressions;

impl Grammar<Parser<'_>> for Expressions {
    type Tree = Expr;
    type Operator = Operator;
    const UNCHAINED: &'static str = "write `a < b && b < c`, or put brackets around one of them";

    fn operand(parser: &mut Parser<'_>, _: u8) -> Parsed<Expr> {
        parser.prefixed()
    }

    fn infix(parser: &mut Parser<'_>, _: u8) -> Parsed<Option<Infix<Operator>>> {
        let mut known = OPERATORS.iter();
        let found = known.find(|(symbol, _)| *parser.kind() == *symbol);
        Ok(found.map(|&(_, infix)| infix))
    }

    fn join(_: &mut Parser<'_>, left: Expr, infix: Infix<Operator>, right: Expr) -> Parsed<Expr> {
        Ok(Expr {
            span: left.span.to(right.span),
            kind: ExprKind::Binary(infix.operator, Box::new(left), Box::new(right)),
        })
    }
}

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.climb::<Expressions>(0)
    }

    fn prefixed(&mut self) -> Parsed<Expr> {
        let start = self.start();
        let kind = if self.takes("-") {
            ExprKind::Negate(Box::new(self.nested(Self::prefixed)?))
        } else if self.takes("!") {
            ExprKind::Not(Box::new(self.nested(Self::prefixed)?))
        } else {
            return self.primary();
        };
        let span = self.since(start);
        Ok(Expr { kind, span })
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let start = self.start();
        let kind = match *self.kind() {
            Kind::Number(number) => {
                self.advance();
                ExprKind::Number(number)
            }
            Kind::Symbol("(") => {
                self.advance();
                let inside = self.expression()?;
                self.expect(")")?;
                inside.kind
            }
            Kind::Word(word) => match word {
                "true" | "false" => {
                    self.advance();
                    ExprKind::Truth(word == "true")
                }
                "all" => self.quantified(Quantifier::All)?,
                "exists" => self.quantified(Quantifier::Exists)?,
                "count" => self.quantified(Quantifier::Count)?,
                "sum" => self.quantified(Quantifier::Sum)?,
                "if" => self.conditional()?,
                word if is_reserved(word) => return self.unexpected("an expression"),
                _ if *self.kind_after(1) == "(" => {
                    let name = self.name("the name of a function")?;
                    ExprKind::Call(name, self.arguments()?)
                }
                _ => self.path_or_question()?,
            },
            _ => return self.unexpected("an expression"),
        };
        let span = self.since(start);
        Ok(Expr { kind, span })
    }

    fn conditional(&mut self) -> Parsed<ExprKind> {
        self.advance();
        let condition = self.expression()?;
        self.expect("then")?;
        let then = self.expression()?;
        self.expect("else")?;
        let otherwise = self.expression()?;
        let [condition, then, otherwise] = [condition, then, otherwise].map(Box::new);
        Ok(ExprKind::If(condition, then, otherwise))
    }

    /// `all i in 0..3, j in Colour: body`.
    fn quantified(&mut self, quantifier: Quantifier) -> Parsed<ExprKind> {
        self.advance();
        let indices = self.in_indices()?;
        self.expect(":")?;
        let body = self.expression()?;
        Ok(ExprKind::Quantified(quantifier, indices, Box::new(body)))
    }

    pub(super) fn in_indices(&mut self) -> Parsed<Vec<Index>> {
        self.separated(|parser| parser.named_index("in"))
    }

    /// The arguments of a call, with their brackets.
    pub(super) fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        self.expect("(")?;
        self.list(")", Self::expression)
    }

    fn path_or_question(&mut self) -> Parsed<ExprKind> {
        let path = self.path("a variable, a constant or a machine")?;
        if !self.takes("in") {
            return Ok(ExprKind::Path(path));
        }
        let states = if self.takes("(") {
            let states = self.separated(Self::state_reference)?;
            self.expect(")")?;
            states
        } else {
            vec![self.state_reference()?]
        };
        Ok(ExprKind::In(path, states))
    }

    /// `name[i][j]`
    pub(super) fn state_reference(&mut self) -> Parsed<(Name, Vec<Expr>)> {
        let name = self.name("the name of a state")?;
        Ok((name, self.subscripts()?))
    }

    fn subscripts(&mut self) -> Parsed<Vec<Expr>> {
        let mut subscripts = Vec::new();
        while self.takes("[") {
            subscripts.push(self.expression()?);
            self.expect("]")?;
        }
        Ok(subscripts)
    }

    pub(super) fn path(&mut self, of: &str) -> Parsed<Path> {
        let name = self.name(of)?;
        let start = name.span.start;
        let indices = self.subscripts()?;
        let member = if self.takes(".") {
            let member = self.name("the name of a state or a variable of the machine")?;
            Some((member, self.subscripts()?))
        } else {
            None
        };
        Ok(Path {
            name,
            indices,
            member,
            span: self.since(start),
        })
    }
}
