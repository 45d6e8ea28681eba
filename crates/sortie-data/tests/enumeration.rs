//! Solving conditions and deciding quantifiers: facts, and random conditions against brute force.

mod support;

use sortie_data::{Builtin as B, Env, EvalError, Sort};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use support::*;

#[test]
fn conditions_bound_numbers() {
    let mut spec = Spec::new();
    let (m, n) = (spec.variable("m", Sort::Nat), spec.variable("n", Sort::Nat));
    let below = |t: &T, k: u64| less(t, &nat(k));
    check_solutions(&spec, &[&n], &below(&n, 3), "0 1 2");
    check_solutions(&spec, &[&n], &equal(&n, &nat(3)), "3");
    let sum = below(&plus(&m, &n), 3);
    check_solutions(&spec, &[&m, &n], &sum, "0,0 0,1 0,2 1,0 1,1 2,0");
    let apart = or(&below(&n, 3), &equal(&n, &nat(7)));
    check_solutions(&spec, &[&n], &apart, "0 1 2 7");
    let set = fset(Sort::Nat, &[nat(2), nat(1)]);
    check_solutions(&spec, &[&n], &op(B::In, &[n.clone(), set]), "1 2");
    let ordered = and(&less(&m, &n), &below(&n, 3));
    check_solutions(&spec, &[&m, &n], &ordered, "0,1 0,2 1,2");
    let far = and(&less(&nat(1_000_000), &n), &below(&n, 1_000_003));
    check_solutions(&spec, &[&n], &far, "1000001 1000002");
    let twice = equal(&op(B::Times, &[nat(2), n.clone()]), &nat(6));
    check_solutions(&spec, &[&n], &twice, "3");
    let i = spec.variable("i", Sort::Int);
    let around = and(&less(&int(-3), &i), &less(&i, &int(2)));
    check_solutions(&spec, &[&i], &around, "-2 -1 0 1");
    let p = spec.variable("p", Sort::Pos);
    check_solutions(&spec, &[&p], &less(&p, &pos(3)), "1 2");
    check_solutions(
        &spec,
        &[&p],
        &equal(&cast(p.clone(), Sort::Nat), &nat(0)),
        "",
    );
}

#[test]
fn lists_and_recursive_sorts_are_pruned() {
    let mut spec = Spec::new();
    let l = spec.variable("l", Sort::List(Sort::Bool.into()));
    let short = less(&unary(B::Size, &l), &nat(2));
    check_solutions(&spec, &[&l], &short, "[] [true] [false]");

    let code = spec.sort("Instruction", true);
    let push = spec.constructor("push", vec![Sort::Nat], &code);
    let add = spec.constructor("add", vec![], &code);
    let seq = spec.constructor("seq", vec![code.clone(), code.clone()], &code);
    let valid = spec.map("valid", vec![code.clone()], Sort::Bool);
    let n = spec.variable("n", Sort::Nat);
    let (i, j) = (
        spec.variable("i", code.clone()),
        spec.variable("j", code.clone()),
    );
    spec.equation(&call(&valid, &[call1(&push, &n)]), &less(&n, &nat(2)));
    spec.equation(&call1(&valid, &add), &truth(true));
    let one = call(&push, &[nat(1)]);
    spec.equation(
        &call(&valid, &[call(&seq, &[i.clone(), j.clone()])]),
        &and(&equal(&i, &add), &equal(&j, &one)),
    );
    let expected = "push(0) push(1) add seq(add, push(1))";
    check_solutions(&spec, &[&i], &call1(&valid, &i), expected);
}

#[test]
fn finite_sorts_of_functions_and_sets() {
    let mut spec = Spec::new();
    let s = spec.variable("s", Sort::FSet(Sort::Bool.into()));
    check_solutions(
        &spec,
        &[&s],
        &truth(true),
        "{} {true} {false} {false, true}",
    );
    let f = spec.variable("f", Sort::function(vec![Sort::Bool], Sort::Bool));
    let found = spec.solutions(&[&f], &call(&f, &[truth(true)]));
    assert_eq!(found.expect("finite").len(), 2);
    let evaluator = spec.evaluator();
    assert!(evaluator.is_finite(&s.sort) && !evaluator.is_finite(&Sort::Nat));
    assert!(evaluator.is_enumerable(&Sort::Nat) && !evaluator.is_enumerable(&Sort::Real));
    let pairs = Sort::function(vec![Sort::Bool, Sort::Bool], Sort::Bool);
    assert_eq!(evaluator.elements(&pairs).expect("finite").len(), 16);
}

