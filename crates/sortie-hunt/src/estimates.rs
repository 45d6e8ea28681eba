//! How much random walks have not seen, with one walk as the sampling unit.
//!
//! Walks are independent of one another, the states of one walk are not: a walk that gets somewhere new meets many new states at once. So everything here
//! counts in clusters, the states that the same walk met alone, or the same two walks.
//!
//! - *New states per walk* (Good and Turing): the states met by one walk only, divided by the number of walks. The error is that of a weighted sum of rare
//!   events; Fay and Feuer's gamma interval holds for it. Both the states met once and those met twice contribute to its variance (Esty), here with the squares of their
//!   clusters. Somewhere behind an unlikely step there may be a place where all is new, so its upper end leaves room for a whole walk of new states; and as everything may
//!   have been met by chance, its lower end is zero until several clusters are surely missing.
//! - *States in reach* (Chao2): from the states met once and twice follows a lower bound of how many were met by none. Nothing seen says that there are not many more,
//!   each very unlikely; so an upper end would be a claim without ground, and only the lower end is given: a one-sided 95 % limit by Chao's lognormal form.
//! - *The chance of a hit*: if each walk hit with chance p, all n walks would miss with chance (1-p)^n, which is below 5 % for p above 1 - 0.05^(1/n), about 3/n.
//!
//! Each is withheld when walks are too few, or when they do not look like walks of one kind: what the second half of them found must lie between what the first half
//! promises and what all of them leave to be found.

use crate::Interval;
use sortie_search::WalkSample;
use std::collections::HashMap;

/// Two-sided and one-sided 95 % quantiles of the normal distribution.
const TWO_SIDED: f64 = 1.959_964;
const ONE_SIDED: f64 = 1.644_854;

/// The halves of the walks disagree if the difference is beyond so many standard deviations.
const DISAGREE: f64 = 3.0;

/// If so many clusters are expected to be unmet, that none is has a chance of e^-4, below 2.5 %.
const SURELY_SOME: f64 = 4.0;

/// Why an estimate is not given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Withheld {
    /// There were so few walks.
    FewWalks(u64),
    /// Later walks met more that was new, or less, than walks of one kind do.
    NotAlike,
}

impl Withheld {
    /// With fewer walks nothing is said.
    pub const FEWEST_WALKS: u64 = 20;
}

/// How many states the next walk meets that no walk has met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewStates {
    /// The estimate.
    pub per_walk: f64,
    /// With 95 % confidence, what is expected of the next walk lies here.
    pub interval: Interval,
    /// The estimate as a share of the states that a walk passes.
    pub share: f64,
}

/// How many states such walks can meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InReach {
    /// How many were met; an estimate if only a part of them was looked at.
    pub met: f64,
    /// Chao2: there are about so many or more.
    pub estimate: f64,
    /// With 95 % confidence there are at least so many.
    pub at_least: f64,
}

/// What random walks tell about what they have not seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimates {
    /// How many walks they rest on.
    pub walks: u64,
    /// How many of those came to their own end.
    pub whole: u64,
    /// What the next walk would meet.
    pub new_states: Result<NewStates, Withheld>,
    /// How many states there are.
    pub in_reach: Result<InReach, Withheld>,
    /// With 95 % confidence a walk hits with no greater chance; nothing is known if there was a hit, or no whole walk.
    pub hit_chance: Option<f64>,
}

/// States met once or twice, in the clusters that were met together.
#[derive(Clone, Copy, Debug, Default)]
struct Clusters {
    states: f64,
    squares: f64,
    largest: f64,
}

impl Clusters {
    /// Of states, each with what tells its cluster.
    fn of<K: std::hash::Hash + Eq>(keys: impl Iterator<Item = K>) -> Self {
        let mut sizes: HashMap<K, u64> = HashMap::new();
        for key in keys {
            *sizes.entry(key).or_insert(0) += 1;
        }
        // Sums of integers are the same in every order.
        Clusters {
            states: sizes.values().sum::<u64>() as f64,
            squares: sizes.values().map(|size| size * size).sum::<u64>() as f64,
            largest: sizes.values().copied().max().unwrap_or(0) as f64,
        }
    }

    /// The size of the cluster of a state, on average over states.
    fn size(&self) -> f64 {
        match self.states {
            0.0 => 1.0,
            states => self.squares / states,
        }
    }
}

