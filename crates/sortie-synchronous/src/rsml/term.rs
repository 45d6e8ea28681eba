//! Expressions whose names mean something and whose types fit.

use super::tree::{self, Span};
use crate::expression::Binary;

pub(super) use super::tree::{Condition, From};

pub(super) type Row = tree::Row<Term, i64>;
pub(super) type Table = tree::Table<Term>;

/// What kind of values there are; the range of numbers belongs to variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Boolean,
    Integer,
    /// The number of the enumeration.
    Enumeration(usize),
}

#[derive(Clone, Debug)]
pub(super) enum Term {
    Value(i64),
    Undefined,
    /// The number of a constant.
    Constant(usize),
    /// The number of a variable: its value after the step, or before it within `Previous`.
    Variable(usize),
    /// The number of a parameter of the macro or function that this is part of.
    Parameter(usize),
    Previous(Box<Term>, Span),
    When(Box<Term>, Span),
    /// The number of a macro or function, and its arguments.
    Call(usize, Vec<Term>, Span),
    Not(Box<Term>),
    Negate(Box<Term>),
    All(Vec<Term>),
    Any(Vec<Term>),
    /// Two conditions are the same (Equal), or differ (NotEqual).
    Logic(Binary, Box<Term>, Box<Term>),
    /// Two values, one of which may be UNDEFINED, compared: Equal, NotEqual, Less, LessEqual.
    Compare(Binary, Box<Term>, Box<Term>),
    Arithmetic(Binary, Box<Term>, Box<Term>),
    /// The value of the first condition that holds, or the last one; UNDEFINED without it.
    Case(Vec<(Term, Term)>, Option<Box<Term>>),
    Table(Table),
}

impl Term {
    /// The terms that it is made of.
    pub(super) fn parts(&self) -> Vec<&Term> {
        match self {
            Term::Value(_)
            | Term::Undefined
            | Term::Constant(_)
            | Term::Variable(_)
            | Term::Parameter(_) => Vec::new(),
            Term::Previous(inside, _)
            | Term::When(inside, _)
            | Term::Not(inside)
            | Term::Negate(inside) => vec![inside],
            Term::Call(_, parts, _) | Term::All(parts) | Term::Any(parts) => parts.iter().collect(),
            Term::Logic(_, left, right)
            | Term::Compare(_, left, right)
            | Term::Arithmetic(_, left, right) => vec![left, right],
            Term::Case(choices, otherwise) => {
                let pairs = choices
                    .iter()
                    .flat_map(|(condition, value)| [condition, value]);
                pairs.chain(otherwise.as_deref()).collect()
            }
            Term::Table(table) => table.rows.iter().map(|(condition, _)| condition).collect(),
        }
    }

    /// Calls every part, itself first.
    pub(super) fn visit<'a>(&'a self, see: &mut impl FnMut(&'a Term)) {
        see(self);
        self.parts().into_iter().for_each(|part| part.visit(see));
    }
}
