//! The product as a model.

use crate::channel::{Channel, Channels};
use crate::emission::{Emission, wants_parts};
use crate::labels::Labels;
use crate::locals::Place;
use crate::memory::{Memory, OpenOffer};
use crate::multiway::Listed;
use crate::offer::{Arguments, ArgumentsId, Closed, LocalId, Name, Processes};
use crate::part::Known;
use crate::partners::Partners;
use crate::pool::{Lease, Pool, Tally};
use crate::product::{Scratch, expand};
use crate::random::{Transitions, outcomes};
use crate::ready::{Move, Sent};
use crate::row::{Encounters, Row};
use crate::stroll::Stroller;
use crate::trails::Trails;
use crate::tree::{ComponentId, Layer, Tree};
use sortie_intern::Register;
use sortie_model::{
    BatchExpansion, Expander, Extensions, Field, Fingerprint, Identity, LabelId, Lookout, Model,
    ModelError, PartSet, Steps, Stroll, Traits, WalkEngines,
};
use std::collections::HashMap;
use std::sync::Mutex;

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
    /// How many combinations of steps of the components may be tried for one state.
    pub combinations: u64,
}

/// A network of processes, ready to explore.
///
/// A global state is one word per component, the number of a local state, or of the place before or after all of them.
pub struct Network<P: Processes> {
    pub(crate) memory: Memory<P>,
    pub(crate) row: Row,
    pub(crate) encounters: Encounters,
    pub(crate) channels: Channels,
    pub(crate) labels: Labels,
    /// What is known of the parts of the outermost row.
    pub(crate) parts: Vec<Known<P>>,
    /// Steps of more than two parts by plan and states of the parts. Known to all threads: finding them out takes far longer than finding them.
    pub(crate) joined: Register<Listed>,
    /// By component.
    part_of: Vec<usize>,
    pub(crate) tau: LabelId,
    terminate: LabelId,
    tree: Tree,
    components: Vec<String>,
    initial: Vec<LocalId>,
    identity: Identity,
    pool: Pool<Scratch<P>>,
    /// What was learnt on strolls that are over.
    pub(crate) trails: Mutex<Vec<Trails<P>>>,
    pub(crate) partners: Partners<P>,
    /// Memory of caches.
    bytes: Tally,
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
        let known: Vec<Known<P>> = row.parts.iter().map(Known::new).collect();
        Network {
            tree: parts.tree,
            terminate: labels.of_text(&terminate),
            tau: labels.of(&parts.processes, &mut []),
            labels,
            memory: Memory::new(parts.processes, parts.initial.len(), parts.combinations),
            encounters: Encounters::new(row.plans.as_deref().unwrap_or(&[]), row.demand.free.len()),
            channels: Channels::default(),
            part_of: owners(&known, parts.initial.len()),
            parts: known,
            joined: Register::new(),
            row,
            components: distinct(parts.components),
            partners: Partners::new(parts.initial.len()),
            initial: parts.initial,
            identity: parts.identity,
            pool: Pool::default(),
            trails: Mutex::default(),
            bytes: Tally::default(),
        }
    }

    /// The language behind the network.
    pub fn processes(&self) -> &P {
        &self.memory.processes
    }

    /// The names of the components, made distinct.
    pub fn components(&self) -> &[String] {
        &self.components
    }

    /// How many action names there are.
    pub(crate) fn names(&self) -> usize {
        self.row.demand.free.len()
    }

    /// Where a component starts, possibly a random choice.
    pub(crate) fn start(&self, component: ComponentId) -> LocalId {
        self.initial[component.0 as usize]
    }

    /// The text of the step after all components terminated.
    pub(crate) fn terminate_text(&self) -> &str {
        self.labels.text(self.terminate)
    }

    /// The texts of all action names.
    pub(crate) fn name_texts(&self) -> &[String] {
        self.labels.names()
    }

    /// The part of the outermost row that a component belongs to.
    pub(crate) fn part_of(&self, component: u32) -> usize {
        self.part_of[component as usize]
    }

    /// Counts memory of a cache.
    pub(crate) fn count(&self, bytes: u64) {
        self.bytes.add(bytes);
    }

    /// The channel of an offer to meet.
    #[inline]
    pub(crate) fn channel(&self, sent: &Sent) -> &Channel {
        self.channels
            .of(sent, &self.memory.processes, &self.encounters)
    }

    /// Where the steps of an open offer of one action lead that receive these arguments. With `remember` they are not closed again.
    pub(crate) fn received(
        &self,
        open: &OpenOffer<P>,
        arguments: ArgumentsId,
        remember: bool,
    ) -> Result<Vec<LocalId>, ModelError> {
        let Some(received) = self.unknown_in(open, arguments) else {
            return Ok(Vec::new());
        };
        let targets = |all: &[Closed]| {
            let fitting = all.iter().filter(|closed| closed.arguments[0] == arguments);
            fitting.map(|closed| closed.target).collect()
        };
        Ok(match remember {
            true => targets(self.memory.close(open, &received)?),
            false => targets(&self.memory.close_anew(open, &received)?),
        })
    }

    /// How many steps these are, found without working out where they lead.
    pub(crate) fn accepts(
        &self,
        open: &OpenOffer<P>,
        arguments: ArgumentsId,
    ) -> Result<usize, ModelError> {
        let Some(received) = self.unknown_in(open, arguments) else {
            return Ok(0);
        };
        let lists = self.memory.accepts(open, &received)?;
        let fitting = lists.iter().filter(|list| list[0] == arguments);
        Ok(fitting.count())
    }

    /// The values that an open offer of one action does not know, if the others are those of the arguments.
    fn unknown_in(
        &self,
        open: &OpenOffer<P>,
        arguments: ArgumentsId,
    ) -> Option<Vec<Option<P::Value>>> {
        let values = self.memory.processes.arguments().get(arguments.0);
        let mut received = Vec::new();
        match &open.offers[open.offer].actions[0].arguments {
            Arguments::Known(own) if *own != arguments => return None,
            Arguments::Known(_) => {}
            Arguments::Open(pattern) => {
                if pattern.len() != values.len() {
                    return None;
                }
                for (own, value) in pattern.iter().zip(values) {
                    match own {
                        None => received.push(Some(*value)),
                        Some(own) if own != value => return None,
                        Some(_) => {}
                    }
                }
            }
        }
        Some(received)
    }

    /// The step after all components terminated.
    pub(crate) fn terminate(&self, state: &[u32], emission: &mut Emission<'_>) {
        let places = self.memory.locals.iter().zip(state);
        let terminated = places.map(|(locals, word)| locals.place(*word)).all(|place| {
            matches!(place, Place::Local(local) if self.memory.processes.is_terminated(local))
        });
        if terminated {
            let end = (0..).map(ComponentId).zip(self.everywhere(Place::End));
            let moves: Vec<Move> = end
                .map(|(component, word)| self.memory.go_to(component, state, word))
                .collect();
            emission.emit(self.terminate, &moves);
        }
    }

    /// The state in which all components are at the same place.
    fn everywhere(&self, place: Place) -> Vec<u32> {
        let locals = self.memory.locals.iter();
        locals
            .map(|locals| locals.word(&self.memory.processes, place))
            .collect()
    }

    /// The network as it is written.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The text of an action name.
    pub fn name(&self, name: Name) -> &str {
        &self.labels.names()[name.0 as usize]
    }

    /// The action name with this text.
    pub fn named(&self, text: &str) -> Option<Name> {
        let place = self.labels.names().iter().position(|name| name == text)?;
        Some(Name(place as u32))
    }

    /// The actions that happen at once under a label, none of them for an internal step; `None` for labels that are not actions of the processes.
    pub fn actions(&self, label: LabelId) -> Option<Box<[(Name, ArgumentsId)]>> {
        self.labels.meaning(label)
    }

    /// Whether this is the state before the random choice of an initial state.
    pub fn is_start(&self, state: &[u32]) -> bool {
        self.memory.locals[0].place(state[0]) == Place::Start
    }

    /// The local state of a component; none before the start and after the end.
    pub fn local(&self, state: &[u32], component: ComponentId) -> Option<LocalId> {
        self.memory.local(component, state)
    }

    /// Where the components start, with random choices still open.
    fn undecided_start(&self) -> Vec<u32> {
        let components = (0..).map(ComponentId);
        components
            .zip(&self.initial)
            .map(|(component, local)| self.memory.word(component, *local))
            .collect()
    }

    fn expand_at_random(&self, state: &[u32], steps: &mut Steps) -> Result<(), ModelError> {
        let mut transitions = Transitions::default();
        if self.is_start(state) {
            let target = self.undecided_start();
            let all = || PartSet::first(self.initial.len());
            let parts = wants_parts(steps, state).then(all);
            return transitions.add(&self.memory, (self.tau, &target), parts, steps);
        }
        let mut undecided = Steps::new(state.len());
        undecided.want_parts(wants_parts(steps, state));
        self.expand_undecided(state, &mut undecided)?;
        for (number, step) in undecided.iter().enumerate() {
            transitions.add(&self.memory, step, undecided.parts(number), steps)?;
        }
        Ok(())
    }

    /// The steps of a state, to states in which random choices may be open.
    fn expand_undecided(&self, state: &[u32], steps: &mut Steps) -> Result<(), ModelError> {
        self.pool.with(
            || Scratch::new(self),
            |scratch| expand(self, scratch, state, steps),
        )
    }
}

