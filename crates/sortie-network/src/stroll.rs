//! Random walks through a network: how many steps a state has is known from the stances of its parts, and kept from state to state, so that a step
//! costs a look at the parts that move and their partners. Where a step leads is found out when it is taken.
//!
//! The steps are those that [`Pairs`](crate::pairs) would list, in the same order. Where more than two parts may have something to do, or steps
//! cannot be told apart by their [prospects](crate::prospect), the steps of the state must be listed.

use crate::between::MOST_PARTS;
use crate::channel::Copies;
use crate::contribution::{ContributionId, Contributions};
use crate::emission::Prints;
use crate::network::Network;
use crate::offer::Processes;
use crate::outline::{Character, Habits, Sketch, Wishes};
use crate::pair_table::{PairTable, Span};
use crate::part::Shown;
use crate::prospect::{Act, HARD, Prospects, Side};
use crate::ready::Ready;
use crate::row::Rare;
use crate::senders::Senders;
use crate::stance::{Posture, StanceId, Stances, classes};
use sortie_model::{Dice, Fingerprint, LabelId, Lookout, ModelError, Stroll};
use std::ops::Range;
use std::sync::PoisonError;

/// A part with more exits from a state has a stance that says nothing.
const MOST_EXITS: usize = 64;

/// The stance of parts of which nothing is known yet.
const NOWHERE: StanceId = StanceId(u32::MAX);

/// The stance of parts in states with steps that must be listed.
const OBSCURE: StanceId = StanceId(0);

/// What is known of a part.
struct Member<P: Processes> {
    /// The one that it is.
    component: u32,
    /// By number of its state.
    posts: Vec<Post>,
    /// Where it goes alone, or with what it sends.
    exits: Vec<u32>,
    stances: Stances<P>,
    /// By stance.
    manners: Vec<Manner>,
    /// Where it goes, by the number of its state and of what it hears.
    receptions: PairTable,
    /// The numbers of its pairs.
    pairs: Vec<u32>,
}

/// A part in one of its states.
#[derive(Clone, Copy)]
struct Post {
    /// What it adds to the fingerprint of the global state.
    print: u128,
    stance: StanceId,
    /// The first of its exits.
    exits: u32,
}

const UNKNOWN: Post = Post {
    print: 0,
    stance: NOWHERE,
    exits: 0,
};

/// A part in one of its stances.
struct Manner {
    wishes: Wishes,
    names: u64,
    sends: u64,
    contribution: ContributionId,
    /// The steps of the part alone.
    alone: Span,
    /// Which exits lead to the same state.
    classes: Box<[u32]>,
}

impl Manner {
    fn obscure() -> Manner {
        Manner {
            wishes: Wishes::default(),
            names: 0,
            sends: 0,
            contribution: ContributionId::default(),
            alone: (0, HARD),
            classes: Box::default(),
        }
    }
}

/// Two parts that may have something to do.
struct Pair {
    earlier: u32,
    later: u32,
    /// By stance of the later and of the earlier part: the number of their cell, and how many steps they have.
    table: PairTable,
}

/// What was learnt on strolls, for one at a time.
pub(crate) struct Trails<P: Processes> {
    parts: Vec<Shown<P>>,
    channels: Copies,
    members: Vec<Member<P>>,
    characters: Vec<Character>,
    habits: Habits,
    contributions: Contributions,
    senders: Senders,
    prints: Prints,
    prospects: Prospects,
    pairs: Vec<Pair>,
    /// By label: whether it was said to be wanted.
    wanted: Vec<Option<bool>>,
    steps: u64,
    /// By part: when it was met in a new state.
    learnt: Vec<u64>,
    /// Whether there is no use in it.
    is_over: bool,
}

/// What was learnt of a part.
enum Lesson {
    Known(Post),
    /// Something else changed, so all parts are to be looked at again.
    Anew,
    /// The steps of the state must be listed.
    None,
}

