//! What is learnt on random walks through a network: the [stances](crate::stance) of parts, and what parts can do by their stances.

use crate::company::{Company, Guest, Together, together};
use crate::contribution::{Chances, ContributionId, Contributions};
use crate::network::Network;
use crate::offer::Processes;
use crate::outline::{Character, Habits, Sketch, Wishes};
use crate::pair_table::PairTable;
use crate::part::Shown;
use crate::prospect::{HARD_STEPS, Prospects, Side};
use crate::ready::Ready;
use crate::stance::{Posture, StanceId, Stances, classes};
use sortie_model::{Fingerprinter, LabelId, Lookout, ModelError};
use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::ops::Range;

/// A part with more exits from a state has a stance that says nothing.
const MOST_EXITS: usize = 64;

/// The stance of parts of which nothing is known yet.
pub(crate) const NOWHERE: StanceId = StanceId(u32::MAX);

/// The stance of parts in states with steps that must be listed.
const OBSCURE: StanceId = StanceId(0);

/// What is known of a part.
pub(crate) struct Member<P: Processes> {
    /// The one that it is.
    pub(crate) component: u32,
    /// By number of its state.
    pub(crate) posts: Vec<Post>,
    /// Where it goes alone, or with what it sends.
    pub(crate) exits: Vec<u32>,
    pub(crate) stances: Stances<P>,
    /// By stance.
    pub(crate) manners: Vec<Manner>,
    /// Where it goes, by the number of its state and of what it hears.
    pub(crate) receptions: PairTable<u32>,
    pub(crate) partners: Vec<Partner>,
}

/// Another part with which one may have something to do.
#[derive(Clone, Copy)]
pub(crate) struct Partner {
    pub(crate) part: u32,
    /// The number of their pair.
    pub(crate) pair: u32,
}

/// A part in one of its states.
#[derive(Clone, Copy)]
pub(crate) struct Post {
    pub(crate) stance: StanceId,
    /// Its share of the fingerprint of the state. This and the first exits are kept here again: nothing else in memory need be touched to come and leave.
    pub(crate) print: u128,
    /// Where its exits begin, and the first of them, which are usually all.
    pub(crate) exits: u32,
    pub(crate) near: [u32; NEAR as usize],
}

/// So many exits are kept with a part's state.
pub(crate) const NEAR: u32 = 2;

const UNKNOWN: Post = Post {
    stance: NOWHERE,
    print: 0,
    exits: 0,
    near: [0; NEAR as usize],
};

/// A part in one of its stances.
pub(crate) struct Manner {
    pub(crate) wishes: Wishes,
    pub(crate) contribution: ContributionId,
    pub(crate) mark: u64,
    /// The number of the cell with the steps of the part alone.
    pub(crate) alone: u32,
    /// Which exits lead to the same state.
    pub(crate) classes: Box<[u32]>,
}

impl Manner {
    fn obscure() -> Manner {
        Manner {
            wishes: Wishes::default(),
            contribution: ContributionId::default(),
            mark: 0,
            alone: HARD_STEPS,
            classes: Box::default(),
        }
    }
}

/// Two parts that may have something to do.
pub(crate) struct Pair {
    pub(crate) earlier: u32,
    pub(crate) later: u32,
    /// By stance of the later and of the earlier part: the number of their cell.
    pub(crate) table: PairTable<u32>,
}

/// What was learnt on strolls, for one at a time.
pub(crate) struct Trails<P: Processes> {
    pub(crate) parts: Vec<Shown<P>>,
    pub(crate) members: Vec<Member<P>>,
    pub(crate) characters: Vec<Character>,
    pub(crate) habits: Habits,
    pub(crate) contributions: Contributions,
    pub(crate) chances: Chances,
    pub(crate) prospects: Prospects,
    pub(crate) pairs: Vec<Pair>,
    /// Steps of more than two parts, and where to find them: by part and stance of those that may have such steps, the place of the only
    /// one, if it is clear what there is.
    pub(crate) companies: Vec<Company>,
    gathered: HashMap<Box<[u32]>, Option<Option<u32>>, BuildHasherDefault<Fingerprinter>>,
    /// By label: whether it was said to be wanted.
    pub(crate) wanted: Vec<Option<bool>>,
    pub(crate) steps: u64,
    /// By part: when it was met in a new state.
    pub(crate) learnt: Vec<u64>,
    /// Whether there is no use in it.
    pub(crate) is_over: bool,
}

