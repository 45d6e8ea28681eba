//! Every strategy against brute force on random graphs, and against itself under other circumstances.

mod common;

use common::{chi_square, graph, random_graph};
use sortie_lts::{Builder, Lts};
use sortie_model::{
    Budget, Dice, Event, Exactness, Fingerprint, Identity, LabelId, Model, ModelError, Observer,
    Precision, Saturation, Silent, Spending, Steps, Stop, StopReason, Trace, Verdict,
};
use sortie_property::{ACTION, Action, Deadlock, Divergence, Extremes, Property};
use sortie_search::{GoodTuring, Hunt, Options, Outcome, STRATEGIES, strategy};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Mutex;

/// Strategies that follow one path after another, and never know that they have seen everything.
const FOLLOW_PATHS: [&str; 9] = [
    "random",
    "lurch",
    "genetic",
    "best-first",
    "pct",
    "urw",
    "surw",
    "pos",
    "archive",
];

fn deadlock() -> Vec<Box<dyn Property>> {
    vec![Box::new(Deadlock)]
}

/// Distances from the initial state, by brute force.
fn distances(lts: &Lts) -> BTreeMap<u32, usize> {
    let mut distance = BTreeMap::from([(lts.initial_state(), 0)]);
    let mut queue = VecDeque::from([lts.initial_state()]);
    while let Some(state) = queue.pop_front() {
        for &(_, to) in lts.edges(state) {
            if !distance.contains_key(&to) {
                distance.insert(to, distance[&state] + 1);
                queue.push_back(to);
            }
        }
    }
    distance
}

