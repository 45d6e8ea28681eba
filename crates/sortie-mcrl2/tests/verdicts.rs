//! The verdicts of the public formulas.

mod public;

use sortie_formula::{Allowance, Examination, Truth};
use sortie_mcrl2::{FormulaFailure, Keep, open_with_formula};
use sortie_model::Budget;
use sortie_search::Unfolding;
use std::path::Path;

/// Pairs that are not decided here, with the reason.
const EXCEPTIONS: &[(&str, &str)] = &[];

/// State spaces beyond this size are not explored.
const STATES: u64 = 2_000_000;

fn verdict(specs: &Path, specification: &str, formula: &str) -> Result<Truth, String> {
    let read = |path: &str| std::fs::read_to_string(specs.join(path)).map_err(|e| e.to_string());
    let (text, formula) = (read(specification)?, read(formula)?);
    let judged = open_with_formula(specification, &text, &[], &Keep::default(), &formula).map_err(
        |failure| match failure {
            FormulaFailure::Specification(errors) => format!("specification: {errors:?}"),
            FormulaFailure::Formula(errors) => format!("formula: {errors:?}"),
        },
    )?;
    let model = &judged.subject;
    let budget = Budget {
        max_states: Some(STATES),
        ..Budget::default()
    };
    let mut space = Unfolding::new(model, &budget).map_err(|error| error.to_string())?;
    let mut examination = Examination::new(&judged.equations, model.context(&[]), &mut space);
    examination
        .decide(Allowance::default())
        .map_err(|error| error.to_string())
}

#[test]
fn formulas_are_judged_as_mcrl2_judges_them() {
    let Some(folder) = public::folder() else {
        return;
    };
    let specs = folder.join("specs");
    let rows = public::rows(&folder.join("formulas.csv"));
    let mut wrong = Vec::new();
    let mut agree = 0;
    for row in &rows {
        let (specification, formula) = (&row[0], &row[1]);
        let answer = verdict(&specs, specification, formula);
        let expected = if row[2] == "true" {
            Truth::True
        } else {
            Truth::False
        };
        let excused = EXCEPTIONS
            .iter()
            .any(|(pair, _)| *pair == format!("{specification} {formula}"));
        match answer {
            Ok(truth) if truth == expected => agree += 1,
            Ok(Truth::Unknown) | Err(_) if excused => {}
            other => wrong.push(format!(
                "{specification} {formula}: {other:?}, mCRL2 says {}",
                row[2]
            )),
        }
    }
    println!("{agree} of {} verdicts agree", rows.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(agree * 100 >= rows.len() * 97);
}
