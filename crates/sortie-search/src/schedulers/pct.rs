//! Probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi and Nagarakatte): tasks get random priorities, the highest one that can move does,
//! and at d - 1 random moves (`--changes`) the task about to move falls below all those that never fell.
//!
//! With n tasks and at most k moves, a bug that shows whenever d moves come in one certain order is found with probability at least
//! 1 / (n k^(d-1)) in each run. Differences: k is the length of the longest run so far, or the planned length of a walk through a model, where the paper asks the user for it; a task that asks for others
//! to move first, or that moves alone far longer than it ever had to, falls below all others, since under priorities a task that waits in a loop would
//! wait for ever. Questions that are not about tasks are answered at random. Cost: a table look-up for each alternative.

use super::history::History;
use super::models::WALK_DEPTH;
use super::scheduler::{Best, Question, Scheduler};
use super::search::RunStart;
use super::tasks::RunTasks;
use crate::Options;
use crate::options::{Kind, OptionSpec, option_rows};
use sortie_model::{Choice, Dice};

option_rows! {
    pub(crate) CHANGES: "changes", Kind::Number(0, 1000), "2",
        "how many times a component or task falls behind at a random move";
}

pub(crate) const OPTIONS: &[OptionSpec] = &[CHANGES, WALK_DEPTH];

/// Priorities of tasks that fell at a change point lie between this and twice this; those of others above.
const FALLEN: u64 = 1 << 62;

/// Priorities during one run.
#[derive(Clone)]
pub(crate) struct Pct {
    /// Number of moves at which a task falls behind.
    falls: u64,
    /// By number of the task: its priority, and how long it may move alone.
    priorities: Vec<(u64, u64)>,
    /// The moves at which a task falls, and to which priority; the next one last.
    changes: Vec<(u64, u64)>,
    /// Below all priorities there are.
    lowest: u64,
    moves: u64,
}

impl Pct {
    /// As many changes as the options say.
    pub(crate) fn of(options: &Options) -> Self {
        Pct::new(options.number(&CHANGES))
    }

    /// Runs with this number of changes.
    pub(crate) fn new(falls: u64) -> Self {
        Pct {
            falls,
            priorities: Vec::new(),
            changes: Vec::new(),
            lowest: 0,
            moves: 0,
        }
    }

    /// An alternative of the task with the highest priority; a task that may move in several ways takes any.
    fn highest(&self, tasks: &RunTasks, choice: &Choice<'_>, dice: &mut Dice) -> usize {
        let mut best = Best::default();
        for index in 0..choice.alternatives {
            let (priority, _) = self.priorities[tasks.here(index)];
            best.offer(index, priority, dice);
        }
        best.index
    }
}

impl Scheduler for Pct {
    fn begin(&mut self, start: &RunStart, history: &History, dice: &mut Dice) {
        self.priorities.clear();
        self.changes.clear();
        let length = start.length.unwrap_or_else(|| history.longest());
        for _ in 0..self.falls {
            let at = dice.below(length);
            self.changes.push((at, FALLEN | dice.bits() >> 2));
        }
        self.changes
            .sort_unstable_by_key(|(at, _)| std::cmp::Reverse(*at));
        self.lowest = FALLEN;
        self.moves = 0;
    }

    fn choose(&mut self, question: Question<'_>) -> usize {
        let (choice, tasks, dice) = (question.choice, question.tasks, question.dice);
        tasks.number_all(choice);
        for task in &tasks.all[self.priorities.len()..] {
            let patience = question.history.patience(task.who);
            self.priorities.push((1 << 63 | dice.bits() >> 1, patience));
        }
        if let Some(last) = tasks.gives_way(choice, |task| self.priorities[task].1) {
            self.lowest -= 1;
            self.priorities[last].0 = self.lowest;
        }
        let mut chosen = self.highest(tasks, choice, dice);
        while let Some((at, priority)) = self.changes.last().copied()
            && at <= self.moves
        {
            self.changes.pop();
            self.priorities[tasks.here(chosen)].0 = priority;
            chosen = self.highest(tasks, choice, dice);
        }
        self.moves += 1;
        tasks.moved(choice, chosen);
        chosen
    }
}
