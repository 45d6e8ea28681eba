//! Facts about the data language, one small specification each.

mod check;

use sortie_mcrl2::{check_specification, parse_expression, print};

use check::Expectation::{Accepted, Refused, Warned};
use check::{check, check_all};

/// Two expressions over the same declarations that must be read alike.
fn read_alike(declarations: &str, one: &str, other: &str) {
    let specification = check_specification(&format!("{declarations} init delta;"))
        .expect("the declarations are correct");
    let typed = |text: &str| match parse_expression(&specification, text, None, &[]) {
        Ok(typed) => print::expression(&specification.signature, &typed.expression),
        Err(errors) => panic!(
            "{}",
            errors
                .iter()
                .map(|error| error.render(
                    sortie_syntax::Source {
                        name: "expression",
                        text
                    },
                    100
                ))
                .collect::<String>()
        ),
    };
    assert_eq!(typed(one), typed(other), "{one} and {other}");
}

#[test]
fn lexical() {
    check_all(&[
        ("act a; init a % no newline at the end\n;%", Accepted),
        ("act a_1, x', _, A; init a_1 . x' . _ . A;", Accepted),
        ("act 'a; init delta;", Refused("not part of the language")),
        (
            "act a: Nat; init a(007);",
            Refused("a number does not start with 0"),
        ),
        ("act a: Nat; init a(0x1);", Refused("expected")),
        ("act nil; init nil;", Accepted),
        (
            "act a: Nat; init a(340282366920938463463374607431768211456000);",
            Accepted,
        ),
        ("act delay; init delta;", Refused("reserved word")),
        ("map inf: Nat; init delta;", Refused("reserved word")),
        ("act a: Real; init a(3/2);", Accepted),
        ("act a: Real; init a(1.5);", Refused("does not work on")),
    ]);
    for word in [
        "sort", "cons", "map", "glob", "var", "eqn", "act", "proc", "init", "struct", "whr", "end",
        "in", "div", "mod", "true", "false", "lambda", "forall", "exists", "Bool", "Pos", "Nat",
        "Int", "Real", "List", "Set", "Bag", "FSet", "FBag", "delta", "tau", "sum", "dist",
        "block", "allow", "hide", "rename", "comm", "val", "mu", "nu", "delay", "yaled", "form",
        "pbes", "pres", "inf", "sup", "eqinf", "eqninf", "condsm", "condeq",
    ] {
        check(
            &format!("map f: Nat -> Nat; var {word}: Nat; eqn f({word}) = 1; init delta;"),
            Refused("expected"),
        );
    }
    for name in [
        "if", "min", "max", "succ", "pred", "abs", "exp", "floor", "ceil", "round", "sqrt", "head",
        "tail", "rhead", "rtail", "count", "pick", "Set2Bag", "Bag2Set", "Pos2Nat", "Nat2Pos",
        "Pos2Int", "Int2Pos", "Pos2Real", "Real2Pos", "Nat2Int", "Int2Nat", "Nat2Real", "Real2Nat",
        "Int2Real", "Real2Int",
    ] {
        check(
            &format!("map {name}: Bool # Bool # Bool # Bool -> Bool; init delta;"),
            Refused("predefined"),
        );
        check(
            &format!("sort S; cons {name}: S; init delta;"),
            Refused("predefined"),
        );
        check(
            &format!("proc P({name}: Nat) = ({name} > 1) -> tau; init P(1);"),
            Accepted,
        );
    }
}

