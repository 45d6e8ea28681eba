//! Goes through trees.

use crate::code::{Expression, Place, Statement};

/// Shows every expression of the statements, inner ones first.
pub(super) fn statements(body: &mut [Statement], see: &mut impl FnMut(&mut Expression)) {
    for statement in body {
        match statement {
            Statement::Do(value) => expression(value, see),
            Statement::When {
                condition,
                then,
                otherwise,
            } => {
                expression(condition, see);
                statements(then, see);
                statements(otherwise, see);
            }
            Statement::Loop {
                condition,
                body,
                step,
                ..
            } => {
                expression(condition, see);
                statements(body, see);
                if let Some(step) = step {
                    expression(step, see);
                }
            }
            Statement::Switch { value, body, .. } => {
                expression(value, see);
                statements(body, see);
            }
            Statement::Break | Statement::Continue => {}
            Statement::Return(value) => {
                if let Some(value) = value {
                    expression(value, see);
                }
            }
        }
    }
}

/// Shows an expression and everything in it, inner ones first.
pub(super) fn expression(root: &mut Expression, see: &mut impl FnMut(&mut Expression)) {
    match root {
        Expression::Constant(_) | Expression::In { .. } => {}
        Expression::Read(at) | Expression::Address(at) => place(at, see),
        Expression::Unary(_, x)
        | Expression::Narrow(_, x)
        | Expression::Within { value: x, .. }
        | Expression::Allocate(x)
        | Expression::Release(x) => expression(x, see),
        Expression::Binary(_, x, y)
        | Expression::And(x, y)
        | Expression::Or(x, y)
        | Expression::Then(x, y) => {
            expression(x, see);
            expression(y, see);
        }
        Expression::If(x, y, z) => {
            expression(x, see);
            expression(y, see);
            expression(z, see);
        }
        Expression::Call(_, arguments) => {
            for argument in arguments {
                expression(argument, see);
            }
        }
        Expression::Assign(at, value) => {
            place(at, see);
            expression(value, see);
        }
        Expression::Change { place: at, by, .. } => {
            place(at, see);
            expression(by, see);
        }
    }
    see(root);
}

fn place(at: &mut Place, see: &mut impl FnMut(&mut Expression)) {
    match at {
        Place::Variable(_) | Place::Local(_) => {}
        Place::Element { index, .. } => expression(index, see),
        Place::At(address) => expression(address, see),
    }
}
