//! Judging formulas on a large explicit system: `cargo bench -p sortie-benches --bench check`.
//!
//! A system of a million transitions is judged against formulas with nested fixpoints, each in a process of its own (this executable, started again), so that processor
//! time and peak memory are its own. Reading a file is not part of it, making the system is.

#![forbid(unsafe_code)]

use nix::sys::resource::{UsageWho, getrusage};
use sortie_formula::Stated;
use sortie_hunt::{Check, Ground};
use sortie_lts::{Builder, Lts};
use sortie_model::{Budget, Dice, Silent};
use std::process::{Command, ExitCode};

const STATES: u32 = 200_000;
const DEGREE: u32 = 5;
const LABELS: [&str; 4] = ["a", "b", "c", "d"];

/// Wanted: at most so much for each formula.
const SECONDS: f64 = 5.0;
const MEBIBYTES: f64 = 500.0;

const FORMULAS: [(&str, &str); 3] = [
    (
        "three alternations",
        "nu X. mu Y. nu Z. (([a]X && [b]Y && [c]Z && [d]Z) || <a||b>Z && [d]Y)",
    ),
    (
        "two, and an invariant",
        "nu X. mu Y. (<a>X || <b||c||d>Y) && [true*]<true>true",
    ),
    (
        "two, everywhere",
        "[true*] nu X. mu Y. ((<a>X || [b]Y) && ([c]Y || <d>X))",
    ),
];

/// Most steps go a little further on, some anywhere.
fn system() -> Lts {
    let mut dice = Dice::new(1);
    let mut builder = Builder::default();
    let labels = LABELS.map(|label| builder.label(label));
    for state in 0..STATES {
        for _ in 0..DEGREE {
            let target = if dice.chance(3, 10) {
                dice.below(u64::from(STATES)) as u32
            } else {
                (state + 1 + dice.below(49) as u32).min(STATES - 1)
            };
            builder.transition(state, labels[dice.index(LABELS.len())], target);
        }
    }
    builder.build("large", 0, STATES)
}

/// Judges one formula and prints what it is.
fn judge(formula: &str) {
    let text = format!("act {}; form {formula};", LABELS.join(", "));
    let judged = sortie_mcrl2::type_labels(&text).expect("the formula is correct");
    let model = system();
    let labels = judged.subject.of(&model);
    let requirement = Stated {
        equations: &judged.equations,
        context: judged.subject.context(&labels, &[]),
    };
    let check = Check {
        model: &model,
        requirement: &requirement,
        budget: Budget::default(),
        seed: 1,
        threads: 1,
        observer: &Silent,
    };
    let answer = check.run(Ground::Whole).expect("it can be judged");
    let usage = getrusage(UsageWho::RUSAGE_SELF).expect("the system tells");
    let user = usage.user_time();
    let seconds = user.tv_sec() as f64 + user.tv_usec() as f64 / 1e6;
    let mebibytes = usage.max_rss() as f64 / 1024.0;
    let kept = seconds <= SECONDS && mebibytes <= MEBIBYTES;
    let missed = if kept { "" } else { "  MISSED" };
    println!(
        "{:?}: {seconds:.2} s, {mebibytes:.0} MiB{missed}",
        answer.truth
    );
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, one, formula] = &arguments[..]
        && one == "--one"
    {
        judge(formula);
        return ExitCode::SUCCESS;
    }
    println!(
        "{STATES} states, {} transitions; wanted: {SECONDS} s, {MEBIBYTES} MiB",
        STATES * DEGREE
    );
    for (title, formula) in FORMULAS {
        let output = Command::new(&arguments[0])
            .args(["--one", formula])
            .output()
            .expect("this program can be started");
        print!("{title}: {}", String::from_utf8_lossy(&output.stdout));
        if !output.status.success() {
            eprintln!("{}", String::from_utf8_lossy(&output.stderr));
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
