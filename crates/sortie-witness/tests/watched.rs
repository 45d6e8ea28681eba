//! Violations of LTL formulas found along paths: all of them on small systems, and nothing else; each is checked, and again when it is shorter.

use sortie_formula::temporal::{Ltl, Watched};
use sortie_lts::Lts;
use sortie_model::{Budget, Dice, Model, Silent, Steps, Verdict};
use sortie_property::Property;
use sortie_search::{Hunt, SearchError, strategy};
use sortie_syntax::Source;
use sortie_witness::{Replay, Shown, check, describe, read, replay, shorten, write};
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::sync::Arc;

const FORMULAS: [&str; 9] = [
    "G F <a>",
    "F G [a]",
    "G (<a> => X F <b>)",
    "(G F <a>) => (G F <b>)",
    "!(G F <a> && G F <b> && G F <c>)",
    "G !<c>",
    "F [false]",
    "!<a> W <b>",
    "G (<a> => X (!<a> U <b>))",
];

fn random_system(dice: &mut Dice) -> Lts {
    let states = 2 + dice.index(5);
    let count = states + dice.index(states);
    let mut text = format!("des (0,{count},{states})\n");
    for _ in 0..count {
        let label = ["a", "b", "c"][dice.index(3)];
        let (from, to) = (dice.index(states), dice.index(states));
        let _ = writeln!(text, "({from},\"{label}\",{to})");
    }
    let name = "random.aut";
    let source = Source { name, text: &text };
    Lts::parse(source).unwrap_or_else(|error| panic!("{text}: {error:?}"))
}

fn watch(lts: Lts, text: &str) -> Watched {
    let formula = Ltl::parse(text).expect("a good formula");
    Watched::new(Arc::new(lts), text, formula, Vec::new()).expect("a small automaton")
}

/// Whether a reachable accepting state leads back to itself.
fn is_violated(model: &dyn Model) -> bool {
    let mut space: HashMap<Vec<u32>, Vec<Vec<u32>>> = HashMap::new();
    let mut initial = Vec::new();
    model.initial(&mut initial).expect("it has a beginning");
    let mut waiting = vec![initial];
    while let Some(state) = waiting.pop() {
        if space.contains_key(&state) {
            continue;
        }
        let mut steps = Steps::new(model.width());
        model.expand(&state, &mut steps).expect("it can be listed");
        let targets: Vec<Vec<u32>> = steps.iter().map(|(_, to)| to.to_vec()).collect();
        waiting.extend(targets.iter().cloned());
        space.insert(state, targets);
    }
    let mut accepting = space
        .keys()
        .filter(|state| model.status(state, false).accepting);
    accepting.any(|home| {
        let mut met = HashSet::new();
        let mut waiting = vec![home];
        while let Some(state) = waiting.pop() {
            waiting.extend(space[state].iter().filter(|to| met.insert(*to)));
        }
        met.contains(home)
    })
}

#[test]
fn violations_are_found_and_nothing_else() {
    let lurch = strategy("lurch").expect("a strategy");
    let (mut violated, mut holds) = (0, 0);
    for seed in 0..400 {
        let mut dice = Dice::new(seed);
        let text = FORMULAS[dice.index(FORMULAS.len())];
        let model = watch(random_system(&mut dice), text);
        let property = model.property();
        let wanted: Vec<Box<dyn Property>> = vec![Box::new(property.clone())];
        let hunt = Hunt {
            seed,
            budget: Budget {
                max_states: Some(20_000),
                ..Budget::default()
            },
            ..Hunt::new(&model, &wanted, &Silent)
        };
        let outcome = lurch.hunt(&hunt).expect("the model works");
        let found = outcome.verdict == Verdict::Found;
        assert_eq!(found, is_violated(&model), "seed {seed}: {text}");
        if !found {
            holds += 1;
            continue;
        }
        violated += 1;
        let found = &outcome.found[0];
        let shown = Shown {
            trace: found.trace.clone(),
            value: None,
            cycle: found.cycle,
        };
        assert_eq!(check(&model, &property, &shown), Ok(Ok(())), "seed {seed}");
        let short = shorten(&model, &property, shown.clone(), 1000).expect("the model works");
        assert_eq!(check(&model, &property, &short), Ok(Ok(())), "seed {seed}");
        assert!(short.trace.len() <= shown.trace.len(), "seed {seed}");
        let witness = describe(&model, &property, &short);
        let again = read(&write(&witness)).expect("what was written");
        let replayed = replay(&model, &property, &again).expect("the model works");
        assert_eq!(replayed, Replay::Reproduced(short), "seed {seed}");
    }
    assert!(violated > 100 && holds > 40, "{violated} and {holds}");
}

#[test]
fn strategies_that_see_no_loops_say_which_do() {
    let model = watch(random_system(&mut Dice::new(1)), "G F <a>");
    let wanted: Vec<Box<dyn Property>> = vec![Box::new(model.property())];
    let hunt = Hunt::new(&model, &wanted, &Silent);
    for name in ["bfs", "random", "highway"] {
        let refused = strategy(name).expect("a strategy").hunt(&hunt);
        let refused = refused.expect_err("loops are refused");
        assert!(matches!(refused, SearchError::NoCycles { .. }));
        let said = refused.to_string();
        assert!(
            said.contains("lurch") && said.contains("ltl G F <a>"),
            "{said}"
        );
    }
}
