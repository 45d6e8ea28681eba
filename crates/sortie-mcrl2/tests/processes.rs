//! Facts about processes: how operators group, what calls mean, and which specifications can be explored.

mod check;

use check::Expectation::{Accepted, Refused, Warned};
use check::check_all;
use sortie_mcrl2::{check_specification, print_process};

/// How a process expression is read, over some actions, processes and a variable.
fn read_as(process: &str, expected: &str) {
    let source = format!(
        "act a, b, c, d; e: Nat; f: Real; map g: Nat -> Bool; k, l: Bool;
         proc P = a . P; Q(n: Nat) = a . Q(n); R(n: Nat, m: Nat) = {process}; init P;"
    );
    match check_specification(&source) {
        Ok(specification) => {
            assert_eq!(
                print_process(&specification, &specification.processes[2].body),
                expected,
                "{process}"
            );
        }
        Err(errors) => panic!(
            "{}",
            errors
                .iter()
                .map(|error| error.render(
                    sortie_syntax::Source {
                        name: process,
                        text: &source
                    },
                    100
                ))
                .collect::<String>()
        ),
    }
}

#[test]
fn operators_group_by_strength() {
    for (process, expected) in [
        ("a + b . c", "(a + (b . c))"),
        ("a + b + c", "(a + b + c)"),
        ("a . b . c", "(a . b . c)"),
        ("sum i: Nat. e(i) + b", "((sum i: Nat. e(i)) + b)"),
        ("sum i: Nat. e(i) || b", "(sum i: Nat. (e(i) || b))"),
        ("k -> a + b", "(((k) -> a) + b)"),
        ("k -> a || b", "(((k) -> a) || b)"),
        ("k -> a . b", "((k) -> (a . b))"),
        ("k -> a <> b + c", "(((k) -> a <> b) + c)"),
        ("k -> a <> b . c", "((k) -> a <> (b . c))"),
        ("k -> l -> a <> b", "((k) -> ((l) -> a <> b))"),
        ("k -> l -> a <> b <> c", "((k) -> ((l) -> a <> b) <> c)"),
        ("k -> a + b <> c", "((k) -> (a + b) <> c)"),
        ("k -> a . l -> b <> c", "((k) -> (a . ((l) -> b <> c)))"),
        (
            "k -> sum h: Nat -> Bool. a <> b",
            "((k) -> (sum h: Nat -> Bool. a) <> b)",
        ),
        ("a . sum i: Nat. b . c", "(a . (sum i: Nat. (b . c)))"),
        ("a . sum i: Nat. b + c", "((a . (sum i: Nat. b)) + c)"),
        ("a . sum i: Nat. b || c", "((a . (sum i: Nat. b)) || c)"),
        ("a || sum i: Nat. b || c", "(a || (sum i: Nat. (b || c)))"),
        ("a . k -> b . c", "(a . ((k) -> (b . c)))"),
        ("a|b . c", "(a|b . c)"),
        ("a|b @ 3", "(a|b @ (Pos2Real(3)))"),
        ("a . b @ 3 + c", "((a . (b @ (Pos2Real(3)))) + c)"),
        ("a|b|tau", "a|b"),
        ("tau|tau", "tau"),
        ("a|delta", "delta"),
        ("(P) . a", "(P . a)"),
        ("(k) -> a", "((k) -> a)"),
        ("((k)) -> ((a))", "((k) -> a)"),
        ("!k -> a", "((!k) -> a)"),
        ("g(1) -> a", "((g(Pos2Nat(1))) -> a)"),
        (
            "(m < 2) -> a + (m > 2) -> b",
            "(((m < Pos2Nat(2)) -> a) + ((m > Pos2Nat(2)) -> b))",
        ),
        ("a ||_ b ||_ c", "(a ||_ (b ||_ c))"),
        ("a << b << c", "((a << b) << c)"),
        ("a . b << c", "((a . b) << c)"),
        ("dist i: Bool[1/2]. a + b", "((dist i: Bool[1 / 2]. a) + b)"),
        (
            "hide({a, b}, allow({b|a, c}, comm({b|a -> c}, P || P)))",
            "hide({a, b}, allow({a|b, c}, comm({a|b -> c}, (P || P))))",
        ),
        (
            "rename({a -> b}, block({c}, P))",
            "rename({a -> b}, block({c}, P))",
        ),
        ("allow({}, P)", "allow({}, P)"),
        ("R(m = n + 1, n = m)", "R(m, n + Pos2Nat(1))"),
        ("R(m = 1)", "R(n, Pos2Nat(1))"),
        (
            "sum m: Nat. e(m) . R(n = m)",
            "(sum m: Nat. (e(m) . R(m, m)))",
        ),
        ("tau . a|b|c", "(tau . a|b|c)"),
        (
            "sum t: List(struct x | y) . a",
            "(sum t: List(struct x | y). a)",
        ),
        ("R()", "R(n, m)"),
        ("Q()", "Q(n)"),
        ("P()", "P"),
        ("sum n: Pos. R(m = 0)", "(sum n: Pos. R(Pos2Nat(n), 0))"),
    ] {
        read_as(process, expected);
    }
}

