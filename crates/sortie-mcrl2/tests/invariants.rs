//! Expressions over the parameters of components, compared with what `describe` says of every state.

use sortie_mcrl2::{Keep, Mcrl2Model, StateExpression, open, open_keeping};
use sortie_model::{Model, Steps};
use sortie_property::Evaluation;
use sortie_syntax::Source;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Two workers of one process, a store with a list, and processes that the same text follows.
const WORKERS: &str = "
sort Job = struct none | some(number: Nat)?has;
map Last: Nat;
eqn Last = 2;
act give, take, work: Nat; put, keep, pass: Nat # Nat; rest; stop;
proc Worker(id: Nat, job: Job) =
       (job == none) -> sum n: Nat. take(n) . Worker(id, some(n))
                     <> work(number(job)) . put(id, number(job)) . (rest . Worker(id, none) + rest . Tired(id, 1));
     Tired(id: Nat, left: Nat) = (left > 0) -> rest . Tired(id, Int2Nat(left - 1)) <> Worker(id, none);
     Source(next: Nat, unused: Bool) = (next <= Last) -> give(next) . Source(next + 1, !unused);
     Store(list: List(Nat)) =
       sum i, n: Nat. (i < 3) -> keep(i, n) . Store(n |> list);
init allow({pass, work, rest, hand}, comm({put | keep -> pass, give | take -> hand},
     Worker(1, none) || Worker(2, none) || Source(0, true) || Store([])));
";

fn workers() -> String {
    WORKERS.replace("act give", "act hand, give")
}

fn model(text: &str, keep: &Keep) -> Mcrl2Model {
    open_keeping("test.mcrl2", text, &[], keep).unwrap_or_else(|errors| panic!("{errors:?}"))
}

fn states(model: &Mcrl2Model) -> Vec<Vec<u32>> {
    let mut first = Vec::new();
    model.initial(&mut first).unwrap();
    let mut all = vec![first.clone()];
    let mut seen: HashSet<Vec<u32>> = HashSet::from([first]);
    let mut steps = Steps::new(model.width());
    let mut next = 0;
    while next < all.len() {
        steps.clear();
        model.expand(&all[next], &mut steps).unwrap();
        for (_, target) in steps.iter() {
            if seen.insert(target.to_vec()) {
                all.push(target.to_vec());
            }
        }
        next += 1;
    }
    all
}

/// What `describe` says; the first of equal names counts.
fn fields(model: &Mcrl2Model, state: &[u32]) -> BTreeMap<String, String> {
    let mut fields = BTreeMap::new();
    for field in model.describe(state) {
        fields.entry(field.name).or_insert(field.value);
    }
    fields
}

fn truth(model: &Mcrl2Model, expression: &StateExpression, state: &[u32]) -> Evaluation {
    let values = expression
        .values(model, state)
        .expect("the model has no random start");
    expression.truth(model, &values)
}

#[test]
fn every_field_and_value_is_what_describe_says() {
    let text = workers();
    let model = model(&text, &Keep::everything());
    let states = states(&model);
    let mut values: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for state in &states {
        for (name, value) in fields(&model, state) {
            if name.contains(").") {
                values.entry(name).or_default().insert(value);
            }
        }
    }
    assert!(values.contains_key("Worker(1, none).left"), "{values:?}");
    let mut compared = [0; 3];
    for (name, values) in &values {
        for value in values {
            let question = format!("{name} == {value}");
            let expression = StateExpression::parse(&model, &question).unwrap();
            for state in &states {
                let described = fields(&model, state).get(name).cloned();
                let (expected, kind) = match described {
                    None => (Evaluation::Missing(vec![name.clone()]), 0),
                    Some(other) if other == *value => (Evaluation::True, 1),
                    Some(_) => (Evaluation::False, 2),
                };
                assert_eq!(truth(&model, &expression, state), expected, "{question}");
                compared[kind] += 1;
            }
        }
    }
    assert!(compared.iter().all(|count| *count > 100), "{compared:?}");
}

#[test]
fn places_are_what_describe_says() {
    let text = workers();
    let plain = open("test.mcrl2", &text, &[]).unwrap();
    let question = "Worker(2,none) @ Tired";
    let keep = StateExpression::parse(&plain, question)
        .unwrap()
        .keep()
        .clone();
    assert_eq!(keep.to_string(), "Tired");
    let model = model(&text, &keep);
    let expression = StateExpression::parse(&model, question).unwrap();
    let mut both = [0; 2];
    for state in states(&model) {
        let place = fields(&model, &state)["Worker(2, none)"].clone();
        let expected = place.starts_with("Tired");
        let found = truth(&model, &expression, &state);
        assert_eq!(found == Evaluation::True, expected, "{place}");
        assert_eq!(found == Evaluation::False, !expected, "{place}");
        both[usize::from(expected)] += 1;
    }
    assert!(both.iter().all(|count| *count > 0), "{both:?}");
}