/// What was learnt of a part.
pub(crate) enum Lesson {
    Known,
    /// Something else changed, so all parts are to be looked at again.
    Anew,
    /// The steps of the state must be listed.
    None,
}

impl<P: Processes> Trails<P> {
    pub(crate) fn new(network: &Network<P>) -> Trails<P> {
        let parts = network.parts.len();
        let member = |component: u32| Member {
            component,
            posts: Vec::new(),
            exits: Vec::new(),
            stances: Stances::default(),
            manners: vec![Manner::obscure()],
            receptions: PairTable::new(),
            partners: Vec::new(),
        };
        let components = network.parts.iter().map(|part| part.components()[0].0);
        Trails {
            parts: (0..parts).map(|_| Shown::new()).collect(),
            members: components.map(member).collect(),
            characters: vec![Character::default(); parts],
            habits: Habits::new(network.names()),
            contributions: Contributions::default(),
            chances: Chances::default(),
            prospects: Prospects::new(parts),
            pairs: Vec::new(),
            companies: Vec::new(),
            gathered: HashMap::default(),
            wanted: Vec::new(),
            steps: 0,
            learnt: vec![0; parts],
            is_over: false,
        }
    }

    /// Forgets all but what components do.
    pub(crate) fn forget(&mut self) {
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
        self.companies.clear();
        self.gathered.clear();
        self.wanted.clear();
    }

    /// Whether another lookout wants the same.
    pub(crate) fn suits(&self, lookout: &mut dyn Lookout) -> bool {
        let mut labels = (0..).map(LabelId).zip(&self.wanted);
        labels.all(|(label, wanted)| wanted.is_none_or(|wanted| lookout.wants(label) == wanted))
    }

    /// Whether one of the steps that were added is wanted.
    fn is_wanted(&mut self, added: Range<usize>, lookout: &mut dyn Lookout) -> bool {
        let mut any = false;
        for place in added {
            any |= self.is_label_wanted(self.prospects.all[place].label, lookout);
        }
        any
    }

    fn is_label_wanted(&mut self, label: LabelId, lookout: &mut dyn Lookout) -> bool {
        let place = label.0 as usize;
        if self.wanted.len() <= place {
            self.wanted.resize(place + 1, None);
        }
        *self.wanted[place].get_or_insert_with(|| lookout.wants(label))
    }

    /// The step that these parts have together, by part and stance; nothing if steps must be listed.
    #[cold]
    pub(crate) fn company(
        &mut self,
        network: &Network<P>,
        guests: &[u32],
        state: &[u32],
        lookout: &mut dyn Lookout,
    ) -> Option<Option<u32>> {
        if let Some(known) = self.gathered.get(guests) {
            return *known;
        }
        let parts = guests.iter().step_by(2);
        for part in parts.clone() {
            let shown = &mut self.parts[*part as usize];
            shown.turn_to(network, *part as usize, state).ok()?;
        }
        let guest = |part: &u32| Guest {
            part: *part,
            ready: self.parts[*part as usize].ready(),
        };
        let present: Vec<Guest<'_, P>> = parts.map(guest).collect();
        let found = match together(network, &present, &mut self.prospects) {
            Together::Nothing => Some(None),
            Together::More => None,
            Together::One(company) => {
                let is_wanted = self.is_label_wanted(company.label, lookout);
                let number = self.companies.len() as u32;
                self.companies.push(company);
                (!is_wanted).then_some(Some(number))
            }
        };
        self.gathered.insert(guests.into(), found);
        network.count(64 + 4 * guests.len() as u64);
        found
    }