#[test]
fn sections() {
    check_all(&[
        ("init P; proc P = a . P; act a;", Accepted),
        (
            "init a(f(1)); eqn f(n) = n; act a: Nat; map f: Nat -> Nat;",
            Refused("`n` is not declared"),
        ),
        (
            "init a(f(1)); var n: Nat; eqn f(n) = n; act a: Nat; map f: Nat -> Nat;",
            Accepted,
        ),
        (
            "map f, g: Nat -> Nat; var n: Nat; eqn f(n) = n; eqn g(n) = n; init delta;",
            Refused("`n` is not declared"),
        ),
        ("act a; init a; init a;", Refused("a second")),
        ("act a;", Refused("no `init`")),
        (
            "map f: Nat # Nat -> Nat -> Bool; act a: Bool; init a(f(1, 2)(3));",
            Accepted,
        ),
        (
            "map f: (Nat # Nat) -> Bool; act a: Bool; init a(f(1, 2));",
            Accepted,
        ),
        (
            "map f: Nat -> Nat -> Nat; act a: Nat; init a(f(1)(2));",
            Accepted,
        ),
        (
            "map f: Nat -> Nat -> Nat; act a: Nat; init a(f(1, 2));",
            Refused("takes 1 argument, not 2"),
        ),
        (
            "map f: Nat # Nat; init delta;",
            Refused("`#` is only allowed"),
        ),
        (
            "sort S = Nat # Nat; init delta;",
            Refused("`#` is only allowed"),
        ),
        ("var x: Nat; y: Bool; init delta;", Refused("`eqn`")),
        (
            "glob x: Nat, y: Bool; z: Nat; act a: Nat; init a(x);",
            Accepted,
        ),
        (
            "act a: Nat # (Nat -> Bool); init a(1, lambda n: Nat. true);",
            Accepted,
        ),
    ]);
}

#[test]
fn sorts() {
    check_all(&[
        ("sort D; map c: D; act a: D; init a(c);", Accepted),
        (
            "sort D; cons c, d: D; act a: D; init a(c) + a(d);",
            Accepted,
        ),
        ("sort S = Nat; T = S; act a: T; init a(1);", Accepted),
        (
            "sort S = T; T = S; init delta;",
            Refused("defined as itself"),
        ),
        (
            "sort S = List(S); init delta;",
            Refused("defined as itself"),
        ),
        ("sort S = struct c | f(List(S)); init delta;", Accepted),
        ("sort S = struct c | f(FSet(S)); init delta;", Accepted),
        ("sort S = struct c | f(FBag(S)); init delta;", Accepted),
        (
            "sort S = struct c | f(Set(S)); init delta;",
            Refused("contains itself"),
        ),
        (
            "sort S = struct c | f(Bag(S)); init delta;",
            Refused("contains itself"),
        ),
        (
            "sort S = struct c | f(Nat -> S); init delta;",
            Refused("contains itself"),
        ),
        (
            "sort S = struct c | f(T); T = List(S); init delta;",
            Accepted,
        ),
        (
            "sort S = struct c | f(T); T = struct d | g(S -> Bool); init delta;",
            Refused("contains itself"),
        ),
        (
            "sort S = struct f(S); init delta;",
            Refused("has no values"),
        ),
        (
            "sort S = struct f(T); T = struct g(S); init delta;",
            Refused("has no values"),
        ),
        ("sort S = struct f(List(S)); init delta;", Accepted),
        (
            "cons c: Nat; init delta;",
            Refused("cannot have further constructors"),
        ),
        ("sort S = struct c; cons d: S; init delta;", Accepted),
        (
            "sort S = Nat; S = Bool; init delta;",
            Refused("declared twice"),
        ),
        (
            "sort S = struct c; sort S = struct c; init delta;",
            Accepted,
        ),
        (
            "map f: T -> Nat; init delta;",
            Refused("the sort `T` is not declared"),
        ),
    ]);
}

#[test]
fn structured_sorts() {
    check_all(&[
        (
            "sort S = struct c(p: Nat, Bool)?is_c | d; act a: Nat # Bool; init a(p(c(1, true)), is_c(d));",
            Accepted,
        ),
        (
            "sort S = struct c(p: Nat) | d(p: Nat); act a: Nat; init a(p(d(1)));",
            Accepted,
        ),
        (
            "sort S = struct c(p: Nat) | d(p: Bool); act a: Nat; b: Bool; init a(p(c(1))) . b(p(d(true)));",
            Accepted,
        ),
        (
            "sort S = struct c?is | d?is; init delta;",
            Refused("the recogniser `is` is declared twice"),
        ),
        (
            "sort S = struct c(Nat); T = struct c(Bool); act a: S # T; init a(c(1), c(true));",
            Accepted,
        ),
        (
            "sort S = struct c; T = struct c; init delta;",
            Refused("the constant `c` is declared twice"),
        ),
        ("act a: struct x | y; init delta;", Accepted),
        (
            "act a: struct x | y; init a(x);",
            Refused("`x` is not declared"),
        ),
        (
            "sort L = List(struct x | y); act a: L; init a([x, y]);",
            Accepted,
        ),
        (
            "sort S = struct c | d; act a: Bool; init a(c < d) . a(c == d) . a(if(true, c, d) >= d);",
            Accepted,
        ),
    ]);
}

