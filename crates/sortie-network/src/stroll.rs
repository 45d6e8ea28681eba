//! Random walks through a network: how many steps a state has is known from the stances of its parts, and kept from state to state, so that a step
//! costs a look at the parts that move and their partners. Where a step leads is found out when it is taken.
//!
//! The steps are those that [`Pairs`](crate::pairs) would list, in the same order. Where more than two parts may have something to do, or steps
//! cannot be told apart by their [prospects](crate::prospect), the steps of the state must be listed.

use crate::between::MOST_PARTS;
use crate::contribution::ContributionId;
use crate::network::Network;
use crate::offer::Processes;
use crate::outline::Wishes;
use crate::part::Known;
use crate::prospect::{Act, Cell, HARD, NO_STEPS};
use crate::stance::StanceId;
use crate::trails::{Lesson, NEAR, NOWHERE, Pair, Partner, Post, Trails};
use sortie_model::{Dice, Fingerprint, Lookout, ModelError, Stroll};
use std::sync::PoisonError;

/// So many looks at the first steps of slots are faster than a look at all steps.
const FEW: usize = 256;

/// A part in the current state.
#[derive(Clone, Copy)]
struct Present {
    print: u128,
    wishes: Wishes,
    stance: StanceId,
    component: u32,
    /// Its first exits, and where all of them begin.
    near: [u32; NEAR as usize],
    exits: u32,
    contribution: ContributionId,
    mark: u64,
    /// Whether it has another stance, and its partners are still to be looked at.
    is_pending: bool,
}

/// The steps of a part alone, or of two parts.
#[derive(Clone, Copy)]
struct Slot {
    /// The number of their cell.
    cell: u32,
    parts: [u32; 2],
}

/// The next of the steps of a slot: its key and number among the prospects, and the number after the last one.
#[derive(Clone, Copy)]
struct Head {
    key: u64,
    next: u32,
    end: u32,
    slot: u32,
}

/// The state that a walk is in.
struct Scene {
    state: Vec<u32>,
    print: u128,
    /// By part.
    present: Vec<Present>,
    /// Of all parts, one after another, and by part the first of them.
    partners: Vec<Partner>,
    first_partner: Vec<u32>,
    /// Parts that are not in the state any more in which they were looked at last.
    moved: Vec<u32>,
    /// Parts of which the stance is another one.
    changed: Vec<u32>,
    /// The steps of single parts, and of pairs.
    slots: Vec<Slot>,
    /// Which of them there are, as bits.
    filled: Vec<u64>,
    /// The number of steps; [`HARD`] or more if some must be listed.
    total: u64,
    /// What parts contribute to steps of more than two of them: the sum of marks.
    contributed: u64,
    /// The step that they have, and those that it may have to do with, by part and stance.
    company: Option<u32>,
    guests: Vec<u32>,
    /// By part: where it goes in steps in which perhaps nobody else moves, as bits.
    used: Vec<u32>,
    /// By slot that has steps.
    heads: Vec<Head>,
    /// Key, number among the prospects and slot of each step, for a while.
    order: Vec<(u64, u32, u32)>,
}

impl Scene {
    fn new<P: Processes>(trails: &Trails<P>) -> Scene {
        let parts = trails.members.len();
        let mut scene = Scene {
            state: vec![0; parts],
            print: 0,
            present: Vec::new(),
            partners: Vec::new(),
            first_partner: Vec::new(),
            moved: Vec::new(),
            changed: Vec::new(),
            slots: Vec::new(),
            filled: Vec::new(),
            total: 0,
            contributed: 0,
            company: None,
            guests: Vec::new(),
            used: vec![0; parts],
            heads: Vec::new(),
            order: Vec::new(),
        };
        scene.begin_anew(trails);
        scene
    }

    /// Nothing is known of the state.
    fn begin_anew<P: Processes>(&mut self, trails: &Trails<P>) {
        let nowhere = |component: u32| Present {
            component,
            near: [0; NEAR as usize],
            print: 0,
            wishes: Wishes::default(),
            stance: NOWHERE,
            exits: 0,
            contribution: ContributionId::default(),
            mark: 0,
            is_pending: false,
        };
        let parts = trails.members.len();
        self.print = 0;
        self.present.clear();
        let components = trails.members.iter().map(|member| member.component);
        self.present.extend(components.map(nowhere));
        self.partners.clear();
        self.first_partner.clear();
        for member in &trails.members {
            self.first_partner.push(self.partners.len() as u32);
            self.partners.extend_from_slice(&member.partners);
        }
        self.first_partner.push(self.partners.len() as u32);
        self.moved.clear();
        self.moved.extend(0..parts as u32);
        self.changed.clear();
        let alone = (0..parts as u32).map(|part| [part; 2]);
        let pairs = trails.pairs.iter();
        let pairs = pairs.map(|Pair { earlier, later, .. }| [*earlier, *later]);
        let slot = |parts: [u32; 2]| Slot {
            cell: NO_STEPS,
            parts,
        };
        self.slots.clear();
        self.slots.extend(alone.chain(pairs).map(slot));
        self.filled.clear();
        self.filled.resize(self.slots.len().div_ceil(64), 0);
        self.contributed = 0;
    }

