//! All runs, depth first, with at most so many preemptions.
//!
//! The run before is repeated up to the last question that has an alternative left, which is taken, and from there on every question is answered by its first
//! alternative: the task that moved last goes on if it can. A preemption is a switch away from a task that could go on and does not ask for others to move first.

use super::record::is_move;
use sortie_model::Choice;

/// A question on the present run.
#[derive(Clone, Copy, Debug)]
struct Question {
    of: usize,
    /// The alternative that is taken first; others follow in a circle.
    first: usize,
    /// How many alternatives were taken before this one.
    turn: usize,
    /// How many can be taken.
    turns: usize,
}

impl Question {
    fn chosen(&self) -> usize {
        (self.first + self.turn) % self.of
    }
}

/// Where a search stands.
#[derive(Debug)]
pub(crate) struct DepthFirst {
    bound: u64,
    path: Vec<Question>,
    asked: usize,
    preemptions: u64,
    /// Whether something was left out because of the bound.
    pub(crate) is_cut: bool,
    /// Whether the same answers led to other questions.
    pub(crate) is_lost: bool,
}

impl DepthFirst {
    /// All runs with at most so many preemptions.
    pub(crate) fn new(bound: u64) -> Self {
        DepthFirst {
            bound,
            path: Vec::new(),
            asked: 0,
            preemptions: 0,
            is_cut: false,
            is_lost: false,
        }
    }

    /// A run begins.
    pub(crate) fn begin(&mut self) {
        self.asked = 0;
        self.preemptions = 0;
    }

    pub(crate) fn choose(&mut self, choice: &Choice<'_>) -> usize {
        if choice.alternatives == 1 {
            return 0;
        }
        if self.asked == self.path.len() {
            let question = self.open(choice);
            self.path.push(question);
        }
        let question = self.path[self.asked];
        self.asked += 1;
        if question.of != choice.alternatives {
            self.is_lost = true;
            return 0;
        }
        let chosen = question.chosen();
        let leaves =
            is_move(choice.kind) && choice.current.is_some_and(|current| current != chosen);
        self.preemptions += u64::from(leaves && !choice.yielding);
        chosen
    }

    fn open(&mut self, choice: &Choice<'_>) -> Question {
        let of = choice.alternatives;
        let (first, turns) = match choice.current.filter(|_| is_move(choice.kind)) {
            // Who asks for others to move first would otherwise go on for ever without a preemption.
            Some(current) if choice.yielding => ((current + 1) % of, of - 1),
            Some(current) if self.preemptions < self.bound => (current, of),
            Some(current) => (current, 1),
            None => (0, of),
        };
        self.is_cut |= turns < of;
        Question {
            of,
            first,
            turn: 0,
            turns,
        }
    }

    /// Prepares the next run; whether there is one.
    pub(crate) fn next(&mut self) -> bool {
        self.path.truncate(self.asked);
        while let Some(question) = self.path.last_mut() {
            question.turn += 1;
            if question.turn < question.turns {
                return true;
            }
            self.path.pop();
        }
        false
    }
}
