//! Are highway levels drawn as definition 5 says? Compared with enumeration, on graphs full of funnels too.

mod common;

use common::{chi_square, enumerate, graph, highway, literal, random_graph};
use sortie_lts::Lts;
use sortie_model::Dice;
use sortie_search::Options;
use std::collections::BTreeMap;

const SAMPLES: u64 = 20_000;

fn width(width: usize) -> Options {
    Options::default().with("width", width)
}

/// Hypothesis: the levels have the enumerated distribution. 20,000 seeds per graph, false alarm rate 10⁻⁵ per graph.
#[track_caller]
fn check_uniform(
    name: &str,
    lts: &Lts,
    lanes: usize,
    depth: usize,
    draw: impl Fn(u64) -> common::Levels,
) {
    let expected = enumerate(lts, lanes, depth);
    let mut observed = BTreeMap::new();
    for seed in 0..SAMPLES {
        *observed.entry(draw(seed)).or_insert(0) += 1;
    }
    let (statistic, critical) = chi_square(&observed, &expected);
    assert!(
        statistic < critical,
        "{name}, width {lanes}: chi-square {statistic:.1}, critical {critical:.1}, {} sequences",
        expected.len()
    );
}

#[test]
fn exact_levels_are_uniform_over_distinct_candidates() {
    for (states, degree, funnels, seed) in [
        (8, 3, 0, 1),
        (9, 3, 2, 2),
        (10, 4, 1, 3),
        (7, 5, 3, 4),
        (12, 3, 1, 5),
    ] {
        let lts = random_graph(states, degree, funnels, seed);
        for lanes in 1..=3 {
            let name = format!("{states} states, {funnels} funnels, graph seed {seed}");
            check_uniform(&name, &lts, lanes, 3, |seed| {
                highway(&lts, &width(lanes), 3, seed, 1)
            });
        }
    }
}

/// The oracle itself: drawing literally gives the enumerated distribution.
#[test]
fn the_literal_definition_agrees_with_enumeration() {
    for (funnels, graph_seed) in [(0, 1), (2, 2)] {
        let lts = random_graph(9, 3, funnels, graph_seed);
        for lanes in 1..=3 {
            check_uniform("literal", &lts, lanes, 3, |seed| {
                literal(&lts, lanes, 3, &mut Dice::new(seed))
            });
        }
    }
}

/// A level of `lanes` lanes; the first leads to `others` states and then to the funnel, the next `ways - 1` to the
/// funnel only.
fn funnel(lanes: u32, others: u32, ways: u32) -> (Lts, u32) {
    let funnel = 1 + lanes + others;
    let mut edges: Vec<(u32, u32)> = (1..=lanes).map(|lane| (0, lane)).collect();
    edges.extend((0..others).map(|other| (1, 1 + lanes + other)));
    edges.extend((1..=ways).map(|lane| (lane, funnel)));
    (graph(funnel + 1, &edges), funnel)
}

fn share_with_funnel(lts: &Lts, funnel: u32, options: &Options) -> f64 {
    let hits = (0..SAMPLES)
        .filter(|&seed| highway(lts, options, 2, seed, 1)[1].contains(&funnel))
        .count();
    hits as f64 / SAMPLES as f64
}

/// Five standard deviations of a share estimated from 20,000 samples: false alarm rate below 10⁻⁶ each.
fn tolerance(share: f64) -> f64 {
    5.0 * (share * (1.0 - share) / SAMPLES as f64).sqrt()
}

/// Formula (2) of the paper with k = 0: after c other attempts, K attempts at width N succeed with probability
/// 1 - c! (c+K-N)! / ((c+K)! (c-N)!), which is one minus the product of (1 - N/(c+k)).
#[test]
fn the_approximate_draw_has_the_funnel_bias_of_formula_2() {
    for (lanes, others, ways) in [(2, 5, 2), (3, 5, 3), (4, 9, 4), (4, 6, 2), (5, 12, 5)] {
        let (lts, target) = funnel(lanes, others, ways);
        let (n, c) = (f64::from(lanes), f64::from(others));
        let missed: f64 = (1..=ways).map(|k| 1.0 - n / (c + f64::from(k))).product();
        let predicted = 1.0 - missed;
        let approximate = width(lanes as usize).with("approximate", true);
        let measured = share_with_funnel(&lts, target, &approximate);
        assert!(
            (measured - predicted).abs() < tolerance(predicted),
            "N={lanes} c={others} K={ways}: measured {measured:.4}, formula {predicted:.4}"
        );
        let uniform = n / (c + 1.0);
        let exact = share_with_funnel(&lts, target, &width(lanes as usize));
        assert!(
            (exact - uniform).abs() < tolerance(uniform),
            "exact: {exact:.4} instead of {uniform:.4}"
        );
    }
}

/// Formula (3): whatever the order, a state met K times among M attempts at U distinct ones is selected with a
/// probability between N/M and formula (2) with c = U - 1.
#[test]
fn the_approximate_draw_stays_within_formula_3() {
    let (lanes, others) = (3u32, 6u32);
    let target = 1 + lanes + others;
    for order in 0..3u32 {
        // The funnel's three occurrences lie among those of the six other states, shifted by `order`.
        let mut edges: Vec<(u32, u32)> = (1..=lanes).map(|lane| (0, lane)).collect();
        for lane in 0..lanes {
            let other = |index: u32| (1 + lane, 1 + lanes + 2 * lane + index);
            let mut row = vec![other(0), other(1)];
            row.insert(order as usize, (1 + lane, target));
            edges.extend(row);
        }
        let lts = graph(target + 1, &edges);
        let measured = share_with_funnel(&lts, target, &width(3).with("approximate", true));
        let (n, m, c) = (3.0, 9.0, 6.0);
        let upper = 1.0
            - (1..=3)
                .map(|k| 1.0 - n / (c + f64::from(k)))
                .product::<f64>();
        assert!(
            measured > n / m - tolerance(n / m) && measured < upper + tolerance(upper),
            "{measured}"
        );
        assert!(
            measured > n / 7.0 + tolerance(n / 7.0),
            "no bias: {measured}"
        );
    }
}

#[test]
fn levels_are_the_same_on_any_number_of_threads() {
    for seed in 0..5 {
        let lts = random_graph(20_000, 4, 50, seed);
        let one = highway(&lts, &width(700), 12, seed, 1);
        assert!(
            one.last().is_some_and(|level| !level.is_empty()),
            "the graph is too small to tell"
        );
        for threads in [2, 8] {
            assert_eq!(
                highway(&lts, &width(700), 12, seed, threads),
                one,
                "{threads} threads, seed {seed}"
            );
        }
    }
}
