//! All steps of a state, one after another: every answer to every question, in order.

use crate::labels::Phase;
use crate::run::{Oracle, Question, Run};
use crate::synchronous::Synchronous;
use sortie_model::{LabelId, ModelError, Steps, WantedLabel};
use std::collections::HashSet;

/// So much more may be tried than is listed.
const TRIES: usize = 64;

/// The questions asked, each with its present answer.
#[derive(Default)]
struct Asked(Vec<(Question, usize)>);

impl Oracle for Asked {
    fn answer(&mut self, question: Question, _run: &Run<'_>) -> usize {
        self.0.push((question, 0));
        0
    }
}

impl Asked {
    /// Goes to the next answer of the last question that has one.
    fn next(&mut self) -> Option<(Question, usize)> {
        loop {
            let (question, answer) = self.0.last_mut()?;
            if *answer + 1 < question.alternatives {
                *answer += 1;
                return Some((*question, *answer));
            }
            self.0.pop();
        }
    }
}

/// Hands every step of a state to `found`, which says whether to go on. Only steps with the wanted values are looked for, if there are any in `run`.
fn search(
    run: &mut Run<'_>,
    phase: Phase,
    mut found: impl FnMut(&Run<'_>) -> Result<bool, ModelError>,
) -> Result<(), ModelError> {
    let model = run.model;
    let code = model.code(phase);
    let most = model.settings.max_fanout.saturating_mul(TRIES);
    let mut asked = Asked::default();
    let mut tries = 0;
    let mut exists = run.start(code, &mut asked)?;
    loop {
        if exists && !found(run)? {
            return Ok(());
        }
        tries += 1;
        if tries > most {
            return Err(too_many(model));
        }
        let Some((question, answer)) = asked.next() else {
            return Ok(());
        };
        exists = run.resume(code, question, answer, &mut asked)?;
    }
}

fn too_many(model: &Synchronous) -> ModelError {
    ModelError::too_many(format!(
        "a state has more than {} successors, or too many values to try; searches that follow single paths (lurch, random) do not list them; \
         or raise --max-fanout, or look at some with --sample",
        model.settings.max_fanout
    ))
}

/// Whether there is a step from the state in which `run` is.
pub(crate) fn exists(run: &mut Run<'_>, phase: Phase) -> Result<bool, ModelError> {
    let mut any = false;
    search(run, phase, |_| {
        any = true;
        Ok(false)
    })?;
    Ok(any)
}

/// Lists the steps of a state, or those with a label.
pub(crate) fn list(
    model: &Synchronous,
    state: &[u32],
    label: Option<WantedLabel<'_>>,
    steps: &mut Steps,
) -> Result<(), ModelError> {
    let mut run = Run::new(model);
    run.enter(state);
    let phase = model.phase(state);
    if let Some(label) = label {
        let before = run.before();
        let wanted = match label {
            WantedLabel::Text(text) => model.labels.read(&model.system, phase, text, before),
            WantedLabel::Number(label) => model.labels.values(&model.layout, phase, label, before),
        };
        let Some(wanted) = wanted else {
            return Ok(());
        };
        for (variable, value) in wanted {
            run.wanted[variable as usize] = Some(value);
        }
    } else if model.least_fanout(phase) > model.settings.max_fanout as u64 {
        return Err(too_many(model));
    }
    let mut known: HashSet<(LabelId, Box<[u32]>)> = HashSet::new();
    let may_repeat = model.code(phase).may_repeat;
    let mut target = vec![0; model.layout.width];
    let mut listed = 0;
    search(&mut run, phase, |run| {
        model.layout.pack(run.after(), &mut target);
        let label = run.label(phase);
        if may_repeat && !known.insert((label, target.as_slice().into())) {
            return Ok(true);
        }
        listed += 1;
        if listed > model.settings.max_fanout {
            return Err(too_many(model));
        }
        steps.push(label, &target);
        Ok(true)
    })
}
