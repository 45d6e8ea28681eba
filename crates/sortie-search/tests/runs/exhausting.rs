//! All runs against all runs: reduced search, bounded search and a plain enumeration.

use crate::programs;
use crate::simulated::Do::*;
use crate::simulated::{Do, Program, Running};
use sortie_model::*;
use sortie_search::Options;
use sortie_search::schedulers::{Setup, Trials};
use sortie_search::strategy;
use std::collections::BTreeSet;
use std::sync::Mutex;

/// How a run ended, with the variables unless it was cut short by a failed check.
type Outcomes = BTreeSet<(String, Vec<i64>)>;

fn outcome(end: &End, variables: &[i64]) -> (String, Vec<i64>) {
    match end {
        End::Failed(message) if message != "deadlock" => (message.clone(), Vec::new()),
        end => (format!("{end:?}"), variables.to_vec()),
    }
}

/// A program whose ends are written down.
struct Watched<'p> {
    running: Running<'p>,
    outcomes: &'p Mutex<Outcomes>,
}

impl Walk for Watched<'_> {
    fn run(&mut self, chooser: &mut dyn Chooser, limit: u64) -> Result<End, ModelError> {
        let end = self.running.run(chooser, limit)?;
        let outcome = outcome(&end, &self.running.variables);
        self.outcomes.lock().unwrap().insert(outcome);
        Ok(end)
    }
}

/// Counts through all answers like an odometer.
#[derive(Default)]
pub struct Odometer {
    pub digits: Vec<(usize, usize)>,
    at: usize,
    /// Switches away from a task that could go on, in this run.
    pub preemptions: u64,
}

impl Odometer {
    /// The next run; whether there is one.
    pub fn next(&mut self) -> bool {
        self.digits.truncate(self.at);
        self.at = 0;
        self.preemptions = 0;
        while let Some((digit, of)) = self.digits.last_mut() {
            *digit += 1;
            if *digit < *of {
                return true;
            }
            self.digits.pop();
        }
        false
    }
}

impl Chooser for Odometer {
    fn choose(&mut self, choice: Choice<'_>) -> usize {
        if self.at == self.digits.len() {
            self.digits.push((0, choice.alternatives));
        }
        let chosen = self.digits[self.at].0;
        self.at += 1;
        let leaves = choice.current.is_some_and(|current| current != chosen);
        self.preemptions += u64::from(leaves && !choice.yielding);
        chosen
    }
}

/// All outcomes of a program and how many runs it has.
fn enumerate(program: &Program) -> (Outcomes, u64) {
    let mut odometer = Odometer::default();
    let mut outcomes = Outcomes::new();
    let mut runs = 0;
    loop {
        let (end, variables) = program.run(&mut odometer);
        outcomes.insert(outcome(&end, &variables));
        runs += 1;
        if !odometer.next() {
            return (outcomes, runs);
        }
    }
}

/// What the search `exhaustive` sees, in how many runs, and its answer.
fn exhaust(program: &Program, options: Options) -> (Outcomes, u64, Option<Verdict>) {
    let outcomes = Mutex::new(Outcomes::new());
    let walk = || {
        Box::new(Watched {
            running: Running::new(program),
            outcomes: &outcomes,
        }) as Box<dyn Walk + Send>
    };
    let setup = Setup {
        strategy: strategy("exhaustive").unwrap(),
        options,
        max_steps: 1000,
        keep_going: true,
        ..Setup::new(&walk)
    };
    let mut trials = Trials::new(setup).unwrap();
    let verdict = trials.go(1_000_000).unwrap();
    let runs = trials.counts().runs;
    drop(trials);
    (outcomes.into_inner().unwrap(), runs, verdict)
}

fn random_task(dice: &mut Dice) -> Vec<Do> {
    let mut task = Vec::new();
    let mut held = Vec::new();
    for _ in 0..1 + dice.index(4) {
        let variable = dice.index(2);
        match dice.index(8) {
            0 | 1 => task.push(Load(variable, variable)),
            2 => task.push(Store(variable, |r| r[0] + 1)),
            3 => task.push(Store(variable, |r| r[1] * 2 + 3)),
            4 | 6 | 7 if !held.contains(&variable) => {
                task.push(Lock(variable));
                held.push(variable);
            }
            5 if dice.chance(1, 3) => task.push(Check(|r| r[0] != 3, "a bad sum")),
            _ => task.push(Store(3, |r| r[0])),
        }
    }
    while let Some(lock) = held.pop() {
        task.push(Unlock(lock));
    }
    task
}

