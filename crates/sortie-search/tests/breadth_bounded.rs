//! Breadth-bounded slices against the definitions, on random graphs of all kinds.

mod common;

use common::{States, chi_square, eligible, graph, random_graph, subsets};
use sortie_formula::{Edge, OUTSIDE, Slice};
use sortie_lts::{Builder, Lts};
use sortie_model::{
    Budget, Dice, Fingerprint, Identity, LabelId, Model, ModelError, Silent, Spending, Steps, Stop,
    StopReason, Traits,
};
use sortie_search::level_choice::{Method, Rule};
use sortie_search::{
    Bounded, BoundedSettings, SearchError, breadth_bounded, breadth_first_slice, first_states,
};
use std::collections::{BTreeMap, BTreeSet};

fn bounded(model: &dyn Model, settings: &BoundedSettings, seed: u64) -> Bounded {
    breadth_bounded(model, settings, seed, &Budget::default(), &Silent).expect("a good model")
}

/// The states of a level, as the graph numbers them.
fn states_of(bounded: &Bounded, level: usize) -> States {
    let level = bounded.level(level);
    level.map(|id| bounded.slice.words(id)[0]).collect()
}

fn visited(bounded: &Bounded) -> States {
    let all = 0..bounded.slice.states();
    all.map(|id| bounded.slice.words(id)[0]).collect()
}

/// A random graph with several labels; one state in `rarity` is a deadlock, and some steps are self-loops or parallel.
fn labelled(states: u32, degree: u64, rarity: u64, seed: u64) -> Lts {
    let mut dice = Dice::new(seed);
    let mut builder = Builder::default();
    let labels = ["a", "b", "c"].map(|label| builder.label(label));
    for from in 0..states {
        if rarity > 0 && from > 0 && dice.chance(1, rarity) {
            continue;
        }
        for _ in 0..=dice.below(degree) {
            let to = match dice.below(8) {
                0 => from,
                1 | 2 => (from + 1) % states,
                _ => dice.below(u64::from(states)) as u32,
            };
            builder.transition(from, labels[dice.index(3)], to);
        }
    }
    builder.build("labelled", 0, states)
}

/// Whether `whole` simulates the inside of `part`, by the greatest fixed point: pairs are removed until each step of the one is
/// matched by a step of the other.
fn is_simulated(part: &Slice, whole: &Lts) -> bool {
    let inside = |state| {
        let edges = part.edges(state).iter();
        edges.filter(|edge| edge.target != OUTSIDE)
    };
    let mut related: BTreeSet<(u32, u32)> = (0..part.states())
        .flat_map(|s| (0..whole.states()).map(move |t| (s, t)))
        .collect();
    loop {
        let is_matched = |edge: &Edge, t: u32| {
            let mut answers = whole.edges(t).iter();
            answers.any(|&(label, to)| label == edge.label && related.contains(&(edge.target, to)))
        };
        let holds = |&&(s, t): &&(u32, u32)| inside(s).all(|edge| is_matched(edge, t));
        let kept: BTreeSet<(u32, u32)> = related.iter().filter(holds).copied().collect();
        if kept.len() == related.len() {
            return related.contains(&(0, whole.initial_state()));
        }
        related = kept;
    }
}

/// The edges of every state are those of the model, with exactly those to visited states inside.
#[track_caller]
fn assert_is_restriction(slice: &Slice, lts: &Lts) {
    let numbers: BTreeMap<u32, u32> = (0..slice.states())
        .map(|id| (slice.words(id)[0], id))
        .collect();
    assert_eq!(numbers.len(), slice.states() as usize, "every state once");
    for id in 0..slice.states() {
        let edge = |&(label, to): &(LabelId, u32)| Edge {
            label,
            target: numbers.get(&to).copied().unwrap_or(OUTSIDE),
        };
        let expected: Vec<Edge> = lts.edges(slice.words(id)[0]).iter().map(edge).collect();
        assert_eq!(slice.edges(id), expected);
    }
}

/// No state has lost all its successors.
#[track_caller]
fn assert_no_new_deadlock(slice: &Slice) {
    for id in 0..slice.states() {
        let edges = slice.edges(id);
        let goes_on = edges.iter().any(|edge| edge.target != OUTSIDE);
        assert!(goes_on || edges.is_empty(), "state {id} became a deadlock");
    }
}

