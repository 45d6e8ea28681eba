//! Walking a trace or a witness again.

use sortie_model::{
    Layer, Layers, Model, ModelError, Steps, Trace, TraceStep, Witness, WitnessStep,
};
use sortie_property::{At, Goal, Property};

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
    Label {
        /// What was recorded.
        wanted: String,
        /// What is possible.
        possible: Vec<String>,
    },
    /// The recorded action is possible, but leads to another state.
    Target {
        /// What was recorded.
        label: String,
    },
    /// All steps can be taken, but the property does not show at the end.
    Property,
}

/// How a replay went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replay {
    /// Every step could be taken as recorded, and the property shows.
    Reproduced(Trace),
    /// Something is different.
    Diverged {
        /// The first difference.
        first: Divergence,
        /// A trace with the same labels that shows the property all the same, where there is one.
        by_labels: Option<Trace>,
    },
}

/// Checks that every step of a trace is a step of the model and that the property shows at its end.
pub fn check(
    model: &dyn Model,
    property: &dyn Property,
    value: Option<i64>,
    trace: &Trace,
) -> Result<Result<(), Divergence>, ModelError> {
    let diverged = |step, reason| Ok(Err(Divergence { step, reason }));
    let mut goal = Goal::new(model, property, value);
    let mut initial = Vec::new();
    model.initial(&mut initial)?;
    if initial != trace.start {
        return diverged(0, Reason::Start);
    }
    let mut shows = trace.is_empty() && goal.at_start(&initial);
    let mut steps = Steps::new(model.width());
    for (index, taken) in trace.steps.iter().enumerate() {
        steps.clear();
        model.expand(trace.state(index), &mut steps)?;
        let matching =
            |i: &usize| steps.label(*i) == taken.label && steps.target(*i) == &taken.target[..];
        let Some(found) = (0..steps.len()).find(matching) else {
            let wanted = model.label(taken.label);
            return diverged(index + 1, why_not(model, &steps, wanted));
        };
        shows = index + 1 == trace.len() && goal.at_step(&steps, found);
    }
    if !shows {
        steps.clear();
        model.expand(trace.last(), &mut steps)?;
        shows = goal.find(trace.last(), &steps) == Some(At::State);
    }
    if shows {
        Ok(Ok(()))
    } else {
        diverged(trace.len() + 1, Reason::Property)
    }
}

/// The texts and fingerprints of a trace. What the hunt was, the caller fills in.
pub fn describe(model: &dyn Model, property: &dyn Property, trace: &Trace) -> Witness {
    let step = |step: &TraceStep| WitnessStep {
        label: model.label(step.label),
        state: model.fingerprint(&step.target),
    };
    Witness {
        model: model.identity(),
        settings: Vec::new(),
        property: property.name(),
        strategy: String::new(),
        options: Vec::new(),
        seed: 0,
        raw_length: trace.len() as u64,
        value: None,
        cycle: None,
        start: model.fingerprint(&trace.start),
        steps: trace.steps.iter().map(step).collect(),
    }
}

/// Walks a witness on a model, which may have changed since.
pub fn replay(
    model: &dyn Model,
    property: &dyn Property,
    witness: &Witness,
) -> Result<Replay, ModelError> {
    match follow(model, witness, true)? {
        Ok(trace) => match check(model, property, witness.value, &trace)? {
            Ok(()) => Ok(Replay::Reproduced(trace)),
            Err(first) => Ok(Replay::Diverged {
                first,
                by_labels: None,
            }),
        },
        Err(first) => {
            let loosely = follow(model, witness, false)?.ok();
            let mut by_labels = None;
            if let Some(trace) = loosely
                && check(model, property, witness.value, &trace)?.is_ok()
            {
                by_labels = Some(trace);
            }
            Ok(Replay::Diverged { first, by_labels })
        }
    }
}

/// How many states are followed at once where labels alone do not tell which is meant.
const FOLLOWED: usize = 64;

/// Takes the recorded steps: labels and states where `states` is set, labels alone otherwise.
fn follow(
    model: &dyn Model,
    witness: &Witness,
    states: bool,
) -> Result<Result<Trace, Divergence>, ModelError> {
    let mut start = Vec::new();
    model.initial(&mut start)?;
    if states && model.fingerprint(&start) != witness.start {
        return Ok(Err(Divergence {
            step: 0,
            reason: Reason::Start,
        }));
    }
    let mut layers = Layers::new(&start);
    let mut steps = Steps::new(model.width());
    let mut prints = Vec::new();
    for (index, recorded) in witness.steps.iter().enumerate() {
        let mut next = Layer::default();
        let mut reason = None;
        for (place, state) in layers.last().states().enumerate() {
            steps.clear();
            prints.clear();
            model.expand(state, &mut steps)?;
            model.fingerprint_all(&steps, &mut prints);
            for ((label, target), &print) in steps.iter().zip(&prints) {
                let fits = !states || print == recorded.state;
                if fits && next.len() < FOLLOWED && model.label(label) == recorded.label {
                    next.add(label, target, place);
                }
            }
            reason.get_or_insert_with(|| why_not(model, &steps, recorded.label.clone()));
        }
        if next.is_empty() {
            let reason = reason.expect("every layer has a state");
            return Ok(Err(Divergence {
                step: index + 1,
                reason,
            }));
        }
        layers.push(next);
    }
    Ok(Ok(Trace {
        start,
        steps: layers.path(0),
    }))
}

fn why_not(model: &dyn Model, steps: &Steps, wanted: String) -> Reason {
    let mut possible: Vec<String> = steps
        .labels()
        .iter()
        .map(|&label| model.label(label))
        .collect();
    if possible.contains(&wanted) {
        return Reason::Target { label: wanted };
    }
    possible.sort();
    possible.dedup();
    Reason::Label { wanted, possible }
}

impl std::fmt::Display for Divergence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.reason {
            Reason::Start => write!(f, "the model begins in another state than the witness"),
            Reason::Label { wanted, possible } if possible.is_empty() => {
                write!(
                    f,
                    "step {}: {wanted} is not possible, nor is anything else",
                    self.step
                )
            }
            Reason::Label { wanted, possible } => {
                let few = possible
                    .iter()
                    .take(5)
                    .cloned()
                    .collect::<Vec<_>>()
                    .join(", ");
                let more = if possible.len() > 5 { ", …" } else { "" };
                write!(
                    f,
                    "step {}: {wanted} is not possible; possible are {few}{more}",
                    self.step
                )
            }
            Reason::Target { label } => {
                write!(
                    f,
                    "step {}: {label} is possible, but leads to another state",
                    self.step
                )
            }
            Reason::Property => write!(
                f,
                "all steps can be taken, but the property does not show at the end"
            ),
        }
    }
}
