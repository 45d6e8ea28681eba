//! The parser: tokens and expressions. Declarations and statements follow in [`declarations`](super::declarations).

use super::constant::constant;
use super::syntax::{Node, NodeKind};
use super::token::{Kind, Parsed, Span, Token, fail};
use super::types::{Entry, INT, World};
use crate::code::{Binary, Unary, Width};
use sortie_syntax::{Cursor, Grammar, Infix, RecursiveDescent};

/// So high may the tree of an expression be.
const HIGHEST: u16 = 500;

pub(in crate::lurch) struct Parser<'a> {
    cursor: Cursor<Kind>,
    pub(super) world: &'a mut World,
}

impl RecursiveDescent for Parser<'_> {
    type Kind = Kind;
    const DEEPEST: usize = 150;
    const ADVICE: &'static str = "split it into functions or variables";

    fn cursor(&self) -> &Cursor<Kind> {
        &self.cursor
    }

    fn cursor_mut(&mut self) -> &mut Cursor<Kind> {
        &mut self.cursor
    }

    /// Every message about C says what to do.
    fn unexpected<T>(&self, wanted: &str) -> Parsed<T> {
        let message = format!("{} cannot stand here", self.shown());
        fail(self.span(), message, format!("expected {wanted}"))
    }

    fn missing<T>(&self, wanted: &str) -> Parsed<T> {
        match self.last() {
            Some(last) if self.token().begins_line => {
                let message = format!("{wanted} is missing behind {}", last.shown());
                fail(last.span, message, format!("add {wanted}"))
            }
            _ => self.unexpected(wanted),
        }
    }
}

impl<'a> Parser<'a> {
    /// A parser of tokens that end where the span ends.
    pub fn new(tokens: Vec<Token>, span: Span, world: &'a mut World) -> Self {
        let end = tokens.last().map_or(span, |token| {
            Span::new(token.span.end.max(1) - 1, token.span.end)
        });
        let cursor = Cursor::new(tokens, end, Vec::new());
        Parser { cursor, world }
    }

    /// The value of all the tokens as one constant expression.
    pub fn lone_constant(mut self) -> Parsed<i64> {
        let node = self.lone_expression()?;
        Ok(constant(&node, self.world)?.0)
    }

    /// All the tokens as one expression.
    pub fn lone_expression(&mut self) -> Parsed<Node> {
        let node = self.expression()?;
        if self.at_end() {
            return Ok(node);
        }
        self.unexpected("the end of the expression")
    }