#[test]
fn recursion_through_inner_structs() {
    check_all(&[
        (
            "sort B = List(struct f(B)); act a: B; init a([f([])]);",
            Accepted,
        ),
        (
            "sort B = List(struct f(B) | c); act a: B; init a([f([]), c]);",
            Accepted,
        ),
        (
            "sort S = struct t(struct e(Nat)); act a: S; init a(t(e(3)));",
            Accepted,
        ),
        (
            "sort S = Set(struct f(S)); init delta;",
            Refused("contains itself"),
        ),
        (
            "sort S = Nat -> struct f(S) | c; init delta;",
            Refused("contains itself"),
        ),
        (
            "sort S = struct f(struct g(S)); init delta;",
            Refused("has no values"),
        ),
        (
            "sort F = F -> Nat; init delta;",
            Refused("defined as itself"),
        ),
        (
            "map f: struct t -> Bool; act a: Bool; init a(forall x: struct t. f(x));",
            Accepted,
        ),
        (
            "act a: Bool; init a(forall x: struct t?is_t, y: struct t. x == y);",
            Refused("compares values of one sort"),
        ),
    ]);
}

#[test]
fn names() {
    check_all(&[
        ("map f: Nat -> Nat; f: Bool -> Nat; init delta;", Accepted),
        (
            "map c: Nat; c: Bool; init delta;",
            Refused("the constant `c` is declared twice"),
        ),
        (
            "sort S = struct c; map c: Nat; init delta;",
            Refused("the constant `c` is declared twice"),
        ),
        ("map f: Nat -> Nat; f: Nat -> Nat; init delta;", Accepted),
        (
            "act a: Nat; a: Nat; init delta;",
            Refused("the action `a` is declared twice"),
        ),
        ("act a: Nat; a: Bool; a; init a(1) . a(true) . a;", Accepted),
        (
            "proc P = tau; P = tau; init P;",
            Refused("the process `P` is defined twice"),
        ),
        (
            "proc P = tau; P(n: Nat) = tau; P(b: Bool) = tau; init P . P(1) . P(true);",
            Accepted,
        ),
        (
            "act a; proc a(n: Nat) = tau; init a;",
            Refused("an action and of a process"),
        ),
        ("act f: Nat; map f: Nat -> Nat; init f(f(1));", Accepted),
        (
            "map x: Nat; proc P(x: Nat) = tau; init P(1);",
            Refused("has the name of a function"),
        ),
        (
            "map x: Nat -> Nat; act a; init sum x: Bool. a;",
            Refused("has the name of a function"),
        ),
        (
            "map x: Nat -> Nat; act a: Bool; init a(forall x: Bool. x);",
            Refused("has the name of a function"),
        ),
        (
            "map x: Nat -> Nat; glob x: Bool; init delta;",
            Refused("has the name of a function"),
        ),
        (
            "map x, f: Nat -> Nat; var x: Nat; eqn f(x) = x; init delta;",
            Refused("has the name of a function"),
        ),
        ("act a: Bool; init sum n: Nat. sum n: Bool. a(n);", Accepted),
        (
            "act a: Nat; init sum n, n: Nat. a(n);",
            Refused("declared twice"),
        ),
        (
            "proc P(n: Nat, n: Bool) = tau; init P(1, true);",
            Refused("declared twice"),
        ),
    ]);
}

