//! Uniform random walk (Zhao and others, "Selectively Uniform Concurrency Testing"): a task is chosen as often as its share of the moves that are
//! still to come, among them those of the tasks it will bring about.
//!
//! If every task makes as many moves as expected, and waits for nobody, every interleaving is equally likely, where random choices greatly prefer
//! those that mix all tasks evenly. The numbers of moves are means over earlier runs, by name of the task, where the paper takes them from one run; a
//! task nobody knows counts as much as the mean of those who are known. In a walk whose length is planned, they are scaled to that length. Cost: as for priorities, a look-up for each alternative.

use super::history::{History, PARTS};
use super::scheduler::{Question, Scheduler};
use super::search::RunStart;
use sortie_model::Dice;

/// What is left to do for each task of a run.
#[derive(Clone, Default)]
pub(crate) struct Urw {
    /// The planned length of the run.
    length: Option<u64>,
    /// By number of the task, moves in parts.
    left: Vec<u64>,
    /// For each alternative of a question.
    weights: Vec<u64>,
}

impl Scheduler for Urw {
    fn begin(&mut self, start: &RunStart, _history: &History, _dice: &mut Dice) {
        self.length = start.length;
        self.left.clear();
    }

    fn choose(&mut self, question: Question<'_>) -> usize {
        let (choice, tasks) = (question.choice, question.tasks);
        tasks.number_all(choice);
        for task in &tasks.all[self.left.len()..] {
            let family = question.history.family(task.who, self.length);
            if let Some(creator) = task.creator {
                self.left[creator] = self.left[creator].saturating_sub(family);
            }
            self.left.push(family);
        }
        // Only now is it known what is left for the creators of new tasks.
        self.weights.clear();
        for index in 0..choice.alternatives {
            // A task that can move has at least half a move left, whatever was expected.
            let left = self.left[tasks.here(index)].max(PARTS / 2);
            self.weights.push(left);
        }
        let chosen = match choice.alternatives {
            1 => 0,
            _ => question.dice.weighted(&self.weights),
        };
        let task = tasks.moved(choice, chosen);
        self.left[task] = self.left[task].saturating_sub(PARTS);
        chosen
    }
}
