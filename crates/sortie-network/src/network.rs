//! The product as a model.
//!
//! A global state is one local state per component. Three words are no local states: in the first place of a state, [`START`] marks the state
//! before a random choice among several initial states, and [`END`] marks the deadlock after successful termination.

use crate::join::{Joint, Output, Scratch, join};
use crate::labels::Labels;
use crate::offer::{LocalId, Processes};
use crate::operators::MultiAction;
use crate::random::Transitions;
use crate::row::Row;
use crate::tree::{ComponentId, Layer, Tree};
use sortie_model::{
    Field, Fingerprint, Fingerprinter, Identity, LabelId, Model, ModelError, Steps,
};
use std::collections::HashMap;
use std::hash::Hasher;
use std::sync::{Mutex, PoisonError};

const START: u32 = u32::MAX;
const END: u32 = u32::MAX - 1;

/// More steps than this are compared by hash.
const FEW_STEPS: usize = 24;

/// What a network is made of.
pub struct Parts<P> {
    pub processes: P,
    pub tree: Tree,
    /// The texts of the action names, by [`Name`](crate::Name).
    pub names: Vec<String>,
    /// What people call the components, by [`ComponentId`]; need not be unique.
    pub components: Vec<String>,
    /// Where each component starts.
    pub initial: Vec<LocalId>,
    pub identity: Identity,
}

/// A network of processes, ready to explore.
pub struct Network<P: Processes> {
    processes: P,
    row: Row,
    labels: Labels,
    components: Vec<String>,
    initial: Vec<LocalId>,
    identity: Identity,
    terminate: LabelId,
    pool: Mutex<Vec<Scratch>>,
}

impl<P: Processes> Network<P> {
    pub fn new(parts: Parts<P>) -> Network<P> {
        let row = Row::of(Layer::of(&parts.tree), parts.names.len());
        let mut terminate = "Terminate".to_owned();
        let mut number = 0;
        while parts.names.contains(&terminate) {
            number += 1;
            terminate = format!("Terminate{number}");
        }
        let labels = Labels::new(parts.names);
        Network {
            terminate: labels.of_text(&terminate),
            labels,
            row,
            processes: parts.processes,
            components: distinct(parts.components),
            initial: parts.initial,
            identity: parts.identity,
            pool: Mutex::default(),
        }
    }

    /// The language behind the network.
    pub fn processes(&self) -> &P {
        &self.processes
    }

    /// The names of the components, made distinct.
    pub fn components(&self) -> &[String] {
        &self.components
    }

    /// Where every component starts, if nothing is left to chance.
    fn certain_start(&self) -> Result<Option<Vec<u32>>, ModelError> {
        let mut state = Vec::with_capacity(self.initial.len());
        for &local in &self.initial {
            match self.processes.outcomes(local)? {
                [] => state.push(local.0),
                [(only, _)] => state.push(only.0),
                _ => return Ok(None),
            }
        }
        Ok(Some(state))
    }

    /// One step, the random choice of all initial local states.
    fn start(&self, found: &mut Found<'_, P>) {
        let components = (0..).map(ComponentId);
        let moves: Vec<_> = components.zip(self.initial.iter().copied()).collect();
        Output::<P::Value>::step(found, &mut MultiAction::new(), &moves);
    }
}

/// Numbers names that occur more than once.
fn distinct(mut names: Vec<String>) -> Vec<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let all = names.clone();
    for name in &mut names {
        if all.iter().filter(|other| *other == name).count() > 1 {
            let count = seen.entry(name.clone()).or_default();
            *count += 1;
            *name = format!("{name}#{count}");
        }
    }
    names
}

/// The steps of a global state as they are found; each is kept once.
struct Found<'a, P: Processes> {
    network: &'a Network<P>,
    state: &'a [u32],
    target: Vec<u32>,
    steps: &'a mut Steps,
    first: usize,
    hashed: HashMap<u64, Vec<usize>>,
    /// Only where steps can be random.
    transitions: Option<Transitions>,
}

