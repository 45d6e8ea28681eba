//! A text as trees.

use std::sync::Arc;

pub(super) use sortie_syntax::{Name, Span};

/// A module as it is written.
#[derive(Clone, Debug)]
pub(super) struct Module {
    pub(super) name: Name,
    pub(super) parameters: Vec<Name>,
    pub(super) items: Vec<Item>,
}

/// How a variable is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Declared {
    Variable,
    Input,
    Frozen,
}

/// When an assignment holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum When {
    Init,
    Next,
    Always,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    Init,
    Invariant,
    Transition,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum PropertyKind {
    Invariant,
    Ctl,
    Ltl,
}

/// What a module consists of.
#[derive(Clone, Debug)]
pub(super) enum Item {
    Variable(Declared, Name, TypeTree),
    Define(Name, Arc<Expr>),
    Constants(Vec<Name>),
    Assign(When, Arc<Expr>, Arc<Expr>),
    Constraint(Section, Arc<Expr>),
    Property(PropertyKind, Option<Name>, Arc<Expr>, Span),
    Fairness(Arc<Expr>),
    Isa(Name),
}

#[derive(Clone, Debug)]
pub(super) struct TypeTree {
    pub(super) kind: TypeKind,
    pub(super) span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum TypeKind {
    Boolean,
    Values(Vec<EnumValue>),
    Range(Expr, Expr),
    Word { signed: bool, bits: Expr },
    Array(Expr, Expr, Box<TypeTree>),
    Instance(Name, Vec<Arc<Expr>>),
}

/// One value of an enumeration.
#[derive(Clone, Debug)]
pub(super) enum EnumValue {
    Symbol(Name),
    Number(i64, Span),
}

#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub(super) kind: ExprKind,
    pub(super) span: Span,
    /// How deep what it becomes is nested, long `case` and long sums included.
    pub(super) height: usize,
}

/// `0ud8_5`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WordConstant {
    pub(super) bits: u32,
    pub(super) signed: bool,
    pub(super) value: i64,
}

#[derive(Clone, Debug)]
pub(super) enum ExprKind {
    Number(i64),
    Word(WordConstant),
    Truth(bool),
    Name(String),
    SelfName,
    Member(Box<Expr>, Name),
    Index(Box<Expr>, Box<Expr>),
    /// `w[high:low]`
    Bits(Box<Expr>, Box<Expr>, Box<Expr>),
    Not(Box<Expr>),
    Negate(Box<Expr>),
    Binary(Operator, Box<Expr>, Box<Expr>),
    /// An operator between any number of operands, so that long ones are not deep.
    Chain(Chained, Vec<Expr>),
    Range(Box<Expr>, Box<Expr>),
    Set(Vec<Expr>),
    Choice(Box<Expr>, Box<Expr>, Box<Expr>),
    Case(Vec<(Expr, Expr)>),
    Next(Box<Expr>),
    Call(Function, Vec<Expr>),
    /// `[a, b, c]`, an array.
    List(Vec<Expr>),
    Temporal(Temporal, Vec<Expr>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chained {
    And,
    Or,
    Add,
    Union,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Implies,
    Iff,
    Xor,
    Xnor,
    Equal,
    Different,
    Less,
    Greater,
    AtMost,
    AtLeast,
    In,
    ShiftLeft,
    ShiftRight,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Concatenate,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Absolute,
    Bool,
    Count,
    Extend,
    Max,
    Min,
    Resize,
    Signed,
    SignedConstant,
    SizeOf,
    ToInt,
    Unsigned,
    UnsignedConstant,
    Word1,
}

/// Names of functions, with how many arguments they take at least and at most.
pub(super) const FUNCTIONS: &[(&str, Function, usize, usize)] = &[
    ("abs", Function::Absolute, 1, 1),
    ("bool", Function::Bool, 1, 1),
    ("count", Function::Count, 1, usize::MAX),
    ("extend", Function::Extend, 2, 2),
    ("max", Function::Max, 2, 2),
    ("min", Function::Min, 2, 2),
    ("resize", Function::Resize, 2, 2),
    ("signed", Function::Signed, 1, 1),
    ("swconst", Function::SignedConstant, 2, 2),
    ("sizeof", Function::SizeOf, 1, 1),
    ("toint", Function::ToInt, 1, 1),
    ("unsigned", Function::Unsigned, 1, 1),
    ("uwconst", Function::UnsignedConstant, 2, 2),
    ("word1", Function::Word1, 1, 1),
];

impl Function {
    pub(super) fn name(self) -> &'static str {
        let found = FUNCTIONS.iter().find(|(_, function, ..)| *function == self);
        found.map_or("", |(name, ..)| name)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quantifier {
    All,
    Some,
}

/// An operator of temporal logic; without a quantifier it is one of linear time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Temporal(pub(super) Option<Quantifier>, pub(super) TemporalOperator);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TemporalOperator {
    Next,
    Finally,
    Globally,
    Until,
    Release,
}

/// What stands between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Between {
    Operator(Operator),
    Chain(Chained),
    Range,
    Temporal(TemporalOperator),
}

pub(super) const IMPLIES: u8 = 1;
pub(super) const CHOICE: u8 = 3;
/// What a temporal operator applies to, if there are no brackets.
pub(super) const COMPARISON: u8 = 8;
pub(super) const RANGE: u8 = 11;
pub(super) const NEGATE: u8 = 15;
pub(super) const NOT: u8 = 17;

/// Symbols and words with what they mean and how strongly they bind.
pub(super) const OPERATORS: &[(&str, Between, u8)] = &[
    ("->", Between::Operator(Operator::Implies), IMPLIES),
    ("<->", Between::Operator(Operator::Iff), 2),
    ("|", Between::Chain(Chained::Or), 4),
    ("xor", Between::Operator(Operator::Xor), 4),
    ("xnor", Between::Operator(Operator::Xnor), 4),
    ("&", Between::Chain(Chained::And), 5),
    ("U", Between::Temporal(TemporalOperator::Until), 6),
    ("V", Between::Temporal(TemporalOperator::Release), 6),
    ("=", Between::Operator(Operator::Equal), COMPARISON),
    ("!=", Between::Operator(Operator::Different), COMPARISON),
    ("<", Between::Operator(Operator::Less), COMPARISON),
    (">", Between::Operator(Operator::Greater), COMPARISON),
    ("<=", Between::Operator(Operator::AtMost), COMPARISON),
    (">=", Between::Operator(Operator::AtLeast), COMPARISON),
    ("in", Between::Operator(Operator::In), 9),
    ("union", Between::Chain(Chained::Union), 10),
    ("..", Between::Range, RANGE),
    ("<<", Between::Operator(Operator::ShiftLeft), 12),
    (">>", Between::Operator(Operator::ShiftRight), 12),
    ("+", Between::Chain(Chained::Add), 13),
    ("-", Between::Operator(Operator::Subtract), 13),
    ("*", Between::Operator(Operator::Multiply), 14),
    ("/", Between::Operator(Operator::Divide), 14),
    ("mod", Between::Operator(Operator::Remainder), 14),
    ("::", Between::Operator(Operator::Concatenate), 16),
];

impl Between {
    /// How it is written, and how strongly it binds.
    pub(super) fn written(self) -> (&'static str, u8) {
        let found = OPERATORS.iter().find(|(_, known, _)| *known == self);
        found.map_or(("", 0), |&(written, _, level)| (written, level))
    }
}

impl Operator {
    pub(super) fn written(self) -> &'static str {
        Between::Operator(self).written().0
    }
}