/// The part that each component belongs to.
fn owners<P: Processes>(parts: &[Known<P>], components: usize) -> Vec<usize> {
    let mut owners = vec![0; components];
    for (part, known) in parts.iter().enumerate() {
        for component in known.components() {
            owners[component.0 as usize] = part;
        }
    }
    owners
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

/// One thread that lists the steps of many states.
struct Expanding<'a, P: Processes> {
    network: &'a Network<P>,
    scratch: Lease<'a, Scratch<P>>,
}

impl<P: Processes> Expander for Expanding<'_, P> {
    #[inline]
    fn expand(&mut self, state: &[u32], steps: &mut Steps) -> Result<(), ModelError> {
        expand(self.network, &mut self.scratch, state, steps)
    }
}

impl<P: Processes> Network<P> {
    /// Whether the initial state only stands for a random choice of where to begin.
    pub(crate) fn has_random_start(&self) -> bool {
        let mut start = Vec::new();
        self.initial(&mut start).is_ok() && self.is_start(&start)
    }
}

impl<P: Processes> Model for Network<P> {
    fn identity(&self) -> Identity {
        self.identity.clone().with(Traits {
            random_start: self.has_random_start(),
            ..Traits::default()
        })
    }

    fn width(&self) -> usize {
        self.initial.len()
    }

