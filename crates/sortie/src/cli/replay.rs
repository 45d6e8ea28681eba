//! `sortie replay`: walk a witness again.

use super::output::print;
use super::source::{Opened, Wanted, open, read_text};
use super::{Failure, Outcome, Status, ltl};
use clap::ArgMatches;
use sortie_model::Witness;
use sortie_property::{Property, from_name};
use sortie_report::trace_text;
use sortie_witness::{Replay, replay};
use std::fmt::Write;

/// The witness on the command line, the model, and the property that it shows.
pub fn load(matches: &ArgMatches) -> Result<(Witness, Opened, Box<dyn Property>), Failure> {
    let name = matches
        .get_one::<String>("witness")
        .expect("the witness is required");
    let witness = sortie_witness::read(&read_text(name)?)
        .map_err(|error| Failure::input(format!("{name}: {error}")))?;
    if let Some(formula) = ltl::formula_of(&witness.property) {
        let (opened, property) = ltl::watch(matches, &witness.settings, formula)?;
        return Ok((witness, opened, property));
    }
    let invariant = invariant_of(&witness.property);
    let mut opened = open(matches, &witness.settings, &Wanted::invariants(invariant))?;
    let property = match opened.invariants.pop() {
        Some(invariant) => invariant,
        None => {
            let own = opened.own.as_ref();
            match own.and_then(|own| own.by_name(&witness.property)) {
                Some(property) => property,
                None => from_name(&witness.property).map_err(Failure::input)?,
            }
        }
    };
    Ok((witness, opened, property))
}

/// The expression of an invariant, if the property with this name is one.
pub fn invariant_of(property: &str) -> Vec<String> {
    let expression = property.strip_prefix("invariant ");
    expression.map(str::to_owned).into_iter().collect()
}

pub fn run(matches: &ArgMatches) -> Outcome {
    let (witness, opened, property) = load(matches)?;
    let model = &*opened.model;
    let mut out = String::new();
    let changed = model.identity().content != witness.model.content;
    let result = replay(model, &*property, &witness).map_err(Failure::broken)?;
    let status = match &result {
        Replay::Reproduced(shown) => {
            let trace = &shown.trace;
            out.push_str(&trace_text::text(model, trace, shown.cycle, 100));
            let note = if changed {
                " (the model has changed since)"
            } else {
                ""
            };
            let _ = writeln!(
                out,
                "reproduced: {}, {} steps{}{note}",
                witness.property,
                trace.len(),
                shown.cycle.map_or("", |_| ", the loop twice around")
            );
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
    print(&out)?;
    Ok(status)
}
