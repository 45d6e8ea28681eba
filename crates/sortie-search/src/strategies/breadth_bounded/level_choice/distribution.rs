//! Is every admissible set equally likely? Each way to draw, compared with enumeration.

use super::cover::Cover;
use super::{ATTEMPTS, Lane, Level, Method, Rule, partial_rejection, swaps};
use sortie_model::Dice;
use std::collections::BTreeMap;
use std::path::Path;

const SAMPLES: u64 = 15_000;

fn level<L: AsRef<[u32]>>(
    candidates: usize,
    wanted: usize,
    stuck: &[L],
    others: &[&[u32]],
) -> Level {
    let lane = |candidates: &[u32], stuck| Lane {
        candidates: candidates.to_vec(),
        stuck,
    };
    let lanes = stuck
        .iter()
        .map(|candidates| lane(candidates.as_ref(), true));
    let others = others.iter().map(|candidates| lane(candidates, false));
    Level {
        candidates,
        wanted,
        most: wanted,
        lanes: lanes.chain(others).collect(),
    }
}

/// A set, ascending.
fn sorted(mut set: Vec<u32>) -> Vec<u32> {
    set.sort_unstable();
    set.dedup();
    set
}

/// A level with up to five stuck lanes of one to four candidates, and a lane that has all candidates and is not stuck.
fn random_level(dice: &mut Dice) -> Level {
    let candidates = 5 + dice.index(5);
    let stuck = 1 + dice.index(5);
    let mut lanes = Vec::new();
    for _ in 0..stuck {
        let drawn = (0..1 + dice.index(4)).map(|_| dice.index(candidates) as u32);
        lanes.push(sorted(drawn.collect()));
    }
    let wanted = stuck + dice.index(candidates - stuck + 1).min(2);
    let all: Vec<u32> = (0..candidates as u32).collect();
    level(candidates, wanted, &lanes, &[&all])
}

/// All sets that may be drawn, by brute force.
fn admissible(level: &Level) -> Vec<Vec<u32>> {
    let set = |bits: u32| -> Vec<u32> {
        let all = 0..level.candidates as u32;
        all.filter(|c| bits & 1 << c != 0).collect()
    };
    (0..1u32 << level.candidates)
        .filter(|bits| bits.count_ones() as usize == level.wanted)
        .map(set)
        .filter(|set| level.is_served_by(set))
        .collect()
}

/// How often each admissible set is drawn, in their order.
fn observe(level: &Level, samples: u64, mut draw: impl FnMut(u64) -> Vec<u32>) -> Vec<u64> {
    let sets = admissible(level);
    let numbers: BTreeMap<&[u32], usize> = sets.iter().map(|set| &set[..]).zip(0..).collect();
    let mut counts = vec![0; sets.len()];
    for seed in 0..samples {
        let mut drawn = draw(seed);
        drawn.sort_unstable();
        let number = numbers.get(&drawn[..]);
        counts[*number.unwrap_or_else(|| panic!("{drawn:?} is not admissible in {level:?}"))] += 1;
    }
    counts
}

/// Hypothesis: all sets are equally likely. Pearson's statistic against the value that it exceeds with probability 10⁻⁵ (Wilson and
/// Hilferty).
#[track_caller]
fn assert_uniform(what: &str, level: &Level, counts: &[u64]) {
    let expected = counts.iter().sum::<u64>() as f64 / counts.len() as f64;
    assert!(expected >= 5.0, "too few samples");
    let deviation = |&count: &u64| (count as f64 - expected).powi(2) / expected;
    let statistic: f64 = counts.iter().map(deviation).sum();
    let freedom = (counts.len() as f64 - 1.0).max(1.0);
    let spread = 2.0 / (9.0 * freedom);
    let critical = freedom * (1.0 - spread + 4.265 * spread.sqrt()).powi(3);
    assert!(
        statistic < critical,
        "{what}: chi-square {statistic:.1}, critical {critical:.1}, {level:?}"
    );
}

/// Half the sum of the differences from the uniform distribution, and what chance alone would give.
fn distance(counts: &[u64]) -> (f64, f64) {
    let samples = counts.iter().sum::<u64>() as f64;
    let share = 1.0 / counts.len() as f64;
    let away = |&count: &u64| (count as f64 / samples - share).abs();
    let distance = counts.iter().map(away).sum::<f64>() / 2.0;
    let chance = (counts.len() as f64 / (2.0 * std::f64::consts::PI * samples)).sqrt();
    (distance, chance)
}

