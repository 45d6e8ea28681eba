//! SPIN on twelve dining philosophers: a full depth-first search without partial-order reduction, beyond the deadlock.

use crate::measure::Work;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const MODEL: &str = include_str!("philosophers.pml");

/// Deeper than the search gets; its stack is allocated in advance.
const DEPTH: &str = "-m1400000";

/// Four million slots: the fastest of the sizes from `-w20` to `-w24`.
const TABLE: &str = "-w22";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("spin")
}

fn run(program: &str, arguments: &[&str]) -> Result<Output, String> {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(folder())
        .output()
        .map_err(|error| format!("{program} cannot be run: {error}"))?;
    if output.status.success() {
        Ok(output)
    } else {
        let said = String::from_utf8_lossy(&output.stderr);
        Err(format!("{program} failed: {said}"))
    }
}

/// Generates and compiles the verifier.
pub fn prepare() -> Result<(), String> {
    std::fs::create_dir_all(folder())
        .and_then(|()| std::fs::write(folder().join("philosophers.pml"), MODEL))
        .map_err(|error| format!("{} cannot be written: {error}", folder().display()))?;
    run("spin", &["-a", "philosophers.pml"])?;
    let compile = [
        "-O2",
        "-DSAFETY",
        "-DNOREDUCE",
        "-DMEMLIM=16000",
        "-o",
        "pan",
        "pan.c",
    ];
    run("gcc", &compile)?;
    Ok(())
}

/// Runs the verifier; `-c0` makes it go on after errors.
pub fn dfs() -> Work {
    let pan = folder().join("pan");
    let output = run(&pan.to_string_lossy(), &[DEPTH, TABLE, "-c0"]).expect("the verifier runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(!text.contains("max search depth too small"), "{text}");
    let number = |what: &str| {
        let line = text.lines().find(|line| line.contains(what));
        let first = line.and_then(|line| line.split_whitespace().next());
        first
            .and_then(|number| number.parse().ok())
            .expect("the verifier prints its counts")
    };
    Work {
        states: number("states, stored"),
        transitions: number("transitions (="),
    }
}
