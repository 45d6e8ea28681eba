//! Evidence for people and for files.

use crate::cli::Failure;
use crate::cli::output::{aut, write_file};
use crate::cli::units::{counted, grouped};
use sortie_formula::OUTSIDE;
use sortie_formula::{Evidence, Shape};
use sortie_lts::Builder;
use sortie_model::{Model, Steps, Trace};
use sortie_report::trace_text;
use std::fmt::Write as _;
use std::path::Path;

const COLUMNS: usize = 100;

/// Evidence that branches is shown only if it has at most so many steps.
const SHOWN: usize = 40;

/// What the evidence looks like, in a few words.
pub fn in_words(evidence: &Evidence) -> String {
    match &evidence.shape {
        Shape::Path(path) if path.is_empty() => "the initial state".into(),
        Shape::Path(path) => steps(path.len()),
        Shape::Lasso(path, repeated) => {
            let [path, repeated] = [path, repeated].map(|part| steps(part.len()));
            format!("{path}, then {repeated} for ever")
        }
        Shape::Graph if evidence.slice.states() == 1 => {
            format!("{} from the initial state", steps(evidence.steps.len()))
        }
        Shape::Graph => {
            let states = grouped(u64::from(evidence.slice.states()));
            format!(
                "{states} states and {}, branching",
                steps(evidence.steps.len())
            )
        }
    }
}

fn steps(count: usize) -> String {
    counted(count as u64, "step")
}

/// The evidence, step by step.
pub fn text(model: &dyn Model, evidence: &Evidence) -> Result<String, Failure> {
    let shown = |path: &[(u32, u32)]| -> Result<String, Failure> {
        let trace = trace(model, evidence, path)?;
        Ok(trace_text::text(model, &trace, None, COLUMNS))
    };
    Ok(match &evidence.shape {
        Shape::Path(path) if path.is_empty() => String::new(),
        Shape::Path(path) => shown(path)?,
        Shape::Lasso(path, repeated) => {
            let before = match path.is_empty() {
                true => String::new(),
                false => shown(path)?,
            };
            format!("{before}then, for ever:\n{}", shown(repeated)?)
        }
        Shape::Graph if evidence.steps.len() > SHOWN => String::new(),
        Shape::Graph => {
            let mut out = String::new();
            for (from, place) in &evidence.steps {
                let edge = evidence.slice.edges(*from)[*place as usize];
                let target = match edge.target {
                    OUTSIDE => "…".into(),
                    target => target.to_string(),
                };
                let _ = writeln!(out, "{from:>5}  {}  → {target}", model.label(edge.label));
            }
            out
        }
    })
}

/// A path of the evidence as a trace of the model.
pub fn trace(
    model: &dyn Model,
    evidence: &Evidence,
    path: &[(u32, u32)],
) -> Result<Trace, Failure> {
    let start = path.first().map_or(0, |(state, _)| *state);
    let mut trace = Trace {
        start: evidence.slice.words(start).to_vec(),
        ..Trace::default()
    };
    let mut listed = Steps::new(model.width());
    for (state, place) in path {
        listed.clear();
        let words = evidence.slice.words(*state);
        model.expand(words, &mut listed).map_err(Failure::broken)?;
        let place = *place as usize;
        trace.push(listed.label(place), listed.target(place));
    }
    Ok(trace)
}

/// Writes the steps that matter as an `.aut` file.
pub fn write(model: &dyn Model, evidence: &Evidence, path: &Path) -> Result<(), Failure> {
    let mut builder = Builder::default();
    let mut states = evidence.slice.states();
    for (from, place) in &evidence.steps {
        let edge = evidence.slice.edges(*from)[*place as usize];
        let label = builder.label(&model.label(edge.label));
        let target = match edge.target {
            OUTSIDE => {
                states += 1;
                states - 1
            }
            target => target,
        };
        builder.transition(*from, label, target);
    }
    let lts = builder.build(&model.identity().name, 0, states);
    write_file(path, &aut(&lts)?)
}
