//! The steps of a global state, part by part and pair by pair, from what is remembered of them.
//!
//! Nearly all steps are made by one part alone or by two that communicate, so they depend on the states of one or two parts, which come
//! up again and again. Where a state may have other steps, [`Multiway`](crate::multiway) adds them.
//!
//! What a part does is remembered unless its states hardly come up again; then it is found out for each state anew.

use crate::between::{Between, Goal, LATER, Store};
use crate::contribution::{Contribution, ContributionId, Contributions};
use crate::emission::{Emission, Prints};
use crate::network::Network;
use crate::offer::Processes;
use crate::outline::{Character, Habits, Outline, Sketch, Wishes};
use crate::pair_table::{Numbers, PairTable, Span};
use crate::part::{NOT_SEEN, Shown};
use crate::tree::ComponentId;
use sortie_model::{Fingerprint, LabelId, ModelError};

/// Stands for more than one component.
const SEVERAL: u32 = u32::MAX;

/// What is known of a part.
struct Member {
    /// The component that it is, or [`SEVERAL`].
    component: u32,
    /// By number of its state, unless that is not remembered.
    outlines: Vec<Outline>,
    /// The parts before it with which it may have something to do, last first.
    company: Vec<Companion>,
}

/// A part in the current state.
#[derive(Clone, Copy, Default)]
struct Present {
    wishes: Wishes,
    /// [`NOT_SEEN`] if the state is not remembered.
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
    /// Whether a part has internal steps, or plans for the general join.
    is_unusual: bool,
}

/// What was learnt of a part.
enum Lesson {
    Known,
    /// The state is not remembered.
    Passing(Outline),
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
    /// The parts whose states are not remembered.
    passed: Vec<u32>,
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
    /// Whether there may be other steps, and the plans that they may follow.
    has_more: bool,
    plans: Vec<usize>,
}

/// What else is needed to learn something new.
pub(crate) struct Sources<'a, P: Processes> {
    pub(crate) network: &'a Network<P>,
    pub(crate) parts: &'a mut [Shown<P>],
    pub(crate) prints: &'a mut Prints,
}

impl Pairs {
    pub(crate) fn new<P: Processes>(network: &Network<P>) -> Pairs {
        let member = |components: &[ComponentId]| Member {
            component: match components {
                [only] => only.0,
                _ => SEVERAL,
            },
            outlines: Vec::new(),
            company: Vec::new(),
        };
        let parts = network.parts.iter().map(|part| member(part.components()));
        let members: Vec<Member> = parts.collect();
        let parts = members.len();
        Pairs {
            members,
            characters: vec![Character::default(); parts],
            habits: Habits::new(network.names()),
            contributions: Contributions::default(),
            learnt: vec![0; parts],
            present: vec![Present::default(); parts],
            passed: Vec::new(),
            tables: Vec::new(),
            store: Store::default(),
            remembered: 0,
            spans: Vec::new(),
            strangers: Vec::new(),
            order: Vec::new(),
            later: Vec::new(),
            are_unique: true,
            states: 0,
            has_more: false,
            plans: Vec::new(),
        }
    }

    /// Finds the steps of one part or two that a state has, and what others it may have; gives its fingerprint.
    #[inline]
    pub(crate) fn find<P: Processes>(
        &mut self,
        sources: &mut Sources<'_, P>,
        state: &[u32],
    ) -> Result<Fingerprint, ModelError> {
        self.states += 1;
        self.order.clear();
        self.store.truncate(self.remembered);
        let mut survey = self.begin();
        while let Some(part) = self.survey(sources.network, sources.parts, state, &mut survey) {
            match self.learn(sources, part, state)? {
                Lesson::Known => {}
                Lesson::Passing(outline) => self.pass(part, &outline, &mut survey),
                Lesson::NewHabit => survey = self.begin(),
            }
        }
        let contributions = &self.contributions;
        let present = self.present.iter().map(|part| part.contribution);
        self.plans.clear();
        for rare in &sources.network.encounters.rare {
            if survey.names & rare.bits == rare.bits {
                let plans = rare.plans.iter();
                let plans = plans.filter(|plan| contributions.may_complete(plan, present.clone()));
                self.plans.extend(plans.map(|(number, _)| number));
            }
        }
        self.has_more = survey.is_unusual || !self.plans.is_empty();
        if !(self.strangers.is_empty() && self.passed.is_empty()) {
            self.learn_pairs(sources, state)?;
        }
        self.collect();
        if self.has_more {
            self.turn_all(sources, state)?;
        }
        Ok(Fingerprint(survey.print))
    }

    fn begin(&mut self) -> Survey {
        self.spans.clear();
        self.strangers.clear();
        self.passed.clear();
        Survey::default()
    }

    /// Whether the steps that were found are all that the state has.
    #[inline]
    pub(crate) fn is_all(&self) -> bool {
        !self.has_more
    }

    /// The plans for more than two parts that may have steps in the state.
    pub(crate) fn plans(&self) -> &[usize] {
        &self.plans
    }

    /// What the parts contribute to such plans.
    pub(crate) fn contributions(&self) -> Vec<(u32, &Contribution)> {
        let parts = (0..).zip(&self.present);
        let contributed =
            parts.map(|(part, present)| (part, self.contributions.get(present.contribution)));
        contributed
            .filter(|(_, contribution)| !contribution.is_empty())
            .collect()
    }

    /// Turns all parts to the state.
    #[cold]
    fn turn_all<P: Processes>(
        &self,
        sources: &mut Sources<'_, P>,
        state: &[u32],
    ) -> Result<(), ModelError> {
        for (part, shown) in sources.parts.iter_mut().enumerate() {
            self.turn(sources.network, shown, part, state)?;
        }
        Ok(())
    }

