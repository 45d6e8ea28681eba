//! Where a formula is judged, as the command line says it.

use super::Purpose;
use crate::cli::Failure;
use crate::cli::args::given_slice_options;
use clap::ArgMatches;
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
    let flag = |name: &str| matches!(matches.try_get_one::<bool>(name), Ok(Some(true)));
    if flag("bmc") {
        return Ok(vec![Ground::Beginning]);
    }
    let settings = settings(matches)?;
    let runs = runs(matches)?;
    let all = flag("keep-going");
    let on_game = matches!(matches.try_get_one::<String>("on"), Ok(Some(on)) if on == "game");
    let bounded = if on_game {
        Ground::Game {
            settings,
            runs,
            all,
        }
    } else {
        Ground::Slices {
            settings,
            runs,
            all,
        }
    };
    let asked = [
        "width",
        "degrade",
        "choice",
        "exact",
        "runs",
        "confidence",
        "epsilon",
    ];
    let given = |name: &&str| {
        matches!(
            matches.value_source(name),
            Some(clap::parser::ValueSource::CommandLine)
        )
    };
    let hunts = matches!(purpose, Purpose::Hunt(_));
    if hunts || on_game || asked.iter().any(given) {
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
        let given = matches.try_get_one::<String>(name).ok().flatten();
        let parse = |text: &String| {
            let inside = |value: &f64| *value > 0.0 && *value < 1.0;
            let wrong = || {
                Failure::input(format!(
                    "--{name} cannot be '{text}': a number between 0 and 1"
                ))
            };
            text.parse().ok().filter(inside).ok_or_else(wrong)
        };
        given.map(parse).transpose()
    };
    let (confidence, epsilon) = (share("confidence")?, share("epsilon")?);
    if confidence.is_some() || epsilon.is_some() {
        return Ok(runs_for(
            confidence.unwrap_or(0.99),
            epsilon.unwrap_or(0.01),
        ));
    }
    let runs = matches.get_one::<u64>("runs").copied();
    Ok(runs.unwrap_or(RUNS))
}
