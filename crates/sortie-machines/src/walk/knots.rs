//! Knots: transitions of a synchronous step that get in each other's way, directly or by way of others.
//!
//! The order of transitions of different knots does not matter, so each knot has a queue of its own. A small knot comes undone in few ways, far fewer than its queue has orders. They are
//! found once, by trying every order, and kept: an answer to the question for the order is then looked up, and no transition has to be taken on its own.
//! The table only saves time. What is asked, and where an answer leads, is the same without it.

use super::abreast::{Abreast, Shift};
use crate::deeds::Deed;
use crate::index::Index;
use crate::machines::Machines;
use crate::rivals::Rivals;
use crate::system::{Effects, Timing};
use crate::walk::queue::Questions;
use std::collections::HashMap;

/// Knots of more transitions have too many orders for a table.
pub(super) const MOST_MEMBERS: usize = 4;

/// Systems with more transitions go without: sets of them are to fit into a word.
const MOST_TRANSITIONS: usize = 64;

/// The table has no more entries than this, over all knots: what is met later is worked out every time.
const MOST_ENTRIES: usize = 1 << 16;

/// How many knots can be in the table: a power of two.
const SLOTS: usize = 1 << 10;

/// Systems with no more combinations of local states are small.
const SMALL: usize = 1 << 16;

/// A way in which a knot comes undone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    /// Where machines are put.
    pub(super) shift: Shift,
    /// The transitions that are taken, in one of the orders with this result, and how many they are.
    taken: [u32; MOST_MEMBERS],
    count: u32,
    /// Contradictions that are met.
    pub(super) conflicts: u16,
    /// Whether variables are left alone.
    pub(super) is_quiet: bool,
}

impl Way {
    #[inline]
    pub(super) fn taken(&self) -> &[u32] {
        &self.taken[..self.count as usize]
    }

    /// Adds the transitions to a list. To copy all places is faster than to copy only some.
    #[inline]
    pub(super) fn list(&self, taken: &mut Vec<u32>) {
        let behind = taken.len() + self.count as usize;
        taken.extend_from_slice(&self.taken);
        taken.truncate(behind);
    }
}

/// A knot whose ways are known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Knot {
    /// The transitions as a set; empty where there is no knot.
    members: u64,
    /// Where its queue begins in the list.
    first_member: u32,
    /// Where the ways of its orders begin in the list.
    first_order: u32,
}

/// A knot of the current step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Found {
    /// The transitions as a set, and how many they are.
    pub(super) members: u64,
    pub(super) count: usize,
}

/// The table, and where machines are.
#[derive(Debug)]
pub(super) struct Knots {
    pub(super) abreast: Abreast,
    /// Transitions that do not leave variables alone.
    pub(super) loud: u64,
    found: Vec<Found>,
    /// By hash.
    slots: Vec<Knot>,
    used: usize,
    queues: Vec<u32>,
    /// By order: the number of the way.
    orders: Vec<u32>,
    ways: Vec<Way>,
}

impl Knots {
    /// Only for systems with few transitions that move one after another, and in one class. Code takes so long
    /// that nothing would be gained, and small systems go by the table of known steps, where one question is faster than one for each knot.
    pub(super) fn new(machines: &Machines) -> Option<Self> {
        let index = &machines.index;
        let moving = index.classes.iter().filter(|class| !class.never);
        let fits = machines.timing == Timing::Synchronous
            && machines.system.effects == Effects::AtOnce
            && machines.system.transitions.len() <= MOST_TRANSITIONS
            && moving.count() == 1
            && index.deeds.iter().all(|deed| *deed != Deed::Code)
            && is_large(machines);
        if !fits {
            return None;
        }
        let is_loud = |transition: &usize| !index.moves[*transition].is_quiet;
        let loud = (0..index.moves.len()).filter(is_loud);
        let loud = loud.fold(0, |loud, transition| loud | 1 << transition);
        let nowhere = Knot {
            members: 0,
            first_member: 0,
            first_order: 0,
        };
        Some(Knots {
            abreast: Abreast::new(machines)?,
            loud,
            found: vec![Found::default(); MOST_TRANSITIONS],
            slots: vec![nowhere; SLOTS],
            used: 0,
            queues: Vec::new(),
            orders: Vec::new(),
            ways: Vec::new(),
        })
    }

