//! Shortened traces of random networks have the fewest context switches that exchanges of independent neighbours lead to: compared with
//! all orders, made one by one on the model.

use sortie_mcrl2::{Mcrl2Model, open};
use sortie_model::{Dice, Model, PartSet, Steps, Trace, TraceStep};
use sortie_property::{Action, Deadlock, Property};
use sortie_witness::{Shown, check, shorten};
use std::collections::HashSet;
use std::fmt::Write as _;

/// Processes that go through their steps one after the other, alone or two at a time. With `detours`, some steps can be put off by another
/// one; with `fails`, the first process says `error` after its last step.
fn random_network(dice: &mut Dice, detours: bool, fails: bool) -> String {
    let count = 2 + dice.index(3);
    let mut processes = vec![Vec::new(); count];
    for number in 0..4 + dice.index(4) {
        let one = dice.index(count);
        let other = dice.index(count);
        if one != other && dice.index(3) == 0 {
            processes[one].push(format!("say({number})"));
            processes[other].push(format!("hear({number})"));
        } else if detours && dice.index(3) == 0 {
            processes[one].push(format!(
                "(step({number}) + wait({number}) . step({number}))"
            ));
        } else {
            processes[one].push(format!("step({number})"));
        }
    }
    if fails {
        processes[0].push("error".into());
    }
    let mut text = String::from("act step, wait, say, hear, talk: Nat; error;\n");
    for (process, steps) in processes.iter_mut().enumerate() {
        steps.push("delta".into());
        let _ = writeln!(text, "proc P{process} = {};", steps.join(" . "));
    }
    let names: Vec<String> = (0..count).map(|process| format!("P{process}")).collect();
    let together = names.join(" || ");
    let _ = writeln!(
        text,
        "init allow({{step, wait, talk, error}}, comm({{say | hear -> talk}}, {together}));"
    );
    text
}

fn listed(model: &Mcrl2Model, state: &[u32]) -> Steps {
    let mut steps = Steps::new(model.width());
    steps.want_parts(true);
    model.expand(state, &mut steps).expect("it can be listed");
    steps
}

/// Takes steps by chance until the last one is `error`, or there is none.
fn walk(model: &Mcrl2Model, dice: &mut Dice) -> Trace {
    let mut start = Vec::new();
    model.initial(&mut start).expect("it has a beginning");
    let mut trace = Trace {
        start,
        steps: Vec::new(),
    };
    loop {
        let steps = listed(model, trace.last());
        if steps.is_empty() {
            return trace;
        }
        let index = dice.index(steps.len());
        trace.push(steps.label(index), steps.target(index));
        if model.label(steps.label(index)) == "error" {
            return trace;
        }
    }
}

fn parts(model: &Mcrl2Model, state: &[u32], step: &TraceStep) -> PartSet {
    let steps = listed(model, state);
    let found = steps
        .iter()
        .position(|(label, target)| label == step.label && target == step.target);
    let parts = found.and_then(|index| steps.parts(index));
    parts.expect("a step of the model, which tells its parts")
}

fn switches(model: &Mcrl2Model, trace: &Trace) -> usize {
    let steps = trace.steps.iter().enumerate();
    let parts: Vec<PartSet> = steps
        .map(|(place, step)| parts(model, trace.state(place), step))
        .collect();
    let neighbours = parts.windows(2);
    neighbours.filter(|pair| !pair[0].meets(&pair[1])).count()
}

/// All traces in which the step at `place` and the one after it come in the other order, and lead to the same state.
fn exchanged(model: &Mcrl2Model, trace: &Trace, place: usize) -> Vec<Trace> {
    let (first, second) = (&trace.steps[place], &trace.steps[place + 1]);
    let one = parts(model, trace.state(place), first);
    if one.meets(&parts(model, &first.target, second)) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (label, between) in listed(model, trace.state(place)).iter() {
        let after = listed(model, between);
        let closes = |(label, target)| label == first.label && target == &second.target[..];
        if label == second.label && after.iter().any(closes) {
            let mut other = trace.clone();
            other.steps[place] = TraceStep {
                label,
                target: between.to_vec(),
            };
            other.steps[place + 1] = TraceStep {
                label: first.label,
                target: second.target.clone(),
            };
            found.push(other);
        }
    }
    found
}

