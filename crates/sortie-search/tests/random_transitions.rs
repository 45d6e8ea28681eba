//! Do random walks follow the probabilities of random transitions?

mod common;

use common::chi_square;
use sortie_lts::Lts;
use sortie_model::Silent;
use sortie_property::{Deadlock, Property};
use sortie_search::{Hunt, Options, strategy};
use sortie_syntax::Source;
use std::collections::BTreeMap;

const SAMPLES: u64 = 20_000;

/// The probability of every path to a deadlock: transitions are equally likely, outcomes have their weights.
fn paths(lts: &Lts) -> BTreeMap<Vec<u32>, f64> {
    let mut done = BTreeMap::new();
    let mut waiting = vec![(vec![lts.initial_state()], 1.0)];
    while let Some((path, probability)) = waiting.pop() {
        let last = path[path.len() - 1];
        let transitions: Vec<_> = lts.leaving(last).collect();
        if transitions.is_empty() {
            *done.entry(path).or_insert(0.0) += probability;
            continue;
        }
        for transition in &transitions {
            let outcomes = transition.distribution();
            let sum: u64 = outcomes.iter().map(|(_, weight)| weight).sum();
            for (to, weight) in outcomes {
                let share = weight as f64 / sum as f64 / transitions.len() as f64;
                let longer = path.iter().copied().chain([to]).collect();
                waiting.push((longer, probability * share));
            }
        }
    }
    done
}

/// Hypothesis: a walk is as likely as its path. 20,000 seeds, false alarm rate 10⁻⁵ per system.
#[track_caller]
fn check(text: &str) {
    let lts = Lts::parse(Source {
        name: "random.aut",
        text,
    })
    .expect("a well-formed file");
    let expected = paths(&lts);
    let properties: Vec<Box<dyn Property>> = vec![Box::new(Deadlock)];
    let random = strategy("random").expect("the strategy is there");
    let mut observed = BTreeMap::new();
    for seed in 0..SAMPLES {
        let hunt = Hunt {
            seed,
            options: Options::default().with("walks", 1),
            ..Hunt::new(&lts, &properties, &Silent)
        };
        let outcome = random.hunt(&hunt).expect("a well-formed model");
        let trace = &outcome.found[0].trace;
        let path: Vec<u32> = (0..=trace.len()).map(|at| trace.state(at)[0]).collect();
        *observed.entry(path).or_insert(0) += 1;
    }
    let (statistic, critical) = chi_square(&observed, &expected);
    assert!(
        statistic < critical,
        "chi-square {statistic:.1}, critical {critical:.1}, {} paths",
        expected.len()
    );
}

#[test]
fn walks_draw_a_transition_and_then_its_outcome() {
    // Two random transitions with common targets beside a plain one, then a random one alone.
    check(
        "des (0,5,7)\n(0,a,1 1/10 2 7/10 3)\n(0,a,1 1/2 2)\n(0,b,4)\n(1,c,5)\n(2,d,5 1/97 6 3/97 4)\n",
    );
    // A random start.
    check("des (0 1/6 1 1/3 2,3,5)\n(0,a,3)\n(1,a,3 1/4 4)\n(1,b,3)\n");
}
