//! The shape of the command line.

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

/// The command line.
pub fn command() -> Command {
    let text = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help(help)
    };
    let switch = |name: &'static str, help: &'static str| {
        let switch = Arg::new(name).long(name).help(help);
        switch.action(ArgAction::SetTrue)
    };
    let number = |name: &'static str, value: &'static str, help: &'static str| {
        text(name, value, help).value_parser(value_parser!(u64).range(1..))
    };
    Command::new("sortie-lab")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Re-run published experiments")
        .max_term_width(100)
        .arg(
            Arg::new("name")
                .value_name("NAME")
                .default_value("list")
                .help("An experiment's name or file, all, or list"),
        )
        .arg(text(
            "models",
            "DIR",
            "The folder with the experiment's model files [default: as the experiment says]",
        ))
        .arg(
            text(
                "only",
                "TEXT",
                "Only instances whose name contains TEXT; can be repeated",
            )
            .action(ArgAction::Append),
        )
        .arg(text(
            "out",
            "DIR",
            "Write tables, curves and pages into a folder, and go on there with what was cut",
        ))
        .arg(switch(
            "fresh",
            "Begin anew, whatever the folder of --out has of earlier runs",
        ))
        .arg(switch(
            "complete",
            "Fail if a model is not there and rows are skipped",
        ))
        .arg(number(
            "runs",
            "R",
            "Number of runs of each row [default: as the experiment says]",
        ))
        // How the lab calls itself for one measurement.
        .arg(switch("measure", "").hide(true))
        .arg(switch(
            "quick",
            "Few, short runs: to see that it works, not to learn something",
        ))
        .arg(number(
            "threads",
            "N",
            "Number of threads, which never changes the result [default: all]",
        ))
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
