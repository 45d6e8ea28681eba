//! Sizes that are known from elsewhere: papers, other tools, arithmetic.

use sortie_model::{Model, Silent, Verdict};
use sortie_property::{Action, Deadlock, Property};
use sortie_search::{Hunt, Outcome, strategy};

fn explore(model: &dyn Model, wanted: Vec<Box<dyn Property>>) -> Outcome {
    let mut hunt = Hunt::new(model, &wanted, &Silent);
    hunt.keep_going = true;
    strategy("bfs").unwrap().hunt(&hunt).unwrap()
}

fn model(name: &str, settings: &[(&str, u64)]) -> Box<dyn Model> {
    let settings: Vec<_> = settings.iter().map(|&(n, v)| (n.into(), v)).collect();
    sortie_gallery::build(name, &settings).unwrap()
}

/// States, transitions and deadlocks of the whole state space.
fn check(name: &str, settings: &[(&str, u64)], expected: (u64, u64, u64)) {
    let outcome = explore(&*model(name, settings), vec![Box::new(Deadlock)]);
    let counts = outcome.counts;
    assert_eq!(
        (counts.visited, counts.transitions, outcome.distinct),
        expected,
        "{name} {settings:?}"
    );
    let verdict = if expected.2 == 0 {
        Verdict::Exhausted
    } else {
        Verdict::Found
    };
    assert_eq!(outcome.verdict, verdict, "{name} {settings:?}");
}

/// How many distinct steps match, and the length of the shortest way to one.
fn check_action(name: &str, settings: &[(&str, u64)], pattern: &str, expected: (u64, usize)) {
    let wanted: Vec<Box<dyn Property>> = vec![Box::new(Action::matching(pattern).unwrap())];
    let outcome = explore(&*model(name, settings), wanted);
    let shortest = outcome.found.iter().map(|found| found.trace.len()).min();
    assert_eq!(
        (outcome.distinct, shortest.unwrap_or(0)),
        expected,
        "{name} {settings:?} {pattern}"
    );
}

#[test]
fn the_structures_of_the_highway_paper() {
    check("diamond", &[], (100, 190, 1));
    check("diamond", &[("n", 4)], (25, 45, 1));
    check("backloops", &[], (47, 56, 1));
    check("scc", &[], (31, 110, 5));
    check("scc", &[("components", 2), ("size", 1)], (5, 4, 2));
    check_action("scc", &[], "report(_)", (5, 3));
}

#[test]
fn dining_philosophers() {
    check("philosophers", &[("n", 2)], (10, 12, 1));
    check("philosophers", &[], (392, 1_250, 1));
    check("philosophers", &[("n", 8)], (14_158, 72_336, 1));
    check("philosophers", &[("n", 10)], (154_450, 986_430, 1));
}

#[test]
fn the_deadlock_of_the_philosophers_is_n_steps_away() {
    for n in [2, 5, 8] {
        let model = model("philosophers", &[("n", n)]);
        let outcome = explore(&*model, vec![Box::new(Deadlock)]);
        assert_eq!(outcome.found[0].trace.len() as u64, n);
        let hands = model.describe(outcome.found[0].trace.last());
        assert!(hands.iter().all(|hand| hand.value == "has the left fork"));
    }
}

/// By an enumeration written independently, with forks and program counters.
#[test]
fn tossing_philosophers() {
    let settings = |n, parity| [("n", n), ("parity", parity)];
    let name = "tossing_philosophers";
    check(name, &settings(3, 0), (233, 678, 2));
    check(name, &settings(3, 1), (109, 346, 1));
    check(name, &settings(5, 0), (8_885, 43_100, 2));
    check(name, &settings(5, 1), (2_855, 14_961, 1));
}

