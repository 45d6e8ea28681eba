//! Where a formula is judged, as the command line says it.

use super::Purpose;
use crate::cli::Failure;
use crate::cli::args::{count, flag, given_slice_options, optional};
use clap::ArgMatches;
use clap::parser::ValueSource;
use sortie_hunt::{Ground, runs_for};
use sortie_search::{BoundedSettings, strategy};

/// Without a limit, the whole state space is tried up to so many states before slices are.
pub const FULL_STATES: u64 = 5_000_000;

/// How many slices are tried if nothing is said.
const RUNS: u64 = 10;

/// What is tried, in order, until the formula is decided.
pub fn grounds(
    matches: &ArgMatches,
    purpose: Purpose<'_>,
) -> Result<Vec<Ground<'static>>, Failure> {
    if flag(matches, "bmc") {
        return Ok(vec![Ground::Beginning]);
    }
    let settings = settings(matches)?;
    let runs = runs(matches)?;
    let all = flag(matches, "keep-going");
    let on_game = optional(matches, "on").is_some_and(|on| on == "game");
    let bounded = Ground::Slices {
        of_game: on_game,
        settings,
        runs,
        all,
    };
    let slices = "width degrade choice exact runs confidence epsilon";
    let asked = |name| matches.value_source(name) == Some(ValueSource::CommandLine);
    let hunts = matches!(purpose, Purpose::Hunt(_));
    if hunts || on_game || slices.split(' ').any(asked) {
        return Ok(vec![bounded]);
    }
    Ok(vec![Ground::Whole, bounded])
}

fn settings(matches: &ArgMatches) -> Result<BoundedSettings, Failure> {
    let options = given_slice_options(matches);
    strategy("bbmc")
        .and_then(|bbmc| options.check(bbmc))
        .and_then(|()| BoundedSettings::from_options(&options))
        .map_err(Failure::input)
}

fn runs(matches: &ArgMatches) -> Result<u64, Failure> {
    let share = |name: &str| -> Result<Option<f64>, Failure> {
        let parse = |text: &String| {
            let inside = |value: &f64| *value > 0.0 && *value < 1.0;
            let wrong = || format!("--{name} cannot be '{text}': a number between 0 and 1");
            let value = text.parse().ok().filter(inside);
            value.ok_or_else(|| Failure::input(wrong()))
        };
        optional(matches, name).map(parse).transpose()
    };
    match (share("confidence")?, share("epsilon")?) {
        (None, None) => Ok(count(matches, "runs").unwrap_or(RUNS)),
        (c, e) => Ok(runs_for(c.unwrap_or(0.99), e.unwrap_or(0.01))),
    }
}
