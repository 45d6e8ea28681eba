//! Graphs, exact distributions and the chi-square test, for several test files.

#![allow(dead_code, reason = "each test file uses its own part")]

use sortie_lts::{Builder, Lts};
use sortie_model::{Dice, Silent};
use sortie_property::Property;
use sortie_search::{Hunt, Options, with_highway};
use std::collections::{BTreeMap, BTreeSet};

/// A set of states.
pub type States = BTreeSet<u32>;

/// The levels of a highway simulation after the initial one.
pub type Levels = Vec<States>;

/// A graph from its edges; state 0 is initial, all labels are `a`.
pub fn graph(states: u32, edges: &[(u32, u32)]) -> Lts {
    let mut builder = Builder::default();
    let label = builder.label("a");
    for &(from, to) in edges {
        builder.transition(from, label, to);
    }
    builder.build("graph", 0, states)
}

/// A random graph in which some states are funnels: many states lead to the few states 1 to `funnels`.
pub fn random_graph(states: u32, degree: u32, funnels: u32, seed: u64) -> Lts {
    let mut dice = Dice::new(seed);
    let mut edges = Vec::new();
    for from in 0..states {
        for _ in 0..degree {
            let funnel = funnels > 0 && dice.chance(1, 3);
            let to = if funnel {
                1 + dice.below(u64::from(funnels))
            } else {
                dice.below(u64::from(states))
            };
            edges.push((from, to as u32));
        }
    }
    graph(states, &edges)
}

/// The successors of a set that are not in another.
pub fn eligible(lts: &Lts, level: &States, visited: &States) -> States {
    let successors = level
        .iter()
        .flat_map(|&state| lts.edges(state))
        .map(|&(_, to)| to);
    successors.filter(|to| !visited.contains(to)).collect()
}

/// All subsets of `from` with `size` members.
pub fn subsets(from: &[u32], size: usize) -> Vec<States> {
    if size == 0 {
        return vec![States::new()];
    }
    let mut all = Vec::new();
    for (index, &first) in from.iter().enumerate() {
        for mut rest in subsets(&from[index + 1..], size - 1) {
            rest.insert(first);
            all.push(rest);
        }
    }
    all
}

/// Definition 5, enumerated: the probability of every sequence of `depth` levels.
pub fn enumerate(lts: &Lts, width: usize, depth: usize) -> BTreeMap<Levels, f64> {
    let start = States::from([lts.initial_state()]);
    let mut distribution = BTreeMap::from([(Vec::new(), 1.0)]);
    for _ in 0..depth {
        let mut next = BTreeMap::new();
        for (levels, probability) in distribution {
            let level = levels.last().unwrap_or(&start);
            let visited: States = levels
                .iter()
                .flatten()
                .copied()
                .chain(start.iter().copied())
                .collect();
            let candidates: Vec<u32> = eligible(lts, level, &visited).into_iter().collect();
            let choices = subsets(&candidates, width.min(candidates.len()));
            let share = probability / choices.len() as f64;
            for choice in choices {
                let mut longer = levels.clone();
                longer.push(choice);
                *next.entry(longer).or_insert(0.0) += share;
            }
        }
        distribution = next;
    }
    distribution
}

/// Definition 5, carried out literally with dice.
pub fn literal(lts: &Lts, width: usize, depth: usize, dice: &mut Dice) -> Levels {
    let mut level = States::from([lts.initial_state()]);
    let mut visited = level.clone();
    let mut levels = Vec::new();
    for _ in 0..depth {
        let mut candidates: Vec<u32> = eligible(lts, &level, &visited).into_iter().collect();
        for place in 0..width.min(candidates.len()) {
            let drawn = place + dice.index(candidates.len() - place);
            candidates.swap(place, drawn);
        }
        candidates.truncate(width);
        level = candidates.into_iter().collect();
        visited.extend(&level);
        levels.push(level.clone());
    }
    levels
}

/// The levels of sortie's highway.
pub fn highway(lts: &Lts, options: &Options, depth: usize, seed: u64, threads: usize) -> Levels {
    let nothing: Vec<Box<dyn Property>> = Vec::new();
    let hunt = Hunt {
        seed,
        threads,
        options: options.clone(),
        ..Hunt::new(lts, &nothing, &Silent)
    };
    let levels = with_highway(&hunt, |mut highway| {
        let mut level = |_| {
            highway.advance().expect("a well-formed model");
            highway.lanes().map(|state| state[0]).collect()
        };
        (0..depth).map(&mut level).collect()
    });
    levels.expect("a well-formed model")
}

/// Pearson's statistic against expected probabilities, cells with fewer than five expected pooled, and the value that
/// is exceeded with probability 10⁻⁵ if the hypothesis is true (Wilson and Hilferty's approximation).
pub fn chi_square<K: Ord>(observed: &BTreeMap<K, u64>, expected: &BTreeMap<K, f64>) -> (f64, f64) {
    let total: u64 = observed.values().sum();
    assert!(
        observed.keys().all(|key| expected.contains_key(key)),
        "something impossible was observed"
    );
    let (mut statistic, mut cells) = (0.0, 0u32);
    let (mut pooled_seen, mut pooled_expected) = (0.0, 0.0);
    for (key, probability) in expected {
        let seen = observed.get(key).copied().unwrap_or(0) as f64;
        let wanted = probability * total as f64;
        if wanted < 5.0 {
            pooled_seen += seen;
            pooled_expected += wanted;
        } else {
            statistic += (seen - wanted).powi(2) / wanted;
            cells += 1;
        }
    }
    if pooled_expected > 0.0 {
        statistic += (pooled_seen - pooled_expected).powi(2) / pooled_expected;
        cells += 1;
    }
    let freedom = f64::from(cells.saturating_sub(1).max(1));
    let spread = 2.0 / (9.0 * freedom);
    let critical = freedom * (1.0 - spread + 4.265 * spread.sqrt()).powi(3);
    (statistic, critical)
}
