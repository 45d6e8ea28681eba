//! Walking a trace or a witness again.

use crate::shorten::{Result, is_listed};
use crate::{Schedule, Witness, WitnessStep};
use sortie_intern::{Layer, Layers};
use sortie_model::{ByLabel, Model, Steps, Stop, Trace, TraceStep, WantedLabel};
use sortie_property::{At, CycleKind, Goal, Property};

/// Why a replay did not get to the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// The step that cannot be taken as recorded, from 1; 0 for the initial state, one more than the length for the
    /// property at the end.
    pub step: usize,
    /// What is different.
    pub reason: Reason,
}

/// What is different.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The model begins in another state.
    Start,
    /// The recorded action is not possible; these are.
    Label(String, Vec<String>),
    /// The recorded action is possible, but leads to another state.
    Target(String),
    /// All steps can be taken, but they do not lead back to where the loop begins, after so many steps.
    Open(usize),
    /// All steps can be taken, but the property does not show at the end, or on the loop.
    Property,
}

/// A trace and how it shows a property.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// The path to where the property shows; for a loop, the way there and once around.
    pub trace: Trace,
    /// The value, for an extreme.
    pub value: Option<i64>,
    /// How many steps lead to the beginning of the loop, for a loop.
    pub cycle: Option<usize>,
}

impl Shown {
    /// A trace at whose end the property shows.
    pub fn at_end(trace: Trace) -> Self {
        Shown {
            trace,
            ..Shown::default()
        }
    }

    /// The states of the loop, if there is one, in order; the beginning comes last.
    pub(crate) fn looped(&self) -> impl Iterator<Item = &[u32]> {
        let places = self.cycle.map_or(0..0, |begin| begin..self.trace.len());
        places.map(|place| self.trace.state(place + 1))
    }
}

/// How a replay went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replay {
    /// Every step could be taken as recorded, and the property shows.
    Reproduced(Shown),
    /// Something is different.
    Diverged {
        /// The first difference.
        first: Divergence,
        /// A trace with the same labels that shows the property all the same, where there is one.
        by_labels: Option<Shown>,
    },
}

/// Checks that every step of a trace is a step of the model and that the property shows at its end, or on its loop, which is walked a
/// second time.
pub fn check(
    model: &dyn Model,
    property: &dyn Property,
    shown: &Shown,
) -> Result<Result<(), Divergence>> {
    let checked = check_until(model, property, shown, &Stop::default())?;
    Ok(checked.expect("nobody asks it to stop"))
}

/// Checks like [`check`]; nothing if it is asked to stop before it knows.
pub fn check_until(
    model: &dyn Model,
    property: &dyn Property,
    shown: &Shown,
    stop: &Stop,
) -> Result<Option<Result<(), Divergence>>> {
    let diverged = |step, reason| Ok(Some(Err(Divergence { step, reason })));
    let trace = &shown.trace;
    let mut goal = Goal::new(model, property, shown.value);
    let mut initial = Vec::new();
    model.initial(&mut initial)?;
    if initial != trace.start {
        return diverged(0, Reason::Start);
    }
    let mut shows = trace.is_empty() && goal.at_start(&initial);
    let mut steps = Steps::new(model.width());
    for place in 0..trace.len() {
        if stop.requested().is_some() {
            return Ok(None);
        }
        let found = match take(model, trace, place, trace.state(place), &mut steps)? {
            Ok(found) => found,
            Err(reason) => return diverged(place + 1, reason),
        };
        shows = place + 1 == trace.len() && goal.at_step(&steps, found);
    }
    match (property.cycle(), shown.cycle) {
        (None, None) => {}
        (Some(kind), Some(begin)) if begin < trace.len() => {
            return Ok(Some(goes_round(model, kind, shown, begin)?));
        }
        _ => return diverged(trace.len() + 1, Reason::Property),
    }
    if !shows {
        steps.clear();
        // Too many steps are no deadlock.
        shows = is_listed(model.expand(trace.last(), &mut steps))?
            && goal.find(trace.last(), &steps) == Some(At::State);
    }
    match shows {
        true => Ok(Some(Ok(()))),
        false => diverged(trace.len() + 1, Reason::Property),
    }
}

/// Checks that the steps after `begin` lead back to where they begin, can be taken a second time from there, and show the property.
fn goes_round(
    model: &dyn Model,
    kind: CycleKind,
    shown: &Shown,
    begin: usize,
) -> Result<Result<(), Divergence>> {
    let trace = &shown.trace;
    let diverged = |step, reason| Ok(Err(Divergence { step, reason }));
    if trace.last() != trace.state(begin) {
        return diverged(trace.len() + 1, Reason::Open(begin));
    }
    if !kind.shows(shown.looped().map(|state| model.status(state, false))) {
        return diverged(trace.len() + 1, Reason::Property);
    }
    let mut state = trace.last().to_vec();
    let mut steps = Steps::new(model.width());
    for place in begin..trace.len() {
        match take(model, trace, place, &state, &mut steps)? {
            Ok(found) => state.copy_from_slice(steps.target(found)),
            Err(reason) => return diverged(place + 1, reason),
        }
    }
    match state == trace.last() {
        true => Ok(Ok(())),
        false => diverged(trace.len() + 1, Reason::Open(begin)),
    }
}

/// Lists the steps of `state` that may be the one at `place` of the trace, and finds it among them.
fn take(
    model: &dyn Model,
    trace: &Trace,
    place: usize,
    state: &[u32],
    steps: &mut Steps,
) -> Result<Result<usize, Reason>> {
    let taken = &trace.steps[place];
    let wanted = model.label(taken.label);
    steps.clear();
    ByLabel::new(model).expand(state, WantedLabel::Text(&wanted), steps)?;
    let matching =
        |i: &usize| steps.label(*i) == taken.label && steps.target(*i) == &taken.target[..];
    match (0..steps.len()).find(matching) {
        Some(found) => Ok(Ok(found)),
        None => Ok(Err(why_not(model, state, steps, wanted)?)),
    }
}

