//! Looks for shorter ways by breadth-first search: to the goal, and between states of the trace.

use crate::shorten::{Result, Shortener, beginning};
use crate::tree::Tree;
use sortie_model::Trace;
use std::collections::HashMap;

/// From the beginning to the goal. The search stops where it could not win: at the depth of the trace.
pub(crate) fn to_goal(shortener: &mut Shortener<'_>, trace: Trace) -> Result<Trace> {
    let share = shortener.left;
    Ok(jump(shortener, &trace, 0, share)?.unwrap_or(trace))
}

/// From every state of the trace to a later one, or to the goal.
pub(crate) fn between_points(shortener: &mut Shortener<'_>, mut trace: Trace) -> Result<Trace> {
    let mut place = 1;
    while place + 1 < trace.len() && shortener.left > 0 {
        let share = (shortener.left / (trace.len() - place) as u64).max(32);
        match jump(shortener, &trace, place, share)? {
            Some(shorter) => trace = shorter,
            None => place += 1,
        }
    }
    Ok(trace)
}

/// Searches from the state at `place` for the goal or a later state of the trace, and takes the way that saves most.
fn jump(
    shortener: &mut Shortener<'_>,
    trace: &Trace,
    place: usize,
    share: u64,
) -> Result<Option<Trace>> {
    let later = (place + 1..=trace.len()).map(|at| (trace.state(at), at));
    let later: HashMap<&[u32], usize> = later.collect();
    let mut met = Tree::new(trace.state(place));
    // How much is saved, by going where, and joining the trace again there.
    let mut best: Option<(usize, usize, usize)> = None;
    let mut next = 0;
    let end = shortener.left.saturating_sub(share);
    let mut is_cut = false;
    while let Some((state, depth)) = met.get(next) {
        // Nothing found from here on can save more than what is known.
        if depth + best.map_or(0, |(saved, _, _)| saved) >= trace.len() - place {
            break;
        }
        if shortener.left <= end || !shortener.expand(&state)? {
            is_cut = true;
            break;
        }
        if let Some(at) = shortener.goal.find(&state, &shortener.steps) {
            let mut short = beginning(trace, place, met.path(next));
            shortener.push_goal(&mut short, at);
            if short.len() < trace.len()
                && best.is_none_or(|(saved, _, _)| trace.len() - short.len() >= saved)
            {
                shortener.shortest |= place == 0;
                return Ok(Some(short));
            }
            break;
        }
        for (label, target) in shortener.steps.iter() {
            if met.add(next, label, target)
                && let Some(&at) = later.get(target)
            {
                let saved = (at - place).saturating_sub(depth + 1);
                // The last step must stay: it may be what shows the property.
                if at < trace.len() && saved > best.map_or(0, |(saved, _, _)| saved) {
                    best = Some((saved, met.last(), at));
                }
            }
        }
        next += 1;
    }
    // Everything that is not as deep as the goal was seen.
    shortener.shortest |= place == 0 && !is_cut;
    Ok(best.map(|(_, index, at)| {
        let mut short = beginning(trace, place, met.path(index));
        short.steps.extend_from_slice(&trace.steps[at..]);
        short
    }))
}
