//! Hunts with `bbmc`: the visited states are those of the slice, and what is found is there.

mod common;

use common::graph;
use sortie_lts::Lts;
use sortie_model::{Budget, Dice, Precision, Silent, Spending, Verdict};
use sortie_property::{Action, Deadlock, Property};
use sortie_search::{
    BoundedSettings, Hunt, Options, Outcome, SearchError, breadth_bounded, strategy,
};
use std::collections::BTreeSet;

fn bbmc(hunt: &Hunt<'_>) -> Outcome {
    let bbmc = strategy("bbmc").expect("a known strategy");
    bbmc.hunt(hunt).expect("a good model")
}

fn never() -> Vec<Box<dyn Property>> {
    vec![Box::new(Action::matching("never").expect("a pattern"))]
}

/// A random graph in which some states are deadlocks.
fn with_deadlocks(states: u32, rarity: u64, seed: u64) -> Lts {
    let mut dice = Dice::new(seed);
    let mut edges = Vec::new();
    for from in 0..states {
        if from == 0 || !dice.chance(1, rarity) {
            for _ in 0..=dice.below(3) {
                edges.push((from, dice.below(u64::from(states)) as u32));
            }
        }
    }
    graph(states, &edges)
}

#[test]
fn a_hunt_visits_the_slice() {
    let never = never();
    let mut endings = BTreeSet::new();
    for seed in 0..60 {
        let lts = with_deadlocks(25, 9, seed);
        for (width, degrade, choice) in [
            (1, None, "uniform"),
            (2, None, "prototype"),
            (3, None, "repeated"),
            (3, Some(3), "uniform"),
            (4, None, "uniform"),
            (30, None, "uniform"),
        ] {
            let mut options = Options::default()
                .with("width", width)
                .with("choice", choice);
            if let Some(depth) = degrade {
                options.set("degrade", depth);
            }
            let settings = BoundedSettings::from_options(&options).expect("good options");
            let none = Budget::default();
            let slice =
                breadth_bounded(&lts, &settings, seed, &none, &Silent).expect("a good model");
            let hunt = Hunt {
                seed,
                options,
                paper_counts: true,
                ..Hunt::new(&lts, &never, &Silent)
            };
            let outcome = bbmc(&hunt);
            let states = u64::from(slice.slice.states());
            assert_eq!(
                (outcome.counts.visited, outcome.counts.expanded),
                (states, states)
            );
            assert_eq!(outcome.counts.depth + 1, slice.levels() as u64);
            let steps: usize = (0..slice.slice.states())
                .map(|id| slice.slice.edges(id).len())
                .sum();
            assert_eq!(outcome.counts.transitions, steps as u64);
            let seen = (0..slice.slice.states()).map(|id| slice.slice.words(id)[0]);
            let successors = seen.clone().flat_map(|s| lts.edges(s)).map(|&(_, to)| to);
            let considered: BTreeSet<u32> = seen.chain(successors).collect();
            assert_eq!(outcome.counts.considered, considered.len() as u64);
            assert_eq!(outcome.counts.precision, Precision::Exact);
            let expected = match slice.whole {
                true => Verdict::Exhausted,
                false => Verdict::Spent(Spending::Lanes),
            };
            assert_eq!(outcome.verdict, expected);
            endings.insert((
                slice.whole,
                slice
                    .draws
                    .by(sortie_search::level_choice::Method::Everything)
                    + 1
                    < slice.levels() as u64,
            ));
        }
    }
    assert!(
        endings.contains(&(true, true)),
        "no slice was whole after passing over a state"
    );
    assert!(endings.contains(&(false, true)));
}

#[test]
fn deadlocks_are_found_with_their_traces() {
    let deadlock: Vec<Box<dyn Property>> = vec![Box::new(Deadlock)];
    for seed in 0..40 {
        let lts = with_deadlocks(200, 8, seed);
        for (width, threads) in [(1, 1), (5, 1), (5, 4), (1000, 1)] {
            let hunt = Hunt {
                seed,
                threads,
                keep_going: true,
                options: Options::default().with("width", width),
                ..Hunt::new(&lts, &deadlock, &Silent)
            };
            let outcome = bbmc(&hunt);
            assert_eq!(outcome.distinct, outcome.found.len() as u64);
            for found in &outcome.found {
                assert!(lts.edges(found.trace.last()[0]).is_empty());
                for (index, step) in found.trace.steps.iter().enumerate() {
                    let from = found.trace.state(index)[0];
                    assert!(lts.edges(from).contains(&(step.label, step.target[0])));
                }
            }
            if width == 1000 {
                let bfs = strategy("bfs").and_then(|bfs| {
                    bfs.hunt(&Hunt {
                        options: Options::default(),
                        ..hunt
                    })
                });
                let bfs = bfs.expect("a good model");
                assert_eq!(outcome.distinct, bfs.distinct);
                assert_eq!(outcome.counts.visited, bfs.counts.visited);
            }
        }
    }
}

#[test]
fn exactness_belongs_to_the_uniform_choice() {
    let lts = with_deadlocks(20, 5, 1);
    let never = never();
    let hunt = Hunt {
        options: Options::default()
            .with("choice", "prototype")
            .with("exact", true),
        ..Hunt::new(&lts, &never, &Silent)
    };
    let refused = strategy("bbmc").and_then(|bbmc| bbmc.hunt(&hunt));
    let Err(error @ SearchError::BadOption { .. }) = refused else {
        panic!("{refused:?}")
    };
    assert!(
        error
            .to_string()
            .contains("with --exact it must be uniform"),
        "{error}"
    );
}
