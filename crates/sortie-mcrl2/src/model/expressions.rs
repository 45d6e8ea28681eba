//! Small operations on data expressions.

use sortie_data::{Builtin, Expr, Sort};
use std::collections::HashMap;

/// `weight > 0` for a weight of sort Real.
pub(crate) fn positive(weight: Expr) -> Expr {
    let zero = vec![Expr::Number(0u32.into())];
    let zero = Expr::call(Builtin::Cast, vec![Sort::Nat], Sort::Real, zero);
    let sorts = vec![Sort::Real, Sort::Real];
    Expr::call(Builtin::Greater, sorts, Sort::Bool, vec![weight, zero])
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
    1 + expr.parts().into_iter().map(size).sum::<usize>()
}