impl<P: Processes> Trails<P> {
    fn new(network: &Network<P>) -> Trails<P> {
        let parts = network.parts.len();
        let member = |component: u32| Member {
            component,
            posts: Vec::new(),
            exits: Vec::new(),
            stances: Stances::default(),
            manners: vec![Manner::obscure()],
            receptions: PairTable::new(),
            pairs: Vec::new(),
        };
        let components = network.parts.iter().map(|part| part.components()[0].0);
        Trails {
            parts: (0..parts).map(|_| Shown::new()).collect(),
            channels: Copies::default(),
            members: components.map(member).collect(),
            characters: vec![Character::default(); parts],
            habits: Habits::new(network.names()),
            contributions: Contributions::default(),
            senders: Senders::default(),
            prints: Prints::new(network.memory.locals.len()),
            prospects: Prospects {
                heard: vec![Vec::new(); parts],
                ..Prospects::default()
            },
            pairs: Vec::new(),
            wanted: Vec::new(),
            steps: 0,
            learnt: vec![0; parts],
            is_over: false,
        }
    }

    /// Forgets all but what components do.
    fn forget(&mut self) {
        for member in &mut self.members {
            member.posts.clear();
            member.exits.clear();
            member.stances.clear();
            member.manners.truncate(1);
            member.receptions = PairTable::new();
        }
        for pair in &mut self.pairs {
            pair.table = PairTable::new();
        }
        self.prospects.clear();
        self.wanted.clear();
    }

    /// Whether another lookout wants the same.
    fn suits(&self, lookout: &mut dyn Lookout) -> bool {
        let mut labels = (0..).map(LabelId).zip(&self.wanted);
        labels.all(|(label, wanted)| wanted.is_none_or(|wanted| lookout.wants(label) == wanted))
    }

    /// Whether one of the steps that were added is wanted.
    fn is_wanted(&mut self, added: Range<usize>, lookout: &mut dyn Lookout) -> bool {
        let mut any = false;
        for place in added {
            let label = self.prospects.all[place].label;
            let place = label.0 as usize;
            if self.wanted.len() <= place {
                self.wanted.resize(place + 1, None);
            }
            any |= *self.wanted[place].get_or_insert_with(|| lookout.wants(label));
        }
        any
    }

    /// Takes up a new state of a part.
    #[cold]
    fn learn(
        &mut self,
        network: &Network<P>,
        part: usize,
        state: &[u32],
        lookout: &mut dyn Lookout,
    ) -> Lesson {
        let shown = &mut self.parts[part];
        shown.count(self.steps - std::mem::replace(&mut self.learnt[part], self.steps));
        // An error is met again when the steps are listed.
        if shown.turn_to(network, part, state).is_err() {
            return Lesson::None;
        }
        let Some(number) = shown.number() else {
            self.is_over = true;
            return Lesson::None;
        };
        let shown = &self.parts[part];
        let ready = shown.ready();
        let member = &mut self.members[part];
        let first = member.exits.len();
        let is_plain = add_exits(ready, &mut member.exits);
        let mut stance = OBSCURE;
        let mut is_different = false;
        if is_plain {
            if self.habits.note(ready) {
                self.forget();
                return Lesson::Anew;
            }
            let posture = Posture {
                ready,
                word: number,
                exits: &member.exits[first..],
            };
            let (found, is_new) = member.stances.of(network, &posture);
            stance = StanceId(found.0 + 1);
            if is_new {
                let classes: Box<[u32]> = classes(number, posture.exits).collect();
                let mut sketch = Sketch::new(&self.habits, &mut self.characters[part]);
                let outline = sketch.outline(network, ready, 0, 0..0);
                is_different = sketch.is_different;
                let begin = self.prospects.all.len();
                let cell = self.prospects.add_alone(&Side {
                    part,
                    ready,
                    classes: &classes,
                });
                let mut alone = cell.span(self.prospects.cells.len());
                self.prospects.cells.push(cell);
                self.senders.note(part as u32, ready);
                let contribution = self.contributions.of(network, ready);
                if self.is_wanted(begin..self.prospects.all.len(), lookout) {
                    alone.1 = HARD;
                }
                self.members[part].manners.push(Manner {
                    wishes: outline.wishes,
                    names: outline.names,
                    sends: outline.sends,
                    contribution,
                    alone,
                    classes,
                });
            }
        }
        let print = self
            .prints
            .of(&network.memory, self.members[part].component, number);
        let member = &mut self.members[part];
        let post = Post {
            print,
            stance,
            exits: first as u32,
        };
        let place = number as usize;
        if member.posts.len() <= place {
            member.posts.resize(place + 1, UNKNOWN);
        }
        member.posts[place] = post;
        network.count((size_of::<Post>() + 4 * (member.exits.len() - first)) as u64);
        if is_different && self.introduce(part) {
            return Lesson::Anew;
        }
        Lesson::Known(post)
    }

