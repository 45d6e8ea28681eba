//! What the random searches promise, measured.

use crate::programs;
use crate::simulated::Do::*;
use crate::simulated::{Do, Program, Running};
use sortie_model::*;
use sortie_search::Options;
use sortie_search::schedulers::{Setup, Trials};
use sortie_search::strategy;
use std::collections::BTreeMap;
use std::sync::Mutex;

type Counted = BTreeMap<Vec<String>, f64>;

/// Counts the orders of moves that interest somebody.
struct Counting<'p> {
    running: Running<'p>,
    interests: fn(Operation) -> bool,
    orders: &'p Mutex<Counted>,
}

struct Listening<'c> {
    chooser: &'c mut dyn Chooser,
    interests: fn(Operation) -> bool,
    order: Vec<String>,
}

impl Chooser for Listening<'_> {
    fn choose(&mut self, choice: Choice<'_>) -> usize {
        let chosen = self.chooser.choose(choice);
        if choice.names.operation(chosen).is_some_and(self.interests) {
            self.order.push(choice.names.name(chosen));
        }
        chosen
    }
}

impl Walk for Counting<'_> {
    fn run(&mut self, chooser: &mut dyn Chooser, limit: u64) -> Result<End, ModelError> {
        let mut listening = Listening {
            chooser,
            interests: self.interests,
            order: Vec::new(),
        };
        let end = self.running.run(&mut listening, limit)?;
        *self
            .orders
            .lock()
            .unwrap()
            .entry(listening.order)
            .or_insert(0.0) += 1.0;
        Ok(end)
    }
}

/// How often each order of interesting moves came up in `runs` runs, after the search had some to learn from.
fn orders(program: &Program, search: &str, interests: fn(Operation) -> bool, runs: u64) -> Counted {
    let counted = Mutex::new(Counted::new());
    let walk = || {
        Box::new(Counting {
            running: Running::new(program),
            interests,
            orders: &counted,
        }) as Box<dyn Walk + Send>
    };
    let setup = Setup {
        strategy: strategy(search).unwrap(),
        seed: 5,
        ..Setup::new(&walk)
    };
    let mut trials = Trials::new(setup).unwrap();
    trials.go(64).unwrap();
    counted.lock().unwrap().clear();
    trials.go(runs).unwrap();
    drop(trials);
    counted.into_inner().unwrap()
}

fn chi_square(counted: &Counted, classes: usize) -> f64 {
    let runs: f64 = counted.values().sum();
    let expected = runs / classes as f64;
    let missing = (classes - counted.len()) as f64 * expected;
    missing
        + counted
            .values()
            .map(|n| (n - expected).powi(2) / expected)
            .sum::<f64>()
}

fn local(moves: usize, variable: usize) -> Vec<Do> {
    // The end of a task is a move, too.
    vec![Store(variable, |_| 1); moves - 1]
}

/// Hypothesis: all 7!/(4! 2! 1!) = 105 interleavings of tasks with 4, 2 and 1 moves are equally likely. 21,000 runs, seed 5; chi-square with 104 degrees of freedom exceeds
/// 163 in one of 5,000 cases.
#[test]
fn uniform_walks_are_uniform() {
    let program = Program::new(vec![local(4, 1), local(2, 2), local(1, 3)]);
    let counted = orders(&program, "urw", |_| true, 21_000);
    assert_eq!(counted.len(), 105);
    let chi = chi_square(&counted, 105);
    assert!(chi < 163.0, "chi-square {chi}");
    // Random walks are far from it.
    let counted = orders(&program, "random", |_| true, 21_000);
    assert!(chi_square(&counted, 105) > 1000.0);
}

/// Hypothesis: with a task of 3 moves whose first one starts another of 3 moves, beside one of 2, all interleavings are equally likely. There are 8! of
/// them, divided by how many moves each move comes before, itself among them: 8! / (6 2 1 3 2 1 2 1) = 280. 56,000 runs, seed 5; chi-square with 279 degrees of freedom exceeds 370 in one of
/// 5,000 cases.
#[test]
fn uniform_walks_count_those_who_are_to_come() {
    let creator = vec![Create(1), Store(1, |_| 1)];
    let program = Program::new(vec![creator, local(3, 2), local(2, 3)]);
    let counted = orders(&program, "urw", |_| true, 56_000);
    assert_eq!(counted.len(), 280);
    let chi = chi_square(&counted, 280);
    assert!(chi < 370.0, "chi-square {chi}");
}

