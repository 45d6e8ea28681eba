//! Small random SMV models against an evaluator of their own: it tries all assignments of values and knows nothing of rules and their order.

mod random_smv;

use random_smv::{Context, Expr, Model as Drawn, Role, model};
use sortie_model::{Model, Steps};
use sortie_synchronous::{Claim, Predicate, Settings, Synchronous, smv};
use sortie_syntax::Source;
use std::collections::BTreeSet;

/// States that can be reached, and for each property whether it is violated.
#[derive(Debug, PartialEq)]
struct Verdict {
    states: BTreeSet<Vec<String>>,
    violated: Vec<bool>,
}

/// All assignments of values to variables.
fn assignments(drawn: &Drawn) -> Vec<Vec<i64>> {
    let mut all = vec![Vec::new()];
    for variable in &drawn.variables {
        let longer = all.iter().flat_map(|assignment: &Vec<i64>| {
            let values = variable.kind.values();
            values.into_iter().map(|value| {
                let mut assignment = assignment.clone();
                assignment.push(value);
                assignment
            })
        });
        all = longer.collect();
    }
    all
}

fn brute_force(drawn: &Drawn) -> Verdict {
    let all = assignments(drawn);
    // What is true of every state by itself.
    let admitted = |state: &Vec<i64>| {
        let here = Context {
            before: state,
            after: state,
        };
        let always = drawn.variables.iter().zip(state).all(|(variable, value)| {
            let set = variable.always.as_ref();
            set.is_none_or(|set| set.contains(*value, &here))
        });
        always && drawn.invariants.iter().all(|e| e.holds(&here))
    };
    let first = |state: &&Vec<i64>| {
        let here = Context {
            before: state,
            after: state,
        };
        let begins = drawn.variables.iter().zip(*state).all(|(variable, value)| {
            let set = variable.first.as_ref();
            set.is_none_or(|set| set.contains(*value, &here))
        });
        begins && admitted(state) && drawn.first.iter().all(|e| e.holds(&here))
    };
    let follows = |before: &Vec<i64>, after: &Vec<i64>| {
        let step = Context { before, after };
        let pairs = drawn.variables.iter().zip(before.iter().zip(after));
        let mut assigned = pairs.map(|(variable, (old, new))| {
            let next = variable.next.as_ref();
            (variable.role != Role::Frozen || old == new)
                && next.is_none_or(|set| set.contains(*new, &step))
        });
        assigned.all(|holds| holds) && drawn.steps.iter().all(|e| e.holds(&step)) && admitted(after)
    };
    let shown = |state: &Vec<i64>| -> Vec<String> {
        let pairs = drawn.variables.iter().zip(state);
        let states = pairs.filter(|(variable, _)| variable.role != Role::Input);
        states.map(|(v, value)| v.kind.shown(*value)).collect()
    };
    let mut violated = vec![false; drawn.properties.len()];
    let mut states = BTreeSet::new();
    let mut waiting: Vec<&Vec<i64>> = all.iter().filter(first).collect();
    while let Some(state) = waiting.pop() {
        if !states.insert(shown(state)) {
            continue;
        }
        let here = Context {
            before: state,
            after: state,
        };
        for (property, violated) in drawn.properties.iter().zip(&mut violated) {
            *violated |= !property.about_step && !property.expression.holds(&here);
        }
        for after in all.iter().filter(|after| follows(state, after)) {
            let step = Context {
                before: state,
                after,
            };
            for (property, violated) in drawn.properties.iter().zip(&mut violated) {
                *violated |= property.about_step && !property.expression.holds(&step);
            }
            waiting.push(after);
        }
    }
    Verdict { states, violated }
}

/// Predicates of formulas, read again from what they became, each with what it should say.
fn formulas<'a>(
    drawn: &'a Drawn,
    written: &smv::Written,
    model: &Synchronous,
    text: &str,
) -> Vec<(&'a Expr, Predicate)> {
    let claims = written.system.properties.iter();
    let claims = claims.filter_map(|property| match &property.claim {
        Claim::Ltl(formula) => Some(formula),
        _ => None,
    });
    let claims: Vec<&String> = claims.collect();
    assert_eq!(claims.len(), drawn.formulas.len());
    let mut predicates = Vec::new();
    for (claim, (_, expr)) in claims.into_iter().zip(&drawn.formulas) {
        let inside = claim
            .strip_prefix("X { ")
            .and_then(|c| c.strip_suffix(" }"));
        let Some(inside) = inside else {
            assert!(["X true", "X false"].contains(&claim.as_str()), "{claim}");
            continue;
        };
        let read = written.expression(inside);
        let read = read.unwrap_or_else(|errors| panic!("{text}\n{claim}\n{errors:?}"));
        predicates.push((expr, model.predicate(&read)));
    }
    predicates
}