#[test]
fn what_cannot_be_enumerated_is_an_error() {
    let mut spec = Spec::new();
    let nat_to_bool = Sort::function(vec![Sort::Nat], Sort::Bool);
    let abstract_sort = spec.sort("D", false);
    for (sort, message) in [
        (
            Sort::Real,
            "Cannot enumerate elements of sort Real without constructors.",
        ),
        (
            abstract_sort,
            "Cannot enumerate elements of sort D without constructors.",
        ),
        (
            nat_to_bool,
            "Cannot enumerate elements of function sort Nat -> Bool.",
        ),
        (
            Sort::Set(Sort::Nat.into()),
            "Cannot enumerate elements of set sort Set(Nat).",
        ),
        (
            Sort::FSet(Sort::Nat.into()),
            "Cannot enumerate elements of finite set sort FSet(Nat).",
        ),
        (
            Sort::Bag(Sort::Nat.into()),
            "Cannot enumerate elements of bag sort Bag(Nat).",
        ),
        (
            Sort::FBag(Sort::Nat.into()),
            "Cannot enumerate elements of finite bag sort FBag(Nat).",
        ),
    ] {
        let x = spec.variable("x", sort);
        check_solutions(&spec, &[&x], &truth(true), message);
        check_solutions(&spec, &[&x], &truth(false), "");
    }
    let r = spec.variable("r", Sort::Real);
    let message = "Cannot enumerate elements of sort Real without constructors.";
    check_solutions(&spec, &[&r], &equal(&r, &ratio("3", "2")), message);
    let n = spec.variable("n", Sort::Nat);
    check_solutions(&spec, &[&n], &truth(true), "no condition bounds n: Nat");
    check_solutions(
        &spec,
        &[&n],
        &less(&nat(5), &n),
        "no condition bounds n: Nat",
    );
    let f = spec.map("f", vec![Sort::Nat], Sort::Bool);
    let stuck = and(&call1(&f, &n), &less(&n, &nat(2)));
    check_solutions(
        &spec,
        &[&n],
        &stuck,
        "does not rewrite to true or false. Culprit: f(0).",
    );
    let square = equal(&op(B::Times, &[n.clone(), n.clone()]), &plus(&n, &nat(1)));
    match spec.solutions(&[&n], &square) {
        Ok(found) => assert!(found.is_empty()),
        Err(error) => assert!(
            matches!(error, EvalError::EnumerationLimit { .. }),
            "{error}"
        ),
    }
}

#[test]
fn a_stuck_term_is_no_solution() {
    let mut spec = Spec::new();
    let (m, n) = (spec.variable("m", Sort::Nat), spec.variable("n", Sort::Nat));
    let before = cast(op(B::Minus, &[m.clone(), nat(1)]), Sort::Nat);
    let condition = and(&less(&m, &nat(3)), &equal(&n, &before));
    check_solutions(&spec, &[&m, &n], &condition, "Culprit: Int2Nat(-1).");
    let condition = and(&less(&nat(0), &m), &condition);
    check_solutions(&spec, &[&m, &n], &condition, "1,0 2,1");
    // Below one the condition is stuck, not false, so bounds must not hide it.
    let positive = and(&less(&m, &nat(3)), &less(&nat(0), &before));
    check_solutions(&spec, &[&m], &positive, "Culprit: 0 < Int2Nat(-1).");
}

#[test]
fn quantifiers() {
    let mut spec = Spec::new();
    let b = spec.variable("b", Sort::Bool);
    let n = spec.variable("n", Sort::Nat);
    check(&spec, &forall(&[&b], &b), "false");
    check(&spec, &exists(&[&b], &b), "true");
    check(&spec, &exists(&[&n], &equal(&n, &nat(400))), "true");
    let square = op(B::Times, &[n.clone(), n.clone()]);
    let root = exists(&[&n], &equal(&square, &nat(400)));
    check(&spec, &root, "exists n: Nat. n * n == 400");
    let implied = |k: u64| op(B::Implies, &[less(&n, &nat(3)), less(&n, &nat(k))]);
    check(&spec, &forall(&[&n], &implied(4)), "true");
    check(&spec, &forall(&[&n], &implied(2)), "false");
    check(&spec, &exists(&[&n], &less(&nat(5), &n)), "true");
    let large = exists(&[&n], &less(&nat(100), &n));
    check(&spec, &large, "exists n: Nat. 100 < n");
    let r = spec.variable("r", Sort::Real);
    let half = and(&equal(&r, &ratio("1", "2")), &less(&r, &ratio("1", "1")));
    check(&spec, &exists(&[&r], &half), "true");
    let f = spec.map("f", vec![Sort::Bool], Sort::Bool);
    check(&spec, &forall(&[&b], &call1(&f, &b)), "f(true) && f(false)");
    let g = spec.map("g", vec![Sort::Nat], Sort::Bool);
    check(
        &spec,
        &forall(&[&b, &n], &call1(&g, &n)),
        "forall n: Nat. g(n)",
    );
}

