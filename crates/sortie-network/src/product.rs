//! The steps of a global state: what the parts are ready for, brought together.
//!
//! Steps that a part makes alone are listed as they are. Offers to meet are hung up under their channel, and each meets those that hang
//! under the channels it communicates with already; receivers of a name come last. What is rarer (several open partners, offers of several
//! actions, combinations with different data) is left to the general join.

use crate::channel::{Channel, ChannelId};
use crate::emission::{Emission, Marks, Prints};
use crate::gathering::{Gathering, Hall, Head, Listener, NONE};
use crate::join::{Joint, Output, Source, join, too_many_combinations};
use crate::network::Network;
use crate::offer::{ArgumentsId, LocalId, Name, Processes};
use crate::operators::MultiAction;
use crate::part::Shown;
use crate::ready::{How, Masks, Move, Ready, Receiver, Sent};
use crate::row::Part;
use crate::tree::ComponentId;
use sortie_model::{Fingerprint, Fingerprinter, LabelId, ModelError, Steps};
use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::ops::Range;
use std::sync::Arc;

/// What one thread needs to expand states; most of it are copies of what is shared, read without locks.
pub(crate) struct Scratch<P: Processes> {
    pub(crate) parts: Vec<Shown<P>>,
    channels: Vec<Option<Arc<Channel>>>,
    gathering: Gathering,
    receptions: Receptions,
    exchanges: Exchanges,
    marks: Marks,
    pub(crate) prints: Prints,
}

impl<P: Processes> Scratch<P> {
    pub(crate) fn new(network: &Network<P>) -> Scratch<P> {
        Scratch {
            parts: network.row.parts.iter().map(|_| Shown::new()).collect(),
            channels: Vec::new(),
            gathering: Gathering::new(network.names()),
            receptions: Receptions::default(),
            exchanges: Exchanges::default(),
            marks: Marks::default(),
            prints: Prints::new(network.memory.locals.len()),
        }
    }
}

/// Component and word; number of the offer and arguments.
type Reception = (u64, u64);

/// Where receivers go with what they receive.
#[derive(Default)]
struct Receptions {
    /// The first and the last place among the moves.
    known: HashMap<Reception, (u32, u32), BuildHasherDefault<Fingerprinter>>,
    moves: Vec<Move>,
}

/// So many parts can receive from one another without the general join.
const EXCHANGE: usize = 4;

/// Parts with the numbers of their states, and the number of a plan.
type Exchange = ([u64; EXCHANGE], u64);

/// Steps of parts that wait for data of each other.
#[derive(Default)]
struct Exchanges {
    /// The first and the last place among the steps.
    known: HashMap<Exchange, (usize, usize), BuildHasherDefault<Fingerprinter>>,
    steps: Vec<(LabelId, Range<u32>)>,
    moves: Vec<Move>,
}

