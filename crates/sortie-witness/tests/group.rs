//! Which witnesses of a specification end alike.

use sortie_mcrl2::{Mcrl2Model, open};
use sortie_model::{Model, Steps, Trace};
use sortie_witness::{Ending, groups};

fn specification(text: &str) -> Mcrl2Model {
    open("test", text, &[]).unwrap_or_else(|error| panic!("{error:?}\n{text}"))
}

/// The trace with these labels.
fn trace(model: &Mcrl2Model, labels: &[&str]) -> Trace {
    let mut start = Vec::new();
    model.initial(&mut start).expect("it has a beginning");
    let steps = Vec::new();
    let mut trace = Trace { start, steps };
    for wanted in labels {
        let mut steps = Steps::new(model.width());
        model
            .expand(trace.last(), &mut steps)
            .expect("it can be listed");
        let mut listed = steps.iter();
        let found = listed.find(|(label, _)| model.label(*label) == *wanted);
        let (label, target) = found.unwrap_or_else(|| panic!("{wanted} is not possible"));
        trace.push(label, target);
    }
    trace
}

fn members(endings: Vec<Ending>) -> Vec<Vec<usize>> {
    let groups = groups(endings.into_iter().map(|ending| (ending, 1)));
    groups.into_iter().map(|group| group.members).collect()
}

/// Two kinds of process fail by the same action, each with data of its own.
#[test]
fn last_steps_are_told_apart_by_name_and_by_component() {
    let model = specification(
        "act work, fail: Nat;
         proc P(i: Nat) = work(i) . fail(i) . delta;
              Q(i: Nat) = fail(i) . work(i) . delta;
         init allow({work, fail}, P(0) || P(1) || Q(2));",
    );
    let ending = |labels: &[&str]| {
        Ending::with_steps(&model, "action fail".into(), &trace(&model, labels), None)
    };
    let first = ending(&["work(0)", "fail(0)"]);
    assert!(first.labels.iter().eq(["fail"]) && first.components.iter().eq(["P"]));
    let endings = vec![
        first,
        ending(&["fail(2)"]),
        ending(&["fail(2)", "work(1)", "fail(1)"]),
        ending(&["work(0)"]),
        ending(&["work(1)", "fail(2)"]),
    ];
    assert_eq!(members(endings), [vec![0, 2], vec![1, 4], vec![3]]);
}

/// Where components stand says which deadlock it is, whatever the last step and the data.
#[test]
fn deadlocks_are_told_apart_by_places() {
    let model = specification(
        "act a, b, c, one, two: Nat; go;
         proc P = sum n: Nat. (n < 3) -> (a(n) . Stuck(n) + b(n) . c(n) . Stuck(n) + c(n) . Lost(n));
              Stuck(n: Nat) = one(n) . P;
              Lost(n: Nat) = two(n) . P;
              Q = go . delta;
         init allow({a, b, c, go}, P || Q);",
    );
    let ending =
        |labels: &[&str]| Ending::in_deadlock(&model, "deadlock".into(), &trace(&model, labels));
    let first = ending(&["a(0)", "go"]);
    assert!(!first.places.is_empty() && first.labels.is_empty());
    let endings = vec![
        first,
        ending(&["c(1)", "go"]),
        ending(&["go", "a(2)"]),
        ending(&["b(1)", "go", "c(1)"]),
        ending(&["go", "c(0)"]),
    ];
    assert_eq!(members(endings), [vec![0, 2, 3], vec![1, 4]]);
}

/// It does not matter where one enters a loop.
#[test]
fn loops_are_told_apart_by_all_their_steps() {
    let model = specification(
        "act a, b, c: Nat;
         proc P = a(1) . b(2) . P + c(3) . P;
         init P;",
    );
    let ending = |labels: &[&str], begin| {
        let trace = trace(&model, labels);
        Ending::with_steps(&model, "livelock".into(), &trace, Some(begin))
    };
    let endings = vec![
        ending(&["a(1)", "b(2)"], 0),
        ending(&["a(1)", "b(2)", "a(1)"], 1),
        ending(&["c(3)"], 0),
    ];
    assert_eq!(members(endings), [vec![0, 1], vec![2]]);
}