#[test]
fn quantifiers_over_infinite_sorts_take_ten_steps_at_most() {
    let mut spec = Spec::new();
    let m = spec.variable("m", Sort::Pos);
    let no_divisor = |n: u64| {
        let inside = and(&less(&pos(1), &m), &less(&m, &pos(n)));
        let divides = equal(&op(B::Mod, &[nat(n), m.clone()]), &nat(0));
        forall(&[&m], &op(B::Implies, &[inside, not(&divides)]))
    };
    check(&spec, &no_divisor(11), "true");
    check(&spec, &no_divisor(133), "false");
    let stuck = "forall m: Pos. 1 < m && m < 13 => !(13 mod m == 0)";
    check(&spec, &no_divisor(13), stuck);
}

#[test]
fn a_large_set_is_no_obstacle() {
    let mut spec = Spec::new();
    let n = spec.variable("n", Sort::Nat);
    let many: Vec<T> = (0..3000).map(|k| nat(k * k)).collect();
    let condition = op(B::In, &[n.clone(), fset(Sort::Nat, &many)]);
    let condition = and(&condition, &less(&n, &nat(10)));
    check_solutions(&spec, &[&n], &condition, "0 1 4 9");
}

#[test]
fn partial_terms_are_rewritten_when_their_variables_get_values() {
    let mut spec = Spec::new();
    let (m, n) = (spec.variable("m", Sort::Nat), spec.variable("n", Sort::Nat));
    let evaluator = spec.evaluator();
    let code = evaluator.compile(&plus(&m, &n).expr).expect("well-typed");
    let partial = evaluator
        .eval(&code, &mut Env::new())
        .expect("stuck is fine");
    assert_eq!(evaluator.print(partial), "m + n");
    let five = evaluator.compile(&nat(5).expr).expect("well-typed");
    let five = evaluator.eval(&five, &mut Env::new()).expect("a literal");
    let half = evaluator
        .substitute(partial, &variable_of(&m), five)
        .expect("total");
    assert_eq!(evaluator.print(half), "5 + n");
    let whole = evaluator
        .substitute(half, &variable_of(&n), five)
        .expect("total");
    assert_eq!(evaluator.print(whole), "10");
}

#[test]
fn every_inhabited_sort_has_a_default() {
    let mut spec = Spec::new();
    let tree = spec.sort("Tree", true);
    spec.constructor("node", vec![tree.clone(), tree.clone()], &tree);
    spec.constructor("leaf", vec![Sort::Pos], &tree);
    let opaque = spec.sort("Opaque", false);
    let empty = spec.sort("Empty", false);
    spec.map("some", vec![], opaque.clone());
    let evaluator = spec.evaluator();
    let default = |sort: &Sort| evaluator.default_value(sort).map(|t| evaluator.print(t));
    assert_eq!(default(&tree), Ok("leaf(1)".into()));
    assert_eq!(default(&opaque), Ok("some".into()));
    assert_eq!(default(&Sort::Bool), Ok("false".into()));
    assert_eq!(default(&Sort::List(tree.into())), Ok("[]".into()));
    assert!(
        default(&empty)
            .unwrap_err()
            .to_string()
            .contains("sort Empty")
    );
}

