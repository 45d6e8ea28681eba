//! Looks for the goal from the beginning, level by level, keeping only a few states of each level.
//!
//! Which ones, the known trace tells: those whose parts have values that it has late, or those most like its end. The beams grow wider as long as they do not
//! help.

use crate::shorten::{Result, Shortener, beginning};
use sortie_intern::{Layer, Layers};
use sortie_model::{Fingerprint, Trace};
use std::collections::{HashMap, HashSet};

/// States per level of the first beam; of the next it is so many times as many.
pub(crate) const FIRST_WIDTH: usize = 1;
const GROWTH: usize = 4;

pub(crate) fn run(shortener: &mut Shortener<'_>, mut trace: Trace) -> Result<Trace> {
    let before = trace.len();
    while trace.len() == before {
        for rank in [late, like as fn(&Trace) -> Rank<'_>] {
            // A single step leads to the goal, or none.
            if trace.len() <= 1 {
                return Ok(trace);
            }
            let seen = beam(shortener, &trace, &rank(&trace))?;
            match seen {
                Seen::Shorter(shorter) => trace = shorter,
                Seen::Some => {}
                Seen::All => {
                    shortener.shortest = true;
                    return Ok(trace);
                }
                Seen::Cut => return Ok(trace),
            }
        }
        if trace.len() == before {
            shortener.width = shortener.width.saturating_mul(GROWTH);
        }
    }
    Ok(trace)
}

/// What came of one beam.
enum Seen {
    Shorter(Trace),
    /// There is nothing shorter.
    All,
    Some,
    /// It could not be followed to its end.
    Cut,
}

/// Follows one beam for fewer steps than the trace has.
fn beam(shortener: &mut Shortener<'_>, trace: &Trace, rank: &Rank<'_>) -> Result<Seen> {
    let mut layers = Layers::new(&trace.start);
    let mut kept: HashSet<Fingerprint> = HashSet::from([shortener.model.fingerprint(&trace.start)]);
    let mut all = true;
    for depth in 0..trace.len() {
        let mut next = Layer::default();
        for (place, state) in layers.last().states().enumerate() {
            if !shortener.expand(state)? {
                return Ok(Seen::Cut);
            }
            if let Some(at) = shortener.goal.find(state, &shortener.steps) {
                let mut short = beginning(trace, 0, layers.path(place));
                shortener.push_goal(&mut short, at);
                if short.len() < trace.len() {
                    return Ok(Seen::Shorter(short));
                }
            }
            // What is met at the last level is too late.
            if depth + 1 < trace.len() {
                for (label, target) in shortener.steps.iter() {
                    if !kept.contains(&shortener.model.fingerprint(target)) {
                        next.add(label, target, place);
                    }
                }
            }
        }
        if next.len() > shortener.width {
            all = false;
            // What is equally good is ordered by something that has nothing to do with it.
            let rank = |state: &[u32]| (rank(state), shortener.model.fingerprint(state));
            next.keep_least(shortener.width, rank);
        }
        if next.is_empty() {
            break;
        }
        let prints = next.states();
        kept.extend(prints.map(|state| shortener.model.fingerprint(state)));
        layers.push(next);
    }
    Ok(if all { Seen::All } else { Seen::Some })
}

/// Ranks states: the less, the better.
type Rank<'t> = Box<dyn Fn(&[u32]) -> usize + 't>;

/// Prefers states whose places have values that the trace has late.
fn late(trace: &Trace) -> Rank<'_> {
    let mut last: HashMap<(usize, u32), usize> = HashMap::new();
    for at in 0..trace.len() {
        for (place, value) in trace.state(at).iter().enumerate() {
            last.insert((place, *value), at + 1);
        }
    }
    Box::new(move |state| {
        let places = state.iter().enumerate();
        let late = places.map(|(place, value)| last.get(&(place, *value)).unwrap_or(&0));
        usize::MAX - late.sum::<usize>()
    })
}

/// Prefers states that agree with the one before the last step in most places.
fn like(trace: &Trace) -> Rank<'_> {
    let goal = trace.state(trace.len() - 1);
    Box::new(move |state| state.iter().zip(goal).filter(|(a, b)| a != b).count())
}
