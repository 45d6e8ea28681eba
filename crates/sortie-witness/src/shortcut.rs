//! Looks for shorter ways by breadth-first search: to the goal, and between states of the trace.

use crate::shorten::Shortener;
use sortie_model::{LabelId, ModelError, Trace};
use std::collections::HashMap;

/// From the beginning to the goal. The search stops where it could not win: at the depth of the trace.
pub(crate) fn to_goal(shortener: &mut Shortener<'_>, trace: Trace) -> Result<Trace, ModelError> {
    let share = shortener.left;
    Ok(jump(shortener, &trace, 0, share)?.unwrap_or(trace))
}

/// From every state of the trace to a later one, or to the goal.
pub(crate) fn between_points(
    shortener: &mut Shortener<'_>,
    mut trace: Trace,
) -> Result<Trace, ModelError> {
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

/// A state met by the search, with its predecessor and the label between them.
struct Met {
    state: Vec<u32>,
    from: usize,
    label: LabelId,
    depth: usize,
}

/// Searches from the state at `place` for the goal or a later state of the trace, and takes the way that saves most.
fn jump(
    shortener: &mut Shortener<'_>,
    trace: &Trace,
    place: usize,
    share: u64,
) -> Result<Option<Trace>, ModelError> {
    let mut later: HashMap<&[u32], usize> = HashMap::new();
    for at in place + 1..=trace.len() {
        later.insert(trace.state(at), at);
    }
    let start = trace.state(place).to_vec();
    let mut numbers: HashMap<Vec<u32>, usize> = HashMap::from([(start.clone(), 0)]);
    let mut met = vec![Met {
        state: start,
        from: 0,
        label: LabelId(0),
        depth: 0,
    }];
    // How much is saved, by going where, and joining the trace again there.
    let mut best: Option<(usize, usize, usize)> = None;
    let mut next = 0;
    let end = shortener.left.saturating_sub(share);
    let mut is_cut = false;
    while next < met.len() {
        let depth = met[next].depth;
        // Nothing found from here on can save more than what is known.
        let reach = trace.len() - place;
        if depth + best.map_or(0, |(saved, _, _)| saved) >= reach {
            break;
        }
        let state = met[next].state.clone();
        if shortener.left <= end || !shortener.expand(&state)? {
            is_cut = true;
            break;
        }
        if let Some(at) = shortener.goal.find(&state, &shortener.steps) {
            let mut short = Trace {
                start: trace.start.clone(),
                steps: trace.steps[..place].to_vec(),
            };
            append(&mut short, &met, next);
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
            if numbers.contains_key(target) {
                continue;
            }
            numbers.insert(target.to_vec(), met.len());
            if let Some(&at) = later.get(target) {
                let saved = (at - place).saturating_sub(depth + 1);
                // The last step must stay: it may be what shows the property.
                if at < trace.len() && saved > best.map_or(0, |(saved, _, _)| saved) {
                    best = Some((saved, met.len(), at));
                }
            }
            met.push(Met {
                state: target.to_vec(),
                from: next,
                label,
                depth: depth + 1,
            });
        }
        next += 1;
    }
    // Everything that is not as deep as the goal was seen.
    shortener.shortest |= place == 0 && !is_cut;
    Ok(best.map(|(_, index, at)| {
        let mut short = Trace {
            start: trace.start.clone(),
            steps: trace.steps[..place].to_vec(),
        };
        append(&mut short, &met, index);
        short.steps.extend_from_slice(&trace.steps[at..]);
        short
    }))
}

/// The way from the search's beginning to a state it met.
fn append(trace: &mut Trace, met: &[Met], mut index: usize) {
    let mut backwards = Vec::new();
    while index != 0 {
        backwards.push(index);
        index = met[index].from;
    }
    for index in backwards.into_iter().rev() {
        trace.push(met[index].label, &met[index].state);
    }
}
