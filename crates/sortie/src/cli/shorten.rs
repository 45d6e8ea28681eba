//! `sortie shorten`: make a witness shorter.

use super::args::{optional, word};
use super::hunt::hunt_settings;
use super::output::{place, print};
use super::replay::{load, witness};
use super::{Failure, Outcome, Status, interrupt, program};
use clap::ArgMatches;
use sortie_report::trace_text;
use sortie_witness::{Effort, Replay, Witness, check, describe, replay, shorten, write};

pub fn run(matches: &ArgMatches) -> Outcome {
    let witness = witness(matches)?;
    if let Some(schedule) = &witness.schedule {
        return program::shorten(matches, &witness, schedule);
    }
    let settings = hunt_settings(matches)?;
    let limits = interrupt::begin(&settings);
    let (opened, property) = load(matches, &witness)?;
    let model = &*opened.model;
    let from = word(matches, "witness");
    let to = optional(matches, "output").unwrap_or(from);
    let shown = match replay(model, &*property, &witness).map_err(Failure::broken)? {
        Replay::Reproduced(shown) => Ok(shown),
        Replay::Diverged { first, by_labels } => by_labels.ok_or(first),
    };
    let shown = shown.map_err(|first| {
        Failure::input(format!("{from} does not belong to this model: {first}"))
    })?;
    let before = shown.trace.len();
    let effort = Effort {
        states: settings.max_states.unwrap_or(0),
        stop: limits.stop().clone(),
    };
    let short = shorten(model, &*property, shown, effort).map_err(Failure::broken)?;
    if let Err(divergence) = check(model, &*property, &short).map_err(Failure::broken)? {
        return Err(Failure::broken(format!(
            "the shortened witness does not replay: {divergence}"
        )));
    }
    let described = describe(model, &*property, &short);
    let result = Witness {
        model: described.model,
        cycle: described.cycle,
        start: described.start,
        steps: described.steps,
        ..witness
    };
    let mut out = trace_text::text(model, &short.trace, short.cycle, 100);
    out.push_str(&format!("{before} → {} steps\n", short.trace.len()));
    if limits.stop().requested().is_some() {
        out.push_str("not shortened to the end, because it was ended\n");
    }
    place(to, &write(&result))?;
    if to != "-" {
        print(&out)?;
    }
    Ok(Status::Fine)
}
