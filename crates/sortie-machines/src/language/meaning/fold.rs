//! Puts code together, calculating what is known already.

use super::scope::{Typed, Values};
use crate::code::{Binary, Expression, Unary};
use crate::language::tree::Operator;

pub(super) fn not(operand: Typed) -> Typed {
    if let Some(value) = operand.known() {
        return Typed::truth(value == 0);
    }
    Typed::condition(match operand.code {
        Expression::Unary(Unary::Not, inside) => *inside,
        Expression::Binary(Binary::Equal, x, y) => Expression::Binary(Binary::Different, x, y),
        Expression::Binary(Binary::Different, x, y) => Expression::Binary(Binary::Equal, x, y),
        Expression::Binary(Binary::Less, x, y) => Expression::Binary(Binary::AtMost, y, x),
        Expression::Binary(Binary::AtMost, x, y) => Expression::Binary(Binary::Less, y, x),
        code => Expression::Unary(Unary::Not, Box::new(code)),
    })
}

pub(super) fn and(left: Typed, right: Typed) -> Typed {
    match (left.known(), right.known()) {
        (Some(0), _) | (_, Some(0)) => Typed::truth(false),
        (Some(_), _) => right,
        (_, Some(_)) => left,
        _ => Typed::condition(Expression::And(Box::new(left.code), Box::new(right.code))),
    }
}

pub(super) fn or(left: Typed, right: Typed) -> Typed {
    match (left.known(), right.known()) {
        (Some(0), _) => right,
        (_, Some(0)) => left,
        (Some(_), _) | (_, Some(_)) => Typed::truth(true),
        _ => Typed::condition(Expression::Or(Box::new(left.code), Box::new(right.code))),
    }
}

pub(super) fn choose(condition: Typed, then: Typed, otherwise: Typed) -> Typed {
    match condition.known() {
        Some(0) => otherwise,
        Some(_) => then,
        None => Typed {
            values: then.values.or(otherwise.values),
            code: Expression::choice(condition.code, then.code, otherwise.code),
        },
    }
}

/// What an operator of the language gives. A divisor that is known is not zero.
pub(super) fn operation(operator: Operator, left: Typed, right: Typed) -> Typed {
    match operator {
        Operator::And => and(left, right),
        Operator::Or => or(left, right),
        Operator::Implies => or(not(left), right),
        Operator::Plain(operator) => binary(operator, left, right),
        Operator::Reversed(operator) => binary(operator, right, left),
    }
}

/// Arithmetic and comparisons. A divisor that is known is not zero.
pub(super) fn binary(operator: Binary, left: Typed, right: Typed) -> Typed {
    let values = bounds(operator, &left.values, &right.values);
    if let (Some(x), Some(y)) = (left.known(), right.known())
        && let Some(value) = calculate(operator, x, y)
    {
        return Typed::constant(value, values);
    }
    let signed = left.values.least < 0 || right.values.least < 0;
    // The remainder has the sign of the divisor: ((x % y) + y) % y.
    if operator == Binary::Remainder && signed {
        let plain = Expression::binary(operator, left.code, right.code.clone());
        let moved = Expression::binary(Binary::Add, plain, right.code.clone());
        return Typed::new(Expression::binary(operator, moved, right.code), values);
    }
    Typed::new(Expression::binary(operator, left.code, right.code), values)
}

/// The result for known operands; none where it does not fit 64 bits.
fn calculate(operator: Binary, x: i64, y: i64) -> Option<i64> {
    match operator {
        Binary::Add => x.checked_add(y),
        Binary::Subtract => x.checked_sub(y),
        Binary::Multiply => x.checked_mul(y),
        Binary::Divide => x.checked_div(y),
        Binary::Remainder => x.checked_rem(y)?.checked_add(y)?.checked_rem(y),
        Binary::ShiftLeft => {
            let by = u32::try_from(y).ok().filter(|&by| by < 63)?;
            x.checked_mul(1_i64 << by)
        }
        Binary::ShiftRight => Some(x >> u32::try_from(y).ok().filter(|&by| by < 64)?),
        _ => operator.of(x, y),
    }
}

/// What is known of the result.
fn bounds(operator: Binary, left: &Values, right: &Values) -> Values {
    let clamp = |number: i128| {
        let inside = number.clamp(i128::from(i64::MIN), i128::from(i64::MAX));
        i64::try_from(inside).expect("a clamped number fits")
    };
    let hull = |corners: [i128; 4]| {
        let least = corners.iter().copied().min().unwrap_or_default();
        let greatest = corners.iter().copied().max().unwrap_or_default();
        Values::numbers(clamp(least), clamp(greatest))
    };
    let (a, b) = (i128::from(left.least), i128::from(left.greatest));
    let (c, d) = (i128::from(right.least), i128::from(right.greatest));
    match operator {
        Binary::Add => hull([a + c, a + d, b + c, b + d]),
        Binary::Subtract => hull([a - c, a - d, b - c, b - d]),
        Binary::Multiply => hull([a * c, a * d, b * c, b * d]),
        Binary::Divide if c > 0 => hull([a / c, a / d, b / c, b / d]),
        Binary::Remainder if c > 0 => Values::numbers(0, clamp(d - 1)),
        Binary::BitAnd if a >= 0 && c >= 0 => Values::numbers(0, clamp(b.min(d))),
        Binary::BitOr | Binary::BitXor if a >= 0 && c >= 0 => {
            let bits = 128 - b.max(d).leading_zeros();
            Values::numbers(0, clamp((1_i128 << bits) - 1))
        }
        Binary::ShiftRight if a >= 0 => Values::numbers(0, clamp(b)),
        Binary::Divide
        | Binary::Remainder
        | Binary::BitAnd
        | Binary::BitOr
        | Binary::BitXor
        | Binary::ShiftRight
        | Binary::ShiftLeft => Values::ANY,
        _ => Values::TRUTH,
    }
}

/// Joins many in pairs, so that the tree stays shallow; in their order.
pub(super) fn balanced(
    mut parts: Vec<Typed>,
    empty: Typed,
    join: impl Fn(Typed, Typed) -> Typed,
) -> Typed {
    while parts.len() > 1 {
        let mut joined = Vec::with_capacity(parts.len().div_ceil(2));
        let mut left = parts.into_iter();
        while let Some(one) = left.next() {
            joined.push(match left.next() {
                Some(other) => join(one, other),
                None => one,
            });
        }
        parts = joined;
    }
    parts.pop().unwrap_or(empty)
}
