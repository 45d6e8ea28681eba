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
        match part {
            Expr::Variable(_) | Expr::Number(_) | Expr::Function(_) | Expr::Builtin(..) => {}
            Expr::Apply(head, arguments) => {
                open.push(head);
                open.extend(arguments);
            }
            Expr::List(_, elements) | Expr::FSet(_, elements) => open.extend(elements),
            Expr::FBag(_, elements) => open.extend(
                elements
                    .iter()
                    .flat_map(|(element, count)| [element, count]),
            ),
            Expr::SetComprehension(_, body)
            | Expr::BagComprehension(_, body)
            | Expr::Lambda(_, body)
            | Expr::Forall(_, body)
            | Expr::Exists(_, body) => open.push(body),
            Expr::Where(body, bindings) => {
                open.push(body);
                open.extend(bindings.iter().map(|(_, value)| value));
            }
        }
        Some(part)
    })
}
