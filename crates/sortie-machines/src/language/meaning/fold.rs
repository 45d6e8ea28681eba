//! Puts code together, calculating what is known already.

use super::values::{Typed, Values};
use crate::code::{Binary, Expression, Unary};
use crate::language::tree::Operator;

pub(super) fn not(operand: Typed) -> Typed {
    if let Some(value) = operand.known() {
        return Typed::truth(value == 0);
    }
    let code = match operand.code {
        Expression::Unary(Unary::Not, inside) => *inside,
        Expression::Binary(Binary::Equal, x, y) => Expression::Binary(Binary::Different, x, y),
        Expression::Binary(Binary::Different, x, y) => Expression::Binary(Binary::Equal, x, y),
        Expression::Binary(Binary::Less, x, y) => Expression::Binary(Binary::AtMost, y, x),
        Expression::Binary(Binary::AtMost, x, y) => Expression::Binary(Binary::Less, y, x),
        code => Expression::Unary(Unary::Not, Box::new(code)),
    };
    Typed {
        code,
        values: Values::TRUTH,
    }
}

pub(super) fn and(left: Typed, right: Typed) -> Typed {
    match (left.known(), right.known()) {
        (Some(0), _) | (_, Some(0)) => Typed::truth(false),
        (Some(_), _) => right,
        (_, Some(_)) => left,
        _ => Typed {
            code: Expression::And(Box::new(left.code), Box::new(right.code)),
            values: Values::TRUTH,
        },
    }
}

pub(super) fn or(left: Typed, right: Typed) -> Typed {
    match (left.known(), right.known()) {
        (Some(0), _) => right,
        (_, Some(0)) => left,
        (Some(_), _) | (_, Some(_)) => Typed::truth(true),
        _ => Typed {
            code: Expression::Or(Box::new(left.code), Box::new(right.code)),
            values: Values::TRUTH,
        },
    }
}

pub(super) fn choose(condition: Typed, then: Typed, otherwise: Typed) -> Typed {
    match condition.known() {
        Some(0) => otherwise,
        Some(_) => then,
        None => Typed {
            values: then.values.or(otherwise.values),
            code: Expression::If(
                Box::new(condition.code),
                Box::new(then.code),
                Box::new(otherwise.code),
            ),
        },
    }
}

/// Arithmetic and comparisons. A divisor that is known is not zero.
pub(super) fn binary(operator: Operator, left: Typed, right: Typed) -> Typed {
    if let (Some(x), Some(y)) = (left.known(), right.known())
        && let Some(value) = calculate(operator, x, y)
    {
        return Typed::constant(value, bounds(operator, &left.values, &right.values));
    }
    let values = bounds(operator, &left.values, &right.values);
    let code =
        |operator, left, right| Expression::Binary(operator, Box::new(left), Box::new(right));
    let simple = match operator {
        Operator::Add => Binary::Add,
        Operator::Subtract => Binary::Subtract,
        Operator::Multiply => Binary::Multiply,
        Operator::Divide => Binary::Divide,
        Operator::ShiftLeft => Binary::ShiftLeft,
        Operator::ShiftRight => Binary::ShiftRight,
        Operator::BitAnd => Binary::BitAnd,
        Operator::BitOr => Binary::BitOr,
        Operator::BitXor => Binary::BitXor,
        Operator::Equal => Binary::Equal,
        Operator::Different => Binary::Different,
        Operator::Less => Binary::Less,
        Operator::AtMost => Binary::AtMost,
        Operator::Greater => {
            return Typed {
                code: code(Binary::Less, right.code, left.code),
                values,
            };
        }
        Operator::AtLeast => {
            return Typed {
                code: code(Binary::AtMost, right.code, left.code),
                values,
            };
        }
        Operator::Remainder => {
            let plain = code(Binary::Remainder, left.code, right.code.clone());
            // The remainder has the sign of the divisor: ((x % y) + y) % y.
            let code = if left.values.least >= 0 && right.values.least >= 0 {
                plain
            } else {
                let moved = code(Binary::Add, plain, right.code.clone());
                code(Binary::Remainder, moved, right.code)
            };
            return Typed { code, values };
        }
        Operator::And => return and(left, right),
        Operator::Or => return or(left, right),
        Operator::Implies => return or(not(left), right),
    };
    Typed {
        code: code(simple, left.code, right.code),
        values,
    }
}

/// The result for known operands; none where it does not fit 64 bits.
fn calculate(operator: Operator, x: i64, y: i64) -> Option<i64> {
    match operator {
        Operator::Add => x.checked_add(y),
        Operator::Subtract => x.checked_sub(y),
        Operator::Multiply => x.checked_mul(y),
        Operator::Divide => x.checked_div(y),
        Operator::Remainder => {
            let plain = x.checked_rem(y)?;
            plain.checked_add(y)?.checked_rem(y)
        }
        Operator::ShiftLeft => {
            let by = u32::try_from(y).ok().filter(|&by| by < 63)?;
            x.checked_mul(1_i64 << by)
        }
        Operator::ShiftRight => Some(x >> u32::try_from(y).ok().filter(|&by| by < 64)?),
        Operator::BitAnd => Some(x & y),
        Operator::BitOr => Some(x | y),
        Operator::BitXor => Some(x ^ y),
        Operator::Equal => Some(i64::from(x == y)),
        Operator::Different => Some(i64::from(x != y)),
        Operator::Less => Some(i64::from(x < y)),
        Operator::AtMost => Some(i64::from(x <= y)),
        Operator::Greater => Some(i64::from(x > y)),
        Operator::AtLeast => Some(i64::from(x >= y)),
        Operator::And | Operator::Or | Operator::Implies => None,
    }
}

/// What is known of the result.
fn bounds(operator: Operator, left: &Values, right: &Values) -> Values {
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
        Operator::Add => hull([a + c, a + d, b + c, b + d]),
        Operator::Subtract => hull([a - c, a - d, b - c, b - d]),
        Operator::Multiply => hull([a * c, a * d, b * c, b * d]),
        Operator::Divide if c > 0 => hull([a / c, a / d, b / c, b / d]),
        Operator::Remainder if c > 0 => Values::numbers(0, clamp(d - 1)),
        Operator::BitAnd if a >= 0 && c >= 0 => Values::numbers(0, clamp(b.min(d))),
        Operator::BitOr | Operator::BitXor if a >= 0 && c >= 0 => {
            let bits = 128 - b.max(d).leading_zeros();
            Values::numbers(0, clamp((1_i128 << bits) - 1))
        }
        Operator::ShiftRight if a >= 0 => Values::numbers(0, clamp(b)),
        Operator::Divide
        | Operator::Remainder
        | Operator::BitAnd
        | Operator::BitOr
        | Operator::BitXor
        | Operator::ShiftRight
        | Operator::ShiftLeft => Values::ANY,
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