    /// Looks at the parts that moved; whether the steps of the state are known then.
    #[inline]
    fn look<P: Processes>(
        &mut self,
        network: &Network<P>,
        trails: &mut Trails<P>,
        lookout: &mut dyn Lookout,
    ) -> bool {
        while !self.moved.is_empty() {
            match self.look_at_moved(network, trails, lookout) {
                Lesson::Known => {}
                Lesson::Anew => self.begin_anew(trails),
                Lesson::None => {
                    self.begin_anew(trails);
                    return false;
                }
            }
        }
        self.gather(trails)
            && self.is_all(network, trails, lookout)
            && self.count() > 0
            && self.count() <= network.memory.combinations
    }

    /// How many steps the state has.
    #[inline]
    fn count(&self) -> u64 {
        self.total + u64::from(self.company.is_some())
    }

    /// Where the parts are that moved, and what they can do there.
    #[inline]
    fn look_at_moved<P: Processes>(
        &mut self,
        network: &Network<P>,
        trails: &mut Trails<P>,
        lookout: &mut dyn Lookout,
    ) -> Lesson {
        while let Some(part) = self.moved.pop() {
            let place = part as usize;
            let present = &mut self.present[place];
            let number = self.state[present.component as usize] as usize;
            let is_known = |post: &&Post| post.stance != NOWHERE;
            let known = trails.members[place].posts.get(number);
            let post = match known.filter(is_known) {
                Some(post) => *post,
                None => match trails.learn(network, place, &self.state, lookout) {
                    Lesson::Known => trails.members[place].posts[number],
                    other => return other,
                },
            };
            let change = post.print.wrapping_sub(present.print);
            self.print = self.print.wrapping_add(change);
            present.print = post.print;
            present.near = post.near;
            present.exits = post.exits;
            if present.stance == post.stance {
                continue;
            }
            let manner = &trails.members[place].manners[post.stance.0 as usize];
            let contributed = self.contributed.wrapping_sub(present.mark);
            self.contributed = contributed.wrapping_add(manner.mark);
            present.stance = post.stance;
            present.wishes = manner.wishes;
            present.contribution = manner.contribution;
            present.mark = manner.mark;
            present.is_pending = true;
            self.fill(place, manner.alone);
            self.changed.push(part);
        }
        while let Some(part) = self.changed.pop() {
            let place = part as usize;
            self.present[place].is_pending = false;
            let partners = self.first_partner[place]..self.first_partner[place + 1];
            for partner in partners {
                let partner = self.partners[partner as usize];
                // Of two that changed, the second one looks at both.
                if self.present[partner.part as usize].is_pending {
                    continue;
                }
                match self.meet(network, trails, (part, partner), lookout) {
                    Some(cell) => self.fill(self.present.len() + partner.pair as usize, cell),
                    None => return Lesson::None,
                }
            }
        }
        Lesson::Known
    }

    /// What two parts can do together.
    #[inline]
    fn meet<P: Processes>(
        &self,
        network: &Network<P>,
        trails: &mut Trails<P>,
        (part, partner): (u32, Partner),
        lookout: &mut dyn Lookout,
    ) -> Option<u32> {
        let one = &self.present[part as usize];
        let other = &self.present[partner.part as usize];
        if !one.wishes.may_meet(other.wishes) {
            return Some(NO_STEPS);
        }
        let mut stances = [one.stance, other.stance];
        if part > partner.part {
            stances.reverse();
        }
        let pair = partner.pair as usize;
        let [earlier, later] = stances;
        match trails.pairs[pair].table.get((later.0, earlier.0)) {
            Some(cell) => Some(cell),
            None => trails.learn_pair(network, pair, &self.state, stances, lookout),
        }
    }

    /// Puts steps into a slot instead of those that were there.
    #[inline]
    fn fill(&mut self, place: usize, cell: u32) {
        self.slots[place].cell = cell;
        let (word, bit) = (&mut self.filled[place / 64], place % 64);
        *word = *word & !(1 << bit) | u64::from(cell != NO_STEPS) << bit;
    }