/// Conditions over `m, n <= 4`, `-3 <= i <= 3`, a constant `d` and a truth value `b`.
fn random_condition(
    dice: &mut Dice,
    variables: &[T],
    constants: &[T],
    function: &T,
    depth: u64,
) -> T {
    let [m, n, i, d, b] = variables else {
        panic!("five variables");
    };
    if depth > 0 && dice.roll(3) > 0 {
        let left = random_condition(dice, variables, constants, function, depth - 1);
        let right = random_condition(dice, variables, constants, function, depth - 1);
        return match dice.roll(5) {
            0 => or(&left, &right),
            1 => not(&left),
            2 => op(B::Implies, &[left, right]),
            3 => equal(&left, &right),
            _ => and(&left, &right),
        };
    }
    let k = nat(dice.roll(6));
    match dice.roll(15) {
        12 => less(m, n),
        13 => not(&less(&plus(n, &k), m)),
        14 => less(i, &op(B::Minus, &[m.clone(), n.clone()])),
        10 => call(function, &[m.clone(), n.clone()]),
        11 => call(function, &[n.clone(), k]),
        0 => less(m, &k),
        1 => equal(n, &k),
        2 => less(&plus(m, n), &k),
        3 => equal(&op(B::Minus, &[m.clone(), n.clone()]), i),
        4 => op(B::LessEqual, &[i.clone(), cast(k, Sort::Int)]),
        5 => equal(d, dice.pick(constants)),
        6 => b.clone(),
        7 => less(&op(B::Times, &[nat(2), n.clone()]), &plus(m, &k)),
        8 => op(B::In, &[n.clone(), fset(Sort::Nat, &[k, nat(1)])]),
        _ => equal(&op(B::If, &[b.clone(), m.clone(), k]), n),
    }
}

#[test]
fn random_conditions_agree_with_brute_force() {
    for seed in 0..250 {
        let mut dice = Dice::new(seed);
        let mut spec = Spec::new();
        let (sort, constants) = spec.constants("D", &["a", "b"]);
        let variables = [
            spec.variable("m", Sort::Nat),
            spec.variable("n", Sort::Nat),
            spec.variable("i", Sort::Int),
            spec.variable("d", sort),
            spec.variable("v", Sort::Bool),
        ];
        let [m, n, i, _, _] = &variables;
        let odd = spec.map("odd", vec![Sort::Nat; 2], Sort::Bool);
        let (x, y) = (spec.variable("x", Sort::Nat), spec.variable("y", Sort::Nat));
        let remainder = op(B::Mod, &[plus(&x, &y), pos(2)]);
        spec.equation(&call(&odd, &[x, y]), &equal(&remainder, &nat(1)));
        let mut condition = random_condition(&mut dice, &variables, &constants, &odd, 3);
        for bound in [
            less(m, &nat(5)),
            less(n, &nat(5)),
            less(&int(-4), i),
            less(i, &int(4)),
        ] {
            condition = and(&condition, &bound);
        }
        let evaluator = spec.evaluator();
        let code = evaluator.compile(&condition.expr).expect("well-typed");
        let ids: Vec<_> = variables.iter().map(variable_of).collect();

        let constant = |t: &T| {
            let code = evaluator.compile(&t.expr).expect("well-typed");
            evaluator.eval(&code, &mut Env::new()).expect("a literal")
        };
        let nats: Vec<_> = (0..5).map(|k| constant(&nat(k))).collect();
        let ints: Vec<_> = (-3..4).map(|k| constant(&int(k))).collect();
        let names: Vec<_> = constants.iter().map(constant).collect();
        let truths = [constant(&truth(true)), constant(&truth(false))];
        let domains = [&nats[..], &nats[..], &ints[..], &names[..], &truths[..]];
        let mut expected = BTreeSet::new();
        let total: usize = domains.iter().map(|d| d.len()).product();
        for mut number in 0..total {
            let mut env = Env::new();
            let mut chosen = Vec::new();
            for (domain, variable) in domains.iter().zip(&ids) {
                let value = domain[number % domain.len()];
                number /= domain.len();
                env.bind(variable.id, value);
                chosen.push(evaluator.print(value));
            }
            let value = evaluator.eval(&code, &mut env).expect("total");
            if value.as_bool().expect("closed conditions are decided") {
                expected.insert(chosen);
            }
        }

        let mut found = BTreeSet::new();
        let result = evaluator.solve(&ids, &code, &mut Env::new(), &mut |values| {
            let values: Vec<String> = values.iter().map(|v| evaluator.print(*v)).collect();
            assert!(
                found.insert(values.clone()),
                "seed {seed}: {values:?} twice"
            );
            ControlFlow::Continue(())
        });
        assert_eq!(result, Ok(()), "seed {seed}: {condition:?}");
        assert_eq!(found, expected, "seed {seed}: {condition:?}");

        for _ in 0..8 {
            let mut env = Env::new();
            let mut known = Vec::new();
            for (domain, variable) in domains.iter().zip(&ids) {
                let value = domain[dice.roll(domain.len() as u64) as usize];
                let value = (dice.roll(2) == 0).then_some(value);
                if let Some(value) = value {
                    env.bind(variable.id, value);
                }
                known.push(value);
            }
            let places: Vec<usize> = (0..5).filter(|place| known[*place].is_none()).collect();
            let unknown: Vec<_> = places.iter().map(|place| ids[*place].clone()).collect();
            let mut found = BTreeSet::new();
            let result = evaluator.solve(&unknown, &code, &mut env, &mut |values| {
                let mut all = known.clone();
                for (place, value) in places.iter().zip(values) {
                    all[*place] = Some(*value);
                }
                let all = all.into_iter().flatten();
                found.insert(all.map(|v| evaluator.print(v)).collect::<Vec<_>>());
                ControlFlow::Continue(())
            });
            let fits = |solution: &&Vec<String>| {
                let mut pairs = solution.iter().zip(&known);
                pairs.all(|(s, k)| k.is_none_or(|k| evaluator.print(k) == *s))
            };
            let expected: BTreeSet<_> = expected.iter().filter(fits).cloned().collect();
            assert_eq!(result, Ok(()), "seed {seed}: {condition:?}");
            assert_eq!(found, expected, "seed {seed}, {known:?}: {condition:?}");
        }
    }
}