    /// Turns a part to the state, unless that was done when it was looked at.
    fn turn<P: Processes>(
        &self,
        network: &Network<P>,
        shown: &mut Shown<P>,
        part: usize,
        state: &[u32],
    ) -> Result<(), ModelError> {
        match self.present[part].number {
            NOT_SEEN => Ok(()),
            _ => shown.turn_to(network, part, state),
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
        for part in so_far.parts..self.members.len() {
            let member = &self.members[part];
            let number = match member.component {
                SEVERAL => parts[part].number_in(network, part, state),
                component => state[component as usize],
            };
            match member.outlines.get(number as usize) {
                Some(&outline) if outline.is_known => {
                    self.look(part, number, &outline, &mut so_far);
                }
                _ => {
                    *survey = so_far;
                    survey.parts = part;
                    return Some(part);
                }
            }
        }
        *survey = so_far;
        None
    }

    /// Looks at a part in its state.
    #[inline(always)]
    fn look(&mut self, part: usize, number: u32, outline: &Outline, survey: &mut Survey) {
        survey.print = survey.print.wrapping_add(outline.print);
        survey.names |= outline.names;
        survey.is_unusual |= outline.is_unusual;
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
        for companion in &self.members[part].company {
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

    /// Looks at a part in a state that is not remembered.
    #[cold]
    fn pass(&mut self, part: usize, outline: &Outline, survey: &mut Survey) {
        self.look(part, NOT_SEEN, outline, survey);
        self.passed.push(part as u32);
        survey.parts = part + 1;
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

    /// Lists the steps that were found, and calls back with each of them: its label, and where the parts go, or stay.
    pub(crate) fn emit_each(
        &self,
        emission: &mut Emission<'_>,
        mut then: impl FnMut(&mut Emission<'_>, LabelId, &[Goal]),
    ) {
        for (_, number) in &self.order {
            let step = &self.store.steps[*number as usize];
            let taking_part = self.store.taking_part(step);
            emission.emit_prepared(step, self.store.goals(step), taking_part);
            then(emission, step.label, taking_part);
        }
    }

    /// Lists the steps that were found as the only ones of the state.
    pub(crate) fn emit(&self, emission: &mut Emission<'_>) {
        let steps = self.order.iter().map(|(_, number)| {
            let step = &self.store.steps[*number as usize];
            (step, self.store.goals(step))
        });
        if !self.are_unique {
            self.emit_each(emission, |_, _, _| {});
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
        let is_remembered = |strangers: &Strangers| {
            let (one, other) = strangers.numbers;
            one.max(other) != NOT_SEEN && !tables[strangers.table as usize].forgets()
        };
        let strangers = &mut self.strangers;
        strangers.sort_by_key(|strangers| !is_remembered(strangers));
        let remembered = strangers.partition_point(is_remembered);
        for place in 0..remembered {
            self.learn_pair(sources, state, self.strangers[place], true)?;
        }
        for place in 0..self.passed.len() {
            let part = self.passed[place] as usize;
            let shown = &sources.parts[part];
            let alone = self.store.add_alone(sources.network, part, shown, state);
            self.spans.push(alone);
        }
        for place in remembered..self.strangers.len() {
            self.learn_pair(sources, state, self.strangers[place], false)?;
        }
        Ok(())
    }

    fn learn_pair<P: Processes>(
        &mut self,
        sources: &mut Sources<'_, P>,
        state: &[u32],
        strangers: Strangers,
        remember: bool,
    ) -> Result<(), ModelError> {
        let network = sources.network;
        let (earlier, later) = (strangers.earlier as usize, strangers.later as usize);
        for part in [earlier, later] {
            self.turn(network, &mut sources.parts[part], part, state)?;
        }
        let begin = self.store.steps.len() as u32;
        let mut between = Between {
            network,
            parts: sources.parts,
            state,
            store: &mut self.store,
        };
        between.list(earlier, later)?;
        let end = self.store.steps.len() as u32;
        if remember {
            let table = &mut self.tables[strangers.table as usize];
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
        shown.count(self.states - std::mem::replace(&mut self.learnt[part], self.states));
        shown.turn_to(network, part, state)?;
        if self.habits.note(shown.ready()) {
            let members = self.members.iter_mut();
            members.for_each(|member| member.outlines.clear());
            return Ok(Lesson::NewHabit);
        }
        let components = network.parts[part].components().iter();
        let prints = components.map(|component| {
            let word = state[component.0 as usize];
            sources.prints.of(&network.memory, component.0, word)
        });
        let print = prints.fold(0, u128::wrapping_add);
        let mut sketch = Sketch::new(&self.habits, &mut self.characters[part]);
        let mut outline = sketch.outline(network, shown.ready(), print);
        let is_different = sketch.is_different;
        outline.contribution = self.contributions.of(network, shown.ready());
        let lesson = match shown.number() {
            None => Lesson::Passing(outline),
            Some(number) => {
                outline.alone = self.store.add_alone(network, part, shown, state);
                self.remembered = self.store.steps.len();
                let outlines = &mut self.members[part].outlines;
                let place = number as usize;
                if outlines.len() <= place {
                    outlines.resize(place + 1, Outline::default());
                }
                outlines[place] = outline;
                network.count(size_of::<Outline>() as u64);
                Lesson::Known
            }
        };
        if is_different {
            self.introduce(part);
        }
        Ok(lesson)
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
