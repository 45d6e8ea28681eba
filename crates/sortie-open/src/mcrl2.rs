//! mCRL2 specifications.

use crate::opened::refused;
use crate::{Language, LanguageOption, OpenError, Opened, Request, error};
use sortie_formula::Equations;
use sortie_mcrl2::{Keep, Mcrl2Model, StateCondition, StateExpression};
use sortie_property::Condition;
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
    built_in: &[],
    example: "act go; init go;",
    open,
};

const KEEP: &str = "keep-data";

fn open(request: Request<'_>) -> Result<Opened, OpenError> {
    let Request {
        settings, wanted, ..
    } = request;
    let given = settings.options.get(KEEP);
    let given = given.map_or(Ok(Keep::default()), |kept| kept.parse());
    let mut keep: Keep = given.map_err(OpenError::Unfit)?;
    let mut parts = parts(request, &keep)?;
    let kept = keep.clone();
    for condition in wanted.conditions(|text| StateExpression::parse(&parts.0, text))? {
        keep.extend(condition.keep());
    }
    if keep != kept {
        parts = self::parts(request, &keep)?;
    }
    let mut settings = settings.clone();
    if !keep.is_empty() {
        settings.set_option(KEEP, &keep);
    }
    let (model, formula, warnings) = parts;
    let model = Arc::new(model);
    let predicates = wanted.conditions(|text| -> Result<Box<dyn Condition>, _> {
        let expression = StateExpression::parse(&model, text)?;
        Ok(Box::new(StateCondition::new(model.clone(), expression)))
    })?;
    Ok(Opened {
        predicates,
        formula,
        specification: Some(model.clone()),
        warnings,
        ..Opened::plain(model, &settings)
    })
}

/// A specification, the formula over it, and warnings about that.
type Parts = (Mcrl2Model, Option<Equations>, Vec<String>);

fn parts(request: Request<'_>, keep: &Keep) -> Result<Parts, OpenError> {
    let (Source { name, text }, constants) = (request.source, &request.settings.constants);
    let Some((formula_name, formula)) = &request.wanted.formula else {
        let model = sortie_mcrl2::open_keeping(name, text, constants, keep);
        let model = model.map_err(|errors| request.refused(errors))?;
        return Ok((model, None, Vec::new()));
    };
    let written = Source {
        name: formula_name,
        text: formula,
    };
    let judged = sortie_mcrl2::open_with_formula(name, text, constants, keep, formula)
        .map_err(|failure| refused(request.source, written, failure))?;
    let warnings = error::rendered(written, &judged.warnings);
    Ok((judged.subject, Some(judged.equations), warnings))
}
