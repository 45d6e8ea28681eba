//! Following the answers of an earlier run.

use super::Answer;
use sortie_model::{Choice, Chooser};
use std::fmt;

/// Gives the answers of an earlier run again and watches whether the questions are the same.
///
/// A question that differs is answered as if it were the earlier one, as far as that goes, and questions after the last answer by their first
/// alternative.
#[derive(Clone, Debug)]
pub struct Replay<'a> {
    answers: &'a [Answer],
    asked: usize,
    divergence: Option<Divergence>,
}

/// How a run differs from the one whose answers it was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Divergence {
    /// A question has another number of alternatives.
    OtherQuestion {
        /// Which question with a choice, from 0.
        question: usize,
        /// How many alternatives it had in the earlier run.
        expected: u32,
        /// How many it has now.
        offered: u32,
    },
    /// There are more questions than answers.
    MoreQuestions {
        /// How many answers there were.
        answers: usize,
    },
    /// The run ended before all answers were given.
    FewerQuestions {
        /// How many questions there were.
        asked: usize,
        /// How many answers.
        answers: usize,
    },
}

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Divergence::OtherQuestion {
                question,
                expected,
                offered,
            } => write!(
                f,
                "question {} has {offered} alternatives, and had {expected} when the run was recorded",
                question + 1
            ),
            Divergence::MoreQuestions { answers } => {
                write!(
                    f,
                    "the run asks more than the {answers} questions it asked when it was recorded"
                )
            }
            Divergence::FewerQuestions { asked, answers } => {
                write!(f, "the run ended after {asked} of {answers} questions")
            }
        }
    }
}

impl<'a> Replay<'a> {
    /// A replay from the first answer on.
    pub fn new(answers: &'a [Answer]) -> Self {
        Replay {
            answers,
            asked: 0,
            divergence: None,
        }
    }

    /// The first difference, once the run has ended.
    pub fn divergence(&self) -> Option<Divergence> {
        self.divergence.or_else(|| {
            (self.asked < self.answers.len()).then_some(Divergence::FewerQuestions {
                asked: self.asked,
                answers: self.answers.len(),
            })
        })
    }
}

impl Chooser for Replay<'_> {
    fn choose(&mut self, choice: Choice<'_>) -> usize {
        if choice.alternatives < 2 {
            return 0;
        }
        let question = self.asked;
        self.asked += 1;
        let offered = choice.alternatives as u32;
        let Some(answer) = self.answers.get(question) else {
            self.divergence.get_or_insert(Divergence::MoreQuestions {
                answers: self.answers.len(),
            });
            return 0;
        };
        if answer.of != offered {
            self.divergence.get_or_insert(Divergence::OtherQuestion {
                question,
                expected: answer.of,
                offered,
            });
        }
        answer.chosen.min(offered - 1) as usize
    }

    fn needs_steps(&self) -> bool {
        false
    }
}
