//! Breadth-first search and wide highways with one thread and with several: wall-clock time, and whether the results are the same.
//!
//! How long processors take to hand over memory decides what small searches gain, and it changes when a virtual machine is moved. So it is measured, too, before and after.

use crate::specifications::Specification;
use sortie_model::Silent;
use sortie_property::{Action, Property};
use sortie_search::{Hunt, Options, strategy};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

/// Each side is measured so often, in turns; the best counts.
const ROUNDS: usize = 5;

/// The strategies that share one search among threads.
const STRATEGIES: [&str; 2] = ["bfs", "highway"];

/// How many lanes a highway has.
const WIDTH: u64 = 20_000;

/// So many times a line of memory goes from one processor to another and back.
const ROUND_TRIPS: u64 = 1_000_000;

/// A highway ends after so many states, unless the specification has a limit.
const MOST: u64 = 1_000_000;

/// What one exploration gave: counts that must not depend on threads, and time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Exploration {
    visited: u64,
    transitions: u64,
    depth: u64,
    micros: u64,
}

/// Explores in this process; the numbers, for [`compare`] to read.
pub fn explore(
    specification: &Specification,
    name: &str,
    threads: usize,
) -> Result<String, String> {
    let model = specification.open()?;
    let nothing: [Box<dyn Property>; 1] = [Box::new(
        Action::matching("no such action").expect("the pattern is well-formed"),
    )];
    let mut hunt = Hunt::new(&model, &nothing, &Silent);
    hunt.threads = threads;
    hunt.budget.max_states = specification.max_states;
    if name == "highway" {
        hunt.options = Options::default().with("width", WIDTH);
        hunt.budget.max_states.get_or_insert(MOST);
    }
    let begin = Instant::now();
    let outcome = strategy(name)
        .and_then(|strategy| strategy.hunt(&hunt))
        .map_err(|error| error.to_string())?;
    let micros = begin.elapsed().as_micros();
    let counts = outcome.counts;
    Ok(format!(
        "{} {} {} {micros}",
        counts.visited, counts.transitions, counts.depth
    ))
}

/// Prints how much faster several threads are.
pub fn compare(chosen: &[Specification], threads: usize) -> Result<(), String> {
    tell_round_trip();
    println!(
        "{:<18}{:>9}{:>10}{:>12}{:>14}{:>14}{:>10}",
        "", "", "states", "transitions", "one, ms", "several, ms", "faster"
    );
    for name in STRATEGIES {
        let mut ratios = Vec::new();
        for specification in chosen.iter().filter(|s| s.network) {
            ratios.push(compare_one(specification, name, threads)?);
        }
        crate::summarise(&format!("{name}, {threads} threads"), ratios);
    }
    tell_round_trip();
    Ok(())
}

/// Two threads write to one line of memory in turns.
fn tell_round_trip() {
    let turn = AtomicU64::new(0);
    let write = |own: u64| {
        for round in 0..ROUND_TRIPS {
            while turn.load(Ordering::Acquire) != 2 * round + own {}
            turn.store(2 * round + own + 1, Ordering::Release);
        }
    };
    let begin = Instant::now();
    thread::scope(|scope| {
        scope.spawn(|| write(1));
        write(0);
    });
    let nanos = begin.elapsed().as_nanos() / u128::from(ROUND_TRIPS);
    println!("a line of memory goes from one processor to another and back in {nanos} ns");
}

fn compare_one(specification: &Specification, name: &str, threads: usize) -> Result<f64, String> {
    let (mut one, mut several) = (u64::MAX, u64::MAX);
    let mut counts = None;
    for _ in 0..ROUNDS {
        let alone = in_process(specification, name, 1)?;
        let together = in_process(specification, name, threads)?;
        let same = |a: Exploration, b: Exploration| {
            Exploration {
                micros: b.micros,
                ..a
            } == b
        };
        if !same(alone, together) {
            return Err(format!(
                "{}: {alone:?} and {together:?}",
                specification.name
            ));
        }
        one = one.min(alone.micros);
        several = several.min(together.micros);
        counts = Some(alone);
    }
    let counts = counts.expect("there is a round");
    let ratio = one as f64 / several as f64;
    println!(
        "{:<18}{name:>9}{:>10}{:>12}{:>14.1}{:>14.1}{ratio:>9.2}x",
        specification.name,
        counts.visited,
        counts.transitions,
        one as f64 / 1e3,
        several as f64 / 1e3
    );
    Ok(ratio)
}

fn in_process(
    specification: &Specification,
    name: &str,
    threads: usize,
) -> Result<Exploration, String> {
    let executable = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new(executable)
        .args(["--one-threaded", &threads.to_string(), name])
        .arg(&specification.name)
        .output()
        .map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let numbers: Vec<u64> = text
        .split_whitespace()
        .filter_map(|word| word.parse().ok())
        .collect();
    match numbers[..] {
        [visited, transitions, depth, micros] => Ok(Exploration {
            visited,
            transitions,
            depth,
            micros,
        }),
        _ => Err(format!(
            "{}: {text}{}",
            specification.name,
            String::from_utf8_lossy(&output.stderr)
        )),
    }
}
