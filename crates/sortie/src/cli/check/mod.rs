//! `sortie check`: judge a formula on a model, on all of it or on parts of it.

mod evidence;
mod ground;
mod own;
mod question;
mod recorded;
mod report;

use super::args::{count, optional};
use super::hunt::make_folder;
use super::stage::Stage;
use super::writes::Writes;
use super::{Failure, Outcome, Status, interrupt};
use clap::ArgMatches;
use question::{Question, Written};
use report::Report;
use sortie_formula::{FormulaError, Requirement, Truth};
use sortie_hunt::{Answer, Check, CheckError, Ground};
use sortie_lts::Lts;
use sortie_open::read_text;
use sortie_search::SearchError;
use sortie_syntax::Source;
use std::path::{Path, PathBuf};

pub fn run(matches: &ArgMatches) -> Outcome {
    if !names_a_formula(matches) {
        return own::run(matches);
    }
    let stage = stage(matches, &Writes::default())?;
    let answered = answer(matches, Purpose::Check, Written::read(matches)?, &stage)?;
    Ok(in_status(answered))
}

fn in_status(answered: Truth) -> Status {
    match answered {
        Truth::True => Status::Fine,
        Truth::False => Status::Found,
        Truth::Unknown => Status::NotExhausted,
    }
}

/// Where events go.
fn stage(matches: &ArgMatches, writes: &Writes) -> Result<Stage, Failure> {
    Stage::of(matches, writes, count(matches, "max-states"))
}

/// Whether the command line has a formula.
pub fn names_a_formula(matches: &ArgMatches) -> bool {
    matches.contains_id("a formula")
}

/// Looks for a violation of a formula: `sortie hunt --formula`.
pub fn hunt(matches: &ArgMatches) -> Outcome {
    let strategy = matches.get_one::<String>("strategy");
    if let Some(strategy) = strategy.filter(|name| *name != "bbmc") {
        return Err(Failure::input(format!(
            "a formula is judged on slices of the state space, which {strategy} does not make; use --strategy bbmc, or lurch for LTL"
        )));
    }
    if super::hunt::given(matches, "ltl").len() > 1 {
        return Err(Failure::input(
            "on slices, formulas are judged one at a time; --strategy lurch hunts several, one after another",
        ));
    }
    let writes = Writes::of(matches)?;
    let stage = stage(matches, &writes)?;
    let purpose = Purpose::Hunt(&writes);
    let answered = answer(matches, purpose, Written::read(matches)?, &stage)?;
    Ok(match answered {
        Truth::False => Status::Found,
        Truth::Unknown if matches.get_flag("require-exhausted") => Status::NotExhausted,
        Truth::True | Truth::Unknown => Status::Fine,
    })
}

/// Why a formula is judged.
#[derive(Clone, Copy)]
pub enum Purpose<'a> {
    /// To know whether it holds.
    Check,
    /// To find out that it does not, and report it in these files.
    Hunt(&'a Writes),
}

fn answer(
    matches: &ArgMatches,
    purpose: Purpose<'_>,
    written: Written,
    stage: &Stage,
) -> Result<Truth, Failure> {
    let settings = super::hunt::hunt_settings(matches)?;
    let limits = interrupt::begin(&settings);
    let budget = limits.budget();
    let guide = guide(matches)?;
    let grounds = match &guide {
        Some(guide) => vec![Ground::Along(guide)],
        None => ground::grounds(matches, purpose)?,
    };
    let question = Question::ask(matches, written)?;
    let quiet = matches.get_flag("quiet");
    let check = |requirement: &dyn Requirement, ground: Ground<'_>| {
        let mut budget = budget.clone();
        if matches!(ground, Ground::Whole)
            && matches!(purpose, Purpose::Check)
            && budget.max_states.is_none()
        {
            budget.max_states = Some(ground::FULL_STATES);
        }
        let check = Check {
            model: question.model(),
            requirement,
            budget,
            seed: settings.seed,
            threads: settings.threads,
            observer: stage,
        };
        check.run(ground)
    };
    question.with_requirement(|requirement| {
        let mut answered: Option<(Ground<'_>, Answer)> = None;
        for ground in grounds {
            answered = match check(requirement, ground) {
                Ok(answer) => Some((ground, answer)),
                Err(
                    CheckError::Search(SearchError::Model(error))
                    | CheckError::Formula(FormulaError::Model(error))
                    | CheckError::Model(error),
                ) if error.fanout => {
                    stage.progress.finish();
                    if !quiet {
                        let model = question.model().identity().name;
                        stage.say(&format!("{model}: {}\n", question.name))?;
                    }
                    stage.say(&format!("undecided: {error}\n"))?;
                    return Ok(Truth::Unknown);
                }
                Err(error) => return Err(question.explain(&error)),
            };
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
            seed: settings.seed,
            source: optional(matches, "model").cloned(),
            options: match purpose {
                Purpose::Hunt(_) => settings.options.listed(),
                Purpose::Check => Vec::new(),
            },
            must_exhaust: matches!(purpose, Purpose::Hunt(_))
                && matches.get_flag("require-exhausted"),
        };
        report.deliver(stage, quiet)?;
        Ok(answer.truth)
    })
}

/// The evidence to look at again.
fn guide(matches: &ArgMatches) -> Result<Option<Lts>, Failure> {
    let Some(file) = optional(matches, "along") else {
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
    if let Some(out) = optional(matches, "out").map(Path::new) {
        make_folder(out)?;
        return Ok(Some(out.join("evidence.aut")));
    }
    Ok(optional(matches, "evidence").map(PathBuf::from))
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
            let shown = sortie_syntax::Diagnostic::error(inner.to_string(), span);
            return Failure::input(shown.render(source, 100));
        }
        match error {
            CheckError::NoGame
            | CheckError::Astray(_)
            | CheckError::Search(SearchError::Entangled { .. }) => Failure::input(error),
            _ => Failure::broken(error),
        }
    }
}
