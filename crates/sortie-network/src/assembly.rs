//! The steps of a global state when its parts are brought together all at once: every kind of step is found here.
//!
//! Steps that a part makes alone are listed as they are. Offers to meet are hung up under their channel, and each meets those that hang
//! under the channels it communicates with already; receivers of a name come last. What is rarer (several open partners, offers of several
//! actions, combinations with different data) is left to the general join.

use crate::channel::{Channel, ChannelId};
use crate::emission::Emission;
use crate::exchange::Exchanged;
use crate::gathering::{Gathering, Hall, Listener, NONE};
use crate::network::Network;
use crate::offer::{Name, Processes};
use crate::outermost::{Departures, join_by, source};
use crate::part::Shown;
use crate::ready::{How, Masks, Ready, Receiver};
use sortie_model::{Fingerprint, Fingerprinter, LabelId, ModelError};

/// So many parts can receive from one another without the general join.
const EXCHANGE: usize = 4;

/// What one thread needs to bring all parts together at once.
pub(crate) struct Assembly {
    gathering: Gathering,
}

impl Assembly {
    pub(crate) fn new(names: usize) -> Assembly {
        Assembly {
            gathering: Gathering::new(names),
        }
    }

    /// Lists all steps of a state.
    pub(crate) fn expand<'a, P: Processes>(
        &'a mut self,
        network: &'a Network<P>,
        parts: &'a mut [Shown<P>],
        departures: &'a mut Departures,
        state: &'a [u32],
        mut emission: Emission<'a>,
    ) -> Result<Emission<'a>, ModelError> {
        let Assembly { gathering } = self;
        gathering.begin();
        let mut all = Masks::default();
        for (number, shown) in parts.iter_mut().enumerate() {
            shown.turn_to(network, number, state)?;
            all.add(&shown.ready().masks);
        }
        for (number, shown) in parts.iter().enumerate() {
            let ready = shown.ready();
            if ready.masks.is_idle(&all) {
                continue;
            }
            if !all.has_internal {
                for (label, moves) in &ready.alone {
                    emission.emit(*label, ready.moves(moves));
                }
            }
            ready.hopeful(&all, |sent| {
                gathering.has_rest |= !sent.ordinary;
                let (part, moves) = (number as u32, ready.moves(&sent.moves));
                let channel = network.channel(sent);
                if !all.has_internal {
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
            gathering,
            departures,
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
        Ok(product.emission)
    }
}

/// Everything but what is sent on channels.
#[inline]
fn gather<P: Processes>(gathering: &mut Gathering, part: u32, ready: &Ready<P>, needs_names: bool) {
    let now = gathering.now;
    for moves in ready.internal() {
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
            next,
        });
    }
    if needs_names {
        for (name, _) in &ready.names {
            gathering.names[name.0 as usize].offered = now;
        }
        for name in ready.mixed() {
            gathering.names[name.0 as usize].offered = now;
        }
    }
    for plan in ready.plans() {
        gathering.want(*plan);
    }
}

struct Product<'a, P: Processes> {
    network: &'a Network<P>,
    state: &'a [u32],
    parts: &'a [Shown<P>],
    gathering: &'a mut Gathering,
    departures: &'a mut Departures,
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
        let channels = &self.network.channels;
        for index in 0..self.gathering.touched.len() {
            let number = self.gathering.touched[index];
            let channel = channels.known(number);
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
            let part = listener.part;
            let shown = &parts[part as usize];
            let receiver = &shown.ready().receivers[listener.number as usize];
            if !receiver.may_hear(channel) {
                continue;
            }
            let besides = shown.ready().moves(&receiver.moves);
            let mut at = self.gathering.head(number);
            let mut targets = None;
            while at != NONE {
                let node = self.gathering.nodes[at as usize];
                at = node.next;
                if node.part == part {
                    continue;
                }
                let targets = match &targets {
                    Some(known) => known,
                    None => targets.insert(self.network.receptions.moves(
                        self.network,
                        self.state,
                        receiver,
                        channel.arguments,
                        shown.number().is_some(),
                    )?),
                };
                for moved in &**targets {
                    self.gathering.choose(node);
                    self.gathering.chosen.extend_from_slice(besides);
                    self.gathering.chosen.push(*moved);
                    self.gathering.chosen_parts.push(part);
                    self.emit(label);
                    self.gathering.chosen.clear();
                    self.gathering.chosen_parts.clear();
                }
            }
        }
        Ok(())
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
        let sources: Result<Vec<_>, _> = (0..self.parts.len())
            .map(|part| source(network, self.parts, part, self.state))
            .collect();
        let chosen = Some(plans.iter().copied());
        let (state, departures) = (self.state, &mut *self.departures);
        join_by(
            network,
            departures,
            state,
            sources?,
            chosen,
            |label, moves| {
                self.emission.emit(label, moves);
            },
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

    /// Parts that receive from one another. What comes of it depends on their states alone.
    fn exchange_between(&mut self, plan: usize, chosen: &[u32]) -> Result<(), ModelError> {
        let exchanges = &self.network.exchanges;
        let print = self.states_of(plan, chosen);
        let fresh;
        let exchanged = match (print.and_then(|print| exchanges.find(print)), print) {
            (Some(known), _) => known,
            (None, Some(print)) => {
                let exchanged = self.list_exchange(plan, chosen)?;
                self.network.count(exchanged.bytes());
                exchanges.enter(print, exchanged)
            }
            (None, None) => {
                fresh = self.list_exchange(plan, chosen)?;
                &fresh
            }
        };
        for (label, moves) in exchanged.steps() {
            self.emission.emit(label, moves);
        }
        Ok(())
    }

    /// A fingerprint of a plan and the states of parts, if those are remembered.
    fn states_of(&self, plan: usize, chosen: &[u32]) -> Option<Fingerprint> {
        let mut states = [u64::MAX; EXCHANGE];
        for (place, part) in states.iter_mut().zip(chosen) {
            let number = self.parts[*part as usize].number()?;
            *place = u64::from(*part) << 32 | u64::from(number);
        }
        states[..chosen.len()].sort_unstable();
        let mut print = Fingerprinter::new();
        states.iter().for_each(|state| print.mix(*state));
        print.mix(plan as u64);
        Some(print.fingerprint())
    }

    fn list_exchange(&mut self, plan: usize, chosen: &[u32]) -> Result<Exchanged, ModelError> {
        let source = |part: &u32| source(self.network, self.parts, *part as usize, self.state);
        let sources: Result<Vec<_>, _> = chosen.iter().map(source).collect();
        let plan = Some(std::iter::once(plan));
        let mut exchanged = Exchanged::default();
        join_by(
            self.network,
            self.departures,
            self.state,
            sources?,
            plan,
            |label, moves| exchanged.add(label, moves),
        )?;
        Ok(exchanged)
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
