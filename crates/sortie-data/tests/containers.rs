//! Lists, sets, bags, functions and structured sorts: facts, and random operations against the standard library.

mod support;

use sortie_data::{Builtin as B, Sort};
use std::collections::{BTreeMap, BTreeSet};
use support::*;

fn nats(values: &[u64]) -> Vec<T> {
    values.iter().map(|v| nat(*v)).collect()
}

fn nat_list(values: &[u64]) -> T {
    list(Sort::Nat, &nats(values))
}

fn nat_set(values: &[u64]) -> T {
    fset(Sort::Nat, &nats(values))
}

fn nat_bag(pairs: &[(u64, u64)]) -> T {
    let pairs: Vec<(T, T)> = pairs.iter().map(|(e, n)| (nat(*e), nat(*n))).collect();
    fbag(Sort::Nat, &pairs)
}

#[track_caller]
fn value(term: T, expected: &str) {
    check(&Spec::new(), &term, expected);
}

#[test]
fn lists() {
    value(op(B::At, &[nat_list(&[1, 2]), nat(5)]), "[] . 3");
    value(op(B::At, &[nat_list(&[1, 2]), nat(1)]), "2");
    for (builtin, name) in [
        (B::Head, "head"),
        (B::Tail, "tail"),
        (B::Rhead, "rhead"),
        (B::Rtail, "rtail"),
    ] {
        value(op(builtin, &[nat_list(&[])]), &format!("{name}([])"));
    }
    value(op(B::Snoc, &[nat_list(&[1]), nat(2)]), "[1, 2]");
    value(less(&nat_list(&[]), &nat_list(&[0])), "true");
    value(less(&nat_list(&[1, 3]), &nat_list(&[1, 2, 5])), "false");
}

#[test]
fn finite_sets() {
    value(nat_set(&[3, 1, 2, 1]), "{1, 2, 3}");
    value(op(B::Pick, &[nat_set(&[3, 2])]), "2");
    value(op(B::Pick, &[nat_set(&[])]), "pick({})");
    value(op(B::LessEqual, &[nat_set(&[1]), nat_set(&[1, 2])]), "true");
    value(less(&nat_set(&[1]), &nat_set(&[1])), "false");
}

#[test]
fn sets_without_an_order_stay_as_they_were_written() {
    let mut spec = Spec::new();
    let s = spec.sort("S", false);
    let (a, b) = (
        spec.constructor("a", vec![], &s),
        spec.constructor("b", vec![], &s),
    );
    let ba = fset(s.clone(), &[b.clone(), a.clone()]);
    let ab = fset(s.clone(), &[a.clone(), b.clone()]);
    check(&spec, &equal(&ba, &ab), "{b, a} == {a, b}");
    check(&spec, &equal(&ba, &ba), "true");
    check(&spec, &fset(s, &[a.clone(), a.clone()]), "{a}");
    check(&spec, &op(B::In, &[a, ba]), "true");
}

#[test]
fn sets_are_functions_with_exceptions() {
    let mut spec = Spec::new();
    let n = spec.variable("n", Sort::Nat);
    let b = spec.variable("b", Sort::Bool);
    let small = comprehension(&n, &less(&n, &nat(3)));
    let one = op(B::Unbound, &[nat_set(&[1])]);
    let not_one = unary(B::Complement, &one);
    check(&spec, &small, "{ n: Nat | n < 3 }");
    check(&spec, &not_one, "!{1}");
    check(&spec, &unary(B::Complement, &not_one), "{1}");
    let both = op(B::Intersection, &[small.clone(), not_one.clone()]);
    for (element, expected) in [(0, "true"), (1, "false"), (2, "true"), (3, "false")] {
        check(&spec, &op(B::In, &[nat(element), both.clone()]), expected);
    }
    let union = op(
        B::Union,
        &[small.clone(), op(B::Unbound, &[nat_set(&[7, 1])])],
    );
    check(&spec, &op(B::In, &[nat(7), union.clone()]), "true");
    check(&spec, &op(B::In, &[nat(5), union.clone()]), "false");
    let removed = op(B::Difference, &[union, op(B::Unbound, &[nat_set(&[7, 9])])]);
    check(&spec, &equal(&removed, &small), "true");
    let filtered = apply_builtin(
        B::Intersection,
        &[nat_set(&[1, 2, 5]), small],
        Sort::FSet(Sort::Nat.into()),
    );
    check(&spec, &filtered, "{1, 2}");
    let all = comprehension(&b, &or(&b, &not(&b)));
    let some = comprehension(&b, &b);
    check(
        &spec,
        &equal(&all, &comprehension(&b, &truth(true))),
        "true",
    );
    check(&spec, &equal(&all, &some), "false");
    check(
        &spec,
        &op(B::LessEqual, &[some.clone(), all.clone()]),
        "true",
    );
    check(&spec, &less(&all, &some), "false");
}

