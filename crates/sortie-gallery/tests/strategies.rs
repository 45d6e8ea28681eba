//! Every model under every strategy.

use sortie_gallery::{Entry, GALLERY};
use sortie_model::{Model, Silent, Steps, Verdict};
use sortie_property::{Deadlock, Property};
use sortie_search::{Hunt, Outcome, STRATEGIES, Strategy, strategy};

fn hunt(model: &dyn Model, strategy: &Strategy, seed: u64) -> Outcome {
    let wanted: Vec<Box<dyn Property>> = vec![Box::new(Deadlock)];
    let mut hunt = Hunt::new(model, &wanted, &Silent);
    hunt.budget.max_states = Some(20_000);
    hunt.seed = seed;
    strategy
        .hunt(&hunt)
        .unwrap_or_else(|error| panic!("{}: {error}", strategy.name))
}

/// A strategy must not contradict the full search, and what it finds must be there.
fn check(entry: &Entry, strategy: &Strategy, truth: &Verdict, seed: u64) {
    let at = format!("{} under {}, seed {seed}", entry.name, strategy.name);
    let model = entry.build_small();
    let outcome = hunt(&*model, strategy, seed);
    match &outcome.verdict {
        Verdict::Found => assert_eq!(truth, &Verdict::Found, "{at}"),
        Verdict::Exhausted => assert_eq!(truth, &Verdict::Exhausted, "{at}"),
        Verdict::Spent(_) => {}
        Verdict::Broken(error) => panic!("{at}: {error}"),
    }
    for found in &outcome.found {
        let mut steps = Steps::new(model.width());
        for (index, step) in found.trace.steps.iter().enumerate() {
            steps.clear();
            model.expand(found.trace.state(index), &mut steps).unwrap();
            let taken = (step.label, step.target.as_slice());
            assert!(steps.iter().any(|offered| offered == taken), "{at}");
        }
        steps.clear();
        model.expand(found.trace.last(), &mut steps).unwrap();
        assert!(steps.is_empty(), "{at}: not a deadlock");
    }
}

#[test]
fn every_model_under_every_strategy() {
    let bfs = strategy("bfs").unwrap();
    for entry in GALLERY {
        let model = entry.build_small();
        let truth = hunt(&*model, bfs, 1).verdict;
        assert!(
            matches!(truth, Verdict::Found | Verdict::Exhausted),
            "{} is small",
            entry.name
        );
        for strategy in STRATEGIES
            .iter()
            .filter(|strategy| strategy.searches_models())
        {
            for seed in 1..=3 {
                check(entry, strategy, &truth, seed);
            }
        }
    }
}

/// Labels and descriptions are for people: distinct where they must be, never empty.
#[test]
fn every_state_and_step_can_be_read() {
    for entry in GALLERY {
        let model = entry.build_small();
        let mut state = Vec::new();
        model.initial(&mut state).unwrap();
        assert_eq!(state.len(), model.width());
        let mut steps = Steps::new(model.width());
        for _ in 0..50 {
            steps.clear();
            model.expand(&state, &mut steps).unwrap();
            for (label, target) in steps.iter() {
                assert!(!model.label(label).is_empty());
                let same = model.describe(target) == model.describe(&state);
                assert_eq!(same, target == state, "{} {state:?}", entry.name);
            }
            let Some(last) = steps.len().checked_sub(1) else {
                break;
            };
            state.copy_from_slice(steps.target(last));
        }
    }
}
