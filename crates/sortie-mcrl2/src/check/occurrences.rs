//! What occurs in a typed expression.

use sortie_data::{Expr, FunctionId};
use std::collections::HashSet;

/// The numbers of all variables that occur in an expression, bound ones included.
pub(crate) fn variables_of(expression: &Expr) -> HashSet<u32> {
    let number = |part: &Expr| match part {
        Expr::Variable(variable) => Some(variable.id),
        _ => None,
    };
    parts(expression).filter_map(number).collect()
}

/// Does the function occur in the expression?
pub(crate) fn mentions(expression: &Expr, function: FunctionId) -> bool {
    parts(expression).any(|part| *part == Expr::Function(function))
}

/// The expression and all its parts.
fn parts(expression: &Expr) -> impl Iterator<Item = &Expr> {
    let mut open = vec![expression];
    std::iter::from_fn(move || {
        let part = open.pop()?;
        open.extend(part.parts());
        Some(part)
    })
}