/// Lists all steps of a state.
pub(crate) fn expand<P: Processes>(
    network: &Network<P>,
    scratch: &mut Scratch<P>,
    state: &[u32],
    steps: &mut Steps,
) -> Result<(), ModelError> {
    let Scratch {
        parts,
        channels,
        gathering,
        receptions,
        exchanges,
        marks,
        prints,
    } = scratch;
    let mut emission = Emission::new(&network.memory, state, steps, marks, prints);
    if network.row.plans.is_none() {
        let mut sources = Vec::new();
        for part in &network.row.parts {
            sources.push(match part {
                Part::Component(component) => {
                    Source::of_component(&network.memory, *component, state)?
                }
                Part::Row(inner) => {
                    Source::Row(crate::join::inner_joints(&network.memory, inner, state)?.into())
                }
            });
        }
        let mut found = Found {
            network,
            state,
            output: |label, moves: &[Move]| emission.emit(label, moves),
        };
        let nothing = None::<std::iter::Empty<usize>>;
        join(&network.memory, &network.row, sources, nothing, &mut found)?;
    } else {
        gathering.begin();
        let mut all = Masks::default();
        for (number, shown) in parts.iter_mut().enumerate() {
            shown.turn_to(network, number, state)?;
            all.add(&shown.offer);
        }
        for (number, shown) in parts.iter().enumerate() {
            if shown.offer.is_idle(&all) {
                continue;
            }
            let ready = shown.ready();
            if !all.has_internal {
                for (label, moves) in &ready.alone {
                    emission.emit(*label, ready.moves(moves));
                }
            }
            ready.hopeful(&all, |sent| {
                gathering.has_rest |= !sent.ordinary;
                let (part, moves) = (number as u32, ready.moves(&sent.moves));
                let place = sent.channel.0 as usize;
                if !matches!(channels.get(place), Some(Some(_))) {
                    learn(channels, gathering, network, sent);
                }
                if let (Some(channel), false) = (&channels[place], all.has_internal) {
                    gathering.pair_up(network, channel, part, moves, &mut emission);
                }
                gathering.hang_up(sent.channel, part, moves);
            });
        }
        let has_more = all.has_more || gathering.has_rest;
        let needs_names = network.encounters.needs_names();
        if has_more {
            for (number, shown) in parts.iter().enumerate() {
                gather(gathering, number as u32, shown.ready(), needs_names);
            }
        }
        let mut product = Product {
            network,
            state,
            parts,
            channels,
            gathering,
            receptions,
            exchanges,
            emission,
        };
        if all.has_internal {
            product.alone();
        }
        if has_more || needs_names {
            product.together()?;
        }
        if has_more {
            product.otherwise()?;
        }
        emission = product.emission;
    }
    if emission.is_empty() {
        network.terminate(state, &mut emission);
    }
    if emission.is_spent() {
        return Err(too_many_combinations(network.memory.combinations));
    }
    Ok(())
}

/// Looks up a channel that was never met before.
#[cold]
fn learn<P: Processes>(
    channels: &mut Vec<Option<Arc<Channel>>>,
    gathering: &mut Gathering,
    network: &Network<P>,
    sent: &Sent,
) {
    let place = sent.channel.0 as usize;
    if place >= channels.len() {
        channels.resize(place + 1, None);
        gathering.heads.resize(place + 1, Head::default());
    }
    let what = (sent.name, sent.arguments);
    let channel = network.channels.channel(
        sent.channel,
        what,
        &network.memory.processes,
        &network.encounters,
    );
    channels[place] = Some(channel);
}

/// Everything but what is sent on channels.
#[inline]
fn gather<P: Processes>(gathering: &mut Gathering, part: u32, ready: &Ready<P>, needs_names: bool) {
    let now = gathering.now;
    for moves in &ready.internal {
        let node = gathering.node(part, ready.moves(moves), NONE);
        gathering.internal.push(node);
    }
    for (number, receiver) in ready.receivers.iter().enumerate() {
        if receiver.rest && !gathering.has_rest {
            continue;
        }
        let hall = &mut gathering.names[receiver.name.0 as usize];
        let next = if hall.received == now {
            hall.first
        } else {
            NONE
        };
        *hall = Hall {
            offered: now,
            received: now,
            first: gathering.listeners.len() as u32,
        };
        gathering.listeners.push(Listener {
            part,
            number: number as u32,
            rest: receiver.rest,
            known: receiver.known,
            next,
        });
    }
    if needs_names {
        for (name, _) in &ready.names {
            gathering.names[name.0 as usize].offered = now;
        }
        for name in &ready.mixed {
            gathering.names[name.0 as usize].offered = now;
        }
    }
    for plan in &ready.plans {
        gathering.want(*plan);
    }
}

struct Product<'a, P: Processes> {
    network: &'a Network<P>,
    state: &'a [u32],
    parts: &'a [Shown<P>],
    channels: &'a [Option<Arc<Channel>>],
    gathering: &'a mut Gathering,
    receptions: &'a mut Receptions,
    exchanges: &'a mut Exchanges,
    emission: Emission<'a>,
}