#[test]
fn precedence_of_operators() {
    for (one, other) in [
        ("12 / 2 * 3", "12 / (2 * 3)"),
        ("7 div 2 * 3", "7 div (2 * 3)"),
        ("-x * x", "(-x) * x"),
        ("x + 1 mod 3", "x + (1 mod 3)"),
        ("-3 mod 2", "(-3) mod 2"),
        ("!b == b", "(!b) == b"),
        ("1 == 1 == true", "(1 == 1) == true"),
        ("b => b => b", "b => (b => b)"),
        ("b || b && b", "b || (b && b)"),
        ("b || b || b", "b || (b || b)"),
        ("1 |> 2 |> []", "1 |> (2 |> [])"),
        ("[] <| 1 <| 2", "([] <| 1) <| 2"),
        ("1 |> [2] <| 3", "1 |> ([2] <| 3)"),
        ("[1] ++ [2] ++ [3]", "([1] ++ [2]) ++ [3]"),
        ("1 - 2 - 3", "(1 - 2) - 3"),
        ("1 - 2 + 3", "(1 - 2) + 3"),
        ("12 div 2 mod 3", "(12 div 2) mod 3"),
        ("1 < 2 == true", "(1 < 2) == true"),
        ("1 in [1] ++ [2]", "1 in ([1] ++ [2])"),
        ("-f(1)", "-(f(1))"),
        ("f[1 -> 2](1)", "(f[1 -> 2])(1)"),
        (
            "false && forall c: Bool. c || true",
            "(false && forall c: Bool. c) || true",
        ),
        ("!exists c: Bool. c || true", "(!exists c: Bool. c) || true"),
        (
            "b || forall c: Bool. c && b",
            "b || (forall c: Bool. c && b)",
        ),
        (
            "b || forall c: Bool. c || b",
            "b || (forall c: Bool. (c || b))",
        ),
        (
            "b && forall c: Bool. c == b",
            "b && (forall c: Bool. (c == b))",
        ),
        (
            "forall c: Bool. exists d: Bool. c => d",
            "forall c: Bool. (exists d: Bool. (c => d))",
        ),
        ("2 * y + y whr y = 3 end", "(2 * y + y) whr y = 3 end"),
        ("x + y whr y = 3 end * 2", "x + ((y whr y = 3 end) * 2)"),
        ("x * y whr y = 3 end + 2", "((x * y) whr y = 3 end) + 2"),
        (
            "forall c: Bool. c == d whr d = b end",
            "(forall c: Bool. (c == d)) whr d = b end",
        ),
    ] {
        read_alike("map x: Nat; b: Bool; f: Nat -> Nat;", one, other);
    }
    check_all(&[
        (
            "act a: Nat; init a(2 * [1, 2] . 1);",
            Refused("does not work on"),
        ),
        (
            "act a: Nat; init a(#[1] . 0);",
            Refused("`.` does not work on `Nat`"),
        ),
        (
            "act a: Bool; init a(1 < 2 < 3);",
            Refused("cannot be chained"),
        ),
        (
            "act a: List(Nat); init a([1] <| 3 ++ [2]);",
            Refused("`++` does not work on"),
        ),
        (
            "act a: Bool; init a(true == forall b: Bool. b == b);",
            Refused("ambiguous"),
        ),
        (
            "act a: Nat; init a(x + x whr x = 3 end * 2);",
            Refused("`x` is not declared"),
        ),
        (
            "act a: Nat; init a(x + y whr x = 3, y = x end);",
            Refused("`x` is not declared"),
        ),
        (
            "act a: Nat; init a(x whr x = 3, x = 4 end);",
            Refused("bound twice"),
        ),
    ]);
}

