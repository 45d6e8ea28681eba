//! Random formulas on random systems: the game against a naive evaluator, parts against the whole, evidence against what it shows.

mod random_formulas;

use random_formulas::{Formulas, Naive, System, context, random_system};
use sortie_data::{Evaluator, Signature};
use sortie_formula::{Allowance, Equations, Examination, Shape, Truth, compile};
use sortie_formula::{Edge, OUTSIDE, Slice};
use sortie_model::{Dice, LabelId};
use std::collections::BTreeSet;

/// The part of a system that consists of some states, the initial one among them.
fn part(system: &System, kept: &BTreeSet<u32>) -> Slice {
    let order: Vec<u32> = kept.iter().copied().collect();
    let number = |state: &u32| order.iter().position(|kept| kept == state);
    let mut slice = Slice::new(1);
    for state in &order {
        let edges = system[*state as usize].iter().map(|(label, target)| Edge {
            label: LabelId(*label),
            target: number(target).map_or(OUTSIDE, |place| place as u32),
        });
        slice.push(&[*state], edges);
    }
    slice
}

fn decide(equations: &Equations, evaluator: &Evaluator, slice: &mut Slice) -> Truth {
    Examination::new(equations, context(evaluator), slice)
        .decide(Allowance::default())
        .expect("nothing can go wrong here")
}

#[test]
fn the_game_agrees_with_the_definition_and_parts_with_the_whole() {
    let evaluator = Evaluator::new(&Signature::default()).expect("no data at all");
    let mut definite = [0, 0];
    let mut undecided = 0;
    let mut alternating = 0;
    for seed in 0..4000 {
        let mut dice = Dice::new(seed);
        let states = 1 + dice.below(7) as u32;
        let system = random_system(&mut dice, states);
        let formula = Formulas::next(&mut dice);
        let naive = Naive::says(&system, &formula);
        let expected = if naive { Truth::True } else { Truth::False };
        let equations = compile(&evaluator, &formula, 0).expect("it is a formula");
        alternating += u32::from(equations.greatest_rank() >= 3);
        let everything = (0..states).collect();
        let mut whole = part(&system, &everything);
        assert_eq!(
            decide(&equations, &evaluator, &mut whole),
            expected,
            "seed {seed}: {formula:?} on {system:?}"
        );
        for _ in 0..4 {
            let mut kept = BTreeSet::from([0]);
            kept.extend((1..states).filter(|_| dice.below(2) == 0));
            let mut slice = part(&system, &kept);
            let truth = decide(&equations, &evaluator, &mut slice);
            if truth == Truth::Unknown {
                undecided += 1;
            } else {
                definite[usize::from(truth == Truth::True)] += 1;
                assert_eq!(
                    truth, expected,
                    "seed {seed}, {kept:?}: {formula:?} on {system:?}"
                );
            }
        }
    }
    println!("on parts: {definite:?} decided, {undecided} not");
    println!("{alternating} formulas of alternation depth 3 or more");
    assert!(definite.iter().all(|count| *count > 500) && undecided > 500);
    assert!(alternating > 20);
}

#[test]
fn evidence_decides_the_formula_by_itself() {
    let evaluator = Evaluator::new(&Signature::default()).expect("no data at all");
    let context = context(&evaluator);
    let mut shapes = [0, 0, 0];
    for seed in 0..3000 {
        let mut dice = Dice::new(seed);
        let states = 1 + dice.below(9) as u32;
        let system = random_system(&mut dice, states);
        let formula = Formulas::next(&mut dice);
        let equations = compile(&evaluator, &formula, 0).expect("it is a formula");
        let mut whole = part(&system, &(0..states).collect());
        let mut examination = Examination::new(&equations, context.clone(), &mut whole);
        let truth = examination
            .decide(Allowance::default())
            .expect("it is decided");
        let evidence = examination
            .evidence()
            .expect("nothing goes wrong")
            .expect("it is decided");
        let before = evidence.slice.states();
        let mut slice = evidence.slice.clone();
        assert_eq!(
            decide(&equations, &evaluator, &mut slice),
            truth,
            "seed {seed}: {formula:?} on {system:?}"
        );
        let shorter = evidence
            .shortened(&equations, &context, truth)
            .expect("it is shortened");
        assert!(shorter.slice.states() <= before);
        let mut slice = shorter.slice.clone();
        assert_eq!(
            decide(&equations, &evaluator, &mut slice),
            truth,
            "seed {seed}: {formula:?} on {system:?}"
        );
        // It is part of the system: every state and every step is there.
        for state in 0..shorter.slice.states() {
            let original = shorter.slice.words(state)[0];
            for (edge, (label, target)) in shorter
                .slice
                .edges(state)
                .iter()
                .zip(&system[original as usize])
            {
                assert_eq!(edge.label.0, *label);
                assert!(edge.target == OUTSIDE || shorter.slice.words(edge.target) == [*target]);
            }
        }
        let connected = |steps: &[(u32, u32)], back: Option<u32>| {
            let target =
                |(state, place): &(u32, u32)| shorter.slice.edges(*state)[*place as usize].target;
            steps.windows(2).all(|pair| target(&pair[0]) == pair[1].0)
                && back.is_none_or(|first| steps.last().is_some_and(|last| target(last) == first))
        };
        match &shorter.shape {
            Shape::Path(path) => {
                shapes[0] += 1;
                assert!(connected(path, None), "seed {seed}: {path:?}");
            }
            Shape::Lasso(path, repeated) => {
                shapes[1] += 1;
                let all = [&path[..], repeated].concat();
                assert!(
                    connected(&all, Some(repeated[0].0)),
                    "seed {seed}: {path:?} {repeated:?}"
                );
            }
            Shape::Graph => shapes[2] += 1,
        }
    }
    println!("paths, lassos, others: {shapes:?}");
    assert!(shapes.iter().all(|count| *count > 20), "{shapes:?}");
}
