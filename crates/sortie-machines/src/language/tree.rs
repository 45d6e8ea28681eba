//! What a text says, as it is written.

use crate::code::Binary;
pub(super) use sortie_syntax::{Name, Span};

/// What an index runs through.
#[derive(Clone, Debug)]
pub(super) enum Bounds {
    /// `lo..hi`
    Range(Box<Expr>, Box<Expr>),
    Bool,
    /// The values of a type.
    Named(Name),
    /// So many values from 0 on, or the values of a type.
    Size(Box<Expr>),
}

/// `i: 0..7` or `i in 0..7`. A size `[8]` is an index without a name.
#[derive(Clone, Debug)]
pub(super) struct Index {
    pub(super) name: Option<Name>,
    pub(super) bounds: Bounds,
    pub(super) span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum TypeTree {
    Int,
    Bounds(Bounds),
    Queue(Box<Expr>, Box<TypeTree>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quantifier {
    All,
    Exists,
    Count,
    Sum,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Implies,
    Or,
    And,
    /// Arithmetic and comparisons.
    Plain(Binary),
    /// Comparisons with the sides exchanged.
    Reversed(Binary),
}

#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub(super) kind: ExprKind,
    pub(super) span: Span,
}

/// `name[i][j]`, and after a dot what belongs to a machine: `name[i].member[j]`.
#[derive(Clone, Debug)]
pub(super) struct Path {
    pub(super) name: Name,
    pub(super) indices: Vec<Expr>,
    pub(super) member: Option<(Name, Vec<Expr>)>,
    pub(super) span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum ExprKind {
    Number(i64),
    Truth(bool),
    Path(Path),
    Call(Name, Vec<Expr>),
    /// `machine in state` or `machine in (state, state)`.
    In(Path, Vec<(Name, Vec<Expr>)>),
    Negate(Box<Expr>),
    Not(Box<Expr>),
    Binary(Operator, Box<Expr>, Box<Expr>),
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    Quantified(Quantifier, Vec<Index>, Box<Expr>),
}

#[derive(Clone, Debug)]
pub(super) struct Stmt {
    pub(super) kind: StmtKind,
    pub(super) span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum StmtKind {
    /// The operator of `+=` and `-=`.
    Assign(Path, Option<Binary>, Expr),
    Goto(Path),
    Call(Name, Vec<Expr>),
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    While(Expr, Vec<Stmt>),
    For(Index, Vec<Stmt>),
    Local(Name, TypeTree, Option<Expr>),
    Return(Option<Expr>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Initial,
    End,
    Fault,
    Progress,
    Accept,
}

#[derive(Clone, Debug)]
pub(super) struct StateTree {
    pub(super) name: Name,
    pub(super) indices: Vec<Index>,
    /// With the condition after `when`, if there is one.
    pub(super) marks: Vec<(Mark, Span, Option<Expr>)>,
}

#[derive(Clone, Debug)]
pub(super) struct TransitionTree {
    pub(super) name: Option<Name>,
    pub(super) parameters: Vec<Index>,
    /// Empty stands for all states.
    pub(super) from: Vec<(Name, Vec<Expr>)>,
    pub(super) to: (Name, Vec<Expr>),
    pub(super) guard: Option<Expr>,
    pub(super) priority: Option<Expr>,
    pub(super) effect: Vec<Stmt>,
    pub(super) span: Span,
}

#[derive(Clone, Debug)]
pub(super) struct VariableTree {
    pub(super) name: Name,
    pub(super) indices: Vec<Index>,
    pub(super) kind: TypeTree,
    pub(super) initial: Option<Expr>,
}

#[derive(Clone, Debug)]
pub(super) enum Part {
    State(StateTree),
    Variable(VariableTree),
    Transition(Box<TransitionTree>),
    For(Vec<Index>, Vec<Part>),
}

#[derive(Clone, Debug)]
pub(super) struct MachineTree {
    pub(super) name: Name,
    pub(super) indices: Vec<Index>,
    pub(super) never: bool,
    pub(super) parts: Vec<Part>,
}

#[derive(Clone, Debug)]
pub(super) struct FunctionTree {
    pub(super) name: Name,
    pub(super) parameters: Vec<(Name, TypeTree)>,
    pub(super) result: Option<TypeTree>,
    pub(super) body: Vec<Stmt>,
}

#[derive(Clone, Debug)]
pub(super) enum PropertyTree {
    Never(Expr),
    Always(Expr),
    Ltl(String),
    Deadlock,
    Faults,
    Progress,
    Accept,
}

#[derive(Clone, Debug)]
pub(super) enum Item {
    Parameter(Name, Option<TypeTree>, Expr),
    Constant(Name, Expr),
    Type(Name, Vec<Name>),
    Range(Name, Bounds),
    Variable(VariableTree),
    Machine(MachineTree),
    Function(FunctionTree),
    Initially(Vec<Stmt>),
    Timing(bool, Span),
    Property(Name, PropertyTree),
}