#[test]
fn bags() {
    value(nat_bag(&[(1, 3), (2, 0), (1, 2)]), "{1: 5}");
    value(nat_bag(&[]), "{:}");
    value(op(B::Size, &[nat_bag(&[(1, 3), (2, 1)])]), "4");
    value(op(B::Set2Bag, &[nat_set(&[2, 1])]), "{1: 1, 2: 1}");
    value(op(B::Bag2Set, &[nat_bag(&[(2, 3)])]), "{2}");
    let mut spec = Spec::new();
    let n = spec.variable("n", Sort::Nat);
    let identity = comprehension(&n, &n);
    let three = op(B::Unbound, &[nat_bag(&[(3, 3), (5, 1)])]);
    let rest = op(B::Difference, &[identity.clone(), three.clone()]);
    let sum = op(B::Union, &[rest.clone(), three]);
    for (element, left, again) in [(2, "2", "2"), (3, "0", "3"), (5, "4", "5"), (9, "9", "9")] {
        check(&spec, &op(B::Count, &[nat(element), rest.clone()]), left);
        check(&spec, &op(B::Count, &[nat(element), sum.clone()]), again);
    }
    let support = op(B::Bag2Set, &[rest]);
    for (element, expected) in [(0, "false"), (3, "false"), (4, "true"), (5, "true")] {
        check(
            &spec,
            &op(B::In, &[nat(element), support.clone()]),
            expected,
        );
    }
    let doubled = op(
        B::Set2Bag,
        &[op(B::Complement, &[op(B::Unbound, &[nat_set(&[1])])])],
    );
    check(&spec, &op(B::Count, &[nat(1), doubled.clone()]), "0");
    check(&spec, &op(B::Count, &[nat(2), doubled]), "1");
}

#[test]
fn bags_with_exceptions_are_printed_as_what_they_are() {
    let mut spec = Spec::new();
    let n = spec.variable("n", Sort::Nat);
    let none = op(B::Unbound, &[nat_set(&[])]);
    let all = unary(B::Set2Bag, &unary(B::Complement, &none));
    check(&spec, &all, "{ x: Nat | 1 }");
    check(&spec, &unary(B::Bag2Set, &all), "!{}");
    let more = op(
        B::Union,
        &[all.clone(), op(B::Unbound, &[nat_bag(&[(2, 3)])])],
    );
    let printed = "{ x: Nat | @swap_zero(1, count(x, {2: 4})) }";
    check(&spec, &more, printed);
    let twice = op(B::Union, &[all.clone(), all]);
    check(&spec, &twice, "{ x: Nat | @add_(@one_, @one_)(x) }");
    let small = comprehension(&n, &less(&n, &nat(3)));
    let odd = op(B::Difference, &[small, op(B::Unbound, &[nat_set(&[1])])]);
    check(&spec, &odd, "{ n: Nat | n < 3 != (n in {1}) }");
}

#[test]
fn updates_are_kept_sorted_and_needless_ones_vanish() {
    let mut spec = Spec::new();
    let n = spec.variable("n", Sort::Nat);
    let zero = lambda(&[&n], &nat(0));
    let once = update(&zero, &nat(1), &nat(2));
    let twice = update(&once, &nat(0), &nat(1));
    check(
        &spec,
        &update(&twice, &nat(1), &nat(0)),
        "(lambda n: Nat. 0)[0 -> 1]",
    );
    let other = update(&update(&zero, &nat(0), &nat(1)), &nat(1), &nat(2));
    check(&spec, &twice, "(lambda n: Nat. 0)[1 -> 2][0 -> 1]");
    check(&spec, &equal(&twice, &other), "true");
    check(&spec, &equal(&twice, &once), "false");
    check(&spec, &call(&twice, &[nat(1)]), "2");
    check(&spec, &call(&twice, &[nat(9)]), "0");
}