/// What is left to decide, and a draw completed with what is settled.
fn completed(cover: &Cover, drawn: Vec<u32>) -> Vec<u32> {
    [&cover.forced[..], &drawn[..]].concat()
}

/// 30 random levels; at a false alarm rate of 10⁻⁵ each, one alarm in 1,100 such tests for the three ways together.
#[test]
fn exact_ways_are_uniform() {
    let mut dice = Dice::new(11);
    let mut seen = BTreeMap::new();
    for _ in 0..30 {
        let level = random_level(&mut dice);
        let cover = Cover::new(&level);
        let counts = observe(&level, SAMPLES, |seed| {
            let drawn = level.draw(Rule::Uniform, true, &mut Dice::new(seed));
            let (set, method) = drawn.expect("a small level");
            *seen.entry(method).or_insert(0) += 1;
            set
        });
        assert_uniform("as drawn", &level, &counts);
        if cover.lanes.is_empty() || level.wanted == level.candidates {
            continue;
        }
        let counts = observe(&level, SAMPLES, |seed| {
            let mut dice = Dice::new(seed);
            let drawn = (0..).find_map(|_| cover.draw_by_rejection(ATTEMPTS, &mut dice));
            completed(&cover, drawn.expect("sooner or later"))
        });
        assert_uniform("rejection", &level, &counts);
        let counts = observe(&level, SAMPLES, |seed| {
            // Where hardly more candidates are wanted than needed, this may take too long.
            let mut dice = Dice::new(seed);
            let drawn = (0..).find_map(|_| partial_rejection::draw(&cover, &mut dice));
            completed(&cover, drawn.expect("sooner or later"))
        });
        assert_uniform("partial rejection", &level, &counts);
    }
    for method in Method::ALL.into_iter().filter(|method| method.is_uniform()) {
        let occurred = seen.contains_key(&method);
        assert!(occurred, "{method:?} did not occur: {seen:?}");
    }
}

/// Disjoint lanes and as many candidates wanted: one of each lane. 3 · 3 · 3 · 3 sets, few of which a plain draw hits.
#[test]
fn one_of_each_lane() {
    let lanes: [&[u32]; 4] = [&[0, 1, 2], &[3, 4, 5], &[6, 7, 8], &[9, 10, 11]];
    let level = level(12, 4, &lanes, &[]);
    let mut methods = BTreeMap::new();
    let counts = observe(&level, SAMPLES, |seed| {
        let drawn = level.draw(Rule::Uniform, true, &mut Dice::new(seed));
        let (set, method) = drawn.expect("small components");
        *methods.entry(method).or_insert(0) += 1;
        set
    });
    assert_eq!(counts.len(), 81);
    assert_uniform("one of each", &level, &counts);
    assert!(methods[&Method::PartialRejection] > 30, "{methods:?}");
}

/// Compares figures with those in `lab/results`, which the book shows; with `SORTIE_WRITE_BOOK=1` they are written anew.
fn assert_recorded(file: &str, figures: &str) {
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lab/results");
    if std::env::var_os("SORTIE_WRITE_BOOK").is_some() {
        std::fs::write(results.join(file), figures).expect("results can be written");
    }
    let recorded = std::fs::read_to_string(results.join(file)).expect("there are results");
    assert_eq!(recorded, figures, "lab/results/{file} says something else");
}

/// Lanes that form a ring with chords: how far from uniform the set is as it is built, and after the swaps. The same is measured on
/// random levels. The bound on what the swaps leave is generous.
#[test]
fn swaps_leave_little_bias() {
    let samples = 30_000;
    let ring: Vec<Vec<u32>> = (0..6u32).map(|l| vec![l, (l + 1) % 6, 6 + l % 3]).collect();
    let star: Vec<Vec<u32>> = (1..6u32).map(|l| vec![0, l, l + 5]).collect();
    let mut levels = vec![
        ("ring, 6 of 9", level(9, 6, &ring, &[])),
        ("ring, 4 of 9", level(9, 4, &ring[..4], &[])),
        ("star, 5 of 11", level(11, 5, &star, &[])),
        ("star, 5 of 14", level(14, 5, &star, &[&[11, 12, 13]])),
    ];
    let mut dice = Dice::new(5);
    levels.extend((0..200).map(|_| ("random", random_level(&mut dice))));
    levels.retain(|(_, level)| {
        !Cover::new(level).lanes.is_empty() && level.wanted < level.candidates
    });
    let mut above_chance = [Vec::new(), Vec::new()];
    for (name, level) in &levels[..16] {
        let cover = Cover::new(level);
        let measure = |mixed: bool| {
            let way = if mixed { swaps::draw } else { swaps::build };
            let draw = |seed| completed(&cover, way(&cover, &mut Dice::new(seed)));
            distance(&observe(level, samples, draw))
        };
        let ((built, chance), (mixed, _)) = (measure(false), measure(true));
        for (all, distance) in above_chance.iter_mut().zip([built, mixed]) {
            all.push((distance - chance).max(0.0));
        }
        println!("{name:14} built {built:.4}  mixed {mixed:.4}  chance {chance:.4}");
    }
    above_chance
        .iter_mut()
        .for_each(|all| all.sort_by(f64::total_cmp));
    let [worst_built, worst_mixed] = above_chance.each_ref().map(|all| all[15]);
    let [median_built, median_mixed] = above_chance.each_ref().map(|all| (all[7] + all[8]) / 2.0);
    let figures = format!(
        "levels,built,mixed\nworst of 16,{worst_built:.3},{worst_mixed:.3}\nmedian,{median_built:.3},{median_mixed:.3}\n"
    );
    assert_recorded("level-draws.csv", &figures);
    let sees_bias = worst_built > 0.05;
    assert!(sees_bias, "the measurement sees bias where there is some");
    assert!(worst_mixed < 0.01, "{worst_mixed}");
}

