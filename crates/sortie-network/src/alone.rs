//! Components run on their own, as far as others can make them go.
//!
//! A component makes a step if each of its actions can happen without a partner, or if for some communication the others could, each in
//! some local state that it reaches, take part with the same arguments. An open step gets the values that those others say. So the local
//! states, what is said in them and what is heard are a least fixed point: it is reached by adding whatever follows from what was found.
//!
//! The steps of the network are among those found. A local state or a step whose evaluation fails has no steps: the network cannot
//! pass it either.

use crate::face::{Face, Faces, Receiver, Saying, all_said, said_with};
use crate::meetings::{Meetings, Pair};
use crate::network::Network;
use crate::offer::{Arguments, ArgumentsId, LocalId, Name, Offer, OfferOf, Processes, Target};
use crate::tree::ComponentId;
use sortie_model::ModelError;
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::rc::Rc;

/// What helps to run components.
pub(crate) struct Conditions<'a, P: Processes> {
    pub(crate) network: &'a Network<P>,
    pub(crate) meetings: &'a Meetings,
    /// The argument lists that may be received with an action, whoever says them.
    pub(crate) domains: &'a HashMap<Name, Vec<ArgumentsId>>,
    /// How many local states a component may have, and how much it may say with an action.
    pub(crate) limit: usize,
}

/// The offers of local states, remembered from run to run.
pub(crate) type Offered<P> = HashMap<LocalId, Rc<[OfferOf<P>]>>;

/// Why components cannot be run.
#[derive(Debug)]
pub(crate) enum Obstacle {
    /// More local states than allowed; the action with which most is received.
    States(ComponentId, Option<Name>),
    /// More is said than allowed.
    Values(Pair),
    /// Nobody gives values, and the component does not find them itself.
    Unbounded(Pair, String),
    Failure(ModelError),
}

/// A step of a component.
#[derive(Debug)]
pub(crate) struct LoneStep {
    pub(crate) actions: Box<[(Name, ArgumentsId)]>,
    target: LocalId,
    /// Numbers of local states, one for each outcome of a random choice; none as long as nobody agrees.
    pub(crate) targets: Vec<usize>,
}

/// A local state that a component reaches.
#[derive(Debug)]
pub(crate) struct LoneState {
    pub(crate) local: LocalId,
    pub(crate) steps: Vec<LoneStep>,
}

/// A component run on its own.
#[derive(Debug, Default)]
pub(crate) struct Lone {
    pub(crate) states: Vec<LoneState>,
    numbers: HashMap<LocalId, usize>,
}

/// What was found.
pub(crate) struct Alone {
    /// By component; without states for those that were not run.
    pub(crate) components: Vec<Lone>,
    /// Components that were not run, but may say what others receive.
    pub(crate) wanted: BTreeSet<ComponentId>,
}

/// A step of a local state of a component.
#[derive(Clone, Copy, Debug)]
struct StepAt {
    component: ComponentId,
    state: usize,
    step: usize,
}

enum Task<V> {
    Visit(ComponentId, usize),
    /// The arguments have a number if they are those of a step.
    Said(Pair, Saying<V>, Option<ArgumentsId>),
    Heard(Pair, Saying<V>, bool),
}

type Step = (ComponentId, usize, Box<[(Name, ArgumentsId)]>, LocalId);

struct Run<'a, P: Processes> {
    conditions: &'a Conditions<'a, P>,
    running: &'a BTreeSet<ComponentId>,
    offered: &'a mut Offered<P>,
    found: Alone,
    faces: Faces<P::Value>,
    steps: HashSet<Step>,
    /// Steps for which a partner must agree.
    waiting: HashMap<(Pair, ArgumentsId), Vec<StepAt>>,
    tasks: VecDeque<Task<P::Value>>,
}

/// Runs some of the components; the others may do anything that nobody waits for.
pub(crate) fn run<P: Processes>(
    conditions: &Conditions<'_, P>,
    running: &BTreeSet<ComponentId>,
    offered: &mut Offered<P>,
) -> Result<Alone, Obstacle> {
    let count = conditions.network.components().len();
    let mut run = Run {
        conditions,
        running,
        offered,
        found: Alone {
            components: (0..count).map(|_| Lone::default()).collect(),
            wanted: BTreeSet::new(),
        },
        faces: Faces::new(),
        steps: HashSet::new(),
        waiting: HashMap::new(),
        tasks: VecDeque::new(),
    };
    for component in running {
        let start = conditions.network.start(*component);
        let start = run.outcomes(start).map_err(Obstacle::Failure)?;
        run.reach(*component, start)?;
    }
    while let Some(task) = run.tasks.pop_front() {
        match task {
            Task::Visit(component, state) => run.visit(component, state)?,
            Task::Said(pair, saying, arguments) => run.spread(pair, &saying, arguments)?,
            Task::Heard(pair, saying, with_itself) => run.receive(pair, &saying, with_itself)?,
        }
    }
    run.check_failures()?;
    Ok(run.found)
}

