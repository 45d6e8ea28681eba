//! `sortie replay`: walk a witness again.

use super::output::{complain, print};
use super::recorded::replayed;
use super::repeat::retyped;
use super::source::open;
use super::writes::Writes;
use super::{Failure, Outcome, Status, ltl};
use clap::ArgMatches;
use sortie_open::{Opened, Wanted, read_text};
use sortie_property::{Property, PropertyKind};
use sortie_report::story::Story;
use sortie_report::trace_text;
use sortie_witness::{Replay, Witness, replay};
use std::fmt::Write;

const COLUMNS: usize = 100;

/// The witness on the command line, the model, and the property that it shows.
pub fn load(matches: &ArgMatches) -> Result<(Witness, Opened, Box<dyn Property>), Failure> {
    let name = matches
        .get_one::<String>("witness")
        .expect("the witness is required");
    let witness = sortie_witness::read(&read_text(name)?)
        .map_err(|error| Failure::input(format!("{name}: {error}")))?;
    let kind = PropertyKind::parse(&witness.property);
    if let PropertyKind::Ltl(formula) = &kind {
        let (opened, property) = ltl::watch(matches, &witness.settings, formula)?;
        return Ok((witness, opened, property));
    }
    let mut opened = open(matches, &witness.settings, &Wanted::property(&kind))?;
    let property = opened.property(&kind)?;
    Ok((witness, opened, property))
}

pub fn run(matches: &ArgMatches) -> Outcome {
    let writes = Writes::of(matches)?;
    let (witness, opened, property) = load(matches)?;
    let model = &*opened.model;
    let mut out = String::new();
    let changed = model.identity().content != witness.model.content;
    let result = replay(model, &*property, &witness).map_err(Failure::broken)?;
    let mut record = None;
    let status = match &result {
        Replay::Reproduced(shown) => {
            let story = Story::of(model, &shown.trace, shown.cycle);
            out.push_str(&trace_text::told(&story, COLUMNS));
            let sentence = format!(
                "reproduced: {}, {} steps{}",
                witness.property,
                story.len(),
                shown.cycle.map_or("", |_| ", the loop twice around")
            );
            let remark = "the model has changed since";
            let note = if changed {
                format!(" ({remark})")
            } else {
                String::new()
            };
            let _ = writeln!(out, "{sentence}{note}");
            let remarks = if changed {
                vec![remark.to_owned()]
            } else {
                Vec::new()
            };
            let source = matches
                .get_one::<String>("model")
                .expect("the model is required");
            let command = format!("sortie {}", retyped(std::env::args().skip(1)));
            record = Some(replayed(
                &witness,
                source,
                sentence,
                (story, remarks),
                command,
            ));
            Status::Fine
        }
        Replay::Diverged { first, by_labels } => {
            let _ = writeln!(out, "diverged: {first}");
            if changed {
                let _ = writeln!(
                    out,
                    "the model is not the one the witness was found in ({})",
                    witness.model.name
                );
            }
            if by_labels.is_some() {
                let _ = writeln!(
                    out,
                    "following the labels alone, {} still shows",
                    witness.property
                );
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
