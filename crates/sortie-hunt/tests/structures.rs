//! Section 5.1 of Engels et al.: diamond, back-loops, strongly connected components, against enumerated values.

use sortie_hunt::{Campaign, HuntSettings, Results, Target};
use sortie_model::{Model, Steps, Verdict};
use sortie_property::{Property, PropertyKind};
use sortie_search::Options;
use std::collections::{BTreeMap, BTreeSet};

fn runs(
    model: &dyn Model,
    property: &str,
    name: &str,
    options: &[(&str, u64)],
    runs: u64,
    max_states: Option<u64>,
) -> Results {
    let properties: Vec<Box<dyn Property>> = vec![
        PropertyKind::parse(property)
            .property()
            .expect("a known property"),
    ];
    let options = options
        .iter()
        .fold(Options::default(), |o, (name, value)| o.with(*name, value));
    let settings = HuntSettings {
        runs: Some(runs),
        threads: 2,
        keep_going: true,
        paper_counts: true,
        shorten: false,
        max_states,
        ..HuntSettings::with_strategy(name, options)
    };
    let campaign = Campaign::new(Target::Model(model, &properties), &settings);
    campaign.run().expect("a well-formed model")
}

fn gallery(name: &str) -> Box<dyn Model> {
    sortie_gallery::build(name, &[]).expect("a gallery model")
}

/// Five standard deviations of a share from `n` samples: false alarm rate below 10⁻⁶ each.
#[track_caller]
fn assert_share(measured: f64, expected: f64, n: u64, what: &str) {
    let tolerance = 5.0 * (expected * (1.0 - expected) / n as f64).sqrt() + 1e-9;
    assert!(
        (measured - expected).abs() <= tolerance,
        "{what}: measured {measured:.4}, expected {expected:.4}"
    );
}

/// The share of runs that found `report(j)`.
fn share(results: &Results, j: usize) -> f64 {
    let count = results
        .tally
        .get(&(0, format!("report({j})")))
        .copied()
        .unwrap_or(0);
    count as f64 / results.runs.len() as f64
}

fn choose(n: u64, k: u64) -> f64 {
    (0..k).map(|i| (n - i) as f64 / (i + 1) as f64).product()
}

/// The chance that a highway of width N has a lane at place j of the diamond's diagonal, by enumerating all sets of lanes
/// level by level.
fn diamond_marginals(width: usize) -> [f64; 10] {
    let mut distribution: BTreeMap<u16, f64> = BTreeMap::from([(1, 1.0)]);
    for _ in 0..9 {
        let mut next: BTreeMap<u16, f64> = BTreeMap::new();
        for (lanes, probability) in distribution {
            let candidates = lanes | lanes << 1;
            let size = (candidates.count_ones() as usize).min(width);
            let choices: Vec<u16> = (0..1u16 << 10)
                .filter(|s| s & !candidates == 0 && s.count_ones() as usize == size)
                .collect();
            for choice in &choices {
                *next.entry(*choice).or_insert(0.0) += probability / choices.len() as f64;
            }
        }
        distribution = next;
    }
    std::array::from_fn(|j| {
        distribution
            .iter()
            .filter(|(set, _)| *set >> j & 1 == 1)
            .map(|(_, p)| p)
            .sum()
    })
}

/// Hypothesis: random walks hit place j with probability C(9,j)/2⁹, highways of width N as enumerated. 2,000 runs each.
#[test]
fn diamond_of_width_ten() {
    let diamond = gallery("diamond");
    let n = 2000;
    let random = runs(
        &*diamond,
        "action report",
        "random",
        &[("walks", 1), ("depth", 30)],
        n,
        None,
    );
    for j in 0..10 {
        assert_share(
            share(&random, j),
            choose(9, j as u64) / 512.0,
            n,
            &format!("random, report({j})"),
        );
    }
    for width in [2, 4, 6, 8] {
        let highway = runs(
            &*diamond,
            "action report",
            "highway",
            &[("width", width)],
            n,
            None,
        );
        let expected = diamond_marginals(width as usize);
        for (j, &expected) in expected.iter().enumerate() {
            assert_share(
                share(&highway, j),
                expected,
                n,
                &format!("highway {width}, report({j})"),
            );
        }
        assert!(
            expected[0] < expected[4],
            "the outer states are rarer: {expected:?}"
        );
    }
}

/// Highway of width 10 and randomised depth-first search find all ten. The highway has seen the last of them after the 55
/// states of the upper half. The depth-first search needs all 100: once one of the two ways from the root is done, the
/// far edge is all that is left, and its end is a state of the diagonal.
#[test]
fn wide_searches_find_all_ten() {
    let diamond = gallery("diamond");
    let found = |name: &str, options: &[(&str, u64)], limit: u64| -> Vec<u64> {
        let results = runs(&*diamond, "action report", name, options, 200, Some(limit));
        results.runs.iter().map(|run| run.found).collect()
    };
    for (name, options, needed) in [("highway", &[("width", 10)][..], 55), ("rdfs", &[], 100)] {
        assert!(
            found(name, options, needed)
                .iter()
                .all(|&count| count == 10),
            "{name}"
        );
        assert!(
            found(name, options, needed - 1)
                .iter()
                .all(|&count| count == 9),
            "{name}"
        );
    }
}

