//! Checking what a model itself says should hold.

use super::question::Written;
use super::{Purpose, answer, in_status, stage};
use crate::cli::args::count;
use crate::cli::source::open;
use crate::cli::units::counted;
use crate::cli::writes::Writes;
use crate::cli::{Failure, Outcome, Status};
use clap::ArgMatches;
use sortie_open::{Wanted, no_such_property};

/// Judges the formulas that the model states, or those of them that are named, one after another; first of all what can be seen without looking at any
/// state. The worst answer counts.
pub fn run(matches: &ArgMatches) -> Outcome {
    let names: Vec<String> = crate::cli::hunt::given(matches, "property");
    let opened = open(matches, &[], &Wanted::default())?;
    let Some(own) = &opened.own else {
        return Err(Failure::input(
            "there is nothing to judge: give a formula with -f, --mu, --ctl or --ltl",
        ));
    };
    let mut formulas = own.formulas.clone();
    if !names.is_empty() {
        let is_unknown = |name: &&String| formulas.iter().all(|formula| formula.name != **name);
        if let Some(name) = names.iter().find(is_unknown) {
            return Err(no_such_property(Some(own), name).into());
        }
        formulas.retain(|formula| names.contains(&formula.name));
    }
    let mut stage = stage(matches, &Writes::default())?;
    let flaws = match names.is_empty() {
        true => own.flaws(),
        false => Vec::new(),
    };
    if !flaws.is_empty() {
        for flaw in &flaws {
            stage.say(&format!("{flaw}\n"))?;
        }
        let count = counted(flaws.len() as u64, "flaw");
        stage.say(&format!("{count} in the tables\n"))?;
    } else if formulas.is_empty() {
        return Err(Failure::input(
            "the model states nothing to judge: give a formula with -f, --mu, --ctl or --ltl",
        ));
    }
    let mut worst = match flaws.is_empty() {
        true => Status::Fine,
        false => Status::Found,
    };
    let quiet = matches.get_flag("quiet");
    for (number, formula) in formulas.iter().enumerate() {
        if number > 0 {
            stage = stage.anew(!quiet, count(matches, "max-states"));
        }
        if !quiet && (number > 0 || !flaws.is_empty()) {
            stage.say("\n")?;
        }
        if quiet {
            stage.say(&format!("{}: ", formula.name))?;
        }
        let answered = answer(matches, Purpose::Check, Written::own(formula), &stage)?;
        worst = match (worst, in_status(answered)) {
            (Status::Found, _) | (_, Status::Found) => Status::Found,
            (Status::Fine, other) => other,
            (worst, _) => worst,
        };
    }
    Ok(worst)
}
