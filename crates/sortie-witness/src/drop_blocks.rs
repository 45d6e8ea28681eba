//! Leaves out blocks of steps, largest first, where the remaining labels can still be followed to the goal (Zeller's
//! ddmin, on traces).

use crate::shorten::{Result, Shortener, beginning};
use sortie_intern::{Layer, Layers};
use sortie_model::Trace;

/// How many states are followed at once where a label does not tell which is meant.
const FOLLOWED: usize = 8;

pub(crate) fn run(shortener: &mut Shortener<'_>, mut trace: Trace) -> Result<Trace> {
    let mut block = trace.len() / 2;
    while block >= 1 {
        let mut begin = 0;
        while begin + block <= trace.len() {
            if shortener.left == 0 {
                return Ok(trace);
            }
            match without(shortener, &trace, begin, begin + block)? {
                Some(shorter) => trace = shorter,
                None => begin += block,
            }
        }
        block /= 2;
    }
    Ok(trace)
}

/// The trace without the steps from `begin` to `end`, if it still reaches the goal. It may get there early.
fn without(
    shortener: &mut Shortener<'_>,
    trace: &Trace,
    begin: usize,
    end: usize,
) -> Result<Option<Trace>> {
    let mut layers = Layers::new(trace.state(begin));
    // One expansion more than there are labels: the goal may be the state at the end.
    let labels = trace.steps[end..].iter().map(|step| Some(step.label));
    for label in labels.chain([None]) {
        let mut next = Layer::default();
        for (place, state) in layers.last().states().enumerate() {
            let Some(goal) = shortener.expand_towards(state, label)? else {
                return Ok(None);
            };
            if let Some(at) = goal {
                let mut short = beginning(trace, begin, layers.path(place));
                shortener.push_goal(&mut short, at);
                return Ok((short.len() < trace.len()).then_some(short));
            }
            for (offered, target) in shortener.steps.iter() {
                if Some(offered) == label && next.len() < FOLLOWED {
                    next.add(offered, target, place);
                }
            }
        }
        if next.is_empty() {
            return Ok(None);
        }
        layers.push(next);
    }
    Ok(None)
}
