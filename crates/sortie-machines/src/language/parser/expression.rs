//! Expressions, by the strength of their operators.

use super::{LONGEST, Parsed, Parser};
use crate::language::lexer::{Kind, RESERVED};
use crate::language::tree::{Expr, ExprKind, Index, Name, Operator, Path, Quantifier};
use sortie_syntax::Diagnostic;

/// Symbols with what they mean and how strongly they bind.
const OPERATORS: &[(&str, Operator, u8)] = &[
    ("=>", Operator::Implies, 1),
    ("||", Operator::Or, 2),
    ("&&", Operator::And, 3),
    ("==", Operator::Equal, 4),
    ("!=", Operator::Different, 4),
    ("<", Operator::Less, 4),
    ("<=", Operator::AtMost, 4),
    (">", Operator::Greater, 4),
    (">=", Operator::AtLeast, 4),
    ("|", Operator::BitOr, 5),
    ("^", Operator::BitXor, 6),
    ("&", Operator::BitAnd, 7),
    ("<<", Operator::ShiftLeft, 8),
    (">>", Operator::ShiftRight, 8),
    ("+", Operator::Add, 9),
    ("-", Operator::Subtract, 9),
    ("*", Operator::Multiply, 10),
    ("/", Operator::Divide, 10),
    ("%", Operator::Remainder, 10),
];

/// Of comparisons, which do not form chains.
const COMPARISON: u8 = 4;

impl Parser {
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.operand(0)
    }

    /// An expression whose operators bind at least so strongly.
    pub(super) fn operand(&mut self, strength: u8) -> Parsed<Expr> {
        let mut left = self.deeper(Self::prefixed)?;
        let mut length = 0;
        let mut compared = false;
        while let Kind::Symbol(symbol) = self.peek().kind
            && let Some(&(_, operator, strong)) = OPERATORS.iter().find(|(s, ..)| *s == symbol)
            && strong >= strength
        {
            let span = self.peek().span.clone();
            length += 1;
            if length > LONGEST {
                return self
                    .report(Diagnostic::error("this expression is too long", span).help(
                        "a quantifier (`all`, `exists`, `sum`) or a function makes it short",
                    ));
            }
            if strong == COMPARISON && compared {
                return self.report(
                    Diagnostic::error("comparisons do not form chains", span)
                        .help("write `a < b && b < c`, or put brackets around one of them"),
                );
            }
            compared = strong == COMPARISON;
            self.at += 1;
            // `a => b => c` is `a => (b => c)`.
            let right = self.deeper(|parser| {
                parser.operand(strong + u8::from(operator != Operator::Implies))
            })?;
            left = Expr {
                span: left.span.start..right.span.end,
                kind: ExprKind::Binary(operator, Box::new(left), Box::new(right)),
            };
        }
        Ok(left)
    }

    fn prefixed(&mut self) -> Parsed<Expr> {
        let start = self.peek().span.start;
        let kind = if self.takes("-") {
            ExprKind::Negate(Box::new(self.deeper(Self::prefixed)?))
        } else if self.takes("!") {
            ExprKind::Not(Box::new(self.deeper(Self::prefixed)?))
        } else {
            return self.primary();
        };
        Ok(Expr {
            kind,
            span: self.since(start),
        })
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let start = self.peek().span.start;
        let kind = match self.peek().kind.clone() {
            Kind::Number(number) => {
                self.at += 1;
                ExprKind::Number(number)
            }
            Kind::Symbol("(") => {
                self.at += 1;
                let inside = self.operand(0)?;
                self.expect(")")?;
                inside.kind
            }
            Kind::Word(word) => match word.as_str() {
                "true" | "false" => {
                    self.at += 1;
                    ExprKind::Truth(word == "true")
                }
                "all" => self.quantified(Quantifier::All)?,
                "exists" => self.quantified(Quantifier::Exists)?,
                "count" => self.quantified(Quantifier::Count)?,
                "sum" => self.quantified(Quantifier::Sum)?,
                "if" => self.conditional()?,
                word if RESERVED.contains(&word) => return self.unexpected("an expression"),
                _ if self.peek_after(1) == &Kind::Symbol("(") => {
                    let name = self.name("a function")?;
                    ExprKind::Call(name, self.arguments()?)
                }
                _ => self.path_or_question()?,
            },
            _ => return self.unexpected("an expression"),
        };
        Ok(Expr {
            kind,
            span: self.since(start),
        })
    }

    fn conditional(&mut self) -> Parsed<ExprKind> {
        self.at += 1;
        let condition = self.operand(0)?;
        if !self.takes_word("then") {
            return self.unexpected("`then`");
        }
        let then = self.operand(0)?;
        if !self.takes_word("else") {
            return self.unexpected("`else`");
        }
        let otherwise = self.operand(0)?;
        Ok(ExprKind::If(
            Box::new(condition),
            Box::new(then),
            Box::new(otherwise),
        ))
    }

    /// `all i in 0..3, j in Colour: body`.
    fn quantified(&mut self, quantifier: Quantifier) -> Parsed<ExprKind> {
        self.at += 1;
        let indices = self.in_indices()?;
        self.expect(":")?;
        let body = self.operand(0)?;
        Ok(ExprKind::Quantified(quantifier, indices, Box::new(body)))
    }

    pub(super) fn in_indices(&mut self) -> Parsed<Vec<Index>> {
        let mut indices = vec![self.named_index("in")?];
        while self.takes(",") {
            indices.push(self.named_index("in")?);
        }
        Ok(indices)
    }

    /// The arguments of a call, with their brackets.
    pub(super) fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        self.expect("(")?;
        let mut arguments = Vec::new();
        while !self.is(")") {
            arguments.push(self.operand(0)?);
            if !self.takes(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok(arguments)
    }

    fn path_or_question(&mut self) -> Parsed<ExprKind> {
        let path = self.path("a variable, a constant or a machine")?;
        if !self.takes_word("in") {
            return Ok(ExprKind::Path(path));
        }
        let mut states = Vec::new();
        if self.takes("(") {
            states.push(self.state_reference()?);
            while self.takes(",") {
                states.push(self.state_reference()?);
            }
            self.expect(")")?;
        } else {
            states.push(self.state_reference()?);
        }
        Ok(ExprKind::In(path, states))
    }

    /// `name[i][j]`
    pub(super) fn state_reference(&mut self) -> Parsed<(Name, Vec<Expr>)> {
        let name = self.name("a state")?;
        Ok((name, self.subscripts()?))
    }

    fn subscripts(&mut self) -> Parsed<Vec<Expr>> {
        let mut subscripts = Vec::new();
        while self.takes("[") {
            subscripts.push(self.operand(0)?);
            self.expect("]")?;
        }
        Ok(subscripts)
    }

    pub(super) fn path(&mut self, of: &str) -> Parsed<Path> {
        let name = self.name(of)?;
        let start = name.span.start;
        let indices = self.subscripts()?;
        let member = if self.takes(".") {
            let member = self.name("a state or a variable of the machine")?;
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
