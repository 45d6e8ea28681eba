//! Rewriting with equations: which rule wins, laziness, stuck terms, limits.

mod support;

use sortie_data::{Builtin as B, Evaluator, Limits, Sort};
use support::*;

fn nat_function(spec: &mut Spec, arity: usize) -> T {
    spec.map("f", vec![Sort::Nat; arity], Sort::Nat)
}

#[test]
fn a_rule_that_needs_nothing_comes_first() {
    let mut spec = Spec::new();
    let f = nat_function(&mut spec, 1);
    let x = spec.variable("x", Sort::Nat);
    spec.equation(&call(&f, &[nat(1)]), &nat(2));
    spec.equation(&call(&f, &[x]), &nat(1));
    check(&spec, &call(&f, &[nat(1)]), "1");
}

#[test]
fn a_condition_makes_a_rule_come_later() {
    let mut spec = Spec::new();
    let f = nat_function(&mut spec, 2);
    let (x, y) = (spec.variable("x", Sort::Nat), spec.variable("y", Sort::Nat));
    let lhs = call(&f, &[x.clone(), y.clone()]);
    spec.conditional(&less(&x, &y), &lhs, &nat(1));
    spec.equation(&lhs, &nat(2));
    check(&spec, &call(&f, &[nat(3), nat(5)]), "2");
}

#[test]
fn a_variable_used_twice_at_the_right_is_needed() {
    let mut spec = Spec::new();
    let f = nat_function(&mut spec, 1);
    let x = spec.variable("x", Sort::Nat);
    let lhs = call1(&f, &x);
    spec.conditional(&less(&x, &nat(5)), &lhs, &nat(1));
    spec.equation(&lhs, &plus(&x, &x));
    check(&spec, &call(&f, &[nat(3)]), "1");
    check(&spec, &call(&f, &[nat(6)]), "12");
}

#[test]
fn non_linear_rules_come_after_linear_ones() {
    let mut spec = Spec::new();
    let f = spec.map("f", vec![Sort::Nat; 2], Sort::Bool);
    let (x, y) = (spec.variable("x", Sort::Nat), spec.variable("y", Sort::Nat));
    spec.equation(&call(&f, &[x.clone(), x.clone()]), &truth(true));
    spec.equation(&call(&f, &[x, y]), &truth(false));
    check(&spec, &call(&f, &[nat(3), nat(3)]), "false");
}

#[test]
fn the_first_of_equally_wanted_arguments_is_evaluated_first() {
    for flip in [false, true] {
        let mut spec = Spec::new();
        let f = nat_function(&mut spec, 2);
        let (x, y) = (spec.variable("x", Sort::Nat), spec.variable("y", Sort::Nat));
        let mut rules = [
            (call(&f, &[x, nat(2)]), nat(20)),
            (call(&f, &[nat(1), y]), nat(10)),
        ];
        if flip {
            rules.reverse();
        }
        for (lhs, rhs) in &rules {
            spec.equation(lhs, rhs);
        }
        check(&spec, &call(&f, &[nat(1), nat(2)]), "10");
        check(&spec, &call(&f, &[nat(3), nat(2)]), "20");
        check(&spec, &call(&f, &[nat(3), nat(3)]), "f(3, 3)");
    }
}

#[test]
fn patterns_that_are_not_normal_forms_never_match() {
    let mut spec = Spec::new();
    let f = nat_function(&mut spec, 1);
    let c = spec.map("c", vec![], Sort::Nat);
    let n = spec.variable("n", Sort::Nat);
    let p = spec.variable("p", Sort::Pos);
    spec.equation(&c, &nat(1));
    spec.equation(&call(&f, &[nat(0)]), &nat(7));
    spec.equation(&call(&f, &[plus(&n, &nat(1))]), &n);
    spec.equation(&call(&f, &[cast(unary(B::Succ, &n), Sort::Nat)]), &n);
    spec.equation(
        &call(&f, &[cast(p.clone(), Sort::Nat)]),
        &cast(p, Sort::Nat),
    );
    spec.equation(&call1(&f, &c), &nat(9));
    check(&spec, &call(&f, &[nat(0)]), "7");
    check(&spec, &call(&f, &[nat(5)]), "f(5)");
    check(&spec, &call(&f, &[c]), "f(1)");
}

#[test]
fn lists_constructors_and_free_maps_are_patterns() {
    let mut spec = Spec::new();
    let (d, values) = spec.constants("D", &["a", "b"]);
    let free = spec.map("free", vec![Sort::Nat], d.clone());
    let (f, g) = (
        spec.map("f", vec![Sort::List(d.clone().into())], Sort::Nat),
        spec.map("g", vec![d.clone()], Sort::Nat),
    );
    let (x, l) = (
        spec.variable("x", d.clone()),
        spec.variable("l", Sort::List(d.clone().into())),
    );
    let n = spec.variable("n", Sort::Nat);
    spec.equation(&call(&f, &[list(d.clone(), &[])]), &nat(0));
    let cons = op(B::Cons, &[x.clone(), l.clone()]);
    let rest = call(&f, &[l]);
    spec.equation(&call(&f, &[cons]), &plus(&call(&g, &[x]), &rest));
    spec.equation(&call(&g, &[values[0].clone()]), &nat(1));
    spec.equation(&call(&g, &[call1(&free, &n)]), &n);
    let elements = [
        values[0].clone(),
        call(&free, &[nat(40)]),
        values[0].clone(),
    ];
    check(&spec, &call(&f, &[list(d.clone(), &elements)]), "42");
    check(&spec, &call(&g, &[values[1].clone()]), "g(b)");
}