    fn node(&self, kind: NodeKind, span: Span) -> Parsed<Node> {
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
            return fail(span, "this expression is too long", Self::ADVICE);
        }
        Ok(Node { kind, span, height })
    }

    /// An expression, commas included.
    pub(super) fn expression(&mut self) -> Parsed<Node> {
        self.climb::<Expressions>(COMMA)
    }

    /// An expression without commas.
    pub(super) fn assignment(&mut self) -> Parsed<Node> {
        self.climb::<Expressions>(ASSIGNMENT)
    }

    /// An expression without commas and assignments.
    pub(super) fn conditional(&mut self) -> Parsed<Node> {
        self.climb::<Expressions>(CONDITIONAL)
    }

    fn unary(&mut self) -> Parsed<Node> {
        let start = self.span();
        if self.takes("sizeof") {
            return self.size_of(start);
        }
        let Kind::Sign(sign) = *self.kind() else {
            return self.postfix();
        };
        if sign == "(" && self.begins_type(1) {
            self.advance();
            let kind = self.type_name()?;
            self.expect(")")?;
            if self.is("{") {
                return self.unexpected("a value; structures in brackets are not supported");
            }
            let operand = self.nested(Self::unary)?;
            let span = start.to(operand.span);
            return self.node(NodeKind::Cast(kind, operand.into()), span);
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
            _ => return self.postfix(),
        };
        self.advance();
        let operand = self.nested(Self::unary)?;
        let span = start.to(operand.span);
        self.node(make(operand.into()), span)
    }

    /// An expression, unless this sign stands in its place.
    pub(super) fn unless(&mut self, sign: &'static str) -> Parsed<Option<Node>> {
        match self.is(sign) {
            true => Ok(None),
            false => self.expression().map(Some),
        }
    }

    fn size_of(&mut self, start: Span) -> Parsed<Node> {
        if self.is("(") && self.begins_type(1) {
            self.advance();
            let kind = self.type_name()?;
            let end = self.expect(")")?;
            return self.node(NodeKind::SizeOfType(kind), start.to(end));
        }
        let operand = self.nested(Self::unary)?;
        let span = start.to(operand.span);
        self.node(NodeKind::SizeOf(operand.into()), span)
    }

    fn postfix(&mut self) -> Parsed<Node> {
        let mut node = self.primary()?;
        loop {
            let Kind::Sign(sign) = *self.kind() else {
                return Ok(node);
            };
            let start = node.span;
            node = match sign {
                "[" => {
                    self.advance();
                    let index = self.nested(Self::expression)?;
                    let end = self.expect("]")?;
                    self.node(NodeKind::Index(node.into(), index.into()), start.to(end))?
                }
                "(" => {
                    self.advance();
                    let arguments = self.list(")", Self::assignment)?;
                    let span = self.since(start.start);
                    self.node(NodeKind::Call(node.into(), arguments), span)?
                }
                "." | "->" => {
                    self.advance();
                    let member = self.word("the name of a member")?;
                    if sign == "->" {
                        node = self.node(NodeKind::Follow(node.into()), start)?;
                    }
                    let kind = NodeKind::Member(node.into(), member.text);
                    self.node(kind, start.to(member.span))?
                }
                "++" | "--" => {
                    let end = self.advance();
                    let by = if sign == "++" { 1 } else { -1 };
                    self.node(increment(node.into(), by, true), start.to(end))?
                }
                _ => return Ok(node),
            };
        }
    }

    fn primary(&mut self) -> Parsed<Node> {
        let token = self.token().clone();
        let kind = match token.kind {
            Kind::Number(value, unsigned, long) => {
                let width = match unsigned {
                    true if !long && u32::try_from(value).is_ok() => Width::Unsigned(32),
                    false if !long && i32::try_from(value).is_ok() => INT,
                    _ => Width::Signed(64),
                };
                NodeKind::Number(value, width)
            }
            Kind::Real => NodeKind::Real,
            Kind::Text(mut text) => {
                while let Kind::Text(more) = self.kind_after(1) {
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

const COMMA: u8 = 1;
const ASSIGNMENT: u8 = 2;
const CONDITIONAL: u8 = 3;

/// How a node is made of two operands.
type Make = fn(Box<Node>, Box<Node>) -> NodeKind;

macro_rules! binary {
    ($operator:ident, $level:literal) => {
        Infix::left(|x, y| NodeKind::Binary(Binary::$operator, x, y), $level)
    };
}

macro_rules! compound {
    ($operator:ident) => {
        Infix::right(
            |x, y| NodeKind::Compound(Binary::$operator, x, y),
            ASSIGNMENT,
        )
    };
}

const OPERATORS: &[(&str, Infix<Make>)] = &[
    (",", Infix::left(NodeKind::Comma, COMMA)),
    ("=", Infix::right(NodeKind::Assign, ASSIGNMENT)),
    ("+=", compound!(Add)),
    ("-=", compound!(Subtract)),
    ("*=", compound!(Multiply)),
    ("/=", compound!(Divide)),
    ("%=", compound!(Remainder)),
    ("<<=", compound!(ShiftLeft)),
    (">>=", compound!(ShiftRight)),
    ("&=", compound!(BitAnd)),
    ("|=", compound!(BitOr)),
    ("^=", compound!(BitXor)),
    ("||", Infix::left(NodeKind::Or, 4)),
    ("&&", Infix::left(NodeKind::And, 5)),
    ("|", binary!(BitOr, 6)),
    ("^", binary!(BitXor, 7)),
    ("&", binary!(BitAnd, 8)),
    ("==", binary!(Equal, 9)),
    ("!=", binary!(Different, 9)),
    ("<", binary!(Less, 10)),
    ("<=", binary!(AtMost, 10)),
    // C leaves open which side is evaluated first.
    (
        ">",
        Infix::left(|x, y| NodeKind::Binary(Binary::Less, y, x), 10),
    ),
    (
        ">=",
        Infix::left(|x, y| NodeKind::Binary(Binary::AtMost, y, x), 10),
    ),
    ("<<", binary!(ShiftLeft, 11)),
    (">>", binary!(ShiftRight, 11)),
    ("+", binary!(Add, 12)),
    ("-", binary!(Subtract, 12)),
    ("*", binary!(Multiply, 13)),
    ("/", binary!(Divide, 13)),
    ("%", binary!(Remainder, 13)),
];

struct Expressions;

impl Grammar<Parser<'_>> for Expressions {
    type Tree = Node;
    type Operator = Make;

    fn operand(parser: &mut Parser<'_>, _: u8) -> Parsed<Node> {
        parser.unary()
    }

    fn infix(parser: &mut Parser<'_>, _: u8) -> Parsed<Option<Infix<Make>>> {
        let mut known = OPERATORS.iter();
        let found = known.find(|(sign, _)| parser.is(*sign));
        Ok(found.map(|&(_, infix)| infix))
    }

    fn join(parser: &mut Parser<'_>, left: Node, infix: Infix<Make>, right: Node) -> Parsed<Node> {
        let span = left.span.to(right.span);
        parser.node((infix.operator)(left.into(), right.into()), span)
    }

    /// `condition ? then : otherwise`
    fn postfix(parser: &mut Parser<'_>, left: Node, least: u8) -> Parsed<(Node, bool)> {
        if least > CONDITIONAL || !parser.takes("?") {
            return Ok((left, false));
        }
        let then = parser.expression()?;
        parser.expect(":")?;
        let otherwise = parser.conditional()?;
        let span = left.span.to(otherwise.span);
        let kind = NodeKind::If(left.into(), then.into(), otherwise.into());
        Ok((parser.node(kind, span)?, true))
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
