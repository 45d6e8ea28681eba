//! What a part of a network is ready to do in one of its states, sorted by how it comes about: alone, with partners on a channel, or in a
//! way that only the general join can tell. It is worked out once per state of the part, so that the product of many parts only has to
//! bring together what is listed here.

use crate::channel::{ChannelId, Channels};
use crate::join::{Joint, inner_joints};
use crate::labels::Labels;
use crate::locals::Offers;
use crate::memory::{Memory, OpenOffer};
use crate::offer::{Arguments, ArgumentsId, LocalId, Name, OfferedAction, Processes, Target};
use crate::operators::MultiAction;
use crate::row::{Encounters, Part, Row};
use sortie_model::{LabelId, ModelError};
use std::ops::Range;
use std::sync::Arc;

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
    /// Internal steps, which may happen together with any other.
    pub(crate) internal: Vec<Range<u32>>,
    /// Offers to meet on a channel.
    pub(crate) sent: Vec<Sent>,
    /// Offers to meet on all channels of a name.
    pub(crate) receivers: Vec<Receiver<P>>,
    /// Plans for which the general join has to look at this part.
    pub(crate) plans: Vec<usize>,
    /// Names that are part of plans with different data.
    pub(crate) mixed: Vec<Name>,
    /// The names of `sent` and `receivers`, sorted, and how they are offered at most.
    pub(crate) names: Vec<(Name, How)>,
    /// The channels of `sent`, as bits.
    pub(crate) sends: u64,
    /// The names of `receivers`, as bits, and those that only count for values that are not ordinary.
    pub(crate) receives: u64,
    pub(crate) receives_rest: u64,
    /// The steps of a part with operators of its own.
    pub(crate) joints: Option<Arc<[Joint<P>]>>,
    moves: Vec<Move>,
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

/// Channels and names are told apart by 64 bits, in vain now and then.
fn bit(number: u32) -> u64 {
    1 << (number % 64)
}