/// Exact probability that a single random walk has found the deadlock when it has expanded `limit` states.
fn walk_probability(model: &dyn Model, limit: u64) -> f64 {
    let mut start = Vec::new();
    model.initial(&mut start).expect("a well-formed model");
    let mut distribution: BTreeMap<Vec<u32>, f64> = BTreeMap::from([(start, 1.0)]);
    let mut found = 0.0;
    for expanded in 0..=limit {
        let mut next: BTreeMap<Vec<u32>, f64> = BTreeMap::new();
        for (state, probability) in distribution {
            let mut steps = Steps::new(model.width());
            model
                .expand(&state, &mut steps)
                .expect("a well-formed model");
            if steps.is_empty() {
                // The deadlock itself is looked at only while there is budget for one more state.
                found += if expanded < limit { probability } else { 0.0 };
                continue;
            }
            for (_, target) in steps.iter() {
                *next.entry(target.to_vec()).or_insert(0.0) += probability / steps.len() as f64;
            }
        }
        distribution = next;
    }
    found
}

#[test]
fn back_loops_of_47_states() {
    let loops = gallery("backloops");
    let whole = runs(&*loops, "deadlock", "bfs", &[], 1, None);
    assert_eq!((whole.runs[0].counts.visited, whole.runs[0].found), (47, 1));
    let n = 3000;
    for limit in [20, 50, 200] {
        let random = runs(
            &*loops,
            "deadlock",
            "random",
            &[("walks", 1)],
            n,
            Some(limit),
        );
        let successes = random.runs.iter().filter(|run| run.found > 0).count();
        let expected = walk_probability(&*loops, limit);
        assert_share(
            successes as f64 / n as f64,
            expected,
            n,
            &format!("random within {limit} states"),
        );
    }
    let success = |name: &str, options: &[(&str, u64)], limit: u64| {
        let results = runs(&*loops, "deadlock", name, options, n, Some(limit));
        results.runs.iter().filter(|run| run.found > 0).count() as f64 / n as f64
    };
    // The paper's order after 50 states: width 5 before depth-first search before random search; width 1 last, since it
    // may not come back to where it was.
    let (five, rdfs) = (
        success("highway", &[("width", 5)], 40),
        success("rdfs", &[], 40),
    );
    let (random, one) = (
        success("random", &[("walks", 1)], 50),
        success("highway", &[("width", 1)], 50),
    );
    assert!(
        five > rdfs && rdfs > random && random > one,
        "{five} {rdfs} {random} {one}"
    );
    assert_eq!(success("rdfs", &[], 47), 1.0);
    // Width 1 gets to the end only by never turning back at the nine states that offer it.
    let never_back = highway_one_probability(&*loops);
    assert_share(one, never_back, n, "highway of width 1");
}

/// Exact probability that a highway of width 1 finds the deadlock: a random walk that may not revisit states.
fn highway_one_probability(model: &dyn Model) -> f64 {
    fn go(model: &dyn Model, state: &[u32], visited: &mut BTreeSet<Vec<u32>>) -> f64 {
        let mut steps = Steps::new(model.width());
        model
            .expand(state, &mut steps)
            .expect("a well-formed model");
        if steps.is_empty() {
            return 1.0;
        }
        let eligible: BTreeSet<Vec<u32>> = steps
            .iter()
            .map(|(_, t)| t.to_vec())
            .filter(|t| !visited.contains(t))
            .collect();
        let mut total = 0.0;
        for target in &eligible {
            visited.insert(target.clone());
            total += go(model, target, visited) / eligible.len() as f64;
            visited.remove(target);
        }
        total
    }
    let mut start = Vec::new();
    model.initial(&mut start).expect("a well-formed model");
    go(model, &start.clone(), &mut BTreeSet::from([start]))
}

/// Five components with one exit each: a highway of width 1 always finds exactly one, each equally often; a depth-first
/// search finds all five; wider highways lie between.
#[test]
fn five_strongly_connected_components() {
    let scc = gallery("scc");
    let n = 2000;
    let one = runs(&*scc, "action report", "highway", &[("width", 1)], n, None);
    assert!(one.runs.iter().all(|run| run.found == 1));
    for id in 1..=5 {
        assert_share(share(&one, id), 0.2, n, &format!("report({id})"));
    }
    let rdfs = runs(&*scc, "action report", "rdfs", &[], 100, None);
    assert!(
        rdfs.runs
            .iter()
            .all(|run| run.found == 5 && run.verdict == Verdict::Found)
    );
    let mean = |results: &Results| {
        results.runs.iter().map(|run| run.found as f64).sum::<f64>() / results.runs.len() as f64
    };
    let random = runs(
        &*scc,
        "action report",
        "random",
        &[("walks", 1)],
        n,
        Some(12),
    );
    let narrow = runs(
        &*scc,
        "action report",
        "highway",
        &[("width", 1)],
        n,
        Some(12),
    );
    let wide = runs(&*scc, "action report", "highway", &[("width", 3)], n, None);
    assert!(
        mean(&random) < mean(&narrow),
        "a random search sometimes misses the exit"
    );
    assert!(mean(&wide) > 1.5 && mean(&wide) < 5.0, "{}", mean(&wide));
    assert!(
        runs(
            &*scc,
            "action report",
            "highway",
            &[("width", 5)],
            200,
            None
        )
        .runs
        .iter()
        .all(|r| r.found >= 1)
    );
}
