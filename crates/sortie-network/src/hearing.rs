//! Open offers of components run on their own: what is said, who hears it, and the steps that come of it.

use crate::alone::{Obstacle, Run, Task};
use crate::face::{Receiver, Saying, all_said, said_with};
use crate::meetings::Pair;
use crate::offer::{Arguments, ArgumentsId, Offer, OfferOf, Processes, Target};
use crate::tree::ComponentId;
use sortie_model::ModelError;
use std::rc::Rc;

impl<P: Processes> Run<'_, P> {
    /// An open offer is met for the first time.
    pub(crate) fn open(
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
                self.ask(pair, pattern.len())?;
                self.listen(pair)?;
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
    fn listen(&mut self, pair: Pair) -> Result<(), Obstacle> {
        if !self.face(pair).receivers.is_empty() {
            return Ok(());
        }
        if let Some(domain) = self.conditions.domains.get(&pair.1) {
            for arguments in domain {
                let saying = self.saying(*arguments);
                self.face(pair).heard.add(&saying);
            }
            return Ok(());
        }
        let meetings = self.conditions.meetings;
        for (meeting, slot) in meetings.places(pair) {
            let others = meetings.others(*meeting, *slot).flatten();
            let others = others.map(|(component, _)| *component);
            let missing: Vec<ComponentId> = others.filter(|other| !self.knows(*other)).collect();
            self.found.wanted.extend(missing);
        }
        let said = all_said(
            &self.faces,
            meetings,
            pair,
            self.conditions.simple,
            &mut self.room,
        );
        for (saying, components) in said.ok_or(Obstacle::Work(pair))? {
            self.hear(pair, &saying, &components);
        }
        Ok(())
    }

    /// Whether it is settled what a component may say.
    fn knows(&self, component: ComponentId) -> bool {
        self.running.contains(&component) || self.unknown.contains(&component)
    }

    /// Components that may say anything say so many arguments of which nothing is known.
    fn ask(&mut self, pair: Pair, count: usize) -> Result<(), Obstacle> {
        if self.conditions.domains.contains_key(&pair.1) {
            return Ok(());
        }
        let meetings = self.conditions.meetings;
        for (meeting, slot) in meetings.places(pair) {
            for other in meetings.others(*meeting, *slot).flatten() {
                if self.unknown.contains(&other.0) {
                    let face = self.face(*other);
                    face.is_open = true;
                    face.is_anything = true;
                    self.say(*other, vec![None; count].into(), None)?;
                }
            }
        }
        Ok(())
    }

    fn hear(&mut self, pair: Pair, saying: &Saying<P::Value>, from: &[ComponentId]) {
        let face = self.faces.entry(pair).or_default();
        let with_itself = from.contains(&pair.0);
        let new = if with_itself && self.conditions.simple[pair.0.0 as usize] {
            false
        } else if with_itself {
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
    pub(crate) fn saying(&self, arguments: ArgumentsId) -> Saying<P::Value> {
        let values = self.processes().arguments().get(arguments.0);
        values.iter().copied().map(Some).collect()
    }

    pub(crate) fn say(
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
    pub(crate) fn spread(
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
                let said = said_with(
                    &self.faces,
                    (pair.0, saying),
                    rest,
                    self.conditions.simple,
                    &mut self.room,
                );
                for (saying, from) in said.ok_or(Obstacle::Work(listeners[0]))? {
                    for listener in &listeners {
                        self.hear(*listener, &saying, &from);
                    }
                }
            }
        }
        Ok(())
    }

    pub(crate) fn receive(
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
            let pair = || (component, offer.actions[0].name);
            self.room.take(1).ok_or_else(|| Obstacle::Work(pair()))?;
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
