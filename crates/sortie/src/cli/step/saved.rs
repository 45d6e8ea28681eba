//! Paths as witness files: loading one to play it, saving the way one went.

use super::explorer::{Explorer, Origin, Path, Taken};
use super::offer::listing;
use super::steps;
use sortie_formula::temporal::{END, WHATEVER};
use sortie_intern::{Layer, Layers};
use sortie_model::{ByLabel, Fingerprint, Model, ModelError, WantedLabel};
use sortie_property::{Action, LTL, Property, PropertyKind};
use sortie_witness::{Shown, Witness, WitnessStep, describe};
use std::fmt;

/// So many states are followed at once where labels alone do not tell which is meant.
const FOLLOWED: usize = 64;

/// How well a witness could be followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Loaded {
    /// Every step as recorded.
    Whole,
    /// Every label, but through other states.
    ByLabels,
    /// Every label; the states recorded are those of the model and of an automaton that watches it.
    Watched,
    /// So many steps; the next one, with this label, is not possible.
    Partly(usize, String),
}

impl fmt::Display for Loaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Loaded::Whole => f.write_str("every step is possible as recorded"),
            Loaded::ByLabels => f.write_str(
                "every action is possible, but the states are others than recorded: the model has changed",
            ),
            Loaded::Watched => {
                f.write_str("every action is possible; how far the formula has come is not shown")
            }
            Loaded::Partly(count, label) => {
                let steps = steps(*count);
                let end = "is not possible: the model is another one";
                write!(f, "followed for {steps}; then {label} {end}")
            }
        }
    }
}

impl Explorer {
    /// Makes a witness the path, as far as it can be followed. One is then at its beginning.
    pub fn load(&mut self, witness: &Witness) -> Result<Loaded, ModelError> {
        let model = &*self.model;
        let mut start = Vec::new();
        model.initial(&mut start)?;
        let is_watched = *PropertyKind::parse(&witness.property).row == *LTL;
        let recorded = match is_watched {
            true => without_ending(&witness.steps),
            false => &witness.steps,
        };
        let wanted = recorded.iter().map(|step| (&step.label[..], step.state));
        let begins = model.fingerprint(&start) == witness.start;
        let mut loaded = Loaded::Whole;
        let mut steps = match begins {
            true => retrace(model, &start, wanted)?,
            false => Vec::new(),
        };
        if !begins || steps.len() < recorded.len() {
            let labels = by_labels(model, &start, recorded)?;
            loaded = match recorded.get(labels.len()) {
                Some(missing) => Loaded::Partly(labels.len(), missing.label.clone()),
                None if is_watched => Loaded::Watched,
                None => Loaded::ByLabels,
            };
            let wanted = labels.iter().map(|(label, print)| (&label[..], *print));
            steps = retrace(model, &start, wanted)?;
        }
        let whole = steps.len() == recorded.len();
        let mut path = Path {
            start,
            steps,
            origin: None,
        };
        let last = path.steps.len();
        let closes = |begin: &usize| *begin < last && path.state(*begin) == path.state(last);
        let cycle = witness.cycle.filter(closes);
        path.origin = whole.then(|| Origin {
            property: witness.property.clone(),
            value: witness.value,
            cycle,
            recorded: loaded == Loaded::Whole,
        });
        self.replace(path);
        Ok(loaded)
    }

    /// The way to where one is, as a witness: of what it was loaded as, of a property that is violated here, or else of its last action.
    pub fn witness(&self) -> Result<Witness, String> {
        let here = self.here();
        let Some(last) = here.checked_sub(1) else {
            return Err("no step was taken so far: there is nothing to save".into());
        };
        let whole = here == self.path.steps.len();
        let origin = self.path.origin.as_ref();
        let origin = origin.filter(|origin| whole && origin.recorded);
        let text = self.model.label(self.path.steps[last].label);
        let action = Action::regex(&format!("^{}$", escaped(&text)))
            .map_err(|error| format!("the path cannot be saved: {error}"))?;
        let shown = Shown {
            trace: self.path.trace(here),
            value: origin.and_then(|origin| origin.value),
            cycle: origin.and_then(|origin| origin.cycle),
        };
        let described = describe(&*self.model, &action, &shown);
        let property = match (origin, self.violated().first()) {
            (Some(origin), _) => origin.property.clone(),
            (None, Some(violated)) => violated.clone(),
            (None, None) => action.name(),
        };
        Ok(Witness {
            settings: self.settings.clone(),
            property,
            strategy: "step".into(),
            seed: self.seed,
            ..described
        })
    }
}

/// A regular expression that fits this text alone.
fn escaped(text: &str) -> String {
    let mut pattern = String::new();
    for letter in text.chars() {
        if r"\.+*?()|[]{}^$#&-~".contains(letter) {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern
}

/// Takes steps with these labels to states with these fingerprints, as far as that is possible.
fn retrace<'a>(
    model: &dyn Model,
    start: &[u32],
    wanted: impl Iterator<Item = (&'a str, Fingerprint)>,
) -> Result<Vec<Taken>, ModelError> {
    let by_label = ByLabel::new(model);
    let mut steps = listing(model);
    let mut path: Vec<Taken> = Vec::new();
    for (label, print) in wanted {
        let state = path.last().map_or(start, |taken| &taken.target[..]);
        steps.clear();
        by_label.expand(state, WantedLabel::Text(label), &mut steps)?;
        let fits = |&index: &usize| {
            model.fingerprint(steps.target(index)) == print
                && model.label(steps.label(index)) == label
        };
        let Some(found) = (0..steps.len()).find(fits) else {
            break;
        };
        path.push(Taken::of(&steps, found));
    }
    Ok(path)
}

/// The steps of a witness of a formula that are steps of the model: where a path ends, or nothing matters any more, the automaton goes on alone.
fn without_ending(steps: &[WitnessStep]) -> &[WitnessStep] {
    let own = |step: &WitnessStep| step.label != END && step.label != WHATEVER;
    let length = steps.iter().rposition(own).map_or(0, |last| last + 1);
    &steps[..length]
}

/// Labels and fingerprints of a path with these labels, for as many of them as there is one.
fn by_labels(
    model: &dyn Model,
    start: &[u32],
    recorded: &[WitnessStep],
) -> Result<Vec<(String, Fingerprint)>, ModelError> {
    let mut layers = Layers::new(start);
    let by_label = ByLabel::new(model);
    let mut steps = listing(model);
    for recorded in recorded {
        let mut next = Layer::default();
        for (place, state) in layers.last().states().enumerate() {
            steps.clear();
            by_label.expand(state, WantedLabel::Text(&recorded.label), &mut steps)?;
            for (label, target) in steps.iter() {
                if next.len() < FOLLOWED && model.label(label) == recorded.label {
                    next.add(label, target, place);
                }
            }
        }
        if next.is_empty() {
            break;
        }
        layers.push(next);
    }
    let steps = layers.path(0).into_iter();
    let steps = steps.map(|step| (model.label(step.label), model.fingerprint(&step.target)));
    Ok(steps.collect())
}