    /// Lets a part that can do something new know those with which it may have something to do; whether there are any that are new to it.
    fn introduce(&mut self, part: usize) -> bool {
        let before = self.pairs.len();
        for other in (0..self.members.len()).filter(|other| *other != part) {
            let (earlier, later) = (part.min(other), part.max(other));
            let of_these = |pair: &&u32| {
                let pair = &self.pairs[**pair as usize];
                (pair.earlier, pair.later) == (earlier as u32, later as u32)
            };
            if self.characters[part].may_meet(&self.characters[other])
                && self.members[part].pairs.iter().find(of_these).is_none()
            {
                let number = self.pairs.len() as u32;
                self.pairs.push(Pair {
                    earlier: earlier as u32,
                    later: later as u32,
                    table: PairTable::new(),
                });
                self.members[part].pairs.push(number);
                self.members[other].pairs.push(number);
            }
        }
        self.pairs.len() > before
    }

    /// Finds out how many steps two parts have together. Nothing if an error is met, and must be met again when the steps are listed.
    #[cold]
    fn learn_pair(
        &mut self,
        network: &Network<P>,
        pair: usize,
        state: &[u32],
        stances: [StanceId; 2],
        lookout: &mut dyn Lookout,
    ) -> Option<Span> {
        let Pair { earlier, later, .. } = self.pairs[pair];
        let parts = [earlier as usize, later as usize];
        for part in parts {
            self.parts[part].turn_to(network, part, state).ok()?;
        }
        let begin = self.prospects.all.len();
        let side = |place: usize| Side {
            part: parts[place],
            ready: self.parts[parts[place]].ready(),
            classes: &self.members[parts[place]].manners[stances[place].0 as usize].classes,
        };
        let sides = [&side(0), &side(1)];
        let cell = self.prospects.add_pair(network, &mut self.channels, sides);
        let span = match cell {
            Some(cell) if !self.is_wanted(begin..self.prospects.all.len(), lookout) => {
                let span = cell.span(self.prospects.cells.len());
                self.prospects.cells.push(cell);
                span
            }
            _ => (0, HARD),
        };
        let table = &mut self.pairs[pair].table;
        let bytes = table.put((stances[1].0, stances[0].0), span);
        network.count(bytes + 40 * (self.prospects.all.len() - begin) as u64);
        self.is_over |= table.forgets();
        Some(span)
    }

    /// Where a part goes that hears something.
    #[cold]
    fn learn_reception(
        &mut self,
        network: &Network<P>,
        part: usize,
        state: &[u32],
        heard: u32,
    ) -> Result<u32, ModelError> {
        self.parts[part].turn_to(network, part, state)?;
        let what = self.prospects.heard[part][heard as usize];
        let receiver = &self.parts[part].ready().receivers[what.receiver as usize];
        let closed = network.received(&receiver.open, what.arguments)?;
        let [only] = &closed[..] else {
            unreachable!("what is heard is accepted in one way");
        };
        let word = network.memory.word(receiver.open.component, only.target);
        let member = &mut self.members[part];
        let number = state[member.component as usize];
        let bytes = member.receptions.put((number, heard), (word, 0));
        network.count(bytes);
        Ok(word)
    }
}

