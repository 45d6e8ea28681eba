//! How fast mCRL2 specifications are explored: `cargo bench -p sortie-benches --bench speed`. The list is that of `sortie-lab speed`,
//! which measures the same and compares nothing.
//!
//! Each specification is explored breadth first (the whole of it, or as many states as the reference was measured on), and walked at
//! random, in a process of its own. The time is processor time without parsing and checking, with cold caches. Where mCRL2's own speed
//! is known it is scaled by a calibration that runs here, before and after: a loop in CPython. Of `commprot`, which has no end and many steps per state, mCRL2 was
//! measured by the states that it met, so ours are counted likewise, and steps of walks are not compared.
//!
//! `-- --instructions` counts instructions under valgrind instead, which noise does not touch, and compares them with
//! `instructions.csv`; `--write` renews that file. `-- --check` fails when specifications that take few instructions take noticeably more
//! than that file says, but for the exceptions in `exceptions.csv`, each of which names its reason. `-- --threads N` compares the wall-clock times of one thread and of N. Further words select specifications whose name contains one of them.

#![forbid(unsafe_code)]

mod calibration;
mod instructions;
mod specifications;
mod threads;

use specifications::{Specification, specifications};
use std::process::ExitCode;

fn main() -> ExitCode {
    // Cargo adds this word for every benchmark.
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| word != "--bench")
        .collect();
    let answer = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--one", task, name] => one(task, name),
        ["--one-threaded", count, strategy, name] => one_threaded(count, strategy, name),
        ["--threads", count, ref rest @ ..] => {
            number(count).and_then(|count| threads::compare(&chosen(rest), count))
        }
        ["--check", ref rest @ ..] => instructions::check(&chosen(rest)),
        ["--instructions", ref rest @ ..] => instructions::compare(&chosen(rest), rest),
        ref words => compare(&chosen(words)),
    };
    match answer {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// The specifications that the words select, of those that are there.
fn chosen(words: &[&str]) -> Vec<Specification> {
    let words: Vec<&&str> = words
        .iter()
        .filter(|word| !word.starts_with("--"))
        .collect();
    let selected = specifications().into_iter().filter(|specification| {
        words.is_empty() || words.iter().any(|word| specification.name.contains(**word))
    });
    let (there, absent): (Vec<_>, Vec<_>) = selected.partition(|s| s.path().exists());
    for specification in absent {
        println!("{} is not here: skipped", specification.path().display());
    }
    there
}

/// Measures one side; run in a process of its own.
fn one(task: &str, name: &str) -> Result<(), String> {
    let speed = serde_json::to_string(&named(name)?.measure(task)?);
    println!("{}", speed.map_err(|error| error.to_string())?);
    Ok(())
}

/// The same with a strategy and a number of threads.
fn one_threaded(count: &str, strategy: &str, name: &str) -> Result<(), String> {
    let explored = threads::explore(&named(name)?, strategy, number(count)?)?;
    println!("{explored}");
    Ok(())
}

fn named(name: &str) -> Result<Specification, String> {
    let found = specifications().into_iter().find(|s| s.name == name);
    found.ok_or_else(|| format!("there is no {name}"))
}

fn number(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| format!("'{text}' is no number"))
}

fn compare(chosen: &[Specification]) -> Result<(), String> {
    println!(
        "{:<18}{:>10}{:>12}{:>10}{:>12}{:>8}{:>13}{:>9}{:>8}",
        "", "states", "transitions", "opening", "states/s", "mCRL2", "walked/s", "mCRL2", "bytes"
    );
    let mut ratios = Vec::new();
    let mut walk_ratios = Vec::new();
    for specification in chosen {
        let before = calibration::seconds();
        let whole = specification.in_process("explore")?;
        let walks = specification.in_process("walk")?;
        let after = calibration::seconds();
        let factor = |own: f64| {
            let seconds = (before? + after?) / 2.0;
            let reference = specification.reference? * calibration::REFERENCE / seconds;
            Some(own / reference)
        };
        let shown = |ratio: Option<f64>| match ratio {
            None => "-".to_owned(),
            Some(ratio) if ratio < 1000.0 => format!("{ratio:.1}x"),
            Some(ratio) => format!("{ratio:.0}x"),
        };
        let ratio = factor(match specification.reference_discovers {
            true => whole.discovered_per_second(),
            false => whole.states_per_second(),
        });
        let steps = walks.states_per_second();
        let walk_ratio = factor(steps).filter(|_| !specification.reference_discovers);
        println!(
            "{:<18}{:>10}{:>12}{:>8.1}ms{:>12.0}{:>8}{:>13.0}{:>9}{:>8.1}",
            specification.name,
            whole.states,
            whole.transitions,
            whole.opening_micros as f64 / 1e3,
            whole.states_per_second(),
            shown(ratio),
            steps,
            shown(walk_ratio),
            whole.bytes_per_state().unwrap_or(0.0),
        );
        if specification.network {
            ratios.extend(ratio);
            walk_ratios.extend(walk_ratio);
        }
    }
    summarise("networks, states", ratios);
    summarise("networks, steps of walks", walk_ratios);
    Ok(())
}

fn summarise(what: &str, mut ratios: Vec<f64>) {
    ratios.sort_by(f64::total_cmp);
    if let (Some(least), Some(median)) = (ratios.first(), ratios.get(ratios.len() / 2)) {
        println!("{what}: median {median:.1}x, least {least:.1}x");
    }
}
