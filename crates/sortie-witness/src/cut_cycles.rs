//! Removes what happens between two visits of the same state.

use crate::shorten::{Result, Shortener, beginning};
use sortie_model::Trace;
use std::collections::HashMap;

pub(crate) fn run(_shortener: &mut Shortener<'_>, trace: Trace) -> Result<Trace> {
    Ok(cut(trace))
}

/// From each state on, goes on after its last visit. The last step stays: it may be what shows the property.
pub(crate) fn cut(trace: Trace) -> Trace {
    let Some((last, before)) = trace.steps.split_last() else {
        return trace;
    };
    let places = 0..=before.len();
    let last_visit: HashMap<_, _> = places.map(|place| (trace.state(place), place)).collect();
    let mut short = beginning(&trace, 0, Vec::new());
    let mut place = last_visit[&trace.start[..]];
    while place < before.len() {
        let step = &before[place];
        short.steps.push(step.clone());
        place = last_visit[&step.target[..]];
    }
    short.steps.push(last.clone());
    short
}
