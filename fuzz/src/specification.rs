//! A specification: checked, printed, opened and explored for a few states.

use sortie_data::Limits;
use sortie_mcrl2::{Keep, Proc, Specification, check_specification, open_within, print_process};
use sortie_model::{Model, Steps};
use sortie_syntax::Source;
use std::collections::{HashMap, VecDeque};

/// Small enough for thousands of texts per second, large enough for every kind of rewriting.
const LIMITS: Limits = Limits {
    steps: 2_000,
    depth: 2_000,
    terms: 200_000,
    quantifier: 10,
    enumeration: 100,
    branching: 2_000,
};

const STATES: usize = 24;

/// States with more steps are not expanded further.
const STEPS: usize = 64;

/// Nothing here may panic, hang or use much memory, whatever the text.
pub fn run(text: &str) {
    let specification = match check_specification(text) {
        Ok(specification) => specification,
        Err(errors) => {
            assert!(!errors.is_empty(), "refused without a reason");
            let name = "fuzz.mcrl2";
            for error in errors.iter().take(8) {
                error.render(Source { name, text }, 80);
            }
            return;
        }
    };
    print_again(text, &specification, &specification.init);
    for process in &specification.processes {
        print_again(text, &specification, &process.body);
    }
    match open_within("fuzz.mcrl2", text, &[], &Keep::default(), LIMITS) {
        Ok(model) => explore(&model),
        Err(errors) => assert!(!errors.is_empty(), "refused without a reason"),
    }
}

/// A printed process in place of the original is read as the same process.
fn print_again(text: &str, specification: &Specification, proc: &Proc) {
    let printed = print_process(specification, proc);
    let (before, after) = (&text[..proc.span.start], &text[proc.span.end..]);
    let again = format!("{before} {printed} {after}");
    let reread = check_specification(&again)
        .unwrap_or_else(|errors| panic!("{printed}: {}", errors[0].message));
    let processes = reread.processes.iter().map(|process| &process.body);
    let mut same = processes.chain([&reread.init]);
    let other = same.find(|other| other.span.start == proc.span.start + 1);
    assert_eq!(
        other.map(|other| print_process(&reread, other)),
        Some(printed)
    );
}

/// Breadth first, asking for everything a search or a report asks for.
fn explore(model: &dyn Model) {
    let mut state = Vec::new();
    if model.initial(&mut state).is_err() {
        return;
    }
    let mut seen = HashMap::from([(model.fingerprint(&state), state.clone())]);
    let mut queue = VecDeque::from([state]);
    let mut expanded = 0;
    while let Some(state) = queue.pop_front() {
        expanded += 1;
        if expanded > STATES {
            return;
        }
        model.describe(&state);
        let (mut steps, mut again) = (Steps::new(model.width()), Steps::new(model.width()));
        let first = model.expand(&state, &mut steps);
        assert_eq!(first, model.expand(&state, &mut again));
        if first.is_err() {
            return;
        }
        assert_eq!(
            (steps.labels(), steps.words()),
            (again.labels(), again.words())
        );
        for (label, target) in steps.iter().take(STEPS) {
            assert!(!model.label(label).is_empty());
            let fingerprint = model.fingerprint(target);
            if let Some(known) = seen.get(&fingerprint) {
                assert_eq!(known, target, "one fingerprint, two states");
            } else {
                seen.insert(fingerprint, target.to_vec());
                queue.push_back(target.to_vec());
            }
        }
    }
}
