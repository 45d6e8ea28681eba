//! The steps of a global state, part by part and pair by pair, from what is remembered of them.
//!
//! Nearly all steps are made by one part alone or by two that communicate, so they depend on the states of one or two parts, which come
//! up again and again. A global state with other steps is left to the [assembly](crate::assembly) of all parts.

use crate::between::{Between, LATER, MOST_PARTS, Store};
use crate::contribution::{ContributionId, Contributions};
use crate::emission::{Emission, Prints};
use crate::network::Network;
use crate::offer::Processes;
use crate::outermost::Departures;
use crate::outline::{Character, Habits, Kind, Outline, Sketch, Wishes};
use crate::pair_table::{Numbers, PairTable, Span};
use crate::part::Shown;
use crate::row::Rare;
use crate::senders::Senders;
use crate::tree::ComponentId;
use sortie_model::{Fingerprint, ModelError};

/// After so many rare states it is decided whether looking for pairs pays.
const TRIAL: u64 = 4096;

/// Stands for more than one component.
const SEVERAL: u32 = u32::MAX;

/// What is known of a part.
struct Member {
    /// The component that it is, or [`SEVERAL`].
    component: u32,
    /// By number of its state.
    outlines: Vec<Outline>,
    /// The parts before it with which it may have something to do, last first.
    company: Vec<Companion>,
}

/// A part in the current state.
#[derive(Clone, Copy, Default)]
struct Present {
    wishes: Wishes,
    number: u32,
    contribution: ContributionId,
}

/// A part that may have something to do with a later one, and the place of their table.
#[derive(Clone, Copy)]
struct Companion {
    part: u32,
    table: u32,
}

/// Two parts in states that were never met together before.
#[derive(Clone, Copy)]
struct Strangers {
    earlier: u32,
    later: u32,
    numbers: Numbers,
    table: u32,
}

/// What a look at the parts tells.
#[derive(Clone, Copy, Default)]
struct Survey {
    /// How many were looked at.
    parts: usize,
    /// What they add to the fingerprint of the state.
    print: u128,
    /// The names on offer.
    names: u64,
    /// The channels on which something is sent, and those on which more than one part does.
    sends: u64,
    clash: u64,
}

/// What was learnt of a part.
enum Lesson {
    Known,
    /// Its steps are not those of pairs.
    Rare,
    /// It does something that no part was known to do, so all of them are to be looked at again.
    NewHabit,
}

/// The number of a step, after its key.
type Place = (u64, u32);

/// One thread's memory of steps.
pub(crate) struct Pairs {
    members: Vec<Member>,
    characters: Vec<Character>,
    habits: Habits,
    contributions: Contributions,
    /// By part: when it was met in a new state.
    learnt: Vec<u64>,
    present: Vec<Present>,
    tables: Vec<PairTable<Span>>,
    store: Store,
    /// How many of the steps there are remembered; the others are of the last state.
    remembered: usize,
    /// Where the steps of the current state are among them.
    spans: Vec<Span>,
    strangers: Vec<Strangers>,
    /// The steps of the current state in order, and for a while those that come last.
    order: Vec<Place>,
    later: Vec<Place>,
    /// Whether none of them is there twice.
    are_unique: bool,
    states: u64,
    /// How many of them were left to the assembly.
    rare: u64,
    senders: Senders,
    /// Whether there is a part whose states are not remembered.
    is_over: bool,
}

/// What else is needed to learn something new.
pub(crate) struct Sources<'a, P: Processes> {
    pub(crate) network: &'a Network<P>,
    pub(crate) parts: &'a mut [Shown<P>],
    pub(crate) departures: &'a mut Departures,
    pub(crate) prints: &'a mut Prints,
}

