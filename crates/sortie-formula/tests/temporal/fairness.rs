//! LTL on fair paths against guesses and all sets of steps; every path that is returned is looked at.

use crate::formula::F;
use crate::ltl::{random_formula, random_path_from};
use crate::lts::{Lts, Names, in_order, in_order_but, judge, no_data};
use crate::paths::Path;
use crate::tableau::{Fair, violated};
use sortie_formula::temporal::{
    Ending, FairAnswer, Fairness, Hop, Lasso, Ltl, fair_counterexample,
};
use sortie_formula::{Allowance, Truth};
use sortie_formula::{OUTSIDE, Slice};
use sortie_model::Dice;

const KINDS: [(Fairness, Fair); 3] = [
    (Fairness::None, Fair::All),
    (Fairness::Weak, Fair::Weak),
    (Fairness::Strong, Fair::Strong),
];

fn answer(lts: &Lts, text: &str, fairness: Fairness, mut slice: Slice) -> FairAnswer {
    let formula = Ltl::parse(text).expect("a good formula");
    let predicates = in_order(lts, formula.predicates().iter().map(|p| p.text.as_str()));
    let allowance = Allowance::default();
    fair_counterexample(
        &formula,
        fairness,
        &mut slice,
        &Names,
        &predicates,
        allowance,
    )
    .expect("nothing to evaluate")
}

/// The steps of a lasso as positions of a path through the system.
fn positions(slice: &Slice, hops: &[Hop]) -> Vec<(usize, Option<usize>)> {
    let position = |hop: &Hop| {
        let state = slice.words(hop.state)[0] as usize;
        (state, Some(hop.place as usize))
    };
    hops.iter().map(position).collect()
}

/// The lasso is a path of the system, fair, and violates the formula.
fn inspect(dice: &mut Dice, lts: &Lts, slice: &Slice, formula: &F, fair: Fair, lasso: &Lasso) {
    let mut way = positions(slice, &lasso.prefix);
    let last = way.last().map_or(0, |(state, step)| {
        lts.steps[*state][step.expect("a step")].1
    });
    match &lasso.ending {
        Ending::Deadlock => {
            way.push((last, None));
            let path = Path {
                positions: way,
                back: None,
            };
            assert!(path.is_of(lts), "{path:?}");
            assert!(!path.satisfies(lts, formula), "{path:?}");
        }
        Ending::Cycle(hops) => {
            let back = Some(way.len());
            way.extend(positions(slice, hops));
            let path = Path {
                positions: way,
                back,
            };
            assert!(path.is_of(lts), "{path:?}");
            let taken = path.cycle().iter();
            let taken = taken.map(|(state, step)| (*state, step.expect("a step")));
            assert!(fair.allows(lts, &taken.collect::<Vec<_>>()), "{path:?}");
            assert!(!path.satisfies(lts, formula), "{path:?}");
        }
        Ending::Anything => {
            for _ in 0..10 {
                let rest = random_path_from(dice, lts, last);
                let positions = way.iter().chain(&rest.positions).copied().collect();
                let path = Path {
                    positions,
                    back: rest.back.map(|back| back + way.len()),
                };
                assert!(path.is_of(lts), "{path:?}");
                assert!(!path.satisfies(lts, formula), "{path:?}");
            }
        }
    }
}

#[test]
fn fair_paths_agree_with_guesses() {
    let mut differ = 0;
    let mut endings = [0; 3];
    let mut decided_in_part = 0;
    for seed in 0..2500 {
        let mut dice = Dice::new(seed);
        let lts = Lts::random(&mut dice, 4, 7);
        let formula = random_formula(&mut dice, 8, 3);
        let text = formula.text();
        println!("seed {seed}: {text} on {lts:?}");
        let part = lts.random_part(&mut dice);
        let mut expectations = Vec::new();
        for (fairness, fair) in KINDS {
            let expected = violated(&lts, &formula, fair);
            expectations.push(expected);
            for slice in [lts.whole(), part.clone()] {
                let whole = slice.is_whole();
                match answer(&lts, &text, fairness, slice.clone()) {
                    FairAnswer::Holds => assert!(!expected, "{fairness:?}"),
                    FairAnswer::Unknown => assert!(!whole, "{fairness:?}"),
                    FairAnswer::Violated(lasso) => {
                        assert!(expected, "{fairness:?}: {lasso:?}");
                        endings[match &lasso.ending {
                            Ending::Deadlock => 0,
                            Ending::Cycle(_) => 1,
                            Ending::Anything => 2,
                        }] += 1;
                        inspect(&mut dice, &lts, &slice, &formula, fair, &lasso);
                        decided_in_part += usize::from(!whole);
                    }
                }
            }
        }
        differ += usize::from(expectations[0] != expectations[2]);
    }
    assert!(differ > 20, "{differ}");
    assert!(endings.iter().all(|count| *count > 200), "{endings:?}");
    assert!(decided_in_part > 200, "{decided_in_part}");
}