#[test]
fn numbers() {
    for (expression, sort) in [
        ("1 + p", "Pos"),
        ("p + n", "Pos"),
        ("n + n", "Nat"),
        ("n + i", "Int"),
        ("r + p", "Real"),
        ("p - p", "Int"),
        ("-p", "Int"),
        ("-r", "Real"),
        ("p * n", "Nat"),
        ("p / p", "Real"),
        ("n div p", "Nat"),
        ("i div p", "Int"),
        ("i mod p", "Nat"),
        ("exp(p, n)", "Pos"),
        ("exp(r, i)", "Real"),
        ("exp(2, -1)", "Real"),
        ("max(p, i)", "Pos"),
        ("max(i, n)", "Nat"),
        ("max(n, p)", "Pos"),
        ("max(r, p)", "Real"),
        ("min(n, i)", "Int"),
        ("succ(n)", "Pos"),
        ("pred(p)", "Nat"),
        ("pred(n)", "Int"),
        ("abs(i)", "Nat"),
        ("abs(r)", "Real"),
        ("abs(p)", "Nat"),
        ("floor(r)", "Int"),
        ("sqrt(p)", "Nat"),
        ("Int2Nat(i)", "Nat"),
        ("Nat2Pos(5)", "Pos"),
        ("if(true, 1, 0)", "Nat"),
        ("if(true, p, r)", "Real"),
        ("0", "Nat"),
        ("7", "Pos"),
        ("#[1]", "Nat"),
        ("[1, 0, -1]", "List(Int)"),
        ("{1, 0}", "FSet(Nat)"),
        ("{1: 2, 0: 0}", "FBag(Nat)"),
        ("{ x: Nat | x < n }", "Set(Nat)"),
        ("{ x: Nat | x }", "Bag(Nat)"),
        ("lambda x: Nat. x + 1", "Nat -> Pos"),
        ("[]", "List(Bool)"),
        ("s * t", "FSet(Nat)"),
        ("t * s", "FSet(Nat)"),
        ("s - t", "FSet(Nat)"),
        ("s + t", "Set(Nat)"),
        ("!t", "Set(Nat)"),
        ("t - s", "Set(Nat)"),
        ("!s", "Set(Nat)"),
        ("#s", "Nat"),
        ("pick(s)", "Nat"),
        ("count(1, {1: 2})", "Nat"),
        ("Set2Bag(s)", "Bag(Nat)"),
        ("l . 0", "Nat"),
        ("head(l)", "Nat"),
        ("tail([1])", "List(Pos)"),
        ("f[1 -> 2]", "Nat -> Nat"),
        ("s <= t", "Bool"),
    ] {
        let specification = check_specification(
            "map p: Pos; n: Nat; i: Int; r: Real; s: FSet(Nat); t: Set(Nat); l: List(Nat); f: Nat -> Nat; init delta;",
        )
        .expect("the declarations are correct");
        match parse_expression(&specification, expression, None, &[]) {
            Ok(typed) => assert_eq!(
                print::sort(&specification.signature, &typed.sort),
                sort,
                "{expression}"
            ),
            Err(errors) => panic!(
                "{}",
                errors[0].render(
                    sortie_syntax::Source {
                        name: "expression",
                        text: expression
                    },
                    100
                )
            ),
        }
    }
    check_all(&[
        ("act a: Nat; init a(5 - 3);", Refused("Int2Nat")),
        ("act a: Nat; init a(Int2Nat(5 - 3));", Accepted),
        ("act a: Nat; init a(5 div 0);", Refused("divisor")),
        (
            "act a: Nat; init sum n: Nat. a(5 mod n);",
            Refused("Nat2Pos"),
        ),
        (
            "act a: Nat; proc P(n: Nat) = a(n) . P(n - 1); init P(3);",
            Refused("expected `Nat`, found `Int`"),
        ),
        (
            "act a: Nat; init a({ b: Bool | b }(true));",
            Refused("cannot be applied"),
        ),
        ("act a: Set(Nat); init a({1});", Accepted),
        (
            "act a: FSet(Nat); init a({ n: Nat | n < 3 });",
            Refused("expected `FSet(Nat)`"),
        ),
        (
            "act a: Nat; init a(#{ n: Nat | n < 3 });",
            Refused("does not work on"),
        ),
        (
            "act a: Bag(Nat); init a({});",
            Refused("the empty bag is written `{:}`"),
        ),
        ("act a: Set(Nat); init a({:});", Refused("expected")),
        ("act a: Bag(Nat); init a({:});", Accepted),
        (
            "act a: Nat -> Nat; init a((lambda n: Nat. 0)[1 -> 2][0 -> 1][1 -> 0]);",
            Accepted,
        ),
        (
            "map f: Nat # Nat -> Nat; act a: Nat # Nat -> Nat; init a(f[1 -> 2]);",
            Refused("one argument"),
        ),
    ]);
}

