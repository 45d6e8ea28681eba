//! What processes do: small specifications and the whole of their state spaces.

use sortie_model::{Model, Steps};
use std::collections::{BTreeSet, HashMap, VecDeque};

/// A state space: how many states, and the steps between them in breadth-first numbering.
struct Space {
    states: usize,
    steps: Vec<(usize, String, usize)>,
}

fn explore(text: &str) -> Result<Space, String> {
    let model = sortie_mcrl2::open("test.mcrl2", text, &[]).map_err(|errors| {
        let messages = errors.iter().map(|error| error.message.clone());
        messages.collect::<Vec<_>>().join("\n")
    })?;
    let mut first = Vec::new();
    model.initial(&mut first).map_err(|e| e.message)?;
    let mut numbers: HashMap<Vec<u32>, usize> = HashMap::from([(first.clone(), 0)]);
    let mut waiting = VecDeque::from([first]);
    let mut space = Space {
        states: 1,
        steps: Vec::new(),
    };
    let mut steps = Steps::new(model.width());
    while let Some(state) = waiting.pop_front() {
        steps.clear();
        model.expand(&state, &mut steps).map_err(|e| e.message)?;
        for (label, target) in steps.iter() {
            let next = numbers.len();
            let number = *numbers.entry(target.to_vec()).or_insert_with(|| {
                waiting.push_back(target.to_vec());
                next
            });
            space
                .steps
                .push((numbers[&state], model.label(label), number));
        }
    }
    space.states = numbers.len();
    Ok(space)
}

/// The state space has so many states and transitions, and exactly these labels.
fn check(text: &str, states: usize, transitions: usize, labels: &[&str]) {
    let space = explore(text).unwrap_or_else(|error| panic!("{text}\n{error}"));
    let found: BTreeSet<&str> = space.steps.iter().map(|(_, label, _)| &**label).collect();
    let expected: BTreeSet<&str> = labels.iter().copied().collect();
    assert_eq!(found, expected, "{text}");
    assert_eq!(
        (space.states, space.steps.len()),
        (states, transitions),
        "{text}"
    );
}

/// Exploration ends with an error that contains these words.
fn check_error(text: &str, words: &str) {
    match explore(text) {
        Ok(_) => panic!("no error: {text}"),
        Err(error) => assert!(error.contains(words), "{text}\n{error}"),
    }
}

#[test]
fn parallel_actions_interleave_and_join() {
    check("act a,b; init a||b;", 5, 6, &["a", "b", "a|b", "Terminate"]);
    check("act a,b; init a.delta||b.delta;", 4, 5, &["a", "b", "a|b"]);
    check("act a; init a || tau;", 5, 6, &["a", "tau", "Terminate"]);
    check("act a; init a || delta;", 2, 1, &["a"]);
}

#[test]
fn multi_actions_are_multisets() {
    check("act a,b; init (tau|a).delta;", 2, 1, &["a"]);
    check("act a,b; init (tau|tau).delta;", 2, 1, &["tau"]);
    check("act a: Nat; init (a(2)|a(1)).delta;", 2, 1, &["a(1)|a(2)"]);
    check("act a: Nat; init (a(1)|a(1)).delta;", 2, 1, &["a(1)|a(1)"]);
    check(
        "act a,b: Nat; init (b(2)|a(1)).delta;",
        2,
        1,
        &["a(1)|b(2)"],
    );
    check("act a; init delta;", 1, 0, &[]);
    check("act a; init delta.a;", 1, 0, &[]);
}