impl<P: Processes> Found<'_, P> {
    fn failure(self) -> Result<(), ModelError> {
        self.transitions.map_or(Ok(()), Transitions::failure)
    }

    fn is_new(&mut self, label: LabelId) -> bool {
        let count = self.steps.len() - self.first;
        let same = |index: usize| {
            self.steps.label(index) == label && self.steps.target(index) == self.target
        };
        if count < FEW_STEPS {
            return !(self.first..self.steps.len()).any(same);
        }
        if self.hashed.is_empty() {
            for index in self.first..self.steps.len() {
                let hash = hash(self.steps.label(index), self.steps.target(index));
                self.hashed.entry(hash).or_default().push(index);
            }
        }
        let hash = hash(label, &self.target);
        let places = self.hashed.get(&hash);
        if places.is_some_and(|places| places.iter().any(|index| same(*index))) {
            return false;
        }
        let next = self.steps.len();
        self.hashed.entry(hash).or_default().push(next);
        true
    }
}

fn hash(label: LabelId, target: &[u32]) -> u64 {
    let mut hasher = Fingerprinter::new();
    hasher.write_u32(label.0);
    hasher.mix(Fingerprint::of_words(target).low());
    hasher.finish()
}

impl<P: Processes> Output<P::Value> for Found<'_, P> {
    fn step(&mut self, action: &mut MultiAction, moves: &[(ComponentId, LocalId)]) {
        let label = self.network.labels.of(&self.network.processes, action);
        if let Some(transitions) = &mut self.transitions {
            let processes = &self.network.processes;
            return transitions.add(processes, self.state, label, moves, self.steps);
        }
        self.target.clear();
        self.target.extend_from_slice(self.state);
        for (component, local) in moves {
            self.target[component.0 as usize] = local.0;
        }
        if self.is_new(label) {
            self.steps.push(label, &self.target);
        }
    }

    fn open(&mut self, _joint: Joint<P::Value>) {
        unreachable!("open steps are not accepted")
    }

    fn accepts_open(&self) -> bool {
        false
    }
}

impl<P: Processes> Model for Network<P> {
    fn identity(&self) -> Identity {
        self.identity.clone()
    }

    fn width(&self) -> usize {
        self.initial.len()
    }

    fn initial(&self, state: &mut Vec<u32>) -> Result<(), ModelError> {
        match self.certain_start()? {
            Some(start) => state.extend(start),
            None => state.extend(self.initial.iter().map(|_| START)),
        }
        Ok(())
    }

    fn has_random_start(&self) -> bool {
        self.processes.is_random() && matches!(self.certain_start(), Ok(None))
    }

    fn expand(&self, state: &[u32], steps: &mut Steps) -> Result<(), ModelError> {
        if state[0] == END {
            return Ok(());
        }
        let first = steps.len();
        let mut found = Found {
            network: self,
            state,
            target: Vec::with_capacity(state.len()),
            steps,
            first,
            hashed: HashMap::new(),
            transitions: self.processes.is_random().then(Transitions::default),
        };
        if state[0] == START {
            self.start(&mut found);
            return found.failure();
        }
        let terminated = |local: &u32| self.processes.is_terminated(LocalId(*local));
        if state.iter().all(terminated) {
            found.steps.push(self.terminate, &vec![END; state.len()]);
            return Ok(());
        }
        let scratch = self
            .pool
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop()
            .unwrap_or_default();
        let scratch = join(&self.processes, &self.row, state, scratch, &mut found)?;
        found.failure()?;
        self.pool
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(scratch);
        Ok(())
    }

    fn label(&self, label: LabelId) -> String {
        self.labels.text(label).to_owned()
    }

    fn fingerprint(&self, state: &[u32]) -> Fingerprint {
        let mut all = Fingerprinter::new();
        for &word in state {
            if word >= END {
                all.mix(u64::from(word));
            } else {
                let local = self.processes.fingerprint(LocalId(word));
                all.mix(local.low());
                all.mix(local.high());
            }
        }
        all.fingerprint()
    }

    fn describe(&self, state: &[u32]) -> Vec<Field> {
        match state[0] {
            START => vec![Field {
                name: "state".into(),
                value: "before the random choice of an initial state".into(),
            }],
            END => vec![Field {
                name: "state".into(),
                value: "terminated".into(),
            }],
            _ => state
                .iter()
                .zip(&self.components)
                .flat_map(|(local, component)| {
                    let fields = self.processes.describe(LocalId(*local));
                    fields.into_iter().map(move |field| Field {
                        name: if field.name.is_empty() {
                            component.clone()
                        } else {
                            format!("{component}.{}", field.name)
                        },
                        value: field.value,
                    })
                })
                .collect(),
        }
    }

    fn bytes(&self) -> u64 {
        self.processes.bytes() + self.processes.arguments().bytes() + self.labels.bytes()
    }
}