    /// Takes up a new state of a part.
    #[cold]
    pub(crate) fn learn(
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
                let outline = sketch.outline(network, ready, 0);
                is_different = sketch.is_different;
                let begin = self.prospects.all.len();
                let cell = self.prospects.add_alone(&Side {
                    part,
                    ready,
                    classes: &classes,
                });
                let mut alone = self.prospects.keep(cell);
                let contribution = self.contributions.of(network, ready);
                if self.is_wanted(begin..self.prospects.all.len(), lookout) {
                    alone = HARD_STEPS;
                }
                self.members[part].manners.push(Manner {
                    wishes: outline.wishes,
                    contribution,
                    mark: contribution.mark(part),
                    alone,
                    classes,
                });
            }
        }
        let member = &mut self.members[part];
        let post = Post {
            stance,
            print: network.memory.locals[member.component as usize]
                .print(number)
                .0,
            exits: first as u32,
            near: std::array::from_fn(|exit| {
                let exits = &member.exits[first..];
                exits.get(exit).copied().unwrap_or(0)
            }),
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
        Lesson::Known
    }

    /// Lets a part that can do something new know those with which it may have something to do; whether there are any that are new to it.
    fn introduce(&mut self, part: usize) -> bool {
        let before = self.pairs.len();
        for other in (0..self.members.len()).filter(|other| *other != part) {
            let mut partners = self.members[part].partners.iter();
            if partners.any(|partner| partner.part as usize == other)
                || !self.characters[part].may_meet(&self.characters[other])
            {
                continue;
            }
            let pair = self.pairs.len() as u32;
            self.pairs.push(Pair {
                earlier: part.min(other) as u32,
                later: part.max(other) as u32,
                table: PairTable::new(),
            });
            for (one, other) in [(part, other), (other, part)] {
                self.members[one].partners.push(Partner {
                    part: other as u32,
                    pair,
                });
            }
        }
        self.pairs.len() > before
    }

    /// Finds out which steps two parts have together. Nothing if an error is met, and must be met again when the steps are listed.
    #[cold]
    pub(crate) fn learn_pair(
        &mut self,
        network: &Network<P>,
        pair: usize,
        state: &[u32],
        stances: [StanceId; 2],
        lookout: &mut dyn Lookout,
    ) -> Option<u32> {
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
        let cell = self.prospects.add_pair(network, sides);
        let cell = match cell {
            Some(cell) if !self.is_wanted(begin..self.prospects.all.len(), lookout) => {
                self.prospects.keep(cell)
            }
            _ => HARD_STEPS,
        };
        let table = &mut self.pairs[pair].table;
        let bytes = table.put((stances[1].0, stances[0].0), cell);
        network.count(bytes + 40 * (self.prospects.all.len() - begin) as u64);
        self.is_over |= table.forgets();
        Some(cell)
    }

    /// Where a part goes that hears something.
    #[cold]
    pub(crate) fn learn_reception(
        &mut self,
        network: &Network<P>,
        part: usize,
        state: &[u32],
        heard: u32,
    ) -> Result<u32, ModelError> {
        self.parts[part].turn_to(network, part, state)?;
        let what = self.prospects.heard[part][heard as usize];
        let receiver = &self.parts[part].ready().receivers[what.receiver as usize];
        let closed = network.received(&receiver.open, what.arguments, false)?;
        let [only] = &closed[..] else {
            unreachable!("what is heard is accepted in one way");
        };
        let word = network.memory.word(receiver.open.component, *only);
        let member = &mut self.members[part];
        let number = state[member.component as usize];
        let bytes = member.receptions.put((number, heard), word);
        network.count(bytes);
        Ok(word)
    }
}

/// Adds where a part goes alone and with what it sends; whether that is all there is to tell of it.
fn add_exits<P: Processes>(ready: &Ready<P>, exits: &mut Vec<u32>) -> bool {
    let first = exits.len();
    let alone = ready.alone.iter().map(|(_, moves)| moves);
    let sent = ready.sent.iter().map(|sent| &sent.moves);
    let mut is_plain = ready.internal().is_empty()
        && ready.plans().is_empty()
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
