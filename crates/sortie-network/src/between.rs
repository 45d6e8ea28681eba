//! What two parts can do together in the states they are in, in full: the steps that a global state has because of these two.
//!
//! Each step has a key that says where it comes among the steps of a global state.

use crate::join::too_many_combinations;
use crate::network::Network;
use crate::offer::Processes;
use crate::outermost::{join_by, source};
use crate::pair_table::Span;
use crate::part::Shown;
use crate::ready::{How, Move};
use sortie_model::{LabelId, ModelError};

/// More parts than this are not taken in pairs.
pub(crate) const MOST_PARTS: usize = 1 << 12;

/// Keys from this one on belong to steps that come after those of all single parts and all meetings of two that both send.
pub(crate) const LATER: u64 = 1 << 62;

/// Longer lists are not searched for steps that are already there.
const LONG: usize = 64;

/// When a step is found.
#[derive(Clone, Copy)]
pub(crate) enum Turn {
    /// When the last part of it is looked at.
    Sent,
    /// When all parts were looked at, by channel.
    Received,
    /// When nothing else is left.
    Exchanged,
}

/// The place of a step: its turn, a part and the number of its offer, the number of a plan, and the other part.
pub(crate) fn key(turn: Turn, (part, offer): (usize, usize), plan: usize, other: usize) -> u64 {
    // Numbers beyond these fields are equal, and such steps come in the order in which they are found.
    let field = |number: usize| number.min((1 << 19) - 1) as u64;
    (turn as u64) << 62
        | (part as u64) << 50
        | field(offer) << 31
        | field(plan) << 12
        | other as u64
}

/// Parts that come last are looked at first.
pub(crate) fn last_first(part: usize) -> usize {
    MOST_PARTS - 1 - part
}

/// A step of one or two parts, ready to be listed.
#[derive(Clone, Copy)]
pub(crate) struct Prepared {
    /// What it adds to the fingerprint of the global state.
    pub(crate) change: u128,
    pub(crate) key: u64,
    pub(crate) label: LabelId,
    /// How many of the goals are here, or [`ELSEWHERE`].
    here: u8,
    /// Whether it is no step of other parts, because all that take part move, and is not listed twice.
    pub(crate) is_unique: bool,
    /// Nearly always there are one or two, and all that take part move. Otherwise, where they are: the first and the last of them, and
    /// after them the last of those that take part and stay where they are.
    goals: [Goal; 2],
}

/// The goals are not in the step itself.
const ELSEWHERE: u8 = u8::MAX;

/// A component and the word it moves to.
pub(crate) type Goal = (u32, u32);

impl Prepared {
    /// The first and the last of the goals that are elsewhere, and the last of those that stay.
    fn elsewhere(&self) -> Option<[usize; 3]> {
        let [(first, last), (stay, _)] = self.goals;
        (self.here == ELSEWHERE).then_some([first as usize, last as usize, stay as usize])
    }
}

/// Steps one after another.
#[derive(Default)]
pub(crate) struct Store {
    pub(crate) steps: Vec<Prepared>,
    /// Those that are not in the steps themselves.
    goals: Vec<Goal>,
}

impl Store {
    #[inline]
    pub(crate) fn goals<'s>(&'s self, step: &'s Prepared) -> &'s [Goal] {
        match step.goals.get(..step.here.into()) {
            Some(goals) => goals,
            None => self.goals_elsewhere(step),
        }
    }

    #[cold]
    fn goals_elsewhere(&self, step: &Prepared) -> &[Goal] {
        let [first, last, _] = step.elsewhere().expect("the goals are not here");
        &self.goals[first..last]
    }

    /// Those that take part: where they go, or stay.
    pub(crate) fn taking_part<'s>(&'s self, step: &'s Prepared) -> &'s [Goal] {
        match step.elsewhere() {
            Some([first, _, last]) => &self.goals[first..last],
            None => &step.goals[..step.here.into()],
        }
    }

