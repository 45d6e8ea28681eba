//! Goes through code.

use crate::code::{Expression, Place, Statement};

/// Visits all expressions in statements, but not what they call.
pub(crate) fn statements<'a>(body: &'a [Statement], seen: &mut dyn FnMut(&'a Expression)) {
    for statement in body {
        match statement {
            Statement::Do(value) | Statement::Return(Some(value)) => {
                expression(value, seen);
            }
            Statement::When {
                condition,
                then,
                otherwise,
            } => {
                expression(condition, seen);
                statements(then, seen);
                statements(otherwise, seen);
            }
            Statement::Loop {
                condition,
                body,
                step,
                ..
            } => {
                expression(condition, seen);
                statements(body, seen);
                if let Some(step) = step {
                    expression(step, seen);
                }
            }
            Statement::Switch { value, body, .. } => {
                expression(value, seen);
                statements(body, seen);
            }
            Statement::Break | Statement::Continue | Statement::Return(None) => {}
        }
    }
}

/// Visits an expression and all its parts.
pub(crate) fn expression<'a>(root: &'a Expression, seen: &mut dyn FnMut(&'a Expression)) {
    seen(root);
    let mut place = |place: &'a Place| match place {
        Place::Element { index, .. } => expression(index, seen),
        Place::At(address) => expression(address, seen),
        Place::Variable(_) | Place::Local(_) => {}
    };
    match root {
        Expression::Constant(_) | Expression::In { .. } => {}
        Expression::Read(at) | Expression::Address(at) => place(at),
        Expression::Unary(_, part)
        | Expression::Narrow(_, part)
        | Expression::Within { value: part, .. }
        | Expression::Allocate(part)
        | Expression::Release(part) => expression(part, seen),
        Expression::Binary(_, left, right)
        | Expression::And(left, right)
        | Expression::Or(left, right)
        | Expression::Then(left, right) => {
            expression(left, seen);
            expression(right, seen);
        }
        Expression::If(condition, then, otherwise) => {
            expression(condition, seen);
            expression(then, seen);
            expression(otherwise, seen);
        }
        Expression::Call(_, arguments) => {
            for argument in arguments {
                expression(argument, seen);
            }
        }
        Expression::Assign(at, value) => {
            place(at);
            expression(value, seen);
        }
        Expression::Change { place: at, by, .. } => {
            place(at);
            expression(by, seen);
        }
    }
}
