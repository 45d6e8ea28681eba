//! What `dist` means: random transitions with exact probabilities, wherever the random choice stands.

use sortie_model::{Model, Steps};
use std::collections::{HashMap, VecDeque};

/// All transitions in breadth-first order: `0 -a-> 1`, or `0 -a-> 1:1/3 2:2/3` for a random one.
fn transitions(text: &str) -> Result<Vec<String>, String> {
    let model = sortie_mcrl2::open("test.mcrl2", text, &[]).map_err(|errors| {
        let messages = errors.iter().map(|error| error.message.clone());
        messages.collect::<Vec<_>>().join("\n")
    })?;
    let mut first = Vec::new();
    model.initial(&mut first).map_err(|e| e.message)?;
    let mut numbers: HashMap<Vec<u32>, usize> = HashMap::from([(first.clone(), 0)]);
    let mut waiting = VecDeque::from([first]);
    let mut all = Vec::new();
    let mut steps = Steps::new(model.width());
    while let Some(state) = waiting.pop_front() {
        steps.clear();
        model.expand(&state, &mut steps).map_err(|e| e.message)?;
        for index in 0..steps.transitions() {
            let transition = steps.transition(index);
            let label = model.label(steps.label(transition.steps.start));
            let mut line = format!("{} -{label}->", numbers[&state]);
            let sum: u64 = transition.weights.iter().sum();
            for (place, step) in transition.steps.enumerate() {
                let target = steps.target(step).to_vec();
                assert_eq!(model.label(steps.label(step)), label, "{text}");
                let next = numbers.len();
                let number = *numbers.entry(target.clone()).or_insert_with(|| {
                    waiting.push_back(target);
                    next
                });
                line += &format!(" {number}");
                if let Some(weight) = transition.weights.get(place) {
                    line += &format!(":{weight}/{sum}");
                }
            }
            all.push(line);
        }
    }
    Ok(all)
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    match transitions(text) {
        Ok(found) => assert_eq!(found, expected, "{text}"),
        Err(error) => panic!("{text}\n{error}"),
    }
}

#[track_caller]
fn check_error(text: &str, words: &str) {
    match transitions(text) {
        Ok(found) => panic!("no error: {text}\n{found:?}"),
        Err(error) => assert!(error.contains(words), "{text}\n{error}"),
    }
}

#[test]
fn weights_are_exact() {
    check(
        "act a; b: Nat; init a . dist n: Nat[if(n < 3, (n + 1) / 6, 0)] . b(n) . delta;",
        &[
            "0 -a-> 1:1/6 2:2/6 3:3/6",
            "1 -b(0)-> 4",
            "2 -b(1)-> 4",
            "3 -b(2)-> 4",
        ],
    );
    // A weight may depend on data.
    check(
        "act a: Pos; b: Bool; proc P(k: Pos) = (k < 3) -> a(k) . dist x: Bool[if(x, 1 / (k + 1), 1 - 1 / (k + 1))] . b(x) . P(k + 1); init P(1);",
        &[
            "0 -a(1)-> 1:1/2 2:1/2",
            "1 -b(true)-> 3",
            "2 -b(false)-> 3",
            "3 -a(2)-> 4:1/3 5:2/3",
            "4 -b(true)-> 6",
            "5 -b(false)-> 6",
        ],
    );
}

#[test]
fn outcomes_that_make_no_difference_are_one() {
    check(
        "act a, b; init a . dist n: Nat[if(n < 3, 1/3, 0)] . ((n < 2) -> b . delta <> a . delta);",
        &["0 -a-> 1:2/3 2:1/3", "1 -b-> 3", "2 -a-> 3"],
    );
    check(
        "act a, b; init a . dist x: Bool[1/2] . b . delta;",
        &["0 -a-> 1", "1 -b-> 2"],
    );
    check(
        "act a, b; init dist x: Bool[1/2] . b . delta;",
        &["0 -b-> 1"],
    );
}

#[test]
fn random_choices_after_each_other_multiply() {
    check(
        "act a; b: Bool # Bool; init a . dist x: Bool[if(x, 1/3, 2/3)] . dist y: Bool[if(y, 1/5, 4/5)] . b(x, y) . delta;",
        &[
            "0 -a-> 1:1/15 2:4/15 3:2/15 4:8/15",
            "1 -b(true, true)-> 5",
            "2 -b(true, false)-> 5",
            "3 -b(false, true)-> 5",
            "4 -b(false, false)-> 5",
        ],
    );
}