/// An open offer of one action.
pub(crate) struct Receiver<P: Processes> {
    pub(crate) name: Name,
    /// Whether it only counts for data that is not ordinary.
    pub(crate) rest: bool,
    pub(crate) open: OpenOffer<P>,
    /// What moves besides.
    pub(crate) moves: Range<u32>,
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
    ) -> Result<Ready<P>, ModelError> {
        let mut ready = Ready {
            alone: Vec::new(),
            internal: Vec::new(),
            sent: Vec::new(),
            receivers: Vec::new(),
            plans: Vec::new(),
            mixed: Vec::new(),
            names: Vec::new(),
            sends: 0,
            receives: 0,
            receives_rest: 0,
            joints: None,
            moves: Vec::new(),
        };
        match part {
            Part::Component(component) => {
                let Some(local) = self.memory.local(*component, state) else {
                    return Ok(ready);
                };
                let place = component.0 as usize;
                let locals = &self.memory.locals[place];
                let offers: Offers<P> =
                    locals.offers(&self.memory.processes, state[place], false)?;
                for (number, offer) in offers.iter().enumerate() {
                    let begin = ready.moves.len() as u32;
                    let mut open = None;
                    match offer.target {
                        Target::Known(target) => {
                            ready.moves.push(self.memory.go(*component, state, target));
                        }
                        Target::Open(_) | Target::Rest(_) => {
                            open = Some(OpenOffer {
                                component: *component,
                                local,
                                offers: Arc::clone(&offers),
                                offer: number,
                                origin: (0..offer.actions.len()).collect(),
                            });
                        }
                    }
                    let moves = begin..ready.moves.len() as u32;
                    self.add(&mut ready, state, &offer.actions, moves, open)?;
                }
                if remember && ready.needs_offers() {
                    locals.remember(state[place], offers);
                }
            }
            Part::Row(inner) => {
                let joints = inner_joints(self.memory, inner, state)?;
                for joint in &joints {
                    let begin = ready.moves.len() as u32;
                    for (component, local) in &joint.moves {
                        ready.moves.push(self.memory.go(*component, state, *local));
                    }
                    let moves = begin..ready.moves.len() as u32;
                    self.add(&mut ready, state, &joint.actions, moves, joint.open.clone())?;
                }
                if !self.encounters.is_empty() {
                    ready.joints = Some(joints.into());
                }
            }
        }
        Ok(ready)
    }

    fn add(
        &self,
        ready: &mut Ready<P>,
        state: &[u32],
        actions: &[OfferedAction<P::Value>],
        moves: Range<u32>,
        open: Option<OpenOffer<P>>,
    ) -> Result<(), ModelError> {
        if let Some(open) = open {
            return self.add_open(ready, state, actions, moves, open);
        }
        if actions.is_empty() {
            ready.internal.push(moves);
            return Ok(());
        }
        let known = |action: &OfferedAction<P::Value>| match action.arguments {
            Arguments::Known(id) => (action.name, id),
            Arguments::Open(_) => unreachable!("only open offers have unknown arguments"),
        };
        let action: MultiAction = actions.iter().map(known).collect();
        if let [(name, arguments)] = *action {
            if !self.encounters.of(name).is_empty() {
                self.add_sent(ready, name, arguments, moves.clone());
            }
            if self.encounters.is_mixed(name) {
                ready.mixed.push(name);
            }
        } else {
            self.add_plans(ready, actions, actions.len() + 1);
        }
        self.add_alone(ready, action, moves);
        Ok(())
    }

    fn add_sent(
        &self,
        ready: &mut Ready<P>,
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
        ready.sends |= bit(channel.0);
        ready.add_name(name, How::Sent);
        ready.sent.push(Sent {
            channel,
            name,
            arguments,
            moves,
            partners,
            others,
            ordinary: self.memory.processes.is_ordinary(arguments),
        });
    }

    fn add_alone(&self, ready: &mut Ready<P>, mut action: MultiAction, moves: Range<u32>) {
        if !self.row.operators.iter().all(|o| o.apply(&mut action)) {
            return;
        }
        let label = self.labels.of(&self.memory.processes, &mut action);
        let same = |(other, of): &(LabelId, Range<u32>)| {
            *other == label && ready.moves(of) == ready.moves(&moves)
        };
        if !ready.alone.iter().any(same) {
            ready.alone.push((label, moves));
        }
    }

    fn add_open(
        &self,
        ready: &mut Ready<P>,
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
                    let moves = self.add_moves(ready, state, &moves, &open, closed.target);
                    ready.internal.push(moves);
                }
            }
            self.add_plans(ready, actions, actions.len());
            return Ok(());
        };
        if offered.len() > 1 {
            self.add_plans(ready, actions, actions.len());
            return Ok(());
        }
        let name = action.name;
        let rest = matches!(open.offers[open.offer].target, Target::Rest(_));
        if self.encounters.is_mixed(name) {
            ready.mixed.push(name);
        }
        if self.encounters.has_alone(name) && !rest {
            for closed in self
                .memory
                .close_anew(&open, &vec![None; unknown(offered)])?
            {
                let moves = self.add_moves(ready, state, &moves, &open, closed.target);
                self.add_alone(ready, vec![(name, closed.arguments[0])], moves);
            }
        }
        if !self.encounters.of(name).is_empty() {
            if rest {
                ready.receives_rest |= bit(name.0);
                ready.add_name(name, How::Rest);
            } else {
                ready.receives |= bit(name.0);
                ready.add_name(name, How::Received);
            }
            ready.receivers.push(Receiver {
                name,
                rest,
                open,
                moves,
            });
        }
        Ok(())
    }

    /// The moves of a joint step whose open offer was closed.
    fn add_moves(
        &self,
        ready: &mut Ready<P>,
        state: &[u32],
        certain: &Range<u32>,
        open: &OpenOffer<P>,
        target: LocalId,
    ) -> Range<u32> {
        let begin = ready.moves.len() as u32;
        ready.moves.extend_from_within(as_places(certain));
        let moved = self.memory.go(open.component, state, target);
        ready.moves.push(moved);
        begin..ready.moves.len() as u32
    }

    /// The general join has to look at the plans with all these names, and at least so many slots.
    fn add_plans(&self, ready: &mut Ready<P>, actions: &[OfferedAction<P::Value>], slots: usize) {
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
            if covered && plan.len() >= slots && !ready.plans.contains(&number) {
                ready.plans.push(number);
            }
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

fn as_places(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}

impl<P: Processes> Ready<P> {
    #[inline]
    pub(crate) fn moves(&self, range: &Range<u32>) -> &[Move] {
        &self.moves[as_places(range)]
    }

    fn add_name(&mut self, name: Name, how: How) {
        match self.names.binary_search_by_key(&name, |(name, _)| *name) {
            Ok(place) => self.names[place].1 = self.names[place].1.max(how),
            Err(place) => self.names.insert(place, (name, how)),
        }
    }

    /// How the name is offered for a meeting.
    pub(crate) fn offers(&self, name: Name) -> Option<How> {
        let place = self.names.binary_search_by_key(&name, |(name, _)| *name);
        place.ok().map(|place| self.names[place].1)
    }

    /// Whether the general join may ask for the offers themselves.
    fn needs_offers(&self) -> bool {
        !(self.receivers.is_empty() && self.plans.is_empty() && self.mixed.is_empty())
    }

    /// Memory, nearly.
    pub(crate) fn bytes(&self) -> u64 {
        let lists = self.alone.len() * 12
            + self.internal.len() * 8
            + self.sent.len() * size_of::<Sent>()
            + self.receivers.len() * (size_of::<Receiver<P>>() + 64)
            + self.moves.len() * size_of::<Move>();
        (size_of::<Self>() + lists) as u64
    }
}