/// Line 4 of algorithm 2, and lines 7 and 8 of algorithm 3, for every level.
#[track_caller]
fn assert_levels_are_admissible(bounded: &Bounded, settings: &BoundedSettings, lts: &Lts) {
    let mut visited = states_of(bounded, 0);
    assert_eq!(visited, States::from([lts.initial_state()]));
    let successors = |state: u32| lts.edges(state).iter().map(|&(_, to)| to);
    for level in 0..bounded.levels() {
        let lanes = states_of(bounded, level);
        let next = if level + 1 < bounded.levels() {
            states_of(bounded, level + 1)
        } else {
            States::new()
        };
        let degrading = settings.degrade.is_some_and(|depth| level as u64 >= depth);
        let is_stuck = |&state: &u32| {
            successors(state).next().is_some() && !successors(state).any(|to| visited.contains(&to))
        };
        let stuck: States = lanes.iter().copied().filter(is_stuck).collect();
        let (from, most) = if degrading {
            (eligible(lts, &stuck, &visited), stuck.len())
        } else {
            (eligible(lts, &lanes, &visited), settings.width)
        };
        assert!(next.is_subset(&from), "level {level}");
        assert_eq!(next.len(), most.min(from.len()), "level {level}");
        for state in stuck {
            assert!(
                successors(state).any(|to| next.contains(&to)),
                "{state} has no successor"
            );
        }
        visited.extend(next);
    }
}

/// The parent of a state is in the level before and has a step to it.
#[track_caller]
fn assert_parents_lead_back(bounded: &Bounded) {
    assert_eq!(bounded.parents[0], OUTSIDE);
    for level in 1..bounded.levels() {
        for id in bounded.level(level) {
            let parent = bounded.parents[id as usize];
            assert!(bounded.level(level - 1).contains(&parent));
            assert!(
                bounded
                    .slice
                    .edges(parent)
                    .iter()
                    .any(|edge| edge.target == id)
            );
        }
    }
}

#[test]
fn slices_are_what_both_algorithms_say() {
    let mut seen = BTreeSet::new();
    for seed in 0..40 {
        let lts = labelled(9 + seed as u32 % 8, 3, [0, 4][seed as usize % 2], seed);
        let reachable = visited(&bounded(&lts, &BoundedSettings::new(1000), 0));
        for width in 1..=lts.states() as usize {
            for (degrade, choice) in [
                (None, Rule::Uniform),
                (Some(2), Rule::Uniform),
                (None, Rule::Prototype),
                (Some(1), Rule::Prototype),
            ] {
                let settings = BoundedSettings {
                    degrade,
                    choice,
                    ..BoundedSettings::new(width)
                };
                let bounded = bounded(&lts, &settings, seed);
                assert_levels_are_admissible(&bounded, &settings, &lts);
                assert_is_restriction(&bounded.slice, &lts);
                assert_no_new_deadlock(&bounded.slice);
                assert_parents_lead_back(&bounded);
                assert!(is_simulated(&bounded.slice, &lts));
                let whole = visited(&bounded) == reachable;
                assert_eq!((bounded.whole, bounded.cut), (whole, None));
                seen.extend(Method::ALL.into_iter().filter(|m| bounded.draws.by(*m) > 0));
            }
        }
    }
    assert!(
        seen.contains(&Method::Plain) && seen.contains(&Method::OneEach),
        "{seen:?}"
    );
}

/// A test that cannot fail shows nothing: with an edge that the whole does not have, there is no simulation.
#[test]
fn the_simulation_check_can_fail() {
    let lts = labelled(12, 3, 0, 1);
    let slice = bounded(&lts, &BoundedSettings::new(3), 1).slice;
    let mut wrong = Slice::new(1);
    for id in 0..slice.states() {
        let more = Edge {
            label: LabelId(77),
            target: 0,
        };
        wrong.push(
            slice.words(id),
            slice
                .edges(id)
                .iter()
                .copied()
                .chain((id == 0).then_some(more)),
        );
    }
    assert!(is_simulated(&slice, &lts) && !is_simulated(&wrong, &lts));
}

