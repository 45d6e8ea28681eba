//! No text makes the front end panic, hang or run out of stack; and large texts are no trouble.

use sortie_mcrl2::{
    MAX_HEIGHT, ProcKind, check_formula, check_specification, parse_expression, print,
    print_process,
};
use std::fmt::Write;
use std::time::Instant;

/// A small fixed generator (xorshift64*), so that a failure can be repeated from its seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let draw = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32;
        usize::try_from(draw).expect("32 bits fit") % bound
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

const SEEDS: &[&str] = &[
    "sort D = struct d1 | d2(p: Nat, List(D))?is; map f: D # Nat -> Nat; var d: D; n: Nat; eqn n > 0 -> f(d, n) = if(is(d), n, p(d));
     act r, s, c: D; proc P(d: D, n: Nat) = sum e: D. (f(e, n) < 3) -> r(e) . P(d = e) <> s(d) @ 3 . P(d, n + 1);
     init hide({c}, allow({c, r|s}, comm({r|s -> c}, P(d1, 0) || P(d2(1, []), 1))));",
    "map s: Set(Nat); g: Nat -> Nat; eqn s = { n: Nat | exists m: Nat. m * m == n } - {1, 2} + { 0 }; g = (lambda x: Nat. x)[1 -> 2];
     act a: Bag(Nat) # Real; init dist b: Bool[1/2]. (b) -> a({1: 2}, y + 1 / 2) + tau whr y = 3 end;",
    "glob z: Nat; sort S; cons u, v: S; act a, b: Pos # Bool; proc X(x: Int) = (x == -1) -> (a|b(1, true) << tau) + X(); \
     init rename({a -> b}, block({b}, X(head([1, 2]) . 0 div 2 mod 3)));",
    "act a: Nat; init a(x * x whr x = 1 ++ [2] <| 3 |> [] in {} && !true => false || forall b: Bool. b end);",
];

const TOKENS: &[&str] = &[
    "(", ")", "[", "]", "{", "}", "{:}", ",", ";", ":", ".", "->", "<>", "||", "|", "||_", "<<",
    "@", "+", "-", "*", "/", "div", "mod", "==", "!=", "<", "<=", "&&", "=>", "!", "#", "|>", "<|",
    "++", "in", "=", "?", "sum", "dist", "lambda", "forall", "exists", "whr", "end", "struct",
    "sort", "map", "eqn", "var", "act", "proc", "init", "allow", "comm", "Nat", "Bool", "List",
    "0", "1", "x", "a", "tau", "delta", "mu", "nu", "val", "form", "é", "\u{0}", "%",
];

fn mutate(source: &str, dice: &mut Dice) -> String {
    let mut words: Vec<String> = source.split(' ').map(str::to_owned).collect();
    let mut bytes = Vec::new();
    for _ in 0..=dice.below(4) {
        let at = dice.below(words.len());
        match dice.below(6) {
            0 => words[at] = dice.pick(TOKENS).to_owned(),
            1 => words.insert(at, dice.pick(TOKENS).to_owned()),
            2 => {
                words.remove(at);
                words.push(String::new());
            }
            3 => {
                let other = dice.below(words.len());
                words.swap(at, other);
            }
            4 => {
                let from = dice.below(words.len());
                let copy: Vec<String> = words[from.min(at)..from.max(at)].to_vec();
                words.splice(at..at, copy);
            }
            _ => bytes.push((dice.below(source.len()), dice.below(256))),
        }
    }
    let mut text = words.join(" ").into_bytes();
    for (at, byte) in bytes {
        let length = text.len().max(1);
        if let (Some(place), Ok(byte)) = (text.get_mut(at % length), u8::try_from(byte)) {
            *place = byte;
        }
    }
    String::from_utf8_lossy(&text).into_owned()
}

