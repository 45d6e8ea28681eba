//! Makes trees, and makes them small: constants are calculated, and numbers are narrowed only where they could be too large.

use super::constant;
use super::types::bits;
use crate::code::{Binary, Expression, Unary, Width};
use crate::eval;

/// Whether every number of one type is a number of the other.
pub(super) fn fits(from: Width, to: Width) -> bool {
    match (from, to) {
        (Width::Truth, _) => true,
        (_, Width::Truth) => false,
        (Width::Signed(from), Width::Signed(to)) | (Width::Unsigned(from), Width::Unsigned(to)) => {
            from <= to
        }
        (Width::Unsigned(from), Width::Signed(to)) => from < to,
        (Width::Signed(_), Width::Unsigned(_)) => false,
    }
}

/// The value as a type has it.
pub(super) fn narrow(width: Width, value: Expression) -> Expression {
    match value {
        Expression::Constant(value) => Expression::Constant(eval::narrow(width, value)),
        value if matches!(width, Width::Signed(64)) => value,
        // What is added up is cut once, at the end: a sum of cut numbers differs only in bits that are cut anyway.
        Expression::Binary(operator @ (Binary::Add | Binary::Subtract), left, right)
            if width != Width::Truth =>
        {
            let (left, right) = (loosen(width, *left), loosen(width, *right));
            let sum = Expression::Binary(operator, left.into(), right.into());
            Expression::Narrow(width, sum.into())
        }
        value => Expression::Narrow(width, value.into()),
    }
}

fn loosen(width: Width, operand: Expression) -> Expression {
    match operand {
        Expression::Narrow(inner, value)
            if inner != Width::Truth
                && bits(inner) >= bits(width)
                && matches!(
                    *value,
                    Expression::Binary(Binary::Add | Binary::Subtract, ..)
                ) =>
        {
            *value
        }
        other => other,
    }
}

/// An operator on two numbers that have the given type already.
pub(super) fn arithmetic(
    operator: Binary,
    width: Width,
    left: Expression,
    right: Expression,
) -> Expression {
    let divisor = match right {
        Expression::Constant(value) => Some(value),
        _ => None,
    };
    let plain = binary(operator, left, right);
    match operator {
        Binary::Add | Binary::Subtract | Binary::Multiply | Binary::ShiftLeft => {
            narrow(width, plain)
        }
        // The least number divided by -1 is too large.
        Binary::Divide if divisor.is_none_or(|value| value == -1) => narrow(width, plain),
        _ => plain,
    }
}

/// An operator on two words, without narrowing.
pub(super) fn binary(operator: Binary, left: Expression, right: Expression) -> Expression {
    match (operator, &left, &right) {
        (_, Expression::Constant(x), Expression::Constant(y)) => {
            if let Some(value) = constant::binary(operator, *x, *y) {
                return Expression::Constant(value);
            }
        }
        (Binary::Add | Binary::Subtract, _, Expression::Constant(0)) => return left,
        (Binary::Add, Expression::Constant(0), _) => return right,
        (Binary::Multiply | Binary::Divide, _, Expression::Constant(1)) => return left,
        _ => {}
    }
    Expression::Binary(operator, left.into(), right.into())
}

pub(super) fn unary(operator: Unary, operand: Expression) -> Expression {
    match operand {
        Expression::Constant(value) => Expression::Constant(operator.of(value)),
        operand => Expression::Unary(operator, operand.into()),
    }
}

/// So many words further.
pub(super) fn moved(address: Expression, count: Expression, size: u32) -> Expression {
    let distance = binary(Binary::Multiply, count, Expression::Constant(size.into()));
    binary(Binary::Add, address, distance)
}

/// One after the other.
pub(super) fn then(first: Option<Expression>, second: Expression) -> Expression {
    match first {
        None => second,
        Some(first) => Expression::Then(first.into(), second.into()),
    }
}

/// One after the other, in a tree that is not high.
pub(super) fn in_order(mut all: Vec<Expression>) -> Expression {
    match all.len() {
        0 => Expression::Constant(0),
        1 => all.remove(0),
        count => {
            let rest = all.split_off(count / 2);
            Expression::Then(in_order(all).into(), in_order(rest).into())
        }
    }
}
