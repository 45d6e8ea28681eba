//! What is asked of which model.

use crate::cli::Failure;
use crate::cli::args::{optional, word};
use crate::cli::output::complain_of;
use crate::cli::source::open;
use clap::ArgMatches;
use sortie_formula::temporal::{Ctl, FairPaths, Fairness, Ltl, PredicateText};
use sortie_formula::{Equations, Requirement, Stated, compile};
use sortie_model::Model;
use sortie_open::{Opened, OwnFormula, Wanted, read_text};
use sortie_property::{Pattern, STATED};
use sortie_syntax::{Diagnostic, Source};
use std::path::Path;

const COLUMNS: usize = 100;

/// What the formula says, in its own language.
enum Form {
    /// Equations.
    Equations(Equations),
    /// All fair paths satisfy it; with equations if all paths are fair.
    Paths(Ltl, Fairness, Option<Equations>),
}

/// A formula over a model.
pub struct Question {
    opened: Opened,
    form: Form,
    /// What the formula is called.
    pub name: String,
    /// The formula as written.
    pub text: String,
}

impl Question {
    /// Opens model and formula.
    pub fn ask(matches: &ArgMatches, written: Written) -> Result<Question, Failure> {
        let parsed = written.parse()?;
        let fairness = fairness(matches, &parsed)?;
        let mut opened = open(matches, &[], &parsed.wanted(&written))?;
        complain_of(&opened.warnings_about(&parsed.patterns()));
        let parsed = parsed.for_the_model(&mut opened, written.everywhere);
        let form = match parsed {
            Parsed::Mu => {
                let equations = opened.formula.take();
                Ok(Form::Equations(equations.expect("a formula was asked for")))
            }
            Parsed::Ctl(ctl) => opened
                .in_context(|context| compile(context.evaluator, &ctl.formula(), 0))
                .map(Form::Equations),
            Parsed::Ltl(ltl) if fairness == Fairness::None => ltl
                .equations()
                .map(|equations| Form::Paths(ltl, fairness, Some(equations))),
            Parsed::Ltl(ltl) => Ok(Form::Paths(ltl, fairness, None)),
        };
        let form = form.map_err(|error| {
            let span = error.span().unwrap_or_default();
            written.refused(&Diagnostic::error(error.to_string(), span))
        })?;
        let Written { name, text, .. } = written;
        Ok(Question {
            opened,
            form,
            name,
            text,
        })
    }

    /// The model.
    pub fn model(&self) -> &dyn Model {
        &*self.opened.model
    }

    /// What was set in it, as `name=value`.
    pub fn settings(&self) -> Vec<String> {
        self.opened.settings.listed()
    }

    /// Calls `ask` with what is required of the model.
    pub fn with_requirement<T>(&self, ask: impl FnOnce(&dyn Requirement) -> T) -> T {
        self.opened.in_context(|context| match &self.form {
            Form::Equations(equations) => ask(&Stated { equations, context }),
            Form::Paths(formula, fairness, equations) => ask(&FairPaths {
                formula,
                fairness: *fairness,
                context,
                equations: equations.as_ref(),
            }),
        })
    }
}

/// The languages that formulas are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    Mu,
    Ctl,
    Ltl,
}

/// A formula as the command line gives it, or as the model states it.
pub struct Written {
    language: Language,
    name: String,
    text: String,
    /// Whether it is about all paths, whatever the model calls fair.
    everywhere: bool,
}

/// A formula of its language. One of the mu-calculus is read together with the model, whose data it uses.
enum Parsed {
    Mu,
    Ctl(Ctl),
    Ltl(Ltl),
}

impl Written {
    /// A formula that the model states.
    pub fn own(formula: &OwnFormula) -> Written {
        Written {
            language: match formula.branching {
                true => Language::Ctl,
                false => Language::Ltl,
            },
            name: STATED.kind(&formula.name).to_string(),
            text: formula.text.clone(),
            everywhere: formula.everywhere,
        }
    }

    /// The formula on the command line.
    pub fn read(matches: &ArgMatches) -> Result<Written, Failure> {
        let texts = [
            ("mu", Language::Mu),
            ("ctl", Language::Ctl),
            ("ltl", Language::Ltl),
        ];
        for (option, language) in texts {
            if let Some(text) = optional(matches, option) {
                return Ok(Written {
                    language,
                    name: format!("--{option}"),
                    text: text.clone(),
                    everywhere: false,
                });
            }
        }
        let file = word(matches, "formula");
        let ending = Path::new(file).extension();
        let language = match ending.and_then(|ending| ending.to_str()) {
            Some("ctl") => Language::Ctl,
            Some("ltl") => Language::Ltl,
            _ => Language::Mu,
        };
        Ok(Written {
            language,
            name: file.clone(),
            text: read_text(file)?,
            everywhere: false,
        })
    }

    fn parse(&self) -> Result<Parsed, Failure> {
        Ok(match self.language {
            Language::Mu => Parsed::Mu,
            Language::Ctl => Parsed::Ctl(Ctl::parse(&self.text).map_err(|e| self.refused(&e))?),
            Language::Ltl => Parsed::Ltl(Ltl::parse(&self.text).map_err(|e| self.refused(&e))?),
        })
    }

    fn refused(&self, error: &Diagnostic) -> Failure {
        let source = Source {
            name: &self.name,
            text: &self.text,
        };
        Failure::input(error.render(source, COLUMNS))
    }
}

impl Parsed {
    /// The patterns for labels, but for those that are checked together with the model.
    fn patterns(&self) -> Vec<&Pattern> {
        match self {
            Parsed::Mu => Vec::new(),
            Parsed::Ctl(ctl) => ctl.patterns(),
            Parsed::Ltl(ltl) => ltl.patterns(),
        }
    }

    /// The formula about the first states of the model, and about its fair paths, where the model says so.
    fn for_the_model(self, opened: &mut Opened, everywhere: bool) -> Parsed {
        match self {
            Parsed::Mu => Parsed::Mu,
            Parsed::Ctl(ctl) => {
                let (begins_by_choice, fair) = opened.fair_paths();
                let ctl = match begins_by_choice {
                    true => ctl.after_a_step(),
                    false => ctl,
                };
                Parsed::Ctl(match everywhere {
                    true => ctl,
                    false => ctl.on_fair_paths(&fair),
                })
            }
            Parsed::Ltl(ltl) => Parsed::Ltl(opened.from_the_beginning(ltl)),
        }
    }

    /// What the model must be opened with.
    fn wanted(&self, written: &Written) -> Wanted {
        let texts = |all: &[PredicateText]| all.iter().map(|one| one.text.clone()).collect();
        match self {
            Parsed::Mu => Wanted {
                formula: Some((written.name.clone(), written.text.clone())),
                ..Wanted::default()
            },
            Parsed::Ctl(ctl) => Wanted::predicates(texts(ctl.predicates())),
            Parsed::Ltl(ltl) => Wanted::predicates(texts(ltl.predicates())),
        }
    }
}

fn fairness(matches: &ArgMatches, parsed: &Parsed) -> Result<Fairness, Failure> {
    let fairness = match optional(matches, "fair").map(String::as_str) {
        Some("weak") => Fairness::Weak,
        Some("strong") => Fairness::Strong,
        _ => Fairness::None,
    };
    if fairness != Fairness::None && !matches!(parsed, Parsed::Ltl(_)) {
        return Err(Failure::input(
            "--fair is about paths, of which only LTL formulas speak; write the formula with --ltl",
        ));
    }
    Ok(fairness)
}