#[test]
fn mutated_texts_are_answered() {
    let specification = check_specification("act a, r, s, c: Nat; init a(1);").expect("correct");
    for seed in 1..=3_000_u64 {
        let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let original = SEEDS[dice.below(SEEDS.len())];
        let source = mutate(original, &mut dice);
        let started = Instant::now();
        if let Err(errors) = check_specification(&source) {
            assert!(!errors.is_empty(), "seed {seed}: refused without a reason");
            for error in &errors {
                error.render(
                    sortie_syntax::Source {
                        name: "mutated",
                        text: &source,
                    },
                    80,
                );
            }
        }
        let formula = mutate(
            "nu X(n: Nat = 0). [a(n) && !r(1) . true* + s(2)|c(n) +] X(n + 1) && <exists m: Nat. a(m)> val(n < 3)",
            &mut dice,
        );
        if let Err(errors) = check_formula(&specification, &formula) {
            assert!(!errors.is_empty(), "seed {seed}: refused without a reason");
        }
        let expression = mutate(
            "if ( f ( 1 ) == { n : Nat | n < 3 } , [ 1 , x ] ++ [] , lambda n : Nat . n ) . 0",
            &mut dice,
        );
        if let Err(errors) = parse_expression(&specification, &expression, None, &[]) {
            assert!(!errors.is_empty(), "seed {seed}: refused without a reason");
        }
        assert!(
            started.elapsed().as_secs() < 60,
            "seed {seed} takes too long"
        );
    }
}

#[test]
fn deep_nesting_is_refused_or_handled() {
    let deep = 100_000;
    let nested = |open: &str, inner: &str, close: &str| {
        format!("{}{inner}{}", open.repeat(deep), close.repeat(deep))
    };
    for source in [
        format!("act a: Nat; init a({});", nested("(", "1", ")")),
        format!("act a: Bool; init a({});", nested("!", "true", "")),
        format!("act a: Int; init a({});", nested("-", "1", "")),
        format!("act a: Nat; init a({});", nested("1 + ", "1", "")),
        format!("act a: Bool; init a({});", nested("true && ", "true", "")),
        format!("act a: Nat; init a({});", nested("", "1", " whr x = 1 end")),
        format!("act a: Nat; init a({});", nested("", "x", "(1)")),
        format!("act a: Nat; init a({});", nested("[", "1", "]")),
        format!("act a: Nat; init a({});", nested("{x: ", "1", "}")),
        format!("act a: Nat; init a({});", nested("{x: Nat | ", "1", "}")),
        format!("act a: Nat; init a({});", nested("{x: ", "1", "")),
        format!("act a; init {};", nested("(", "a", ")")),
        format!("act a; init {};", nested("true -> ", "a", "")),
        format!("act a; init {};", nested("true -> a <> ", "a", "")),
        format!("act a; init {};", nested("sum n: Nat. ", "a", "")),
        format!("act a; init {};", nested("", "a", " @ 1")),
        format!("act a; init {};", nested("", "a", " << a")),
        format!("act a; init {};", nested("a ||_ ", "a", "")),
        format!("act a; init {};", nested("hide({a}, ", "a", ")")),
        format!("sort S = {}; init delta;", nested("List(", "Nat", ")")),
        format!("sort S = {}; init delta;", nested("Nat -> ", "Nat", "")),
        format!("sort S = {}; init delta;", nested("struct c(", "Nat", ")")),
        "(".repeat(deep),
    ] {
        assert!(check_specification(&source).is_err(), "{}", &source[..40]);
    }
    let specification = check_specification("act a; init a;").expect("correct");
    for formula in [
        nested("!", "true", ""),
        nested("(", "true", ")"),
        nested("[a]", "true", ""),
        nested("nu X. ", "true", ""),
        nested("true && ", "true", ""),
        format!("[{}]true", nested("(", "a", ")")),
        format!("[{}]true", nested("!", "a", "")),
        format!("[{}]true", nested("", "a", "@1")),
        format!("[{}]true", nested("a && ", "a", "")),
    ] {
        assert!(
            check_formula(&specification, &formula).is_err(),
            "{}",
            &formula[..40]
        );
    }
    for long in [
        format!("act a; init {};", nested("a . ", "a", "")),
        format!("act a; init {};", nested("a + ", "a", "")),
        format!("act a; init {};", nested("a || ", "a", "")),
        format!("act a: List(Nat); init a([{}]);", nested("1, ", "1", "")),
        format!("act a; init {};", nested("(1 < 2) -> a + ", "a", "")),
    ] {
        assert!(check_specification(&long).is_ok(), "{}", &long[..60]);
    }
    assert!(
        check_formula(
            &specification,
            &format!("[{}]true", nested("a . ", "a", "****"))
        )
        .is_ok()
    );
}