#[test]
fn conditions_and_times_are_units() {
    check_all(&[
        (
            "act a; proc P(n: Nat) = n < 2 -> a; init P(1);",
            Refused("needs brackets"),
        ),
        (
            "act a; proc P(n: Nat) = (n < 2) && true -> a; init P(1);",
            Refused("one pair of brackets around the whole"),
        ),
        ("act a; init 1 < 2 -> a;", Refused("needs brackets")),
        (
            "map f: Nat -> Bool; b: Bool; act a; init f(1) -> a + !b -> a + true -> a;",
            Accepted,
        ),
        ("act a; init a @ 1 + 2;", Refused("expected a process")),
        ("act a; init a @ (1 + 2);", Accepted),
        (
            "act a; init (1) -> a;",
            Refused("expected `Bool`, found `Pos`"),
        ),
        (
            "act a; init a @ true;",
            Refused("expected `Real`, found `Bool`"),
        ),
        ("act a; init true -> a <> delta;", Accepted),
        ("act a; init a <> a;", Refused("expected")),
    ]);
}

#[test]
fn calls() {
    check_all(&[
        (
            "act a; proc P(n: Nat) = a . P; init P(1);",
            Refused("`P()` keeps all parameters"),
        ),
        ("act a; init a();", Refused("empty brackets")),
        (
            "act a; proc Q(m: Nat, k: Nat) = a . Q(); P(m: Nat) = a . Q(m = 1); init P(1);",
            Refused("no value for `k`"),
        ),
        (
            "act a; proc Q(m: Nat) = a . Q(); P(k: Nat) = a . Q(m = k); init P(1);",
            Accepted,
        ),
        (
            "act a; proc P(n: Nat) = a . P(k = 1); init P(1);",
            Refused("has no parameter `k`"),
        ),
        (
            "act a; proc P(n: Nat) = a . P(n = 1, n = 2); init P(1);",
            Refused("assigned twice"),
        ),
        (
            "act a: Nat; a: Bool; init a(1) . a(true) . a([]);",
            Refused("no `a` takes arguments"),
        ),
        (
            "act a: List(Nat); a: List(Bool); init a([]);",
            Refused("ambiguous"),
        ),
        (
            "act a: Nat; init a;",
            Refused("`a` takes 1 argument, not 0"),
        ),
        (
            "act a: Nat; init a(1, 2);",
            Refused("`a` takes 1 argument, not 2"),
        ),
        (
            "glob x: Nat; act a: Nat; proc P(y: Nat) = a(x) . P(x); init P(x);",
            Accepted,
        ),
        ("act a; init b;", Refused("`b` is not declared")),
        (
            "act a; proc P = a; init (P + a)|a;",
            Refused("joins actions"),
        ),
    ]);
}