fn ours(drawn: &Drawn, text: &str) -> Verdict {
    let name = "random.smv";
    let source = Source { name, text };
    let fail = |errors: Vec<sortie_syntax::Diagnostic>| -> ! {
        let shown: String = errors.iter().map(|e| e.render(source, 120)).collect();
        panic!("{text}\n{shown}")
    };
    let written = smv::read(source, &[]).unwrap_or_else(|errors| fail(errors));
    let model = Synchronous::new(written.system.clone(), source, &[], Settings::default())
        .unwrap_or_else(|errors| fail(errors));
    let names = drawn.variables.iter().filter(|v| v.role != Role::Input);
    let names: Vec<String> = names.map(|variable| variable.full_name()).collect();
    let predicates: Vec<_> = written
        .system
        .properties
        .iter()
        .filter_map(|property| match &property.claim {
            Claim::Invariant(expression) => Some(model.predicate(expression)),
            _ => None,
        })
        .collect();
    let formulas = formulas(drawn, &written, &model, text);
    let mut formulas: Vec<_> = formulas
        .iter()
        .map(|(expr, predicate)| (*expr, predicate.evaluator(&model)))
        .collect();
    let mut evaluators: Vec<_> = predicates.iter().map(|p| p.evaluator(&model)).collect();
    let mut violated = vec![false; predicates.len()];
    let mut states = BTreeSet::new();
    let mut first = Vec::new();
    model.initial(&mut first).expect("it begins");
    let mut seen = BTreeSet::from([first.clone()]);
    let mut waiting = vec![first];
    while let Some(state) = waiting.pop() {
        if model.has_begun(&state) {
            let fields = model.describe(&state);
            let value = |name: &String| {
                let field = fields.iter().find(|field| field.name == *name);
                field.expect("a state variable").value.clone()
            };
            states.insert(names.iter().map(value).collect());
            let value = |variable: &random_smv::Variable| {
                let field = fields.iter().find(|f| f.name == variable.full_name())?;
                let values = variable.kind.values().into_iter();
                values
                    .into_iter()
                    .find(|v| variable.kind.shown(*v) == field.value)
            };
            let values = drawn.variables.iter().map(|v| value(v).unwrap_or(0));
            let values: Vec<i64> = values.collect();
            for (formula, evaluator) in &mut formulas {
                let here = Context {
                    before: &values,
                    after: &values,
                };
                let holds = evaluator.holds(&state).expect("a value");
                let said = formula.text(drawn, 0);
                assert_eq!(holds, Some(formula.holds(&here)), "{text}\n{said}");
            }
            for (evaluator, violated) in evaluators.iter_mut().zip(&mut violated) {
                let holds = evaluator.holds(&state);
                let holds = holds.unwrap_or_else(|error| panic!("{text}\n{error}"));
                *violated |= holds == Some(false);
            }
        }
        let mut steps = Steps::new(model.width());
        let expanded = model.expand(&state, &mut steps);
        expanded.unwrap_or_else(|error| panic!("{text}\n{error}"));
        for (_, target) in steps.iter() {
            if seen.insert(target.to_vec()) {
                waiting.push(target.to_vec());
            }
        }
    }
    Verdict { states, violated }
}

#[test]
fn reachable_states_and_verdicts_are_those_of_brute_force() {
    let mut sizes = Vec::new();
    let (mut held, mut violated) = (0, 0);
    for seed in 0..600 {
        let drawn = model(seed);
        let text = drawn.text();
        let expected = brute_force(&drawn);
        let found = ours(&drawn, &text);
        assert_eq!(found, expected, "seed {seed}\n{text}");
        sizes.push(expected.states.len());
        violated += expected.violated.iter().filter(|v| **v).count();
        held += expected.violated.iter().filter(|v| !**v).count();
    }
    // The models are worth the trouble: many have several states, and properties go either way.
    let several = sizes.iter().filter(|size| **size > 3).count();
    assert!(several > 200, "{sizes:?}");
    assert!(held > 200 && violated > 200, "{held} {violated}");
}
