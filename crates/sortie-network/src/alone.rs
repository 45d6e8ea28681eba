//! Components run on their own, as far as others can make them go.
//!
//! A component makes a step if each of its actions can happen without a partner, or if for some communication the others could, each in
//! some local state that it reaches, take part with the same arguments. An open step gets the values that those others say. So the local
//! states, what is said in them and what is heard are a least fixed point: it is reached by adding whatever follows from what was found.
//!
//! The steps of the network are among those found. A local state or a step whose evaluation fails has no steps: the network cannot
//! pass it either.

use crate::face::{Face, Faces, Room, Saying};
use crate::meetings::{Meetings, Pair};
use crate::network::Network;
use crate::offer::{Arguments, ArgumentsId, LocalId, Name, OfferOf, Processes, Target};
use crate::tree::ComponentId;
use sortie_model::{ModelError, Selection};
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::rc::Rc;

/// For each local state that is allowed so many ways to close offers are tried, and to combine what is heard.
const WAYS: usize = 8;

/// What helps to run components.
pub(crate) struct Conditions<'a, P: Processes> {
    pub(crate) network: &'a Network<P>,
    pub(crate) meetings: &'a Meetings,
    /// The argument lists that may be received with an action, whoever says them.
    pub(crate) domains: &'a HashMap<Name, Vec<ArgumentsId>>,
    /// By component: whether each of its steps is known to have at most one action.
    pub(crate) simple: &'a [bool],
    /// How many local states a component may have, and how much it may say with an action.
    pub(crate) limit: usize,
    pub(crate) selection: &'a Selection<'a>,
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
    /// What can be heard with this action is combined with other things in too many ways.
    Work(Pair),
    Failure(ModelError),
}

impl Obstacle {
    /// The component that cannot be run.
    pub(crate) fn component(&self) -> Option<ComponentId> {
        match self {
            Obstacle::States(component, _) => Some(*component),
            Obstacle::Values((component, _))
            | Obstacle::Work((component, _))
            | Obstacle::Unbounded((component, _), _) => Some(*component),
            Obstacle::Failure(_) => None,
        }
    }

    /// The action whose values are too many or not known.
    pub(crate) fn name(&self) -> Option<Name> {
        match self {
            Obstacle::States(_, name) => *name,
            Obstacle::Values((_, name))
            | Obstacle::Work((_, name))
            | Obstacle::Unbounded((_, name), _) => Some(*name),
            Obstacle::Failure(_) => None,
        }
    }
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

impl Alone {
    /// The steps of a component that can happen.
    pub(crate) fn steps(&self, component: ComponentId) -> impl Iterator<Item = &LoneStep> {
        let states = self.components[component.0 as usize].states.iter();
        let steps = states.flat_map(|state| &state.steps);
        steps.filter(|step| !step.targets.is_empty())
    }
}

/// A step of a local state of a component.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepAt {
    component: ComponentId,
    state: usize,
    step: usize,
}

pub(crate) enum Task<V> {
    Visit(ComponentId, usize),
    /// The arguments have a number if they are those of a step.
    Said(Pair, Saying<V>, Option<ArgumentsId>),
    Heard(Pair, Saying<V>, bool),
}

/// Component, local state, actions, target.
type Step = (ComponentId, usize, Box<[(Name, ArgumentsId)]>, LocalId);

/// What was found so far.
pub(crate) struct Run<'a, P: Processes> {
    pub(crate) conditions: &'a Conditions<'a, P>,
    pub(crate) running: &'a BTreeSet<ComponentId>,
    /// Components that are not run and may do anything.
    pub(crate) unknown: &'a BTreeSet<ComponentId>,
    pub(crate) offered: &'a mut Offered<P>,
    pub(crate) found: Alone,
    pub(crate) faces: Faces<P::Value>,
    pub(crate) tasks: VecDeque<Task<P::Value>>,
    /// Steps for which a partner must agree.
    pub(crate) waiting: HashMap<(Pair, ArgumentsId), Vec<StepAt>>,
    steps: HashSet<Step>,
    pub(crate) room: Room,
}

/// Runs some of the components. Others may do anything; what the rest does is open as long as nobody waits for it.
pub(crate) fn run<P: Processes>(
    conditions: &Conditions<'_, P>,
    (running, unknown): (&BTreeSet<ComponentId>, &BTreeSet<ComponentId>),
    offered: &mut Offered<P>,
) -> Result<Alone, Obstacle> {
    let count = conditions.network.components().len();
    let mut run = Run {
        conditions,
        running,
        unknown,
        offered,
        found: Alone {
            components: (0..count).map(|_| Lone::default()).collect(),
            wanted: BTreeSet::new(),
        },
        faces: Faces::new(),
        tasks: VecDeque::new(),
        waiting: HashMap::new(),
        steps: HashSet::new(),
        room: Room(
            conditions
                .limit
                .saturating_mul(WAYS)
                .saturating_add(1 << 13),
        ),
    };
    for component in running {
        let start = conditions.network.start(*component);
        let start = run.outcomes(start).map_err(Obstacle::Failure)?;
        run.reach(*component, start)?;
    }
    while let Some(task) = run.tasks.pop_front() {
        conditions.selection.check().map_err(Obstacle::Failure)?;
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
    pub(crate) fn processes(&self) -> &P {
        self.conditions.network.processes()
    }

    pub(crate) fn lone(&mut self, component: ComponentId) -> &mut Lone {
        &mut self.found.components[component.0 as usize]
    }

    pub(crate) fn face(&mut self, pair: Pair) -> &mut Face<P::Value> {
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
                let is_excused = open()
                    .any(|slot| !any(slot, &|face| face.failure.is_some() || face.is_anything));
                if open().next().is_some() && !is_excused {
                    return Err(Obstacle::Unbounded(pair, failure.clone()));
                }
            }
        }
        Ok(())
    }

    /// A step that the component can make if partners agree.
    pub(crate) fn step(&mut self, step: Step) -> Result<(), Obstacle> {
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

    pub(crate) fn try_step(&mut self, at: StepAt) -> Result<(), Obstacle> {
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
