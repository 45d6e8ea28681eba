//! The product as a model.
//!
//! A global state is one local state per component. Three words are no local states: in the first place of a state, [`START`] marks the state
//! before a random choice among several initial states, and [`END`] marks the deadlock after successful termination.

use crate::join::{Budget, Joint, Output, Scratch, join};
use crate::labels::Labels;
use crate::offer::{LocalId, Processes};
use crate::operators::MultiAction;
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
    /// For each component the local states it can start in: more than one after a random choice.
    pub initial: Vec<Vec<LocalId>>,
    pub identity: Identity,
    /// How many combinations of steps of the components may be tried for one state.
    pub combinations: u64,
}

/// A network of processes, ready to explore.
pub struct Network<P: Processes> {
    processes: P,
    row: Row,
    labels: Labels,
    components: Vec<String>,
    initial: Vec<Vec<LocalId>>,
    identity: Identity,
    combinations: u64,
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
            combinations: parts.combinations,
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

    fn has_start(&self) -> bool {
        self.initial.iter().any(|all| all.len() > 1)
    }

    /// Every combination of initial local states.
    fn start(&self, budget: &Budget, steps: &mut Found<'_, P>) -> Result<(), ModelError> {
        let mut moves: Vec<(ComponentId, LocalId)> = Vec::new();
        self.start_from(0, &mut moves, budget, steps)
    }

    fn start_from(
        &self,
        component: usize,
        moves: &mut Vec<(ComponentId, LocalId)>,
        budget: &Budget,
        steps: &mut Found<'_, P>,
    ) -> Result<(), ModelError> {
        budget.count()?;
        let Some(choices) = self.initial.get(component) else {
            Output::<P::Value>::step(steps, &mut MultiAction::new(), moves);
            return Ok(());
        };
        for local in choices {
            moves.push((ComponentId(component as u32), *local));
            self.start_from(component + 1, moves, budget, steps)?;
            moves.pop();
        }
        Ok(())
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
}

impl<P: Processes> Found<'_, P> {
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
        if self.has_start() {
            state.extend(self.initial.iter().map(|_| START));
        } else {
            for choices in &self.initial {
                let local = choices.first().ok_or_else(|| {
                    ModelError::new("a component has no initial state: its `dist` has no outcome")
                })?;
                state.push(local.0);
            }
        }
        Ok(())
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
        };
        let budget = Budget::new(self.combinations);
        if state[0] == START {
            return self.start(&budget, &mut found);
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
        let scratch = join(
            &self.processes,
            &self.row,
            state,
            scratch,
            &budget,
            &mut found,
        )?;
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