/// The solutions when some variables have values.
#[track_caller]
fn check_with(spec: &Spec, known: &[(&T, T)], unknown: &[&T], condition: &T, expected: &str) {
    let evaluator = spec.evaluator();
    let mut env = Env::new();
    for (variable, value) in known {
        let code = evaluator.compile(&value.expr).expect("well-typed");
        let value = evaluator.eval(&code, &mut Env::new()).expect("a value");
        env.bind(variable_of(variable).id, value);
    }
    let code = evaluator.compile(&condition.expr).expect("well-typed");
    let unknown: Vec<_> = unknown.iter().map(|v| variable_of(v)).collect();
    let mut found = Vec::new();
    let solved = evaluator.solve(&unknown, &code, &mut env, &mut |values| {
        let values: Vec<String> = values.iter().map(|v| evaluator.print(*v)).collect();
        found.push(values.join(","));
        ControlFlow::Continue(())
    });
    match solved {
        Ok(()) => assert_eq!(found.join(" "), expected),
        Err(error) => assert!(error.to_string().contains(expected), "{error}"),
    }
}

#[test]
fn bounds_may_be_known_values() {
    let mut spec = Spec::new();
    let l = spec.variable("l", Sort::List(Sort::Nat.into()));
    let (i, j) = (spec.variable("i", Sort::Nat), spec.variable("j", Sort::Pos));
    let inside = less(&i, &unary(B::Size, &l));
    let beside = op(B::LessEqual, &[cast(j.clone(), Sort::Nat), i.clone()]);
    let condition = and(&and(&inside, &beside), &less(&nat(1), &i));
    let numbers = |count: u64| list(Sort::Nat, &(0..count).map(nat).collect::<Vec<_>>());
    let check = |count: u64, expected: &str| {
        check_with(
            &spec,
            &[(&l, numbers(count))],
            &[&i, &j],
            &condition,
            expected,
        );
    };
    check(0, "");
    check(4, "2,1 2,2 3,1 3,2 3,3");
    check(1, "");
}

