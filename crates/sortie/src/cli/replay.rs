//! `sortie replay`: walk a witness again.

use super::args::{optional, word};
use super::output::{complain, print};
use super::recorded::replayed;
use super::source::{open, read_witness};
use super::writes::Writes;
use super::{Failure, Outcome, Status, ltl, program};
use clap::ArgMatches;
use sortie_open::{Opened, Wanted};
use sortie_property::{LTL, Property, PropertyKind};
use sortie_report::story::Story;
use sortie_report::trace_text;
use sortie_witness::{Replay, Witness, replay};
use std::fmt::Write;

const COLUMNS: usize = 100;

/// The witness on the command line: the second name, or the first if it is that of a program.
pub fn witness(matches: &ArgMatches) -> Result<Witness, Failure> {
    let text = |name: &str| optional(matches, name);
    let name = text("witness").or(text("replay")).or(text("model"));
    let name = name.expect("a name is required");
    let witness = read_witness(name)?;
    if witness.schedule.is_none() && text("witness").is_none() {
        return Err(Failure::input(format!(
            "{name} is a witness of a model; name the model before it: MODEL {name}"
        )));
    }
    Ok(witness)
}

/// The model of a witness and the property that it shows.
pub fn load(
    matches: &ArgMatches,
    witness: &Witness,
) -> Result<(Opened, Box<dyn Property>), Failure> {
    let kind = PropertyKind::parse(&witness.property);
    if let Some(formula) = kind.data_of(LTL) {
        return ltl::watch(matches, &witness.settings, formula);
    }
    let mut opened = open(
        matches,
        &witness.settings,
        &Wanted::properties([kind.clone()]),
    )?;
    let property = opened.property(&kind)?;
    Ok((opened, property))
}

pub fn run(matches: &ArgMatches) -> Outcome {
    let witness = witness(matches)?;
    if let Some(schedule) = &witness.schedule {
        return program::replay(matches, &witness, schedule);
    }
    let writes = Writes::of(matches)?;
    let (opened, property) = load(matches, &witness)?;
    let model = &*opened.model;
    let mut out = String::new();
    let changed = model.identity().content != witness.model.content;
    let result = replay(model, &*property, &witness).map_err(Failure::broken)?;
    let mut record = None;
    let status = match &result {
        Replay::Reproduced(shown) => {
            let story = Story::of(model, &shown.trace, shown.cycle);
            out.push_str(&trace_text::told(&story, COLUMNS));
            let twice = shown.cycle.map_or("", |_| ", the loop twice around");
            let (property, length) = (&witness.property, story.len());
            let sentence = format!("reproduced: {property}, {length} steps{twice}");
            let remark = changed.then_some("the model has changed since");
            let note = remark.map(|remark| format!(" ({remark})"));
            let _ = writeln!(out, "{sentence}{}", note.unwrap_or_default());
            let told = (story, remark.map(str::to_owned).into_iter().collect());
            let source = word(matches, "model");
            record = Some(replayed(&witness, source, sentence, told));
            Status::Fine
        }
        Replay::Diverged { first, by_labels } => {
            let _ = writeln!(out, "diverged: {first}");
            if changed {
                let name = &witness.model.name;
                out += &format!("the model is not the one the witness was found in ({name})\n");
            }
            if by_labels.is_some() {
                let property = &witness.property;
                let _ = writeln!(out, "following the labels alone, {property} still shows");
            }
            Status::Found
        }
    };
    if writes.to_stdout() {
        complain(format_args!("{out}"));
    } else {
        print(&out)?;
    }
    match record {
        Some(record) => writes.write(&record)?,
        None if !writes.is_empty() => {
            complain(format_args!(
                "nothing is written: the witness does not show what it was to show"
            ));
        }
        None => {}
    }
    Ok(status)
}
