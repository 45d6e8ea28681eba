//! The shape of the command line.

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

/// The command line.
pub fn command() -> Command {
    let text =
        |name: &'static str, value: &'static str| Arg::new(name).long(name).value_name(value);
    let switch = |name: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue);
    let number = |name: &'static str, value: &'static str| {
        text(name, value).value_parser(value_parser!(u64).range(1..))
    };
    let name = Arg::new("name").value_name("NAME").default_value("list");
    Command::new("sortie-lab")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Re-run published experiments")
        .max_term_width(100)
        .args([
            name.help("An experiment's name or file, all, or list"),
            text("models", "DIR").help(
                "The folder with the experiment's model files [default: as the experiment says]",
            ),
            text("only", "TEXT")
                .help("Only instances whose name contains TEXT; can be repeated")
                .action(ArgAction::Append),
            text("out", "DIR").help(
                "Write tables, curves and pages into a folder, and go on there with what was cut",
            ),
            switch("fresh").help("Begin anew, whatever the folder of --out has of earlier runs"),
            switch("complete").help("Fail if a model is not there and rows are skipped"),
            number("runs", "R")
                .help("Number of runs of each row [default: as the experiment says]"),
            // How the lab calls itself for one measurement.
            switch("measure").hide(true),
            switch("quick").help("Few, short runs: to see that it works, not to learn something"),
            number("threads", "N")
                .help("Number of threads, which never changes the result [default: all]"),
        ])
}

/// All values of an option that can be repeated.
pub fn given(matches: &ArgMatches, name: &str) -> Vec<String> {
    let values = matches.get_many::<String>(name);
    values.into_iter().flatten().cloned().collect()
}

/// The number of threads asked for, or that of the machine.
pub fn threads(matches: &ArgMatches) -> usize {
    let given = matches.get_one::<u64>("threads");
    let all = || std::thread::available_parallelism().map_or(1, usize::from);
    given.map_or_else(all, |&n| n as usize)
}
