//! Knots: transitions of a synchronous step that get in each other's way, directly or by way of others.
//!
//! The order of transitions of different knots does not matter, so each knot has a queue of its own. A small knot comes undone in few ways, far fewer than its queue has orders. They are
//! found once, by trying every order, and kept: an answer to the question for the order is then looked up, and no transition has to be taken on its own.
//! The table only saves time. What is asked, and where an answer leads, is the same without it.

use super::abreast::{Abreast, Shift};
use super::offer;
use super::scan::Scan;
use super::taken::{AllTaken, Taken};
use crate::deeds::Deed;
use crate::machines::Machines;
use crate::system::{Effects, Timing};
use crate::walk::queue::Questions;

/// Knots with more orders are too many for a table: six machines have more.
const MOST_ANSWERS: usize = 120;

const _: () = assert!(5 <= Taken::MOST && MOST_ANSWERS <= u8::MAX as usize);

/// Systems with more transitions go without: sets of them are to fit into a word.
const MOST_TRANSITIONS: usize = 64;

/// The table has no more orders than this, over all knots: what is met later is worked out every time.
const MOST_ORDERS: usize = 1 << 18;

/// How many knots can be in the table: a power of two.
const SLOTS: usize = 1 << 12;

/// Systems with no more combinations of local states are small.
const SMALL: usize = 1 << 16;

/// A way in which a knot comes undone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    /// Where machines are put.
    pub(super) shift: Shift,
    /// The transitions that are taken, in one of the orders with this result, and the contradictions that are met.
    pub(super) taken: Taken,
}

/// A knot in the table, in as little room as possible: the table is to stay in the processor's own memory.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Knot {
    /// The transitions as a set; empty where there is no knot.
    members: u64,
    /// Where its orders and its ways begin in the lists.
    first_order: u32,
    first_way: u16,
    /// How many answers there are to the question for their order; none if its ways are not known.
    pub(super) answers: u8,
    /// How many transitions each machine has if they have turns, or zero. What is asked does not depend on what else is in the table.
    each: u8,
}

impl Knot {
    /// How many transitions each machine has, if machines have turns.
    pub(super) fn each(self) -> Option<usize> {
        (self.each > 0).then_some(usize::from(self.each))
    }

    /// Its transitions, as they stand in the queue before they are brought into an order.
    pub(super) fn list(self, queue: &mut Vec<u32>) {
        queue.clear();
        offer::list(0, self.members, queue);
    }
}

/// The table, and where machines are.
#[derive(Debug)]
pub(super) struct Knots {
    pub(super) abreast: Abreast,
    /// The transitions of the step.
    pub(super) taken: AllTaken,
    /// The transitions of the class that moves, and whether none of them has a guard.
    pub(super) moving: u64,
    pub(super) is_unguarded: bool,
    /// Transitions that write variables.
    pub(super) loud: u64,
    scan: Scan,
    /// By transition: its machine.
    owner: Vec<u32>,
    /// By hash.
    slots: Vec<Knot>,
    used: usize,
    /// By order: the number of the way among those of the knot.
    orders: Vec<u8>,
    ways: Vec<Way>,
    /// A knot whose machines had turns, and its transitions: most walks come to the same again and again.
    in_turn: u64,
    turns: Vec<u32>,
}

impl Knots {
    /// Only for systems with few transitions that move one after another, and in one class. Code takes so long
    /// that nothing would be gained, and small systems go by the table of known steps, where one question is faster than one for each knot.
    pub(super) fn new(machines: &Machines) -> Option<Self> {
        let index = &machines.index;
        let transitions = &machines.system.transitions;
        let mut moving = index.classes.iter().filter(|class| !class.never);
        let (Some(class), None) = (moving.next(), moving.next()) else {
            return None;
        };
        let fits = machines.timing == Timing::Synchronous
            && machines.system.effects == Effects::AtOnce
            && transitions.len() <= MOST_TRANSITIONS
            && index.deeds.iter().all(|deed| *deed != Deed::Code)
            && is_large(machines);
        if !fits {
            return None;
        }
        let moving = class.members.0[0];
        let abreast = Abreast::new(machines)?;
        let is_loud = |transition: &usize| !index.moves[*transition].is_quiet;
        let loud = (0..index.moves.len()).filter(is_loud);
        let loud = loud.fold(0, |loud, transition| loud | 1 << transition);
        Some(Knots {
            abreast,
            taken: AllTaken::new(),
            moving,
            is_unguarded: !(0..transitions.len())
                .any(|t| moving >> t & 1 == 1 && transitions[t].guard.is_some()),
            loud,
            scan: Scan::new(index, moving),
            owner: index.owner.clone(),
            slots: vec![Knot::default(); SLOTS],
            used: 0,
            orders: Vec::new(),
            ways: Vec::new(),
            in_turn: 0,
            turns: Vec::new(),
        })
    }