    /// Keeps so many steps.
    #[inline]
    pub(crate) fn truncate(&mut self, steps: usize) {
        if steps < self.steps.len() {
            let mut dropped = self.steps[steps..].iter();
            if let Some([first, ..]) = dropped.find_map(Prepared::elsewhere) {
                self.goals.truncate(first);
            }
            self.steps.truncate(steps);
        }
    }

    /// Adds a step, unless it is among those of the list.
    fn add<'m, P: Processes>(
        &mut self,
        list: &List<'_, P>,
        (key, label): (u64, LabelId),
        moves: impl Iterator<Item = &'m Move>,
    ) {
        let begin = self.goals.len();
        let mut change = 0u128;
        for moved in moves {
            change = change.wrapping_add(moved.print);
            self.goals.push((moved.component, moved.word));
        }
        let stays = |goal: &Goal| list.state[goal.0 as usize] == goal.1;
        self.goals[begin..].sort_unstable_by_key(|goal| (stays(goal), *goal));
        let taking_part = &self.goals[begin..];
        let end = begin + taking_part.partition_point(|goal| !stays(goal));
        let goals = &self.goals[begin..end];
        let before = &self.steps[list.first..];
        let same = |step: &&Prepared| {
            step.label == label && step.change == change && self.goals(step) == goals
        };
        let is_long = before.len() >= LONG;
        // The same step of others is kept, so that all are known who take part.
        let is_listed = !is_long && before.iter().any(|step| same(&step));
        let by_the_same = |step: &Prepared| self.taking_part(step) == taking_part;
        if is_listed && before.iter().filter(same).any(by_the_same) {
            self.goals.truncate(begin);
            return;
        }
        let moves = |part: &usize| {
            let of_part = |goal: &Goal| list.network.part_of(goal.0) == *part;
            goals.iter().any(of_part)
        };
        let is_unique = !is_long && !is_listed && list.parts.iter().all(moves);
        let (here, goals) = match *taking_part {
            [] => (0, [(0, 0); 2]),
            [only] if end == begin + 1 => (1, [only, (0, 0)]),
            [one, other] if end == begin + 2 => (2, [one, other]),
            _ => {
                let last = self.goals.len() as u32;
                (ELSEWHERE, [(begin as u32, end as u32), (last, 0)])
            }
        };
        if here != ELSEWHERE {
            self.goals.truncate(begin);
        }
        self.steps.push(Prepared {
            change,
            key,
            label,
            here,
            is_unique,
            goals,
        });
    }

    /// Adds what a part can do alone; where it is.
    pub(crate) fn add_alone<P: Processes>(
        &mut self,
        network: &Network<P>,
        part: usize,
        shown: &Shown<P>,
        state: &[u32],
    ) -> Span {
        let list = List {
            network,
            parts: &[part],
            state,
            first: self.steps.len(),
        };
        let ready = shown.ready();
        for (number, (label, moves)) in ready.alone.iter().enumerate() {
            let key = key(Turn::Sent, (part, 0), number, 0);
            self.add(&list, (key, *label), ready.moves(moves).iter());
        }
        (list.first as u32, self.steps.len() as u32)
    }
}

/// Steps of one or two parts while they are being listed.
struct List<'a, P: Processes> {
    network: &'a Network<P>,
    parts: &'a [usize],
    state: &'a [u32],
    /// The first of them.
    first: usize,
}

/// Two parts that were turned to a state, and where to put their steps.
pub(crate) struct Between<'a, P: Processes> {
    pub(crate) network: &'a Network<P>,
    pub(crate) parts: &'a [Shown<P>],
    pub(crate) state: &'a [u32],
    pub(crate) store: &'a mut Store,
}

