//! Expressions: what rules compute, and what properties say.

use crate::system::{DefinitionId, VariableId};

/// What one value is made into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unary {
    /// 1 for 0, 0 for everything else.
    Not,
    /// The number with the other sign.
    Negate,
    /// The number without its sign.
    Absolute,
    /// Every bit turned round.
    BitNot,
    /// The lowest bits, as a number without a sign, or with the first of them as the sign.
    Wrap {
        /// How many bits.
        bits: u32,
        /// Whether the first of them is a sign.
        signed: bool,
    },
}

/// What two values are made into. Numbers have 64 bits and wrap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    /// Both; the second is not computed if the first is false.
    And,
    /// One of them; the second is not computed if the first is true.
    Or,
    /// Whether they are the same.
    Equal,
    /// Whether they are not.
    NotEqual,
    /// Whether the first is smaller.
    Less,
    /// Whether the first is not greater.
    LessEqual,
    /// The sum.
    Add,
    /// The difference.
    Subtract,
    /// The product.
    Multiply,
    /// The quotient, towards zero. By zero is an error.
    Divide,
    /// What remains, with the sign of the first. By zero is an error.
    Remainder,
    /// The smaller one.
    Least,
    /// The greater one.
    Most,
    /// Bits that both have.
    BitAnd,
    /// Bits that one of them has.
    BitOr,
    /// Bits that exactly one of them has. Of truth values: whether they differ.
    BitXor,
    /// The first with its bits moved up; by 64 or more nothing remains.
    ShiftLeft,
    /// The first with its bits moved down, keeping its sign.
    ShiftRight,
}

impl Unary {
    /// What a value becomes.
    #[inline]
    pub fn of(self, value: i64) -> i64 {
        match self {
            Unary::Not => i64::from(value == 0),
            Unary::Negate => value.wrapping_neg(),
            Unary::Absolute => value.wrapping_abs(),
            Unary::BitNot => !value,
            Unary::Wrap { bits, signed } => {
                let unused = 64 - bits.clamp(1, 64);
                if signed {
                    value << unused >> unused
                } else {
                    ((value as u64) << unused >> unused) as i64
                }
            }
        }
    }
}

impl Binary {
    /// What two values become; nothing where one is divided by zero.
    #[inline]
    pub fn of(self, left: i64, right: i64) -> Option<i64> {
        let shift = |by: i64| u32::try_from(by).ok().filter(|by| *by < 64);
        Some(match self {
            Binary::And => i64::from(left != 0 && right != 0),
            Binary::Or => i64::from(left != 0 || right != 0),
            Binary::Equal => i64::from(left == right),
            Binary::NotEqual => i64::from(left != right),
            Binary::Less => i64::from(left < right),
            Binary::LessEqual => i64::from(left <= right),
            Binary::Add => left.wrapping_add(right),
            Binary::Subtract => left.wrapping_sub(right),
            Binary::Multiply => left.wrapping_mul(right),
            Binary::Divide | Binary::Remainder if right == 0 => return None,
            Binary::Divide => left.wrapping_div(right),
            Binary::Remainder => left.wrapping_rem(right),
            Binary::Least => left.min(right),
            Binary::Most => left.max(right),
            Binary::BitAnd => left & right,
            Binary::BitOr => left | right,
            Binary::BitXor => left ^ right,
            Binary::ShiftLeft => shift(right).map_or(0, |by| left << by),
            Binary::ShiftRight => shift(right).map_or(left >> 63, |by| left >> by),
        })
    }
}

/// How a value is computed.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// This value.
    Constant(i64),
    /// The value of a variable before the step; in properties, in the state they are about.
    Before(VariableId),
    /// The value of a variable after the step. Of an input: what is given in this step.
    After(VariableId),
    /// The value of a definition.
    Definition(DefinitionId),
    /// One value made into another.
    Unary(Unary, Box<Expression>),
    /// Two values made into one.
    Binary(Binary, Box<Expression>, Box<Expression>),
    /// The second where the first is true, else the third; the other is not computed.
    If(Box<Expression>, Box<Expression>, Box<Expression>),
    /// The value of any one of these; the others are not computed. Not in definitions, requirements and properties.
    Any(Vec<Expression>),
    /// Any number between these two; an error if there is none. Not in definitions, requirements and properties.
    Between(Box<Expression>, Box<Expression>),
    /// There is no value: computing it is an error with this message.
    Fail(String),
}

impl Expression {
    /// A truth value.
    pub fn truth(value: bool) -> Expression {
        Expression::Constant(value.into())
    }

    /// One value made into another.
    pub fn unary(operator: Unary, value: Expression) -> Expression {
        Expression::Unary(operator, Box::new(value))
    }

    /// Whether it is not so.
    pub fn negated(value: Expression) -> Expression {
        Expression::unary(Unary::Not, value)
    }

    /// Two values made into one.
    pub fn binary(operator: Binary, left: Expression, right: Expression) -> Expression {
        Expression::Binary(operator, Box::new(left), Box::new(right))
    }

    /// Whether all are true.
    pub fn all(parts: impl IntoIterator<Item = Expression>) -> Expression {
        let joined = parts
            .into_iter()
            .reduce(|left, right| Expression::binary(Binary::And, left, right));
        joined.unwrap_or(Expression::truth(true))
    }

    /// The second where the first is true, else the third.
    pub fn choice(condition: Expression, then: Expression, otherwise: Expression) -> Expression {
        Expression::If(Box::new(condition), Box::new(then), Box::new(otherwise))
    }

    /// Whether a part of it is one of many possible values. Definitions have none.
    pub fn has_choices(&self) -> bool {
        match self {
            Expression::Any(_) | Expression::Between(..) => true,
            other => other.parts().into_iter().any(Expression::has_choices),
        }
    }

    /// The expressions it is made of.
    pub fn parts(&self) -> Vec<&Expression> {
        match self {
            Expression::Constant(_)
            | Expression::Before(_)
            | Expression::After(_)
            | Expression::Definition(_)
            | Expression::Fail(_) => Vec::new(),
            Expression::Unary(_, value) => vec![value],
            Expression::Binary(_, left, right) | Expression::Between(left, right) => {
                vec![left, right]
            }
            Expression::If(condition, then, otherwise) => vec![condition, then, otherwise],
            Expression::Any(parts) => parts.iter().collect(),
        }
    }
}