/// Example 1 of the paper. Its picture is not in the text; this graph has everything that the text says of it: r leads to a, b and
/// c; a leads to d, and d to c; b and c lead back to r. With N = 2 two of a, b, c are drawn, each pair with probability 1/3:
/// - a and b: then d, the only successor of a, then c: four queues, and all of the graph;
/// - a and c: then d, whose successor c was visited: without b;
/// - b and c: both lead back: without a and d.
///
/// With N = 3 it is a breadth-first search, of three queues.
#[test]
fn example_1_has_three_outcomes() {
    let [r, a, b, c, d] = [0, 1, 2, 3, 4];
    let lts = graph(5, &[(r, a), (r, b), (r, c), (a, d), (b, r), (c, r), (d, c)]);
    let queues = |width, seed| -> Vec<States> {
        let bounded = bounded(&lts, &BoundedSettings::new(width), seed);
        assert_eq!(bounded.whole, bounded.slice.states() == 5);
        (0..bounded.levels())
            .map(|level| states_of(&bounded, level))
            .collect()
    };
    let set = |states: &[u32]| states.iter().copied().collect::<States>();
    let third = 1.0 / 3.0;
    let expected = BTreeMap::from([
        (vec![set(&[r]), set(&[a, b]), set(&[d]), set(&[c])], third),
        (vec![set(&[r]), set(&[a, c]), set(&[d])], third),
        (vec![set(&[r]), set(&[b, c])], third),
    ]);
    let mut observed = BTreeMap::new();
    for seed in 0..9000 {
        *observed.entry(queues(2, seed)).or_insert(0) += 1;
    }
    // Hypothesis: all three are equally likely; false alarm rate 10⁻⁵.
    let (statistic, critical) = chi_square(&observed, &expected);
    assert!(
        statistic < critical,
        "chi-square {statistic:.1}, {observed:?}"
    );
    assert_eq!(queues(3, 1), [set(&[r]), set(&[a, b, c]), set(&[d])]);
}