#[test]
fn sorts_do_not_explode() {
    let chain =
        |definition: &dyn Fn(usize) -> String| (1..5_000).map(definition).collect::<String>();
    let forward = chain(&|n| format!("A{n} = List(A{}); ", n + 1));
    let backward = chain(&|n| format!("A{n} = List(A{}); ", n - 1));
    let doubling = chain(&|n| format!("A{n} = A{0} -> A{0}; ", n - 1));
    for (sorts, used) in [
        (forward + "A5000 = Nat;", "A1"),
        (format!("A0 = Nat; {backward}"), "A4999"),
        (format!("A0 = Nat; {doubling}"), "A60"),
    ] {
        assert!(
            check_specification(&format!(
                "sort {sorts} map f, g: {used}; act a: Bool; init a(f == g);"
            ))
            .is_err()
        );
    }
    let undeclared: String = (0..5_000).map(|n| format!("a(name{n}) . ")).collect();
    let names: String = (0..5_000).map(|n| format!("other{n}: Nat; ")).collect();
    let errors = check_specification(&format!("map {names} act a: Nat; init {undeclared} delta;"))
        .expect_err("undeclared");
    assert_eq!(errors.len(), 5_000);
}

#[test]
fn the_highest_trees_can_be_used_on_an_ordinary_stack() {
    let chain = format!("{}true", "true && ".repeat(MAX_HEIGHT as usize - 10));
    let specification =
        check_specification(&format!("act a: Bool; init a({chain});")).expect("correct");
    let ProcKind::MultiAction(calls) = &specification.clone().init.kind else {
        panic!("an action")
    };
    assert_eq!(
        print::expression(&specification.signature, &calls[0].arguments[0]),
        chain
    );
    assert_eq!(calls[0].arguments[0].clone(), calls[0].arguments[0]);
    let sums = "sum n: Nat. ".repeat(MAX_HEIGHT as usize - 10);
    let specification =
        check_specification(&format!("act a: Nat; init {sums} a(n);")).expect("correct");
    assert!(print_process(&specification.clone(), &specification.init).len() > sums.len());
}

/// A specification of about the given number of lines, of the kind that generators write.
fn generated(lines: usize) -> String {
    let mut source = String::from("sort D = struct d0");
    for index in 1..50 {
        let _ = write!(source, " | d{index}");
    }
    source.push_str(";\nact a, b, c: D # Nat;\nmap f: D # Nat -> Nat;\n    g: List(Nat) # Nat -> Bool;\nvar n: Nat; l: List(Nat);\neqn\n");
    for index in 0..lines / 4 {
        let d = index % 50;
        let _ = writeln!(
            source,
            "  n > {index} && g([{index}, n] ++ l, n) -> f(d{d}, n) = if(n mod 3 == 1, n + {index} * 2, f(d{d}, Int2Nat(n - 1)));"
        );
    }
    source.push_str("var n: Nat; l: List(Nat);\neqn g(n |> l, 0) = n in l;\nproc\n");
    let processes = lines / 40;
    for index in 0..processes {
        let _ = writeln!(source, "  P{index}(d: D, n: Nat, s: FSet(Nat)) =");
        for line in 0..28 {
            let next = (index + line) % processes;
            let _ = writeln!(
                source,
                "    (n < {line} && !({line} in s)) -> sum e: D. a(e, n + {line}) . P{next}(d{line}, n + 1, s + {{{line}}}) +"
            );
        }
        let _ = writeln!(source, "    b(d, n) . P{index}(n = 0);");
    }
    source.push_str(
        "init hide({c}, allow({c}, comm({a|b -> c}, P0(d0, 0, {}) || P1(d1, 1, {2}))));\n",
    );
    source
}

#[test]
fn a_large_specification_is_accepted() {
    let source = generated(5_000);
    if let Err(errors) = check_specification(&source) {
        let source = sortie_syntax::Source {
            name: "generated",
            text: &source,
        };
        panic!("{}", errors[0].render(source, 100));
    }
}