#[test]
fn unneeded_arguments_are_not_evaluated() {
    let mut spec = Spec::new();
    spec.steps = Some(20_000);
    let g = spec.map("g", vec![Sort::Nat], Sort::Nat);
    let h = spec.map("h", vec![Sort::Nat, Sort::Nat], Sort::Nat);
    let endless = spec.map("endless", vec![Sort::Nat], Sort::Nat);
    let truth_for_ever = spec.map("always", vec![Sort::Nat], Sort::Bool);
    let (x, y) = (spec.variable("x", Sort::Nat), spec.variable("y", Sort::Nat));
    spec.equation(&call1(&g, &x), &nat(3));
    spec.equation(&call(&h, &[nat(0), y.clone()]), &nat(0));
    spec.equation(&call(&h, &[nat(1), y.clone()]), &y);
    spec.equation(&call1(&endless, &x), &call(&endless, &[plus(&x, &nat(1))]));
    spec.equation(
        &call1(&truth_for_ever, &x),
        &call(&truth_for_ever, &[plus(&x, &nat(1))]),
    );
    let (loops, loops_too) = (call(&endless, &[nat(0)]), call(&truth_for_ever, &[nat(0)]));
    check(&spec, &call1(&g, &loops), "3");
    check(&spec, &call(&h, &[nat(0), loops.clone()]), "0");
    check(&spec, &call(&h, &[nat(1), nat(5)]), "5");
    check(
        &spec,
        &op(B::If, &[truth(true), nat(1), loops.clone()]),
        "1",
    );
    check(&spec, &and(&truth(false), &loops_too), "false");
    check(&spec, &or(&truth(true), &loops_too), "true");
    check(
        &spec,
        &op(B::Implies, &[truth(false), loops_too.clone()]),
        "true",
    );
    check(&spec, &and(&loops_too, &truth(false)), "last in always");
    check(&spec, &loops, "more than 20000 steps, last in endless");
}

#[test]
fn rules_for_fewer_arguments_and_for_applied_heads() {
    let mut spec = Spec::new();
    let nat_to_nat = Sort::function(vec![Sort::Nat], Sort::Nat);
    let f = spec.map("f", vec![Sort::Nat], Sort::Nat);
    let x = spec.variable("x", Sort::Nat);
    spec.equation(&f, &lambda(&[&x], &plus(&x, &nat(1))));
    spec.equation(&call1(&f, &x), &nat(0));
    check(&spec, &call(&f, &[nat(3)]), "4");

    let z = spec.map("z", vec![Sort::Nat], Sort::Nat);
    let upd = spec.map(
        "upd",
        vec![Sort::Nat, Sort::Nat, nat_to_nat.clone()],
        nat_to_nat.clone(),
    );
    let (a, b, g) = (
        spec.variable("a", Sort::Nat),
        spec.variable("b", Sort::Nat),
        spec.variable("g", nat_to_nat),
    );
    let updated = call(&upd, &[a.clone(), b.clone(), g.clone()]);
    let lhs = call1(&updated, &x);
    spec.conditional(&equal(&x, &a), &lhs, &b);
    spec.conditional(&not(&equal(&x, &a)), &lhs, &call(&g, &[x]));
    let once = call(&upd, &[nat(1), nat(2), z.clone()]);
    let twice = call(&upd, &[nat(5), nat(6), once.clone()]);
    check(&spec, &once, "upd(1, 2, z)");
    check(&spec, &call(&twice, &[nat(1)]), "2");
    check(&spec, &call(&twice, &[nat(3)]), "z(3)");
}

#[test]
fn equations_for_predefined_functions() {
    let mut spec = Spec::new();
    let x = spec.variable("x", Sort::List(Sort::Nat.into()));
    let empty = list(Sort::Nat, &[]);
    spec.conditional(
        &equal(&x, &empty),
        &unary(B::Tail, &x),
        &list(Sort::Nat, &[nat(7)]),
    );
    check(&spec, &op(B::Tail, &[empty]), "[7]");

    let s = spec.sort("S", false);
    let (a, b) = (
        spec.constructor("a", vec![], &s),
        spec.constructor("b", vec![], &s),
    );
    check(&spec, &equal(&a, &b), "a == b");
    spec.equation(&equal(&a, &b), &truth(false));
    check(&spec, &equal(&a, &b), "false");
    check(&spec, &equal(&b, &a), "b == a");
    check(&spec, &less(&a, &a), "false");
    check(&spec, &less(&a, &b), "a < b");
}