/// The mean number of candidates that serve two lanes, over all sets of the wanted size that serve a chain of lanes, each with two candidates of its own and one shared with
/// either neighbour. There are some candidates of no lane as well.
fn mean_of_a_chain(lanes: usize, free: usize, wanted: usize) -> f64 {
    // By whether the candidate at the end is chosen and by how many are: the number of sets, and of shared candidates in all of them.
    let mut sets = vec![[[0.0; 2]; 2]; wanted + 4];
    sets[0][0][0] = 1.0;
    sets[1][1][0] = 1.0;
    for lane in 1..=lanes {
        let mut next = vec![[[0.0; 2]; 2]; wanted + 4];
        for (chosen, left) in (0..=wanted).flat_map(|chosen| [(chosen, 0), (chosen, 1)]) {
            let [number, shared] = sets[chosen][left];
            for (own, ways) in [(0, 1.0), (1, 2.0), (2, 1.0)] {
                for right in (0..2).filter(|right| left + own + right > 0) {
                    let place: &mut [f64; 2] = &mut next[chosen + own + right][right];
                    let more = if lane < lanes { right as f64 } else { 0.0 };
                    place[0] += ways * number;
                    place[1] += ways * (shared + more * number);
                }
            }
        }
        sets = next;
    }
    let (mut number, mut shared) = (0.0, 0.0);
    let complete = sets.iter().enumerate().take(wanted + 1);
    for (chosen, ends) in complete.skip(wanted.saturating_sub(free)) {
        let ways: f64 = (0..wanted - chosen)
            .map(|k| (free - k) as f64 / (k + 1) as f64)
            .product();
        for end in ends {
            number += ways * end[0];
            shared += ways * end[1];
        }
    }
    shared / number
}

/// A chain of 40 lanes, too many sets to enumerate: how many of the chosen candidates serve two lanes, on average over all sets, built, and
/// mixed by swaps. The means of 3,000 draws each have a standard error of at most 0.05.
#[test]
fn swaps_remove_the_bias_of_a_long_chain() {
    let chain: Vec<Vec<u32>> = (0..40).map(|l| (3 * l..3 * l + 4).collect()).collect();
    let level = level(141, 47, &chain, &[&(121..141).collect::<Vec<_>>()]);
    let cover = Cover::new(&level);
    let mean = |draw: &dyn Fn(&mut Dice) -> Vec<u32>| {
        let shared = |seed| {
            let drawn = draw(&mut Dice::new(seed)).into_iter();
            drawn.filter(|c| c % 3 == 0 && (3..120).contains(c)).count()
        };
        (0..3000).map(shared).sum::<usize>() as f64 / 3000.0
    };
    let exact = mean_of_a_chain(40, 20, 47);
    let built = mean(&|dice| swaps::build(&cover, dice));
    let mixed = mean(&|dice| swaps::draw(&cover, dice));
    assert_recorded(
        "level-draws-chain.csv",
        &format!("lanes,exact,built,mixed\n40,{exact:.1},{built:.1},{mixed:.1}\n"),
    );
    assert!((exact - mixed).abs() < 0.3, "{exact} {mixed}");
    assert!((exact - built).abs() > 0.5, "{exact} {built}");
}