/// Systems with many steps in few states, where fairness asks for most.
#[test]
fn fair_cycles_agree_with_guesses() {
    let mut differ = [0, 0];
    for seed in 0..1500 {
        let mut dice = Dice::new(seed);
        let mut lts = Lts::random(&mut dice, 4, 5);
        for state in 0..lts.states() {
            let step = (dice.index(4), dice.index(lts.states()));
            lts.steps[state].push(step);
        }
        let atom = ["<a>", "<b>", "<c>", "<c(1)>", "{p0}"][dice.index(5)];
        let (text, formula) = match dice.below(3) {
            0 => (format!("F {atom}"), 'F'),
            1 => (format!("G F {atom}"), 'R'),
            _ => (format!("F G !{atom}"), 'P'),
        };
        let atom = match atom {
            "<a>" => F::May(0),
            "<b>" => F::May(1),
            "<c>" => F::May(2),
            "<c(1)>" => F::May(3),
            _ => F::Predicate(0),
        };
        let unary = |operator, body| F::Unary(None, operator, Box::new(body));
        let formula = match formula {
            'F' => unary('F', atom),
            'R' => unary('G', unary('F', atom)),
            _ => unary('F', unary('G', F::Not(Box::new(atom)))),
        };
        println!("seed {seed}: {text} on {lts:?}");
        let mut expectations = Vec::new();
        for (fairness, fair) in KINDS {
            let expected = violated(&lts, &formula, fair);
            expectations.push(expected);
            let found = answer(&lts, &text, fairness, lts.whole());
            match &found {
                FairAnswer::Violated(lasso) => {
                    inspect(&mut dice, &lts, &lts.whole(), &formula, fair, lasso);
                }
                other => assert_eq!(*other, FairAnswer::Holds),
            }
            assert_eq!(found != FairAnswer::Holds, expected, "{fairness:?}");
        }
        differ[0] += usize::from(expectations[0] != expectations[1]);
        differ[1] += usize::from(expectations[1] != expectations[2]);
    }
    assert!(differ.iter().all(|count| *count > 50), "{differ:?}");
}

/// Predicates without an answer in some states: what is said nevertheless is right.
#[test]
fn answers_may_be_missing() {
    let evaluator = no_data();
    let (mut known, mut unknown) = (0, 0);
    for seed in 0..1500 {
        let mut dice = Dice::new(seed);
        let lts = Lts::random(&mut dice, 4, 7);
        let formula = random_formula(&mut dice, 8, 3);
        let parsed = Ltl::parse(&formula.text()).expect("a good formula");
        let texts = parsed.predicates().iter().map(|p| p.text.as_str());
        let predicates = in_order_but(&lts, texts, |_| dice.chance(1, 3));
        println!("seed {seed}: {} on {lts:?}", formula.text());
        for (fairness, fair) in KINDS {
            let expected = violated(&lts, &formula, fair);
            let mut slice = lts.whole();
            let allowance = Allowance::default();
            let found = fair_counterexample(
                &parsed,
                fairness,
                &mut slice,
                &Names,
                &predicates,
                allowance,
            );
            match found.expect("nothing to evaluate") {
                FairAnswer::Unknown => unknown += 1,
                FairAnswer::Holds => {
                    known += 1;
                    assert!(!expected);
                }
                FairAnswer::Violated(lasso) => {
                    known += 1;
                    assert!(expected);
                    inspect(&mut dice, &lts, &slice, &formula, fair, &lasso);
                }
            }
        }
        let equations = parsed.equations().expect("a small automaton");
        let truth = judge(&equations, &evaluator, &predicates, lts.whole());
        let expected = violated(&lts, &formula, Fair::All);
        assert!(truth == Truth::Unknown || (truth == Truth::False) == expected);
    }
    assert!(known > 1000 && unknown > 100, "{known} {unknown}");
}

/// What is possible outside counts as possible, and what happens there is unknown.
#[test]
fn the_outside_is_possible() {
    // a loops in 0, b leads to 1, which has a loop with b.
    let lts = Lts {
        steps: vec![vec![(0, 0), (1, 1)], vec![(1, 1)]],
        valuation: vec![[true, false], [false, false]],
    };
    let part = lts.part(&[0]);
    assert_eq!(part.edges(0)[1].target, OUTSIDE);
    let ask = |text, fairness| answer(&lts, text, fairness, lts.part(&[0]));
    // Without fairness the loop will do; a fair path takes b.
    assert!(matches!(
        ask("F <b>", Fairness::None),
        FairAnswer::Violated(_)
    ));
    assert_eq!(ask("F <b>", Fairness::Weak), FairAnswer::Holds);
    assert_eq!(ask("F {p1}", Fairness::Weak), FairAnswer::Unknown);
    let bad = ask("G !<b>", Fairness::Strong);
    let FairAnswer::Violated(lasso) = bad else {
        panic!("{bad:?}");
    };
    let hop = Hop { state: 0, place: 1 };
    assert_eq!((lasso.prefix, lasso.ending), (vec![hop], Ending::Anything));
}

#[test]
fn a_search_can_be_stopped() {
    let lts = Lts {
        steps: vec![vec![(0, 0)]],
        valuation: vec![[true, false]],
    };
    let formula = Ltl::parse("G <a>").expect("a good formula");
    let allowance = Allowance {
        memory: None,
        stop: Some(&|| true),
        ..Allowance::default()
    };
    let mut slice = lts.whole();
    let found = fair_counterexample(&formula, Fairness::Weak, &mut slice, &Names, &[], allowance);
    assert_eq!(found, Ok(FairAnswer::Unknown));
}