#[test]
fn communication_needs_equal_data_and_blocks_nothing() {
    check(
        "act a,b,c:Nat; init comm({a|b->c}, a(1).delta||b(2).delta);",
        4,
        5,
        &["a(1)", "b(2)", "a(1)|b(2)"],
    );
    check(
        "act a,b,c:Nat; init comm({a|b->c}, a(1).delta||b(1).delta);",
        4,
        5,
        &["a(1)", "b(1)", "c(1)"],
    );
    check(
        "act a,b,c:Nat; init allow({a|c}, comm({a|b->c}, a(1).delta||a(2).delta||b(1).delta));",
        2,
        1,
        &["a(2)|c(1)"],
    );
    check(
        "act a,b,c; init allow({c|c}, comm({a|b->c}, (a|a).delta || (b|b).delta));",
        2,
        1,
        &["c|c"],
    );
    // The result is not matched again, except by a comm further out.
    check(
        "act a,b,c,d,e; init allow({e}, comm({c|d->e}, comm({a|b->c}, a.delta||b.delta||d.delta)));",
        2,
        1,
        &["e"],
    );
    check(
        "act a,b; init allow({a}, comm({a|b->a}, a.delta||b.delta));",
        3,
        2,
        &["a"],
    );
}

#[test]
fn the_order_of_operators_matters() {
    check(
        "act a,b; init allow({b},hide({a},(a|b).delta));",
        2,
        1,
        &["b"],
    );
    check("act a,b; init hide({a},allow({b},(a|b).delta));", 1, 0, &[]);
    check("act a; init allow({}, hide({a}, a.delta));", 2, 1, &["tau"]);
    check("act a; init allow({a}, (a|a).delta);", 1, 0, &[]);
    check(
        "act a,b; init block({a}, (a|b).delta + b.delta);",
        2,
        1,
        &["b"],
    );
    check(
        "act a,b; init rename({a->b,b->a}, (a|a|b).delta);",
        2,
        1,
        &["a|b|b"],
    );
    // tau passes every allow, and joins.
    check(
        "act a,b; init allow({a|b}, hide({b},b.delta) || a.delta || b.delta);",
        4,
        5,
        &["tau", "a|b"],
    );
}

#[test]
fn operators_below_parallel_composition() {
    check(
        "act a,b,c,s,r; proc P = rename({a->s}, a.delta); Q = rename({a->r}, a.delta); init allow({c}, comm({s|r->c}, P||Q));",
        2,
        1,
        &["c"],
    );
    check(
        "act s,r,c: Nat; proc P = hide({c}, comm({s|r->c}, s(1).delta || (sum n: Nat. r(n).delta))); init allow({c}, P || P);",
        4,
        5,
        &["tau"],
    );
    // An open step passes through the operators of its part.
    check(
        "act s,r,q,c: Nat; proc R = block({s}, rename({q->r}, sum n: Nat. q(n).delta)); init allow({c}, comm({s|r->c}, s(7).delta || R));",
        2,
        1,
        &["c(7)"],
    );
    check(
        "act a: Nat; proc P(n: Nat) = Q(n) || Q(n+1); Q(n: Nat) = a(n).delta; init allow({a}, P(1));",
        4,
        4,
        &["a(1)", "a(2)"],
    );
}