#[test]
fn components_that_move_together_choose_independently() {
    check(
        "act s, r, c; b, d: Bool; init allow({c, b, d}, comm({s | r -> c}, s . dist x: Bool[if(x, 1/4, 3/4)] . b(x) . delta || r . dist y: Bool[1/2] . d(y) . delta));",
        &[
            "0 -c-> 1:1/8 2:1/8 3:3/8 4:3/8",
            "1 -b(true)-> 5",
            "1 -d(true)-> 6",
            "2 -b(true)-> 7",
            "2 -d(false)-> 6",
            "3 -b(false)-> 5",
            "3 -d(true)-> 8",
            "4 -b(false)-> 7",
            "4 -d(false)-> 8",
            "5 -d(true)-> 9",
            "6 -b(true)-> 9",
            "7 -d(false)-> 9",
            "8 -b(false)-> 9",
        ],
    );
}

#[test]
fn different_transitions_to_the_same_outcomes_are_kept() {
    check(
        "act a; b: Bool; init a . dist x: Bool[1/2] . b(x) . delta + a . dist x: Bool[if(x, 1/3, 2/3)] . b(x) . delta + a . b(true) . delta;",
        &[
            "0 -a-> 1:1/2 2:1/2",
            "0 -a-> 3:1/3 4:2/3",
            "0 -a-> 5",
            "1 -b(true)-> 6",
            "2 -b(false)-> 6",
            "3 -b(true)-> 6",
            "4 -b(false)-> 6",
            "5 -b(true)-> 6",
        ],
    );
    // What is written twice is one transition.
    check(
        "act a; b: Bool; proc P = dist x: Bool[1/2] . b(x) . delta; init a . P + a . P;",
        &["0 -a-> 1:1/2 2:1/2", "1 -b(true)-> 3", "2 -b(false)-> 3"],
    );
    // Both have the label a and the target after b(true).
    check(
        "act a; b: Bool; proc B(x: Bool) = b(x) . delta; init a . dist x: Bool[1/2] . B(x) + a . dist x: Bool[if(x, 1/3, 2/3)] . B(x) + a . B(true);",
        &[
            "0 -a-> 1:1/2 2:1/2",
            "0 -a-> 1:1/3 2:2/3",
            "0 -a-> 1",
            "1 -b(true)-> 3",
            "2 -b(false)-> 3",
        ],
    );
}

#[test]
fn a_random_choice_comes_first() {
    // In `init`.
    check(
        "act b: Bool; init dist x: Bool[if(x, 1/3, 2/3)] . b(x) . delta;",
        &["0 -tau-> 1:1/3 2:2/3", "1 -b(true)-> 3", "2 -b(false)-> 3"],
    );
    // In components.
    check(
        "act b, c: Bool; proc P = dist x: Bool[1/2] . b(x) . delta; init block({c}, P || dist y: Bool[if(y, 3/4, 1/4)] . c(y));",
        &[
            "0 -tau-> 1:3/8 2:1/8 3:3/8 4:1/8",
            "1 -b(true)-> 5",
            "2 -b(true)-> 6",
            "3 -b(false)-> 5",
            "4 -b(false)-> 6",
        ],
    );
    // In an operand of a choice.
    check(
        "act a; b: Bool; init a . (dist x: Bool[1/2] . b(x) . delta) + b(true) . delta;",
        &[
            "0 -a-> 1:1/2 2:1/2",
            "0 -b(true)-> 3",
            "1 -b(true)-> 3",
            "2 -b(false)-> 3",
        ],
    );
    check(
        "act a, c; b: Bool; init a . ((dist x: Bool[1/2] . b(x) . delta) + c . delta);",
        &[
            "0 -a-> 1:1/2 2:1/2",
            "1 -b(true)-> 3",
            "1 -c-> 3",
            "2 -b(false)-> 3",
            "2 -c-> 3",
        ],
    );
    // Behind calls, with the same variable twice.
    check(
        "act a; b: Nat # Bool; proc P(n: Nat) = dist x: Bool[if(x, 1/(n + 1), n/(n + 1))] . b(n, x) . delta; Q = P(1) + P(2); init a . Q;",
        &[
            "0 -a-> 1:1/6 2:2/6 3:1/6 4:2/6",
            "1 -b(1, true)-> 5",
            "1 -b(2, true)-> 5",
            "2 -b(1, true)-> 5",
            "2 -b(2, false)-> 5",
            "3 -b(1, false)-> 5",
            "3 -b(2, true)-> 5",
            "4 -b(1, false)-> 5",
            "4 -b(2, false)-> 5",
        ],
    );
    // Behind a condition, with and without its opposite.
    let conditional = |n: u32, otherwise: &str| {
        format!(
            "act a: Nat; b: Bool; c; proc P(n: Nat) = ((n > 0) -> (dist x: Bool[1/2] . b(x) . delta) {otherwise}) + c . delta; init a({n}) . P({n});"
        )
    };
    check(
        &conditional(1, ""),
        &[
            "0 -a(1)-> 1:1/2 2:1/2",
            "1 -b(true)-> 3",
            "1 -c-> 3",
            "2 -b(false)-> 3",
            "2 -c-> 3",
        ],
    );
    check(&conditional(0, ""), &["0 -a(0)-> 1", "1 -c-> 2"]);
    check(
        &conditional(0, "<> (dist y: Bool[if(y, 1/3, 2/3)] . b(!y) . delta)"),
        &[
            "0 -a(0)-> 1:1/3 2:2/3",
            "1 -b(false)-> 3",
            "1 -c-> 3",
            "2 -b(true)-> 3",
            "2 -c-> 3",
        ],
    );
}

