//! What a text says, before names mean anything.

pub(super) use sortie_syntax::{Name, Span};

#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub(super) kind: ExprKind,
    pub(super) span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum ExprKind {
    Number(i64),
    Truth(bool),
    Undefined,
    /// A name, perhaps with the way to it; the last component is what is meant.
    Path(Vec<Name>),
    Call(Name, Vec<Expr>),
    Previous(Box<Expr>),
    When(Box<Expr>),
    Not(Box<Expr>),
    Negate(Box<Expr>),
    All(Vec<Expr>),
    Any(Vec<Expr>),
    Binary(Operator, Box<Expr>, Box<Expr>),
    /// Conditions with values, and the value where none of them holds.
    Case(Vec<(Expr, Expr)>, Option<Box<Expr>>),
    Table(TableTree),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Same,
    Implies,
    Or,
    Xor,
    And,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

/// A table of conditions: columns are alternatives, in each of which all rows are as their cells say.
#[derive(Clone, Debug)]
pub(super) struct TableTree {
    pub(super) rows: Vec<(Expr, Vec<Cell>)>,
}

#[derive(Clone, Debug)]
pub(super) struct Cell {
    /// What the condition must be, if that matters.
    pub(super) wanted: Option<bool>,
    pub(super) span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum TypeTree {
    Boolean,
    Integer(Option<Box<(Expr, Expr)>>),
    Enumeration(Vec<Name>),
    Named(Name),
}

#[derive(Clone, Debug)]
pub(super) struct Parameter {
    pub(super) name: Name,
    pub(super) kind: TypeTree,
}

/// One way in which a variable or a function gets its value.
#[derive(Clone, Debug)]
pub(super) struct RowTree {
    pub(super) from: From,
    pub(super) result: Expr,
    pub(super) condition: Condition,
    pub(super) span: Span,
}

/// Which previous value a row is about.
#[derive(Clone, Debug)]
pub(super) enum From {
    /// `TRANSITION value TO`.
    Value(Expr),
    /// `TRANSITION ANY TO`.
    Any,
    /// `EQUALS`.
    Equals,
}

#[derive(Clone, Debug)]
pub(super) enum Condition {
    If(Expr),
    /// Where no row above applies.
    Otherwise,
    /// A transition without a condition.
    Always,
}

#[derive(Clone, Debug)]
pub(super) struct VariableTree {
    pub(super) name: Name,
    pub(super) input: bool,
    pub(super) kind: TypeTree,
    /// The variable above and the value that it must have.
    pub(super) parent: Option<(Name, Name)>,
    pub(super) initial: Option<Expr>,
    pub(super) least: Option<Expr>,
    pub(super) most: Option<Expr>,
    pub(super) rows: Vec<RowTree>,
}

#[derive(Clone, Debug)]
pub(super) struct ConstantTree {
    pub(super) name: Name,
    pub(super) kind: TypeTree,
    pub(super) value: Option<Expr>,
}

/// A macro or a function.
#[derive(Clone, Debug)]
pub(super) struct CalleeTree {
    pub(super) name: Name,
    pub(super) parameters: Vec<Parameter>,
    pub(super) body: BodyTree,
}

#[derive(Clone, Debug)]
pub(super) enum BodyTree {
    /// A macro's condition.
    Condition(Expr),
    /// A function's type and rows.
    Rows(TypeTree, Vec<RowTree>),
}

/// Something that must hold, or is taken to hold, in every step.
#[derive(Clone, Debug)]
pub(super) struct RequirementTree {
    pub(super) name: Name,
    pub(super) assumed: bool,
    pub(super) condition: Expr,
}

#[derive(Clone, Debug)]
pub(super) enum Item {
    Component(Name),
    Type(Name, TypeTree),
    Constant(ConstantTree),
    Variable(Box<VariableTree>),
    Callee(CalleeTree),
    Requirement(RequirementTree),
    /// An interface, of which nothing is used.
    Interface(Span),
}