#[test]
fn sums_are_closed_by_their_partners() {
    let system = |p: &str, q: &str| {
        format!("act s,r,c: Nat; init allow({{c}}, comm({{s|r->c}}, ({p}) || ({q})));")
    };
    check(
        &system("s(3).delta", "sum n: Nat. r(n).delta"),
        2,
        1,
        &["c(3)"],
    );
    check(
        &system("s(3).delta", "sum n: Nat. (n < 3) -> r(n).delta"),
        1,
        0,
        &[],
    );
    check(
        &system("s(3).delta", "sum n: Nat. r(n+1).delta"),
        2,
        1,
        &["c(3)"],
    );
    // Both open: one is enumerated, as its condition bounds it.
    check(
        &system(
            "sum m: Nat. s(m).delta",
            "sum n: Nat. (n < 2) -> r(n).delta",
        ),
        2,
        2,
        &["c(0)", "c(1)"],
    );
    check_error(
        &system("sum m: Nat. s(m).delta", "sum n: Nat. r(n).delta"),
        "nothing bounds variable",
    );
    // A step that cannot happen may be unbounded.
    check(
        "act s,r,c: Nat; a; init allow({a,c}, comm({s|r->c}, (sum n: Nat. r(n).delta) || a.delta));",
        2,
        1,
        &["a"],
    );
    // Without allow, block cuts what does not communicate.
    check(
        "act s,r,c: Nat; init block({s,r}, comm({s|r->c}, s(1).delta || (sum n: Nat. r(n).delta)));",
        2,
        1,
        &["c(1)"],
    );
    // Received values need not be elements of the sort, and actions may be overloaded.
    check(
        "sort D = struct d1|d2; act s,r,c: D; init allow({c}, comm({s|r->c}, s(head([])).delta || (sum d: D. r(d).delta)));",
        2,
        1,
        &["c(head([]))"],
    );
    check(
        "act s,r,c: Nat; s,r,c: Bool; init allow({c}, comm({s|r->c}, s(true).delta || (sum n: Nat. r(n).delta)));",
        1,
        0,
        &[],
    );
    check(
        "act s,r,c: Real; init allow({c}, comm({s|r->c}, s(1/2).delta || (sum x: Real. r(x).delta)));",
        2,
        1,
        &["c(1 / 2)"],
    );
    // Three partners, two of them open.
    check(
        "act p,q,r,c: Nat; init allow({c}, comm({p|q|r->c}, (sum n: Nat. p(n).delta) || (sum n: Nat. q(n).delta) || r(5).delta));",
        2,
        1,
        &["c(5)"],
    );
    // A multi-action with an open part.
    check(
        "act s,r,c: Nat; line: Nat; init allow({c|line}, comm({s|r->c}, s(4).delta || (sum n: Nat. (r(n)|line(2)).delta)));",
        2,
        1,
        &["c(4)|line(2)"],
    );
}

#[test]
fn sums_without_partners_are_enumerated() {
    check(
        "act a:Nat; init sum n:Nat. (n < 3) -> a(n).delta;",
        2,
        3,
        &["a(0)", "a(1)", "a(2)"],
    );
    check("act a; init sum n:Nat. a.delta;", 2, 1, &["a"]);
    check_error(
        "act a: Nat; init sum n:Nat. a(n).delta;",
        "1:29: nothing bounds variable n: Nat",
    );
    check_error(
        "act a:Real; init sum r:Real. (r==3/2) -> a(r).delta;",
        "Cannot enumerate elements of sort Real",
    );
    check(
        "act a:Bool; proc P(b: Bool) = a(b).delta; init sum b:Bool. (b) -> P(!b) <> P(b);",
        2,
        1,
        &["a(false)"],
    );
    check(
        "act a; proc P = tau.delta + a . sum b: Bool . P; init P;",
        3,
        4,
        &["a", "tau"],
    );
}

#[test]
fn sequences_and_recursion() {
    check(
        "act a,b; proc P = a.Q.P; Q = b + b.b; init P;",
        3,
        4,
        &["a", "b"],
    );
    // A stack is kept, but only as long as something can return to it.
    check(
        "act a,b: Nat; proc P(n: Nat) = (n < 3) -> a(n).P(n+1).b(n) <> b(n); init P(0);",
        9,
        8,
        &[
            "a(0)",
            "a(1)",
            "a(2)",
            "b(0)",
            "b(1)",
            "b(2)",
            "b(3)",
            "Terminate",
        ],
    );
    check("act a,b; proc P = a.P; init P.b;", 1, 1, &["a"]);
    check("act a; proc P = a.P.P; init P;", 1, 1, &["a"]);
    // Values that nothing reads any more make no difference.
    check(
        "act a: Nat; proc P(n,m: Nat) = a(n mod 2).P((n + 1) mod 2, m + 1); init P(0,0);",
        2,
        2,
        &["a(0)", "a(1)"],
    );
    check(
        "act a: Nat; proc P(n,m: Nat) = (n < 3) -> a(m).P(n = n + 1); init P(0,7);",
        4,
        3,
        &["a(7)"],
    );
    check(
        "act a: Nat#Nat; proc P(n,m: Nat) = a(n,m).P(m=n,n=m); init P(1,2);",
        2,
        2,
        &["a(1, 2)", "a(2, 1)"],
    );
}

