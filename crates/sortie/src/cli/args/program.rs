//! `sortie run` and `sortie cc`.

use super::{positive, switch, text, threads, time};
use clap::{Arg, ArgAction, Command};
use sortie_search::Strategy;

const AFTER_RUN: &str = "\
Exit status: 0 nothing found, 1 a failure found, 2 bad usage, 3 broken or out of control,
4 nothing found but not everything seen (with --require-exhausted).

Examples:
  sortie cc -g -O1 queue.c -o queue
  sortie run -- ./queue
  sortie run --strategy pct --runs 100000 --out results -- ./queue 3
  sortie replay results/1.witness";

/// The program and its arguments.
pub(super) fn program() -> Arg {
    Arg::new("program")
        .value_name("PROGRAM ARGS")
        .num_args(1..)
        .last(true)
        .help("A program with threads and its arguments, after --")
}

/// How often a run is replayed.
pub(super) fn times() -> Arg {
    positive("times", "N").help("Of a program: replay so often [default: 1]")
}

/// What is said about programs alone.
pub(super) fn program_arguments(command: Command) -> Command {
    command.next_help_heading("Programs").args([
        switch(
            "no-memory",
            "Accesses to memory are no scheduling points, even if the program tells of them",
        ),
        text("hang-after", "TIME").help(
            "Processor time between two scheduling points that makes an endless loop [default: 1s]",
        ),
    ])
}

/// `sortie run`, a short form of `sortie hunt -- PROGRAM ARGS`.
pub fn run() -> Command {
    let command = Command::new("run")
        .about(
            "Look for failures of a program with threads: crashes, assertions, deadlocks, \
             livelocks",
        )
        .after_help(format!(
            "Strategies:\n{}\n\n{AFTER_RUN}",
            super::strategies_help(Strategy::searches_programs)
        ))
        .args([
            program().required_unless_present("replay"),
            switch(
                "keep-going",
                "Go on after a failure and report every distinct one",
            ),
        ])
        .next_help_heading(super::HOW);
    let command = super::strategy_arguments(command, super::for_programs)
        .mut_arg("strategy", |arg| arg.alias("search"))
        .mut_arg("depth", |arg| arg.alias("steps"));
    let command = program_arguments(command)
        .next_help_heading("What it may cost")
        .args([
            positive("runs", "R").help("Run the program at most so often [default: 10000]"),
            time(),
            threads(),
        ]);
    super::reporting(command).args([
        text("replay", "FILE").help(
            "Run along the schedule of a witness instead of searching, like sortie replay FILE",
        ),
        times().requires("replay"),
    ])
}

pub fn cc() -> Command {
    Command::new("cc")
        .about(
            "Compile a C or C++ program so that its accesses to memory are scheduling points too",
        )
        .after_help(
            "All arguments go to the compiler: CC or cc for C, CXX or c++ for C++.\n\n\
             Examples:\n  sortie cc -g -O1 queue.c -o queue\n  make CC='sortie cc'\n  sortie cc --header > sortie.h",
        )
        .arg(
            Arg::new("arguments")
                .value_name("ARGS")
                .num_args(0..)
                .trailing_var_arg(true)
                .allow_hyphen_values(true)
                .action(ArgAction::Append)
                .help("The compiler's arguments; --compiler NAME before them chooses another"),
        )
        .disable_help_flag(true)
}

/// The help of `sortie cc`, whose arguments all belong to the compiler.
pub fn cc_help() -> String {
    cc().bin_name("sortie cc").render_help().to_string()
}
