//! Some of the steps of a state that has too many to list: random ones, always the same for the same state.

use crate::run::{Oracle, Question, Run};
use crate::synchronous::Synchronous;
use sortie_model::{Dice, Fingerprint, LabelId, ModelError, Steps};
use std::collections::HashSet;

/// So many values that no requirement admits are drawn for each step that is wanted.
const TRIES: usize = 64;

struct Drawn(Dice);

impl Oracle for Drawn {
    fn answer(&mut self, question: Question, _run: &Run<'_>) -> usize {
        self.0.index(question.alternatives)
    }
}

/// Lists at most so many steps.
pub(crate) fn list(
    model: &Synchronous,
    state: &[u32],
    most: usize,
    steps: &mut Steps,
) -> Result<(), ModelError> {
    let mut run = Run::new(model);
    run.enter(state);
    let phase = model.phase(state);
    let mut drawn = Drawn(Dice::new(Fingerprint::of_words(state).low()));
    let mut known: HashSet<(LabelId, Box<[u32]>)> = HashSet::new();
    let mut target = vec![0; model.layout.width];
    for _ in 0..most.saturating_mul(TRIES) {
        if known.len() == most {
            break;
        }
        if !run.start(model.code(phase), &mut drawn)? {
            continue;
        }
        model.layout.pack(run.after(), &mut target);
        let label = run.label(phase);
        if known.insert((label, target.as_slice().into())) {
            steps.push(label, &target);
        }
    }
    if known.is_empty() {
        return Err(ModelError::new(format!(
            "{}: no step that satisfies all constraints was found by chance; assign variables instead of constraining them",
            model.system.name
        )));
    }
    Ok(())
}