    /// Finds the step that is not one of pairs, if there is one; whether there are no others.
    #[inline]
    fn is_all<P: Processes>(
        &mut self,
        network: &Network<P>,
        trails: &mut Trails<P>,
        lookout: &mut dyn Lookout,
    ) -> bool {
        let Trails {
            contributions,
            chances,
            ..
        } = trails;
        let may_be_company = || {
            let parts = self.present.iter().map(|part| part.contribution);
            let mut plans = network.encounters.rare.iter().flat_map(|rare| &rare.plans);
            plans.any(|plan| contributions.may_complete(plan, parts.clone()))
        };
        self.company = None;
        !chances.of(self.contributed, may_be_company) || self.find_company(network, trails, lookout)
    }

    /// Finds the step of more than two parts; whether it is clear what there is.
    #[cold]
    fn find_company<P: Processes>(
        &mut self,
        network: &Network<P>,
        trails: &mut Trails<P>,
        lookout: &mut dyn Lookout,
    ) -> bool {
        self.guests.clear();
        for (part, present) in (0..).zip(&self.present) {
            if present.contribution != ContributionId::default() {
                self.guests.extend([part, present.stance.0]);
            }
        }
        match trails.company(network, &self.guests, &self.state, lookout) {
            Some(company) => self.company = company,
            None => return false,
        }
        // A label that nothing else has makes it a step of its own.
        let label = |company: u32| trails.companies[company as usize].label;
        let label = self.company.map(label);
        let slots = self.slots.iter();
        let cells = slots.map(|slot| &trails.prospects.cells[slot.cell as usize]);
        let steps = |cell: &Cell| cell.begin as usize..(cell.begin + cell.count) as usize;
        let mut steps = cells.flat_map(|cell| &trails.prospects.all[steps(cell)]);
        !steps.any(|step| Some(step.label) == label)
    }

    /// Counts the steps of all slots; whether it is clear that all of them are different.
    #[inline]
    fn gather<P: Processes>(&mut self, trails: &Trails<P>) -> bool {
        let (mut total, mut loops, mut clash) = (0, 0, 0);
        self.heads.clear();
        self.used.fill(0);
        for (word, bits) in self.filled.iter().enumerate() {
            let mut bits = *bits;
            while bits != 0 {
                let place = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let Slot { cell, parts } = self.slots[place];
                let cell = &trails.prospects.cells[cell as usize];
                total += u64::from(cell.count);
                loops += u32::from(cell.loops);
                for (part, bits) in parts.into_iter().zip(cell.bits) {
                    let used = &mut self.used[part as usize];
                    clash |= *used & bits;
                    *used |= bits;
                }
                self.heads.push(Head {
                    key: cell.key,
                    next: cell.begin,
                    end: cell.begin.wrapping_add(cell.count),
                    slot: place as u32,
                });
            }
        }
        self.total = total;
        total < u64::from(HARD) && clash == 0 && loops < 2
    }

    /// The step at this place among all of them in order: its number among the prospects, and its parts.
    #[inline]
    fn find<P: Processes>(&mut self, trails: &Trails<P>, place: usize) -> (u32, [u32; 2]) {
        if place * self.heads.len() > FEW {
            return self.find_by_selection(trails, place);
        }
        let mut left = place;
        let (number, slot) = loop {
            let heads = self.heads.iter_mut();
            let first = heads.min_by_key(|head| head.key);
            let first = first.expect("there are more steps than that");
            if left == 0 {
                break (first.next, first.slot);
            }
            left -= 1;
            first.next += 1;
            first.key = match first.next < first.end {
                true => trails.prospects.all[first.next as usize].key,
                false => u64::MAX,
            };
        };
        (number, self.slots[slot as usize].parts)
    }

    /// The same where there are many steps.
    #[cold]
    fn find_by_selection<P: Processes>(
        &mut self,
        trails: &Trails<P>,
        place: usize,
    ) -> (u32, [u32; 2]) {
        self.order.clear();
        for head in &self.heads {
            let steps = &trails.prospects.all[head.next as usize..head.end as usize];
            let steps = (head.next..).zip(steps);
            let places = steps.map(|(number, step)| (step.key, number, head.slot));
            self.order.extend(places);
        }
        let (_, &mut (_, number, slot), _) = self.order.select_nth_unstable(place);
        (number, self.slots[slot as usize].parts)
    }