/// Judges what walks met. `hit` says whether one of them found what was looked for.
pub fn estimates(sample: &WalkSample, hit: bool) -> Estimates {
    let met_by = |walks| sample.states().filter(move |(_, met)| met.walks == walks);
    let once = Clusters::of(met_by(1).map(|(_, met)| met.first));
    let twice = Clusters::of(met_by(2).map(|(_, met)| (met.first, met.second)));
    let alike = if sample.walks < Withheld::FEWEST_WALKS {
        Err(Withheld::FewWalks(sample.walks))
    } else {
        let agree = halves_agree(sample, &once);
        agree.then_some(()).ok_or(Withheld::NotAlike)
    };
    Estimates {
        walks: sample.walks,
        whole: sample.whole,
        new_states: alike.map(|()| new_states(sample, &once, &twice)),
        in_reach: alike.map(|()| in_reach(sample, &once, &twice)),
        hit_chance: (!hit && sample.whole > 0).then(|| chance_below(sample.whole)),
    }
}

/// The greatest chance with which so many walks all miss in one of twenty cases.
pub fn chance_below(walks: u64) -> f64 {
    -(0.05f64.ln() / walks as f64).exp_m1()
}

/// Whether the later walks met about as much that was new as the earlier ones promise.
fn halves_agree(sample: &WalkSample, once: &Clusters) -> bool {
    let half = sample.walks / 2;
    let rest = sample.walks - half;
    let alone_at_half = sample
        .states()
        .filter(|(_, met)| met.first <= half && (met.walks == 1 || met.second > half));
    let promised = Clusters::of(alone_at_half.map(|(_, met)| met.first));
    let later = sample.states().filter(|(_, met)| met.first > half);
    let found = Clusters::of(later.map(|(_, met)| met.first));
    let scaled = |clusters: &Clusters, walks: u64| {
        let factor = rest as f64 / walks as f64;
        (
            clusters.states * factor,
            (clusters.squares - clusters.states * clusters.states / walks as f64) * factor * factor,
            clusters.size() * factor,
        )
    };
    let excess = |more: (f64, f64, f64), less: (f64, f64, f64)| {
        // One cluster on each side, since none seen is no sign of no variance.
        let variance = more.1 + less.1 + more.2.max(less.2).powi(2);
        (more.0 - less.0) / variance.sqrt()
    };
    let found = scaled(&found, rest);
    excess(found, scaled(&promised, half)) <= DISAGREE
        && excess(scaled(once, sample.walks), found) <= DISAGREE
}

/// Good and Turing's estimate with its interval.
fn new_states(sample: &WalkSample, once: &Clusters, twice: &Clusters) -> NewStates {
    let walks = sample.walks as f64;
    let scale = 1.0 / (walks * sample.rate());
    let variance = once.squares + 2.0 * twice.squares;
    // What one more walk may change: all it passes might be new, even if walks so far met few states again and again.
    let passed = sample.passed as f64;
    let most = once.largest.max(passed * sample.rate() / walks);
    let mut interval = weighted_poisson(once.states, variance, most);
    let (unmet, size) = unmet(walks, once, twice);
    if unmet / size < SURELY_SOME {
        interval.low = 0.0;
    }
    let per_walk = once.states * scale;
    NewStates {
        per_walk,
        interval: Interval {
            low: interval.low * scale,
            high: interval.high * scale,
        },
        share: per_walk * walks / passed.max(1.0),
    }
}

/// Fay and Feuer's interval for the mean of a sum of rare events with weights: its value, the sum of the squares of weights, the largest weight.
fn weighted_poisson(value: f64, variance: f64, most: f64) -> Interval {
    let gamma = |value: f64, variance: f64, z: f64| {
        if value <= 0.0 || variance <= 0.0 {
            return 0.0;
        }
        variance / (2.0 * value) * chi_square(2.0 * value * value / variance, z)
    };
    Interval {
        low: gamma(value, variance, -TWO_SIDED),
        high: gamma(value + most, variance + most * most, TWO_SIDED),
    }
}

/// The quantile of the chi-square distribution where the normal distribution has `z` (Wilson and Hilferty).
fn chi_square(freedom: f64, z: f64) -> f64 {
    let spread = 2.0 / (9.0 * freedom);
    freedom * (1.0 - spread + z * spread.sqrt()).max(0.0).powi(3)
}