/// Adds where a part goes alone and with what it sends; whether that is all there is to tell of it.
fn add_exits<P: Processes>(ready: &Ready<P>, exits: &mut Vec<u32>) -> bool {
    let first = exits.len();
    let alone = ready.alone.iter().map(|(_, moves)| moves);
    let sent = ready.sent.iter().map(|sent| &sent.moves);
    let mut is_plain = ready.internal.is_empty()
        && ready.plans.is_empty()
        && ready.receivers.iter().all(|r| r.moves.is_empty())
        && ready.alone.len() + ready.sent.len() <= MOST_EXITS;
    if is_plain {
        for moves in alone.chain(sent) {
            match ready.moves(moves) {
                [only] => exits.push(only.word),
                _ => is_plain = false,
            }
        }
    }
    if !is_plain {
        exits.truncate(first);
    }
    is_plain
}

/// A part in the current state.
#[derive(Clone, Copy)]
struct Present {
    print: u128,
    stance: StanceId,
    exits: u32,
}

/// A step of the current state: its key, its number among the prospects, and the slot that it is in.
type Place = (u64, u32, u32);

/// A random walk.
pub(crate) struct Stroller<'n, P: Processes> {
    network: &'n Network<P>,
    trails: Option<Trails<P>>,
    state: Vec<u32>,
    print: u128,
    present: Vec<Present>,
    /// Parts that are not in the state any more in which they were looked at last, and those of them whose stance is another one.
    moved: Vec<u32>,
    changed: Vec<u32>,
    /// The steps of single parts, and of pairs.
    slots: Vec<Span>,
    /// Their number, and how many slots have steps that must be listed.
    total: u64,
    hard: u32,
    /// Whether more than two parts may have something to do together, as long as nobody contributes something else.
    is_rare: bool,
    is_contribution_new: bool,
    order: Vec<Place>,
    /// By part: where it goes in steps in which perhaps nobody else moves, as bits.
    used: Vec<u64>,
}

impl<'n, P: Processes> Stroller<'n, P> {
    pub(crate) fn new(network: &'n Network<P>, lookout: &mut dyn Lookout) -> Option<Self> {
        let is_single = |part: &crate::part::Known<P>| part.components().len() == 1;
        let suits = network.row.plans.is_some()
            && !network.memory.processes.is_random()
            && network.parts.len() <= MOST_PARTS
            && network.parts.iter().all(is_single);
        if !suits {
            return None;
        }
        let mut known = network
            .trails
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let known = known.pop();
        let mut trails = known.unwrap_or_else(|| Trails::new(network));
        if !trails.suits(lookout) {
            trails.forget();
        }
        let parts = network.parts.len();
        let mut stroller = Stroller {
            network,
            trails: Some(trails),
            state: vec![0; parts],
            print: 0,
            present: Vec::new(),
            moved: Vec::new(),
            changed: Vec::new(),
            slots: Vec::new(),
            total: 0,
            hard: 0,
            is_rare: false,
            is_contribution_new: false,
            order: Vec::new(),
            used: vec![0; parts],
        };
        stroller.begin_anew();
        Some(stroller)
    }

    fn trails(&mut self) -> &mut Trails<P> {
        self.trails
            .as_mut()
            .expect("what is known is given back at the end")
    }

    /// Nothing is known of the state.
    fn begin_anew(&mut self) {
        let parts = self.state.len();
        let pairs = self.trails().pairs.len();
        let nowhere = Present {
            print: 0,
            stance: NOWHERE,
            exits: 0,
        };
        self.present.clear();
        self.present.resize(parts, nowhere);
        self.slots.clear();
        self.slots.resize(parts + pairs, (0, 0));
        self.print = 0;
        self.total = 0;
        self.hard = 0;
        self.is_contribution_new = true;
        self.changed.clear();
        self.moved.clear();
        self.moved.extend(0..parts as u32);
    }

    /// Looks at the parts that moved; whether the steps of the state are known then.
    fn look(&mut self, lookout: &mut dyn Lookout) -> bool {
        while !self.moved.is_empty() || !self.changed.is_empty() {
            match self.look_at_moved(lookout) {
                Lesson::Known(_) => {}
                Lesson::Anew => {
                    self.begin_anew();
                    continue;
                }
                Lesson::None => {
                    self.begin_anew();
                    return false;
                }
            }
            if !self.look_at_changed(lookout) {
                self.begin_anew();
                return false;
            }
        }
        self.hard == 0
            && self.total > 0
            && self.total <= self.network.memory.combinations
            && !self.may_be_more()
            && self.gather()
    }

