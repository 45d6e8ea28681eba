//! Checks on every ground against the definition, on random systems.

#[path = "../../sortie-formula/tests/random_formulas/mod.rs"]
mod random_formulas;

use random_formulas::{Formulas, LABELS, Naive, System, context, random_system};
use sortie_data::{Evaluator, Signature};
use sortie_formula::{Stated, Truth, compile};
use sortie_hunt::{Answer, Check, Ground};
use sortie_lts::{Builder, Lts};
use sortie_model::{Budget, Dice, Silent};
use sortie_search::BoundedSettings;

fn lts(system: &System) -> Lts {
    let mut builder = Builder::default();
    // The labels get the numbers they have in the system.
    let labels: Vec<_> = LABELS.iter().map(|label| builder.label(label)).collect();
    for (state, edges) in (0..).zip(system) {
        for (label, target) in edges {
            builder.transition(state, labels[*label as usize], *target);
        }
    }
    builder.build("random", 0, system.len() as u32)
}

fn grounds() -> Vec<(&'static str, Ground<'static>)> {
    let slices = |width, degrade| Ground::Slices {
        of_game: false,
        settings: BoundedSettings {
            degrade,
            ..BoundedSettings::new(width)
        },
        runs: 2,
        all: false,
    };
    let game = |width| Ground::Slices {
        of_game: true,
        settings: BoundedSettings::new(width),
        runs: 2,
        all: false,
    };
    vec![
        ("whole", Ground::Whole),
        ("beginning", Ground::Beginning),
        ("slices of width 1", slices(1, None)),
        ("slices of width 2, degrading", slices(2, Some(2))),
        ("slices of width 3", slices(3, None)),
        ("game of width 1", game(1)),
        ("game of width 3", game(3)),
        ("game of width 1000", game(1000)),
    ]
}

#[test]
fn every_definite_answer_is_right() {
    let evaluator = Evaluator::new(&Signature::default()).expect("no data at all");
    let grounds = grounds();
    let mut decided = vec![0; grounds.len()];
    const CASES: u64 = 600;
    for seed in 0..CASES {
        let mut dice = Dice::new(seed);
        let states = 1 + dice.below(12) as u32;
        let system = random_system(&mut dice, states);
        let formula = Formulas::next(&mut dice);
        let expected = if Naive::says(&system, &formula) {
            Truth::True
        } else {
            Truth::False
        };
        let equations = compile(&evaluator, &formula, 0).expect("it is a formula");
        let model = lts(&system);
        let requirement = Stated {
            equations: &equations,
            context: context(&evaluator),
        };
        let run = |ground: Ground<'_>, threads| -> Answer {
            let check = Check {
                model: &model,
                requirement: &requirement,
                budget: Budget::default(),
                seed,
                threads,
                observer: &Silent,
            };
            check.run(ground).expect("nothing goes wrong")
        };
        for ((name, ground), decided) in grounds.iter().zip(&mut decided) {
            let answer = run(*ground, 1);
            if answer.truth == Truth::Unknown {
                continue;
            }
            *decided += 1;
            assert_eq!(
                answer.truth, expected,
                "seed {seed}, {name}: {formula:?} on {system:?}"
            );
            let evidence = answer.evidence.expect("what is decided is shown");
            assert!(evidence.slice.states() <= states);
            let again = run(*ground, 2);
            assert_eq!(
                again.runs, answer.runs,
                "seed {seed}, {name}: on two threads"
            );
            assert_eq!(again.evidence, Some(evidence), "seed {seed}, {name}");
        }
    }
    for ((name, _), count) in grounds.iter().zip(&decided) {
        println!("{name}: {count} of {CASES} decided");
    }
    let all_of = |name: &str| {
        let place = grounds.iter().position(|(known, _)| *known == name);
        assert_eq!(decided[place.expect("it is there")], CASES, "{name}");
    };
    all_of("whole");
    all_of("beginning");
    all_of("game of width 1000");
    assert!(decided.iter().all(|count| *count > CASES / 3));
}