#[test]
fn stuck_terms_are_values_but_not_conditions() {
    check(
        "act a:Nat; proc P(n:Nat)=a(n).P(head([])); init P(1);",
        2,
        2,
        &["a(1)", "a(head([]))"],
    );
    check_error(
        "act a:Nat; map f:Nat->Bool; init f(1) -> a(1).delta;",
        "does not rewrite to true or false",
    );
}

#[test]
fn equal_steps_are_listed_once() {
    check("act a:Nat; init a(1)+a(1);", 3, 2, &["a(1)", "Terminate"]);
    check(
        "act Terminate; init Terminate;",
        3,
        2,
        &["Terminate", "Terminate1"],
    );
}

#[test]
fn global_variables_have_some_value() {
    check(
        "glob n: Nat; act a; proc P(m: Nat) = a.P(m); init P(n);",
        1,
        1,
        &["a"],
    );
}

#[test]
fn random_choices_are_steps() {
    check(
        "act a,b: Bool; init a(true) . dist x: Bool[1/2] . b(x) . delta;",
        4,
        4,
        &["a(true)", "b(true)", "b(false)"],
    );
    check(
        "act b: Bool; init dist x: Bool[1/2] . b(x) . delta;",
        4,
        4,
        &["tau", "b(true)", "b(false)"],
    );
    check(
        "act b: Bool; init tau . dist x: Bool[if(x,1,0)] . b(x) . delta;",
        3,
        2,
        &["tau", "b(true)"],
    );
}

#[test]
fn time_is_refused_where_it_stands() {
    check_error("act a; init a@1;", "time is not supported");
}

#[test]
fn settings_and_descriptions() {
    let text = "map N: Nat; eqn N = 3; act a; proc Phil(id: Nat, hungry: Bool) = (id < N) -> a.Phil(id, !hungry) + hungry -> a.delta; init Phil(2, true) || Phil(1, false);";
    let settings = [("N".to_owned(), "5".to_owned())];
    let model = sortie_mcrl2::open("phil.mcrl2", text, &settings).unwrap();
    let mut state = Vec::new();
    model.initial(&mut state).unwrap();
    let fields = model.describe(&state);
    let text: Vec<String> = fields
        .iter()
        .map(|field| format!("{}={}", field.name, field.value))
        .collect();
    assert_eq!(
        text,
        [
            "Phil(2, true)=Phil",
            "Phil(2, true).id=2",
            "Phil(2, true).hungry=true",
            "Phil(1, false)=Phil",
            "Phil(1, false).id=1",
            "Phil(1, false).hungry=false",
        ]
    );
    assert!(sortie_mcrl2::open("phil.mcrl2", "init delta;", &settings).is_err());
}

#[test]
fn fingerprints_do_not_depend_on_the_order_of_arrival() {
    let text = "act a: Nat; proc P(n: Nat) = (n < 9) -> a(n).P(n+1) + (n > 3) -> a(n).P(0); init P(0) || P(5);";
    let open = || sortie_mcrl2::open("p.mcrl2", text, &[]).unwrap();
    let (one, other) = (open(), open());
    let follow = |model: &dyn Model, path: &[usize]| {
        let mut state = Vec::new();
        model.initial(&mut state).unwrap();
        for &choice in path {
            let mut steps = Steps::new(model.width());
            model.expand(&state, &mut steps).unwrap();
            state = steps.target(choice % steps.len()).to_vec();
        }
        model.fingerprint(&state)
    };
    // The second model sees other states first.
    follow(&other, &[3, 1, 4, 1, 5, 9, 2, 6]);
    for path in [&[][..], &[0], &[1, 1], &[2, 0, 2], &[0, 1, 2, 3, 4, 5]] {
        assert_eq!(follow(&one, path), follow(&other, path));
    }
}