#[test]
fn what_follows_a_random_operand_is_kept() {
    check(
        "act a, c, d; b: Bool; init a . (((dist x: Bool[1/2] . b(x)) + c) . d . delta);",
        &[
            "0 -a-> 1:1/2 2:1/2",
            "1 -b(true)-> 3",
            "1 -c-> 3",
            "2 -b(false)-> 3",
            "2 -c-> 3",
            "3 -d-> 4",
        ],
    );
    // An open sum beside it knows what follows, too.
    check(
        "act a, d; b: Bool; r, s, e: Nat; init allow({a, b, d, e}, comm({r | s -> e}, a . (((dist x: Bool[1/2] . b(x)) + sum n: Nat . r(n)) . d . delta) || s(3) . delta));",
        &[
            "0 -a-> 1:1/2 2:1/2",
            "1 -b(true)-> 3",
            "1 -e(3)-> 4",
            "2 -b(false)-> 3",
            "2 -e(3)-> 4",
            "3 -d-> 5",
            "4 -d-> 6",
        ],
    );
}

#[test]
fn mistakes_are_named_with_their_place() {
    check_error(
        "act a; init a .\n dist x: Bool[1/3] . a . delta;",
        "test.mcrl2:2:2: the probabilities of this `dist` must add up to 1, but they add up to 2/3",
    );
    check_error(
        "act a; init a . dist n: Nat[if(n < 3, 1/2, 0)] . a . delta;",
        "add up to 3/2",
    );
    check_error(
        "act a; init a . dist n: Nat[if(n > 7 && n < 3, 1, 0)] . a . delta;",
        "add up to 0",
    );
    check_error(
        "act a: Bool; init sum y: Bool . dist x: Bool[1/2] . a(x) . delta;",
        "below a sum",
    );
    check_error(
        "act a: Bool; proc P(y: Bool) = dist x: Bool[1/2] . a(x && y) . delta; init sum y: Bool . P(y);",
        "below a sum",
    );
    check_error(
        "act a: Bool; proc P = dist x: Bool[1/2] . P; init P;",
        "can call itself without doing an action",
    );
    check_error(
        "act a: Bool; init a(true) . dist x: Bool[if(x, 1 / exp(10, 20), 1 - 1 / exp(10, 20))] . a(x) . delta;",
        "64 bits",
    );
    // A mistake in a step that cannot happen does no harm.
    check(
        "act a, b; init allow({b}, a . dist x: Bool[1/3] . a . delta + b . delta);",
        &["0 -b-> 1"],
    );
}

#[test]
fn a_state_with_alternatives_is_described() {
    let text = "act a, c; b: Bool; init a . ((dist x: Bool[1/2] . b(x) . delta) + c . delta);";
    let model = sortie_mcrl2::open("test.mcrl2", text, &[]).expect("a specification");
    let mut state = Vec::new();
    model.initial(&mut state).expect("an initial state");
    let mut steps = Steps::new(1);
    model.expand(&state, &mut steps).expect("steps");
    let fields = model.describe(steps.target(1));
    let shown: Vec<String> = fields
        .iter()
        .map(|field| format!("{} = {}", field.name, field.value))
        .collect();
    assert_eq!(
        shown,
        ["init = init at 1:51, or init at 1:67", "init.x = false"]
    );
}
