//! The subsystem of some components: all that they do, whatever the others are doing.
//!
//! First the components are run on their own (`alone`), those outside as far as their actions matter. Then the product of the
//! selected ones is explored among others that can do everything at any time (`environment`).

use crate::alone::{Alone, Conditions, Obstacle, Offered, run};
use crate::environment::Environment;
use crate::locals::Place;
use crate::meetings::{Meetings, Pair};
use crate::network::Network;
use crate::offer::{ArgumentsId, LocalId, Name, Processes};
use crate::projection::Projection;
use crate::tree::ComponentId;
use sortie_model::{Composed, Fingerprint, ModelError, Selection, Subsystem};
use std::collections::{BTreeSet, HashMap};

impl<P: Processes> Composed for Network<P> {
    fn components(&self) -> Vec<String> {
        self.components().to_vec()
    }

    fn local_fingerprint(&self, component: usize, word: u32) -> Fingerprint {
        self.memory.locals[component].print(word)
    }

    fn describe_local(&self, component: usize, word: u32) -> String {
        self.describe_place(self.memory.locals[component].place(word))
    }

    fn subsystem(&self, selection: &Selection<'_>) -> Result<Subsystem, ModelError> {
        let selected = self.selected(selection.components)?;
        let domains = self.domains(selection.domains)?;
        let alphabets = self.alphabets();
        let meetings = Meetings::of(self.tree(), &alphabets);
        let conditions = Conditions {
            network: self,
            meetings: &meetings,
            domains: &domains,
            limit: selection.max_states,
        };
        let (alone, relevant) = self.behaviour(&conditions, &selected, &alphabets)?;
        let environment = Environment::of(self, &selected, &alone, &relevant);
        Projection {
            network: self,
            environment: &environment,
            selected: &selected,
            may_terminate: self.others_may_terminate(&selected, &alone),
            limit: selection.max_states,
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

    fn alphabets(&self) -> Vec<BTreeSet<Name>> {
        let everything = || (0..self.name_texts().len() as u32).map(Name).collect();
        let components = 0..self.components().len() as u32;
        let alphabet = |number| self.processes().alphabet(self.start(ComponentId(number)));
        components
            .map(|number| alphabet(number).unwrap_or_else(everything))
            .collect()
    }

    /// Runs the selected components and those that they need, and tells which actions of others matter.
    fn behaviour(
        &self,
        conditions: &Conditions<'_, P>,
        selected: &[ComponentId],
        alphabets: &[BTreeSet<Name>],
    ) -> Result<(Alone, BTreeSet<Pair>), ModelError> {
        let mut offered = Offered::<P>::new();
        let meetings = conditions.meetings;
        let own = selected.iter().flat_map(|component| {
            let names = alphabets[component.0 as usize].iter();
            names.map(|name| (*component, *name))
        });
        let companions = meetings.companions(&mut own.collect());
        let companions = companions.iter().map(|(component, _)| *component);
        let mut running: BTreeSet<ComponentId> = companions.chain(selected.to_vec()).collect();
        loop {
            let before = running.len();
            let found = run(conditions, &running, &mut offered);
            let all = 0..self.components().len() as u32;
            let alone = match found {
                Ok(alone) => alone,
                // Those that were not run might have kept a component from going so far.
                Err(Obstacle::States(..) | Obstacle::Values(_)) if before < all.len() => {
                    running.extend(all.map(ComponentId));
                    continue;
                }
                Err(obstacle) => return Err(self.refusal(obstacle, conditions.limit)),
            };
            let relevant = relevant(meetings, selected, &alone);
            running.extend(&alone.wanted);
            running.extend(relevant.iter().map(|(component, _)| *component));
            if running.len() == before {
                return Ok((alone, relevant));
            }
        }
    }

    fn refusal(&self, obstacle: Obstacle, limit: usize) -> ModelError {
        let title = |component: ComponentId| &self.components()[component.0 as usize];
        let help = |name: Name| {
            let name = self.name(name);
            format!(
                "give the values that matter with `--domain {name}=value;value`, or choose other components"
            )
        };
        ModelError::new(match obstacle {
            Obstacle::Failure(error) => return error,
            Obstacle::States(component, Some(name)) => format!(
                "the component {} has more than {limit} local states when it runs on its own with all that it may receive with {}; {}",
                title(component),
                self.name(name),
                help(name),
            ),
            Obstacle::States(component, None) => format!(
                "the component {} has more than {limit} local states when it runs on its own; choose other components, or bound its values",
                title(component),
            ),
            Obstacle::Values((component, name)) => format!(
                "the component {} offers {} with more than {limit} values when it runs on its own; {}",
                title(component),
                self.name(name),
                help(name),
            ),
            Obstacle::Unbounded((component, name), error) => format!(
                "nobody says with which values the component {} does {} ({error}); {}",
                title(component),
                self.name(name),
                help(name),
            ),
        })
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

/// Actions that can be part of a step in which a selected component does something.
fn relevant(meetings: &Meetings, selected: &[ComponentId], alone: &Alone) -> BTreeSet<Pair> {
    let happening = |component: ComponentId| {
        let states = alone.components[component.0 as usize].states.iter();
        let steps = states.flat_map(|state| &state.steps);
        steps.filter(|step| !step.targets.is_empty())
    };
    let pairs = |component: ComponentId| {
        let actions = happening(component).flat_map(|step| &step.actions);
        actions.map(move |(name, _)| (component, *name))
    };
    let mut actions: BTreeSet<Pair> = selected.iter().copied().flat_map(pairs).collect();
    loop {
        let relevant = meetings.companions(&mut actions);
        let before = actions.len();
        for component in (0..alone.components.len() as u32).map(ComponentId) {
            for step in happening(component).filter(|step| step.actions.len() > 1) {
                let pairs = step.actions.iter().map(|(name, _)| (component, *name));
                if pairs.clone().any(|pair| relevant.contains(&pair)) {
                    actions.extend(pairs);
                }
            }
        }
        if actions.len() == before {
            return relevant;
        }
    }
}