#[test]
fn type_inference() {
    let overloaded = "sort A = struct c; map f: Pos -> A; f: Nat -> A; f: Int -> A; act a: A; ";
    check(
        &format!("{overloaded} init a(f(1)) . a(f(0)) . a(f(-1));"),
        Accepted,
    );
    check(
        &format!("{overloaded} init a(f(1 / 2));"),
        Refused("no `f` takes arguments of sort `Real`"),
    );
    check_all(&[
        (
            "map f: Pos # Int -> Nat; f: Nat # Nat -> Nat; act a: Nat; init a(f(1, 0));",
            Accepted,
        ),
        (
            "map f: Nat -> Nat; f: Nat -> Bool; act a: Nat; b: Bool; proc P(n: Nat) = tau; init a(f(1)) . b(f(1)) . P(f(1));",
            Accepted,
        ),
        (
            "map f: Nat -> Nat; f: Nat -> Bool; act b: Bool; init b(f(1) == true);",
            Refused("ambiguous"),
        ),
        (
            "map g: Int -> Bool; f: Pos -> Nat; f: Pos -> Int; act a: Bool; init a(g(f(1)));",
            Refused("ambiguous"),
        ),
        (
            "map f: Nat # Nat -> Nat; f: Nat # Pos -> Bool; f: Pos # Nat -> Int; act a: Nat; init sum x: Pos. a(f(x, x));",
            Accepted,
        ),
        (
            "map h: (Nat -> Bool) -> Bool; f: Nat -> Bool; f: Bool -> Nat; act a: Bool; init a(h(f));",
            Accepted,
        ),
        (
            "map f: Nat -> Nat; f: Nat -> Bool; act a: Nat; init a(f(1) + 1);",
            Refused("ambiguous"),
        ),
        (
            "act a: List(Int); init a([1]) . a([1] ++ [-1]) . a(1 |> [-1]) . a(tail([1])) . a(if(true, [1], []));",
            Accepted,
        ),
        ("act a: FSet(Int); init a({1} + {-1});", Accepted),
        ("act a: Bool; init a(1 in {-1});", Accepted),
        (
            "act a: List(Int); init sum l: List(Nat). a(l);",
            Refused("expected `List(Int)`, found `List(Nat)`"),
        ),
        (
            "map l: List(Nat); act a: List(Int); init a(l ++ [1]);",
            Refused("expected `List(Int)`, found `List(Nat)`"),
        ),
        (
            "map g: Nat -> Nat; act a: Nat -> Nat; eqn g = lambda x: Nat. x + 1; init a(lambda x: Nat. x + 1);",
            Accepted,
        ),
        (
            "map h: (Nat -> Nat) -> Nat; act a: Nat; init a(h(lambda x: Nat. x + 1));",
            Refused("expected `Nat -> Nat`"),
        ),
        (
            "map h: (Nat -> Nat) -> Nat; act a: Nat; init a(h(lambda x: Nat. Pos2Nat(x + 1)));",
            Accepted,
        ),
        (
            "map g: Nat -> Nat; act a: Bool; init a(g == lambda x: Nat. x + 1);",
            Refused("compares values of one sort"),
        ),
        (
            "act a: Bool; init a([] == []) . a({} == {}) . a({:} == {:}) . a(#[] == 0);",
            Accepted,
        ),
        (
            "map h: List(Nat) -> Nat; h: List(Bool) -> Nat; act a: Nat; init a(h([]));",
            Refused("ambiguous"),
        ),
        (
            "map h: List(Nat) -> Nat; act a: Nat; init a(h([]));",
            Accepted,
        ),
        (
            "act a: Set(Nat); init a({ n: Pos | true });",
            Refused("expected `Set(Nat)`, found `Set(Pos)`"),
        ),
        (
            "act a: Nat; proc P(n: Nat) = a(n) . P(head([])); init P(1);",
            Accepted,
        ),
        (
            "map m: Nat # Nat -> Nat; act a: Nat; init a(m(head([]), 1));",
            Accepted,
        ),
        (
            "act a: Real; init a(1) . a(1 + 2) . a(1 - 2) . a(5 div 2) . a(if(true, 1, 2));",
            Accepted,
        ),
        (
            "map s: FSet(Nat); act a: Set(Nat); init a(s) . a(s + s) . a(if(true, s, {}));",
            Accepted,
        ),
        (
            "map f: Nat -> Nat; act a: Nat -> Nat; init a(f) . a(f[1 -> 2]);",
            Accepted,
        ),
        (
            "map f: Nat -> Nat; f: Bool -> Nat; act a: Bool -> Nat; init a(f);",
            Accepted,
        ),
        (
            "sort S = struct free | taken; map free: Nat -> Bool; act a: Bool; init a(free == taken) . a(free(1));",
            Accepted,
        ),
    ]);
}