    /// Where the parts are that moved.
    #[inline]
    fn look_at_moved(&mut self, lookout: &mut dyn Lookout) -> Lesson {
        let trails = self
            .trails
            .as_mut()
            .expect("what is known is given back at the end");
        let mut last = UNKNOWN;
        while let Some(part) = self.moved.pop() {
            let place = part as usize;
            let member = &trails.members[place];
            let number = self.state[member.component as usize];
            last = match member.posts.get(number as usize) {
                Some(post) if post.stance != NOWHERE => *post,
                _ => match trails.learn(self.network, place, &self.state, lookout) {
                    Lesson::Known(post) => post,
                    other => return other,
                },
            };
            let present = &mut self.present[place];
            let change = last.print.wrapping_sub(present.print);
            self.print = self.print.wrapping_add(change);
            if present.stance != last.stance {
                self.changed.push(part);
            }
            *present = Present {
                print: last.print,
                stance: last.stance,
                exits: last.exits,
            };
        }
        Lesson::Known(last)
    }

    /// What parts can do that have another stance; whether that could be found out.
    #[inline]
    fn look_at_changed(&mut self, lookout: &mut dyn Lookout) -> bool {
        let trails = self
            .trails
            .as_mut()
            .expect("what is known is given back at the end");
        let parts = self.present.len();
        let fill = |slot: &mut Span, total: &mut u64, hard: &mut u32, new: Span| {
            for (count, sign) in [(slot.1, u64::MAX), (new.1, 1)] {
                if count == HARD {
                    *hard = hard.wrapping_add(sign as u32);
                } else {
                    *total = total.wrapping_add(u64::from(count).wrapping_mul(sign));
                }
            }
            *slot = new;
        };
        let (total, hard) = (&mut self.total, &mut self.hard);
        while let Some(part) = self.changed.pop() {
            let place = part as usize;
            let member = &trails.members[place];
            let manner = &member.manners[self.present[place].stance.0 as usize];
            self.is_contribution_new = true;
            fill(&mut self.slots[place], total, hard, manner.alone);
            for place in 0..member.pairs.len() {
                let number = trails.members[part as usize].pairs[place];
                let pair = &mut trails.pairs[number as usize];
                let (earlier, later) = (pair.earlier, pair.later);
                let other = if earlier == part { later } else { earlier };
                // It comes up again with the other one.
                if self.changed.contains(&other) {
                    continue;
                }
                let stances = [earlier, later].map(|part| self.present[part as usize].stance);
                let manner = |side: usize, part: u32| {
                    &trails.members[part as usize].manners[stances[side].0 as usize]
                };
                let wishes = manner(0, earlier).wishes;
                let span = if !manner(1, later).wishes.may_meet(wishes) {
                    (0, 0)
                } else if let Some(span) = pair.table.get((stances[1].0, stances[0].0)) {
                    span
                } else {
                    let number = number as usize;
                    let (network, state) = (self.network, &self.state);
                    match trails.learn_pair(network, number, state, stances, lookout) {
                        Some(span) => span,
                        None => return false,
                    }
                };
                fill(&mut self.slots[parts + number as usize], total, hard, span);
            }
        }
        true
    }

    /// Whether there may be steps that are not those of pairs, or not in their order.
    #[inline]
    fn may_be_more(&mut self) -> bool {
        let trails = self
            .trails
            .as_ref()
            .expect("what is known is given back at the end");
        let manner = |(place, present): (usize, &Present)| {
            &trails.members[place].manners[present.stance.0 as usize]
        };
        let shared = trails.senders.shared();
        if shared != 0 {
            let (mut sends, mut clash) = (0, 0);
            for manner in self.present.iter().enumerate().map(manner) {
                clash |= sends & manner.sends;
                sends |= manner.sends;
            }
            if clash & shared != 0 {
                return true;
            }
        }
        let rare = &self.network.encounters.rare;
        if std::mem::take(&mut self.is_contribution_new) && !rare.is_empty() {
            let present = self.present.iter().enumerate().map(manner);
            let names = present.clone().fold(0, |all, manner| all | manner.names);
            let parts = present.map(|manner| manner.contribution);
            let may_be_complete = |rare: &Rare| {
                names & rare.bits == rare.bits
                    && trails.contributions.may_complete(rare, parts.clone())
            };
            self.is_rare = rare.iter().any(may_be_complete);
        }
        self.is_rare
    }