#[test]
fn known_values_are_taken_apart() {
    let mut spec = Spec::new();
    let sort = spec.sort("Message", true);
    let pair = spec.constructor("pair", vec![Sort::Nat, Sort::Bool], &sort);
    let none = spec.constructor("none", vec![], &sort);
    let m = spec.variable("m", sort.clone());
    let (n, b) = (
        spec.variable("n", Sort::Nat),
        spec.variable("b", Sort::Bool),
    );
    let fits = equal(&m, &call(&pair, &[n.clone(), b.clone()]));
    let value = |k: u64| call(&pair, &[nat(k), truth(false)]);
    check_with(&spec, &[(&m, value(7))], &[&n, &b], &fits, "7,false");
    check_with(&spec, &[(&m, none)], &[&n, &b], &fits, "");
    let small = and(&fits, &less(&n, &nat(5)));
    check_with(&spec, &[(&m, value(7))], &[&n, &b], &small, "");
    check_with(&spec, &[(&m, value(3))], &[&n, &b], &small, "3,false");
    let twice = equal(&m, &call(&pair, &[plus(&n, &n), b.clone()]));
    let twice = and(&twice, &less(&n, &nat(5)));
    check_with(&spec, &[(&m, value(6))], &[&n, &b], &twice, "3,false");

    let numbers = Sort::List(Sort::Nat.into());
    let (l, r) = (
        spec.variable("l", numbers.clone()),
        spec.variable("r", numbers),
    );
    let cons = |head: &T, tail: &T| op(B::Cons, &[head.clone(), tail.clone()]);
    let split = equal(&cons(&n, &cons(&n, &r)), &l);
    let same = list(Sort::Nat, &[nat(2), nat(2), nat(3)]);
    check_with(&spec, &[(&l, same)], &[&n, &r], &split, "2,[3]");
    let other = list(Sort::Nat, &[nat(2), nat(3)]);
    check_with(&spec, &[(&l, other)], &[&n, &r], &split, "");
    let stuck = unary(B::Tail, &list(Sort::Nat, &[]));
    check_with(&spec, &[(&l, stuck)], &[&n, &r], &split, "tail([])");
}

#[test]
fn a_quantifier_may_be_part_of_its_own_domain() {
    let mut spec = Spec::new();
    let f = spec.map("f", vec![Sort::Nat], Sort::Bool);
    let (m, n) = (spec.variable("m", Sort::Nat), spec.variable("n", Sort::Nat));
    let one = plus(&nat(1), &op(B::Mod, &[m.clone(), pos(1)]));
    let range = and(&less(&nat(1), &n), &less(&m, &nat(3)));
    let witness = exists(&[&m], &and(&range, &not(&call1(&f, &one))));
    spec.conditional(&less(&n, &nat(5)), &call1(&f, &n), &witness);
    check(&spec, &call1(&f, &nat(3)), "true");
    check(&spec, &call1(&f, &nat(1)), "false");
    check(&spec, &call1(&f, &nat(7)), "f(7)");
}

#[test]
fn threads_find_the_same_solutions_in_the_same_order() {
    let mut spec = Spec::new();
    let (sort, constants) = spec.constants("D", &["a", "b", "c"]);
    let weight = spec.map("weight", vec![sort.clone()], Sort::Nat);
    for (constant, value) in constants.iter().zip([2, 0, 1]) {
        spec.equation(&call1(&weight, constant), &nat(value));
    }
    let (x, y) = (spec.variable("x", sort.clone()), spec.variable("y", sort));
    let (k, n) = (spec.variable("k", Sort::Nat), spec.variable("n", Sort::Nat));
    let heavier = less(&call1(&weight, &x), &call1(&weight, &y));
    let bounded = less(&n, &plus(&k, &call1(&weight, &x)));
    let condition = and(&heavier, &bounded);
    let evaluator = spec.evaluator();
    let code = evaluator.compile(&condition.expr).expect("well-typed");
    let ids: Vec<_> = [&x, &y, &n].map(variable_of).into();
    let numbers: Vec<_> = (0..6)
        .map(|value| {
            let code = evaluator.compile(&nat(value).expr).expect("well-typed");
            evaluator.eval(&code, &mut Env::new()).expect("a literal")
        })
        .collect();
    let run = || -> Vec<String> {
        let mut found = Vec::new();
        for number in &numbers {
            let mut env = Env::new();
            env.bind(variable_of(&k).id, *number);
            let solved = evaluator.solve(&ids, &code, &mut env, &mut |values| {
                let values: Vec<String> = values.iter().map(|v| evaluator.print(*v)).collect();
                found.push(values.join(","));
                ControlFlow::Continue(())
            });
            assert_eq!(solved, Ok(()));
        }
        found
    };
    let all: Vec<Vec<String>> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..4).map(|_| scope.spawn(run)).collect();
        let join = |worker: std::thread::ScopedJoinHandle<_>| worker.join().expect("no panic");
        workers.into_iter().map(join).collect()
    });
    assert!(all.windows(2).all(|pair| pair[0] == pair[1]));
    // For each k: twice b is the lighter (n < k), once c is (n < k + 1).
    let expected: usize = (0..6).map(|k| 2 * k + (k + 1)).sum();
    assert_eq!(all[0].len(), expected);
}