/// Hypothesis: with one object that is shared, all 6!/(3! 2! 1!) = 60 orders of its uses are equally likely, however many other moves there are
/// between. 12,000 runs, seed 5; chi-square with 59 degrees of freedom exceeds 106 in one of 5,000 cases.
#[test]
fn selective_walks_are_uniform_over_what_interests() {
    let task = |uses: usize, before: usize, variable: usize| {
        let other = std::iter::repeat_n(Store(variable, |_| 1), before);
        let uses = std::iter::repeat_n(Store(0, |_| 1), uses);
        other.chain(uses).collect::<Vec<Do>>()
    };
    let program = Program::new(vec![task(3, 0, 1), task(2, 9, 2), task(1, 30, 3)]);
    let shared = |operation: Operation| operation.object == 0;
    let counted = orders(&program, "surw", shared, 12_000);
    assert_eq!(counted.len(), 60);
    let chi = chi_square(&counted, 60);
    assert!(chi < 106.0, "chi-square {chi}");
    let counted = orders(&program, "urw", shared, 12_000);
    assert!(counted.len() < 60);
}

/// The share of runs that fail.
fn share_failing(program: &Program, search: &str, options: Options, runs: u64) -> f64 {
    let walk = || program.walk();
    let setup = Setup {
        strategy: strategy(search).unwrap(),
        options,
        seed: 3,
        keep_going: true,
        ..Setup::new(&walk)
    };
    let mut trials = Trials::new(setup).unwrap();
    trials.go(64).unwrap();
    let before = trials.counts().failed;
    trials.go(runs).unwrap();
    (trials.counts().failed - before) as f64 / runs as f64
}

/// Hypothesis: bugs of depth d are found with probability at least 1 / (n k^(d-1)). The bounds here are 1/2 for the order of two moves, and 1/(2*24) for a preemption between two
/// moves among 24. 20,000 runs, seed 3: five standard deviations below the bound never happen by chance.
#[test]
fn priorities_find_what_they_promise() {
    let depth = |d: u64| Options::default().with("changes", d - 1);
    let after = |bound: f64, share: f64| {
        let deviation = (bound * (1.0 - bound) / 20_000.0).sqrt();
        assert!(
            share > bound - 5.0 * deviation,
            "{share} instead of {bound}"
        );
    };
    let order = Program::new(vec![
        vec![Store(0, |_| 1)],
        vec![Load(0, 0), Check(|r| r[0] == 1, "too early")],
    ]);
    after(1.0 / 2.0, share_failing(&order, "pct", depth(1), 20_000));
    let mut first = local(11, 4);
    first.extend([Store(0, |_| 1), Store(0, |_| 0)]);
    let mut second = local(9, 5);
    second.extend([Load(0, 0), Check(|r| r[0] == 0, "seen")]);
    let between = Program::new(vec![first, second]);
    after(
        1.0 / (2.0 * 24.0),
        share_failing(&between, "pct", depth(2), 20_000),
    );
    assert_eq!(share_failing(&between, "pct", depth(1), 20_000), 0.0);
}

/// Nobody waits for ever in a loop, whether it asks for others to move or not.
#[test]
fn loops_that_wait_come_to_an_end() {
    for search in ["pct", "pos", "surw", "urw", "random", "auto"] {
        for yields in [true, false] {
            for program in [
                programs::spinning(yields),
                programs::spinning(yields).silent(),
            ] {
                let walk = || program.walk();
                let setup = Setup {
                    strategy: strategy(search).unwrap(),
                    max_steps: 3000,
                    keep_going: true,
                    ..Setup::new(&walk)
                };
                let mut trials = Trials::new(setup).unwrap();
                trials.go(500).unwrap();
                let counts = trials.counts();
                assert_eq!(counts.limited, 0, "{search}, {yields} {}", program.tells);
                assert!(counts.failed > 0, "{search}");
            }
        }
    }
}