    /// Puts the steps in order; whether it is clear that they are all different.
    #[inline]
    fn gather(&mut self) -> bool {
        let trails = self
            .trails
            .as_ref()
            .expect("what is known is given back at the end");
        let parts = self.present.len();
        let mut loops = 0;
        self.order.clear();
        self.used.fill(0);
        for (slot, (cell, count)) in self.slots.iter().enumerate() {
            if *count == 0 {
                continue;
            }
            let cell = &trails.prospects.cells[*cell as usize];
            loops += u32::from(cell.loops);
            let [one, other] = match slot.checked_sub(parts) {
                None => [slot; 2],
                Some(pair) => {
                    let Pair { earlier, later, .. } = trails.pairs[pair];
                    [earlier as usize, later as usize]
                }
            };
            if self.used[one] & cell.bits[0] | self.used[other] & cell.bits[1] != 0 {
                return false;
            }
            self.used[one] |= cell.bits[0];
            self.used[other] |= cell.bits[1];
            let steps = &trails.prospects.all[cell.begin as usize..][..cell.count as usize];
            for (number, step) in (cell.begin..).zip(steps) {
                self.order.push((step.key, number, slot as u32));
            }
        }
        if !self.order.is_sorted() {
            self.order.sort_unstable();
        }
        loops < 2
    }

    /// Takes the step at this place.
    #[inline]
    fn take(&mut self, place: usize) -> Result<(), ModelError> {
        let (_, number, slot) = self.order[place];
        let trails = self
            .trails
            .as_mut()
            .expect("what is known is given back at the end");
        trails.steps += 1;
        let parts = match (slot as usize).checked_sub(self.present.len()) {
            None => [slot; 2],
            Some(pair) => [trails.pairs[pair].earlier, trails.pairs[pair].later],
        };
        let acts = trails.prospects.all[number as usize].acts;
        let mut words = [None; 2];
        for ((part, act), word) in parts.into_iter().zip(acts).zip(&mut words) {
            let place = part as usize;
            let member = &mut trails.members[place];
            *word = match act {
                Act::Nothing => None,
                Act::Exit(exit) => Some(member.exits[(self.present[place].exits + exit) as usize]),
                Act::Hears(heard) => {
                    let number = self.state[member.component as usize];
                    Some(match member.receptions.get((number, heard)) {
                        Some((word, _)) => word,
                        None => trails.learn_reception(self.network, place, &self.state, heard)?,
                    })
                }
            };
        }
        for (part, word) in parts.into_iter().zip(words) {
            let component = trails.members[part as usize].component;
            if let Some(word) = word {
                self.state[component as usize] = word;
                self.moved.push(part);
            }
        }
        Ok(())
    }
}

impl<P: Processes> Stroll for Stroller<'_, P> {
    fn turn_to(&mut self, state: &[u32]) {
        for part in 0..self.state.len() {
            let component = self.trails().members[part].component as usize;
            if self.state[component] != state[component] {
                self.state[component] = state[component];
                self.moved.push(part as u32);
            }
        }
    }

    fn state(&self) -> &[u32] {
        &self.state
    }

    fn go(
        &mut self,
        most: u64,
        dice: &mut Dice,
        lookout: &mut dyn Lookout,
    ) -> Result<u64, ModelError> {
        for taken in 0..most {
            if self.trails().is_over || !self.look(lookout) {
                return Ok(taken);
            }
            let count = self.order.len();
            lookout.leave(Fingerprint(self.print), count);
            let place = dice.index(count);
            self.take(place)?;
        }
        Ok(most)
    }
}

impl<P: Processes> Drop for Stroller<'_, P> {
    fn drop(&mut self) {
        if let Some(trails) = self.trails.take() {
            let known = self.network.trails.lock();
            let mut known = known.unwrap_or_else(PoisonError::into_inner);
            known.push(trails);
        }
    }
}
