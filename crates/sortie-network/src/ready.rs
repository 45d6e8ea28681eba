//! What a part of a network is ready to do in one of its states, sorted by how it comes about: alone, with partners on a channel, or in a
//! way that only the general join can tell. It is worked out once per state of the part, so that the product of many parts only has to
//! bring together what is listed here.

use crate::channel::{Channel, ChannelId, digest};
use crate::join::{Joint, inner_joints, steps_of_one};
use crate::memory::{Memory, OpenOffer};
use crate::network::Network;
use crate::offer::{Arguments, ArgumentsId, LocalId, Name, OfferedAction, Processes, Target};
use crate::offered::Offers;
use crate::operators::MultiAction;
use crate::row::{Part, Row};
use crate::tree::ComponentId;
use sortie_model::{LabelId, ModelError};
use std::hash::Hash;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// A component moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Move {
    pub(crate) component: u32,
    /// Where to.
    pub(crate) word: u32,
    /// What it adds to the fingerprint of the global state.
    pub(crate) print: u128,
}

pub(crate) struct Ready<P: Processes> {
    /// Steps that need nobody else.
    pub(crate) alone: Vec<(LabelId, Range<u32>)>,
    /// Offers to meet on a channel.
    pub(crate) sent: Vec<Sent>,
    /// Offers to meet on all channels of a name.
    pub(crate) receivers: Vec<Receiver<P>>,
    /// The names of `sent` and `receivers`, sorted, and how they are offered at most.
    pub(crate) names: Vec<(Name, How)>,
    /// What most parts have nothing of.
    unusual: Option<Box<Unusual>>,
    /// The channels on which something is sent, as bits: 64 of them tell channels and names apart, now and then in vain.
    pub(crate) sends: u64,
    /// The names that are received, as bits.
    pub(crate) received: u64,
    /// The steps of a part with operators of its own, once they were asked for.
    joints: OnceLock<Arc<[Joint<P>]>>,
    moves: Vec<Move>,
}

/// What a part is ready for besides.
#[derive(Clone, Default)]
struct Unusual {
    /// Internal steps, which may happen together with any other.
    internal: Vec<Range<u32>>,
    /// Plans for which the general join has to look at this part.
    plans: Vec<usize>,
    /// Names that are part of plans with different data.
    mixed: Vec<Name>,
}

/// How a name is offered for a meeting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum How {
    /// With data.
    Sent,
    /// With data, and open for data that is not ordinary.
    Rest,
    /// Open.
    Received,
}

pub(crate) struct Sent {
    pub(crate) channel: ChannelId,
    pub(crate) name: Name,
    pub(crate) arguments: ArgumentsId,
    pub(crate) moves: Range<u32>,
    /// The channels on which a partner may be, as bits.
    pub(crate) partners: u64,
    /// The names of partners that may receive, as bits.
    pub(crate) others: u64,
    /// Whether the data is ordinary.
    pub(crate) ordinary: bool,
}

fn bit(number: u32) -> u64 {
    1 << (number % 64)
}

pub(crate) fn name_bit(name: Name) -> u64 {
    bit(name.0)
}

/// An open offer of one action.
pub(crate) struct Receiver<P: Processes> {
    pub(crate) name: Name,
    /// Whether it only counts for data that is not ordinary.
    pub(crate) rest: bool,
    pub(crate) open: OpenOffer<P>,
    /// An argument that is known, if there is one: its place and its digest.
    pub(crate) known: Option<(u32, u32)>,
    /// What moves besides.
    pub(crate) moves: Range<u32>,
}

impl<P: Processes> Receiver<P> {
    /// Whether it may accept what is sent on a channel of its partner.
    pub(crate) fn may_hear(&self, channel: &Channel) -> bool {
        let fits =
            |(place, digest): (u32, u32)| channel.digests.get(place as usize) == Some(&digest);
        !(self.rest && channel.ordinary) && self.known.is_none_or(fits)
    }
}