    /// Where a part goes that does something.
    #[inline]
    fn goal<P: Processes>(
        &self,
        network: &Network<P>,
        trails: &mut Trails<P>,
        part: u32,
        act: Act,
    ) -> Result<u32, ModelError> {
        let place = part as usize;
        let present = &self.present[place];
        match act {
            Act::Exit(exit) if exit < NEAR => Ok(present.near[exit as usize]),
            Act::Exit(exit) => {
                let exit = present.exits + exit;
                Ok(trails.members[place].exits[exit as usize])
            }
            Act::Hears(heard) => {
                let number = self.state[present.component as usize];
                match trails.members[place].receptions.get((number, heard)) {
                    Some(word) => Ok(word),
                    None => trails.learn_reception(network, place, &self.state, heard),
                }
            }
            Act::Nothing => Ok(self.state[present.component as usize]),
        }
    }

    /// A part moves.
    #[inline]
    fn go(&mut self, part: u32, word: u32) {
        let component = self.present[part as usize].component;
        self.state[component as usize] = word;
        self.moved.push(part);
    }

    /// Takes the step at this place.
    #[inline]
    fn take<P: Processes>(
        &mut self,
        network: &Network<P>,
        trails: &mut Trails<P>,
        place: usize,
    ) -> Result<(), ModelError> {
        trails.steps += 1;
        if place as u64 == self.total {
            return self.take_together(network, trails);
        }
        let (number, [one, other]) = self.find(trails, place);
        let [first, second] = trails.prospects.all[number as usize].acts;
        let word = self.goal(network, trails, one, first)?;
        if second != Act::Nothing {
            let word = self.goal(network, trails, other, second)?;
            self.go(other, word);
        }
        self.go(one, word);
        Ok(())
    }

    /// Takes the step of more than two parts.
    #[cold]
    fn take_together<P: Processes>(
        &mut self,
        network: &Network<P>,
        trails: &mut Trails<P>,
    ) -> Result<(), ModelError> {
        let company = self.company.expect("it is one of the steps") as usize;
        let parts = trails.companies[company].acts.len();
        let mut goals = Vec::with_capacity(parts);
        for place in 0..parts {
            let (part, act) = trails.companies[company].acts[place];
            goals.push((part, self.goal(network, trails, part, act)?));
        }
        for (part, word) in goals {
            self.go(part, word);
        }
        Ok(())
    }
}

/// A random walk.
pub(crate) struct Stroller<'n, P: Processes> {
    network: &'n Network<P>,
    /// Given back at the end.
    trails: Option<Trails<P>>,
    scene: Scene,
}

impl<'n, P: Processes> Stroller<'n, P> {
    pub(crate) fn new(network: &'n Network<P>, lookout: &mut dyn Lookout) -> Option<Self> {
        let is_single = |part: &Known<P>| part.components().len() == 1;
        let suits = network.row.plans.is_some()
            && !network.memory.processes.is_random()
            && network.parts.len() <= MOST_PARTS
            && network.parts.iter().all(is_single);
        if !suits {
            return None;
        }
        let known = network.trails.lock();
        let known = known.unwrap_or_else(PoisonError::into_inner).pop();
        let mut trails = known.unwrap_or_else(|| Trails::new(network));
        if !trails.suits(lookout) {
            trails.forget();
        }
        Some(Stroller {
            network,
            scene: Scene::new(&trails),
            trails: Some(trails),
        })
    }
}

impl<P: Processes> Stroll for Stroller<'_, P> {
    fn turn_to(&mut self, state: &[u32]) {
        let members = self.trails.iter().flat_map(|trails| &trails.members);
        for (part, member) in (0..).zip(members) {
            let place = member.component as usize;
            if std::mem::replace(&mut self.scene.state[place], state[place]) != state[place] {
                self.scene.moved.push(part);
            }
        }
    }

    fn state(&self) -> &[u32] {
        &self.scene.state
    }

    fn go(
        &mut self,
        most: u64,
        dice: &mut Dice,
        lookout: &mut dyn Lookout,
    ) -> Result<u64, ModelError> {
        let trails = self.trails.as_mut().expect("it is given back at the end");
        let scene = &mut self.scene;
        for taken in 0..most {
            if trails.is_over || !scene.look(self.network, trails, lookout) {
                return Ok(taken);
            }
            let count = scene.count() as usize;
            lookout.leave(Fingerprint(scene.print), count);
            let place = dice.index(count);
            scene.take(self.network, trails, place)?;
        }
        Ok(most)
    }
}

impl<P: Processes> Drop for Stroller<'_, P> {
    fn drop(&mut self) {
        let known = self.network.trails.lock();
        let mut known = known.unwrap_or_else(PoisonError::into_inner);
        known.extend(self.trails.take());
    }
}
