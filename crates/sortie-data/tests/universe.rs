//! Terms: sharing between threads, fingerprints, bound variables, printing.

mod support;

use sortie_data::{Builtin as B, Env, Evaluator, Sort, TermId};
use std::collections::{HashMap, HashSet};
use support::*;

fn value(evaluator: &Evaluator, term: &T) -> TermId {
    let code = evaluator.compile(&term.expr).expect("well-typed");
    evaluator
        .eval(&code, &mut Env::new())
        .expect("has a normal form")
}

/// Terms of many kinds, the same for every call.
fn zoo() -> (Spec, Vec<T>) {
    let mut spec = Spec::new();
    let (d, constants) = spec.constants("D", &["a", "b", "c"]);
    let f = spec.map("f", vec![Sort::Nat], Sort::Nat);
    let pair = spec.sort("Pair", true);
    let make = spec.constructor("pair", vec![Sort::Nat, d.clone()], &pair);
    let x = spec.variable("x", Sort::Nat);
    let mut terms = Vec::new();
    for k in 0..20 {
        let constant = &constants[k as usize % 3];
        let big = op(B::Exp, &[pos(7), nat(10 * k)]);
        terms.extend([
            nat(k),
            cast(nat(k), Sort::Int),
            cast(big.clone(), Sort::Nat),
            op(B::Divide, &[big, pos(k + 2)]),
            call(&f, &[nat(k)]),
            call(&make, &[nat(k), constant.clone()]),
            list(Sort::Nat, &[nat(k), nat(k + 1)]),
            fset(Sort::Nat, &[nat(k), nat(2 * k)]),
            lambda(&[&x], &plus(&x, &nat(k))),
            comprehension(&x, &less(&x, &nat(k))),
            forall(&[&x], &equal(&call1(&f, &x), &nat(k))),
        ]);
    }
    (spec, terms)
}

#[test]
fn fingerprints_do_not_depend_on_the_order_of_interning() {
    let (spec, terms) = zoo();
    let (forward, backward) = (spec.evaluator(), spec.evaluator());
    let there: Vec<_> = terms
        .iter()
        .map(|t| forward.universe().fingerprint(value(&forward, t)))
        .collect();
    let mut back: Vec<_> = terms
        .iter()
        .rev()
        .map(|t| backward.universe().fingerprint(value(&backward, t)))
        .collect();
    back.reverse();
    assert_eq!(there, back);
}

#[test]
fn different_terms_have_different_fingerprints() {
    let (spec, terms) = zoo();
    let evaluator = spec.evaluator();
    let mut seen = HashMap::new();
    for term in &terms {
        let id = value(&evaluator, term);
        let fingerprint = evaluator.universe().fingerprint(id);
        assert_eq!(*seen.entry(fingerprint).or_insert(id), id);
    }
    let distinct: HashSet<TermId> = seen.values().copied().collect();
    assert_eq!(distinct.len(), seen.len());
}

#[test]
fn threads_agree_on_handles() {
    let (spec, terms) = zoo();
    let evaluator = spec.evaluator();
    let all: Vec<Vec<TermId>> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..4)
            .map(|start| {
                let (evaluator, terms) = (&evaluator, &terms);
                scope.spawn(move || {
                    let mut found = vec![TermId::TRUE; terms.len()];
                    for step in 0..terms.len() {
                        let place = (start * 50 + step * 7) % terms.len();
                        found[place] = value(evaluator, &terms[place]);
                    }
                    found
                })
            })
            .collect();
        workers
            .into_iter()
            .map(|w| w.join().expect("no worker panics"))
            .collect()
    });
    assert!(all.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn names_of_bound_variables_do_not_matter() {
    let mut spec = Spec::new();
    let (x, y) = (spec.variable("x", Sort::Nat), spec.variable("y", Sort::Nat));
    let evaluator = spec.evaluator();
    let one = lambda(&[&x], &lambda(&[&y], &plus(&x, &y)));
    let other = lambda(&[&y], &lambda(&[&x], &plus(&y, &x)));
    let swapped = lambda(&[&x], &lambda(&[&y], &plus(&y, &x)));
    let (one, other, swapped) = (
        value(&evaluator, &one),
        value(&evaluator, &other),
        value(&evaluator, &swapped),
    );
    assert_eq!(one, other);
    assert_ne!(one, swapped);
    assert_eq!(evaluator.print(one), "lambda x: Nat. lambda y: Nat. x + y");
}

#[test]
fn substitution_captures_nothing() {
    let mut spec = Spec::new();
    let (x, y, z) = (
        spec.variable("x", Sort::Nat),
        spec.variable("y", Sort::Nat),
        spec.variable("y", Sort::Nat),
    );
    let curried = lambda(&[&x], &lambda(&[&y], &plus(&x, &y)));
    // The argument holds a variable with the name of the inner binder.
    let applied = lambda(&[&z], &call(&curried, &[plus(&z, &nat(1))]));
    check(&spec, &applied, "lambda y: Nat. lambda y1: Nat. y + 1 + y1");
    let closed = call(&call(&applied, &[nat(3)]), &[nat(4)]);
    check(&spec, &closed, "8");
}

#[test]
fn printing_uses_few_brackets() {
    let mut spec = Spec::new();
    let (x, y) = (spec.variable("x", Sort::Nat), spec.variable("y", Sort::Nat));
    let (a, b) = (
        spec.variable("a", Sort::Bool),
        spec.variable("b", Sort::Bool),
    );
    let times = |s: &T, t: &T| op(B::Times, &[s.clone(), t.clone()]);
    let minus = |s: &T, t: &T| op(B::Minus, &[s.clone(), t.clone()]);
    let product = lambda(&[&x, &y], &times(&x, &plus(&y, &nat(1))));
    check(&spec, &product, "lambda x,y: Nat. x * (y + 1)");
    check(&spec, &lambda(&[&x, &a], &x), "lambda x: Nat, a: Bool. x");
    check(&spec, &plus(&times(&x, &y), &x), "x * y + x");
    check(&spec, &minus(&x, &minus(&y, &x)), "x - (y - x)");
    check(
        &spec,
        &minus(&minus(&x, &y), &cast(x.clone(), Sort::Int)),
        "x - y - x",
    );
    check(&spec, &and(&a, &and(&b, &a)), "a && b && a");
    check(&spec, &and(&and(&a, &b), &a), "(a && b) && a");
    check(
        &spec,
        &or(&and(&a, &b), &not(&equal(&x, &y))),
        "a && b || !(x == y)",
    );
    check(
        &spec,
        &op(B::Implies, &[or(&a, &b), b.clone()]),
        "a || b => b",
    );
    check(&spec, &op(B::Negate, &[plus(&x, &y)]), "-(x + y)");
    let tail = spec.variable("l", Sort::List(Sort::Nat.into()));
    let cons = op(B::Cons, &[plus(&x, &y), tail.clone()]);
    check(&spec, &cons, "x + y |> l");
    check(&spec, &op(B::Size, &[cons]), "#l + 1");
    check(&spec, &op(B::In, &[x.clone(), tail]), "x in l");
    check(
        &spec,
        &and(&equal(&x, &y), &forall(&[&x], &less(&x, &y))),
        "x == y && (forall x: Nat. x < y)",
    );
    check(&spec, &fset(Sort::Nat, &[x.clone(), nat(1)]), "{x, 1}");
    check(&spec, &op(B::Divide, &[x, y]), "x / y");
}
