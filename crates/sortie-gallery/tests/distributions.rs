//! Random searches meet things as often as arithmetic says.

use sortie_model::{Extreme, Model, Silent, Verdict};
use sortie_property::{Action, Extremes, Property};
use sortie_search::{Hunt, Options, Outcome, strategy};

fn model(name: &str, settings: &[(&str, u64)]) -> Box<dyn Model> {
    let settings: Vec<_> = settings.iter().map(|&(n, v)| (n.into(), v)).collect();
    sortie_gallery::build(name, &settings).unwrap()
}

fn hunt(
    model: &dyn Model,
    name: &str,
    options: Options,
    wanted: &[Box<dyn Property>],
    seed: u64,
) -> Outcome {
    let mut hunt = Hunt::new(model, wanted, &Silent);
    hunt.options = options;
    hunt.seed = seed;
    strategy(name).unwrap().hunt(&hunt).unwrap()
}

fn action(pattern: &str) -> Vec<Box<dyn Property>> {
    vec![Box::new(Action::matching(pattern).unwrap())]
}

/// Hypothesis: a walk through the diamond meets report(j) with probability C(9, j) / 2^9. 20,480 walks, seeds 1 to
/// 20,480; chi-square with 9 degrees of freedom exceeds 33.7 in one of 10,000 cases.
#[test]
fn walks_through_the_diamond_are_binomial() {
    let model = model("diamond", &[]);
    let wanted = action("report(_)");
    let mut met = [0u32; 10];
    for seed in 1..=20_480 {
        let options = Options::default().with("walks", 1);
        let outcome = hunt(&*model, "random", options, &wanted, seed);
        let last = outcome.found[0].trace.steps.last().unwrap();
        let label = model.label(last.label);
        let j = label.trim_start_matches("report(").trim_end_matches(')');
        met[j.parse::<usize>().unwrap()] += 1;
    }
    let binomial = [1, 9, 36, 84, 126, 126, 84, 36, 9, 1];
    let chi: f64 = met
        .iter()
        .zip(binomial)
        .map(|(&met, weight)| {
            let expected = f64::from(weight) * 40.0;
            (f64::from(met) - expected).powi(2) / expected
        })
        .sum();
    assert!(chi < 33.7, "chi-square {chi}: {met:?}");
}

/// Hypothesis: highways of width 2 meet the funnel with probability 2/3 if drawn over states, 5/6 if drawn over
/// attempts. 3,000 runs each, seeds 1 to 3,000; four standard deviations are 104 and 82 runs, exceeded in one of
/// 16,000 cases.
#[test]
fn only_the_approximate_highway_favours_the_funnel() {
    let model = model("funnel", &[]);
    let wanted = action("report(2)");
    let met = |approximate: bool| {
        let found = |seed: &u64| {
            let options = Options::default()
                .with("width", 2)
                .with("approximate", approximate);
            hunt(&*model, "highway", options, &wanted, *seed).verdict == Verdict::Found
        };
        (1..=3_000).filter(found).count()
    };
    let (exact, approximate) = (met(false), met(true));
    assert!(exact.abs_diff(2_000) < 104, "{exact}");
    assert!(approximate.abs_diff(2_500) < 82, "{approximate}");
}

/// Hypothesis: a walk down the binary tree of depth 5 meets the goal with probability 1/32. 6,400 walks in one run with
/// seed 1; five standard deviations of their number are 70.
#[test]
fn walks_down_the_tree_are_uniform() {
    let model = model("tree", &[("depth", 5)]);
    let wanted = action("goal");
    let met = (1..=6_400)
        .filter(|&seed| {
            let options = Options::default().with("walks", 1).with("depth", 10);
            hunt(&*model, "random", options, &wanted, seed).verdict == Verdict::Found
        })
        .count();
    assert!(met.abs_diff(200) < 70, "{met}");
}

fn totals(model: &dyn Model, name: &str, options: Options, seed: u64) -> (i64, i64) {
    let wanted: Vec<Box<dyn Property>> = vec![Box::new(Extremes::of_argument("total(#)").unwrap())];
    let outcome = hunt(model, name, options, &wanted, seed);
    let end = |wanted: Extreme| {
        let record = |found: &sortie_search::Found| found.record;
        let mut records = outcome.found.iter().filter_map(record);
        records
            .find(|(extreme, _)| *extreme == wanted)
            .expect("every path has a total")
            .1
    };
    (end(Extreme::Smallest), end(Extreme::Largest))
}

#[test]
fn totals_of_random_walks_crowd_and_a_wide_highway_reaches_further() {
    let model = model("buffers", &[]);
    let walk = |seed| totals(&*model, "random", Options::default().with("walks", 1), seed).0;
    let mut walks: Vec<i64> = (1..=500).map(walk).collect();
    walks.sort_unstable();
    let median = walks[250];
    assert!((1_050..1_150).contains(&median), "{median}");
    let crowd = walks.iter().filter(|t| t.abs_diff(median) < 100).count();
    assert!(crowd > 450, "{crowd}");

    let wide = Options::default().with("width", 1_000);
    let (least, most) = totals(&*model, "highway", wide, 1);
    let many = Options::default().with("walks", 1_000);
    let (walked_least, walked_most) = totals(&*model, "random", many, 1);
    assert!(
        least < walked_least && most > walked_most,
        "highway {least} to {most}, walks {walked_least} to {walked_most}"
    );
}