    /// A step begins.
    #[inline]
    pub(super) fn begin_step(&mut self) {
        self.abreast.begin_step();
        self.taken.clear();
    }

    /// Finds the knots of several among transitions on offer: how many there are.
    #[inline(always)]
    pub(super) fn untangle(&mut self, offered: u64) -> usize {
        self.scan.untangle(offered)
    }

    /// The transitions of one of the knots of several.
    #[inline]
    pub(super) fn found(&self, number: usize) -> u64 {
        self.scan.found(number)
    }

    /// A knot that is in the table or can be added.
    #[inline]
    pub(super) fn find(&mut self, questions: &Questions, members: u64) -> Option<Knot> {
        // Only the uppermost bits of the product depend on all transitions.
        let hash = members.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - SLOTS.ilog2());
        let mut place = hash as usize;
        loop {
            let knot = self.slots[place];
            if knot.members == members {
                return Some(knot);
            }
            if knot.members == 0 {
                return self.add(questions, members, place);
            }
            place = (place + 1) % SLOTS;
        }
    }

    /// How it comes undone in an order.
    #[inline]
    pub(super) fn way(&self, knot: Knot, order: usize) -> &Way {
        let number = self.orders[knot.first_order as usize + order];
        &self.ways[knot.first_way as usize + usize::from(number)]
    }

    /// It comes undone in this order; how many contradictions that makes.
    #[inline(always)]
    pub(super) fn undo(&mut self, knot: Knot, order: usize) -> u64 {
        let Way { shift, taken } = *self.way(knot, order);
        self.abreast.put(shift);
        self.taken.add(taken);
        taken.conflicts()
    }

    /// The transitions of a knot whose machines have turns.
    #[inline]
    pub(super) fn turns(&mut self, members: u64) -> &[u32] {
        if self.in_turn != members {
            self.in_turn = members;
            self.turns.clear();
            offer::list(0, members, &mut self.turns);
        }
        &self.turns
    }

    /// The machines of that knot have all of their turns, as an answer says; how many contradictions that makes.
    pub(super) fn take_turns(&mut self, questions: &Questions, each: usize, answer: usize) -> u64 {
        let count = self.turns.len() / each;
        let mut order: [u8; MOST_TRANSITIONS] = std::array::from_fn(|machine| machine as u8);
        let mut clashes = Clashes::default();
        for (place, (machine, which)) in questions.turns(count, each, answer).enumerate() {
            let first = order[place];
            let next = std::mem::replace(&mut order[place + machine], first);
            let transition = self.turns[usize::from(next) * each + which];
            clashes.add(self.abreast.take(transition).1);
            self.taken.push_if(true, transition);
        }
        clashes.count()
    }

    /// The transitions of a knot are taken in the order that an answer says; how many contradictions that makes.
    pub(super) fn take_in_order(
        &mut self,
        questions: &Questions,
        members: u64,
        count: usize,
        answer: usize,
    ) -> u64 {
        let mut queue = [0; MOST_TRANSITIONS];
        let mut left = members;
        for place in &mut queue[..count] {
            *place = left.trailing_zeros() as u8;
            left &= left - 1;
        }
        let mut clashes = Clashes::default();
        for (place, (next, _)) in questions.turns(count, 1, answer).enumerate() {
            let first = queue[place];
            let transition = u32::from(std::mem::replace(&mut queue[place + next], first));
            let (is_taken, clashing) = self.abreast.take(transition);
            self.taken.push_if(is_taken, transition);
            clashes.add(clashing);
        }
        clashes.count()
    }

    #[cold]
    fn add(&mut self, questions: &Questions, members: u64, place: usize) -> Option<Knot> {
        if self.used * 2 >= SLOTS {
            return None;
        }
        let mut knot = Knot {
            members,
            ..Knot::default()
        };
        let mut queue = Vec::new();
        knot.list(&mut queue);
        knot.each = self.each(&queue);
        let (first_order, first_way) = (self.orders.len(), self.ways.len());
        if let Ok(way) = u16::try_from(first_way)
            && first_order < MOST_ORDERS
            && self.try_orders(questions, &queue, knot.each())
        {
            (knot.first_order, knot.first_way) = (first_order as u32, way);
            knot.answers = (self.orders.len() - first_order) as u8;
        } else {
            self.orders.truncate(first_order);
            self.ways.truncate(first_way);
        }
        self.slots[place] = knot;
        self.used += 1;
        Some(knot)
    }

    /// How many of these transitions each machine has, if all have the same number and more than one, and stand side by side in the order of machines; otherwise zero.
    pub(super) fn each(&self, queue: &[u32]) -> u8 {
        let owner = |transition: u32| self.owner[transition as usize];
        let first = queue
            .iter()
            .take_while(|&&t| owner(t) == owner(queue[0]))
            .count();
        let turns = || queue.chunks(first);
        let is_one =
            |turn: &[u32]| turn.len() == first && turn.iter().all(|&t| owner(t) == owner(turn[0]));
        let is_ordered = || turns().is_sorted_by(|one, other| owner(one[0]) < owner(other[0]));
        let is_regular = first > 1 && turns().all(is_one) && is_ordered();
        if is_regular { first as u8 } else { 0 }
    }

    /// Tries every order of a queue; whether all that comes of them can be noted.
    fn try_orders(&mut self, questions: &Questions, queue: &[u32], each: Option<usize>) -> bool {
        let (places, alternatives) = match each {
            Some(each) => questions.about_turns(queue.len() / each, each),
            None => questions.about(queue.len()),
        };
        if alternatives > MOST_ANSWERS {
            return false;
        }
        let mut known: Vec<Undone> = Vec::new();
        let mut order = queue.to_vec();
        for answer in 0..alternatives {
            order.copy_from_slice(queue);
            match each {
                Some(each) => questions.arrange_turns(&mut order, places, each, answer),
                None => questions.arrange(&mut order, places, answer),
            }
            let (undone, taken) = Undone::new(&mut self.abreast, self.loud, &order);
            let number = known.iter().position(|other| *other == undone);
            let number = number.unwrap_or(known.len());
            let (Ok(number), Ok(conflicts)) =
                (u8::try_from(number), u8::try_from(undone.conflicts))
            else {
                return false;
            };
            if usize::from(number) == known.len() {
                self.ways.push(Way {
                    shift: undone.shift,
                    taken: taken.with_conflicts(conflicts),
                });
                known.push(undone);
            }
            self.orders.push(number);
        }
        true
    }
}

