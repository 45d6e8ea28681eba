//! CTL against sets of states: paths are searched for in the graph, without fixpoint equations.

use crate::formula::{F, SETS};
use crate::lts::{Lts, in_order, judge, no_data};
use sortie_model::Dice;
use sortie_property::formula::{Truth, compile};
use sortie_property::temporal::Ctl;

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

/// Where a path leads through `stay` into `goal`.
fn some_until(lts: &Lts, stay: &Set, goal: &Set) -> Set {
    let mut found = goal.clone();
    for _ in 0..lts.states() {
        found = either(&found, &both(stay, &some_next(lts, &found)));
    }
    found
}

/// Where a maximal path stays in `stay`: one that leads to a deadlock or to a state that it reaches again.
fn some_globally(lts: &Lts, stay: &Set) -> Set {
    let mut ends = both(stay, &deadlocks(lts));
    for state in 0..lts.states() {
        let only: Set = (0..lts.states()).map(|s| s == state).collect();
        let returns = some_next(lts, &some_until(lts, stay, &both(&only, stay)));
        ends[state] |= stay[state] && returns[state];
    }
    some_until(lts, stay, &ends)
}

/// `E` of the path formula, given the sets of its operands; and of its negation.
fn some_path(lts: &Lts, operator: char, negated: bool, left: &Set, right: &Set) -> Set {
    let (not_left, not_right) = (not(left), not(right));
    let all = vec![true; lts.states()];
    match (operator, negated) {
        ('X', false) => some_next(lts, right),
        ('X', true) => either(&deadlocks(lts), &some_next(lts, &not_right)),
        ('N', false) => either(&deadlocks(lts), &some_next(lts, right)),
        ('N', true) => some_next(lts, &not_right),
        ('F', false) => some_until(lts, &all, right),
        ('F', true) => some_globally(lts, &not_right),
        ('G', false) => some_globally(lts, right),
        ('G', true) => some_until(lts, &all, &not_right),
        ('U', false) => some_until(lts, left, right),
        ('U', true) => either(
            &some_until(lts, &not_right, &both(&not_left, &not_right)),
            &some_globally(lts, &not_right),
        ),
        ('W', false) => either(&some_until(lts, left, right), &some_globally(lts, left)),
        ('W', true) => some_until(lts, &not_right, &both(&not_left, &not_right)),
        ('R', false) => either(
            &some_until(lts, right, &both(left, right)),
            &some_globally(lts, right),
        ),
        ('R', true) => some_until(lts, &not_left, &not_right),
        other => panic!("{other:?}"),
    }
}

fn states(lts: &Lts, formula: &F) -> Set {
    let inside = |set: &usize, label: usize| SETS[*set].1[label];
    let quantified = |quantifier: char, operator, left: &Set, right: &Set| {
        if quantifier == 'E' {
            some_path(lts, operator, false, left, right)
        } else {
            not(&some_path(lts, operator, true, left, right))
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
        F::Not(body) => not(&states(lts, body)),
        F::And(left, right) => both(&states(lts, left), &states(lts, right)),
        F::Or(left, right) => either(&states(lts, left), &states(lts, right)),
        F::Implies(left, right) => either(&not(&states(lts, left)), &states(lts, right)),
        F::Iff(left, right) => {
            let (left, right) = (states(lts, left), states(lts, right));
            left.iter().zip(right).map(|(l, r)| *l == r).collect()
        }
        F::Unary(quantifier, operator, body) => {
            let body = states(lts, body);
            let quantifier = quantifier.expect("CTL has quantifiers");
            quantified(quantifier, *operator, &vec![true; lts.states()], &body)
        }
        F::Binary(quantifier, operator, left, right) => {
            let (left, right) = (states(lts, left), states(lts, right));
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
        let expected = states(&lts, &formula)[0];
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
