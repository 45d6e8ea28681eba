//! Steps that were taken before.
//!
//! Where a step leads depends on the state and on the answers to its questions, and on nothing else. Small systems come to the same states again and again, so what was
//! asked and where it led is kept: a table of states, grown on the way, in which a walk takes a step without moving a single machine. Where most steps are new, the
//! table is given up.

use super::asking::{Asking, Form};
use sortie_model::{Dice, Fingerprint, Fingerprinter, Kind, Passed};
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// Questions with more alternatives are not kept, nor steps in which they occur.
const MOST_ALTERNATIVES: usize = 64;

/// So many steps may be new without anything being said against the table.
const TRIAL: u64 = 1 << 12;

/// After that, a new step has to be made up for by so many known ones.
const WORTH: u64 = 8;

/// Two whole walks with more new steps than this are a trial, too.
const SHORT_TRIAL: u64 = 1 << 9;

/// There, it is enough that one of so many steps was known, as it is in systems that later turn out to be small.
const SELDOM: u64 = 32;

/// The table has no more entries than this, all kinds together.
const MOST_ENTRIES: usize = 1 << 20;

/// The number of a state in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PlaceId(u32);

/// What follows in a step: nothing known, a question, or its end and where that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    Unknown,
    Question(u32),
    Arrival(u32, PlaceId),
}

#[derive(Debug)]
pub(super) struct Place {
    /// Its fingerprint, and how many transitions can be taken: none at a dead end.
    pub(super) passed: Passed,
    pub(super) next: Next,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Question {
    pub(super) kind: Kind,
    pub(super) alternatives: u32,
    /// What follows the first answer.
    first: u32,
}

/// What the alternatives of a question are.
#[derive(Clone, Copy, Debug)]
struct Wording {
    form: Form,
    transitions: (u32, u32),
}

/// The end of a step.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    /// Contradictions that were met in the step.
    conflicts: u64,
    transitions: (u32, u32),
}

/// The table.
#[derive(Debug)]
pub(super) struct Known {
    numbers: HashMap<Fingerprint, PlaceId, BuildHasherDefault<Fingerprinter>>,
    places: Vec<Place>,
    /// The packed states, all in one list.
    states: Vec<u32>,
    width: usize,
    questions: Vec<Question>,
    wordings: Vec<Wording>,
    /// By question and answer.
    answers: Vec<Next>,
    arrivals: Vec<Arrival>,
    transitions: Vec<u32>,
    /// Whether there are contradictions in any step.
    contradictory: bool,
    /// How many steps were known, and how many were not.
    pub(super) hits: u64,
    misses: u64,
    /// How many walks have begun.
    walks: u64,
}

impl Known {
    /// For packed states of so many words.
    pub(super) fn new(width: usize) -> Self {
        Known {
            numbers: HashMap::default(),
            places: Vec::new(),
            states: Vec::new(),
            width,
            questions: Vec::new(),
            wordings: Vec::new(),
            answers: Vec::new(),
            arrivals: Vec::new(),
            transitions: Vec::new(),
            contradictory: false,
            hits: 0,
            misses: 0,
            walks: 0,
        }
    }

    /// A walk begins: where, once that is known.
    pub(super) fn begin(&mut self) -> Option<PlaceId> {
        self.walks += 1;
        (!self.places.is_empty()).then_some(PlaceId(0))
    }

    #[inline]
    pub(super) fn place(&self, place: PlaceId) -> &Place {
        &self.places[place.0 as usize]
    }

    #[inline]
    pub(super) fn state(&self, place: PlaceId) -> &[u32] {
        let first = place.0 as usize * self.width;
        &self.states[first..first + self.width]
    }

    #[inline]
    pub(super) fn question(&self, number: u32) -> Question {
        self.questions[number as usize]
    }

    /// What the alternatives of a question are, and its transitions.
    pub(super) fn wording(&self, number: u32) -> (Form, &[u32]) {
        let Wording { form, transitions } = self.wordings[number as usize];
        let (first, behind) = transitions;
        (form, &self.transitions[first as usize..behind as usize])
    }

    #[inline]
    pub(super) fn answer(&self, question: Question, answer: usize) -> Next {
        self.answers[question.first as usize + answer]
    }

