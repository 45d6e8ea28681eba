//! Specifications that would take for ever or fill the memory are answered with an error that says why.

use sortie_data::Limits;
use sortie_mcrl2::{Keep, Mcrl2Model, open_within};
use sortie_model::{Model, Steps};

const LIMITS: Limits = Limits {
    steps: 10_000,
    depth: 10_000,
    terms: 1_000_000,
    quantifier: 10,
    enumeration: 1_000,
    branching: 10_000,
};

/// The labels of the first steps, or what is wrong.
fn first_steps(text: &str) -> Result<Vec<String>, String> {
    let model: Mcrl2Model = open_within("limits.mcrl2", text, &[], &Keep::default(), LIMITS)
        .map_err(|errors| errors[0].message.clone())?;
    let mut state = Vec::new();
    let mut steps = Steps::new(model.width());
    model
        .initial(&mut state)
        .and_then(|()| model.expand(&state, &mut steps))
        .map_err(|error| error.message)?;
    Ok(steps.labels().iter().map(|l| model.label(*l)).collect())
}

#[track_caller]
fn check(text: &str, message: &str) {
    let error = first_steps(text).expect_err("beyond the limits");
    assert!(error.contains(message), "{error}");
}

/// `f(x, n)` applies the doubling `n` times.
fn repeated(sort: &str, doubling: &str) -> String {
    format!(
        "map f: {sort} # Nat -> {sort}; k: Nat; var x: {sort}; n: Nat;
         eqn f(x, 0) = x; n > 0 -> f(x, n) = f({doubling}, Int2Nat(n - 1)); act a: Nat; b: Bool;"
    )
}

#[test]
fn numbers() {
    check(
        "act a: Nat; init a(exp(2, 100000000));",
        "exp yields a number too large to compute with",
    );
    check(
        "act a: Real; init a(exp(2/3, -100000000));",
        "exp yields a number too large to compute with",
    );
    check(
        &(repeated("Nat", "x * x") + "init a(f(3, 60));"),
        "* yields a number too large to compute with",
    );
}

#[test]
fn data_that_doubles() {
    check(
        &(repeated("List(Nat)", "x ++ x") + "init a(#f([1], 60));"),
        "rewriting took more than 10000 steps",
    );
    check(
        &(repeated("Nat", "x + x") + "init sum n: Nat. (f(n, 60) == 7) -> a(n);"),
        "a term with variables has grown to more than",
    );
}

#[test]
fn long_texts_are_cut_but_stay_distinct() {
    let text = repeated("Nat", "x + x") + "init a(f(k, 60)) + a(f(k, 61));";
    let labels = first_steps(&text).expect("shared terms are small");
    assert_eq!(labels.len(), 2);
    assert_ne!(labels[0], labels[1]);
    assert!(labels.iter().all(|label| label.len() < 2_000_000));
}

#[test]
fn nested_quantifiers() {
    let quantifiers: String = (0..12)
        .map(|n| format!("forall x{n}: Nat. exists y{n}: Nat. "))
        .collect();
    let body: Vec<String> = (0..12).map(|n| format!("x{n} < y{n}")).collect();
    check(
        &format!("act a: Bool; init a({quantifiers}{});", body.join(" && ")),
        "rewriting took more than 10000 steps",
    );
}

#[test]
fn sorts_with_many_elements() {
    let structs = |last: &str| -> String {
        let pair = |n| format!("S{n} = struct c{n}(x{n}: S{0}, y{n}: S{0}); ", n + 1);
        let pairs: String = (0..40).map(pair).collect();
        format!("sort {pairs} S40 = {last}; act a: S0; ")
    };
    check(
        &(structs("struct e | f") + "init sum s: S0. a(s);"),
        "took more than 1000 steps",
    );
    check(
        &(structs("List(Bool)") + "init sum s: S0. a(s);"),
        "nothing bounds variable s",
    );
    let labels = first_steps(&(structs("struct e | f") + "glob g: S0; init a(g);"));
    assert_eq!(labels.expect("a default value").len(), 1);
    check(
        "sort E = struct e1 | e2 | e3 | e4; act a: E # E -> E; init sum f: E # E -> E. a(f);",
        "too many to list",
    );
}

#[test]
fn processes_that_branch() {
    let chain = |body: &dyn Fn(usize) -> String, length: usize| -> String {
        let processes: String = (0..length)
            .map(|n| format!("P{n}(n: Nat) = {}; ", body(n + 1)))
            .collect();
        format!("act a; proc {processes} P{length}(n: Nat) = a; init P0(0);")
    };
    check(
        &chain(&|n| format!("P{n}(n) + P{n}(n)"), 40),
        "more than 10000 branches in one state",
    );
    check(
        &chain(&|n| format!("sum b: Bool. (P{n}(n) + (b) -> P{n}(n))"), 40),
        "the processes called below sums have more than 10000 branches",
    );
    check(
        &chain(&|n| format!("sum b: Bool. P{n}(n + n)"), 40),
        "an argument grows too large",
    );
    check(
        &chain(&|n| format!("P{n}(n) || P{n}(n)"), 40),
        "`init` starts more than 10000 parallel processes",
    );
    check(
        &format!("act a; init {} a;", "dist b: Bool[1/2]. ".repeat(40)),
        "more than 10000 branches in one state",
    );
}

#[test]
fn parallel_processes() {
    let many = |process: &str, count: usize| vec![process; count].join(" || ");
    check(
        &format!("act a; init {};", many("a", 40)),
        "more than 10000 combinations of its parallel processes",
    );
    check(
        &format!(
            "act a, c; init allow({{c}}, comm({{a|a|a|a|a|a|a|a -> c}}, {}));",
            many("a", 40)
        ),
        "more than 10000 combinations of its parallel processes",
    );
}

/// More actions at once than a machine word has bits.
#[test]
fn long_multi_actions() {
    let long = vec!["a"; 70].join("|");
    let labels = first_steps(&format!(
        "act a; init allow({{{long}}}, hide({{a}}, a) || allow({{{long}}}, {long}));"
    ));
    assert_eq!(
        labels.expect("three steps"),
        [long.clone(), "tau".to_owned(), long]
    );
}