/// Whether the machines have more combinations of local states than could all be known.
fn is_large(machines: &Machines) -> bool {
    let sizes = machines.system.machines.iter().map(|m| m.states.len());
    sizes.fold(1, usize::saturating_mul) > SMALL
}

/// Counts contradictions by the machines that were put somewhere else, which are seldom the same: to count the members of a set takes time.
#[derive(Default)]
pub(super) struct Clashes {
    machines: u64,
    again: u32,
}

impl Clashes {
    #[inline]
    pub(super) fn add(&mut self, clashes: u64) {
        let again = self.machines & clashes;
        if again != 0 {
            self.again += again.count_ones();
        }
        self.machines |= clashes;
    }

    #[inline]
    pub(super) fn count(&self) -> u64 {
        u64::from(self.again + self.machines.count_ones())
    }
}

/// What makes two orders different.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Undone {
    /// Where machines are put.
    shift: Shift,
    taken: u64,
    /// Transitions that change variables, in their order.
    loud: Taken,
    conflicts: u32,
}

impl Undone {
    /// What comes of an order, and the transitions that are taken.
    fn new(abreast: &mut Abreast, loud: u64, order: &[u32]) -> (Self, Taken) {
        let (mut taken, mut loud_taken) = (Taken::default(), Taken::default());
        let (shift, conflicts) = abreast.try_out(|abreast| {
            let mut conflicts = 0;
            for &transition in order {
                let (is_taken, clashes) = abreast.take(transition);
                taken.push_if(is_taken, transition);
                loud_taken.push_if(is_taken && loud >> transition & 1 == 1, transition);
                conflicts += clashes.count_ones();
            }
            conflicts
        });
        let result = Undone {
            shift,
            taken: taken.iter().fold(0, |all, t| all | 1 << t),
            loud: loud_taken,
            conflicts,
        };
        (result, taken)
    }
}
