//! Commands: one file each. Exit status: 0 nothing found, 1 found, 2 bad usage or model, 3 broken, 4 not exhausted, undecided, or a required action never seen.

#[cfg(test)]
#[path = "../../../sortie-model/tests/abilities/mod.rs"]
mod abilities;
mod args;
mod check;
mod estimates;
mod explore;
mod hunt;
mod hunt_report;
mod info;
mod interrupt;
mod ltl;
mod output;
mod program;
mod progress;
mod recorded;
mod repeat;
mod replay;
mod resume;
mod shorten;
mod source;
mod stage;
mod step;
mod structure;
mod summary;
mod swarm;
mod ui;
mod writes;

use clap::ArgMatches;
use output::{complain, print};
use sortie_report::units;
use std::process::ExitCode;

/// How a command ended, as the exit status says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Nothing was found, or the command did what it was asked.
    Fine,
    /// A violation was found, or a replay diverged.
    Found,
    /// The command line or the model is wrong.
    BadInput,
    /// Something failed that should not have.
    Broken,
    /// Nothing was found, and not everything was seen that was asked for.
    NotExhausted,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        ExitCode::from(match status {
            Status::Fine => 0,
            Status::Found => 1,
            Status::BadInput => 2,
            Status::Broken => 3,
            Status::NotExhausted => 4,
        })
    }
}

/// A message for the user, and the exit status that goes with it.
#[derive(Debug)]
pub struct Failure {
    message: String,
    status: Status,
}

impl Failure {
    /// The command line or the model is wrong.
    fn input(message: impl ToString) -> Self {
        Failure {
            message: message.to_string(),
            status: Status::BadInput,
        }
    }

    /// Something failed that should not have.
    fn broken(message: impl ToString) -> Self {
        Failure {
            message: message.to_string(),
            status: Status::Broken,
        }
    }

    /// The same with another message after it.
    fn and(mut self, other: Option<Failure>) -> Self {
        if let Some(other) = other {
            self.message = format!("{}\nerror: {}", self.message.trim_end(), other.message);
        }
        self
    }
}

type Outcome = Result<Status, Failure>;

/// Parses the command line and carries it out.
pub fn run() -> ExitCode {
    let matches = match args::command().try_get_matches() {
        Ok(matches) => matches,
        Err(error) => {
            // Help and version come here too, with status 0. There is nothing to do if they cannot be printed.
            let _ = error.print();
            return ExitCode::from(error.exit_code() as u8);
        }
    };
    interrupt::outlive_size_limits();
    match dispatch(&matches) {
        Ok(status) => status.into(),
        Err(failure) => {
            let message = failure.message.trim_end();
            let prefix = ["error: ", ""][usize::from(message.starts_with("error"))];
            complain(format_args!("{prefix}{message}"));
            failure.status.into()
        }
    }
}

fn dispatch(matches: &ArgMatches) -> Outcome {
    let (name, sub) = matches.subcommand().expect("a command is required");
    match name {
        "hunt" => hunt::run(sub),
        "check" => check::run(sub),
        "swarm" => swarm::run(sub),
        "worker" => swarm::work(sub),
        "explore" => explore::run(sub),
        "info" => info::run(sub),
        "step" => step::run(sub),
        "ui" => ui::run(sub),
        "replay" => replay::run(sub),
        "shorten" => shorten::run(sub),
        "run" => match sub.get_one::<String>("replay") {
            Some(_) => replay::run(sub),
            None => program::hunt(sub),
        },
        "cc" => program::compile(sub),
        "lab" => Err(Failure::input(
            "the lab is a program of its own: cargo run --release -p sortie-lab -- list",
        )),
        "models" => {
            print(&source::models_table())?;
            Ok(Status::Fine)
        }
        "schema" => {
            print(&sortie_report::json_lines::schema())?;
            Ok(Status::Fine)
        }
        "completions" => args::completions(sub),
        "man" => args::manual(),
        other => unreachable!("the command {other} is declared but not carried out"),
    }
}
