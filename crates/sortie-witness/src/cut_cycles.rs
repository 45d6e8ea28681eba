//! Removes what happens between two visits of the same state.

use crate::shorten::Shortener;
use sortie_model::{ModelError, Trace};
use std::collections::HashMap;

/// From each state on, goes on after its last visit. The last step stays: it may be what shows the property.
pub(crate) fn run(_shortener: &mut Shortener<'_>, trace: Trace) -> Result<Trace, ModelError> {
    let Some((last, before)) = trace.steps.split_last() else {
        return Ok(trace);
    };
    let mut last_visit: HashMap<&[u32], usize> = HashMap::new();
    for place in 0..=before.len() {
        last_visit.insert(trace.state(place), place);
    }
    let mut short = Trace {
        start: trace.start.clone(),
        steps: Vec::new(),
    };
    let mut place = last_visit[&trace.start[..]];
    while place < before.len() {
        let step = &before[place];
        short.steps.push(step.clone());
        place = last_visit[&step.target[..]];
    }
    short.steps.push(last.clone());
    Ok(short)
}
