//! Exchanges steps that do not notice one another, so that steps of the same component stand together.
//!
//! A context switch is a place between two neighbouring steps in which no part takes part twice. Where the model tells who takes part in
//! what, steps that have a part in common keep their order and all others may be exchanged. Orders grow step by step from the
//! beginning, all of them equally long; of those that took the same steps, only the ones with the fewest switches go on. Where there are
//! few of them, the result has the fewest switches that exchanges can lead to; where there are many, only the best go on, and it
//! has fewer than before. The order is then walked on the model: it counts only if it leads to the same end.
//!
//! It costs two expanded states for each step of the trace.

use crate::shorten::{Result, Shortener, beginning};
use sortie_model::{PartSet, Stop, Trace, TraceStep};
use std::collections::HashMap;

/// How many beginnings of orders are looked at for one trace, about; at least [`LEAST_WIDTH`] of each length.
const BEGINNINGS: usize = 20_000;

const LEAST_WIDTH: usize = 4;

/// How many states the pass expands for a trace.
pub(crate) fn cost(trace: &Trace) -> u64 {
    2 * trace.len() as u64
}

/// The same steps with fewer context switches, if the model tells who takes part in them.
pub(crate) fn run(shortener: &mut Shortener<'_>, trace: Trace) -> Result<Trace> {
    if shortener.model.extensions().participants().is_none() || shortener.left < cost(&trace) {
        return Ok(trace);
    }
    shortener.steps.want_parts(true);
    let calmer = exchanged(shortener, &trace);
    shortener.steps.want_parts(false);
    Ok(calmer?.unwrap_or(trace))
}

fn exchanged(shortener: &mut Shortener<'_>, trace: &Trace) -> Result<Option<Trace>> {
    let mut parts = Vec::with_capacity(trace.len());
    let mut shows = false;
    for (place, step) in trace.steps.iter().enumerate() {
        let Some((part, at_goal)) = take(shortener, trace.state(place), step)? else {
            return Ok(None);
        };
        parts.push(part);
        shows = at_goal;
    }
    // A step that shows the property stays where it is: at the end.
    let Some(order) = calmest(&parts, shows, &shortener.stop) else {
        return Ok(None);
    };
    let mut other = beginning(trace, 0, Vec::new());
    let mut others = Vec::with_capacity(trace.len());
    let mut shown = false;
    for place in order {
        let step = TraceStep {
            label: trace.steps[place].label,
            target: changed_alike(trace, place, other.last()),
        };
        let Some((part, at_goal)) = take(shortener, other.last(), &step)? else {
            return Ok(None);
        };
        other.steps.push(step);
        others.push(part);
        shown = at_goal;
        if shown {
            break;
        }
    }
    let ends = shown || (!shows && other.last() == trace.last());
    Ok((ends && switches(&others) < switches(&parts)).then_some(other))
}

/// Finds a step among those of a state: who takes part in it, and whether the goal shows at it. None if it is not there, nobody is known to take
/// part in it, or the budget is spent.
fn take(
    shortener: &mut Shortener<'_>,
    state: &[u32],
    step: &TraceStep,
) -> Result<Option<(PartSet, bool)>> {
    if !shortener.expand(state)? {
        return Ok(None);
    }
    let mut listed = shortener.steps.iter();
    let found = listed.position(|(label, target)| label == step.label && target == step.target);
    let Some(index) = found else {
        return Ok(None);
    };
    let parts = shortener.steps.parts(index);
    let parts = parts.filter(|parts| *parts != PartSet::default());
    Ok(parts.map(|parts| (parts, shortener.goal.at_step(&shortener.steps, index))))
}

/// What becomes of a state that changes as the trace does at a place.
fn changed_alike(trace: &Trace, place: usize, state: &[u32]) -> Vec<u32> {
    let words = trace.state(place).iter().zip(trace.state(place + 1));
    let words = words.zip(state);
    let words = words.map(|((before, after), now)| if before == after { now } else { after });
    words.copied().collect()
}

/// How often neighbours have no part in common.
fn switches(parts: &[PartSet]) -> usize {
    let neighbours = parts.windows(2);
    neighbours.filter(|pair| !pair[0].meets(&pair[1])).count()
}

/// The beginning of an order.
struct Beginning {
    /// How many steps of each part it has, which says which steps it has.
    progress: Vec<u32>,
    switches: usize,
    /// Its last step, and where in the records that is.
    last: Option<usize>,
    record: usize,
}

