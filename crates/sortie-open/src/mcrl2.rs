//! mCRL2 specifications.

use crate::opened::refused;
use crate::{Language, LanguageOption, OpenError, Opened, Settings, Wanted, error};
use sortie_formula::Equations;
use sortie_mcrl2::{Keep, Mcrl2Model, StateCondition, StateExpression};
use sortie_property::{Condition, Invariant, Property};
use sortie_search::OptionKind;
use sortie_syntax::Source;
use std::sync::Arc;

pub(crate) const LANGUAGE: Language = Language {
    name: "mcrl2",
    endings: &[".mcrl2"],
    help: "processes with data, as the mCRL2 toolset reads them",
    page: "mcrl2.md",
    comment: "%",
    internal: &["tau", "hide"],
    constants: true,
    conditions: true,
    options: &[LanguageOption {
        alone: Some("all"),
        ..LanguageOption::new(
            KEEP,
            OptionKind::Text("WHAT"),
            "keep parameters in states although nothing reads them: all, or PROCESS.PARAMETER,...",
        )
    }],
    built_in: None,
    example: "act go; init go;",
    open,
};

const KEEP: &str = "keep-data";

/// The names of the sources of expressions, for messages.
const INVARIANT: &str = "--invariant";
const PREDICATE: &str = "{}";

fn open(source: Source<'_>, settings: &Settings, wanted: &Wanted) -> Result<Opened, OpenError> {
    let given = settings.options.get(KEEP);
    let given = given.map_or(Ok(Keep::default()), |kept| kept.parse());
    let mut keep: Keep = given.map_err(OpenError::Unfit)?;
    let parse = |model: &Mcrl2Model, name: &str, text: &String| {
        let typed = Source { name, text };
        StateExpression::parse(model, text).map_err(|errors| OpenError::of_text(typed, &errors))
    };
    let mut parts = parts(source, settings, wanted, &keep)?;
    let kept = keep.clone();
    for text in &wanted.invariants {
        keep.extend(parse(&parts.model, INVARIANT, text)?.keep());
    }
    for text in &wanted.predicates {
        keep.extend(parse(&parts.model, PREDICATE, text)?.keep());
    }
    if keep != kept {
        parts = self::parts(source, settings, wanted, &keep)?;
    }
    let mut settings = settings.clone();
    if !keep.is_empty() {
        settings.set_option(KEEP, &keep);
    }
    let model = Arc::new(parts.model);
    let invariant = |text: &String| -> Result<Box<dyn Property>, OpenError> {
        let expression = parse(&model, INVARIANT, text)?;
        let condition = StateCondition::new(model.clone(), expression);
        Ok(Box::new(Invariant::new(text, condition)))
    };
    let predicate = |text: &String| -> Result<Box<dyn Condition>, OpenError> {
        let expression = parse(&model, PREDICATE, text)?;
        Ok(Box::new(StateCondition::new(model.clone(), expression)))
    };
    let invariants = wanted.invariants.iter().map(invariant);
    let predicates = wanted.predicates.iter().map(predicate);
    Ok(Opened {
        asked: invariants.collect::<Result<_, _>>()?,
        predicates: predicates.collect::<Result<_, _>>()?,
        formula: parts.formula,
        specification: Some(model.clone()),
        warnings: parts.warnings,
        ..Opened::plain(model, &settings)
    })
}

/// A specification with the formula over it.
struct Parts {
    model: Mcrl2Model,
    formula: Option<Equations>,
    warnings: Vec<String>,
}

fn parts(
    source: Source<'_>,
    settings: &Settings,
    wanted: &Wanted,
    keep: &Keep,
) -> Result<Parts, OpenError> {
    let (Source { name, text }, constants) = (source, &settings.constants);
    let Some((formula_name, formula)) = &wanted.formula else {
        let model = sortie_mcrl2::open_keeping(name, text, constants, keep);
        return Ok(Parts {
            model: model.map_err(|errors| OpenError::of_text(source, &errors))?,
            formula: None,
            warnings: Vec::new(),
        });
    };
    let written = Source {
        name: formula_name,
        text: formula,
    };
    let judged = sortie_mcrl2::open_with_formula(name, text, constants, keep, formula)
        .map_err(|failure| refused(source, written, failure))?;
    Ok(Parts {
        model: judged.subject,
        formula: Some(judged.equations),
        warnings: error::rendered(written, &judged.warnings),
    })
}