/// The probability of every sequence of levels, by enumeration of line 4.
fn enumerate(lts: &Lts, width: usize, depth: usize) -> BTreeMap<Vec<States>, f64> {
    let mut distribution = BTreeMap::from([(vec![States::from([lts.initial_state()])], 1.0)]);
    for _ in 0..depth {
        let mut next = BTreeMap::new();
        for (levels, probability) in distribution {
            let lanes = levels.last().expect("the initial level").clone();
            let visited: States = levels.iter().flatten().copied().collect();
            let from: Vec<u32> = eligible(lts, &lanes, &visited).into_iter().collect();
            let is_served = |&lane: &u32, choice: &States| {
                let mut successors = lts.edges(lane).iter().map(|(_, to)| to);
                lts.edges(lane).is_empty()
                    || successors.any(|to| visited.contains(to) || choice.contains(to))
            };
            let mut choices = subsets(&from, width.min(from.len()));
            choices.retain(|choice| lanes.iter().all(|lane| is_served(lane, choice)));
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

/// Hypothesis: levels have the enumerated distribution. 6,000 seeds per graph and width, false alarm rate 10⁻⁵ each.
#[test]
fn levels_are_uniform_over_admissible_sets() {
    let mut drawn = BTreeMap::new();
    for (states, degree, funnels, graph_seed) in
        [(10, 2, 0, 1), (12, 2, 2, 2), (14, 3, 1, 3), (12, 2, 0, 6)]
    {
        let lts = random_graph(states, degree, funnels, graph_seed);
        for width in 1..=4 {
            let expected = enumerate(&lts, width, 3);
            let mut observed = BTreeMap::new();
            for seed in 0..6000 {
                let settings = BoundedSettings {
                    exact: true,
                    ..BoundedSettings::new(width)
                };
                let bounded = bounded(&lts, &settings, seed);
                let level = |level| {
                    if level < bounded.levels() {
                        states_of(&bounded, level)
                    } else {
                        States::new()
                    }
                };
                let levels: Vec<States> = (0..4).map(level).collect();
                *observed.entry(levels).or_insert(0) += 1;
                for method in Method::ALL {
                    *drawn.entry(method).or_insert(0) += bounded.draws.by(method);
                }
            }
            let (statistic, critical) = chi_square(&observed, &expected);
            assert!(
                statistic < critical,
                "{states} states, graph {graph_seed}, width {width}: {statistic:.1} of {critical:.1}"
            );
        }
    }
    assert!(drawn[&Method::Rejection] > 1000, "{drawn:?}");
}

/// A ladder of `length` rungs that never leads back, then a loop: past the depth, one state per stuck lane is drawn until the loop
/// is reached.
#[test]
fn degradation_goes_on_only_where_it_must() {
    let (lanes, length) = (4u32, 12u32);
    let state = |lane: u32, rung: u32| 1 + rung * lanes + lane;
    let mut edges: Vec<(u32, u32)> = (0..lanes).map(|lane| (0, state(lane, 0))).collect();
    for lane in 0..lanes {
        for rung in 0..length - 1 {
            edges.push((state(lane, rung), state(lane, rung + 1)));
            edges.push((state(lane, rung), state((lane + 1) % lanes, rung + 1)));
            if rung % (lane + 2) == lane + 1 {
                edges.push((state(lane, rung), 0));
            }
        }
        edges.push((state(lane, length - 1), state(lane, length - 1)));
    }
    let lts = graph(1 + lanes * length, &edges);
    let mut sizes = Vec::new();
    for depth in 1..=length as u64 {
        let settings = BoundedSettings {
            degrade: Some(depth),
            ..BoundedSettings::new(4)
        };
        let bounded = bounded(&lts, &settings, 3);
        assert_levels_are_admissible(&bounded, &settings, &lts);
        assert_no_new_deadlock(&bounded.slice);
        // Level `depth` is the last that is drawn in full: the test is on the level that is expanded.
        assert_eq!(bounded.level(depth as usize).len(), 4, "depth {depth}");
        for level in depth as usize + 1..bounded.levels() {
            assert!(bounded.level(level).len() <= bounded.level(level - 1).len());
        }
        sizes.push(bounded.slice.states());
    }
    assert!(sizes[0] < sizes[11] && sizes.is_sorted(), "{sizes:?}");
    assert_eq!(
        sizes[11],
        lts.states(),
        "without a loss of lanes it is everything"
    );
}

/// A self-loop is a successor: the search does not go on for its sake.
#[test]
fn a_degrading_search_ends_at_loops() {
    let lts = graph(5, &[(0, 1), (1, 1), (1, 2), (2, 3), (3, 4), (4, 3)]);
    let settings = BoundedSettings {
        degrade: Some(1),
        ..BoundedSettings::new(3)
    };
    let bounded = bounded(&lts, &settings, 1);
    assert_eq!((bounded.slice.states(), bounded.whole), (2, false));
}

/// Numbers that a wrapped graph hands out in another order, with the fingerprints of the original.
struct Renumbered {
    graph: Lts,
    factor: u32,
}

impl Renumbered {
    fn original(&self, state: u32) -> u32 {
        // The factor is its own inverse modulo the number of states.
        state * self.factor % self.graph.states()
    }
}

impl Model for Renumbered {
    fn identity(&self) -> Identity {
        self.graph.identity().with(Traits::default())
    }
    fn width(&self) -> usize {
        1
    }
    fn initial(&self, state: &mut Vec<u32>) -> Result<(), ModelError> {
        state.push(self.original(self.graph.initial_state()));
        Ok(())
    }
    fn expand(&self, state: &[u32], steps: &mut Steps) -> Result<(), ModelError> {
        for &(label, to) in self.graph.edges(self.original(state[0])) {
            steps.push(label, &[self.original(to)]);
        }
        Ok(())
    }
    fn label(&self, label: LabelId) -> String {
        self.graph.label(label)
    }
    fn fingerprint(&self, state: &[u32]) -> Fingerprint {
        self.graph.fingerprint(&[self.original(state[0])])
    }
}

#[test]
fn slices_do_not_depend_on_numbers() {
    // 1599 · 1599 = 1 modulo 1600.
    let graph = labelled(1600, 3, 0, 5);
    let renumbered = Renumbered {
        graph: graph.clone(),
        factor: 1599,
    };
    for choice in Rule::ALL {
        let settings = BoundedSettings {
            choice,
            ..BoundedSettings::new(20)
        };
        for seed in 0..10 {
            let (one, other) = (
                bounded(&graph, &settings, seed),
                bounded(&renumbered, &settings, seed),
            );
            assert_eq!(one, bounded(&graph, &settings, seed), "the same again");
            assert_eq!((&one.begins, &one.parents), (&other.begins, &other.parents));
            for id in 0..one.slice.states() {
                assert_eq!(
                    one.slice.words(id)[0],
                    renumbered.original(other.slice.words(id)[0])
                );
                assert_eq!(one.slice.edges(id), other.slice.edges(id));
            }
        }
        let different = bounded(&graph, &settings, 1).slice != bounded(&graph, &settings, 2).slice;
        assert!(different, "seeds matter");
    }
}

#[test]
fn a_cut_slice_is_sound() {
    let lts = labelled(2000, 3, 0, 8);
    let settings = BoundedSettings::new(7);
    let whole_run = bounded(&lts, &settings, 4);
    for max_states in [1, 2, 9, 100, 101] {
        let budget = Budget {
            max_states: Some(max_states),
            ..Budget::default()
        };
        let cut = breadth_bounded(&lts, &settings, 4, &budget, &Silent).expect("a good model");
        assert_eq!(cut.cut, Some(Spending::States));
        assert_eq!(u64::from(cut.slice.states()), max_states);
        assert_eq!(cut.parents.len() as u64, max_states);
        assert!(
            cut.begins
                .iter()
                .all(|&begin| u64::from(begin) < max_states)
        );
        assert_is_restriction(&cut.slice, &lts);
        for id in 0..cut.slice.states() {
            assert_eq!(
                cut.slice.words(id),
                whole_run.slice.words(id),
                "the search is the same"
            );
        }
    }
    let stop = Stop::default();
    stop.request(StopReason::Interrupt);
    let stopped = Budget {
        stop,
        ..Budget::default()
    };
    let stopped = breadth_bounded(&lts, &settings, 4, &stopped, &Silent).expect("a good model");
    assert_eq!(stopped.cut, Some(Spending::Stopped(StopReason::Interrupt)));
    assert_eq!(stopped.slice.states(), 1, "the initial state is there");
}

#[test]
fn memory_limits_end_the_search() {
    let lts = random_graph(200_000, 3, 0, 9);
    let limited = Budget {
        memory: Some(lts.bytes() + (2 << 20)),
        ..Budget::default()
    };
    let cut = breadth_bounded(&lts, &BoundedSettings::new(500), 1, &limited, &Silent)
        .expect("a good model");
    assert_eq!(cut.cut, Some(Spending::Memory));
    assert!(cut.slice.states() > 1000 && cut.slice.bytes() < 2 << 20);
    assert_is_restriction(&cut.slice, &lts);
}

/// Half of a grid of lanes with four candidates each, two lanes to a candidate, and a lane that is not stuck and leads to all of the grid.
fn entangled() -> Lts {
    let side = 24;
    let lanes = side * side / 2;
    let corner = |x: u32, y: u32| 2 + lanes + (y % side) * side + x % side;
    let mut edges: Vec<(u32, u32)> = (0..=lanes).map(|lane| (0, 1 + lane)).collect();
    edges.push((1 + lanes, 0));
    edges.extend((0..side * side).map(|place| (1 + lanes, corner(place % side, place / side))));
    for lane in 0..lanes {
        let (x, y) = (lane % side, lane / side);
        for to in [
            corner(x, y),
            corner(x + 1, y),
            corner(x + 5, y + 7),
            corner(x, y + 11),
        ] {
            edges.push((1 + lane, to));
        }
    }
    graph(2 + lanes + side * side, &edges)
}

#[test]
fn an_exact_search_refuses_what_it_cannot_draw() {
    let lts = entangled();
    let settings = BoundedSettings::new(289);
    let drawn = bounded(&lts, &settings, 1);
    assert_eq!(
        (drawn.draws.by(Method::Swaps), drawn.draws.biased()),
        (1, 1)
    );
    let exact = BoundedSettings {
        exact: true,
        ..settings
    };
    let refused = breadth_bounded(&lts, &exact, 1, &Budget::default(), &Silent);
    let Err(
        error @ SearchError::Entangled {
            level: 2,
            lanes: 288,
            ..
        },
    ) = refused
    else {
        panic!("{refused:?}")
    };
    assert!(error.to_string().contains("without --exact"), "{error}");
}

#[test]
fn a_breadth_first_slice_is_the_beginning_of_the_search() {
    for seed in 0..20 {
        let lts = labelled(40, 3, 5, seed);
        let none = Budget::default();
        let (whole, cut) = breadth_first_slice(&lts, u64::MAX, &none).expect("a good model");
        assert!(whole.is_whole() && cut.is_none());
        for expanded in 1..=whole.states() {
            let (slice, cut) =
                breadth_first_slice(&lts, u64::from(expanded), &none).expect("a good model");
            assert_eq!((slice.states(), cut), (expanded, None));
            assert_is_restriction(&slice, &lts);
            assert_eq!(
                slice,
                first_states(&whole, expanded),
                "slices grow at the end"
            );
        }
        // The order is that of a queue: states are met in the order of their numbers.
        let mut met = 1;
        for id in 0..whole.states() {
            assert!(id < met);
            for edge in whole.edges(id) {
                assert!(edge.target <= met);
                met = met.max(edge.target + 1);
            }
        }
    }
}