/// The fewest switches of all traces that exchanges lead to; the last step stays if it has to.
fn fewest(model: &Mcrl2Model, trace: &Trace, last_stays: bool) -> usize {
    let key = |trace: &Trace| -> Vec<(u32, Vec<u32>)> {
        let steps = trace.steps.iter();
        steps
            .map(|step| (step.label.0, step.target.clone()))
            .collect()
    };
    let mut seen = HashSet::from([key(trace)]);
    let mut waiting = vec![trace.clone()];
    let mut best = usize::MAX;
    while let Some(order) = waiting.pop() {
        best = best.min(switches(model, &order));
        let places = order.len().saturating_sub(1 + usize::from(last_stays));
        for place in 0..places {
            for other in exchanged(model, &order, place) {
                if seen.insert(key(&other)) {
                    waiting.push(other);
                }
            }
        }
    }
    best
}

#[test]
fn shortened_traces_have_the_fewest_context_switches() {
    let dice = &mut Dice::new(7);
    let (mut calmer, mut shorter) = (0, 0);
    for round in 0..120 {
        let (detours, fails) = (round % 2 == 1, round % 3 == 0);
        let text = random_network(dice, detours, fails);
        let model = open("random", &text, &[]).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
        let raw = walk(&model, dice);
        let property: Box<dyn Property> = match fails {
            true => Box::new(Action::matching("error").expect("a good pattern")),
            false => Box::new(Deadlock),
        };
        let before = Shown::at_end(raw.clone());
        if check(&model, &*property, &before)
            .expect("it can be walked")
            .is_err()
        {
            // The walk came to an end without an error: somebody else waits for ever.
            continue;
        }
        let after = shorten(&model, &*property, before.clone(), 20_000).expect("it does not fail");
        let again = shorten(&model, &*property, before, 20_000).expect("it does not fail");
        assert_eq!(after, again, "round {round}\n{text}");
        let checked = check(&model, &*property, &after).expect("it can be walked");
        assert_eq!(checked, Ok(()), "round {round}\n{text}");
        let trace = &after.trace;
        assert!(trace.len() <= raw.len(), "round {round}\n{text}");
        let count = switches(&model, trace);
        assert_eq!(count, fewest(&model, trace, fails), "round {round}\n{text}");
        if trace.len() < raw.len() {
            shorter += 1;
        } else {
            assert!(count <= switches(&model, &raw), "round {round}\n{text}");
            calmer += usize::from(count < switches(&model, &raw));
        }
    }
    assert!(calmer > 20 && shorter > 20, "{calmer} {shorter}");
}

/// Nothing is exchanged once the budget is spent, and the trace is still good.
#[test]
fn small_budgets_leave_good_traces() {
    let text = "act a, b: Nat; proc P(i: Nat) = a(i) . b(i) . a(i) . delta;
         init allow({a, b}, P(0) || P(1) || P(2));";
    let model = open("test", text, &[]).expect("a good specification");
    let mut best = usize::MAX;
    for budget in 0..200 {
        let raw = walk(&model, &mut Dice::new(3));
        let before = switches(&model, &raw);
        let after =
            shorten(&model, &Deadlock, Shown::at_end(raw), budget).expect("it does not fail");
        let checked = check(&model, &Deadlock, &after).expect("it can be walked");
        assert_eq!(checked, Ok(()), "budget {budget}");
        let count = switches(&model, &after.trace);
        assert!(count == before || count == 2, "budget {budget}: {count}");
        best = best.min(count);
    }
    assert_eq!(best, 2);
}