impl<P: Processes> Network<P> {
    /// What a part is ready for in a global state. With `remember`, so are the offers of its components that may be asked for again.
    pub(crate) fn prepare(
        &self,
        part: usize,
        state: &[u32],
        remember: bool,
    ) -> Result<Ready<P>, ModelError> {
        let mut ready = Ready::new();
        let draft = &mut ready;
        match &self.row.parts[part] {
            Part::Component(component) => {
                let Some((local, offers)) = self.offers(*component, state)? else {
                    return Ok(ready);
                };
                let place = (*component, local);
                for (number, offer) in offers.iter().enumerate() {
                    self.add_offer(draft, state, place, (&offers, number), &offer.actions)?;
                }
                self.remember(remember, draft, local, &offers);
            }
            Part::Row(inner) => {
                if !self.add_steps_of_one(draft, inner, state, remember)? {
                    let joints = inner_joints(&self.memory, inner, state)?;
                    for joint in &joints {
                        let begin = draft.moves.len() as u32;
                        for (component, local) in &joint.moves {
                            draft.moves.push(self.memory.go(*component, state, *local));
                        }
                        let moves = begin..draft.moves.len() as u32;
                        self.add(draft, state, &joint.actions, moves, joint.open.clone())?;
                    }
                    if !self.encounters.is_empty() {
                        draft.joints = OnceLock::from(Arc::from(joints));
                    }
                }
            }
        }
        ready.shrink();
        Ok(ready)
    }

    /// The local state of a component, and what it offers there.
    fn offers(
        &self,
        component: ComponentId,
        state: &[u32],
    ) -> Result<Option<(LocalId, Offers<P>)>, ModelError> {
        let Some(local) = self.memory.local(component, state) else {
            return Ok(None);
        };
        let offers = self.memory.offered.of(self.processes(), local)?;
        Ok(Some((local, offers)))
    }

    /// Keeps offers that may be asked for again.
    fn remember(&self, remember: bool, draft: &Ready<P>, local: LocalId, offers: &Offers<P>) {
        if remember && draft.needs_offers() {
            self.memory.offered.remember(local, offers);
        }
    }

    /// Adds an offer of a component whose actions are called like this.
    fn add_offer(
        &self,
        draft: &mut Ready<P>,
        state: &[u32],
        (component, local): (ComponentId, LocalId),
        (offers, number): (&Offers<P>, usize),
        actions: &[OfferedAction<P::Value>],
    ) -> Result<(), ModelError> {
        let begin = draft.moves.len() as u32;
        let mut open = None;
        match offers[number].target {
            Target::Known(target) => {
                draft.moves.push(self.memory.go(component, state, target));
            }
            Target::Open(_) | Target::Rest(_) => {
                let place = (component, local);
                open = Some(OpenOffer::new(offers, place, number, actions.len()));
            }
        }
        let moves = begin..draft.moves.len() as u32;
        self.add(draft, state, actions, moves, open)
    }

    /// Adds the steps of a row of one component that only get other names there; whether it is such a row.
    fn add_steps_of_one(
        &self,
        draft: &mut Ready<P>,
        row: &Row,
        state: &[u32],
        remember: bool,
    ) -> Result<bool, ModelError> {
        let [Part::Component(component)] = row.parts[..] else {
            return Ok(false);
        };
        let Some((local, offers)) = self.offers(component, state)? else {
            return Ok(false);
        };
        let Some(steps) = steps_of_one(&self.memory, row, &offers) else {
            return Ok(false);
        };
        let mut actions = Vec::new();
        for (names, number) in steps {
            let arguments = &offers[number].actions[0].arguments;
            actions.clear();
            actions.extend(names.iter().map(|name| OfferedAction {
                name: *name,
                arguments: arguments.clone(),
            }));
            self.add_offer(
                draft,
                state,
                (component, local),
                (&offers, number),
                &actions,
            )?;
        }
        self.remember(remember, draft, local, &offers);
        Ok(true)
    }

    fn add(
        &self,
        draft: &mut Ready<P>,
        state: &[u32],
        actions: &[OfferedAction<P::Value>],
        moves: Range<u32>,
        open: Option<OpenOffer<P>>,
    ) -> Result<(), ModelError> {
        if let Some(open) = open {
            return self.add_open(draft, state, actions, moves, open);
        }
        if actions.is_empty() {
            draft.unusual().internal.push(moves);
            return Ok(());
        }
        let known = |action: &OfferedAction<P::Value>| match action.arguments {
            Arguments::Known(id) => (action.name, id),
            Arguments::Open(_) => unreachable!("only open offers have unknown arguments"),
        };
        if let [action] = actions {
            let (name, arguments) = known(action);
            if !self.encounters.of(name).is_empty() {
                self.add_sent(draft, name, arguments, moves.clone());
            }
            if self.encounters.is_mixed(name) {
                draft.unusual().mixed.push(name);
            }
            // What needs a partner by its name alone need not be tried without.
            if self.row.plans.is_some() && !self.encounters.has_alone(name) {
                return Ok(());
            }
        } else {
            self.add_plans(draft, actions, actions.len() + 1);
        }
        self.add_alone(draft, actions.iter().map(known).collect(), moves);
        Ok(())
    }

