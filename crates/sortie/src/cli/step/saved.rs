//! Paths as witness files: loading one to play it, saving the way one went.

use super::explorer::{Explorer, Origin, Path, Taken};
use super::offer::listing;
use sortie_model::{Fingerprint, Layer, Layers, Model, ModelError, Witness};
use sortie_property::{Action, Property};
use sortie_witness::{Shown, describe};
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
    /// So many steps; the next one, with this label, is not possible.
    Partly(usize, String),
}

impl fmt::Display for Loaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Loaded::Whole => write!(f, "every step is possible as recorded"),
            Loaded::ByLabels => write!(
                f,
                "every action is possible, but the states are others than recorded: the model has changed"
            ),
            Loaded::Partly(steps, label) => write!(
                f,
                "followed for {steps} {}; then {label} is not possible: the model is another one",
                if *steps == 1 { "step" } else { "steps" }
            ),
        }
    }
}

impl Explorer {
    /// Makes a witness the path, as far as it can be followed. One is then at its beginning.
    pub fn load(&mut self, witness: &Witness) -> Result<Loaded, ModelError> {
        let model = &*self.model;
        let recorded = witness.steps.iter();
        let wanted = recorded.map(|step| (&step.label[..], step.state));
        let mut start = Vec::new();
        model.initial(&mut start)?;
        let mut steps = retrace(model, &start, wanted)?;
        let mut loaded = Loaded::Whole;
        if steps.len() < witness.steps.len() || model.fingerprint(&start) != witness.start {
            let (labels, complete) = by_labels(model, &start, witness)?;
            loaded = match complete {
                true => Loaded::ByLabels,
                false => {
                    let missing = &witness.steps[labels.len()].label;
                    Loaded::Partly(labels.len(), missing.clone())
                }
            };
            let wanted = labels.iter().map(|(label, print)| (&label[..], *print));
            steps = retrace(model, &start, wanted)?;
        }
        self.replace(Path {
            start,
            steps,
            origin: (loaded == Loaded::Whole).then(|| Origin {
                property: witness.property.clone(),
                value: witness.value,
                cycle: witness.cycle,
            }),
        });
        Ok(loaded)
    }

    /// The way to where one is, as a witness: of what it was loaded as, of a property that is violated here, or else of its last action.
    pub fn witness(&self) -> Result<Witness, String> {
        let here = self.here();
        let Some(last) = here.checked_sub(1) else {
            return Err("no step was taken so far: there is nothing to save".into());
        };
        let whole = here == self.path.steps.len();
        let origin = self.path.origin.as_ref().filter(|_| whole);
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
    let mut steps = listing(model);
    let mut path: Vec<Taken> = Vec::new();
    for (label, print) in wanted {
        let state = path.last().map_or(start, |taken| &taken.target[..]);
        steps.clear();
        model.expand_labelled(state, label, &mut steps)?;
        let fits = |&index: &usize| {
            model.fingerprint(steps.target(index)) == print
                && model.label(steps.label(index)) == label
        };
        let Some(found) = (0..steps.len()).find(fits) else {
            break;
        };
        path.push(Taken {
            label: steps.label(found),
            target: steps.target(found).to_vec(),
            parts: steps.parts(found),
        });
    }
    Ok(path)
}

/// Labels and fingerprints of a path with the labels of a witness, as long as there is one, and whether it is all of it.
fn by_labels(
    model: &dyn Model,
    start: &[u32],
    witness: &Witness,
) -> Result<(Vec<(String, Fingerprint)>, bool), ModelError> {
    let mut layers = Layers::new(start);
    let mut steps = listing(model);
    let mut complete = true;
    for recorded in &witness.steps {
        let mut next = Layer::default();
        for (place, state) in layers.last().states().enumerate() {
            steps.clear();
            model.expand_labelled(state, &recorded.label, &mut steps)?;
            for (label, target) in steps.iter() {
                if next.len() < FOLLOWED && model.label(label) == recorded.label {
                    next.add(label, target, place);
                }
            }
        }
        if next.is_empty() {
            complete = false;
            break;
        }
        layers.push(next);
    }
    let steps = layers.path(0).into_iter();
    let steps = steps.map(|step| (model.label(step.label), model.fingerprint(&step.target)));
    Ok((steps.collect(), complete))
}