/// An order of the steps that has fewer switches than theirs, if one is found. Of equally good ones it is the one closest to theirs.
fn calmest(parts: &[PartSet], last_stays: bool, stop: &Stop) -> Option<Vec<usize>> {
    let most = switches(parts);
    if most == 0 {
        return None;
    }
    let lines = Lines::of(parts);
    let width = (BEGINNINGS / parts.len()).max(LEAST_WIDTH);
    // For each step of a beginning, the record of the one before it.
    let mut records: Vec<(usize, usize)> = Vec::new();
    let mut beginnings = vec![Beginning {
        progress: vec![0; lines.steps.len()],
        switches: 0,
        last: None,
        record: 0,
    }];
    for length in 0..parts.len() {
        if stop.requested().is_some() {
            return None;
        }
        let early = length + 1 < parts.len();
        let mut longer = Vec::new();
        for beginning in &beginnings {
            for step in lines.ready(&beginning.progress) {
                let is_held = last_stays && early && step + 1 == parts.len();
                let apart = |last: usize| !parts[last].meets(&parts[step]);
                let switches = beginning.switches + usize::from(beginning.last.is_some_and(apart));
                if switches < most && !is_held {
                    longer.push((switches, step, beginning));
                }
            }
        }
        longer.sort_by_key(|(switches, _, _)| *switches);
        // For all that took the same steps: how often they switch, and how they may end.
        let mut known: HashMap<Vec<u32>, (usize, Vec<usize>)> = HashMap::new();
        let mut next = Vec::new();
        for (switches, step, beginning) in longer {
            if next.len() == width {
                break;
            }
            let mut progress = beginning.progress.clone();
            for line in &lines.of_step[step] {
                progress[*line] += 1;
            }
            let entry = known.entry(progress.clone());
            let (fewest, ends) = entry.or_insert_with(|| (switches, Vec::new()));
            // Whoever switched once more cannot catch up: the others can switch now.
            if *fewest == switches && !ends.contains(&step) {
                ends.push(step);
                next.push(Beginning {
                    progress,
                    switches,
                    last: Some(step),
                    record: records.len(),
                });
                records.push((step, beginning.record));
            }
        }
        beginnings = next;
    }
    let mut record = beginnings.first()?.record;
    let mut order = vec![0; parts.len()];
    for place in order.iter_mut().rev() {
        (*place, record) = records[record];
    }
    Some(order)
}

/// The steps of each part, in their order.
struct Lines {
    steps: Vec<Vec<usize>>,
    /// For each step, the parts that take part in it, by their places in `steps`.
    of_step: Vec<Vec<usize>>,
}

impl Lines {
    fn of(parts: &[PartSet]) -> Self {
        let mut places: HashMap<usize, usize> = HashMap::new();
        let mut lines = Lines {
            steps: Vec::new(),
            of_step: Vec::with_capacity(parts.len()),
        };
        for (step, taking_part) in parts.iter().enumerate() {
            let own = taking_part.iter().map(|part| {
                let line = *places.entry(part).or_insert(lines.steps.len());
                let count = lines.steps.len().max(line + 1);
                lines.steps.resize(count, Vec::new());
                lines.steps[line].push(step);
                line
            });
            lines.of_step.push(own.collect());
        }
        lines
    }

    /// The steps that may come next, in their order: those for which it is the turn of all who take part.
    fn ready(&self, progress: &[u32]) -> Vec<usize> {
        let next = |line: usize| self.steps[line].get(progress[line] as usize).copied();
        let firsts = (0..self.steps.len()).filter_map(|line| {
            let step = next(line)?;
            let own = &self.of_step[step];
            (own[0] == line && own.iter().all(|line| next(*line) == Some(step))).then_some(step)
        });
        let mut ready: Vec<usize> = firsts.collect();
        ready.sort_unstable();
        ready
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sortie_model::Dice;
    use std::collections::HashSet;

    /// The fewest switches of all orders that exchanges of neighbours lead to, found by making them all.
    fn fewest(parts: &[PartSet], last_stays: bool) -> usize {
        let first: Vec<usize> = (0..parts.len()).collect();
        let mut seen = HashSet::from([first.clone()]);
        let mut waiting = vec![first];
        let mut best = usize::MAX;
        while let Some(order) = waiting.pop() {
            let sets: Vec<PartSet> = order.iter().map(|step| parts[*step]).collect();
            best = best.min(switches(&sets));
            for place in 0..order.len() - 1 {
                let held = last_stays && place + 2 == order.len();
                if held || sets[place].meets(&sets[place + 1]) {
                    continue;
                }
                let mut other = order.clone();
                other.swap(place, place + 1);
                if seen.insert(other.clone()) {
                    waiting.push(other);
                }
            }
        }
        best
    }

    /// Random steps of up to four parts; a third of them have two.
    fn random_parts(dice: &mut Dice, length: usize) -> Vec<PartSet> {
        let count = 2 + dice.index(3);
        let mut one = || {
            let mut set = PartSet::one(dice.index(count));
            if dice.index(3) == 0 {
                set.insert(dice.index(count));
            }
            set
        };
        (0..length).map(|_| one()).collect()
    }

    #[test]
    fn short_traces_get_the_fewest_switches_there_are() {
        let dice = &mut Dice::new(11);
        let mut better = 0;
        for round in 0..400 {
            let length = 3 + dice.index(6);
            let parts = random_parts(dice, length);
            let last_stays = round % 2 == 0;
            let before = switches(&parts);
            let after = match calmest(&parts, last_stays, &Stop::default()) {
                None => before,
                Some(order) => {
                    better += 1;
                    assert!(!last_stays || order.last() == Some(&(length - 1)));
                    let sets: Vec<PartSet> = order.iter().map(|step| parts[*step]).collect();
                    assert!(switches(&sets) < before, "round {round}: {parts:?}");
                    switches(&sets)
                }
            };
            assert_eq!(
                after,
                fewest(&parts, last_stays),
                "round {round}: {parts:?}"
            );
        }
        assert!(better > 100, "{better}");
    }

    /// Where not all orders can be looked at, the result is an order that keeps the steps of each part in place, and better.
    #[test]
    fn long_traces_get_fewer_switches() {
        let dice = &mut Dice::new(5);
        let parts = random_parts(dice, 3000);
        let order = calmest(&parts, true, &Stop::default()).expect("many can be exchanged");
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..3000));
        for part in 0..4 {
            let own = order.iter().filter(|step| parts[**step].contains(part));
            assert!(own.is_sorted());
        }
        let sets: Vec<PartSet> = order.iter().map(|step| parts[*step]).collect();
        assert!(switches(&sets) * 10 < switches(&parts) * 9);
    }
}
