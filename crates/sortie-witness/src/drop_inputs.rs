//! Leaves out values from outside that do not matter: a button that is pressed in a witness is one that has to be pressed.
//!
//! The trace does not become longer. Step by step, labels that give less are tried, the one that gives nothing first; those behind it are followed by their labels.

use crate::shorten::{Result, Shortener, beginning};
use sortie_model::{Trace, WantedLabel};
use std::collections::HashSet;

pub(crate) fn run(shortener: &mut Shortener<'_>, mut trace: Trace) -> Result<Trace> {
    let Some(inputs) = shortener.model.extensions().inputs else {
        return Ok(trace);
    };
    let mut place = 0;
    let mut tried = HashSet::new();
    while place < trace.len() {
        let simpler = inputs.simpler(trace.steps[place].label);
        let Some(text) = simpler.into_iter().find(|text| !tried.contains(text)) else {
            place += 1;
            tried.clear();
            continue;
        };
        if shortener.left == 0 {
            return Ok(trace);
        }
        if let Some(calmer) = instead(shortener, &trace, place, &text)? {
            trace = calmer;
        }
        tried.insert(text);
    }
    Ok(trace)
}

/// The trace with a step of this label in place of its own, if it still reaches the goal; it may get there early.
fn instead(
    shortener: &mut Shortener<'_>,
    trace: &Trace,
    place: usize,
    text: &str,
) -> Result<Option<Trace>> {
    let mut other = beginning(trace, place, Vec::new());
    for number in place..trace.len() {
        let label = match number == place {
            true => WantedLabel::Text(text),
            false => WantedLabel::Number(trace.steps[number].label),
        };
        let Some((step, shows)) = shortener.take_labelled(other.last(), label)? else {
            return Ok(None);
        };
        other.push(step.label, &step.target);
        if shows {
            return Ok(Some(other));
        }
    }
    Ok(None)
}
