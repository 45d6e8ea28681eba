//! How sorts relate: which one fits where, and what two have in common.
//!
//! While an expression is being typed, parts of a sort may be unknown (the element sort of `[]`); the unknown sort goes with
//! any. It never leaves the type checker: see [`known`].

use sortie_data::{Numeric, Sort, SortId};
use std::sync::Arc;

/// Stands for a sort that is not known yet, or that could not be resolved and has been reported.
pub(crate) const UNKNOWN: Sort = Sort::Named(SortId(u32::MAX));

/// The sort of numbers of this kind.
pub(crate) fn of_numeric(numeric: Numeric) -> Sort {
    match numeric {
        Numeric::Pos => Sort::Pos,
        Numeric::Nat => Sort::Nat,
        Numeric::Int => Sort::Int,
        Numeric::Real => Sort::Real,
    }
}

/// The element sort of a container.
pub(crate) fn element(sort: &Sort) -> Option<&Sort> {
    sort.container().map(|(_, element)| element)
}

/// Is some part of the sort unknown?
pub(crate) fn has_unknown(sort: &Sort) -> bool {
    match sort {
        Sort::Function(domain, range) => domain.iter().any(has_unknown) || has_unknown(range),
        _ => *sort == UNKNOWN || element(sort).is_some_and(has_unknown),
    }
}

/// The sort with what is still unknown settled; no value of that part can occur, so any sort will do.
pub(crate) fn known(sort: &Sort) -> Sort {
    match (sort, sort.container()) {
        _ if !has_unknown(sort) => sort.clone(),
        (_, Some((container, element))) => Sort::of(container, &known(element)),
        (Sort::Function(domain, range), _) => {
            Sort::function(domain.iter().map(known).collect(), known(range))
        }
        _ => Sort::Bool,
    }
}

/// The two are the same as far as they are known.
pub(crate) fn same(left: &Sort, right: &Sort) -> bool {
    if let (Some((container, a)), Some((other, b))) = (left.container(), right.container()) {
        return container == other && same(a, b);
    }
    match (left, right) {
        _ if *left == UNKNOWN || *right == UNKNOWN => true,
        (Sort::Function(d1, r1), Sort::Function(d2, r2)) => {
            d1.len() == d2.len()
                && d1.iter().zip(d2.iter()).all(|(a, b)| same(a, b))
                && same(r1, r2)
        }
        _ => left == right,
    }
}

/// Can an expression of sort `from` possibly be read as one of sort `to`? Numbers widen, also as elements of containers, and
/// finite sets and bags are sets and bags. Whether the expression at hand really can is decided when it is elaborated.
pub(crate) fn fits(from: &Sort, to: &Sort) -> bool {
    match (from, to) {
        _ if same(from, to) || is_narrower(from, to) => true,
        (Sort::List(a), Sort::List(b))
        | (Sort::Set(a) | Sort::FSet(a), Sort::Set(b))
        | (Sort::FSet(a), Sort::FSet(b))
        | (Sort::Bag(a) | Sort::FBag(a), Sort::Bag(b))
        | (Sort::FBag(a), Sort::FBag(b)) => fits(a, b),
        _ => false,
    }
}

/// Can any value of sort `from` be converted to one of sort `to`?
pub(crate) fn convertible(from: &Sort, to: &Sort) -> bool {
    match (from, to) {
        (Sort::FSet(a), Sort::Set(b)) | (Sort::FBag(a), Sort::Bag(b)) => same(a, b),
        _ => same(from, to) || is_narrower(from, to),
    }
}

/// Are both sorts of numbers, and the first not larger than the second?
pub(crate) fn is_narrower(from: &Sort, to: &Sort) -> bool {
    matches!((Numeric::of(from), Numeric::of(to)), (Some(from), Some(to)) if from <= to)
}

/// The least sort that both fit.
pub(crate) fn join(left: &Sort, right: &Sort) -> Option<Sort> {
    let inner = |a: &Arc<Sort>, b: &Arc<Sort>| join(a, b).map(Arc::new);
    match (left, right) {
        _ if *left == UNKNOWN => Some(right.clone()),
        _ if *right == UNKNOWN || left == right => Some(left.clone()),
        (Sort::List(a), Sort::List(b)) => inner(a, b).map(Sort::List),
        (Sort::FSet(a), Sort::FSet(b)) => inner(a, b).map(Sort::FSet),
        (Sort::Set(a) | Sort::FSet(a), Sort::Set(b) | Sort::FSet(b)) => inner(a, b).map(Sort::Set),
        (Sort::FBag(a), Sort::FBag(b)) => inner(a, b).map(Sort::FBag),
        (Sort::Bag(a) | Sort::FBag(a), Sort::Bag(b) | Sort::FBag(b)) => inner(a, b).map(Sort::Bag),
        (Sort::Function(d1, r1), Sort::Function(d2, r2)) if same(left, right) => {
            let domain: Option<Vec<_>> = d1.iter().zip(&**d2).map(|(a, b)| join(a, b)).collect();
            Some(Sort::function(domain?, join(r1, r2)?))
        }
        _ => Some(of_numeric(Numeric::of(left)?.max(Numeric::of(right)?))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(element: Sort) -> Sort {
        Sort::List(Arc::new(element))
    }

    #[test]
    fn numbers_widen_also_in_containers() {
        assert!(fits(&Sort::Pos, &Sort::Real));
        assert!(!fits(&Sort::Int, &Sort::Nat));
        assert!(fits(&list(Sort::Pos), &list(Sort::Int)));
        assert!(!convertible(&list(Sort::Pos), &list(Sort::Int)));
        assert_eq!(
            join(&list(UNKNOWN), &list(Sort::Nat)),
            Some(list(Sort::Nat))
        );
        assert_eq!(
            join(&list(Sort::Pos), &list(Sort::Int)),
            Some(list(Sort::Int))
        );
        assert_eq!(join(&Sort::Bool, &Sort::Nat), None);
    }

    #[test]
    fn functions_do_not_widen() {
        let function = |range| Sort::function(vec![Sort::Nat], range);
        assert!(!fits(&function(Sort::Pos), &function(Sort::Nat)));
        assert_eq!(join(&function(Sort::Pos), &function(Sort::Nat)), None);
    }

    #[test]
    fn nothing_unknown_is_left() {
        assert_eq!(known(&list(list(UNKNOWN))), list(list(Sort::Bool)));
        let function = |from, to| Sort::function(vec![Sort::Nat, from], to);
        assert_eq!(
            known(&function(list(UNKNOWN), Sort::Pos)),
            function(list(Sort::Bool), Sort::Pos)
        );
        assert_eq!(
            known(&function(Sort::Pos, UNKNOWN)),
            function(Sort::Pos, Sort::Bool)
        );
    }
}
