//! `sortie check`: judge a formula on a model, on all of it or on parts of it.

mod evidence;
mod ground;
mod question;
mod report;

pub use question::warn_of_patterns;

use super::source::read_text;
use super::stage::Stage;
use super::units::{machine_memory, size, time};
use super::{Failure, Outcome, Status, interrupt};
use clap::ArgMatches;
use question::Question;
use report::Report;
use sortie_campaign::{Answer, Check, CheckError, Ground};
use sortie_lts::Lts;
use sortie_model::{Budget, Source};
use sortie_property::formula::{Requirement, Truth};
use sortie_search::SearchError;
use std::path::PathBuf;

pub fn run(matches: &ArgMatches) -> Outcome {
    let answered = answer(matches, Purpose::Check)?;
    Ok(match answered {
        Truth::True => Status::Fine,
        Truth::False => Status::Found,
        Truth::Unknown => Status::NotExhausted,
    })
}

/// Whether the command line has a formula.
pub fn names_a_formula(matches: &ArgMatches) -> bool {
    matches.contains_id("a formula")
}

/// Looks for a violation of a formula: `sortie hunt --formula`.
pub fn hunt(matches: &ArgMatches) -> Outcome {
    let given = matches.value_source("strategy") == Some(clap::parser::ValueSource::CommandLine);
    let strategy = matches.get_one::<String>("strategy");
    if let Some(strategy) = strategy.filter(|name| given && *name != "bbmc") {
        return Err(Failure::input(format!(
            "a formula is judged on slices of the state space, which {strategy} does not make; use --strategy bbmc, or lurch for LTL"
        )));
    }
    if !super::hunt::given(matches, "write").is_empty() {
        return Err(Failure::input(
            "what decides a formula on slices may branch, and is written as a graph: use --out DIR in place of --write",
        ));
    }
    if super::hunt::given(matches, "ltl").len() > 1 {
        return Err(Failure::input(
            "on slices, formulas are judged one at a time; --strategy lurch hunts several, one after another",
        ));
    }
    let answered = answer(matches, Purpose::Hunt)?;
    Ok(match answered {
        Truth::False => Status::Found,
        Truth::Unknown if matches.get_flag("require-exhausted") => Status::NotExhausted,
        Truth::True | Truth::Unknown => Status::Fine,
    })
}

/// Why a formula is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To know whether it holds.
    Check,
    /// To find out that it does not.
    Hunt,
}

fn answer(matches: &ArgMatches, purpose: Purpose) -> Result<Truth, Failure> {
    let text = |name: &str| matches.get_one::<String>(name);
    let memory = text("memory").map(|given| size(given)).transpose();
    let memory = memory.map_err(Failure::input)?;
    let time = text("for").map(|given| time(given)).transpose();
    let budget = Budget {
        max_states: matches.get_one::<u64>("max-states").copied(),
        memory: memory.or_else(|| machine_memory().map(|all| all / 4 * 3)),
        ..Budget::default()
    };
    let guide = guide(matches)?;
    let grounds = match &guide {
        Some(guide) => vec![Ground::Along(guide)],
        None => ground::grounds(matches, purpose)?,
    };
    let question = Question::ask(matches)?;
    let quiet = matches.get_flag("quiet");
    let stage = Stage::new(text("json").map(String::as_str), !quiet, budget.max_states)?;
    interrupt::listen(&budget.stop);
    let seed = *matches.get_one::<u64>("seed").expect("there is a default");
    let check = |requirement: &dyn Requirement, ground: Ground<'_>| {
        let mut budget = budget.clone();
        if matches!(ground, Ground::Whole)
            && purpose == Purpose::Check
            && budget.max_states.is_none()
        {
            budget.max_states = Some(ground::FULL_STATES);
        }
        let check = Check {
            model: question.model(),
            requirement,
            budget,
            time: time.clone().map_err(Failure::input)?,
            seed,
            threads: super::hunt::threads(matches),
            observer: &stage,
        };
        check.run(ground).map_err(|error| question.explain(&error))
    };
    question.with_requirement(|requirement| {
        let mut answered: Option<(Ground<'_>, Answer)> = None;
        for ground in grounds {
            answered = Some((ground, check(requirement, ground)?));
            let decided = matches!(&answered, Some((_, answer)) if answer.truth != Truth::Unknown);
            if decided || budget.stop.requested().is_some() {
                break;
            }
        }
        stage.progress.finish();
        let (ground, answer) = answered.expect("there is always a ground");
        let report = Report {
            question: &question,
            fragment: requirement.fragment(),
            ground,
            answer: &answer,
            purpose,
            evidence: evidence_file(matches)?,
            seed,
        };
        report.deliver(&stage, quiet)?;
        Ok(answer.truth)
    })
}

/// The evidence to look at again.
fn guide(matches: &ArgMatches) -> Result<Option<Lts>, Failure> {
    let Ok(Some(file)) = matches.try_get_one::<String>("along") else {
        return Ok(None);
    };
    let text = read_text(file)?;
    let source = Source {
        name: file,
        text: &text,
    };
    let lts = Lts::parse(source).map_err(|error| Failure::input(error.render(source, 100)))?;
    Ok(Some(lts))
}

/// Where to write what shows the answer.
fn evidence_file(matches: &ArgMatches) -> Result<Option<PathBuf>, Failure> {
    let given = |name: &str| matches.try_get_one::<String>(name).ok().flatten();
    if let Some(out) = given("out") {
        std::fs::create_dir_all(out)
            .map_err(|error| Failure::broken(format!("{out} cannot be made: {error}")))?;
        return Ok(Some(PathBuf::from(out).join("evidence.aut")));
    }
    Ok(given("evidence").map(PathBuf::from))
}

impl Question {
    /// An error in words, with its place in the formula where it has one.
    fn explain(&self, error: &CheckError) -> Failure {
        if let CheckError::Formula(inner) = error
            && let Some(span) = inner.span()
        {
            let source = Source {
                name: &self.name,
                text: &self.text,
            };
            let shown = sortie_model::Diagnostic::error(inner.to_string(), span.clone());
            return Failure::input(shown.render(source, 100));
        }
        match error {
            CheckError::NoGame
            | CheckError::Astray { .. }
            | CheckError::Search(SearchError::Entangled { .. }) => Failure::input(error),
            _ => Failure::broken(error),
        }
    }
}
