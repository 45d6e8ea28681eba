//! Puts expressions together, calculating what is known while reading.

use crate::{Binary, Expression, Unary};

/// The value, if it is known.
pub(super) fn known(expression: &Expression) -> Option<i64> {
    match expression {
        Expression::Constant(value) => Some(*value),
        _ => None,
    }
}

pub(super) fn unary(operator: Unary, value: Expression) -> Expression {
    match (operator, value) {
        (_, Expression::Constant(value)) => Expression::Constant(one(operator, value)),
        (Unary::Not, Expression::Unary(Unary::Not, inside)) => *inside,
        (_, value) => Expression::unary(operator, value),
    }
}

pub(super) fn not(value: Expression) -> Expression {
    unary(Unary::Not, value)
}

/// Two values made into one; neither `And` nor `Or`, for which there are [`all`] and [`some`].
pub(super) fn binary(operator: Binary, left: Expression, right: Expression) -> Expression {
    if let (Some(left), Some(right)) = (known(&left), known(&right))
        && let Some(value) = two(operator, left, right)
    {
        return Expression::Constant(value);
    }
    Expression::binary(operator, left, right)
}

/// Whether all are true. What is long does not become deep.
pub(super) fn all(parts: Vec<Expression>) -> Expression {
    joined(Binary::And, parts, 1)
}

/// Whether one is true.
pub(super) fn some(parts: Vec<Expression>) -> Expression {
    joined(Binary::Or, parts, 0)
}

/// The sum of all, which are not empty.
pub(super) fn sum(parts: Vec<Expression>) -> Expression {
    balanced(Binary::Add, parts).unwrap_or(Expression::Constant(0))
}

fn joined(operator: Binary, parts: Vec<Expression>, neutral: i64) -> Expression {
    let decided = |part: &Expression| known(part).is_some_and(|value| value != neutral);
    if parts.iter().any(decided) {
        return Expression::Constant(1 - neutral);
    }
    let parts: Vec<Expression> = parts
        .into_iter()
        .filter(|part| known(part).is_none())
        .collect();
    balanced(operator, parts).unwrap_or(Expression::Constant(neutral))
}

/// All of them joined, in no special order. What is long does not become deep.
pub(super) fn balanced(operator: Binary, mut parts: Vec<Expression>) -> Option<Expression> {
    while parts.len() > 1 {
        let mut rest = parts.into_iter();
        let mut joined = Vec::new();
        while let Some(left) = rest.next() {
            joined.push(match rest.next() {
                Some(right) if matches!(operator, Binary::And | Binary::Or) => {
                    Expression::binary(operator, left, right)
                }
                Some(right) => binary(operator, left, right),
                None => left,
            });
        }
        parts = joined;
    }
    parts.pop()
}

pub(super) fn choice(condition: Expression, then: Expression, otherwise: Expression) -> Expression {
    match known(&condition) {
        Some(0) => otherwise,
        Some(_) => then,
        None => Expression::choice(condition, then, otherwise),
    }
}

fn one(operator: Unary, value: i64) -> i64 {
    match operator {
        Unary::Not => i64::from(value == 0),
        Unary::Negate => value.wrapping_neg(),
        Unary::Absolute => value.wrapping_abs(),
        Unary::BitNot => !value,
        Unary::Wrap { bits, signed } => wrapped(value, bits, signed),
    }
}

/// The lowest bits of a number.
pub(super) fn wrapped(value: i64, bits: u32, signed: bool) -> i64 {
    let away = i64::BITS - bits;
    if signed {
        (value << away) >> away
    } else {
        ((value as u64) << away >> away) as i64
    }
}

fn two(operator: Binary, left: i64, right: i64) -> Option<i64> {
    let shift = u32::try_from(right).ok();
    Some(match operator {
        Binary::And => i64::from(left != 0 && right != 0),
        Binary::Or => i64::from(left != 0 || right != 0),
        Binary::Equal => i64::from(left == right),
        Binary::NotEqual => i64::from(left != right),
        Binary::Less => i64::from(left < right),
        Binary::LessEqual => i64::from(left <= right),
        Binary::Add => left.wrapping_add(right),
        Binary::Subtract => left.wrapping_sub(right),
        Binary::Multiply => left.wrapping_mul(right),
        Binary::Divide if right == 0 => return None,
        Binary::Divide => left.wrapping_div(right),
        Binary::Remainder if right == 0 => return None,
        Binary::Remainder => left.wrapping_rem(right),
        Binary::Least => left.min(right),
        Binary::Most => left.max(right),
        Binary::BitAnd => left & right,
        Binary::BitOr => left | right,
        Binary::BitXor => left ^ right,
        Binary::ShiftLeft => left.checked_shl(shift?).unwrap_or(0),
        Binary::ShiftRight => left >> shift?.min(63),
    })
}
