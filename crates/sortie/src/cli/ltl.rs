//! Violations of LTL formulas hunted along paths: the model is watched by an automaton, and a violation is a loop of both.

use super::hunt::{self, Files, Prey};
use super::output::complain_of;
use super::repeat::typed;
use super::source::open;
use super::stage::Stage;
use super::writes::Writes;
use super::{Failure, Outcome, Status, interrupt};
use clap::ArgMatches;
use sortie_formula::temporal::{Ltl, Watched};
use sortie_hunt::HuntSettings;
use sortie_model::Model;
use sortie_open::{Opened, Wanted, read_text};
use sortie_property::Property;
use sortie_search::Strategy;
use sortie_syntax::{Diagnostic, Source};
use std::sync::Arc;

const COLUMNS: usize = 100;

/// The formulas on the command line, if they are LTL and the strategy can look for loops.
pub fn formulas(matches: &ArgMatches, strategy: &Strategy) -> Result<Vec<String>, Failure> {
    if !strategy.cycles {
        return Ok(Vec::new());
    }
    let mut formulas = hunt::given(matches, "ltl");
    let file = matches.get_one::<String>("formula");
    if let Some(file) = file.filter(|file| file.ends_with(".ltl")) {
        formulas.push(read_text(file)?.trim().to_owned());
    }
    if !formulas.is_empty() && matches.contains_id("fair") {
        return Err(Failure::input(format!(
            "{} does not tell fair loops from others; use --strategy bbmc with --fair, or write what is fair into the formula: \
             '(G F <a>) => ...'",
            strategy.name
        )));
    }
    Ok(formulas)
}

/// Hunts them one after another.
pub fn hunt(matches: &ArgMatches, settings: &HuntSettings, formulas: &[String]) -> Outcome {
    let quiet = matches.get_flag("quiet");
    let limits = interrupt::begin(settings);
    let out = hunt::out_folder(matches)?;
    let limit = hunt::states(settings);
    let writes = Writes::of(matches)?;
    if writes.to_stdout() && formulas.len() > 1 {
        return Err(Failure::input(
            "each formula has a report of its own; write them to files, or hunt one formula",
        ));
    }
    let mut stage = Stage::of(matches, &writes, limit)?;
    let mut status = Status::Fine;
    for (number, formula) in formulas.iter().enumerate() {
        if limits.stop().requested().is_some() {
            break;
        }
        if number > 0 {
            stage = stage.anew(!quiet, limit);
            stage.say("\n")?;
        }
        let (opened, property) = watch(matches, &[], formula)?;
        let prey = Prey {
            model: opened.model,
            model_settings: opened.settings.listed(),
            properties: vec![property],
        };
        let own = format!("ltl-{}", number + 1);
        let out = out.as_ref().map(|out| match formulas.len() {
            1 => out.clone(),
            _ => out.join(&own),
        });
        let several = (formulas.len() > 1).then(|| writes.of_hunt(&own));
        out.as_deref().map_or(Ok(()), hunt::make_folder)?;
        let files = Files {
            words: &typed(),
            campaign_file: None,
            suggested: false,
            out: out.as_deref(),
            writes: several.as_ref().unwrap_or(&writes),
        };
        let campaign = prey.campaign(settings, &limits);
        let ended = hunt::carry_out(matches, &campaign, &stage, files)?;
        if status != Status::Found {
            status = ended;
        }
    }
    Ok(status)
}

/// Opens the model and lets it be watched for violations of a formula, with what is then to be looked for. Settings on the command line override
/// `defaults`.
pub fn watch(
    matches: &ArgMatches,
    defaults: &[String],
    text: &str,
) -> Result<(Opened, Box<dyn Property>), Failure> {
    let refused = |error: &Diagnostic| {
        let source = Source {
            name: "--ltl",
            text,
        };
        Failure::input(error.render(source, COLUMNS))
    };
    let formula = Ltl::parse(text).map_err(|error| refused(&error))?;
    let predicates = formula.predicates().iter();
    let wanted = Wanted::predicates(predicates.map(|p| p.text.clone()).collect());
    let mut opened = open(matches, defaults, &wanted)?;
    complain_of(&opened.warnings_about(&formula.patterns()));
    let formula = opened.from_the_beginning(formula);
    let predicates = std::mem::take(&mut opened.predicates);
    let watched = Watched::new(opened.model.clone(), text, formula, predicates);
    let watched = watched.map_err(|error| {
        let span = error.span().unwrap_or_default();
        refused(&Diagnostic::error(error.to_string(), span))
    })?;
    let property = Box::new(watched.property());
    opened.model = Arc::new(watched) as Arc<dyn Model>;
    Ok((opened, property))
}
