//! What a text says, before names mean anything.

use crate::expression::Binary;
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
    Table(Table<Expr>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    And,
    Or,
    Implies,
    /// Two conditions are the same (Equal), or differ (NotEqual).
    Logic(Binary),
    /// Values of any one kind: Equal, NotEqual.
    Compare(Binary),
    /// Numbers: Less, LessEqual.
    Order(Binary),
    /// The comparison with its sides exchanged.
    Reversed(Binary),
    Arithmetic(Binary),
}

/// A table of conditions: columns are alternatives, in each of which all rows are as their cells say.
#[derive(Clone, Debug)]
pub(super) struct Table<E> {
    pub(super) rows: Vec<(E, Vec<Cell>)>,
}

impl<E> Table<E> {
    pub(super) fn columns(&self) -> usize {
        self.rows.first().map_or(0, |(_, cells)| cells.len())
    }

    /// Where a column is best pointed at: its first cell that says something.
    pub(super) fn column_span(&self, column: usize) -> Span {
        let cells = || self.rows.iter().map(|(_, cells)| &cells[column]);
        let cell = cells().find(|cell| cell.wanted.is_some());
        cell.or(cells().next())
            .map_or(Span::default(), |cell| cell.span)
    }
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
pub(super) struct Row<E, V> {
    pub(super) from: From<V>,
    pub(super) result: E,
    pub(super) condition: Condition<E>,
    pub(super) span: Span,
}

pub(super) type RowTree = Row<Expr, Expr>;

/// Which previous value a row is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum From<V> {
    /// `TRANSITION value TO`.
    Value(V),
    /// `TRANSITION ANY TO`.
    Any,
    /// `EQUALS`.
    Equals,
}

#[derive(Clone, Debug)]
pub(super) enum Condition<E> {
    If(E),
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
