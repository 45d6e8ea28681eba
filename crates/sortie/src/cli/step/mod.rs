//! `sortie step`: walk through a model by hand, in a terminal or from a script.

mod draw;
mod explorer;
mod offer;
mod saved;
mod screen;
mod script;
mod terminal;
#[cfg(test)]
mod tests;

pub use explorer::{Explorer, Shown, Taken};
pub use offer::Choice;

use super::args::{model, number, opening, text, wishes};
use super::hunt::{given, properties};
use super::output::complain;
use super::source::open;
use super::{Failure, Outcome};
use clap::{ArgMatches, Command};
use sortie_open::{Wanted, read_text};
use sortie_property::{Deadlock, PropertyKind};
use sortie_witness::Witness;
use std::io::IsTerminal;

const AFTER_HELP: &str = "\
In a terminal, ? shows the keys. Where standard input or output is no terminal, commands are read line by line:
  show, path, take 3, label TEXT, undo [N], redo [N], random [N], go STEP, filter TEXT, draw,
  load FILE, save FILE, branches, branch N, help, quit
A line that cannot be carried out is said on standard error; the exit status is then 2.

Examples:
  sortie step gallery:philosophers --set n=3
  sortie step system.aut --witness results/1-action-error.witness
  printf 'random 10\\nshow\\n' | sortie step system.aut --seed 7";

/// The command's shape.
pub fn command() -> Command {
    arguments(
        Command::new("step")
            .about("Walk through a model by hand")
            .after_help(AFTER_HELP),
    )
}

/// What is common to walking in a terminal and in a browser.
pub fn arguments(command: Command) -> Command {
    let command = command
        .arg(model().help("A file, or gallery:NAME"))
        .arg(text("witness", "FILE", "Load a witness, to be played"))
        .arg(number("seed", "N", "Decides all random choices").default_value("1"));
    let command = opening(command, true).next_help_heading(
        "What to watch for (what the model names, or deadlocks, if nothing is said)",
    );
    wishes(command)
}

pub fn run(matches: &ArgMatches) -> Outcome {
    let (explorer, message) = begin(matches)?;
    if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
        terminal::run(explorer, message)
    } else {
        script::run(explorer, message)
    }
}

/// The session that the command line asks for, and what there is to say about it.
pub fn begin(matches: &ArgMatches) -> Result<(Explorer, String), Failure> {
    let file = matches.get_one::<String>("witness");
    if matches.get_one::<String>("model").is_some_and(|m| m == "-") {
        return Err(Failure::input(
            "the model cannot come from standard input, which is for commands: give a file",
        ));
    }
    let witness = file.map(|file| read_witness(file)).transpose()?;
    let mut watched = properties(matches)?;
    let mut invariants = given(matches, "invariant");
    let nothing_said = watched.is_empty() && invariants.is_empty();
    let kind = witness.as_ref().map(|it| PropertyKind::parse(&it.property));
    invariants.extend(
        kind.iter()
            .flat_map(|kind| Wanted::property(kind).invariants),
    );
    let settings = witness.as_ref().map(|witness| &witness.settings[..]);
    let mut opened = open(
        matches,
        settings.unwrap_or_default(),
        &Wanted::invariants(invariants),
    )?;
    let nothing_said = nothing_said && opened.asked.is_empty();
    watched.append(&mut opened.asked);
    if nothing_said {
        match &opened.own {
            Some(own) => {
                let suggested = own.wanted();
                for passed_over in &suggested.passed_over {
                    complain(format_args!("{passed_over}"));
                }
                watched.extend(suggested.properties);
            }
            None => watched.push(Box::new(Deadlock)),
        }
    }
    if let Some(kind) = kind
        && !watched.iter().any(|property| property.kind() == kind)
    {
        // What only other commands can judge is not watched for.
        watched.extend(opened.property(&kind).ok());
    }
    let seed = *matches.get_one::<u64>("seed").expect("there is a default");
    let mut explorer = Explorer::new(opened.model, watched, opened.settings.listed(), seed)
        .map_err(|error| Failure::input(error.message))?;
    let message = match witness {
        None => String::new(),
        Some(witness) => {
            let loaded = explorer.load(&witness);
            let loaded = loaded.map_err(|error| Failure::input(error.message))?;
            loaded_message(&explorer, &witness, &loaded.to_string())
        }
    };
    Ok((explorer, message))
}

/// Reads a witness file.
fn read_witness(file: &str) -> Result<Witness, Failure> {
    sortie_witness::read(&read_text(file)?)
        .map_err(|error| Failure::input(format!("{file}: {error}")))
}

/// What there is to say about a witness that was loaded.
pub fn loaded_message(explorer: &Explorer, witness: &Witness, how: &str) -> String {
    let length = explorer.path().steps.len();
    format!("{}: {} loaded; {how}", witness.property, steps(length))
}

/// A number of steps in words.
pub fn steps(count: usize) -> String {
    match count {
        1 => "1 step".into(),
        count => format!("{count} steps"),
    }
}