impl Pairs {
    /// For a network of parts with these components, and so many action names.
    pub(crate) fn new<'a>(parts: impl Iterator<Item = &'a [ComponentId]>, names: usize) -> Pairs {
        let member = |components: &[ComponentId]| Member {
            component: match components {
                [only] => only.0,
                _ => SEVERAL,
            },
            outlines: Vec::new(),
            company: Vec::new(),
        };
        let members: Vec<Member> = parts.map(member).collect();
        let parts = members.len();
        Pairs {
            members,
            characters: vec![Character::default(); parts],
            habits: Habits::new(names),
            contributions: Contributions::default(),
            learnt: vec![0; parts],
            present: vec![Present::default(); parts],
            tables: Vec::new(),
            store: Store::default(),
            remembered: 0,
            spans: Vec::new(),
            strangers: Vec::new(),
            order: Vec::new(),
            later: Vec::new(),
            are_unique: true,
            states: 0,
            rare: 0,
            senders: Senders::default(),
            is_over: parts > MOST_PARTS,
        }
    }

    /// Finds nothing ever.
    pub(crate) fn over() -> Pairs {
        Pairs {
            is_over: true,
            ..Pairs::new(std::iter::empty(), 0)
        }
    }

    /// Whether the steps of the last state were found.
    #[cfg(test)]
    pub(crate) fn found(&self) -> bool {
        !self.order.is_empty()
    }

    /// Finds the steps of a state; its fingerprint, or nothing if the state may have steps that are not those of pairs.
    #[inline]
    pub(crate) fn find<P: Processes>(
        &mut self,
        sources: &mut Sources<'_, P>,
        state: &[u32],
    ) -> Result<Option<Fingerprint>, ModelError> {
        if self.is_over {
            return Ok(None);
        }
        self.states += 1;
        self.order.clear();
        self.store.truncate(self.remembered);
        self.spans.clear();
        self.strangers.clear();
        let mut survey = Survey::default();
        while let Some(part) = self.survey(sources.network, sources.parts, state, &mut survey) {
            match self.learn(sources, part, state)? {
                Lesson::Known => {}
                Lesson::Rare => {
                    self.note_rare();
                    return Ok(None);
                }
                Lesson::NewHabit => {
                    self.spans.clear();
                    self.strangers.clear();
                    survey = Survey::default();
                }
            }
        }
        let may_be_complete = |rare: &Rare| {
            let parts = self.present.iter().map(|part| part.contribution);
            survey.names & rare.bits == rare.bits && self.contributions.may_complete(rare, parts)
        };
        let mut rare = sources.network.encounters.rare.iter();
        if survey.clash & self.senders.shared() != 0 || rare.any(may_be_complete) {
            self.note_rare();
            return Ok(None);
        }
        if !self.strangers.is_empty() {
            self.learn_pairs(sources, state)?;
        }
        self.collect();
        Ok(Some(Fingerprint(survey.print)))
    }

    /// Gives up when nearly all states are rare.
    fn note_rare(&mut self) {
        self.rare += 1;
        if self.rare >= TRIAL && self.rare > self.states / 8 * 7 {
            *self = Pairs::over();
        }
    }

    /// Looks at the parts one after another, and notes where steps are, until there is a part about which something must be learnt.
    #[inline(never)]
    fn survey<P: Processes>(
        &mut self,
        network: &Network<P>,
        parts: &mut [Shown<P>],
        state: &[u32],
        survey: &mut Survey,
    ) -> Option<usize> {
        let mut so_far = *survey;
        for (part, member) in self.members.iter().enumerate().skip(so_far.parts) {
            let number = match member.component {
                SEVERAL => parts[part].number_in(network, part, state),
                component => state[component as usize],
            };
            let outline = match member.outlines.get(number as usize) {
                Some(outline) if outline.kind == Kind::InPairs => outline,
                _ => {
                    *survey = Survey {
                        parts: part,
                        ..so_far
                    };
                    return Some(part);
                }
            };
            so_far.print = so_far.print.wrapping_add(outline.print);
            so_far.names |= outline.names;
            so_far.clash |= so_far.sends & outline.sends;
            so_far.sends |= outline.sends;
            if outline.alone.0 < outline.alone.1 {
                self.spans.push(outline.alone);
            }
            let wishes = outline.wishes;
            let (before, rest) = self.present.split_at_mut(part);
            rest[0] = Present {
                wishes,
                number,
                contribution: outline.contribution,
            };
            for companion in &member.company {
                let other = &before[companion.part as usize];
                if !wishes.may_meet(other.wishes) {
                    continue;
                }
                let numbers = (number, other.number);
                match self.tables[companion.table as usize].get(numbers) {
                    Some(span) if span.0 == span.1 => {}
                    Some(span) => self.spans.push(span),
                    None => self.strangers.push(Strangers {
                        earlier: companion.part,
                        later: part as u32,
                        numbers,
                        table: companion.table,
                    }),
                }
            }
        }
        *survey = so_far;
        None
    }

    /// Puts the steps of the current state in order.
    fn collect(&mut self) {
        self.later.clear();
        self.are_unique = true;
        for &(begin, end) in &self.spans {
            let steps = &self.store.steps[begin as usize..end as usize];
            for (number, step) in (begin..).zip(steps) {
                self.are_unique &= step.is_unique;
                if step.key < LATER {
                    self.order.push((step.key, number));
                } else {
                    self.later.push((step.key, number));
                }
            }
        }
        for list in [&mut self.order, &mut self.later] {
            if !list.is_sorted_by_key(|(key, _)| *key) {
                list.sort_unstable();
            }
        }
        self.order.extend_from_slice(&self.later);
    }

    /// Lists the steps that were found.
    pub(crate) fn emit(&self, emission: &mut Emission<'_>) {
        let steps = self.order.iter().map(|(_, number)| {
            let step = &self.store.steps[*number as usize];
            (step, self.store.goals(step))
        });
        if !self.are_unique {
            steps.for_each(|(step, goals)| {
                emission.emit_prepared(step, goals, self.store.taking_part(step));
            });
        } else if emission.wants_parts {
            self.emit_with_parts(emission);
        } else {
            emission.emit_unique(steps);
        }
    }

    /// The same for unique steps when it is to be said who takes part.
    #[cold]
    fn emit_with_parts(&self, emission: &mut Emission<'_>) {
        for (_, number) in &self.order {
            let step = &self.store.steps[*number as usize];
            emission.emit_new(step, self.store.goals(step), self.store.taking_part(step));
        }
    }

    /// Finds out what parts can do together in states in which they were never met.
    #[cold]
    fn learn_pairs<P: Processes>(
        &mut self,
        sources: &mut Sources<'_, P>,
        state: &[u32],
    ) -> Result<(), ModelError> {
        // What is not remembered comes last.
        let tables = &self.tables;
        self.strangers
            .sort_by_key(|strangers| tables[strangers.table as usize].forgets());
        for place in 0..self.strangers.len() {
            self.learn_pair(sources, state, self.strangers[place])?;
        }
        Ok(())
    }

    fn learn_pair<P: Processes>(
        &mut self,
        sources: &mut Sources<'_, P>,
        state: &[u32],
        strangers: Strangers,
    ) -> Result<(), ModelError> {
        let network = sources.network;
        let (earlier, later) = (strangers.earlier as usize, strangers.later as usize);
        for part in [earlier, later] {
            sources.parts[part].turn_to(network, part, state)?;
        }
        let begin = self.store.steps.len() as u32;
        let mut between = Between {
            network,
            parts: sources.parts,
            state,
            departures: sources.departures,
            store: &mut self.store,
        };
        between.list(earlier, later)?;
        let end = self.store.steps.len() as u32;
        let table = &mut self.tables[strangers.table as usize];
        if !table.forgets() {
            self.remembered = end as usize;
            let bytes = table.put(strangers.numbers, (begin, end));
            network.count(bytes + 64 * u64::from(end - begin));
        }
        self.spans.push((begin, end));
        Ok(())
    }

    /// Takes up a new state of a part.
    #[cold]
    fn learn<P: Processes>(
        &mut self,
        sources: &mut Sources<'_, P>,
        part: usize,
        state: &[u32],
    ) -> Result<Lesson, ModelError> {
        let network = sources.network;
        let shown = &mut sources.parts[part];
        let number = shown.number_in(network, part, state) as usize;
        if let Some(outline) = self.members[part].outlines.get(number)
            && outline.kind == Kind::Rare
        {
            return Ok(Lesson::Rare);
        }
        shown.count(self.states - std::mem::replace(&mut self.learnt[part], self.states));
        shown.turn_to(network, part, state)?;
        let Some(number) = shown.number() else {
            *self = Pairs::over();
            return Ok(Lesson::Rare);
        };
        if self.habits.note(shown.ready()) {
            let members = self.members.iter_mut();
            members.for_each(|member| member.outlines.clear());
            return Ok(Lesson::NewHabit);
        }
        let begin = self.store.steps.len() as u32;
        self.store.add_alone(network, part, shown, state);
        self.remembered = self.store.steps.len();
        let alone = begin..self.remembered as u32;
        let components = network.parts[part].components().iter();
        let prints = components.map(|component| {
            let word = state[component.0 as usize];
            sources.prints.of(&network.memory, component.0, word)
        });
        let print = prints.fold(0, u128::wrapping_add);
        let mut sketch = Sketch::new(&self.habits, &mut self.characters[part]);
        let contribution = self.contributions.of(network, shown.ready());
        let outline = Outline {
            contribution,
            ..sketch.outline(network, shown.ready(), print, alone)
        };
        let is_different = sketch.is_different;
        let outlines = &mut self.members[part].outlines;
        let place = number as usize;
        if outlines.len() <= place {
            outlines.resize(place + 1, Outline::default());
        }
        outlines[place] = outline;
        network.count(size_of::<Outline>() as u64);
        self.senders.note(part as u32, shown.ready());
        if is_different {
            self.introduce(part);
        }
        Ok(match outline.kind {
            Kind::InPairs => Lesson::Known,
            _ => Lesson::Rare,
        })
    }

    /// Lets a part that can do something new know those with which it may have something to do.
    fn introduce(&mut self, part: usize) {
        for other in (0..self.members.len()).filter(|other| *other != part) {
            if self.characters[part].may_meet(&self.characters[other]) {
                let (earlier, later) = (part.min(other) as u32, part.max(other));
                let company = &mut self.members[later].company;
                let place = company.partition_point(|companion| companion.part > earlier);
                if company.get(place).is_none_or(|c| c.part != earlier) {
                    let companion = Companion {
                        part: earlier,
                        table: self.tables.len() as u32,
                    };
                    company.insert(place, companion);
                    self.tables.push(PairTable::new());
                }
            }
        }
    }
}