#[test]
fn tossing_philosophers_deadlock_all_left_or_all_right() {
    for (parity, deadlocks) in [(0, 2), (1, 1)] {
        for n in [2, 3, 4, 5] {
            let model = model("tossing_philosophers", &[("n", n), ("parity", parity)]);
            let outcome = explore(&*model, vec![Box::new(Deadlock)]);
            assert_eq!(
                outcome.distinct, deadlocks,
                "{n} philosophers, parity {parity}"
            );
            for found in &outcome.found {
                assert_eq!(found.trace.len() as u64, 2 * n);
                let hands = model.describe(found.trace.last());
                assert!(hands.iter().all(|hand| hand.value == hands[0].value));
            }
        }
    }
}

/// As in the tests of Stateright's example; the last one also in its benchmark.
#[test]
fn two_phase_commit() {
    let states = |rms: u64| {
        let outcome = explore(
            &*model("two_phase_commit", &[("rms", rms)]),
            vec![
                Box::new(Deadlock),
                Box::new(Action::matching("inconsistent").unwrap()),
            ],
        );
        assert_eq!(outcome.verdict, Verdict::Exhausted);
        outcome.counts.visited
    };
    assert_eq!([3, 5, 7].map(states), [288, 8_832, 296_448]);
}

#[test]
fn a_hasty_transaction_manager_is_inconsistent() {
    let settings = [("rms", 3), ("faulty", 1)];
    let wanted: Vec<Box<dyn Property>> = vec![Box::new(Action::matching("inconsistent").unwrap())];
    let model = model("two_phase_commit", &settings);
    let outcome = explore(&*model, wanted);
    assert_eq!(outcome.verdict, Verdict::Found);
}

#[test]
fn games() {
    check("queens", &[("n", 1)], (2, 2, 0));
    check_action("queens", &[("n", 4)], "solved", (2, 5));
    check_action("queens", &[("n", 6)], "solved", (4, 7));
    check_action("queens", &[], "solved", (92, 9));
    let boards = explore(&*model("queens", &[]), vec![Box::new(Deadlock)]);
    assert_eq!(boards.counts.visited, 2_057);
    check_action("tictactoe", &[], "win(x)", (626, 6));
    check_action("tictactoe", &[], "win(o)", (316, 7));
    check_action("tictactoe", &[], "draw", (16, 10));
    let positions = explore(&*model("tictactoe", &[]), vec![Box::new(Deadlock)]);
    assert_eq!(positions.counts.visited, 5_478);
}

#[test]
fn graphs() {
    let graph = [("states", 5_000), ("degree", 4), ("seed", 9)];
    check("random_graph", &graph, (5_000, 20_001, 0));
    check_action("random_graph", &graph, "goal", (1, 7));
    check("funnel", &[("levels", 3)], (33, 10 + 40 + 2, 10));
    check("funnel", &[("shared", 4)], (22, 10 + 14 + 1, 10));
    check("tree", &[], (2_047, 2_047, 1_023));
    check("tree", &[("degree", 5), ("depth", 3)], (156, 156, 124));
    check("tree", &[("degree", 1), ("depth", 3)], (4, 4, 0));
    check("ring", &[], (100, 100, 0));
    check("line", &[("n", 1)], (1, 0, 1));
    check("line", &[], (100, 99, 1));
    check_action("ring", &[("n", 7)], "lap", (1, 7));
}

/// Every way through the network is as long as every other.
#[test]
fn buffers() {
    for settings in [
        vec![("units", 5)],
        vec![("units", 4), ("depth", 1)],
        vec![("units", 3), ("depth", 3), ("width", 2)],
    ] {
        let get = |name: &str, default| {
            let given = settings.iter().find(|(own, _)| *own == name);
            given.map_or(default, |(_, value)| *value)
        };
        let outcome = explore(&*model("buffers", &settings), vec![Box::new(Deadlock)]);
        let length = get("units", 100) * get("depth", 2) + 1;
        assert!(outcome.distinct > 0);
        for found in &outcome.found {
            assert_eq!(found.trace.len() as u64, length, "{settings:?}");
        }
    }
}