#[test]
fn functions_are_compared_by_enumeration() {
    let mut spec = Spec::new();
    let (b, c) = (
        spec.variable("b", Sort::Bool),
        spec.variable("c", Sort::Bool),
    );
    let identity = lambda(&[&b], &b);
    check(
        &spec,
        &equal(&identity, &lambda(&[&c], &not(&not(&c)))),
        "true",
    );
    check(
        &spec,
        &equal(&identity, &lambda(&[&c], &truth(true))),
        "false",
    );
    let f = spec.map("f", vec![Sort::Nat], Sort::Nat);
    let g = spec.map("g", vec![Sort::Nat], Sort::Nat);
    check(&spec, &equal(&f, &f), "true");
    check(&spec, &equal(&f, &g), "forall x: Nat. f(x) == g(x)");
    check(&spec, &less(&f, &g), "f < g");
}

#[test]
fn structured_sorts() {
    let mut spec = Spec::new();
    let d = spec.sort("D", true);
    let (d1, d2) = (
        spec.constructor("d1", vec![], &d),
        spec.constructor("d2", vec![], &d),
    );
    let c = spec.constructor("c", vec![Sort::Nat, d.clone()], &d);
    let (p, is_c) = (spec.projection("p", &c, 0), spec.recogniser("is_c", &c));
    let make = |n: u64, inner: &T| call(&c, &[nat(n), inner.clone()]);
    check(&spec, &make(1, &d1), "c(1, d1)");
    check(&spec, &less(&d1, &d2), "true");
    check(&spec, &less(&d2, &make(0, &d1)), "true");
    check(&spec, &less(&make(1, &d1), &make(1, &d2)), "true");
    check(&spec, &less(&make(2, &d1), &make(1, &d2)), "false");
    check(&spec, &equal(&make(1, &d1), &make(1, &d1)), "true");
    check(&spec, &call(&p, &[make(3, &d1)]), "3");
    check(&spec, &call1(&p, &d1), "p(d1)");
    check(&spec, &call1(&is_c, &d1), "false");
    check(&spec, &call(&is_c, &[make(3, &d1)]), "true");
    check(
        &spec,
        &fset(d, &[make(1, &d1), d2, d1]),
        "{d1, d2, c(1, d1)}",
    );
}

fn joined<X: ToString>(items: impl IntoIterator<Item = X>) -> String {
    let items: Vec<String> = items.into_iter().map(|i| i.to_string()).collect();
    items.join(", ")
}

#[test]
fn random_lists_agree_with_vectors() {
    let spec = Spec::new();
    for seed in 0..150 {
        let mut dice = Dice::new(seed);
        let mut draw = || -> Vec<u64> { (0..dice.roll(5)).map(|_| dice.roll(3)).collect() };
        let (a, b) = (draw(), draw());
        let (s, t) = (nat_list(&a), nat_list(&b));
        let reversed: Vec<u64> = a.iter().skip(1).copied().collect();
        let cases = [
            (
                op(B::Concat, &[s.clone(), t.clone()]),
                format!("[{}]", joined(a.iter().chain(&b))),
            ),
            (equal(&s, &t), (a == b).to_string()),
            (less(&s, &t), (a < b).to_string()),
            (
                op(B::LessEqual, &[s.clone(), t.clone()]),
                (a <= b).to_string(),
            ),
            (unary(B::Size, &s), a.len().to_string()),
            (op(B::In, &[nat(1), s.clone()]), a.contains(&1).to_string()),
            (
                op(
                    B::If,
                    &[truth(a.is_empty()), nat_list(&[]), op(B::Tail, &[s])],
                ),
                format!("[{}]", joined(reversed)),
            ),
        ];
        for (term, expected) in cases {
            assert_eq!(
                spec.normal_form(&term),
                Ok(expected),
                "seed {seed}: {a:?} {b:?}"
            );
        }
    }
}