impl<P: Processes> Run<'_, P> {
    fn processes(&self) -> &P {
        self.conditions.network.processes()
    }

    fn lone(&mut self, component: ComponentId) -> &mut Lone {
        &mut self.found.components[component.0 as usize]
    }

    fn face(&mut self, pair: Pair) -> &mut Face<P::Value> {
        self.faces.entry(pair).or_default()
    }

    /// The local states that a target stands for.
    fn outcomes(&self, target: LocalId) -> Result<Vec<LocalId>, ModelError> {
        let outcomes = self.conditions.network.memory.outcomes(target)?;
        let mut targets: Vec<LocalId> = outcomes.iter().map(|(local, _)| *local).collect();
        if targets.is_empty() {
            targets.push(target);
        }
        Ok(targets)
    }

    /// The numbers of local states.
    fn reach(
        &mut self,
        component: ComponentId,
        targets: Vec<LocalId>,
    ) -> Result<Vec<usize>, Obstacle> {
        let mut numbers = Vec::with_capacity(targets.len());
        for local in targets {
            let lone = self.lone(component);
            let next = lone.states.len();
            let number = *lone.numbers.entry(local).or_insert(next);
            if number == next {
                lone.states.push(LoneState {
                    local,
                    steps: Vec::new(),
                });
                if next >= self.conditions.limit {
                    return Err(Obstacle::States(component, self.most_heard(component)));
                }
                self.tasks.push_back(Task::Visit(component, number));
            }
            numbers.push(number);
        }
        Ok(numbers)
    }

    fn most_heard(&self, component: ComponentId) -> Option<Name> {
        let own = self.faces.iter().filter(|((of, _), _)| *of == component);
        let heard = own.map(|((_, name), face)| (face.heard.list().len(), *name));
        let most = heard.max_by_key(|(count, name)| (*count, std::cmp::Reverse(*name)));
        most.filter(|(count, _)| *count > 0).map(|(_, name)| name)
    }

    fn visit(&mut self, component: ComponentId, state: usize) -> Result<(), Obstacle> {
        let local = self.lone(component).states[state].local;
        let offers = match self.offered.get(&local) {
            Some(offers) => Rc::clone(offers),
            None => {
                let offers = self.processes().offers(local).unwrap_or_default();
                let offers: Rc<[OfferOf<P>]> = offers.into();
                self.offered.insert(local, Rc::clone(&offers));
                offers
            }
        };
        for (number, offer) in offers.iter().enumerate() {
            match offer.target {
                Target::Known(target) => {
                    let known = offer.actions.iter().map(|action| match action.arguments {
                        Arguments::Known(id) => (action.name, id),
                        Arguments::Open(_) => unreachable!("only open offers have open arguments"),
                    });
                    let actions = known.collect();
                    self.step((component, state, actions, target))?;
                }
                Target::Open(_) | Target::Rest(_) => {
                    self.open(component, state, number, offer)?;
                }
            }
        }
        Ok(())
    }

    /// An open offer is met for the first time.
    fn open(
        &mut self,
        component: ComponentId,
        state: usize,
        number: usize,
        offer: &OfferOf<P>,
    ) -> Result<(), Obstacle> {
        for (action, offered) in offer.actions.iter().enumerate() {
            let pair = (component, offered.name);
            let pattern: Saying<P::Value> = match &offered.arguments {
                Arguments::Known(id) => self.saying(*id),
                Arguments::Open(values) => values.iter().copied().collect(),
            };
            if pattern.contains(&None) {
                self.listen(pair);
                self.face(pair).receivers.push(Receiver {
                    state,
                    offer: number,
                    action,
                });
            }
            if matches!(offer.target, Target::Open(_)) {
                let face = self.face(pair);
                face.is_open |= pattern.contains(&None);
                self.say(pair, pattern, None)?;
            }
        }
        self.close(component, state, offer, None)
    }

    /// From now on what others say is of interest.
    fn listen(&mut self, pair: Pair) {
        if !self.face(pair).receivers.is_empty() {
            return;
        }
        if let Some(domain) = self.conditions.domains.get(&pair.1) {
            for arguments in domain {
                let saying = self.saying(*arguments);
                self.face(pair).heard.add(&saying);
            }
            return;
        }
        let meetings = self.conditions.meetings;
        for (meeting, slot) in meetings.places(pair) {
            let others = meetings.others(*meeting, *slot).flatten();
            let unknown = others.filter(|(component, _)| !self.running.contains(component));
            let unknown: Vec<ComponentId> = unknown.map(|(component, _)| *component).collect();
            self.found.wanted.extend(unknown);
        }
        for (saying, components) in all_said(&self.faces, meetings, pair) {
            self.hear(pair, &saying, &components);
        }
    }

    fn hear(&mut self, pair: Pair, saying: &Saying<P::Value>, from: &[ComponentId]) {
        let face = self.faces.entry(pair).or_default();
        let with_itself = from.contains(&pair.0);
        let new = if with_itself {
            !face.heard.contains(saying) && face.heard_with_itself.add(saying)
        } else {
            face.heard.add(saying)
        };
        if new {
            let task = Task::Heard(pair, Rc::clone(saying), with_itself);
            self.tasks.push_back(task);
        }
    }

    /// All values are known.
    fn saying(&self, arguments: ArgumentsId) -> Saying<P::Value> {
        let values = self.processes().arguments().get(arguments.0);
        values.iter().copied().map(Some).collect()
    }

    fn say(
        &mut self,
        pair: Pair,
        saying: Saying<P::Value>,
        arguments: Option<ArgumentsId>,
    ) -> Result<(), Obstacle> {
        let limit = self.conditions.limit;
        let face = self.face(pair);
        let new = face.said.add(&saying);
        let agrees = arguments.is_some_and(|arguments| face.closed.insert(arguments));
        if face.said.list().len() > limit {
            return Err(Obstacle::Values(pair));
        }
        if new || agrees {
            let task = Task::Said(pair, saying, arguments);
            self.tasks.push_back(task);
        }
        Ok(())
    }

    /// Others hear what was said, and steps that waited for it may happen.
    fn spread(
        &mut self,
        pair: Pair,
        saying: &Saying<P::Value>,
        arguments: Option<ArgumentsId>,
    ) -> Result<(), Obstacle> {
        let meetings = self.conditions.meetings;
        let is_listening = |run: &Self, pair: &Pair| {
            let face = run.faces.get(pair);
            face.is_some_and(|face| !face.receivers.is_empty())
                && !run.conditions.domains.contains_key(&pair.1)
        };
        for (meeting, own) in meetings.places(pair) {
            let slots = &meetings.meetings[*meeting];
            for (slot, pairs) in slots.iter().enumerate().filter(|(slot, _)| slot != own) {
                if let Some(arguments) = arguments {
                    for other in pairs {
                        for step in self
                            .waiting
                            .remove(&(*other, arguments))
                            .unwrap_or_default()
                        {
                            self.try_step(step)?;
                        }
                    }
                }
                let listeners = pairs.iter().filter(|pair| is_listening(self, pair));
                let listeners: Vec<Pair> = listeners.copied().collect();
                if listeners.is_empty() {
                    continue;
                }
                let rest = slots.iter().enumerate();
                let rest = rest.filter(|(other, _)| *other != slot && other != own);
                let rest = rest.map(|(_, pairs)| pairs);
                for (saying, from) in said_with(&self.faces, (pair.0, saying), rest) {
                    for listener in &listeners {
                        self.hear(*listener, &saying, &from);
                    }
                }
            }
        }
        Ok(())
    }

    fn receive(
        &mut self,
        pair: Pair,
        saying: &Saying<P::Value>,
        with_itself: bool,
    ) -> Result<(), Obstacle> {
        let receivers = self.face(pair).receivers.clone();
        for receiver in receivers {
            let local = self.lone(pair.0).states[receiver.state].local;
            let offers = Rc::clone(&self.offered[&local]);
            let offer = &offers[receiver.offer];
            if with_itself && offer.actions.len() == 1 {
                continue;
            }
            let heard = Some((receiver.action, saying));
            self.close(pair.0, receiver.state, offer, heard)?;
        }
        Ok(())
    }

    /// Makes an open offer concrete in all ways that are new with what was heard for one of its actions, or simply in all ways.
    fn close(
        &mut self,
        component: ComponentId,
        state: usize,
        offer: &OfferOf<P>,
        heard: Option<(usize, &Saying<P::Value>)>,
    ) -> Result<(), Obstacle> {
        let several = offer.actions.len() > 1;
        let is_rest = matches!(offer.target, Target::Rest(_));
        let mut ways: Vec<Vec<Option<Saying<P::Value>>>> = vec![Vec::new()];
        for (action, offered) in offer.actions.iter().enumerate() {
            let pair = (component, offered.name);
            let choices: Vec<Option<Saying<P::Value>>> = match (&offered.arguments, heard) {
                (_, Some((of, saying))) if of == action => vec![Some(Rc::clone(saying))],
                (Arguments::Known(_), _) => vec![None],
                (Arguments::Open(_), _) => {
                    let face = self.face(pair);
                    let with_itself = several.then(|| face.heard_with_itself.list());
                    let heard = face.heard.list().iter().chain(with_itself.unwrap_or(&[]));
                    let mut choices: Vec<_> = heard.cloned().map(Some).collect();
                    if self.is_alone(pair) && (several || !is_rest) {
                        choices.push(None);
                    }
                    choices
                }
            };
            let longer = ways.iter().flat_map(|way| {
                let with = |choice: &Option<_>| [&way[..], std::slice::from_ref(choice)].concat();
                choices.iter().map(with)
            });
            ways = longer.collect();
        }
        for way in ways {
            self.close_with(component, state, offer, &way)?;
        }
        Ok(())
    }

    /// Whether an action needs no partner.
    fn is_alone(&self, pair: Pair) -> bool {
        self.conditions.meetings.is_alone(pair) && !self.conditions.domains.contains_key(&pair.1)
    }

    fn close_with(
        &mut self,
        component: ComponentId,
        state: usize,
        offer: &OfferOf<P>,
        sayings: &[Option<Saying<P::Value>>],
    ) -> Result<(), Obstacle> {
        let Some(received) = received(offer, sayings) else {
            return Ok(());
        };
        let is_complete = !received.contains(&None);
        let open = match &offer.target {
            Target::Open(open) => open,
            Target::Rest(_) if !is_complete || self.is_listed(offer, sayings) => return Ok(()),
            Target::Rest(open) => open,
            Target::Known(_) => unreachable!("the offer is open"),
        };
        let local = self.lone(component).states[state].local;
        let closed = match self.processes().close(local, open, &received) {
            Ok(closed) => closed,
            Err(_) if is_complete => return Ok(()),
            Err(error) => return self.fail(component, offer, sayings, &error),
        };
        for closed in closed {
            let lists = closed.arguments.iter().zip(sayings);
            let mut fits = lists.filter_map(|(list, saying)| Some((list, saying.as_ref()?)));
            let fits = fits.all(|(list, saying)| {
                let values = self.processes().arguments().get(list.0);
                let mut places = values.iter().zip(saying.iter());
                places.all(|(value, said)| said.is_none_or(|said| said == *value))
            });
            if fits {
                let names = offer.actions.iter().map(|action| action.name);
                let actions = names.zip(closed.arguments.iter().copied()).collect();
                self.step((component, state, actions, closed.target))?;
            }
        }
        Ok(())
    }

    /// Whether an offer for the rest of all values is not meant, as the step is offered separately.
    fn is_listed(&self, offer: &OfferOf<P>, sayings: &[Option<Saying<P::Value>>]) -> bool {
        let ([_], [Some(saying)]) = (&offer.actions[..], sayings) else {
            return false;
        };
        let values: Option<Box<[P::Value]>> = saying.iter().copied().collect();
        values.is_some_and(|values| {
            let processes = self.processes();
            processes.is_ordinary(ArgumentsId(processes.arguments().intern(values)))
        })
    }

    /// Values were not found. That matters if nobody else can find them.
    fn fail(
        &mut self,
        component: ComponentId,
        offer: &OfferOf<P>,
        sayings: &[Option<Saying<P::Value>>],
        error: &ModelError,
    ) -> Result<(), Obstacle> {
        for (offered, saying) in offer.actions.iter().zip(sayings) {
            let Arguments::Open(_) = offered.arguments else {
                continue;
            };
            let pair = (component, offered.name);
            match saying {
                None => return Err(Obstacle::Unbounded(pair, error.message.clone())),
                Some(saying) if saying.contains(&None) => {
                    self.face(pair).failure = Some(error.message.clone());
                }
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// A failure is none if the others in some slot of a meeting always find values.
    fn check_failures(&self) -> Result<(), Obstacle> {
        let mut failed: Vec<(Pair, &String)> = Vec::new();
        for (pair, face) in &self.faces {
            failed.extend(face.failure.as_ref().map(|failure| (*pair, failure)));
        }
        failed.sort_unstable();
        let any = |slot: &BTreeSet<Pair>, has: &dyn Fn(&Face<P::Value>) -> bool| {
            slot.iter()
                .any(|pair| self.faces.get(pair).is_some_and(has))
        };
        let meetings = self.conditions.meetings;
        for (pair, failure) in failed {
            for (meeting, slot) in meetings.places(pair) {
                let others = || meetings.others(*meeting, *slot);
                let open = || others().filter(|slot| any(slot, &|face| face.is_open));
                let is_excused = open().any(|slot| !any(slot, &|face| face.failure.is_some()));
                if open().next().is_some() && !is_excused {
                    return Err(Obstacle::Unbounded(pair, failure.clone()));
                }
            }
        }
        Ok(())
    }

    /// A step that the component can make if partners agree.
    fn step(&mut self, step: Step) -> Result<(), Obstacle> {
        if self.steps.contains(&step) || !self.is_permitted(&step.2) {
            return Ok(());
        }
        self.steps.insert(step.clone());
        let (component, state, actions, target) = step;
        for (name, arguments) in &actions {
            let saying = self.saying(*arguments);
            self.say((component, *name), saying, Some(*arguments))?;
        }
        let steps = &mut self.lone(component).states[state].steps;
        steps.push(LoneStep {
            actions,
            target,
            targets: Vec::new(),
        });
        let step = steps.len() - 1;
        self.try_step(StepAt {
            component,
            state,
            step,
        })
    }

    /// Whether the arguments are among those named for the actions. Lists of other lengths belong to other actions of that name.
    fn is_permitted(&self, actions: &[(Name, ArgumentsId)]) -> bool {
        let length = |list: ArgumentsId| self.processes().arguments().get(list.0).len();
        actions.iter().all(|(name, list)| {
            let domain = self.conditions.domains.get(name);
            let mut alike = domain.into_iter().flatten();
            let alike = alike.any(|other| length(*other) == length(*list));
            !alike || domain.is_some_and(|domain| domain.contains(list))
        })
    }

    fn try_step(&mut self, at: StepAt) -> Result<(), Obstacle> {
        let component = at.component;
        let step = &self.found.components[component.0 as usize].states[at.state].steps[at.step];
        let several = step.actions.len() > 1;
        for (name, arguments) in &step.actions {
            let pair = (component, *name);
            if !self.is_agreed(pair, *arguments, several) {
                let waiting = self.waiting.entry((pair, *arguments)).or_default();
                waiting.push(at);
                return Ok(());
            }
        }
        let targets = self.outcomes(step.target).unwrap_or_default();
        let targets = self.reach(component, targets)?;
        self.lone(component).states[at.state].steps[at.step].targets = targets;
        Ok(())
    }

    /// Whether an action can happen with these arguments as far as others are concerned.
    fn is_agreed(&self, pair: Pair, arguments: ArgumentsId, several: bool) -> bool {
        let meetings = self.conditions.meetings;
        if meetings.is_alone(pair) || self.conditions.domains.contains_key(&pair.1) {
            return true;
        }
        let agrees = |other: &Pair| {
            if !self.running.contains(&other.0) {
                return true;
            }
            let face = self.faces.get(other);
            (several || other.0 != pair.0)
                && face.is_some_and(|face| face.closed.contains(&arguments))
        };
        meetings.places(pair).iter().any(|(meeting, slot)| {
            let mut others = meetings.others(*meeting, *slot);
            others.all(|pairs| pairs.iter().any(agrees))
        })
    }
}

/// What sayings tell about the open arguments of an offer; nothing if they contradict it.
fn received<V: Copy + Eq, O>(
    offer: &Offer<V, O>,
    sayings: &[Option<Saying<V>>],
) -> Option<Vec<Option<V>>> {
    let mut received = Vec::new();
    for (action, saying) in offer.actions.iter().zip(sayings) {
        let Arguments::Open(pattern) = &action.arguments else {
            continue;
        };
        if saying
            .as_ref()
            .is_some_and(|said| said.len() != pattern.len())
        {
            return None;
        }
        for (place, own) in pattern.iter().enumerate() {
            let said = saying.as_ref().and_then(|saying| saying[place]);
            match own {
                None => received.push(said),
                Some(own) if said.is_some_and(|said| said != *own) => return None,
                Some(_) => {}
            }
        }
    }
    Some(received)
}
