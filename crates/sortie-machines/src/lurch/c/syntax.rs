//! What the parser makes of a program.

use super::token::Span;
use super::types::Type;
use crate::code::{Binary, Unary, Width};
use std::collections::HashMap;

#[derive(Clone, Debug)]
pub(in crate::lurch) struct Node {
    pub kind: NodeKind,
    pub span: Span,
    /// How many nodes lie on the longest way down.
    pub height: u16,
}

/// Operators that C has and [`crate::code`] writes differently are resolved by the parser.
#[derive(Clone, Debug)]
pub(in crate::lurch) enum NodeKind {
    Number(i64, Width),
    Real,
    Text(String),
    Name(String),
    Unary(Unary, Box<Node>),
    /// `+x`
    Plus(Box<Node>),
    Binary(Binary, Box<Node>, Box<Node>),
    And(Box<Node>, Box<Node>),
    Or(Box<Node>, Box<Node>),
    If(Box<Node>, Box<Node>, Box<Node>),
    Assign(Box<Node>, Box<Node>),
    Compound(Binary, Box<Node>, Box<Node>),
    /// `++` and `--`.
    Increment {
        target: Box<Node>,
        by: i64,
        before: bool,
    },
    Call(Box<Node>, Vec<Node>),
    Index(Box<Node>, Box<Node>),
    Member(Box<Node>, String),
    Follow(Box<Node>),
    AddressOf(Box<Node>),
    Cast(Type, Box<Node>),
    SizeOfType(Type),
    SizeOf(Box<Node>),
    Comma(Box<Node>, Box<Node>),
}

#[derive(Clone, Debug)]
pub(in crate::lurch) enum Initial {
    Value(Node),
    List(Vec<Initial>, Span),
}

#[derive(Clone, Debug)]
pub(in crate::lurch) struct Declaration {
    pub name: String,
    pub kind: Type,
    pub initial: Option<Initial>,
    /// Whether it stays when its function ends.
    pub lasting: bool,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(in crate::lurch) struct Parameter {
    pub name: String,
    pub kind: Type,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(in crate::lurch) struct Routine {
    pub name: String,
    pub result: Type,
    pub parameters: Vec<Parameter>,
    /// None if it is only announced.
    pub body: Option<Vec<Command>>,
    pub span: Span,
}

/// A statement.
#[derive(Clone, Debug)]
pub(in crate::lurch) enum Command {
    Do(Node),
    Declare(Vec<Declaration>),
    Block(Vec<Command>),
    When(Node, Box<Command>, Option<Box<Command>>),
    While(Node, Box<Command>),
    Until(Box<Command>, Node),
    For {
        first: Option<Box<Command>>,
        condition: Option<Node>,
        step: Option<Node>,
        body: Box<Command>,
    },
    Switch(Node, Box<Command>),
    Case(i64, Span),
    Default(Span),
    Break(Span),
    Continue(Span),
    Return(Option<Node>, Span),
    Refused(&'static str, Span),
}

/// The C part of a file.
#[derive(Clone, Debug, Default)]
pub(in crate::lurch) struct Program {
    pub variables: Vec<Declaration>,
    pub routines: Vec<Routine>,
    /// Where they are in these lists.
    pub variable_places: HashMap<String, usize>,
    pub routine_places: HashMap<String, usize>,
}

impl Program {
    pub fn routine(&self, name: &str) -> Option<&Routine> {
        let place = self.routine_places.get(name)?;
        self.routines.get(*place)
    }
}