/// A random graph in which one state in `rarity` is a deadlock.
fn graph_with_deadlocks(states: u32, rarity: u64, seed: u64) -> Lts {
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

fn run(name: &str, hunt: &Hunt<'_>) -> Outcome {
    strategy(name)
        .and_then(|s| s.hunt(hunt))
        .unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[track_caller]
fn assert_valid(lts: &Lts, trace: &Trace) {
    assert_eq!(trace.start, [lts.initial_state()]);
    for (index, step) in trace.steps.iter().enumerate() {
        let from = trace.state(index)[0];
        assert!(
            lts.edges(from).contains(&(step.label, step.target[0])),
            "step {index} is no transition"
        );
    }
}

#[test]
fn exhaustive_strategies_find_exactly_what_is_there() {
    for seed in 0..60 {
        let lts = graph_with_deadlocks(30, 8, seed);
        let distance = distances(&lts);
        let wanted: BTreeSet<u32> = distance
            .keys()
            .copied()
            .filter(|&s| lts.edges(s).is_empty())
            .collect();
        let properties = deadlock();
        for (name, option, value) in [
            ("rdfs", "mark-early", "false"),
            ("rdfs", "mark-early", "true"),
            ("dfs", "mark-early", "false"),
            ("dfs", "mark-early", "true"),
            ("bfs", "store", "exact"),
            ("highway", "width", "1000"),
        ] {
            for store in ["exact", "fingerprints", "bitstate"] {
                let options = Options::default().with(option, value).with("store", store);
                let hunt = Hunt {
                    seed,
                    options,
                    keep_going: true,
                    ..Hunt::new(&lts, &properties, &Silent)
                };
                let outcome = run(name, &hunt);
                let what = format!("{name}, {option} {value}, {store}, seed {seed}");
                let found: BTreeSet<u32> =
                    outcome.found.iter().map(|f| f.trace.last()[0]).collect();
                assert_eq!(found, wanted, "{what}");
                assert_eq!(outcome.distinct, wanted.len() as u64, "{what}");
                assert_eq!(outcome.counts.visited, distance.len() as u64, "{what}");
                assert_eq!(outcome.counts.expanded, distance.len() as u64, "{what}");
                assert_eq!(outcome.counts.considered, distance.len() as u64, "{what}");
                let expected = match outcome.exactness {
                    _ if !wanted.is_empty() => Verdict::Found,
                    Exactness::Exact => Verdict::Exhausted,
                    inexact => Verdict::Spent(Spending::Store(inexact)),
                };
                assert_eq!(outcome.verdict, expected, "{what}");
                for found in &outcome.found {
                    assert_valid(&lts, &found.trace);
                    if name == "bfs" || name == "highway" {
                        assert_eq!(
                            found.trace.len(),
                            distance[&found.trace.last()[0]],
                            "{what}: shortest"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn every_strategy_stops_at_the_first_hit_and_at_every_limit() {
    let lts = random_graph(5000, 3, 0, 7);
    let nothing: Vec<Box<dyn Property>> =
        vec![Box::new(Action::matching("never").expect("a pattern"))];
    for strategy in STRATEGIES
        .iter()
        .filter(|strategy| strategy.searches_models())
    {
        let limited = Hunt {
            budget: Budget {
                max_states: Some(700),
                ..Budget::default()
            },
            ..Hunt::new(&lts, &nothing, &Silent)
        };
        let outcome = run(strategy.name, &limited);
        assert_eq!(
            outcome.verdict,
            Verdict::Spent(Spending::States),
            "{}",
            strategy.name
        );
        assert_eq!(outcome.counts.expanded, 700, "{}", strategy.name);

        let stop = Stop::default();
        stop.request(StopReason::Clock);
        let stopped = Hunt {
            budget: Budget {
                stop,
                ..Budget::default()
            },
            ..Hunt::new(&lts, &nothing, &Silent)
        };
        let outcome = run(strategy.name, &stopped);
        assert_eq!(
            outcome.verdict,
            Verdict::Spent(Spending::Stopped(StopReason::Clock)),
            "{}",
            strategy.name
        );

        let shallow = Hunt {
            options: Options::default().with("depth", 3),
            ..Hunt::new(&lts, &nothing, &Silent)
        };
        let outcome = run(strategy.name, &shallow);
        let expected = match strategy.name {
            "lurch" => Spending::Saturation(Saturation::Estimated),
            name if FOLLOW_PATHS.contains(&name) => Spending::States,
            _ => Spending::Depth,
        };
        assert_eq!(
            outcome.verdict,
            Verdict::Spent(expected),
            "{}",
            strategy.name
        );
        assert!(outcome.counts.depth <= 3, "{}", strategy.name);

        let any: Vec<Box<dyn Property>> = vec![Box::new(Action::matching("a").expect("a pattern"))];
        let outcome = run(strategy.name, &Hunt::new(&lts, &any, &Silent));
        assert_eq!(
            (outcome.verdict, outcome.distinct),
            (Verdict::Found, 1),
            "{}",
            strategy.name
        );
        // LURCH sees steps when it has taken them, the others when they are listed.
        let expanded = u64::from(strategy.name == "lurch");
        assert_eq!(
            (outcome.counts.expanded, outcome.found[0].trace.len()),
            (expanded, 1),
            "{}",
            strategy.name
        );
    }
}

/// Long paths make a depth-first search forget waiting successors; it must find its way back all the same.
/// Random paths count the states they meet, and here there is none to be met.
#[test]
fn paths_that_cannot_begin_come_to_an_end() {
    let lts = graph(1, &[]);
    let nothing: Vec<Box<dyn Property>> =
        vec![Box::new(Action::matching("nothing").expect("a pattern"))];
    let outcome = run("lurch", &Hunt::new(&lts, &nothing, &Silent));
    assert_eq!(outcome.verdict, Verdict::Exhausted);
    assert_eq!(outcome.counts.visited, 1);
    let deadlock = deadlock();
    let hunt = Hunt {
        keep_going: true,
        ..Hunt::new(&lts, &deadlock, &Silent)
    };
    let outcome = run("lurch", &hunt);
    assert_eq!(outcome.verdict, Verdict::Found);
    assert!(outcome.found[0].trace.is_empty());
}

#[test]
fn an_exhausted_search_considered_what_it_visited() {
    let edges: Vec<(u32, u32)> = (0..4999).map(|state| (state, state + 1)).collect();
    let line = graph(5000, &edges);
    let never: Vec<Box<dyn Property>> =
        vec![Box::new(Action::matching("never").expect("a pattern"))];
    for name in ["bfs", "dfs", "rdfs", "highway", "bbmc"] {
        let outcome = run(name, &Hunt::new(&line, &never, &Silent));
        assert_eq!(outcome.verdict, Verdict::Exhausted, "{name}");
        let counted = (outcome.counts.considered, outcome.counts.precision);
        assert_eq!(counted, (5000, Precision::Exact), "{name}");
    }
}

/// All states that were seen are expanded, no more are seen than the limit says, and nothing is claimed that was not seen.
#[test]
fn a_limit_on_states_seen_leaves_none_of_them_waiting() {
    let nothing: Vec<Box<dyn Property>> =
        vec![Box::new(Action::matching("none").expect("a pattern"))];
    for seed in 0..40 {
        let lts = random_graph(60, 3, 0, seed);
        let all = distances(&lts).len() as u64;
        for (name, early) in [("rdfs", true), ("rdfs", false), ("dfs", true)] {
            for limit in [1, 7, all.saturating_sub(1).max(1), all, all + 1] {
                let options = Options::default()
                    .with("count-seen", true)
                    .with("mark-early", early);
                let hunt = Hunt {
                    seed,
                    options,
                    budget: Budget {
                        max_states: Some(limit),
                        ..Budget::default()
                    },
                    ..Hunt::new(&lts, &nothing, &Silent)
                };
                let outcome = run(name, &hunt);
                let what = format!("{name}, early {early}, limit {limit} of {all}, seed {seed}");
                let seen = limit.min(all);
                assert_eq!(outcome.counts.visited, seen, "{what}");
                assert_eq!(outcome.counts.expanded, seen, "{what}");
                let expected = match limit < all {
                    true => Verdict::Spent(Spending::States),
                    false => Verdict::Exhausted,
                };
                assert_eq!(outcome.verdict, expected, "{what}");
            }
        }
    }
}

#[test]
fn depth_first_search_loses_nothing_on_long_paths() {
    let mut edges = Vec::new();
    let mut dice = Dice::new(3);
    let states = 150_000u32;
    for from in (0..states).filter(|from| from % 5000 != 4999) {
        edges.push((from, (from + 1) % states));
        edges.push((from, dice.below(u64::from(states)) as u32));
        edges.push((from, dice.below(u64::from(states)) as u32));
    }
    let lts = graph(states, &edges);
    let properties = deadlock();
    let all = Hunt {
        keep_going: true,
        ..Hunt::new(&lts, &properties, &Silent)
    };
    let reference = run("bfs", &all);
    for name in ["dfs", "rdfs"] {
        let outcome = run(name, &all);
        assert_eq!(outcome.counts.visited, reference.counts.visited, "{name}");
        assert_eq!(outcome.counts.expanded, reference.counts.expanded, "{name}");
        assert_eq!(
            outcome.counts.transitions, reference.counts.transitions,
            "{name}"
        );
        assert_eq!(outcome.distinct, reference.distinct, "{name}");
        assert!(
            outcome.counts.depth > 50_000,
            "{name}: the paths are long, {}",
            outcome.counts.depth
        );
        outcome
            .found
            .iter()
            .for_each(|found| assert_valid(&lts, &found.trace));
    }
}

/// Results that depend on nothing but the hunt.
fn facts(outcome: &Outcome) -> impl PartialEq + std::fmt::Debug + use<> {
    (
        outcome.verdict.clone(),
        outcome.found.clone(),
        outcome.distinct,
        outcome.counts,
        outcome.exactness,
    )
}

#[test]
fn threads_never_show() {
    for seed in 0..4 {
        let lts = graph_with_deadlocks(30_000, 400, seed);
        let properties = deadlock();
        for (name, keep_going, paper_counts, max_states) in [
            ("bfs", false, false, None),
            ("bfs", true, false, None),
            ("bfs", true, false, Some(7001)),
            ("highway", false, false, None),
            ("highway", true, false, None),
            ("highway", true, true, Some(9001)),
        ] {
            let options = if name == "highway" {
                Options::default().with("width", 900)
            } else {
                Options::default()
            };
            let hunt = |threads| Hunt {
                seed,
                threads,
                keep_going,
                paper_counts,
                options: options.clone(),
                budget: Budget {
                    max_states,
                    ..Budget::default()
                },
                ..Hunt::new(&lts, &properties, &Silent)
            };
            let one = facts(&run(name, &hunt(1)));
            for threads in [2, 8] {
                assert_eq!(
                    facts(&run(name, &hunt(threads))),
                    one,
                    "{name}, seed {seed}, {threads} threads"
                );
            }
        }
    }
}

/// A line of states, each of four words, with a goal at its end.
struct Wide {
    length: u32,
}

impl Model for Wide {
    fn identity(&self) -> Identity {
        Identity::new("wide", Fingerprint::of_words(&[self.length]))
    }
    fn width(&self) -> usize {
        4
    }
    fn initial(&self, state: &mut Vec<u32>) -> Result<(), ModelError> {
        state.extend([0, 0, 0, 0]);
        Ok(())
    }
    fn expand(&self, state: &[u32], steps: &mut Steps) -> Result<(), ModelError> {
        let row = state[0];
        if row + 1 < self.length {
            for column in [state[1], (state[1] + 1) % 200, (state[1] + 7) % 200] {
                let (row, spread) = (row + 1, 2_654_435_761u32);
                let wide = [row.wrapping_mul(spread), column.wrapping_mul(spread)];
                steps.push(LabelId(0), &[row, column, wide[0], wide[1]]);
            }
        } else {
            steps.push(LabelId(1), state);
        }
        Ok(())
    }
    fn label(&self, label: LabelId) -> String {
        ["on", "goal"][label.0 as usize].into()
    }
}

#[derive(Default)]
struct Degradations(Mutex<Vec<(Exactness, Exactness)>>);

impl Observer for Degradations {
    fn event(&self, event: &Event) {
        if let Event::Degraded { from, to, .. } = event {
            self.0.lock().expect("a test's own lock").push((*from, *to));
        }
    }
}

#[test]
fn a_memory_limit_costs_exactness_and_witnesses_survive_it() {
    let model = Wide { length: 800 };
    let goal: Vec<Box<dyn Property>> = vec![Box::new(Action::matching("goal").expect("a pattern"))];
    for (name, limit, degradations) in [
        (
            "bfs",
            4_800_000,
            vec![(Exactness::Exact, Exactness::Fingerprints)],
        ),
        (
            "highway",
            4_800_000,
            vec![(Exactness::Exact, Exactness::Fingerprints)],
        ),
        (
            "bfs",
            2_800_000,
            vec![
                (Exactness::Exact, Exactness::Fingerprints),
                (Exactness::Fingerprints, Exactness::Bitstate),
            ],
        ),
    ] {
        let heard = Degradations::default();
        let options = if name == "highway" {
            Options::default().with("width", 190)
        } else {
            Options::default()
        };
        let hunt = Hunt {
            options,
            budget: Budget {
                memory: Some(limit),
                ..Budget::default()
            },
            ..Hunt::new(&model, &goal, &heard)
        };
        let outcome = run(name, &hunt);
        let heard = heard.0.into_inner().expect("a test's own lock");
        assert_eq!(
            heard, degradations,
            "{name} within {limit} bytes, {:?}",
            outcome.counts
        );
        assert_eq!(outcome.verdict, Verdict::Found, "{name}");
        assert_eq!(outcome.found[0].trace.len(), 800, "{name}");
    }
    let nothing: Vec<Box<dyn Property>> =
        vec![Box::new(Action::matching("never").expect("a pattern"))];
    for name in ["dfs", "bfs", "highway"] {
        let hunt = Hunt {
            options: if name == "highway" {
                Options::default().with("width", 150)
            } else {
                Options::default()
            },
            budget: Budget {
                memory: Some(if name == "dfs" { 15_000 } else { 60_000 }),
                ..Budget::default()
            },
            ..Hunt::new(&model, &nothing, &Silent)
        };
        assert_eq!(
            run(name, &hunt).verdict,
            Verdict::Spent(Spending::Memory),
            "{name}"
        );
    }
}

/// Hypothesis: a walk of one step takes each transition with equal probability, parallel ones included. 30,000 seeds,
/// false alarm rate 10⁻⁵.
#[test]
fn random_walks_draw_uniformly_over_transitions() {
    let mut builder = Builder::default();
    for (label, to) in [("a", 1), ("b", 1), ("c", 1), ("d", 2)] {
        let label = builder.label(label);
        builder.transition(0, label, to);
    }
    let x = builder.label("x");
    let y = builder.label("y");
    builder.transition(1, x, 1);
    builder.transition(2, y, 2);
    let lts = builder.build("fork", 0, 3);
    let mut observed: BTreeMap<String, u64> = BTreeMap::new();
    let ends: Vec<Box<dyn Property>> = vec![Box::new(Action::regex("^[xy]$").expect("a pattern"))];
    for seed in 0..30_000 {
        let options = Options::default().with("walks", 1).with("depth", 2);
        let outcome = run(
            "random",
            &Hunt {
                seed,
                options,
                ..Hunt::new(&lts, &ends, &Silent)
            },
        );
        let last = outcome.found[0]
            .trace
            .steps
            .last()
            .expect("the walk ends with a step");
        *observed.entry(lts.label(last.label)).or_insert(0) += 1;
    }
    let expected = BTreeMap::from([("x".to_string(), 0.75), ("y".to_string(), 0.25)]);
    let (statistic, critical) = chi_square(&observed, &expected);
    assert!(statistic < critical, "{observed:?}");
}

/// Good and Turing's estimate against the truth: after 40 walks, how much of what the next walk meets is new? The truth
/// is the mean over 400 further walks; estimate and truth, both averaged over 30 repetitions, must agree within 3
/// percentage points.
#[test]
fn the_unseen_share_is_estimated_without_bias() {
    let lts = random_graph(3000, 3, 0, 11);
    let walk = |dice: &mut Dice| {
        let mut state = lts.initial_state();
        let mut met = BTreeSet::from([state]);
        for _ in 0..40 {
            let edges = lts.edges(state);
            state = edges[dice.index(edges.len())].1;
            met.insert(state);
        }
        met
    };
    let (mut estimates, mut truths) = (0.0, 0.0);
    for repetition in 0..30 {
        let mut dice = Dice::new(repetition);
        let mut estimator = GoodTuring::default();
        let mut seen = BTreeSet::new();
        for _ in 0..40 {
            estimator.begin_walk();
            let met = walk(&mut dice);
            estimator.pass(met.len() as u64);
            for state in met {
                estimator.meet(Fingerprint::of_words(&[state]));
                seen.insert(state);
            }
        }
        let (mut new, mut all) = (0, 0);
        for _ in 0..400 {
            let met = walk(&mut dice);
            all += met.len();
            new += met.difference(&seen).count();
        }
        estimates += estimator
            .unseen()
            .expect("there were many walks")
            .per_million as f64
            / 1e6
            / 30.0;
        truths += new as f64 / all as f64 / 30.0;
    }
    assert!(
        (estimates - truths).abs() < 0.03,
        "estimated {estimates:.3}, true {truths:.3}"
    );
    assert!(
        truths > 0.1 && truths < 0.9,
        "the test should not be trivial: {truths:.3}"
    );
}

#[test]
fn extremes_are_the_true_ones_and_do_not_end_the_hunt() {
    let mut builder = Builder::default();
    for state in 0..200u32 {
        let label = builder.label(&format!("value({})", (i64::from(state) * 37) % 101 - 50));
        builder.transition(state, label, (state + 1) % 200);
        let back = builder.label("back");
        builder.transition(state, back, state / 2);
    }
    let lts = builder.build("values", 0, 200);
    let wanted: Vec<Box<dyn Property>> = vec![Box::new(
        Extremes::of_argument("value(#)").expect("a pattern"),
    )];
    for strategy in STRATEGIES
        .iter()
        .filter(|strategy| strategy.searches_models())
    {
        for threads in [1, 3] {
            let options = if strategy.name == "highway" {
                Options::default().with("width", 500)
            } else {
                Options::default()
            };
            // Paths rarely get to the end of the chain, and need not go on for long; the others see all of it.
            let all = !FOLLOW_PATHS.contains(&strategy.name);
            let budget = Budget {
                max_states: (!all).then_some(50_000),
                ..Budget::default()
            };
            let outcome = run(
                strategy.name,
                &Hunt {
                    threads,
                    options,
                    budget,
                    ..Hunt::new(&lts, &wanted, &Silent)
                },
            );
            let values: Vec<i64> = outcome
                .found
                .iter()
                .filter_map(|f| f.record)
                .map(|(_, value)| value)
                .collect();
            assert!(!all || values == [-50, 50], "{}: {values:?}", strategy.name);
            assert_eq!(outcome.distinct, 0, "{}", strategy.name);
            outcome
                .found
                .iter()
                .for_each(|found| assert_valid(&lts, &found.trace));
        }
    }
}

/// Against brute force: a state diverges if it has infinitely long paths of `tau`, which in a graph of n states means one of
/// length n.
#[test]
fn divergence_is_a_cycle_of_internal_steps() {
    for seed in 0..40 {
        let mut dice = Dice::new(seed);
        let mut builder = Builder::default();
        for from in 0..30u32 {
            for _ in 0..2 {
                let label = builder.label(if dice.chance(1, 3) { "tau" } else { "a" });
                builder.transition(from, label, dice.below(30) as u32);
            }
        }
        let lts = builder.build("graph", 0, 30);
        let tau = |edge: &&(LabelId, u32)| lts.label(edge.0) == "tau";
        let mut diverging: BTreeSet<u32> = (0..30).collect();
        for _ in 0..30 {
            diverging = (0..30)
                .filter(|&s| {
                    lts.edges(s)
                        .iter()
                        .filter(tau)
                        .any(|(_, to)| diverging.contains(to))
                })
                .collect();
        }
        let reachable: BTreeSet<u32> = distances(&lts).into_keys().collect();
        let wanted: BTreeSet<u32> = diverging.intersection(&reachable).copied().collect();
        let property: Vec<Box<dyn Property>> = vec![Box::new(Divergence::default())];
        let hunt = Hunt {
            keep_going: true,
            ..Hunt::new(&lts, &property, &Silent)
        };
        let found: BTreeSet<u32> = run("bfs", &hunt)
            .found
            .iter()
            .map(|f| f.trace.last()[0])
            .collect();
        assert_eq!(found, wanted, "seed {seed}");
    }
}

/// Under the papers' accounting a trace may be another path to the same state, at the same cost.
#[test]
fn paper_counts_change_only_what_is_told() {
    for seed in 0..30 {
        let lts = graph_with_deadlocks(400, 60, seed);
        let properties = deadlock();
        for name in ["random", "rdfs"] {
            let hunt = |paper_counts| Hunt {
                seed,
                paper_counts,
                ..Hunt::new(&lts, &properties, &Silent)
            };
            let plain = run(name, &hunt(false));
            let paper = run(name, &hunt(true));
            assert_eq!(
                plain.counts.expanded, paper.counts.expanded,
                "{name}, seed {seed}"
            );
            if let (Some(plain), Some(paper)) = (plain.found.first(), paper.found.first()) {
                assert_eq!(plain.trace.last(), paper.trace.last());
                assert_valid(&lts, &plain.trace);
                assert_valid(&lts, &paper.trace);
            }
            assert_eq!(paper.counts.precision, Precision::Exact);
        }
    }
}

#[test]
fn a_step_that_leads_back_to_its_own_path_is_kept() {
    let mut builder = Builder::default();
    let [go, error] = ["go", "error"].map(|label| builder.label(label));
    builder.transition(0, go, 1);
    builder.transition(1, go, 2);
    builder.transition(2, go, 0);
    builder.transition(2, error, 1);
    let lts = builder.build("back", 0, 3);
    let properties: Vec<Box<dyn Property>> =
        vec![Box::new(Action::matching("error").expect("a pattern"))];
    for strategy in STRATEGIES
        .iter()
        .filter(|strategy| strategy.searches_models())
    {
        for seed in 0..10 {
            let hunt = Hunt {
                seed,
                ..Hunt::new(&lts, &properties, &Silent)
            };
            let outcome = run(strategy.name, &hunt);
            let trace = &outcome.found[0].trace;
            assert_valid(&lts, trace);
            let last = trace.steps.last().map(|step| step.label);
            assert_eq!(last, Some(error), "{}", strategy.name);
        }
    }
}

#[test]
fn two_hundred_properties_of_labels_are_told_apart() {
    const STATES: u32 = 20;
    let mut builder = Builder::default();
    for number in 0..200 {
        let label = builder.label(&format!("a({number})"));
        builder.transition(number / 10, label, (number * 7 + 1) % STATES);
    }
    let lts = builder.build("labels", 0, STATES);
    let action = |number: u32| Action::matching(&format!("a({number})")).expect("a pattern");
    let properties: Vec<Box<dyn Property>> = (0..200)
        .rev()
        .map(|number| Box::new(action(number)) as Box<dyn Property>)
        .chain([Box::new(Action::matching("a(150)").expect("a pattern")) as Box<dyn Property>])
        .collect();
    for strategy in STRATEGIES
        .iter()
        .filter(|strategy| strategy.searches_models())
    {
        let follows_paths = FOLLOW_PATHS.contains(&strategy.name);
        let hunt = Hunt {
            keep_going: true,
            budget: Budget {
                max_states: Some(20_000),
                ..Budget::default()
            },
            ..Hunt::new(&lts, &properties, &Silent)
        };
        let outcome = run(strategy.name, &hunt);
        let mut seen = BTreeSet::new();
        for found in &outcome.found {
            let last = found.trace.steps.last().expect("it takes a step");
            let kind = properties[found.property].kind();
            assert_eq!(kind, ACTION.kind(lts.label(last.label)));
            seen.insert(found.property);
        }
        let enough = if follows_paths { 100 } else { properties.len() };
        let what = format!("{}: {} properties", strategy.name, seen.len());
        assert!(seen.len() >= enough, "{what}");
        assert_eq!(seen.contains(&49), seen.contains(&200), "{what}");
    }
}