/// The texts and fingerprints of a trace. What the hunt was, the caller fills in.
pub fn describe(model: &dyn Model, property: &dyn Property, shown: &Shown) -> Witness {
    let step = |step: &TraceStep| WitnessStep {
        label: model.label(step.label),
        state: model.fingerprint(&step.target),
    };
    let trace = &shown.trace;
    Witness {
        raw_length: trace.len() as u64,
        value: shown.value,
        cycle: shown.cycle,
        start: model.fingerprint(&trace.start),
        steps: trace.steps.iter().map(step).collect(),
        schedule: None,
        ..Witness::of_run(model.identity(), property.name(), Schedule::default())
    }
}

/// Walks a witness on a model, which may have changed since.
pub fn replay(model: &dyn Model, property: &dyn Property, witness: &Witness) -> Result<Replay> {
    let mut by_labels = None;
    let first = match follow(model, witness, true)? {
        // Fingerprints tell states apart, so there is but one way.
        Ok(mut ways) => match check(model, property, &ways[0])? {
            Ok(()) => return Ok(Replay::Reproduced(ways.swap_remove(0))),
            Err(first) => first,
        },
        Err(first) => {
            for shown in follow(model, witness, false)?.into_iter().flatten() {
                if check(model, property, &shown)?.is_ok() {
                    by_labels = Some(shown);
                    break;
                }
            }
            first
        }
    };
    Ok(Replay::Diverged { first, by_labels })
}

/// How many states are followed at once where labels alone do not tell which is meant.
const FOLLOWED: usize = 64;

/// Takes the recorded steps: labels and states where `states` is set, labels alone otherwise. All ways to do so, or, of a loop, those that
/// close, where there are any.
fn follow(
    model: &dyn Model,
    witness: &Witness,
    states: bool,
) -> Result<Result<Vec<Shown>, Divergence>> {
    let diverged = |step, reason| Ok(Err(Divergence { step, reason }));
    let mut start = Vec::new();
    model.initial(&mut start)?;
    if states && model.fingerprint(&start) != witness.start {
        return diverged(0, Reason::Start);
    }
    let by_label = ByLabel::new(model);
    let batch = model.extensions().batch_expansion;
    let mut layers = Layers::new(&start);
    let mut steps = Steps::new(model.width());
    let mut prints = Vec::new();
    for (index, recorded) in witness.steps.iter().enumerate() {
        let mut next = Layer::default();
        for (place, state) in layers.last().states().enumerate() {
            steps.clear();
            prints.clear();
            by_label.expand(state, WantedLabel::Text(&recorded.label), &mut steps)?;
            steps.fingerprints_into(model, batch, &mut prints);
            for ((label, target), &print) in steps.iter().zip(&prints) {
                let fits = !states || print == recorded.state;
                if fits && next.len() < FOLLOWED && model.label(label) == recorded.label {
                    next.add(label, target, place);
                }
            }
        }
        if next.is_empty() {
            let state = layers.last().states().next();
            let state = state.expect("every layer has a state");
            steps.clear();
            by_label.expand(state, WantedLabel::Text(&recorded.label), &mut steps)?;
            let reason = why_not(model, state, &mut steps, recorded.label.clone())?;
            return diverged(index + 1, reason);
        }
        layers.push(next);
    }
    let way = |place: usize| Shown {
        trace: Trace {
            start: start.clone(),
            steps: layers.path(place),
        },
        value: witness.value,
        cycle: witness.cycle,
    };
    let mut ways: Vec<Shown> = (0..layers.last().len()).map(way).collect();
    if let Some(begin) = witness.cycle.filter(|begin| *begin < witness.steps.len()) {
        // A closing one is what is meant; where none closes, one says so.
        ways.sort_by_key(|shown| shown.trace.last() != shown.trace.state(begin));
    }
    Ok(Ok(ways))
}

/// Why the step with this label is not among `steps`, which are some of those of `state`.
fn why_not(model: &dyn Model, state: &[u32], steps: &mut Steps, wanted: String) -> Result<Reason> {
    let texts = |steps: &Steps| -> Vec<String> {
        let labels = steps.labels().iter();
        labels.map(|&label| model.label(label)).collect()
    };
    let mut possible = texts(steps);
    if possible.contains(&wanted) {
        return Ok(Reason::Target(wanted));
    }
    steps.clear();
    if is_listed(model.expand(state, steps))? {
        possible = texts(steps);
    }
    possible.sort();
    possible.dedup();
    Ok(Reason::Label(wanted, possible))
}

impl std::fmt::Display for Divergence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let step = self.step;
        match &self.reason {
            Reason::Start => write!(f, "the model begins in another state than the witness"),
            Reason::Label(wanted, possible) => {
                write!(f, "step {step}: {wanted} is not possible")?;
                match possible.len() {
                    0 => write!(f, ", nor is anything else"),
                    1..=5 => write!(f, "; possible are {}", possible.join(", ")),
                    _ => write!(f, "; possible are {}, …", possible[..5].join(", ")),
                }
            }
            Reason::Target(label) => write!(
                f,
                "step {step}: {label} is possible, but leads to another state"
            ),
            Reason::Open(begin) => write!(
                f,
                "all steps can be taken, but they do not lead back to the state after step {begin}"
            ),
            Reason::Property => write!(
                f,
                "all steps can be taken, but the property does not show at the end"
            ),
        }
    }
}
