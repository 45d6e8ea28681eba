//! The parser: tokens and expressions. Declarations and statements follow in [`declarations`](super::declarations).

use super::constant::constant;
use super::syntax::{Node, NodeKind};
use super::token::{Fault, Kind, Span, Token, fail};
use super::types::{Entry, INT, World};
use crate::code::{Binary, Unary, Width};

/// So deep may brackets and statements be nested.
const DEEPEST: usize = 150;

/// So high may the tree of an expression be.
const HIGHEST: u16 = 500;

pub(in crate::lurch) struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    end: Token,
    pub(super) world: &'a mut World,
    depth: usize,
}

impl<'a> Parser<'a> {
    /// A parser of tokens that end where the span ends.
    pub fn new(tokens: &'a [Token], span: Span, world: &'a mut World) -> Self {
        let at = tokens.last().map_or(span, |token| Span {
            start: token.span.end.max(1) - 1,
            end: token.span.end,
        });
        Parser {
            tokens,
            at: 0,
            end: Token {
                kind: Kind::End,
                span: at,
                first: true,
            },
            world,
            depth: 0,
        }
    }

    /// The value of all the tokens as one constant expression.
    pub fn lone_constant(mut self) -> Result<i64, Fault> {
        let node = self.lone_expression()?;
        Ok(constant(&node, self.world)?.0)
    }

    /// All the tokens as one expression.
    pub fn lone_expression(&mut self) -> Result<Node, Fault> {
        let node = self.expression()?;
        match self.peek().kind {
            Kind::End => Ok(node),
            _ => self.unexpected("the end of the expression"),
        }
    }

    pub(super) fn peek(&self) -> &Token {
        self.peek_at(0)
    }

    pub(super) fn peek_at(&self, ahead: usize) -> &Token {
        self.tokens.get(self.at + ahead).unwrap_or(&self.end)
    }

    pub(super) fn at_end(&self) -> bool {
        self.at >= self.tokens.len()
    }

    pub(super) fn advance(&mut self) -> Token {
        let token = self.peek().clone();
        self.at += 1;
        token
    }

    /// Whether this sign comes next; if so, it is taken.
    pub(super) fn take(&mut self, sign: &str) -> bool {
        let found = self.peek().is(sign);
        self.at += usize::from(found);
        found
    }