    /// Finds the knots among transitions on offer; how many there are. Where one ends cannot be foreseen, so all transitions are gone through in one loop without branches.
    #[inline]
    pub(super) fn untangle(&mut self, rivals: &Rivals, offered: u64, count: usize) -> usize {
        let (mut left, mut fresh) = (offered, 0);
        let mut knot = Found::default();
        let mut knots = 0;
        for _ in 0..count {
            // The next knot begins where this one is complete.
            let next = match fresh {
                0 => left & left.wrapping_neg(),
                _ => 0,
            };
            if fresh == 0 {
                knot = Found::default();
            }
            knot.members |= next;
            knot.count += 1;
            fresh |= next;
            left ^= next;
            let more = rivals.of_few(fresh.trailing_zeros()) & left;
            left ^= more;
            knot.members |= more;
            fresh = fresh & (fresh - 1) | more;
            self.found[knots] = knot;
            knots += usize::from(fresh == 0);
        }
        knots
    }

    /// One of the knots that were found.
    #[inline]
    pub(super) fn found(&self, number: usize) -> Found {
        self.found[number]
    }

    /// A knot, if it is in the table or can be added.
    #[inline]
    pub(super) fn find(
        &mut self,
        index: &Index,
        questions: &Questions,
        members: u64,
    ) -> Option<Knot> {
        // The upper bits of the product depend on all transitions.
        let hash = members.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        let mut place = hash as usize % SLOTS;
        loop {
            let knot = self.slots[place];
            if knot.members == members {
                return Some(knot);
            }
            if knot.members == 0 {
                return self.add(index, questions, members, place);
            }
            place = (place + 1) % SLOTS;
        }
    }

    /// Its transitions, as they stand in the queue before they are brought into an order.
    #[inline]
    pub(super) fn queue(&self, knot: Knot, count: usize) -> &[u32] {
        &self.queues[knot.first_member as usize..][..count]
    }

    /// How it comes undone in an order.
    #[inline]
    pub(super) fn way(&self, knot: Knot, order: usize) -> &Way {
        &self.ways[self.orders[knot.first_order as usize + order] as usize]
    }

    #[cold]
    fn add(
        &mut self,
        index: &Index,
        questions: &Questions,
        members: u64,
        place: usize,
    ) -> Option<Knot> {
        if self.used * 2 >= SLOTS || self.orders.len() > MOST_ENTRIES {
            return None;
        }
        let queue: Vec<u32> = (0..64).filter(|t| members >> t & 1 == 1).collect();
        let knot = Knot {
            members,
            first_member: self.queues.len() as u32,
            first_order: self.orders.len() as u32,
        };
        let (places, alternatives) = questions.about(queue.len());
        let mut numbers: HashMap<Undone, u32> = HashMap::new();
        for answer in 0..alternatives {
            let mut order = queue.clone();
            questions.arrange(&mut order, places, answer);
            let (undone, taken) = Undone::new(index, &mut self.abreast, &order);
            let next = self.ways.len() as u32;
            let number = *numbers.entry(undone).or_insert_with_key(|result| {
                self.ways.push(Way {
                    shift: result.shift,
                    taken: std::array::from_fn(|place| *taken.get(place).unwrap_or(&0)),
                    count: taken.len() as u32,
                    conflicts: result.conflicts as u16,
                    is_quiet: result.loud.is_empty(),
                });
                next
            });
            self.orders.push(number);
        }
        self.queues.extend(queue);
        self.slots[place] = knot;
        self.used += 1;
        Some(knot)
    }
}

/// Whether the machines have more combinations of local states than could all be known.
fn is_large(machines: &Machines) -> bool {
    let sizes = machines.system.machines.iter().map(|m| m.states.len());
    sizes.fold(1, usize::saturating_mul) > SMALL
}

/// What makes two orders different.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Undone {
    /// Where machines are put.
    shift: Shift,
    taken: u64,
    /// Transitions that change variables, in their order.
    loud: Vec<u32>,
    conflicts: u32,
}

impl Undone {
    /// What comes of an order, and the transitions that are taken.
    fn new(index: &Index, abreast: &mut Abreast, order: &[u32]) -> (Self, Vec<u32>) {
        let mut taken: Vec<u32> = Vec::new();
        let (shift, conflicts) = abreast.try_out(|abreast| {
            let mut conflicts = 0;
            for &transition in order {
                let (is_taken, clashes) = abreast.take(transition);
                taken.extend(is_taken.then_some(transition));
                conflicts += clashes.count_ones();
            }
            conflicts
        });
        let mut loud = taken.clone();
        loud.retain(|&transition| !index.moves[transition as usize].is_quiet);
        let result = Undone {
            shift,
            taken: taken.iter().fold(0, |all, t| all | 1 << t),
            loud,
            conflicts,
        };
        (result, taken)
    }
}