#[test]
fn rules_with_stray_variables_are_ignored() {
    let mut spec = Spec::new();
    let f = nat_function(&mut spec, 1);
    let (x, y) = (spec.variable("x", Sort::Nat), spec.variable("y", Sort::Nat));
    spec.equation(&call(&f, &[x]), &y);
    check(&spec, &call(&f, &[nat(1)]), "f(1)");
    let ignored = spec.evaluator().ignored_equations().to_vec();
    assert_eq!(ignored.len(), 1);
    assert!(ignored[0].1.contains("variable y"));
}

#[test]
fn whr_binds_simultaneously() {
    let mut spec = Spec::new();
    let (x, y) = (spec.variable("x", Sort::Pos), spec.variable("y", Sort::Pos));
    let inner = whr(
        &op(B::Times, &[x.clone(), y.clone()]),
        &[(&x, pos(3)), (&y, pos(4))],
    );
    check(&spec, &inner, "12");
}

/// `count_down(n)` recurses `n` deep; the list it yields is as long.
fn deep_specification() -> (Spec, T, T) {
    let mut spec = Spec::new();
    let numbers = Sort::List(Sort::Nat.into());
    let count_down = spec.map("count_down", vec![Sort::Nat], numbers.clone());
    let length = spec.map("length", vec![numbers.clone()], Sort::Nat);
    let (n, l) = (spec.variable("n", Sort::Nat), spec.variable("l", numbers));
    spec.equation(&call(&count_down, &[nat(0)]), &list(Sort::Nat, &[]));
    let before = cast(op(B::Minus, &[n.clone(), nat(1)]), Sort::Nat);
    spec.conditional(
        &less(&nat(0), &n),
        &call1(&count_down, &n),
        &op(B::Cons, &[n.clone(), call(&count_down, &[before])]),
    );
    spec.equation(&call(&length, &[list(Sort::Nat, &[])]), &nat(0));
    spec.equation(
        &call(&length, &[op(B::Cons, &[n, l.clone()])]),
        &plus(&nat(1), &call(&length, &[l])),
    );
    (spec, count_down, length)
}

#[test]
fn deep_recursion_and_long_lists_work() {
    let (spec, count_down, length) = deep_specification();
    let long = call(&count_down, &[nat(100_000)]);
    check(&spec, &call1(&length, &long), "100000");
    let longer = op(B::Concat, &[long.clone(), long.clone()]);
    check(&spec, &op(B::Size, &[longer]), "200000");
    check(
        &spec,
        &equal(&long, &op(B::Snoc, &[unary(B::Rtail, &long), nat(1)])),
        "true",
    );
    assert!(
        spec.normal_form(&long)
            .expect("a value")
            .starts_with("[100000, 99999, ")
    );
}

#[test]
fn limits_end_in_errors_that_name_the_function() {
    let (spec, count_down, _) = deep_specification();
    let limits = Limits {
        depth: 1000,
        ..Limits::default()
    };
    let evaluator = Evaluator::with_limits(&spec.signature, limits).expect("well-typed");
    let code = evaluator
        .compile(&call(&count_down, &[nat(5000)]).expr)
        .expect("well-typed");
    let error = evaluator.eval(&code, &mut Default::default()).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("deeper than 1000 levels, last in count_down"),
        "{error}"
    );

    let mut spec = Spec::new();
    let circular = spec.map("circular", vec![], Sort::Nat);
    spec.equation(&circular, &plus(&circular, &nat(1)));
    check(&spec, &circular, "circular");
}

#[test]
fn what_is_remembered_does_not_move_the_limits() {
    let (spec, count_down, length) = deep_specification();
    let of = |n: u64| call1(&length, &call(&count_down, &[nat(n)]));
    let normal_forms = |limits: Limits, terms: &[T]| -> Vec<String> {
        let evaluator = Evaluator::with_limits(&spec.signature, limits).expect("well-typed");
        let print = |term: &T| {
            let code = evaluator.compile(&term.expr).expect("well-typed");
            match evaluator.eval(&code, &mut Default::default()) {
                Ok(value) => evaluator.print(value),
                Err(error) => error.to_string(),
            }
        };
        terms.iter().map(print).collect()
    };
    let steps = Limits {
        steps: 500,
        ..Limits::default()
    };
    let twice = plus(&of(100), &of(100));
    let thrice = plus(&of(100), &twice);
    let found = normal_forms(steps, &[of(100), twice, thrice.clone()]);
    assert_eq!(found[..2], ["100", "200"]);
    assert!(found[2].contains("more than 500 steps"), "{}", found[2]);
    assert_eq!(normal_forms(steps, &[thrice])[0], found[2]);

    let depth = Limits {
        depth: 120,
        ..Limits::default()
    };
    let nested = (0..60).fold(of(50), |inner, _| plus(&nat(1), &unary(B::Succ, &inner)));
    let found = normal_forms(depth, &[of(50), nested.clone()]);
    assert_eq!(found[0], "50");
    assert!(found[1].contains("deeper than 120 levels"), "{}", found[1]);
    assert_eq!(normal_forms(depth, &[nested])[0], found[1]);
}