#[test]
fn equations() {
    check_all(&[
        (
            "map f: Nat -> Nat; var x: Nat; eqn x = f(x); init delta;",
            Warned("left-hand side is a variable"),
        ),
        (
            "map f: Nat -> Nat; var x, y: Nat; eqn f(x) = y; init delta;",
            Warned("`y` does not occur"),
        ),
        (
            "map f: Nat -> Nat; var x, y: Nat; eqn y > 1 -> f(x) = x; init delta;",
            Warned("`y` does not occur"),
        ),
        (
            "map f: Nat -> Nat; var p: Pos; eqn f(p) = p; init delta;",
            Warned("never applies"),
        ),
        (
            "var x: List(Nat); eqn x == [] -> tail(x) = [7]; init delta;",
            Accepted,
        ),
        (
            "map f: Nat -> Nat; eqn f(true) = 1; init delta;",
            Refused("expected `Nat`, found `Bool`"),
        ),
        (
            "map f: Nat -> Nat; eqn f(1) = true; init delta;",
            Refused("expected `Nat`, found `Bool`"),
        ),
        (
            "map f: Nat -> Nat; eqn 1 -> f(1) = 1; init delta;",
            Refused("expected `Bool`, found `Pos`"),
        ),
        (
            "map u: Nat # (Nat -> Nat) -> (Nat -> Nat); var f: Nat -> Nat; n, m: Nat; eqn u(n, f)(m) = n; init delta;",
            Accepted,
        ),
        ("eqn true = false; init delta;", Accepted),
        (
            "map f, g: Nat # Nat -> Nat; f, g: Nat -> Nat; eqn f = g; init delta;",
            Refused("ambiguous"),
        ),
        (
            "map f, g: Nat # Nat -> Nat; f: Nat -> Nat; eqn f = g; init delta;",
            Accepted,
        ),
        (
            "map select: (Nat -> Bool) # List(Nat) -> List(Nat); var f: Nat -> Bool; x: Nat; l: List(Nat);
             eqn select(f, []) = []; select(f, x |> l) = if(f(x), x |> rest, rest) whr rest = select(f, l) end; init delta;",
            Accepted,
        ),
    ]);
}

#[test]
fn expressions_over_a_specification() {
    let mut specification = check_specification(
        "map N: Nat; M: List(Nat); f: Nat -> Nat; eqn N = 3; M = [N]; init delta;",
    )
    .expect("correct");
    let refused = |specification: &mut _, name: &str, value: &str, part: &str| {
        let errors = sortie_mcrl2::override_constant(specification, name, value)
            .expect_err("should be refused");
        let shown: String = errors
            .iter()
            .map(|error| {
                error.render(
                    sortie_syntax::Source {
                        name: "value",
                        text: value,
                    },
                    100,
                )
            })
            .collect();
        assert!(shown.contains(part), "{shown}");
    };
    refused(&mut specification, "n", "7", "did you mean `N`?");
    refused(&mut specification, "f", "7", "a function with arguments");
    refused(&mut specification, "N", "N + 1", "cannot refer to");
    refused(
        &mut specification,
        "N",
        "0 - 1",
        "expected `Nat`, found `Int`",
    );
    refused(&mut specification, "N", "7;", "expected");
    sortie_mcrl2::override_constant(&mut specification, "N", "2 * 4").expect("correct");
    sortie_mcrl2::override_constant(&mut specification, "M", "[1, N]").expect("correct");
    let shown: Vec<String> = specification
        .signature
        .equations
        .iter()
        .map(|equation| print::expression(&specification.signature, &equation.rhs))
        .collect();
    assert_eq!(shown, ["Pos2Nat(2) * Pos2Nat(4)", "[Pos2Nat(1), N]"]);
}
