//! What a part of a network is ready to do in one of its states, sorted by how it comes about: alone, with partners on a channel, or in a
//! way that only the general join can tell. It is worked out once per state of the part, so that the product of many parts only has to
//! bring together what is listed here.

use crate::channel::{Channel, ChannelId, Channels, digest};
use crate::join::{Joint, inner_joints, steps_of_one};
use crate::labels::Labels;
use crate::memory::{Memory, OpenAt, OpenOffer};
use crate::offer::{Arguments, ArgumentsId, LocalId, Name, OfferedAction, Processes, Target};
use crate::offered::Offers;
use crate::operators::MultiAction;
use crate::row::{Encounters, Part, Row};
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
    pub(crate) alone: Box<[(LabelId, Range<u32>)]>,
    /// Offers to meet on a channel.
    pub(crate) sent: Box<[Sent]>,
    /// Offers to meet on all channels of a name.
    pub(crate) receivers: Box<[Receiver<P>]>,
    /// The names of `sent` and `receivers`, sorted, and how they are offered at most.
    pub(crate) names: Box<[(Name, How)]>,
    /// What most parts have nothing of.
    unusual: Option<Box<Unusual>>,
    /// What others need to know of it, and what it needs to know of others.
    pub(crate) masks: Masks,
    wishes: Wishes,
    /// The steps of a part with operators of its own, once they were asked for.
    joints: OnceLock<Arc<[Joint<P>]>>,
    moves: Box<[Move]>,
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

impl Unusual {
    fn clear(&mut self) {
        self.internal.clear();
        self.plans.clear();
        self.mixed.clear();
    }

    fn is_empty(&self) -> bool {
        self.internal.is_empty() && self.plans.is_empty() && self.mixed.is_empty()
    }
}

/// What a part, or all of them, offer to meet on, as bits: channels and names are told apart by 64 of them, in vain now and then.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Masks {
    /// The channels on which something is sent.
    pub(crate) sends: u64,
    /// The names that are received.
    receives: u64,
    /// The same, if only for data that is not ordinary.
    receives_rest: u64,
    /// The channels on which a partner may send.
    wanted: u64,
    /// The names that a partner may receive.
    wanted_names: u64,
    /// Whether there are steps that need nobody else.
    has_alone: bool,
    /// Whether ordinary data can be received, or there is an internal step or a plan for the general join.
    pub(crate) has_more: bool,
    pub(crate) has_internal: bool,
}

impl Masks {
    /// Adds what others need to know.
    #[inline]
    pub(crate) fn add(&mut self, other: &Masks) {
        self.sends |= other.sends;
        self.receives |= other.receives;
        self.receives_rest |= other.receives_rest;
        self.has_more |= other.has_more;
        self.has_internal |= other.has_internal;
    }

    /// The names that are received.
    pub(crate) fn received(&self) -> u64 {
        self.receives | self.receives_rest
    }

    /// Whether a part can do nothing, neither alone nor by what it sends, given what all parts offer.
    #[inline]
    pub(crate) fn is_idle(&self, all: &Masks) -> bool {
        let names = self.wanted_names & all.received();
        !self.has_alone && self.wanted & all.sends | names == 0
    }
}

/// Which of the offers to meet can have a partner, without a look at each.
#[derive(Debug, Default)]
struct Wishes {
    /// The channels of possible partners, as bits.
    channels: u64,
    /// For each bit of those, which of the first 64 offers want it.
    offers: Box<[u64]>,
    /// The names of partners that may receive, for ordinary data and for other data.
    names: u64,
    names_rest: u64,
}

impl Wishes {
    fn new(sent: &[Sent]) -> Wishes {
        let mut wishes = Wishes::default();
        for sent in sent {
            wishes.channels |= sent.partners;
            if sent.ordinary {
                wishes.names |= sent.others;
            } else {
                wishes.names_rest |= sent.others;
            }
        }
        let mut offers = Vec::with_capacity(wishes.channels.count_ones() as usize);
        offers.extend(bits(wishes.channels).map(|channel| {
            let wanting = sent.iter().take(64).enumerate();
            wanting.fold(0, |all, (place, sent)| {
                all | (sent.partners >> channel & 1) << place
            })
        }));
        wishes.offers = offers.into();
        wishes
    }

    /// Those of the first 64 offers that want one of these channels.
    #[inline]
    fn granted(&self, channels: u64) -> u64 {
        bits(self.channels & channels).fold(0, |all, channel| {
            let place = (self.channels & ((1 << channel) - 1)).count_ones();
            all | self.offers[place as usize]
        })
    }
}