#[test]
fn sets_of_actions() {
    let row = |process: &str| {
        format!(
            "act a, b, c, d; e: Nat; f, h: Bool; x: Nat; x: Bool; proc P = a . P; init {process};"
        )
    };
    for (process, expectation) in [
        ("allow({tau}, P)", Refused("`tau` is not an action")),
        ("allow({z}, P)", Refused("`z` is not declared")),
        ("hide({P}, P)", Refused("`P` is a process")),
        ("hide({a|b}, P)", Refused("expected")),
        ("block({a(1)}, P)", Refused("without arguments")),
        ("rename({a -> e}, P)", Refused("no sorts in common")),
        ("rename({a -> b, a -> c}, P)", Refused("renamed twice")),
        ("rename({a -> b, b -> a}, P)", Accepted),
        ("rename({e -> x}, P)", Accepted),
        ("comm({a|b -> tau}, P)", Refused("`tau` is not an action")),
        ("comm({a|b}, P)", Refused("expected `->`")),
        ("comm({a -> c}, P)", Refused("at least two actions")),
        ("comm({a|e -> c}, P)", Refused("no sorts in common")),
        ("comm({a|b -> e}, P)", Refused("no sorts in common")),
        (
            "comm({e|x -> e, f|h -> x}, P)",
            Refused("is the result of one communication and part of another"),
        ),
        ("comm({f|x -> h}, P)", Accepted),
        ("comm({e|f -> x}, P)", Refused("no sorts in common")),
        (
            "comm({a|b -> c, a|d -> c}, P)",
            Refused("takes part in two communications"),
        ),
        (
            "comm({a|b -> c, c|d -> d}, P)",
            Refused("is the result of one communication and part of another"),
        ),
        ("comm({a|b -> a}, P)", Accepted),
        ("comm({a|a -> a}, P)", Accepted),
        ("comm({a|a -> b, c|d -> b}, P)", Accepted),
        ("hide({a, b, a}, P)", Warned("twice")),
    ] {
        check::check(&row(process), expectation);
    }
}

#[test]
fn what_can_be_explored() {
    check_all(&[
        (
            "act a: Nat; b; init sum n: Nat. (n < 2) -> a(n) || b;",
            Refused("`||` below"),
        ),
        (
            "act a: Nat; b; init (sum n: Nat. (n < 2) -> a(n)) || b;",
            Accepted,
        ),
        (
            "act a; proc X = a . (X || X); init X;",
            Refused("below a choice"),
        ),
        (
            "act a; proc X = a . Y; Y = X || X; init X;",
            Refused("is used below"),
        ),
        ("act a; proc X = X || a; init X;", Refused("calls itself")),
        (
            "act a; proc P(n: Nat) = Q(n) || Q(n + 1); Q(n: Nat) = a . Q(n); init P(1);",
            Accepted,
        ),
        ("act a; init a . hide({a}, a);", Refused("`hide` below")),
        (
            "act a; init true -> allow({a}, a);",
            Refused("`allow` below"),
        ),
        ("act a; init a ||_ a;", Refused("cannot be explored")),
        ("act a; init a << a;", Refused("cannot be explored")),
        (
            "act a; proc U = a ||_ a; V = V; W = a . (W || W); init a;",
            Accepted,
        ),
        (
            "act a; proc X = X; init X;",
            Refused("without doing an action"),
        ),
        (
            "act a; proc P = Q; Q = P; init P;",
            Refused("without doing an action"),
        ),
        (
            "act a; proc X = X + a; init X;",
            Refused("without doing an action"),
        ),
        ("act a; proc P = Q . P; Q = a; init P;", Accepted),
        (
            "act a; proc P(n: Nat) = (n > 3) -> Q(n) <> a . P(n + 1); Q(n: Nat) = a . P(n); init P(0);",
            Accepted,
        ),
        ("act a; proc X = a . X . a + a; init X;", Accepted),
        (
            "act a; init hide({a}, rename({a -> a}, block({a}, a . a || a)));",
            Accepted,
        ),
    ]);
}