#[test]
fn reduction_loses_no_outcome() {
    let mut dice = Dice::new(11);
    let (mut reduced, mut all) = (0, 0);
    let mut deadlocks = 0;
    for number in 0..600 {
        let tasks = 2 + dice.index(2);
        let mut program = Program::new((0..tasks).map(|_| random_task(&mut dice)).collect());
        if dice.chance(1, 4) {
            // Locks in both orders.
            program.tasks.truncate(1);
            program.tasks.extend([
                vec![Lock(2), Lock(3), Unlock(3), Unlock(2)],
                vec![Lock(3), Lock(2)],
            ]);
        }
        if dice.chance(1, 3) {
            // One task starts another.
            let last = program.tasks.len() - 1;
            program.tasks[0].insert(0, Create(last));
        }
        let length: usize = program.tasks.iter().map(Vec::len).sum();
        if length > 9 {
            continue;
        }
        let (expected, runs) = enumerate(&program);
        let (seen, tried, verdict) = exhaust(&program, Options::default());
        assert_eq!(
            seen, expected,
            "program {number}, {runs} runs, {tried} tried"
        );
        let failed = expected.iter().any(|(end, _)| end != "DeadEnd");
        let verdict_expected = if failed {
            Verdict::Found
        } else {
            Verdict::Exhausted
        };
        assert_eq!(verdict, Some(verdict_expected));
        assert!(
            tried <= runs,
            "program {number}: {tried} instead of {runs} runs"
        );
        deadlocks += u64::from(expected.iter().any(|(end, _)| end.contains("deadlock")));
        (reduced, all) = (reduced + tried, all + runs);
    }
    assert!(deadlocks > 10, "{deadlocks} programs had a deadlock");
    assert!(reduced * 5 < all, "{reduced} of {all} runs");
}

#[test]
fn without_knowledge_every_run_is_tried() {
    let mut dice = Dice::new(3);
    for _ in 0..60 {
        let program = Program::new((0..2).map(|_| random_task(&mut dice)).collect()).silent();
        let (expected, runs) = enumerate(&program);
        let (seen, tried, _) = exhaust(&program, Options::default());
        assert_eq!((seen, tried), (expected, runs));
    }
}

#[test]
fn few_preemptions_come_first_and_all_of_them_in_the_end() {
    let program = programs::reorder(2);
    let (expected, _) = enumerate(&programs::lost_update());
    let (seen, _, verdict) = exhaust(
        &programs::lost_update(),
        Options::default().with("preemptions", 9),
    );
    assert_eq!((seen, verdict), (expected, Some(Verdict::Found)));
    let (seen, _, verdict) = exhaust(&program, Options::default().with("preemptions", 0));
    assert!(!seen.iter().any(|(end, _)| end == "reordered"));
    assert_eq!(verdict, Some(Verdict::Spent(Spending::Preemptions)));
    let (seen, _, _) = exhaust(&program, Options::default().with("preemptions", 1));
    assert!(seen.iter().any(|(end, _)| end == "reordered"));
}

#[test]
fn a_run_that_was_cut_is_not_exhausted() {
    let program = programs::spinning(true);
    let walk = || program.walk();
    let setup = Setup {
        strategy: strategy("exhaustive").unwrap(),
        max_steps: 12,
        keep_going: true,
        ..Setup::new(&walk)
    };
    let mut trials = Trials::new(setup).unwrap();
    trials.go(100_000).unwrap();
    assert!(trials.counts().limited > 0);
    let loops = Program::new(vec![vec![Load(0, 0), Jump(|_| true, 0)]]);
    let (_, runs, verdict) = exhaust(&loops, Options::default());
    assert_eq!((runs, verdict), (1, Some(Verdict::Spent(Spending::Depth))));
}