/// The places of the bits that are set.
#[inline]
fn bits(mut mask: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let place = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (place < 64).then_some(place)
    })
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

/// What is needed to tell what a part is ready for.
pub(crate) struct Preparation<'a, P: Processes> {
    pub(crate) memory: &'a Memory<P>,
    pub(crate) row: &'a Row,
    pub(crate) encounters: &'a Encounters,
    pub(crate) channels: &'a Channels,
    pub(crate) labels: &'a Labels,
}

impl<P: Processes> Preparation<'_, P> {
    /// What a part is ready for in a global state. With `remember`, so are the offers of its components that may be asked for again.
    pub(crate) fn ready(
        &self,
        part: &Part,
        state: &[u32],
        remember: bool,
        draft: &mut Draft<P>,
    ) -> Result<Ready<P>, ModelError> {
        draft.clear();
        match part {
            Part::Component(component) => {
                let Some((local, offers)) = self.offers(*component, state, remember)? else {
                    return Ok(draft.finish());
                };
                let place = (*component, local);
                for (number, offer) in offers.iter().enumerate() {
                    self.add_offer(draft, state, place, (&offers, number), &offer.actions)?;
                }
                self.remember(remember, draft, local, &offers);
            }
            Part::Row(inner) => {
                if !self.add_steps_of_one(draft, inner, state, remember)? {
                    let joints = inner_joints(self.memory, inner, state)?;
                    for joint in &joints {
                        let begin = draft.moves.len() as u32;
                        for (component, local) in &joint.moves {
                            draft.moves.push(self.memory.go(*component, state, *local));
                        }
                        let moves = begin..draft.moves.len() as u32;
                        self.add(draft, state, &joint.actions, moves, joint.open.clone())?;
                    }
                    if !self.encounters.is_empty() {
                        draft.joints = Some(Arc::from(joints));
                    }
                }
            }
        }
        Ok(draft.finish())
    }

    /// The local state of a component, and what it offers there.
    fn offers(
        &self,
        component: ComponentId,
        state: &[u32],
        remember: bool,
    ) -> Result<Option<(LocalId, Offers<P>)>, ModelError> {
        let Some(local) = self.memory.local(component, state) else {
            return Ok(None);
        };
        let Memory {
            processes, offered, ..
        } = self.memory;
        let has_others = self.memory.locals.len() > 1;
        let offers = match remember && has_others {
            true => offered.at_first(processes, local),
            false => offered.of(processes, local),
        };
        Ok(Some((local, offers?)))
    }

    /// Keeps offers that may be asked for again.
    fn remember(&self, remember: bool, draft: &Draft<P>, local: LocalId, offers: &Offers<P>) {
        if remember && draft.needs_offers() {
            self.memory.offered.remember(local, offers);
        }
    }

    /// Adds an offer of a component whose actions are called like this.
    fn add_offer(
        &self,
        draft: &mut Draft<P>,
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
                open = Some(OpenAt::new(offers, place, number, actions.len()).keep());
            }
        }
        let moves = begin..draft.moves.len() as u32;
        self.add(draft, state, actions, moves, open)
    }

    /// Adds the steps of a row of one component that only get other names there; whether it is such a row.
    fn add_steps_of_one(
        &self,
        draft: &mut Draft<P>,
        row: &Row,
        state: &[u32],
        remember: bool,
    ) -> Result<bool, ModelError> {
        let [Part::Component(component)] = row.parts[..] else {
            return Ok(false);
        };
        let Some((local, offers)) = self.offers(component, state, remember)? else {
            return Ok(false);
        };
        let Some(steps) = steps_of_one(self.memory, row, &offers) else {
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
        draft: &mut Draft<P>,
        state: &[u32],
        actions: &[OfferedAction<P::Value>],
        moves: Range<u32>,
        open: Option<OpenOffer<P>>,
    ) -> Result<(), ModelError> {
        if let Some(open) = open {
            return self.add_open(draft, state, actions, moves, open);
        }
        if actions.is_empty() {
            draft.unusual.internal.push(moves);
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
                draft.unusual.mixed.push(name);
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
        draft: &mut Draft<P>,
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
        draft.masks.sends |= bit(channel.0);
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

    fn add_alone(&self, draft: &mut Draft<P>, mut action: MultiAction, moves: Range<u32>) {
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
        draft: &mut Draft<P>,
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
                    .close_anew(open.at(), &vec![None; unknown(offered)])?
                {
                    let moves = self.add_moves(draft, state, &moves, &open, closed.target);
                    draft.unusual.internal.push(moves);
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
            draft.unusual.mixed.push(name);
        }
        if self.encounters.has_alone(name) && !rest {
            for closed in self
                .memory
                .close_anew(open.at(), &vec![None; unknown(offered)])?
            {
                let moves = self.add_moves(draft, state, &moves, &open, closed.target);
                self.add_alone(draft, vec![(name, closed.arguments[0])], moves);
            }
        }
        if !self.encounters.of(name).is_empty() {
            if rest {
                draft.masks.receives_rest |= bit(name.0);
                draft.add_name(name, How::Rest);
            } else {
                draft.masks.receives |= bit(name.0);
                draft.add_name(name, How::Received);
            }
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
        draft: &mut Draft<P>,
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
    fn add_plans(&self, draft: &mut Draft<P>, actions: &[OfferedAction<P::Value>], slots: usize) {
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
            if covered && plan.len() >= slots && !draft.unusual.plans.contains(&number) {
                draft.unusual.plans.push(number);
            }
        }
    }
}

/// What was found out so far of what a part is ready for.
pub(crate) struct Draft<P: Processes> {
    alone: Vec<(LabelId, Range<u32>)>,
    sent: Vec<Sent>,
    receivers: Vec<Receiver<P>>,
    names: Vec<(Name, How)>,
    unusual: Unusual,
    masks: Masks,
    joints: Option<Arc<[Joint<P>]>>,
    moves: Vec<Move>,
}

impl<P: Processes> Draft<P> {
    pub(crate) fn new() -> Draft<P> {
        Draft {
            alone: Vec::new(),
            sent: Vec::new(),
            receivers: Vec::new(),
            names: Vec::new(),
            unusual: Unusual::default(),
            masks: Masks::default(),
            joints: None,
            moves: Vec::new(),
        }
    }

    fn clear(&mut self) {
        self.alone.clear();
        self.sent.clear();
        self.receivers.clear();
        self.names.clear();
        self.unusual.clear();
        self.masks = Masks::default();
        self.joints = None;
        self.moves.clear();
    }

    fn moves(&self, range: &Range<u32>) -> &[Move] {
        &self.moves[as_places(range)]
    }

    fn add_name(&mut self, name: Name, how: How) {
        match self.names.binary_search_by_key(&name, |(name, _)| *name) {
            Ok(place) => self.names[place].1 = self.names[place].1.max(how),
            Err(place) => self.names.insert(place, (name, how)),
        }
    }

    /// Whether the general join may ask for the offers themselves.
    fn needs_offers(&self) -> bool {
        let Unusual { plans, mixed, .. } = &self.unusual;
        !(self.receivers.is_empty() && plans.is_empty() && mixed.is_empty())
    }

    /// That is all. There are many of these, so none keeps room that it does not need.
    fn finish(&mut self) -> Ready<P> {
        let Unusual {
            internal,
            plans,
            mixed,
        } = &self.unusual;
        let wishes = Wishes::new(&self.sent);
        let masks = Masks {
            wanted: wishes.channels,
            wanted_names: wishes.names | wishes.names_rest,
            has_alone: !self.alone.is_empty(),
            has_internal: !internal.is_empty(),
            has_more: !internal.is_empty()
                || self.masks.receives != 0
                || !(plans.is_empty() && mixed.is_empty()),
            ..self.masks
        };
        let is_usual = self.unusual.is_empty();
        Ready {
            alone: self.alone.drain(..).collect(),
            sent: self.sent.drain(..).collect(),
            receivers: self.receivers.drain(..).collect(),
            names: self.names[..].into(),
            unusual: (!is_usual).then(|| Box::new(self.unusual.clone())),
            masks,
            wishes,
            joints: self
                .joints
                .take()
                .map_or_else(OnceLock::new, OnceLock::from),
            moves: self.moves[..].into(),
        }
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

    /// Calls back with the offers to meet that can have partners among what is on offer, in order.
    #[inline]
    pub(crate) fn hopeful<'a>(&'a self, masks: &Masks, mut found: impl FnMut(&'a Sent)) {
        let wishes = &self.wishes;
        let received = masks.received();
        let names = wishes.names & masks.receives | wishes.names_rest & received;
        if names == 0 && self.sent.len() <= 64 {
            for place in bits(wishes.granted(masks.sends)) {
                found(&self.sent[place as usize]);
            }
            return;
        }
        for sent in &self.sent {
            let receivers = if sent.ordinary {
                masks.receives
            } else {
                received
            };
            if sent.partners & masks.sends | sent.others & receivers != 0 {
                found(sent);
            }
        }
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
