//! What the parts of a network have on offer in one state, hung up where partners look for it.

use crate::channel::{Channel, ChannelId};
use crate::emission::Emission;
use crate::network::Network;
use crate::offer::{Name, Processes};
use crate::ready::Move;

/// Stands for the end of a list.
pub(crate) const NONE: u32 = u32::MAX;

/// An offer to meet, in a list with others on the same channel.
#[derive(Clone, Copy)]
pub(crate) struct Node {
    pub(crate) part: u32,
    pub(crate) begin: u32,
    pub(crate) end: u32,
    pub(crate) next: u32,
}

/// The list of offers on a channel.
#[derive(Clone, Copy, Default)]
pub(crate) struct Head {
    pub(crate) stamp: u32,
    pub(crate) first: u32,
}

/// A receiver of a part, in a list with others of the same name.
#[derive(Clone, Copy)]
pub(crate) struct Listener {
    pub(crate) part: u32,
    pub(crate) number: u32,
    pub(crate) next: u32,
}

/// What is known of a name: stamps when it is on offer and when it is received, and the first who listens.
#[derive(Clone, Copy, Default)]
pub(crate) struct Hall {
    pub(crate) offered: u32,
    pub(crate) received: u32,
    pub(crate) first: u32,
}

/// What is on offer in the current state. Stamps tell what is of this state without clearing anything.
pub(crate) struct Gathering {
    pub(crate) now: u32,
    /// By channel.
    pub(crate) heads: Vec<Head>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) moves: Vec<Move>,
    pub(crate) touched: Vec<ChannelId>,
    pub(crate) listeners: Vec<Listener>,
    pub(crate) names: Vec<Hall>,
    pub(crate) internal: Vec<Node>,
    /// Whether data is sent that is not ordinary.
    pub(crate) has_rest: bool,
    /// Plans for the general join.
    pub(crate) plans: Vec<usize>,
    /// The moves of the combination at hand, and the parts that take part.
    pub(crate) chosen: Vec<Move>,
    pub(crate) chosen_parts: Vec<u32>,
}

impl Gathering {
    pub(crate) fn new(names: usize) -> Gathering {
        Gathering {
            now: 0,
            heads: Vec::new(),
            nodes: Vec::new(),
            moves: Vec::new(),
            touched: Vec::new(),
            listeners: Vec::new(),
            names: vec![Hall::default(); names],
            internal: Vec::new(),
            has_rest: false,
            plans: Vec::new(),
            chosen: Vec::new(),
            chosen_parts: Vec::new(),
        }
    }

    pub(crate) fn begin(&mut self) {
        if self.now == u32::MAX {
            self.now = 0;
            self.heads.iter_mut().for_each(|head| head.stamp = 0);
            self.names.fill(Hall::default());
        }
        self.now += 1;
        self.nodes.clear();
        self.moves.clear();
        self.touched.clear();
        self.listeners.clear();
        self.internal.clear();
        self.has_rest = false;
        self.plans.clear();
    }

    pub(crate) fn node(&mut self, part: u32, moves: &[Move], next: u32) -> Node {
        let begin = self.moves.len() as u32;
        match moves {
            [only] => self.moves.push(*only),
            _ => self.moves.extend_from_slice(moves),
        }
        Node {
            part,
            begin,
            end: self.moves.len() as u32,
            next,
        }
    }

    /// Steps with those who hung up before, the usual kind of communication.
    #[inline]
    pub(crate) fn pair_up<P: Processes>(
        &self,
        network: &Network<P>,
        channel: &Channel,
        part: u32,
        moves: &[Move],
        emission: &mut Emission<'_>,
    ) {
        for meeting in &channel.meetings {
            let Some((partner, _)) = meeting.pair else {
                continue;
            };
            let mut at = self.head(partner);
            if at == NONE {
                continue;
            }
            let processes = &network.memory.processes;
            let label = meeting.label(&network.labels, processes, channel.arguments);
            while at != NONE {
                let node = self.nodes[at as usize];
                if node.part != part {
                    let others = &self.moves[node.begin as usize..node.end as usize];
                    emission.emit_both(label, moves, others);
                }
                at = node.next;
            }
        }
    }

    #[inline]
    pub(crate) fn hang_up(&mut self, channel: ChannelId, part: u32, moves: &[Move]) {
        let place = channel.0 as usize;
        if place >= self.heads.len() {
            self.heads.resize(place + 1, Head::default());
        }
        let head = &mut self.heads[place];
        let mut next = head.first;
        if head.stamp != self.now {
            head.stamp = self.now;
            next = NONE;
            self.touched.push(channel);
        }
        head.first = self.nodes.len() as u32;
        let node = self.node(part, moves, next);
        self.nodes.push(node);
    }

    /// The first node on a channel.
    #[inline]
    pub(crate) fn head(&self, channel: ChannelId) -> u32 {
        match self.heads.get(channel.0 as usize) {
            Some(head) if head.stamp == self.now => head.first,
            _ => NONE,
        }
    }

    /// Leaves a plan to the general join.
    pub(crate) fn want(&mut self, plan: usize) {
        if !self.plans.contains(&plan) {
            self.plans.push(plan);
        }
    }

    /// Whether the name is on offer.
    pub(crate) fn has(&self, name: Name) -> bool {
        self.names[name.0 as usize].offered == self.now
    }

    /// Whether somebody receives the name.
    pub(crate) fn receives(&self, name: Name) -> bool {
        self.names[name.0 as usize].received == self.now
    }

    pub(crate) fn choose(&mut self, node: Node) {
        self.chosen
            .extend_from_slice(&self.moves[node.begin as usize..node.end as usize]);
        self.chosen_parts.push(node.part);
    }

    pub(crate) fn unchoose(&mut self, node: Node) {
        let left = self.chosen.len() - (node.end - node.begin) as usize;
        self.chosen.truncate(left);
        self.chosen_parts.pop();
    }
}
