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

use super::args::{model, opening, seed, text, wishes};
use super::hunt::{asked, properties};
use super::output::{complain_of, write_file};
use super::source::{open, read_witness};
use super::{Failure, Outcome};
use clap::{ArgMatches, Command};
use sortie_open::Wanted;
use sortie_property::{Deadlock, PropertyKind};
use sortie_witness::Witness;
use std::io::IsTerminal;
use std::path::Path;

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
    let command = command.args([
        model().help("A file, or gallery:NAME"),
        text("witness", "FILE").help("Load a witness, to be played"),
        seed("Decides all random choices"),
    ]);
    let command = opening(command, true).next_help_heading(
        "What to watch for (what the model names, or deadlocks, if nothing is said)",
    );
    wishes(command, false)
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
    let mut asked = asked(matches);
    let mut watched = properties(&asked)?;
    let nothing_said = asked.is_empty();
    let kind = witness.as_ref().map(|it| PropertyKind::parse(&it.property));
    asked.extend(kind.clone());
    let settings = witness.as_ref().map(|witness| &witness.settings[..]);
    let wanted = Wanted::properties(asked);
    let mut opened = open(matches, settings.unwrap_or_default(), &wanted)?;
    let nothing_said = nothing_said && opened.asked.is_empty();
    watched.append(&mut opened.asked);
    if nothing_said {
        match &opened.own {
            Some(own) => {
                let suggested = own.wanted();
                complain_of(&suggested.passed_over);
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
        Some(witness) => load(&mut explorer, &witness).map_err(Failure::input)?,
    };
    Ok((explorer, message))
}

/// Loads a witness, and says how far it can be followed.
pub fn load(explorer: &mut Explorer, witness: &Witness) -> Result<String, String> {
    let loaded = explorer.load(witness).map_err(|error| error.message)?;
    let length = steps(explorer.path().steps.len());
    Ok(format!("{}: {length} loaded; {loaded}", witness.property))
}

/// Loads a witness file.
fn load_file(explorer: &mut Explorer, file: &str) -> Result<String, String> {
    let witness = read_witness(file).map_err(|failure| failure.message)?;
    load(explorer, &witness)
}

/// Saves the way to where one is in a file.
fn save(explorer: &Explorer, file: &str) -> Result<String, String> {
    let witness = explorer.witness()?;
    let written = write_file(Path::new(file), &sortie_witness::write(&witness));
    written.map_err(|failure| failure.message)?;
    let length = steps(witness.steps.len());
    Ok(format!("saved: {}, {length}, in {file}", witness.property))
}

/// A message about this number of random steps.
pub fn at_random(taken: usize, wanted: usize) -> String {
    let end = if taken < wanted {
        ", then nothing more can happen"
    } else {
        ""
    };
    format!("{} at random{end}", steps(taken))
}

/// A number of steps in words.
pub fn steps(count: usize) -> String {
    match count {
        1 => "1 step".into(),
        count => format!("{count} steps"),
    }
}