impl<P: Processes> Between<'_, P> {
    /// Adds the steps of two parts, in the order of their keys.
    pub(crate) fn list(&mut self, earlier: usize, later: usize) -> Result<(), ModelError> {
        let list = List {
            network: self.network,
            parts: &[earlier, later],
            state: self.state,
            first: self.store.steps.len(),
        };
        self.meet(earlier, later, &list);
        self.receive(earlier, later, &list)?;
        self.receive(later, earlier, &list)?;
        self.exchange(earlier, later, &list)?;
        let combinations = self.network.memory.combinations;
        if (self.store.steps.len() - list.first) as u64 >= combinations {
            return Err(too_many_combinations(combinations));
        }
        Ok(())
    }

    /// Both send on channels that communicate.
    fn meet(&mut self, earlier: usize, later: usize, list: &List<'_, P>) {
        let (ready, others) = (self.parts[later].ready(), self.parts[earlier].ready());
        for (number, sent) in ready.sent.iter().enumerate() {
            if sent.partners & others.sends == 0 {
                continue;
            }
            let channel = self.network.channel(sent);
            for (plan, meeting) in channel.meetings.iter().enumerate() {
                let Some((partner, _)) = meeting.pair else {
                    continue;
                };
                let key = key(Turn::Sent, (later, number + 1), plan, last_first(earlier));
                for other in others.sent.iter().rev() {
                    if other.channel != partner {
                        continue;
                    }
                    let network = self.network;
                    let label =
                        meeting.label(&network.labels, &network.memory.processes, sent.arguments);
                    let moves = ready.moves(&sent.moves).iter();
                    let moves = moves.chain(others.moves(&other.moves));
                    self.store.add(list, (key, label), moves);
                }
            }
        }
    }

    /// One of them sends and the other one receives.
    fn receive(
        &mut self,
        sender: usize,
        listener: usize,
        list: &List<'_, P>,
    ) -> Result<(), ModelError> {
        let Between {
            network,
            state,
            store,
            ..
        } = self;
        let (ready, shown) = (self.parts[sender].ready(), &self.parts[listener]);
        let listening = shown.ready();
        let received = listening.received;
        let remember = shown.number().is_some();
        if received == 0 {
            return Ok(());
        }
        for (number, sent) in ready.sent.iter().enumerate() {
            if sent.others & received == 0 {
                continue;
            }
            let again = |other: &crate::ready::Sent| other.channel == sent.channel;
            if ready.sent[..number].iter().any(again) {
                continue;
            }
            let channel = network.channel(sent);
            for (plan, meeting) in channel.meetings.iter().enumerate() {
                let Some((_, name)) = meeting.pair else {
                    continue;
                };
                let key = key(Turn::Received, (sender, number), plan, last_first(listener));
                for receiver in listening.receivers.iter().rev() {
                    if receiver.name != name || !receiver.may_hear(channel) {
                        continue;
                    }
                    let open = &receiver.open;
                    let received = network.received(open, sent.arguments, remember)?;
                    let label =
                        meeting.label(&network.labels, &network.memory.processes, sent.arguments);
                    for node in ready.sent.iter().rev().filter(|other| again(other)) {
                        for target in &received {
                            let moved = network.memory.go(open.component, state, *target);
                            let moves = ready.moves(&node.moves).iter();
                            let moves = moves
                                .chain(listening.moves(&receiver.moves))
                                .chain([&moved]);
                            store.add(list, (key, label), moves);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Both wait for data of each other.
    fn exchange(
        &mut self,
        earlier: usize,
        later: usize,
        list: &List<'_, P>,
    ) -> Result<(), ModelError> {
        let Between {
            network,
            parts,
            state,
            store,
            ..
        } = self;
        let receivers = &parts[earlier].ready().receivers;
        let mut done = Vec::new();
        for (number, receiver) in receivers.iter().enumerate().filter(|(_, r)| !r.rest) {
            let encounters = network.encounters.of(receiver.name).iter();
            for (place, encounter) in encounters.enumerate() {
                let [other] = *encounter.others else {
                    continue;
                };
                let offered = parts[later].ready().offers(other);
                if offered < Some(How::Received) || done.contains(&encounter.plan) {
                    continue;
                }
                done.push(encounter.plan);
                let key = key(Turn::Exchanged, (earlier, number), place, later);
                let sources = [earlier, later].map(|part| source(network, parts, part, state));
                let sources = sources.into_iter().collect::<Result<Vec<_>, _>>()?;
                let plan = Some(std::iter::once(encounter.plan));
                join_by(network, state, sources, plan, |label, moves| {
                    store.add(list, (key, label), moves.iter());
                })?;
            }
        }
        Ok(())
    }
}
