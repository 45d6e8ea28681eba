//! The subsystem of some components: all that they do, whatever the others are doing.
//!
//! First the components are run on their own (`alone`), those outside as far as their actions matter. Then the product of the
//! selected ones is explored among others that can do everything at any time (`environment`).

use crate::alone::{Alone, Conditions};
use crate::behaviour::behaviour;
use crate::environment::Environment;
use crate::locals::Place;
use crate::meetings::Meetings;
use crate::network::Network;
use crate::offer::{ArgumentsId, LocalId, Name, Processes};
use crate::projection::Projection;
use crate::tree::ComponentId;
use sortie_model::{Fingerprint, LocalStates, ModelError, Selection, Subsystem};
use std::collections::{BTreeSet, HashMap};

impl<P: Processes> LocalStates for Network<P> {
    fn local_fingerprint(&self, component: usize, word: u32) -> Fingerprint {
        self.memory.locals[component].print(word)
    }

    fn subsystem(&self, selection: &Selection<'_>) -> Result<Subsystem, ModelError> {
        let selected = self.selected(selection.components)?;
        let domains = self.domains(selection.domains)?;
        let alphabets = self.alphabets();
        let meetings = Meetings::of(self.tree(), &alphabets.names);
        let conditions = Conditions {
            network: self,
            meetings: &meetings,
            domains: &domains,
            simple: &alphabets.simple,
            limit: selection.max_states,
            selection,
        };
        let behaviour = behaviour(&conditions, &selected, &alphabets.names)?;
        let environment = Environment::of(&conditions, &selected, &behaviour);
        Projection {
            network: self,
            environment: &environment,
            selected: &selected,
            may_terminate: self.others_may_terminate(&selected, &behaviour.alone),
            selection,
        }
        .explore()
    }
}

impl<P: Processes> Network<P> {
    fn selected(&self, components: &[usize]) -> Result<Vec<ComponentId>, ModelError> {
        let count = self.components().len();
        if components.is_empty() {
            return Err(ModelError::new("a subsystem needs at least one component"));
        }
        if !components.is_sorted_by(|one, other| one < other) {
            let what = "the components of a subsystem must be given once each, in ascending order";
            return Err(ModelError::new(what));
        }
        if let Some(last) = components.last().filter(|last| **last >= count) {
            let what = format!("there is no component {last}: the model has {count}, from 0");
            return Err(ModelError::new(what));
        }
        let number = |component: &usize| ComponentId(*component as u32);
        Ok(components.iter().map(number).collect())
    }

    fn domains(
        &self,
        texts: &[(String, Vec<String>)],
    ) -> Result<HashMap<Name, Vec<ArgumentsId>>, ModelError> {
        let mut domains: HashMap<Name, Vec<ArgumentsId>> = HashMap::new();
        for (action, lists) in texts {
            let name = self.named(action).ok_or_else(|| {
                let all = self.name_texts().join(", ");
                ModelError::new(format!(
                    "there is no action {action}: the actions are {all}"
                ))
            })?;
            let domain = domains.entry(name).or_default();
            for list in lists {
                domain.extend(self.processes().read_arguments(action, list)?);
            }
        }
        Ok(domains)
    }

    pub(crate) fn alphabets(&self) -> Alphabets {
        let everything: BTreeSet<Name> = (0..self.name_texts().len() as u32).map(Name).collect();
        let components = 0..self.components().len() as u32;
        let alphabet = |number| self.processes().alphabet(self.start(ComponentId(number)));
        let known: Vec<Option<BTreeSet<Vec<Name>>>> = components.map(alphabet).collect();
        let names = known.iter().map(|steps| match steps {
            Some(steps) => steps.iter().flatten().copied().collect(),
            None => everything.clone(),
        });
        let is_simple = |steps: &Option<BTreeSet<Vec<Name>>>| {
            let steps = steps.as_ref();
            steps.is_some_and(|steps| steps.iter().all(|names| names.len() < 2))
        };
        Alphabets {
            names: names.collect(),
            simple: known.iter().map(is_simple).collect(),
        }
    }

    /// Whether all components that are not selected may have terminated; those that were not run may.
    fn others_may_terminate(&self, selected: &[ComponentId], alone: &Alone) -> bool {
        let components = (0..).map(ComponentId).zip(&alone.components);
        let mut others = components.filter(|(component, _)| !selected.contains(component));
        let is_terminated = |local: LocalId| self.processes().is_terminated(local);
        others.all(|(_, lone)| {
            let mut states = lone.states.iter();
            lone.states.is_empty() || states.any(|state| is_terminated(state.local))
        })
    }

    /// The content of a place of a component.
    pub(crate) fn print_of(&self, component: ComponentId, place: Place) -> Fingerprint {
        self.memory.locals[component.0 as usize].print_of(self.processes(), place)
    }

    /// A place of a component in words.
    pub(crate) fn describe_place(&self, place: Place) -> String {
        let local = match place {
            Place::Start => return "before the random choice of an initial state".to_owned(),
            Place::End => return "terminated".to_owned(),
            Place::Local(local) => local,
        };
        let mut text = String::new();
        for field in self.processes().describe(local) {
            let separator = if text.is_empty() { "" } else { ", " };
            text.push_str(separator);
            if !field.name.is_empty() {
                text.push_str(&field.name);
                text.push_str(" = ");
            }
            text.push_str(&field.value);
        }
        text
    }
}

/// What is known about the steps of components before they are run.
pub(crate) struct Alphabets {
    /// By component.
    pub(crate) names: Vec<BTreeSet<Name>>,
    /// By component: whether each of its steps is known to have at most one action.
    pub(crate) simple: Vec<bool>,
}