    fn initial(&self, state: &mut Vec<u32>) -> Result<(), ModelError> {
        let start = self.undecided_start();
        match &outcomes(&self.memory, &start)?[..] {
            [(only, _)] => state.extend(only),
            _ => state.extend(self.everywhere(Place::Start)),
        }
        Ok(())
    }

    fn expand(&self, state: &[u32], steps: &mut Steps) -> Result<(), ModelError> {
        if self.memory.processes.is_random() {
            self.expand_at_random(state, steps)
        } else {
            self.expand_undecided(state, steps)
        }
    }

    fn label(&self, label: LabelId) -> String {
        self.labels.text(label).to_owned()
    }

    fn fingerprint(&self, state: &[u32]) -> Fingerprint {
        self.pool.with(
            || Scratch::new(self),
            |scratch| scratch.fingerprint(self, state),
        )
    }

    fn describe(&self, state: &[u32]) -> Vec<Field> {
        let only = |value: &str| {
            vec![Field {
                name: "state".into(),
                value: value.into(),
            }]
        };
        let mut fields = Vec::new();
        for ((locals, word), component) in
            self.memory.locals.iter().zip(state).zip(&self.components)
        {
            let local = match locals.place(*word) {
                Place::Start => return only("before the random choice of an initial state"),
                Place::End => return only("terminated"),
                Place::Local(local) => local,
            };
            for field in self.memory.processes.describe(local) {
                fields.push(Field {
                    name: if field.name.is_empty() {
                        component.clone()
                    } else {
                        format!("{component}.{}", field.name)
                    },
                    value: field.value,
                });
            }
        }
        fields
    }

    fn bytes(&self) -> u64 {
        let caches = self.joined.bytes() + self.bytes.sum();
        self.memory.bytes() + self.labels.bytes() + self.channels.bytes() + caches
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions {
            components: Some(self),
            batch_expansion: Some(self),
            walk_engines: Some(self),
            ..Extensions::default()
        }
    }
}

impl<P: Processes> BatchExpansion for Network<P> {
    fn expander(&self) -> Option<Box<dyn Expander + '_>> {
        if self.memory.processes.is_random() {
            return None;
        }
        Some(Box::new(Expanding {
            network: self,
            scratch: self.pool.lease(|| Scratch::new(self)),
        }))
    }
}

impl<P: Processes> WalkEngines for Network<P> {
    fn stroll(&self, lookout: &mut dyn Lookout) -> Option<Box<dyn Stroll + '_>> {
        Stroller::new(self, lookout).map(|stroller| Box::new(stroller) as Box<dyn Stroll>)
    }
}
