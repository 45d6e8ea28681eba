//! Arithmetic: the facts of the language, and random values against exact libraries.

mod support;

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::Signed;
use sortie_data::{Builtin as B, Sort};
use support::*;

#[track_caller]
fn value(term: T, expected: &str) {
    check(&Spec::new(), &term, expected);
}

fn real(text: &str) -> T {
    cast(number(text), Sort::Real)
}

#[test]
fn division_rounds_down_and_remainders_are_natural() {
    value(op(B::Div, &[int(-7), pos(2)]), "-4");
    value(op(B::Mod, &[int(-7), pos(2)]), "1");
    value(op(B::Div, &[nat(7), pos(2)]), "3");
    value(op(B::Divide, &[pos(4), pos(2)]), "2");
    value(ratio("1", "3"), "1 / 3");
    value(ratio("-1", "2"), "-1 / 2");
    value(ratio("5", "0"), "5 / 0");
}

#[test]
fn powers() {
    value(op(B::Exp, &[nat(0), nat(0)]), "1");
    value(op(B::Exp, &[real("2"), int(-1)]), "1 / 2");
    value(op(B::Exp, &[real("0"), int(-1)]), "exp(0, -1)");
    value(
        op(B::Exp, &[pos(2), nat(100)]),
        "1267650600228229401496703205376",
    );
    value(op(B::Exp, &[ratio("2", "3"), int(-2)]), "9 / 4");
    value(
        op(B::Exp, &[pos(3), nat(1 << 40)]),
        "exp yields a number too large",
    );
}

#[test]
fn rounding() {
    value(op(B::Round, &[ratio("-1", "2")]), "0");
    value(op(B::Round, &[ratio("5", "2")]), "3");
    value(op(B::Floor, &[ratio("-1", "2")]), "-1");
    value(op(B::Ceil, &[ratio("1", "2")]), "1");
    value(op(B::Sqrt, &[nat(17)]), "4");
    value(op(B::Abs, &[int(-3)]), "3");
    value(op(B::Abs, &[ratio("-1", "3")]), "1 / 3");
    value(op(B::Pred, &[nat(0)]), "-1");
    value(op(B::Pred, &[pos(1)]), "0");
    value(op(B::Succ, &[nat(0)]), "1");
    value(op(B::Max, &[int(-3), int(2)]), "2");
    value(op(B::Min, &[int(-3), int(2)]), "-3");
}

#[test]
fn casts_that_do_not_fit_are_stuck() {
    value(cast(nat(0), Sort::Pos), "Nat2Pos(0)");
    value(cast(int(-1), Sort::Nat), "Int2Nat(-1)");
    value(cast(int(0), Sort::Pos), "Nat2Pos(0)");
    value(cast(ratio("1", "2"), Sort::Int), "Real2Int(1 / 2)");
    value(cast(real("-1"), Sort::Nat), "Int2Nat(-1)");
    value(cast(real("3"), Sort::Nat), "3");
}

#[test]
fn stuck_arithmetic_keeps_its_shape() {
    let mut spec = Spec::new();
    let f = spec.map("f", vec![Sort::Nat], Sort::Nat);
    let x = call(&f, &[nat(1)]);
    check(&spec, &plus(&x, &nat(1)), "f(1) + 1");
    check(&spec, &plus(&x, &nat(0)), "f(1)");
    check(
        &spec,
        &op(B::Times, &[plus(&x, &nat(1)), nat(2)]),
        "(f(1) + 1) * 2",
    );
    check(&spec, &op(B::Greater, &[x.clone(), nat(3)]), "3 < f(1)");
    check(&spec, &op(B::GreaterEqual, &[x.clone(), nat(0)]), "true");
    check(
        &spec,
        &op(B::NotEqual, &[x.clone(), nat(0)]),
        "!(f(1) == 0)",
    );
    let there_and_back = cast(cast(x.clone(), Sort::Int), Sort::Nat);
    check(&spec, &equal(&there_and_back, &x), "true");
    check(
        &spec,
        &op(B::Max, &[x.clone(), nat(2)]),
        "if(f(1) <= 2, 2, f(1))",
    );
}

/// Values around the borders of the inline, machine and big representations.
fn interesting(dice: &mut Dice) -> BigInt {
    let borders = [
        "0",
        "1",
        "268435455",
        "9223372036854775807",
        "18446744073709551616",
    ];
    let border: BigInt = dice.pick(&borders).parse().expect("digits");
    let near = border + BigInt::from(dice.roll(5)) - BigInt::from(2);
    match dice.roll(3) {
        0 => near,
        1 => -near,
        _ => BigInt::from(dice.roll(1 << 20)),
    }
}

#[test]
fn integers_agree_with_big_integers() {
    let spec = Spec::new();
    for seed in 0..400 {
        let mut dice = Dice::new(seed);
        let (a, b) = (interesting(&mut dice), interesting(&mut dice));
        let term = |v: &BigInt| cast(number(&v.to_string()), Sort::Int);
        let positive = b.abs() + BigInt::from(1);
        let by = number(&positive.to_string());
        let cases = [
            (op(B::Plus, &[term(&a), term(&b)]), &a + &b),
            (op(B::Minus, &[term(&a), term(&b)]), &a - &b),
            (op(B::Times, &[term(&a), term(&b)]), &a * &b),
            (op(B::Negate, &[term(&a)]), -&a),
            (op(B::Div, &[term(&a), by.clone()]), a.div_floor(&positive)),
            (op(B::Mod, &[term(&a), by]), a.mod_floor(&positive)),
            (op(B::Max, &[term(&a), term(&b)]), a.clone().max(b.clone())),
            (op(B::Abs, &[term(&a)]), a.abs()),
        ];
        for (term, expected) in cases {
            let printed = spec.normal_form(&term).expect("arithmetic is total here");
            assert_eq!(printed, expected.to_string(), "seed {seed}: {term:?}");
        }
        let printed = spec.normal_form(&less(&term(&a), &term(&b)));
        assert_eq!(printed, Ok((a < b).to_string()), "seed {seed}: {a} < {b}");
    }
}

#[test]
fn reals_agree_with_rationals() {
    let spec = Spec::new();
    for seed in 0..200 {
        let mut dice = Dice::new(seed);
        let mut draw = || {
            let denominator = interesting(&mut dice).abs() + BigInt::from(1);
            (interesting(&mut dice), denominator)
        };
        let ((a, b), (c, d)) = (draw(), draw());
        let (x, y) = (
            BigRational::new(a.clone(), b.clone()),
            BigRational::new(c.clone(), d.clone()),
        );
        let term = |n: &BigInt, d: &BigInt| ratio(&n.to_string(), &d.to_string());
        let (s, t) = (term(&a, &b), term(&c, &d));
        let print = |v: BigRational| match v.is_integer() {
            true => v.to_integer().to_string(),
            false => format!("{} / {}", v.numer(), v.denom()),
        };
        let cases = [
            (op(B::Plus, &[s.clone(), t.clone()]), print(&x + &y)),
            (op(B::Minus, &[s.clone(), t.clone()]), print(&x - &y)),
            (op(B::Times, &[s.clone(), t.clone()]), print(&x * &y)),
            (unary(B::Floor, &s), x.floor().to_integer().to_string()),
            (less(&s, &t), (x < y).to_string()),
            (equal(&s, &t), (x == y).to_string()),
        ];
        for (term, expected) in cases {
            assert_eq!(
                spec.normal_form(&term),
                Ok(expected),
                "seed {seed}: {x} {y}"
            );
        }
    }
}
