//! Breadth-first exploration with one thread and with several: wall-clock time, and whether the results are the same.

use crate::specifications::Specification;
use sortie_model::Silent;
use sortie_property::{Action, Property};
use sortie_search::{Hunt, strategy};
use std::process::Command;
use std::time::Instant;

/// Each side is measured so often, in turns; the best counts.
const ROUNDS: usize = 5;

/// What one exploration gave: counts that must not depend on threads, and time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Exploration {
    visited: u64,
    transitions: u64,
    depth: u64,
    micros: u64,
}

/// Explores in this process; the numbers, for [`compare`] to read.
pub fn explore(specification: &Specification, threads: usize) -> Result<String, String> {
    let model = specification.open()?;
    let nothing: [Box<dyn Property>; 1] = [Box::new(
        Action::matching("no such action").expect("the pattern is well-formed"),
    )];
    let mut hunt = Hunt::new(&model, &nothing, &Silent);
    hunt.threads = threads;
    hunt.budget.max_states = specification.max_states;
    let begin = Instant::now();
    let outcome = strategy("bfs")
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
    println!(
        "{:<18}{:>10}{:>12}{:>14}{:>14}{:>10}",
        "", "states", "transitions", "one, ms", "several, ms", "faster"
    );
    let mut ratios = Vec::new();
    for specification in chosen.iter().filter(|s| s.network) {
        let (mut one, mut several) = (u64::MAX, u64::MAX);
        let mut counts = None;
        for _ in 0..ROUNDS {
            let alone = in_process(specification, 1)?;
            let together = in_process(specification, threads)?;
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
            "{:<18}{:>10}{:>12}{:>14.1}{:>14.1}{ratio:>9.2}x",
            specification.name,
            counts.visited,
            counts.transitions,
            one as f64 / 1e3,
            several as f64 / 1e3
        );
        ratios.push(ratio);
    }
    crate::summarise(&format!("{threads} threads"), ratios);
    Ok(())
}

fn in_process(specification: &Specification, threads: usize) -> Result<Exploration, String> {
    let executable = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new(executable)
        .args(["--one-threaded", &threads.to_string(), &specification.name])
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