/// Chao2: how many states were met by none, at least, and how many of them go together.
fn unmet(walks: f64, once: &Clusters, twice: &Clusters) -> (f64, f64) {
    let size = once.size().max(twice.size());
    let pairs = once.states * once.states - once.squares;
    let unmet = (walks - 1.0) / walks * pairs / (2.0 * (twice.states + size));
    (unmet, size)
}

/// Chao2 with its lower limit.
fn in_reach(sample: &WalkSample, once: &Clusters, twice: &Clusters) -> InReach {
    let walks = sample.walks as f64;
    let rate = sample.rate();
    let tracked = sample.len() as f64;
    // Which of the states are tracked is a matter of chance too.
    let surely = (tracked - ONE_SIDED * (tracked * (1.0 - rate)).sqrt()).max(0.0);
    let (unmet, size) = unmet(walks, once, twice);
    let by_once = once.states * (walks - 1.0) / walks / (twice.states + size);
    let by_twice = unmet / (twice.states + size);
    // One more cluster is counted among those met twice, and how many are unmet is a matter of chance itself.
    let variance = by_once * by_once * once.squares
        + by_twice * by_twice * (twice.squares + size * size)
        + unmet * size;
    let surely_unmet = match unmet > 0.0 {
        true => unmet / (ONE_SIDED * (variance / (unmet * unmet)).ln_1p().sqrt()).exp(),
        false => 0.0,
    };
    InReach {
        met: tracked / rate,
        estimate: (tracked + unmet) / rate,
        at_least: ((surely + surely_unmet) / rate).floor(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sortie_model::Fingerprint;
    use sortie_search::GoodTuring;

    fn sample(walks: &[&[u32]]) -> WalkSample {
        let mut turing = GoodTuring::default();
        for walk in walks {
            turing.begin_walk();
            for &state in *walk {
                turing.meet(Fingerprint::of_words(&[state]));
            }
            turing.pass(walk.len() as u64);
            turing.end_walk();
        }
        turing.sample()
    }

    #[test]
    fn quantiles_and_chances() {
        // 18.307 is the 95 % quantile with ten degrees of freedom.
        assert!((chi_square(10.0, ONE_SIDED) - 18.307).abs() < 0.02);
        assert!((chance_below(1) - 0.95).abs() < 1e-12);
        assert!((chance_below(1_000_000) - 3.0e-6).abs() < 1e-8);
        // The interval of ten rare events is 4.80 to 18.39.
        let interval = weighted_poisson(10.0, 10.0, 1.0);
        assert!((interval.low - 4.80).abs() < 0.05, "{interval:?}");
        assert!((interval.high - 18.39).abs() < 0.05, "{interval:?}");
    }

    #[test]
    fn states_without_clusters_give_the_textbook_estimate() {
        // 40 walks: all meet state 0; ten meet one state each alone, and ten pairs of walks one state each.
        let walk = |walk: u32| match walk {
            0..20 => vec![0, 1 + walk],
            20..30 => vec![0, 1 + walk - 10],
            _ => vec![0],
        };
        let walks: Vec<Vec<u32>> = (0..40).map(walk).collect();
        let walks: Vec<&[u32]> = walks.iter().map(Vec::as_slice).collect();
        let told = estimates(&sample(&walks), false);
        let new = told.new_states.expect("alike");
        assert!((new.per_walk - 0.25).abs() < 1e-12);
        assert!((new.share - 10.0 / 70.0).abs() < 1e-12);
        let reach = told.in_reach.expect("alike");
        assert!((reach.met - 21.0).abs() < 1e-9);
        // 21 + 39/40 · 10 · 9 / (2 · 11)
        assert!((reach.estimate - 24.988_636).abs() < 1e-6, "{reach:?}");
        assert!(reach.at_least >= 21.0 && reach.at_least < reach.estimate);
        assert_eq!(told.hit_chance, Some(chance_below(40)));
        assert_eq!(estimates(&sample(&walks), true).hit_chance, None);
    }

    #[test]
    fn few_walks_say_nothing() {
        let walks: Vec<&[u32]> = vec![&[0, 1]; 19];
        let told = estimates(&sample(&walks), false);
        assert_eq!(told.new_states, Err(Withheld::FewWalks(19)));
        assert_eq!(told.in_reach, Err(Withheld::FewWalks(19)));
    }
}
