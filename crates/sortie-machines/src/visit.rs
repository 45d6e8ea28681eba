//! Goes through code.

use crate::code::{Expression, Place, Statement};

/// Visits all expressions in statements, but not what they call.
pub(crate) fn statements<'a>(body: &'a [Statement], seen: &mut dyn FnMut(&'a Expression)) {
    for statement in body {
        match statement {
            Statement::Do(value) | Statement::Return(Some(value)) => expression(value, seen),
            Statement::When(condition, then, otherwise) => {
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
        | Expression::Within(part, ..)
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
        Expression::Call(_, parts) => parts.iter().for_each(|part| expression(part, seen)),
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

/// Changes every expression of the statements, inner ones first.
pub(crate) fn change_statements(body: &mut [Statement], see: &mut impl FnMut(&mut Expression)) {
    for statement in body {
        match statement {
            Statement::Do(value) | Statement::Return(Some(value)) => change_expression(value, see),
            Statement::When(condition, then, otherwise) => {
                change_expression(condition, see);
                change_statements(then, see);
                change_statements(otherwise, see);
            }
            Statement::Loop {
                condition,
                body,
                step,
                ..
            } => {
                change_expression(condition, see);
                change_statements(body, see);
                if let Some(step) = step {
                    change_expression(step, see);
                }
            }
            Statement::Switch { value, body, .. } => {
                change_expression(value, see);
                change_statements(body, see);
            }
            Statement::Break | Statement::Continue | Statement::Return(None) => {}
        }
    }
}

/// Changes an expression and everything in it, inner ones first.
pub(crate) fn change_expression(root: &mut Expression, see: &mut impl FnMut(&mut Expression)) {
    match root {
        Expression::Constant(_) | Expression::In { .. } => {}
        Expression::Read(at) | Expression::Address(at) => change_place(at, see),
        Expression::Unary(_, x)
        | Expression::Narrow(_, x)
        | Expression::Within(x, ..)
        | Expression::Allocate(x)
        | Expression::Release(x) => change_expression(x, see),
        Expression::Binary(_, x, y)
        | Expression::And(x, y)
        | Expression::Or(x, y)
        | Expression::Then(x, y) => {
            change_expression(x, see);
            change_expression(y, see);
        }
        Expression::If(x, y, z) => {
            change_expression(x, see);
            change_expression(y, see);
            change_expression(z, see);
        }
        Expression::Call(_, parts) => parts.iter_mut().for_each(|x| change_expression(x, see)),
        Expression::Assign(at, value) => {
            change_place(at, see);
            change_expression(value, see);
        }
        Expression::Change { place: at, by, .. } => {
            change_place(at, see);
            change_expression(by, see);
        }
    }
    see(root);
}

fn change_place(at: &mut Place, see: &mut impl FnMut(&mut Expression)) {
    match at {
        Place::Variable(_) | Place::Local(_) => {}
        Place::Element { index, .. } => change_expression(index, see),
        Place::At(address) => change_expression(address, see),
    }
}