/// `id` and `unused` are read by nothing, or not everywhere; what an expression names stays while its process runs.
#[test]
fn what_an_expression_names_is_kept() {
    let text = workers();
    let question = "Source.unused && Worker(1, none).id == 1 && #Store.list <= 3";
    let plain = open("test.mcrl2", &text, &[]).unwrap();
    let expression = StateExpression::parse(&plain, question).unwrap();
    assert_eq!(
        expression.keep().to_string(),
        "Source.unused,Store.list,Tired.id,Worker.id"
    );
    let unknown = |model: &Mcrl2Model| {
        let expression = StateExpression::parse(model, question).unwrap();
        let missing =
            |state: &&Vec<u32>| matches!(truth(model, &expression, state), Evaluation::Missing(_));
        states(model).iter().filter(missing).count()
    };
    assert!(unknown(&plain) > 0);
    assert_eq!(unknown(&model(&text, expression.keep())), 0);
}

#[test]
fn a_missing_value_matters_only_where_the_answer_depends_on_it() {
    let text = "act a, b; proc P(n: Nat) = a . Q(n > 0); Q(m: Bool) = m -> b . delta; init P(1);";
    let model = model(text, &Keep::everything());
    let states = states(&model);
    let answers = |question: &str| -> Vec<Evaluation> {
        let expression = StateExpression::parse(&model, question).unwrap();
        states
            .iter()
            .map(|s| truth(&model, &expression, s))
            .collect()
    };
    let missing = |name: &str| Evaluation::Missing(vec![name.to_owned()]);
    assert_eq!(states.len(), 3);
    assert_eq!(
        answers("P.n == 1"),
        [Evaluation::True, missing("P.n"), missing("P.n")]
    );
    assert_eq!(
        answers("P.m || P.n == 1"),
        [Evaluation::True, Evaluation::True, Evaluation::True]
    );
    assert_eq!(
        answers("P @ Q => P.m"),
        [Evaluation::True, Evaluation::True, Evaluation::True]
    );
    assert_eq!(
        answers("head([]) == P.n")[0],
        Evaluation::Undefined("head([]) == 1".into())
    );
}

fn refusal(text: &str, question: &str) -> String {
    let model = open("test.mcrl2", text, &[]).unwrap();
    let source = Source {
        name: "question",
        text: question,
    };
    match StateExpression::parse(&model, question) {
        Ok(_) => panic!("{question} is accepted"),
        Err(errors) => errors.iter().map(|e| e.render(source, 80)).collect(),
    }
}

#[test]
fn mistakes_say_what_there_is() {
    let text = workers();
    let check = |question: &str, pieces: &[&str]| {
        let message = refusal(&text, question);
        for piece in pieces {
            assert!(message.contains(piece), "{question}: {message}");
        }
        assert_eq!(message.matches("error:").count(), 1, "{message}");
    };
    check(
        "Worker(3, none).id > 0",
        &[
            "there is no component `Worker(3, none)`",
            "Worker(2, none), Source(0, true)",
        ],
    );
    check(
        "Werker.id > 0",
        &["there is no component `Werker`", "^^^^^^"],
    );
    check(
        "Worker.id > 0",
        &[
            "`Worker` can be any of 2 components",
            "write one of Worker(1, none), Worker(2, none)",
        ],
    );
    check(
        "Source.nxt > 0",
        &[
            "has no parameter `nxt`",
            "next: Nat, unused: Bool",
            "did you mean `next`",
        ],
    );
    check("Store.list < 3", &["List(Nat)"]);
    check("Source.next + 1", &["Bool"]);
    check(
        "Source @ Tired",
        &["never is in a process `Tired`", "its processes are Source"],
    );
    check("Source.next < ", &["expected"]);
}

#[test]
fn equal_names_are_numbered_and_spaces_do_not_matter() {
    let text = "act a; proc P(n: Nat) = (n < 2) -> a . P(n + 1); init P(0) || P(0) || P(1);";
    let model = open("test.mcrl2", text, &[]).unwrap();
    for good in [
        "P(0)#1.n < 3",
        "P( 0 ) #2 . n < 3",
        "P(1).n < 3",
        "exists k: Nat. k < 3 && k == P(1).n",
    ] {
        assert!(StateExpression::parse(&model, good).is_ok(), "{good}");
    }
    assert!(refusal(text, "P(0).n < 3").contains("P(0)#1, P(0)#2"));
}

#[test]
fn a_name_of_two_sorts_is_refused() {
    let text = "act a; proc P(x: Nat) = a . Q(true); Q(x: Bool) = a . P(1); init P(0);";
    assert!(refusal(text, "P.x == 1").contains("not of one sort"));
}
