//! The states of some components of a network, with all changes of them.

use crate::environment::Environment;
use crate::locals::Place;
use crate::network::Network;
use crate::offer::{LocalId, Processes};
use crate::tree::ComponentId;
use sortie_model::{
    Fingerprint, Model as _, ModelError, Selection, Steps, Subsystem, SubsystemState, SubsystemStep,
};
use std::collections::HashMap;

/// Texts of steps are cut where they are longer.
const MAX_TEXT: usize = 100;

/// What is explored.
pub(crate) struct Projection<'a, P: Processes> {
    pub(crate) network: &'a Network<P>,
    pub(crate) environment: &'a Network<Environment<'a, P>>,
    pub(crate) selected: &'a [ComponentId],
    /// Whether the others may have terminated.
    pub(crate) may_terminate: bool,
    pub(crate) selection: &'a Selection<'a>,
}

/// Where the selected components are.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Spot {
    /// Before the random choice among several initial states.
    Start,
    /// A state of the environment.
    At(Vec<u32>),
    /// After all components terminated.
    End,
}

/// A change that was found.
struct Change {
    text: String,
    print: Fingerprint,
    target: Spot,
}

impl<P: Processes> Projection<'_, P> {
    /// Breadth-first. Nothing depends on numbers that were handed out: changes are ordered by their texts and the content of their targets.
    pub(crate) fn explore(&self) -> Result<Subsystem, ModelError> {
        let mut spots = vec![self.start()?];
        let mut numbers = HashMap::from([(spots[0].clone(), 0)]);
        let mut states = Vec::new();
        while let Some(spot) = spots.get(states.len()) {
            self.selection.check()?;
            let print = self.print(spot);
            let text = self.describe(spot);
            let mut changes = self.changes(spot)?;
            changes.sort_unstable_by(|one, other| {
                let key = |change: &Change| (change.text.chars().count(), change.print);
                key(one)
                    .cmp(&key(other))
                    .then_with(|| one.text.cmp(&other.text))
            });
            let mut steps: Vec<SubsystemStep> = Vec::new();
            for Change { text, target, .. } in changes {
                let next = spots.len();
                let number = *numbers.entry(target.clone()).or_insert(next);
                if number == next {
                    if next >= self.selection.max_states {
                        return Err(ModelError::new(format!(
                            "the subsystem has more than {} states; choose fewer or other components",
                            self.selection.max_states
                        )));
                    }
                    spots.push(target);
                }
                steps.push(SubsystemStep {
                    target: number,
                    text,
                });
            }
            // The shortest text comes first and stays.
            steps.sort_by_key(|step| step.target);
            steps.dedup_by_key(|step| step.target);
            states.push(SubsystemState { print, text, steps });
        }
        Ok(Subsystem { states })
    }

    fn start(&self) -> Result<Spot, ModelError> {
        if self.network.has_random_start() {
            return Ok(Spot::Start);
        }
        let mut state = Vec::new();
        self.environment.initial(&mut state)?;
        Ok(Spot::At(state))
    }

    fn changes(&self, spot: &Spot) -> Result<Vec<Change>, ModelError> {
        let state = match spot {
            Spot::Start => return self.beginnings(),
            Spot::At(state) => state,
            Spot::End => return Ok(Vec::new()),
        };
        let mut changes = Vec::new();
        let mut steps = Steps::new(state.len());
        self.environment.expand(state, &mut steps)?;
        for (label, target) in steps.iter().filter(|(_, target)| *target != state) {
            let moved = |component: &&ComponentId| {
                let place = component.0 as usize;
                target[place] != state[place]
            };
            let moved: Vec<ComponentId> = self.selected.iter().filter(moved).copied().collect();
            let names = moved.iter().map(|component| self.title(*component));
            let names: Vec<&str> = names.collect();
            let label = self.environment.label(label);
            let places = moved.iter().map(|component| {
                let place = self.place(target, *component);
                self.network.describe_place(place)
            });
            let places: Vec<String> = places.collect();
            let text = format!("{}: {label} -> {}", names.join(", "), places.join("; "));
            changes.push(self.change(shortened(text), Spot::At(target.to_vec())));
        }
        if self.may_terminate && self.is_terminated(state) {
            let text = self.network.terminate_text().to_owned();
            changes.push(self.change(text, Spot::End));
        }
        Ok(changes)
    }

    fn change(&self, text: String, target: Spot) -> Change {
        Change {
            text,
            print: self.print(&target),
            target,
        }
    }

    /// The outcomes of the random choice of initial states.
    fn beginnings(&self) -> Result<Vec<Change>, ModelError> {
        let mut state = Vec::new();
        self.environment.initial(&mut state)?;
        let mut all = vec![state];
        for component in self.selected {
            let start = self.network.start(*component);
            let outcomes = self.network.memory.outcomes(start)?.len().max(1);
            let first = self.environment.start(*component).0;
            let words = (0..outcomes as u32).map(|outcome| {
                let local = LocalId(first + outcome);
                self.environment.memory.word(*component, local)
            });
            let words: Vec<u32> = words.collect();
            if all.len().saturating_mul(words.len()) > self.selection.max_states {
                return Err(ModelError::new(format!(
                    "the subsystem has more than {} states; choose fewer components",
                    self.selection.max_states
                )));
            }
            let with = |state: &Vec<u32>, word: u32| {
                let mut state = state.clone();
                state[component.0 as usize] = word;
                state
            };
            let longer = all
                .iter()
                .flat_map(|state| words.iter().map(move |word| with(state, *word)));
            all = longer.collect();
        }
        let change = |state| self.change("tau".to_owned(), Spot::At(state));
        Ok(all.into_iter().map(change).collect())
    }

    fn title(&self, component: ComponentId) -> &str {
        &self.network.components()[component.0 as usize]
    }

    /// The place of the network where a selected component is.
    fn place(&self, state: &[u32], component: ComponentId) -> Place {
        let local = self.environment.local(state, component);
        let original = local.and_then(|local| self.environment.processes().original(local));
        Place::Local(original.expect("the local states of selected components stand for others"))
    }

    fn is_terminated(&self, state: &[u32]) -> bool {
        let mut places = self
            .selected
            .iter()
            .map(|component| self.place(state, *component));
        places.all(|place| {
            matches!(place, Place::Local(local) if self.network.processes().is_terminated(local))
        })
    }

    fn places<'s>(&'s self, spot: &'s Spot) -> impl Iterator<Item = (ComponentId, Place)> + 's {
        self.selected.iter().map(move |component| {
            let place = match spot {
                Spot::Start => Place::Start,
                Spot::At(state) => self.place(state, *component),
                Spot::End => Place::End,
            };
            (*component, place)
        })
    }

    /// The same fingerprint as from `LocalStates::project`.
    fn print(&self, spot: &Spot) -> Fingerprint {
        let prints = self.places(spot);
        let prints = prints.map(|(component, place)| self.network.print_of(component, place));
        prints.fold(Fingerprint::of_words(&[]), Fingerprint::and)
    }

    fn describe(&self, spot: &Spot) -> String {
        let texts = self.places(spot).map(|(component, place)| {
            let place = self.network.describe_place(place);
            format!("{}: {place}", self.title(component))
        });
        texts.collect::<Vec<_>>().join("; ")
    }
}

fn shortened(text: String) -> String {
    match text.char_indices().nth(MAX_TEXT - 1) {
        Some((end, _)) if text.chars().count() > MAX_TEXT => format!("{}…", &text[..end]),
        _ => text,
    }
}
