//! Small operations on data expressions.

use sortie_data::{Builtin, Expr, Sort};
use std::collections::HashMap;

/// `weight > 0` for a weight of sort Real.
pub(crate) fn positive(weight: Expr) -> Expr {
    let cast = |from: Sort, to: Sort, operand: Expr| {
        let sort = Sort::function(vec![from], to);
        Expr::Apply(Box::new(Expr::Builtin(Builtin::Cast, sort)), vec![operand])
    };
    let zero = cast(Sort::Nat, Sort::Real, Expr::Number(0u32.into()));
    let function = Sort::function(vec![Sort::Real, Sort::Real], Sort::Bool);
    let head = Box::new(Expr::Builtin(Builtin::Greater, function));
    Expr::Apply(head, vec![weight, zero])
}

/// Replaces variables by expressions. Numbers of variables are unique, so nothing can be captured.
pub(crate) fn substitute(expr: &Expr, values: &HashMap<u32, Expr>) -> Expr {
    if values.is_empty() {
        return expr.clone();
    }
    let one = |e: &Expr| substitute(e, values);
    let all = |list: &[Expr]| list.iter().map(one).collect::<Vec<_>>();
    match expr {
        Expr::Variable(variable) => values
            .get(&variable.id)
            .cloned()
            .unwrap_or_else(|| expr.clone()),
        Expr::Number(_) | Expr::Function(_) | Expr::Builtin(..) => expr.clone(),
        Expr::Apply(head, arguments) => Expr::Apply(Box::new(one(head)), all(arguments)),
        Expr::List(sort, elements) => Expr::List(sort.clone(), all(elements)),
        Expr::FSet(sort, elements) => Expr::FSet(sort.clone(), all(elements)),
        Expr::FBag(sort, elements) => {
            let both = elements.iter().map(|(e, n)| (one(e), one(n)));
            Expr::FBag(sort.clone(), both.collect())
        }
        Expr::SetComprehension(v, body) => Expr::SetComprehension(v.clone(), Box::new(one(body))),
        Expr::BagComprehension(v, body) => Expr::BagComprehension(v.clone(), Box::new(one(body))),
        Expr::Lambda(vs, body) => Expr::Lambda(vs.clone(), Box::new(one(body))),
        Expr::Forall(vs, body) => Expr::Forall(vs.clone(), Box::new(one(body))),
        Expr::Exists(vs, body) => Expr::Exists(vs.clone(), Box::new(one(body))),
        Expr::Where(body, bindings) => Expr::Where(
            Box::new(one(body)),
            bindings.iter().map(|(v, e)| (v.clone(), one(e))).collect(),
        ),
    }
}

/// How many symbols an expression has.
pub(crate) fn size(expr: &Expr) -> usize {
    let all = |list: &[Expr]| list.iter().map(size).sum::<usize>();
    1 + match expr {
        Expr::Variable(_) | Expr::Number(_) | Expr::Function(_) | Expr::Builtin(..) => 0,
        Expr::Apply(head, arguments) => size(head) + all(arguments),
        Expr::List(_, elements) | Expr::FSet(_, elements) => all(elements),
        Expr::FBag(_, elements) => elements.iter().map(|(e, n)| size(e) + size(n)).sum(),
        Expr::SetComprehension(_, body)
        | Expr::BagComprehension(_, body)
        | Expr::Lambda(_, body)
        | Expr::Forall(_, body)
        | Expr::Exists(_, body) => size(body),
        Expr::Where(body, bindings) => {
            size(body) + bindings.iter().map(|(_, e)| size(e)).sum::<usize>()
        }
    }
}