impl<P: Processes> Product<'_, P> {
    /// Steps of single parts together with internal steps of others, and internal steps.
    fn alone(&mut self) {
        let parts = self.parts;
        for (number, shown) in parts.iter().enumerate() {
            let ready = shown.ready();
            for (label, moves) in &ready.alone {
                let node = self.gathering.node(number as u32, ready.moves(moves), NONE);
                self.gathering.choose(node);
                self.emit(*label);
                self.gathering.unchoose(node);
            }
        }
        for index in 0..self.gathering.internal.len() {
            let node = self.gathering.internal[index];
            self.gathering.choose(node);
            self.emit_with_internal(self.network.tau, index + 1);
            self.gathering.unchoose(node);
        }
    }

    /// Meetings on channels, without those of two unless others may take internal steps besides.
    fn together(&mut self) -> Result<(), ModelError> {
        let channels = self.channels;
        for index in 0..self.gathering.touched.len() {
            let number = self.gathering.touched[index];
            let channel = channels[number.0 as usize]
                .as_deref()
                .expect("channels are looked up before an offer is hung up");
            for meeting in &channel.meetings {
                let label = || {
                    let processes = &self.network.memory.processes;
                    meeting.label(&self.network.labels, processes, channel.arguments)
                };
                let is_new = meeting.pair.is_none() || !self.gathering.internal.is_empty();
                if let Some(partners) = &meeting.partners
                    && is_new
                    && partners
                        .iter()
                        .all(|partner| self.gathering.head(*partner) != NONE)
                {
                    let label = label();
                    self.meet((number, NONE), partners, label);
                }
                if let Some((_, other)) = meeting.pair
                    && self.gathering.receives(other)
                {
                    let label = label();
                    self.receive(number, channel, other, label)?;
                }
            }
        }
        Ok(())
    }

    /// Chooses an offer on the channel, and then on those that remain. Offers on one channel are chosen in one order only, each after
    /// the one before.
    fn meet(&mut self, (channel, before): (ChannelId, u32), rest: &[ChannelId], label: LabelId) {
        let mut at = match before {
            NONE => self.gathering.head(channel),
            before => self.gathering.nodes[before as usize].next,
        };
        while at != NONE && !self.emission.is_spent() {
            let node = self.gathering.nodes[at as usize];
            if !self.gathering.chosen_parts.contains(&node.part) {
                self.gathering.choose(node);
                match rest {
                    [] => self.emit(label),
                    [next, rest @ ..] => {
                        let before = if *next == channel { at } else { NONE };
                        self.meet((*next, before), rest, label);
                    }
                }
                self.gathering.unchoose(node);
            }
            at = node.next;
        }
    }

    /// All offers on a channel with all receivers of a name.
    fn receive(
        &mut self,
        number: ChannelId,
        channel: &Channel,
        name: Name,
        label: LabelId,
    ) -> Result<(), ModelError> {
        let parts = self.parts;
        let mut listening = self.gathering.names[name.0 as usize].first;
        while listening != NONE {
            let listener = self.gathering.listeners[listening as usize];
            listening = listener.next;
            let fits =
                |(place, digest): (u32, u32)| channel.digests.get(place as usize) == Some(&digest);
            if listener.rest && channel.ordinary || !listener.known.is_none_or(fits) {
                continue;
            }
            let part = listener.part;
            let shown = &parts[part as usize];
            let receiver = &shown.ready().receivers[listener.number as usize];
            let besides = shown.ready().moves(&receiver.moves);
            let mut at = self.gathering.head(number);
            let mut targets = None;
            while at != NONE {
                let node = self.gathering.nodes[at as usize];
                at = node.next;
                if node.part == part {
                    continue;
                }
                let (first, last) = match targets {
                    Some(known) => known,
                    None => {
                        self.reception(receiver, channel.arguments, shown.number().is_some())?
                    }
                };
                targets = Some((first, last));
                for place in first..last {
                    let moved = self.receptions.moves[place as usize];
                    self.gathering.choose(node);
                    self.gathering.chosen.extend_from_slice(besides);
                    self.gathering.chosen.push(moved);
                    self.gathering.chosen_parts.push(part);
                    self.emit(label);
                    self.gathering.chosen.clear();
                    self.gathering.chosen_parts.clear();
                }
            }
            if let (false, Some((first, _))) = (shown.number().is_some(), targets) {
                self.receptions.moves.truncate(first as usize);
            }
        }
        Ok(())
    }

    /// The moves of a receiver that gets these arguments, as places among those of the receptions.
    fn reception(
        &mut self,
        receiver: &Receiver<P>,
        arguments: ArgumentsId,
        remember: bool,
    ) -> Result<(u32, u32), ModelError> {
        let open = &receiver.open;
        let word = self.state[open.component.0 as usize];
        let both = |one: u32, other: u32| u64::from(one) << 32 | u64::from(other);
        let key = (
            both(open.component.0, word),
            both(open.offer as u32, arguments.0),
        );
        if let Some(known) = self.receptions.known.get(&key) {
            return Ok(*known);
        }
        let first = self.receptions.moves.len() as u32;
        let memory = &self.network.memory;
        for closed in self.network.received(open, arguments)? {
            let moved = memory.go(open.component, self.state, closed.target);
            if !self.receptions.moves[first as usize..].contains(&moved) {
                self.receptions.moves.push(moved);
            }
        }
        let places = (first, self.receptions.moves.len() as u32);
        if remember {
            self.receptions.known.insert(key, places);
            self.network.count(48);
        }
        Ok(places)
    }

    /// What the general join has to find.
    fn otherwise(&mut self) -> Result<(), ModelError> {
        let network = self.network;
        for (plan, names) in &network.encounters.mixed {
            if names.iter().all(|name| self.gathering.has(*name)) {
                self.gathering.want(*plan);
            }
        }
        let mut chosen = std::mem::take(&mut self.gathering.chosen_parts);
        for index in 0..self.gathering.listeners.len() {
            let Listener { part, number, .. } = self.gathering.listeners[index];
            let Receiver { name, rest, .. } = *self.receiver(part, number);
            for encounter in network.encounters.of(name) {
                if rest && encounter.others.len() == 1 {
                    continue;
                }
                let complete = match *encounter.others {
                    [other] => self.gathering.receives(other),
                    ref others => others.iter().all(|name| self.gathering.has(*name)),
                };
                if !complete {
                    continue;
                }
                if !self.gathering.internal.is_empty() || encounter.others.len() >= EXCHANGE {
                    self.gathering.want(encounter.plan);
                } else {
                    chosen.push(part);
                    self.exchange(encounter.plan, &encounter.others, &mut chosen)?;
                    chosen.clear();
                }
            }
        }
        self.gathering.chosen_parts = chosen;
        if self.gathering.plans.is_empty() {
            return Ok(());
        }
        let mut plans = std::mem::take(&mut self.gathering.plans);
        plans.sort_unstable();
        let sources: Result<Vec<_>, _> = (0..self.parts.len()).map(|p| self.source(p)).collect();
        let mut found = Found {
            network,
            state: self.state,
            output: |label, moves: &[Move]| self.emission.emit(label, moves),
        };
        let (memory, row) = (&network.memory, &network.row);
        join(
            memory,
            row,
            sources?,
            Some(plans.iter().copied()),
            &mut found,
        )?;
        self.gathering.plans = plans;
        Ok(())
    }

    /// Chooses a part for each of the names, and lists what the parts can do together by the plan. In a plan of two that is known already
    /// unless both receive.
    fn exchange(
        &mut self,
        plan: usize,
        names: &[Name],
        chosen: &mut Vec<u32>,
    ) -> Result<(), ModelError> {
        let [name, rest @ ..] = names else {
            return self.exchange_between(plan, chosen);
        };
        let parts = self.parts;
        let pair = chosen.len() == 1 && rest.is_empty();
        for (part, shown) in parts.iter().enumerate() {
            // In a pair, what one of them lists was received already.
            let least = if pair { How::Received } else { How::Sent };
            let offered = shown.ready().offers(*name);
            if offered >= Some(least) && !chosen.contains(&(part as u32)) {
                chosen.push(part as u32);
                self.exchange(plan, rest, chosen)?;
                chosen.pop();
            }
        }
        Ok(())
    }

    fn receiver(&self, part: u32, number: u32) -> &Receiver<P> {
        &self.parts[part as usize].ready().receivers[number as usize]
    }

    fn source(&self, part: usize) -> Result<Source<P>, ModelError> {
        match (
            &self.network.row.parts[part],
            &self.parts[part].ready().joints,
        ) {
            (Part::Component(component), _) => {
                Source::of_component(&self.network.memory, *component, self.state)
            }
            (Part::Row(_), Some(joints)) => Ok(Source::Row(Arc::clone(joints))),
            (Part::Row(_), None) => unreachable!("there are plans, so joints are kept"),
        }
    }

    /// Parts that receive from one another. What comes of it depends on their states alone.
    fn exchange_between(&mut self, plan: usize, chosen: &[u32]) -> Result<(), ModelError> {
        let mut among = [u64::MAX; EXCHANGE];
        let mut remembered = true;
        for (place, part) in among.iter_mut().zip(chosen) {
            match self.parts[*part as usize].number() {
                Some(number) => *place = u64::from(*part) << 32 | u64::from(number),
                None => remembered = false,
            }
        }
        among[..chosen.len()].sort_unstable();
        let key = (among, plan as u64);
        let known = self.exchanges.known.get(&key).filter(|_| remembered);
        let (begin, end) = match known {
            Some(known) => *known,
            None => {
                let sources = chosen.iter().map(|part| self.source(*part as usize));
                let sources = sources.collect::<Result<Vec<_>, _>>()?;
                let exchanges = &mut *self.exchanges;
                let begin = exchanges.steps.len();
                let mut found = Found {
                    network: self.network,
                    state: self.state,
                    output: |label, moves: &[Move]| {
                        let begin = exchanges.moves.len() as u32;
                        exchanges.moves.extend_from_slice(moves);
                        let moves = begin..exchanges.moves.len() as u32;
                        exchanges.steps.push((label, moves));
                    },
                };
                let (memory, row) = (&self.network.memory, &self.network.row);
                join(
                    memory,
                    row,
                    sources,
                    Some(std::iter::once(plan)),
                    &mut found,
                )?;
                let end = self.exchanges.steps.len();
                if remembered {
                    self.exchanges.known.insert(key, (begin, end));
                    self.network.count(64 + 80 * (end - begin) as u64);
                }
                (begin, end)
            }
        };
        for (label, moves) in &self.exchanges.steps[begin..end] {
            let moves = moves.start as usize..moves.end as usize;
            self.emission.emit(*label, &self.exchanges.moves[moves]);
        }
        if !remembered {
            self.exchanges.steps.truncate(begin);
            let moves = self
                .exchanges
                .steps
                .last()
                .map_or(0, |(_, moves)| moves.end);
            self.exchanges.moves.truncate(moves as usize);
        }
        Ok(())
    }

    /// The combination at hand, alone and with internal steps of other parts.
    #[inline]
    fn emit(&mut self, label: LabelId) {
        if self.gathering.internal.is_empty() {
            self.emission.emit(label, &self.gathering.chosen);
        } else {
            self.emit_with_internal(label, 0);
        }
    }

    fn emit_with_internal(&mut self, label: LabelId, from: usize) {
        self.emission.emit(label, &self.gathering.chosen);
        if self.emission.is_spent() {
            return;
        }
        for index in from..self.gathering.internal.len() {
            let node = self.gathering.internal[index];
            if !self.gathering.chosen_parts.contains(&node.part) {
                self.gathering.choose(node);
                self.emit_with_internal(label, index + 1);
                self.gathering.unchoose(node);
            }
        }
    }
}

/// What the general join finds, in words.
struct Found<'a, P: Processes, F> {
    network: &'a Network<P>,
    state: &'a [u32],
    output: F,
}

impl<P: Processes, F: FnMut(LabelId, &[Move])> Output<P> for Found<'_, P, F> {
    fn step(&mut self, action: &mut MultiAction, moves: &[(ComponentId, LocalId)]) {
        let memory = &self.network.memory;
        let label = self.network.labels.of(&memory.processes, action);
        let moves: Vec<Move> = moves
            .iter()
            .map(|(component, local)| memory.go(*component, self.state, *local))
            .collect();
        (self.output)(label, &moves);
    }

    fn open(&mut self, _joint: Joint<P>) {
        unreachable!("open steps are not accepted")
    }

    fn accepts_open(&self) -> bool {
        false
    }
}

impl<P: Processes> Scratch<P> {
    /// The fingerprint of a global state.
    pub(crate) fn fingerprint(&mut self, network: &Network<P>, state: &[u32]) -> Fingerprint {
        self.prints.state(&network.memory, state)
    }
}