#[test]
fn random_sets_agree_with_ordered_sets() {
    let spec = Spec::new();
    for seed in 0..150 {
        let mut dice = Dice::new(seed);
        let mut draw = || -> Vec<u64> { (0..dice.roll(6)).map(|_| dice.roll(5)).collect() };
        let (a, b) = (draw(), draw());
        let (s, t) = (nat_set(&a), nat_set(&b));
        let a: BTreeSet<u64> = a.into_iter().collect();
        let b: BTreeSet<u64> = b.into_iter().collect();
        let set = |x: BTreeSet<u64>| format!("{{{}}}", joined(x));
        let cases = [
            (op(B::Union, &[s.clone(), t.clone()]), set(&a | &b)),
            (op(B::Difference, &[s.clone(), t.clone()]), set(&a - &b)),
            (op(B::Intersection, &[s.clone(), t.clone()]), set(&a & &b)),
            (
                op(B::LessEqual, &[s.clone(), t.clone()]),
                a.is_subset(&b).to_string(),
            ),
            (less(&s, &t), (a.is_subset(&b) && a != b).to_string()),
            (equal(&s, &t), (a == b).to_string()),
            (unary(B::Size, &s), a.len().to_string()),
            (op(B::In, &[nat(2), s]), a.contains(&2).to_string()),
        ];
        for (term, expected) in cases {
            assert_eq!(
                spec.normal_form(&term),
                Ok(expected),
                "seed {seed}: {a:?} {b:?}"
            );
        }
    }
}

#[test]
fn random_bags_agree_with_ordered_maps() {
    let spec = Spec::new();
    for seed in 0..150 {
        let mut dice = Dice::new(seed);
        let mut draw = || -> Vec<(u64, u64)> {
            (0..dice.roll(5))
                .map(|_| (dice.roll(4), dice.roll(3)))
                .collect()
        };
        let (a, b) = (draw(), draw());
        let (s, t) = (nat_bag(&a), nat_bag(&b));
        let counts = |pairs: &[(u64, u64)]| {
            let mut map = BTreeMap::new();
            for (element, count) in pairs.iter().filter(|(_, n)| *n > 0) {
                *map.entry(*element).or_insert(0) += count;
            }
            map
        };
        let (m, n) = (counts(&a), counts(&b));
        let combine = |f: fn(u64, u64) -> u64| {
            let of = |map: &BTreeMap<u64, u64>, e| map.get(&e).copied().unwrap_or(0);
            let elements = (0..4).map(|e| (e, f(of(&m, e), of(&n, e))));
            let parts = elements
                .filter(|(_, c)| *c > 0)
                .map(|(e, c)| format!("{e}: {c}"));
            match joined(parts) {
                empty if empty.is_empty() => "{:}".to_string(),
                parts => format!("{{{parts}}}"),
            }
        };
        let within = m.iter().all(|(e, c)| n.get(e).is_some_and(|d| c <= d));
        let cases = [
            (op(B::Union, &[s.clone(), t.clone()]), combine(|x, y| x + y)),
            (
                op(B::Difference, &[s.clone(), t.clone()]),
                combine(u64::saturating_sub),
            ),
            (
                op(B::Intersection, &[s.clone(), t.clone()]),
                combine(u64::min),
            ),
            (
                op(B::LessEqual, &[s.clone(), t.clone()]),
                within.to_string(),
            ),
            (equal(&s, &t), (m == n).to_string()),
            (op(B::Size, &[s]), m.values().sum::<u64>().to_string()),
        ];
        for (term, expected) in cases {
            assert_eq!(
                spec.normal_form(&term),
                Ok(expected),
                "seed {seed}: {a:?} {b:?}"
            );
        }
    }
}

#[test]
fn random_updates_agree_with_ordered_maps() {
    for seed in 0..100 {
        let mut dice = Dice::new(seed);
        let mut spec = Spec::new();
        let n = spec.variable("n", Sort::Nat);
        let mut function = lambda(&[&n], &nat(0));
        let mut map = BTreeMap::new();
        for _ in 0..dice.roll(8) {
            let (place, value) = (dice.roll(4), dice.roll(3));
            function = update(&function, &nat(place), &nat(value));
            map.insert(place, value);
        }
        let updates: Vec<String> = map
            .iter()
            .rev()
            .filter(|(_, v)| **v != 0)
            .map(|(p, v)| format!("[{p} -> {v}]"))
            .collect();
        let lambda = if updates.is_empty() {
            "lambda n: Nat. 0"
        } else {
            "(lambda n: Nat. 0)"
        };
        let expected = format!("{lambda}{}", updates.concat());
        assert_eq!(spec.normal_form(&function), Ok(expected), "seed {seed}");
    }
}
