//! CTL against sets of states: paths are searched for in the graph, without fixpoint equations.

use crate::formula::{F, SETS};
use crate::lts::{Lts, in_order, judge, no_data};
use sortie_formula::temporal::Ctl;
use sortie_formula::{Truth, compile};
use sortie_model::Dice;

type Set = Vec<bool>;

fn not(set: &Set) -> Set {
    set.iter().map(|x| !x).collect()
}

fn both(left: &Set, right: &Set) -> Set {
    left.iter().zip(right).map(|(l, r)| *l && *r).collect()
}

fn either(left: &Set, right: &Set) -> Set {
    left.iter().zip(right).map(|(l, r)| *l || *r).collect()
}

/// Some step leads into the set.
fn some_next(lts: &Lts, set: &Set) -> Set {
    let steps = lts.steps.iter();
    steps
        .map(|steps| steps.iter().any(|(_, target)| set[*target]))
        .collect()
}

fn deadlocks(lts: &Lts) -> Set {
    lts.steps.iter().map(Vec::is_empty).collect()
}

/// Some step leads to a state in the set from which a path counts.
fn some_good_next(lts: &Lts, fair: &[usize], set: &Set) -> Set {
    match fair {
        [] => some_next(lts, set),
        _ => some_next(lts, &both(set, &starts_fair(lts, fair))),
    }
}

/// Where a path ends that may end: where all paths count.
fn good_ends(lts: &Lts, fair: &[usize]) -> Set {
    match fair {
        [] => deadlocks(lts),
        _ => vec![false; lts.states()],
    }
}

fn starts_fair(lts: &Lts, fair: &[usize]) -> Set {
    some_globally(lts, fair, &vec![true; lts.states()])
}

/// Where a path that counts leads through `stay` into `goal`.
fn some_good_until(lts: &Lts, fair: &[usize], stay: &Set, goal: &Set) -> Set {
    match fair {
        [] => some_until(lts, stay, goal),
        _ => some_until(lts, stay, &both(goal, &starts_fair(lts, fair))),
    }
}

/// Where a path leads through `stay` into `goal`.
fn some_until(lts: &Lts, stay: &Set, goal: &Set) -> Set {
    let mut found = goal.clone();
    for _ in 0..lts.states() {
        found = either(&found, &both(stay, &some_next(lts, &found)));
    }
    found
}

/// Where a path that counts stays in `stay`: one that leads to a deadlock or to a state that it reaches again, having met all that must be met again and again.
fn some_globally(lts: &Lts, fair: &[usize], stay: &Set) -> Set {
    let mut ends = both(stay, &good_ends(lts, fair));
    // By state: where it can be reached from in at least one step.
    let reaching: Vec<Set> = (0..lts.states())
        .map(|state| {
            let only: Set = (0..lts.states()).map(|s| s == state).collect();
            some_next(lts, &some_until(lts, stay, &both(&only, stay)))
        })
        .collect();
    for state in 0..lts.states() {
        let meets = |predicate: &usize| {
            (0..lts.states()).any(|other| {
                let there = other == state || reaching[other][state] && reaching[state][other];
                there && stay[other] && lts.valuation[other][*predicate]
            })
        };
        ends[state] |= stay[state] && reaching[state][state] && fair.iter().all(meets);
    }
    some_until(lts, stay, &ends)
}

/// `E` of the path formula, given the sets of its operands; and of its negation.
fn some_path(
    lts: &Lts,
    fair: &[usize],
    operator: char,
    negated: bool,
    left: &Set,
    right: &Set,
) -> Set {
    let (not_left, not_right) = (not(left), not(right));
    let all = vec![true; lts.states()];
    match (operator, negated) {
        ('X', false) => some_good_next(lts, fair, right),
        ('X', true) => either(
            &good_ends(lts, fair),
            &some_good_next(lts, fair, &not_right),
        ),
        ('N', false) => either(&good_ends(lts, fair), &some_good_next(lts, fair, right)),
        ('N', true) => some_good_next(lts, fair, &not_right),
        ('F', false) => some_good_until(lts, fair, &all, right),
        ('F', true) => some_globally(lts, fair, &not_right),
        ('G', false) => some_globally(lts, fair, right),
        ('G', true) => some_good_until(lts, fair, &all, &not_right),
        ('U', false) => some_good_until(lts, fair, left, right),
        ('U', true) => either(
            &some_good_until(lts, fair, &not_right, &both(&not_left, &not_right)),
            &some_globally(lts, fair, &not_right),
        ),
        ('W', false) => either(
            &some_good_until(lts, fair, left, right),
            &some_globally(lts, fair, left),
        ),
        ('W', true) => some_good_until(lts, fair, &not_right, &both(&not_left, &not_right)),
        ('R', false) => either(
            &some_good_until(lts, fair, right, &both(left, right)),
            &some_globally(lts, fair, right),
        ),
        ('R', true) => some_good_until(lts, fair, &not_left, &not_right),
        other => panic!("{other:?}"),
    }
}