    /// The contradictions of a step.
    #[inline]
    pub(super) fn conflicts(&self, number: u32) -> u64 {
        self.arrivals[number as usize].conflicts
    }

    /// The same of several.
    #[inline]
    pub(super) fn conflicts_of(&self, numbers: impl Iterator<Item = u32>) -> u64 {
        match self.contradictory {
            true => numbers.map(|number| self.conflicts(number)).sum(),
            false => 0,
        }
    }

    /// What follows when the answers to questions are drawn.
    #[inline]
    pub(super) fn draw(&self, mut next: Next, dice: &mut Dice) -> Next {
        while let Next::Question(number) = next {
            let question = self.question(number);
            next = self.answer(question, dice.index(question.alternatives as usize));
        }
        next
    }

    /// The transitions of a step.
    #[inline]
    pub(super) fn taken(&self, number: u32) -> &[u32] {
        let (first, behind) = self.arrivals[number as usize].transitions;
        &self.transitions[first as usize..behind as usize]
    }

    /// The number of a state; none if it is not in the table.
    pub(super) fn find(&self, state: &[u32], print: Fingerprint) -> Option<PlaceId> {
        let place = self.numbers.get(&print).copied();
        place.filter(|&place| self.state(place) == state)
    }

    pub(super) fn add(&mut self, state: &[u32], passed: Passed) -> PlaceId {
        let place = PlaceId(self.places.len() as u32);
        self.places.push(Place {
            passed,
            next: Next::Unknown,
        });
        self.states.extend_from_slice(state);
        self.numbers.insert(passed.print, place);
        place
    }

    /// A step was not known; whether the table is still worth its trouble.
    pub(super) fn miss(&mut self) -> bool {
        self.misses += 1;
        let lists = [&self.states, &self.transitions];
        let entries = lists.map(Vec::len).iter().sum::<usize>() + self.answers.len();
        let is_hopeless =
            self.walks > 2 && self.misses > SHORT_TRIAL && self.hits * SELDOM < self.misses;
        let pays = match self.misses <= TRIAL {
            true => !is_hopeless,
            false => self.hits >= WORTH * self.misses,
        };
        pays && entries <= MOST_ENTRIES
    }

    /// What was asked in a step from a place, and where that led.
    pub(super) fn note(
        &mut self,
        from: PlaceId,
        asking: &Asking,
        taken: &[u32],
        to: PlaceId,
        conflicts: u64,
    ) {
        let mut asked = asking.asked.iter();
        if asked.any(|asked| asked.alternatives > MOST_ALTERNATIVES) {
            return;
        }
        let mut next = self.places[from.0 as usize].next;
        let mut answer_before = None;
        for asked in &asking.asked {
            let number = match next {
                Next::Question(number) => number,
                _ => {
                    let number = self.questions.len() as u32;
                    let transitions = &asking.transitions[asked.first..asked.behind];
                    self.questions.push(Question {
                        kind: asked.kind,
                        alternatives: asked.alternatives as u32,
                        first: self.answers.len() as u32,
                    });
                    self.wordings.push(Wording {
                        form: asked.form,
                        transitions: list(&mut self.transitions, transitions),
                    });
                    let behind = self.answers.len() + asked.alternatives;
                    self.answers.resize(behind, Next::Unknown);
                    self.link(from, answer_before, Next::Question(number));
                    number
                }
            };
            let place = self.questions[number as usize].first as usize + asked.answer;
            answer_before = Some(place);
            next = self.answers[place];
        }
        self.contradictory |= conflicts > 0;
        let arrival = Next::Arrival(self.arrivals.len() as u32, to);
        self.arrivals.push(Arrival {
            conflicts,
            transitions: list(&mut self.transitions, taken),
        });
        self.link(from, answer_before, arrival);
    }

    /// Says what follows an answer, or comes first in a place.
    fn link(&mut self, from: PlaceId, answer: Option<usize>, next: Next) {
        match answer {
            Some(answer) => self.answers[answer] = next,
            None => self.places[from.0 as usize].next = next,
        }
    }
}

/// Adds a list to others; where it lies.
fn list(all: &mut Vec<u32>, new: &[u32]) -> (u32, u32) {
    let first = all.len() as u32;
    all.extend_from_slice(new);
    (first, all.len() as u32)
}
