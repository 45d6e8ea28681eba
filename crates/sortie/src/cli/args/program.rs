//! `sortie run` and `sortie cc`.

use super::{Shared, each_once, given, number, option_argument, switch, text, threads, time};
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use sortie_search::{Options, STRATEGIES, Strategy};

const AFTER_RUN: &str = "\
Exit status: 0 nothing found, 1 a failure found, 2 bad usage, 3 broken or out of control,
4 nothing found but not everything seen (with --require-exhausted).

Examples:
  sortie cc -g -O1 queue.c -o queue
  sortie run -- ./queue
  sortie run --search pct --runs 100000 --out results -- ./queue 3
  sortie run --replay results/1.witness";

pub fn run() -> Command {
    let searches = searches().map(|search| format!("  {:10} {}", search.name, search.help));
    let help: Vec<String> = searches.collect();
    let names: Vec<&str> = self::searches().map(|search| search.name).collect();
    let command = Command::new("run")
        .about("Look for failures of a program with threads: crashes, assertions, deadlocks, livelocks")
        .after_help(format!("Searches:\n{}\n\n{AFTER_RUN}", help.join("\n")))
        .arg(
            Arg::new("program")
                .value_name("PROGRAM ARGS")
                .num_args(1..)
                .last(true)
                .required_unless_present("replay")
                .help("The program and its arguments, after --"),
        )
        .next_help_heading("How to search (in brackets: the searches an option belongs to, with its default)")
        .arg(
            text("search", "NAME", "The search")
                .default_value(STRATEGIES[0].name)
                .value_parser(PossibleValuesParser::new(names)),
        );
    let command = search_options()
        .into_iter()
        .fold(command, |command, (spec, used_by)| {
            command.arg(option_argument(spec, &used_by))
        });
    command
        .arg(number("seed", "N", "Decides all random choices").default_value("1"))
        .arg(switch(
            "keep-going",
            "Go on after a failure and report every distinct one",
        ))
        .arg(switch(
            "no-memory",
            "Accesses to memory are no scheduling points, even if the program tells of them",
        ))
        .next_help_heading("What it may cost")
        .arg(
            number("runs", "R", "Run the program at most so often")
                .default_value("10000")
                .value_parser(value_parser!(u64).range(1..)),
        )
        .arg(
            number(
                "steps",
                "N",
                "Scheduling points of one run; what comes after them is left to chance",
            )
            .default_value("20000")
            .value_parser(value_parser!(u64).range(1..)),
        )
        .arg(
            text(
                "hang-after",
                "TIME",
                "Processor time between two scheduling points that makes an endless loop",
            )
            .default_value("1s"),
        )
        .arg(time())
        .arg(threads())
        .next_help_heading("What to report")
        .arg(text(
            "replay",
            "FILE",
            "Run along the schedule of a witness instead of searching",
        ))
        .arg(
            number("times", "N", "With --replay: so often")
                .default_value("1")
                .value_parser(value_parser!(u64).range(1..))
                .requires("replay"),
        )
        .arg(text(
            "json",
            "FILE",
            "Write events as JSON Lines; - is standard output",
        ))
        .arg(text("out", "DIR", "Write witnesses into a folder"))
        .arg(switch(
            "no-shorten",
            "Show schedules as the search found them",
        ))
        .arg(switch(
            "require-exhausted",
            "Exit with 4 unless everything was seen or something found",
        ))
        .arg(switch("quiet", "Print the verdict only"))
}

/// The strategies that search programs.
fn searches() -> impl Iterator<Item = &'static Strategy> {
    let strategies = STRATEGIES.iter();
    strategies.filter(|strategy| strategy.searches_programs())
}

/// Their options; the longest run is given by `--steps`.
fn search_options() -> Vec<Shared> {
    let mut all =
        each_once(searches().map(|search| (search.name, search.program_options().iter().copied())));
    all.retain(|(spec, _)| spec.name != "depth");
    all
}

/// The options of searches that were given.
pub fn given_search_options(matches: &ArgMatches) -> Options {
    given(matches, search_options().into_iter().map(|(spec, _)| spec))
}

pub fn cc() -> Command {
    Command::new("cc")
        .about("Compile a C or C++ program so that its accesses to memory are scheduling points too")
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
