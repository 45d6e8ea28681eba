//! Knots: transitions of a synchronous step that get in each other's way, directly or by way of others.
//!
//! The order of transitions of different knots does not matter, so each knot has a queue of its own. A small knot comes undone in few ways, far fewer than its queue has orders. They are
//! found once, by trying every order, and kept: an answer to the question for the order is then looked up, and no transition has to be taken on its own.
//! The table only saves time. What is asked, and where an answer leads, is the same without it.

use crate::deeds::Deed;
use crate::index::{Index, Put};
use crate::layout::MarkId;
use crate::machines::Machines;
use crate::system::{Effects, Timing};
use crate::walk::queue::Questions;
use std::collections::HashMap;

/// Knots of more transitions have too many orders for a table.
const MOST_MEMBERS: usize = 4;

/// The table has no more entries than this, over all knots: what is met later is worked out every time.
const MOST_ENTRIES: usize = 1 << 16;

/// How many knots can be in the table: a power of two.
const SLOTS: usize = 1 << 10;

/// Systems with no more combinations of local states are small.
const SMALL: usize = 1 << 16;

/// A way in which a knot comes undone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    /// The transitions that are taken, in one of the orders with this result, and how many they are.
    taken: [u32; MOST_MEMBERS],
    count: u32,
    /// Where the local states that machines are put into lie in the list.
    first_put: u32,
    behind_put: u32,
    /// Contradictions that are met.
    pub(super) conflicts: u32,
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

/// The table.
#[derive(Debug)]
pub(super) struct Knots {
    /// By hash.
    slots: Vec<Knot>,
    used: usize,
    queues: Vec<u32>,
    /// By order: the number of the way.
    orders: Vec<u32>,
    ways: Vec<Way>,
    puts: Vec<Put>,
}

impl Knots {
    /// Only for systems with few transitions that move one after another, and in one class: what happened to a machine is not noted, which later classes would have to know. Code takes so long
    /// that nothing would be gained, and small systems go by the table of known steps, where one question is faster than one for each knot.
    pub(super) fn new(machines: &Machines) -> Option<Self> {
        let index = &machines.index;
        let moving = index.classes.iter().filter(|class| !class.never);
        let fits = machines.timing == Timing::Synchronous
            && machines.system.effects == Effects::AtOnce
            && machines.system.transitions.len() <= 64
            && moving.count() == 1
            && index.deeds.iter().all(|deed| *deed != Deed::Code)
            && is_large(machines);
        fits.then(|| {
            let nowhere = Knot {
                members: 0,
                first_member: 0,
                first_order: 0,
            };
            Knots {
                slots: vec![nowhere; SLOTS],
                used: 0,
                queues: Vec::new(),
                orders: Vec::new(),
                ways: Vec::new(),
                puts: Vec::new(),
            }
        })
    }

    /// The knot of so many transitions, if it is in the table or can be added.
    #[inline]
    pub(super) fn find(
        &mut self,
        index: &Index,
        questions: &Questions,
        members: u64,
        count: usize,
    ) -> Option<Knot> {
        if count > MOST_MEMBERS {
            return None;
        }
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

    #[inline]
    pub(super) fn puts(&self, way: &Way) -> &[Put] {
        &self.puts[way.first_put as usize..way.behind_put as usize]
    }

    #[cold]
    fn add(
        &mut self,
        index: &Index,
        questions: &Questions,
        members: u64,
        place: usize,
    ) -> Option<Knot> {
        let entries = self.orders.len() + self.puts.len();
        if self.used * 2 >= SLOTS || entries > MOST_ENTRIES {
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
            let undone = Undone::new(index, &order);
            let next = self.ways.len() as u32;
            let number = *numbers.entry(undone.0).or_insert_with_key(|result| {
                self.ways.push(Way {
                    taken: std::array::from_fn(|place| *undone.1.get(place).unwrap_or(&0)),
                    count: undone.1.len() as u32,
                    first_put: self.puts.len() as u32,
                    behind_put: (self.puts.len() + result.puts.len()) as u32,
                    conflicts: result.conflicts,
                    is_quiet: result.loud.is_empty(),
                });
                let put = |&(machine, mark): &(u32, u32)| Put {
                    machine,
                    mark: MarkId(mark),
                };
                self.puts.extend(result.puts.iter().map(put));
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
    /// Machines and what they are put into.
    puts: Vec<(u32, u32)>,
    taken: u64,
    /// Transitions that change variables, in their order.
    loud: Vec<u32>,
    conflicts: u32,
}

impl Undone {
    /// What comes of an order, and the transitions that are taken.
    fn new(index: &Index, order: &[u32]) -> (Self, Vec<u32>) {
        let mut taken: Vec<u32> = Vec::new();
        // By machine: what it is put into, and by which transition.
        let mut puts: Vec<(u32, MarkId, u32)> = Vec::new();
        let mut conflicts = 0;
        for &transition in order {
            let owner = |t: u32| index.owner[t as usize];
            if taken.iter().any(|&t| owner(t) == owner(transition)) {
                continue;
            }
            taken.push(transition);
            for put in index.puts_of(transition as usize) {
                let mut all = puts.iter_mut();
                match all.find(|(machine, ..)| *machine == put.machine) {
                    Some((_, mark, by)) => {
                        conflicts += u32::from(*mark != put.mark && *by != transition);
                        (*mark, *by) = (put.mark, transition);
                    }
                    None => puts.push((put.machine, put.mark, transition)),
                }
            }
        }
        let mut puts: Vec<(u32, u32)> = puts.into_iter().map(|(m, mark, _)| (m, mark.0)).collect();
        puts.sort_unstable();
        let mut loud = taken.clone();
        loud.retain(|&transition| !index.moves[transition as usize].is_quiet);
        let result = Undone {
            puts,
            taken: taken.iter().fold(0, |all, t| all | 1 << t),
            loud,
            conflicts,
        };
        (result, taken)
    }
}