fn states(lts: &Lts, fair: &[usize], formula: &F) -> Set {
    let inside = |set: &usize, label: usize| SETS[*set].1[label];
    let quantified = |quantifier: char, operator, left: &Set, right: &Set| {
        if quantifier == 'E' {
            some_path(lts, fair, operator, false, left, right)
        } else {
            not(&some_path(lts, fair, operator, true, left, right))
        }
    };
    match formula {
        F::Constant(value) => vec![*value; lts.states()],
        F::May(set) => {
            let some = |steps: &Vec<(usize, usize)>| steps.iter().any(|step| inside(set, step.0));
            lts.steps.iter().map(some).collect()
        }
        F::Must(set) => {
            let all = |steps: &Vec<(usize, usize)>| steps.iter().all(|step| inside(set, step.0));
            lts.steps.iter().map(all).collect()
        }
        F::Predicate(number) => lts.valuation.iter().map(|all| all[*number]).collect(),
        F::Not(body) => not(&states(lts, fair, body)),
        F::And(left, right) => both(&states(lts, fair, left), &states(lts, fair, right)),
        F::Or(left, right) => either(&states(lts, fair, left), &states(lts, fair, right)),
        F::Implies(left, right) => {
            either(&not(&states(lts, fair, left)), &states(lts, fair, right))
        }
        F::Iff(left, right) => {
            let (left, right) = (states(lts, fair, left), states(lts, fair, right));
            left.iter().zip(right).map(|(l, r)| *l == r).collect()
        }
        F::Unary(quantifier, operator, body) => {
            let body = states(lts, fair, body);
            let quantifier = quantifier.expect("CTL has quantifiers");
            quantified(quantifier, *operator, &vec![true; lts.states()], &body)
        }
        F::Binary(quantifier, operator, left, right) => {
            let (left, right) = (states(lts, fair, left), states(lts, fair, right));
            let quantifier = quantifier.expect("CTL has quantifiers");
            quantified(quantifier, *operator, &left, &right)
        }
    }
}

#[test]
fn ctl_agrees_with_sets_of_states() {
    let evaluator = no_data();
    let mut decided_in_part = 0;
    for seed in 0..6000 {
        let mut dice = Dice::new(seed);
        let lts = Lts::random(&mut dice, 7, 12);
        let size = 1 + dice.below(9);
        let formula = F::random(&mut dice, size, true);
        let text = formula.text();
        let expected = states(&lts, &[], &formula)[0];
        let parsed = Ctl::parse(&text).unwrap_or_else(|error| panic!("{seed}: {error:?}"));
        let texts = parsed.predicates().iter().map(|p| p.text.as_str());
        let predicates = in_order(&lts, texts);
        let equations = compile(&evaluator, &parsed.formula(), 0).expect("there is no data");
        let expected = if expected { Truth::True } else { Truth::False };
        let found = judge(&equations, &evaluator, &predicates, lts.whole());
        assert_eq!(found, expected, "seed {seed}: {text} on {lts:?}");
        let part = lts.random_part(&mut dice);
        let found = judge(&equations, &evaluator, &predicates, part);
        if found != Truth::Unknown {
            decided_in_part += 1;
            assert_eq!(found, expected, "seed {seed}, a part: {text} on {lts:?}");
        }
    }
    assert!(decided_in_part > 3000, "{decided_in_part}");
}

#[test]
fn fair_ctl_agrees_with_sets_of_states() {
    let evaluator = no_data();
    let mut differs = 0;
    for seed in 0..3000 {
        let mut dice = Dice::new(seed);
        let lts = Lts::random(&mut dice, 6, 14);
        let size = 1 + dice.below(6);
        let formula = F::random(&mut dice, size, true);
        let text = formula.text();
        let fair: &[usize] = [&[0][..], &[1], &[0, 1]][dice.index(3)];
        let expected = states(&lts, fair, &formula)[0];
        differs += usize::from(expected != states(&lts, &[], &formula)[0]);
        let names: Vec<String> = fair.iter().map(|number| format!("p{number}")).collect();
        let parsed = Ctl::parse(&text).unwrap_or_else(|error| panic!("{seed}: {error:?}"));
        let parsed = parsed.on_fair_paths(&names);
        let texts = parsed.predicates().iter().map(|p| p.text.as_str());
        let predicates = in_order(&lts, texts);
        let equations = compile(&evaluator, &parsed.formula(), 0).expect("there is no data");
        let expected = if expected { Truth::True } else { Truth::False };
        let found = judge(&equations, &evaluator, &predicates, lts.whole());
        assert_eq!(
            found, expected,
            "seed {seed}: {text}, fair {fair:?}, on {lts:?}"
        );
    }
    assert!(differs > 100, "{differs}");
}

/// One state without steps: what holds on the path that has no second state.
#[test]
fn a_path_may_end() {
    let evaluator = no_data();
    let lts = Lts {
        steps: vec![vec![]],
        valuation: vec![[true, false]],
    };
    for (text, expected) in [
        ("AX true", false),
        ("EX true", false),
        ("AN false", true),
        ("EN false", true),
        ("AG {p0}", true),
        ("EG {p0}", true),
        ("AF {p1}", false),
        ("A[{p0} U {p1}]", false),
        ("E[{p0} W {p1}]", true),
        ("E({p1} R {p0})", true),
        ("<true>", false),
        ("[false]", true),
    ] {
        let parsed = Ctl::parse(text).expect("a good formula");
        let equations = compile(&evaluator, &parsed.formula(), 0).expect("there is no data");
        let texts = parsed.predicates().iter().map(|p| p.text.as_str());
        let predicates = in_order(&lts, texts);
        let found = judge(&equations, &evaluator, &predicates, lts.whole());
        assert_eq!(found == Truth::True, expected, "{text}");
    }
}

/// The deepest and the longest formulas that are read can be judged.
#[test]
fn large_formulas_can_be_judged() {
    let evaluator = no_data();
    let lts = Lts {
        steps: vec![vec![(0, 0)]],
        valuation: vec![[true, false]],
    };
    let deep = format!("{}<a>{}", "A[<b> U ".repeat(126), "]".repeat(126));
    let long = vec!["AG <a>"; 5000].join(" && ");
    for text in [deep, long] {
        let parsed = Ctl::parse(&text).expect("a good formula");
        let equations = compile(&evaluator, &parsed.formula(), 0).expect("there is no data");
        let found = judge(&equations, &evaluator, &[], lts.whole());
        assert_eq!(found, Truth::True);
    }
}
