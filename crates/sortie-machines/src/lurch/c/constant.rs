//! Expressions whose value is known while the program is read.

use super::syntax::{Node, NodeKind};
use super::token::{Parsed, fail};
use super::types::{INT, WORD_SIZE, World, promoted, usual};
use crate::code::{Binary, Unary, Width};
use crate::eval::narrow;

/// The value of a constant expression, and its type.
pub(in crate::lurch) fn constant(node: &Node, world: &World) -> Parsed<(i64, Width)> {
    let truth = |value: bool| (i64::from(value), INT);
    Ok(match &node.kind {
        NodeKind::Number(value, width) => (*value, *width),
        NodeKind::Plus(operand) => {
            let (value, width) = constant(operand, world)?;
            (value, promoted(width))
        }
        NodeKind::Unary(operator, operand) => {
            let (value, width) = constant(operand, world)?;
            let result = match operator {
                Unary::Not => INT,
                Unary::Negate | Unary::Complement => promoted(width),
            };
            (narrow(result, operator.of(value)), result)
        }
        NodeKind::Binary(operator, left, right) => {
            let (left, left_width) = constant(left, world)?;
            let (right, right_width) = constant(right, world)?;
            let meet = match operator {
                Binary::ShiftLeft | Binary::ShiftRight => promoted(left_width),
                _ => usual(left_width, right_width),
            };
            let Some(value) = binary(*operator, narrow(meet, left), narrow(meet, right)) else {
                let help = "divide by something that is not zero, and shift by less than the number of bits";
                return fail(node.span, "this has no value", help);
            };
            match operator.compares() {
                true => (value, INT),
                false => (narrow(meet, value), meet),
            }
        }
        NodeKind::And(left, right) => {
            truth(constant(left, world)?.0 != 0 && constant(right, world)?.0 != 0)
        }
        NodeKind::Or(left, right) => {
            truth(constant(left, world)?.0 != 0 || constant(right, world)?.0 != 0)
        }
        NodeKind::If(condition, then, otherwise) => {
            if constant(condition, world)?.0 != 0 {
                constant(then, world)?
            } else {
                constant(otherwise, world)?
            }
        }
        NodeKind::Cast(kind, operand) => {
            let (value, _) = constant(operand, world)?;
            match kind.width() {
                Some(width) => (narrow(width, value), width),
                None => return not_constant(node),
            }
        }
        NodeKind::SizeOfType(kind) => (
            i64::from(world.words(kind, node.span)?) * WORD_SIZE,
            Width::Unsigned(32),
        ),
        _ => return not_constant(node),
    })
}

fn not_constant<T>(node: &Node) -> Parsed<T> {
    let help = "only numbers, macros and constants of enumerations can stand here";
    fail(node.span, "this is not a constant", help)
}

/// The value, if there is one: what shifts by more bits than there are is left to be evaluated.
pub(in crate::lurch) fn binary(operator: Binary, left: i64, right: i64) -> Option<i64> {
    let shifts = matches!(operator, Binary::ShiftLeft | Binary::ShiftRight);
    let fits = !shifts || (0..64).contains(&right);
    fits.then(|| operator.of(left, right))?
}