    /// Whether this word comes next; if so, it is taken.
    pub(super) fn take_word(&mut self, word: &str) -> bool {
        let found = self.peek().name() == Some(word);
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect(&mut self, sign: &str) -> Result<Span, Fault> {
        if self.peek().is(sign) {
            return Ok(self.advance().span);
        }
        // What is forgotten at the end of a line is best shown there.
        let last = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        match last {
            Some(last) if self.peek().first => fail(
                last.span,
                format!("`{sign}` is missing behind {}", last.describe()),
                format!("add `{sign}`"),
            ),
            _ => self.unexpected(&format!("`{sign}`")),
        }
    }

    pub(super) fn expect_name(&mut self, what: &str) -> Result<(String, Span), Fault> {
        match self.peek().name() {
            Some(name) => {
                let name = name.to_owned();
                Ok((name, self.advance().span))
            }
            None => self.unexpected(what),
        }
    }

    pub(super) fn unexpected<T>(&self, wanted: &str) -> Result<T, Fault> {
        let token = self.peek();
        fail(
            token.span,
            format!("{} cannot stand here", token.describe()),
            format!("expected {wanted}"),
        )
    }

    /// Does something one level deeper.
    pub(super) fn nested<T>(
        &mut self,
        inner: impl FnOnce(&mut Self) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        if self.depth >= DEEPEST {
            return fail(
                self.peek().span,
                "this is nested too deeply",
                format!("no more than {DEEPEST} levels can be read; split it up"),
            );
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    fn node(&self, kind: NodeKind, span: Span) -> Result<Node, Fault> {
        let height = match &kind {
            NodeKind::Number(..)
            | NodeKind::Real
            | NodeKind::Text(_)
            | NodeKind::Name(_)
            | NodeKind::SizeOfType(_) => 0,
            NodeKind::Unary(_, x)
            | NodeKind::Plus(x)
            | NodeKind::Increment { target: x, .. }
            | NodeKind::Member(x, _)
            | NodeKind::Follow(x)
            | NodeKind::AddressOf(x)
            | NodeKind::Cast(_, x)
            | NodeKind::SizeOf(x) => x.height,
            NodeKind::Binary(_, x, y)
            | NodeKind::And(x, y)
            | NodeKind::Or(x, y)
            | NodeKind::Assign(x, y)
            | NodeKind::Compound(_, x, y)
            | NodeKind::Index(x, y)
            | NodeKind::Comma(x, y) => x.height.max(y.height),
            NodeKind::If(x, y, z) => x.height.max(y.height).max(z.height),
            NodeKind::Call(callee, arguments) => arguments
                .iter()
                .fold(callee.height, |height, node| height.max(node.height)),
        } + 1;
        if height > HIGHEST {
            return fail(
                span,
                "this expression is too long",
                "split it into functions or variables",
            );
        }
        Ok(Node { kind, span, height })
    }

    /// An expression, commas included.
    pub(super) fn expression(&mut self) -> Result<Node, Fault> {
        let mut left = self.assignment()?;
        while self.take(",") {
            let right = self.assignment()?;
            let span = left.span.to(right.span);
            left = self.node(NodeKind::Comma(left.into(), right.into()), span)?;
        }
        Ok(left)
    }

    /// An expression without commas.
    pub(super) fn assignment(&mut self) -> Result<Node, Fault> {
        self.nested(|parser| {
            let left = parser.conditional()?;
            let Kind::Sign(sign) = parser.peek().kind else {
                return Ok(left);
            };
            let operator = match sign {
                "=" => None,
                "+=" => Some(Binary::Add),
                "-=" => Some(Binary::Subtract),
                "*=" => Some(Binary::Multiply),
                "/=" => Some(Binary::Divide),
                "%=" => Some(Binary::Remainder),
                "<<=" => Some(Binary::ShiftLeft),
                ">>=" => Some(Binary::ShiftRight),
                "&=" => Some(Binary::BitAnd),
                "|=" => Some(Binary::BitOr),
                "^=" => Some(Binary::BitXor),
                _ => return Ok(left),
            };
            parser.advance();
            let right = parser.assignment()?;
            let span = left.span.to(right.span);
            let kind = match operator {
                None => NodeKind::Assign(left.into(), right.into()),
                Some(operator) => NodeKind::Compound(operator, left.into(), right.into()),
            };
            parser.node(kind, span)
        })
    }

    /// An expression without commas and assignments.
    pub(super) fn conditional(&mut self) -> Result<Node, Fault> {
        let condition = self.operators(0)?;
        if !self.take("?") {
            return Ok(condition);
        }
        let then = self.nested(Self::expression)?;
        self.expect(":")?;
        let otherwise = self.nested(Self::conditional)?;
        let span = condition.span.to(otherwise.span);
        self.node(
            NodeKind::If(condition.into(), then.into(), otherwise.into()),
            span,
        )
    }

    /// Operators that bind at least as tightly as `least`.
    fn operators(&mut self, least: u8) -> Result<Node, Fault> {
        let mut left = self.unary()?;
        while let Kind::Sign(sign) = self.peek().kind {
            let strength = strength(sign);
            if strength == 0 || strength <= least {
                break;
            }
            self.advance();
            let right = self.operators(strength)?;
            let span = left.span.to(right.span);
            let (left_side, right_side) = (left.into(), right.into());
            let kind = match sign {
                "||" => NodeKind::Or(left_side, right_side),
                "&&" => NodeKind::And(left_side, right_side),
                // C leaves open which side is evaluated first.
                ">" => NodeKind::Binary(Binary::Less, right_side, left_side),
                ">=" => NodeKind::Binary(Binary::AtMost, right_side, left_side),
                _ => NodeKind::Binary(operator(sign), left_side, right_side),
            };
            left = self.node(kind, span)?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Node, Fault> {
        self.nested(|parser| {
            let token = parser.peek().clone();
            if token.name() == Some("sizeof") {
                return parser.size_of();
            }
            let Kind::Sign(sign) = token.kind else {
                return parser.postfix();
            };
            if sign == "(" && parser.begins_type(1) {
                parser.advance();
                let kind = parser.type_name()?;
                parser.expect(")")?;
                if parser.peek().is("{") {
                    return parser.unexpected("a value; structures in brackets are not supported");
                }
                let operand = parser.unary()?;
                let span = token.span.to(operand.span);
                return parser.node(NodeKind::Cast(kind, operand.into()), span);
            }
            let make: fn(Box<Node>) -> NodeKind = match sign {
                "-" => |x| NodeKind::Unary(Unary::Negate, x),
                "!" => |x| NodeKind::Unary(Unary::Not, x),
                "~" => |x| NodeKind::Unary(Unary::Complement, x),
                "+" => NodeKind::Plus,
                "*" => NodeKind::Follow,
                "&" => NodeKind::AddressOf,
                "++" => |target| increment(target, 1, false),
                "--" => |target| increment(target, -1, false),
                _ => return parser.postfix(),
            };
            parser.advance();
            let operand = parser.unary()?;
            let span = token.span.to(operand.span);
            parser.node(make(operand.into()), span)
        })
    }

    fn size_of(&mut self) -> Result<Node, Fault> {
        let start = self.advance().span;
        if self.peek().is("(") && self.begins_type(1) {
            self.advance();
            let kind = self.type_name()?;
            let end = self.expect(")")?;
            return self.node(NodeKind::SizeOfType(kind), start.to(end));
        }
        let operand = self.unary()?;
        let span = start.to(operand.span);
        self.node(NodeKind::SizeOf(operand.into()), span)
    }

    fn postfix(&mut self) -> Result<Node, Fault> {
        let mut node = self.primary()?;
        loop {
            let Kind::Sign(sign) = self.peek().kind else {
                return Ok(node);
            };
            let start = node.span;
            let kind = match sign {
                "[" => {
                    self.advance();
                    let index = self.nested(Self::expression)?;
                    let end = self.expect("]")?;
                    node = self.node(NodeKind::Index(node.into(), index.into()), start.to(end))?;
                    continue;
                }
                "(" => {
                    self.advance();
                    let mut arguments = Vec::new();
                    while !self.peek().is(")") {
                        arguments.push(self.assignment()?);
                        if !self.take(",") {
                            break;
                        }
                    }
                    let end = self.expect(")")?;
                    node = self.node(NodeKind::Call(node.into(), arguments), start.to(end))?;
                    continue;
                }
                "." | "->" => {
                    self.advance();
                    let (name, end) = self.expect_name("the name of a member")?;
                    if sign == "->" {
                        node = self.node(NodeKind::Follow(node.into()), start)?;
                    }
                    node = self.node(NodeKind::Member(node.into(), name), start.to(end))?;
                    continue;
                }
                "++" => increment(node.into(), 1, true),
                "--" => increment(node.into(), -1, true),
                _ => return Ok(node),
            };
            let end = self.advance().span;
            node = self.node(kind, start.to(end))?;
        }
    }

    fn primary(&mut self) -> Result<Node, Fault> {
        let token = self.peek().clone();
        let kind = match token.kind {
            Kind::Number {
                value,
                unsigned,
                long,
            } => {
                let fits = if unsigned {
                    u32::try_from(value).is_ok()
                } else {
                    i32::try_from(value).is_ok()
                };
                let width = if long || !fits {
                    Width::Signed(64)
                } else if unsigned {
                    Width::Unsigned(32)
                } else {
                    INT
                };
                NodeKind::Number(value, width)
            }
            Kind::Real => NodeKind::Real,
            Kind::Text(mut text) => {
                while let Kind::Text(more) = &self.peek_at(1).kind {
                    text.push_str(more);
                    self.advance();
                }
                NodeKind::Text(text)
            }
            Kind::Name(name) if is_keyword(&name) => return self.unexpected("a value"),
            Kind::Name(name) => match self.world.find(&name) {
                Some(Entry::Constant(value)) => NodeKind::Number(*value, INT),
                Some(Entry::Type(_)) => return self.unexpected("a value, not a type"),
                _ => NodeKind::Name(name),
            },
            Kind::Sign("(") => {
                self.advance();
                let inner = self.expression()?;
                self.expect(")")?;
                return Ok(inner);
            }
            _ => return self.unexpected("a value"),
        };
        self.advance();
        self.node(kind, token.span)
    }
}

fn increment(target: Box<Node>, by: i64, before: bool) -> NodeKind {
    NodeKind::Increment { target, by, before }
}

/// How tightly a binary operator binds; zero for other signs.
fn strength(sign: &str) -> u8 {
    match sign {
        "||" => 1,
        "&&" => 2,
        "|" => 3,
        "^" => 4,
        "&" => 5,
        "==" | "!=" => 6,
        "<" | "<=" | ">" | ">=" => 7,
        "<<" | ">>" => 8,
        "+" | "-" => 9,
        "*" | "/" | "%" => 10,
        _ => 0,
    }
}

fn operator(sign: &str) -> Binary {
    match sign {
        "|" => Binary::BitOr,
        "^" => Binary::BitXor,
        "&" => Binary::BitAnd,
        "==" => Binary::Equal,
        "!=" => Binary::Different,
        "<" => Binary::Less,
        "<=" => Binary::AtMost,
        "<<" => Binary::ShiftLeft,
        ">>" => Binary::ShiftRight,
        "+" => Binary::Add,
        "-" => Binary::Subtract,
        "*" => Binary::Multiply,
        "/" => Binary::Divide,
        _ => Binary::Remainder,
    }
}

/// Words that cannot be names of variables.
pub(super) fn is_keyword(name: &str) -> bool {
    const KEYWORDS: [&str; 34] = [
        "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else",
        "enum", "extern", "float", "for", "goto", "if", "inline", "int", "long", "register",
        "return", "short", "signed", "sizeof", "static", "struct", "switch", "typedef", "union",
        "unsigned", "void", "volatile", "while", "_Bool",
    ];
    KEYWORDS.contains(&name)
}
