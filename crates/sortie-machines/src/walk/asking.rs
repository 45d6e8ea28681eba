//! Questions of a step, and who answers them.

use super::known::Known;
use super::offer::Offered;
use super::queue::{Questions, Queue, Turns};
use crate::machines::Machines;
use sortie_model::{Choice, Chooser, Key, Kind, LabelId, Names};

/// What the alternatives of a question are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// One transition of a list; whether that is the whole step.
    One { alone: bool },
    /// Which transitions of a queue come first, and in which order.
    Order { places: usize },
    /// In which order machines with so many transitions each have their turns, and what the first of them do.
    Turns { places: usize, each: usize },
}

/// A question that was asked, and its answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    pub(super) form: Form,
    pub(super) kind: Kind,
    pub(super) alternatives: usize,
    pub(super) answer: usize,
    /// Where its transitions lie in the list of those of all questions.
    pub(super) first: usize,
    pub(super) behind: usize,
}

/// Answers that are known already come first, then those of the chooser. All are remembered where somebody wants to know.
#[derive(Debug, Default)]
pub(super) struct Asking {
    pub(super) is_recording: bool,
    pub(super) known: Vec<usize>,
    pub(super) asked: Vec<Asked>,
    pub(super) transitions: Vec<u32>,
}

impl Asking {
    /// A step begins of which these answers are known.
    pub(super) fn begin(&mut self) {
        self.is_recording = true;
        self.asked.clear();
        self.transitions.clear();
    }

    #[inline(always)]
    pub(super) fn ask(
        &mut self,
        chooser: &mut (impl Chooser + ?Sized),
        choice: Choice<'_>,
        form: Form,
        transitions: impl Iterator<Item = u32>,
    ) -> usize {
        match self.is_recording {
            true => self.ask_and_record(chooser, choice, form, transitions),
            false => chooser.choose(choice),
        }
    }

    #[inline(never)]
    fn ask_and_record(
        &mut self,
        chooser: &mut (impl Chooser + ?Sized),
        choice: Choice<'_>,
        form: Form,
        transitions: impl Iterator<Item = u32>,
    ) -> usize {
        let (kind, alternatives) = (choice.kind, choice.alternatives);
        let answer = match self.known.get(self.asked.len()) {
            Some(answer) => *answer,
            None => chooser.choose(choice),
        };
        let first = self.transitions.len();
        self.transitions.extend(transitions);
        self.asked.push(Asked {
            form,
            kind,
            alternatives,
            answer,
            first,
            behind: self.transitions.len(),
        });
        answer
    }
}

/// The names of the alternatives of a question that was asked before. They are looked up only if somebody wants to know.
pub(super) struct Alternatives<'a> {
    pub(super) machines: &'a Machines,
    pub(super) questions: &'a Questions,
    pub(super) known: &'a Known,
    pub(super) number: u32,
}

impl Alternatives<'_> {
    fn of<T>(&self, tell: impl FnOnce(&dyn Names) -> T) -> T {
        let (form, transitions) = self.known.wording(self.number);
        match form {
            Form::One { alone } => tell(&Offered {
                machines: self.machines,
                transition: &|index| transitions[index],
                alone,
            }),
            Form::Order { places } => tell(&Queue {
                machines: self.machines,
                questions: self.questions,
                queue: transitions,
                places,
            }),
            Form::Turns { places, each } => tell(&Turns {
                machines: self.machines,
                questions: self.questions,
                queue: transitions,
                places,
                each,
            }),
        }
    }
}

impl Names for Alternatives<'_> {
    fn name(&self, index: usize) -> String {
        self.of(|names| names.name(index))
    }

    fn label(&self, index: usize) -> Option<LabelId> {
        self.of(|names| names.label(index))
    }

    fn key(&self, index: usize) -> Key {
        self.of(|names| names.key(index))
    }
}