impl Chained {
    pub(super) fn written(self) -> &'static str {
        Between::Chain(self).written().0
    }
}

impl ExprKind {
    /// The expressions it is made of, in the order of the text.
    pub(super) fn parts(&self) -> Vec<&Expr> {
        match self {
            ExprKind::Number(_)
            | ExprKind::Word(_)
            | ExprKind::Truth(_)
            | ExprKind::Name(_)
            | ExprKind::SelfName => Vec::new(),
            ExprKind::Member(of, _) | ExprKind::Not(of) | ExprKind::Negate(of) => vec![of],
            ExprKind::Next(of) => vec![of],
            ExprKind::Index(left, right)
            | ExprKind::Binary(_, left, right)
            | ExprKind::Range(left, right) => vec![left, right],
            ExprKind::Bits(one, two, three) | ExprKind::Choice(one, two, three) => {
                vec![one, two, three]
            }
            ExprKind::Chain(_, parts)
            | ExprKind::Set(parts)
            | ExprKind::Call(_, parts)
            | ExprKind::List(parts)
            | ExprKind::Temporal(_, parts) => parts.iter().collect(),
            ExprKind::Case(branches) => branches.iter().flat_map(|(c, v)| [c, v]).collect(),
        }
    }

    /// How deep it becomes.
    pub(super) fn height(&self) -> usize {
        let highest = || {
            let heights = self.parts().into_iter().map(|part| part.height);
            heights.max().unwrap_or(0)
        };
        match self {
            ExprKind::Case(branches) => (1..)
                .zip(branches)
                .map(|(place, (condition, value))| place + condition.height.max(value.height))
                .max()
                .unwrap_or(0),
            ExprKind::Chain(_, parts) => levels(parts.len()) + highest(),
            ExprKind::Set(parts) | ExprKind::Call(_, parts) => 1 + levels(parts.len()) + highest(),
            _ => 1 + highest(),
        }
    }
}

/// How deep so many operands become, which are joined two by two.
pub(super) fn levels(operands: usize) -> usize {
    operands.max(2).next_power_of_two().ilog2() as usize
}

impl Expr {
    /// Whether a part of it is an operator of temporal logic.
    pub(super) fn is_temporal(&self) -> bool {
        matches!(self.kind, ExprKind::Temporal(..))
            || self.kind.parts().into_iter().any(Expr::is_temporal)
    }
}