    fn add_sent(
        &self,
        draft: &mut Ready<P>,
        name: Name,
        arguments: ArgumentsId,
        moves: Range<u32>,
    ) {
        let channel = self.channels.number(name, arguments);
        let (mut partners, mut others) = (0, 0);
        for encounter in self.encounters.of(name) {
            for other in &encounter.others {
                partners |= bit(self.channels.number(*other, arguments).0);
                others |= bit(other.0);
            }
        }
        draft.sends |= bit(channel.0);
        draft.add_name(name, How::Sent);
        draft.sent.push(Sent {
            channel,
            name,
            arguments,
            moves,
            partners,
            others,
            ordinary: self.memory.processes.is_ordinary(arguments),
        });
    }

    fn add_alone(&self, draft: &mut Ready<P>, mut action: MultiAction, moves: Range<u32>) {
        if !self.row.operators.iter().all(|o| o.apply(&mut action)) {
            return;
        }
        let label = self.labels.of(&self.memory.processes, &mut action);
        let same = |(other, of): &(LabelId, Range<u32>)| {
            *other == label && draft.moves(of) == draft.moves(&moves)
        };
        if !draft.alone.iter().any(same) {
            draft.alone.push((label, moves));
        }
    }

    fn add_open(
        &self,
        draft: &mut Ready<P>,
        state: &[u32],
        actions: &[OfferedAction<P::Value>],
        moves: Range<u32>,
        open: OpenOffer<P>,
    ) -> Result<(), ModelError> {
        let offered = &open.offers[open.offer].actions;
        let [action] = actions else {
            let rest = matches!(open.offers[open.offer].target, Target::Rest(_));
            if actions.is_empty() && !rest {
                for closed in self
                    .memory
                    .close_anew(&open, &vec![None; unknown(offered)])?
                {
                    let moves = self.add_moves(draft, state, &moves, &open, closed.target);
                    draft.unusual().internal.push(moves);
                }
            }
            self.add_plans(draft, actions, actions.len());
            return Ok(());
        };
        if offered.len() > 1 {
            self.add_plans(draft, actions, actions.len());
            return Ok(());
        }
        let name = action.name;
        let rest = matches!(open.offers[open.offer].target, Target::Rest(_));
        if self.encounters.is_mixed(name) {
            draft.unusual().mixed.push(name);
        }
        if self.encounters.has_alone(name) && !rest {
            for closed in self
                .memory
                .close_anew(&open, &vec![None; unknown(offered)])?
            {
                let moves = self.add_moves(draft, state, &moves, &open, closed.target);
                self.add_alone(draft, vec![(name, closed.arguments[0])], moves);
            }
        }
        if !self.encounters.of(name).is_empty() {
            draft.received |= bit(name.0);
            draft.add_name(name, if rest { How::Rest } else { How::Received });
            let known = match &action.arguments {
                Arguments::Open(values) => (0..).zip(values).find_map(known_value),
                Arguments::Known(_) => None,
            };
            draft.receivers.push(Receiver {
                name,
                rest,
                open,
                known,
                moves,
            });
        }
        Ok(())
    }

    /// The moves of a joint step whose open offer was closed.
    fn add_moves(
        &self,
        draft: &mut Ready<P>,
        state: &[u32],
        certain: &Range<u32>,
        open: &OpenOffer<P>,
        target: LocalId,
    ) -> Range<u32> {
        let begin = draft.moves.len() as u32;
        draft.moves.extend_from_within(as_places(certain));
        let moved = self.memory.go(open.component, state, target);
        draft.moves.push(moved);
        begin..draft.moves.len() as u32
    }