/// Many lanes that share candidates across a wide level: too many to count, loose enough for partial rejection.
#[test]
fn many_lanes_are_drawn_exactly_where_they_are_loose() {
    let lanes = 300u32;
    let lane = |l: u32| sorted((0..8).map(|i| (l * 7 + i * i * 31) % 2400).collect());
    let loose: Vec<Vec<u32>> = (0..lanes).map(lane).collect();
    let all: Vec<u32> = (0..2400).collect();
    let level = level(2400, 900, &loose, &[&all]);
    let drawn = level.draw(Rule::Uniform, true, &mut Dice::new(1));
    let (set, method) = drawn.expect("loose lanes");
    assert_eq!((set.len(), method), (900, Method::PartialRejection));
}

/// Half of a grid of lanes, each with four candidates far apart, two lanes to a candidate: this cannot be drawn exactly, and says so.
#[test]
fn entangled_levels_are_refused_or_approximated() {
    let side = 24u32;
    let corner = |x: u32, y: u32| (y % side) * side + x % side;
    let lane = |l: u32| {
        let (x, y) = (l % side, l / side);
        let corners = [(x, y), (x + 1, y), (x + 5, y + 7), (x, y + 11)];
        sorted(corners.map(|(x, y)| corner(x, y)).to_vec())
    };
    let lanes: Vec<Vec<u32>> = (0..side * side / 2).map(lane).collect();
    let all: Vec<u32> = (0..576).collect();
    let level = level(576, 288, &lanes, &[&all]);
    let refused = level.draw(Rule::Uniform, true, &mut Dice::new(1));
    let refused = refused.expect_err("too entangled");
    assert_eq!(refused.lanes, 288, "{refused:?}");
    let drawn = level.draw(Rule::Uniform, false, &mut Dice::new(1));
    let (set, method) = drawn.expect("approximate draws always succeed");
    assert_eq!((set.len(), method), (288, Method::Swaps));
    assert!(level.is_served_by(&set));
}

/// Three lanes that share one candidate: under the prototype's rule each has one of its own, so the shared one alone never serves them.
#[test]
fn the_prototype_gives_every_lane_its_own() {
    let level = level(7, 4, &[&[0, 1, 2], &[0, 3, 4]], &[&[0, 5, 6]]);
    for seed in 0..500 {
        let dice = &mut Dice::new(seed);
        let (set, method) = level.draw(Rule::Prototype, false, dice).expect("any level");
        assert_eq!((set.len(), method), (4, Method::OneEach));
        assert!(level.is_served_by(&set));
        let matched = [[1, 2], [3, 4], [5, 6]].map(|own| own.iter().any(|c| set.contains(c)));
        let missing = matched.iter().filter(|matched| !**matched).count();
        assert!(missing <= usize::from(set.contains(&0)), "{set:?}");
    }
}

#[test]
fn competing_lanes_are_served_all_the_same() {
    let level = level(6, 5, &[&[0, 1], &[0, 1], &[0, 1], &[1, 2]], &[&[3, 4, 5]]);
    for seed in 0..200 {
        let drawn = level.draw(Rule::Prototype, false, &mut Dice::new(seed));
        let (set, _) = drawn.expect("any level");
        assert!(set.len() == 5 && level.is_served_by(&set), "{set:?}");
    }
}

/// Hypothesis: lane 0 takes one of its two candidates, and two more draws are among all three. Of 18 equally likely outcomes one is {0} alone, and so on, by
/// enumeration.
#[test]
fn repeated_draws_come_to_the_same_candidate() {
    let level = level(3, 3, &[&[0, 1]], &[&[0, 1, 2]]);
    let mut expected = BTreeMap::new();
    for outcome in 0..18u32 {
        let set = sorted(vec![outcome % 2, outcome / 2 % 3, outcome / 6]);
        *expected.entry(set).or_insert(0.0) += SAMPLES as f64 / 18.0;
    }
    let mut counts: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
    for seed in 0..SAMPLES {
        let drawn = level.draw(Rule::Repeated, false, &mut Dice::new(seed));
        let (chosen, method) = drawn.expect("nothing is entangled");
        assert_eq!(method, Method::Repeated);
        *counts.entry(chosen).or_insert(0) += 1;
    }
    assert!(counts.keys().eq(expected.keys()));
    let away =
        |(set, &count): (&Vec<u32>, &u64)| (count as f64 - expected[set]).powi(2) / expected[set];
    let statistic: f64 = counts.iter().map(away).sum();
    // Six kinds of sets: five degrees of freedom, of which 25.7 is exceeded in one of ten thousand cases.
    assert!(statistic < 25.7, "{statistic}");
}
