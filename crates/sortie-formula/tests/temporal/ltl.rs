//! LTL against guesses of what holds where.

use crate::formula::F;
use crate::lts::{Lts, in_order, judge, no_data};
use crate::paths::Path;
use crate::tableau::{Fair, operators, violated};
use sortie_formula::Truth;
use sortie_formula::temporal::Ltl;
use sortie_model::Dice;

/// A small formula with few temporal operators.
pub fn random_formula(dice: &mut Dice, max_size: u64, max_operators: usize) -> F {
    loop {
        let size = 1 + dice.below(max_size);
        let formula = F::random(dice, size, false);
        if operators(&formula) <= max_operators {
            return formula;
        }
    }
}

/// What the equations say.
pub fn verdict(lts: &Lts, text: &str, slice: sortie_formula::Slice) -> Truth {
    let formula = Ltl::parse(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
    let predicates = in_order(lts, formula.predicates().iter().map(|p| p.text.as_str()));
    let equations = formula.equations().expect("a small automaton");
    judge(&equations, &no_data(), &predicates, slice)
}

#[test]
fn ltl_agrees_with_guesses() {
    let (mut decided_in_part, mut holds) = (0, 0);
    for seed in 0..4000 {
        let mut dice = Dice::new(seed);
        let lts = Lts::random(&mut dice, 4, 7);
        let formula = random_formula(&mut dice, 10, 4);
        let text = formula.text();
        let expected = if violated(&lts, &formula, Fair::All) {
            Truth::False
        } else {
            holds += 1;
            Truth::True
        };
        let found = verdict(&lts, &text, lts.whole());
        assert_eq!(found, expected, "seed {seed}: {text} on {lts:?}");
        let found = verdict(&lts, &text, lts.random_part(&mut dice));
        if found != Truth::Unknown {
            decided_in_part += 1;
            assert_eq!(found, expected, "seed {seed}, a part: {text} on {lts:?}");
        }
    }
    assert!((500..3500).contains(&holds), "{holds}");
    assert!(decided_in_part > 2000, "{decided_in_part}");
}

/// Larger systems, and formulas with few operators.
#[test]
fn ltl_agrees_with_guesses_on_larger_systems() {
    for seed in 0..1500 {
        let mut dice = Dice::new(seed);
        let lts = Lts::random(&mut dice, 7, 14);
        let formula = random_formula(&mut dice, 6, 2);
        let text = formula.text();
        let expected = violated(&lts, &formula, Fair::All);
        let found = verdict(&lts, &text, lts.whole());
        assert_eq!(
            found == Truth::False,
            expected,
            "seed {seed}: {text} on {lts:?}"
        );
    }
}

/// Random paths that violate a formula are found by the guesses too.
#[test]
fn guesses_agree_with_paths() {
    let mut violating = 0;
    for seed in 0..2000 {
        let mut dice = Dice::new(seed);
        let lts = Lts::random(&mut dice, 4, 8);
        let formula = random_formula(&mut dice, 8, 3);
        let known = violated(&lts, &formula, Fair::All);
        for _ in 0..10 {
            let path = random_path_from(&mut dice, &lts, 0);
            assert!(path.is_of(&lts));
            if !path.satisfies(&lts, &formula) {
                violating += 1;
                assert!(
                    known,
                    "seed {seed}: {} on {lts:?}: {path:?}",
                    formula.text()
                );
            }
        }
    }
    assert!(violating > 2000, "{violating}");
}

/// Steps at random, and back to a state passed before, or to an end.
pub fn random_path_from(dice: &mut Dice, lts: &Lts, start: usize) -> Path {
    let mut positions: Vec<(usize, Option<usize>)> = Vec::new();
    let mut state = start;
    loop {
        let passed = positions.iter().rposition(|(before, _)| *before == state);
        if let Some(back) = passed
            && (positions.len() > 6 || dice.chance(1, 3))
        {
            return Path {
                positions,
                back: Some(back),
            };
        }
        if lts.steps[state].is_empty() {
            positions.push((state, None));
            return Path {
                positions,
                back: None,
            };
        }
        let step = dice.index(lts.steps[state].len());
        positions.push((state, Some(step)));
        state = lts.steps[state][step].1;
    }
}

/// One state without steps, and one with a loop.
#[test]
fn paths_end_or_do_not() {
    let stuck = Lts {
        steps: vec![vec![]],
        valuation: vec![[true, false]],
    };
    let looping = Lts {
        steps: vec![vec![(0, 0)]],
        valuation: vec![[true, false]],
    };
    for (text, on_stuck, on_looping) in [
        ("X true", false, true),
        ("N false", true, false),
        ("G {p0}", true, true),
        ("F {p1}", false, false),
        ("<a>", false, true),
        ("[a]", true, true),
        ("[b]", true, false),
        ("[false]", true, false),
        ("F [false]", true, false),
        ("GF <a>", false, true),
        ("FG [a]", true, true),
        ("{p0} U {p1}", false, false),
        ("{p0} W {p1}", true, true),
        ("{p1} R {p0}", true, true),
        ("{p0} U [a] && {p0}", true, true),
    ] {
        for (lts, expected) in [(&stuck, on_stuck), (&looping, on_looping)] {
            let found = verdict(lts, text, lts.whole());
            assert_eq!(found == Truth::True, expected, "{text}");
        }
    }
}

/// What has gone wrong is known wherever the path leads.
#[test]
fn a_bad_beginning_is_enough() {
    let lts = Lts {
        steps: vec![vec![(0, 1)], vec![(1, 0)]],
        valuation: vec![[true, false], [false, false]],
    };
    assert_eq!(verdict(&lts, "G !<a>", lts.part(&[0])), Truth::False);
    assert_eq!(verdict(&lts, "G {p0}", lts.part(&[0])), Truth::Unknown);
    assert_eq!(verdict(&lts, "<a>", lts.part(&[0])), Truth::True);
    assert_eq!(verdict(&lts, "X <a>", lts.part(&[0])), Truth::Unknown);
}

#[test]
fn large_automata_are_refused() {
    let parts: Vec<String> = (0..30)
        .map(|n| format!("(F <a({n})> || G <b({n})>)"))
        .collect();
    let formula = Ltl::parse(&format!("!({})", parts.join(" && "))).expect("a good formula");
    let error = formula
        .equations()
        .expect_err("more states than can be kept");
    assert!(error.to_string().contains("too large"), "{error}");
}