    /// The general join has to look at the plans with all these names, and at least so many slots.
    fn add_plans(&self, draft: &mut Ready<P>, actions: &[OfferedAction<P::Value>], slots: usize) {
        let plans = self.row.plans.as_deref().unwrap_or(&[]);
        let candidates = match actions.first() {
            Some(action) => self.encounters.plans_with(action.name),
            None => &[],
        };
        for &number in candidates {
            let plan = &plans[number].slots;
            let mut left: Vec<Name> = plan.iter().map(|(name, _)| *name).collect();
            let covered = actions.iter().all(|action| {
                let place = left.iter().position(|name| *name == action.name);
                place.map(|place| left.swap_remove(place)).is_some()
            });
            if covered && plan.len() >= slots && !draft.plans().contains(&number) {
                draft.unusual().plans.push(number);
            }
        }
    }
}

impl<P: Processes> Ready<P> {
    fn new() -> Ready<P> {
        Ready {
            alone: Vec::new(),
            sent: Vec::new(),
            receivers: Vec::new(),
            names: Vec::new(),
            unusual: None,
            sends: 0,
            received: 0,
            joints: OnceLock::new(),
            moves: Vec::new(),
        }
    }

    fn unusual(&mut self) -> &mut Unusual {
        self.unusual.get_or_insert_default()
    }

    /// There are many of these, so none keeps room that it does not need.
    fn shrink(&mut self) {
        self.alone.shrink_to_fit();
        self.sent.shrink_to_fit();
        self.receivers.shrink_to_fit();
        self.names.shrink_to_fit();
        self.moves.shrink_to_fit();
    }

    fn add_name(&mut self, name: Name, how: How) {
        match self.names.binary_search_by_key(&name, |(name, _)| *name) {
            Ok(place) => self.names[place].1 = self.names[place].1.max(how),
            Err(place) => self.names.insert(place, (name, how)),
        }
    }

    /// Whether the general join may ask for the offers themselves.
    fn needs_offers(&self) -> bool {
        !(self.receivers.is_empty() && self.plans().is_empty() && self.mixed().is_empty())
    }
}

/// How many arguments are not known.
fn unknown<V>(actions: &[OfferedAction<V>]) -> usize {
    let of_action = |action: &OfferedAction<V>| match &action.arguments {
        Arguments::Known(_) => 0,
        Arguments::Open(values) => values.iter().filter(|value| value.is_none()).count(),
    };
    actions.iter().map(of_action).sum()
}

/// The place of a value and its digest, if it is known.
fn known_value<V: Hash>((place, value): (u32, &Option<V>)) -> Option<(u32, u32)> {
    value.as_ref().map(|value| (place, digest(value)))
}

fn as_places(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}

impl<P: Processes> Ready<P> {
    #[inline]
    pub(crate) fn moves(&self, range: &Range<u32>) -> &[Move] {
        &self.moves[as_places(range)]
    }

    /// Internal steps, which may happen together with any other.
    pub(crate) fn internal(&self) -> &[Range<u32>] {
        self.unusual
            .as_ref()
            .map_or(&[], |unusual| &unusual.internal)
    }

    /// Plans for which the general join has to look at this part.
    pub(crate) fn plans(&self) -> &[usize] {
        self.unusual.as_ref().map_or(&[], |unusual| &unusual.plans)
    }

    /// Names that are part of plans with different data.
    pub(crate) fn mixed(&self) -> &[Name] {
        self.unusual.as_ref().map_or(&[], |unusual| &unusual.mixed)
    }

    /// How the name is offered for a meeting.
    pub(crate) fn offers(&self, name: Name) -> Option<How> {
        let place = self.names.binary_search_by_key(&name, |(name, _)| *name);
        place.ok().map(|place| self.names[place].1)
    }

    /// The steps of a part with operators of its own.
    pub(crate) fn joints(
        &self,
        memory: &Memory<P>,
        row: &Row,
        state: &[u32],
    ) -> Result<Arc<[Joint<P>]>, ModelError> {
        if let Some(joints) = self.joints.get() {
            return Ok(Arc::clone(joints));
        }
        let joints = inner_joints(memory, row, state)?.into();
        Ok(Arc::clone(self.joints.get_or_init(|| joints)))
    }

    /// Memory, nearly.
    pub(crate) fn bytes(&self) -> u64 {
        let lists = self.alone.len() * 12
            + self.internal().len() * 8
            + self.sent.len() * size_of::<Sent>()
            + self.receivers.len() * (size_of::<Receiver<P>>() + 64)
            + self.moves.len() * size_of::<Move>();
        (size_of::<Self>() + lists) as u64
    }
}
