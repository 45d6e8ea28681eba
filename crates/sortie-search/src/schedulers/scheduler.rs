//! Schedulers of concurrency testing: what decides each move of a run, knowing the tasks of the run and the history of earlier ones.

use super::history::{History, Summary};
use super::record::is_move;
use super::search::{Done, RunStart, Search};
use super::tasks::RunTasks;
use sortie_model::{Choice, Dice, End};

/// Decides the moves of one run after another. Whatever it keeps from one run to the next must not matter.
pub(crate) trait Scheduler: Clone + Send + Sync {
    /// Whether the history is to tell which task uses which object.
    const NOTES_OBJECTS: bool = false;

    /// A run begins.
    fn begin(&mut self, start: &RunStart, history: &History, dice: &mut Dice);

    /// Picks the alternative by which a task moves. A scheduler that looks at tasks [numbers](RunTasks::number_all) those of all alternatives, and tells which one
    /// [moved](RunTasks::moved).
    fn choose(&mut self, question: Question<'_>) -> usize;
}

/// The question which task moves, and what is known for the answer.
pub(crate) struct Question<'a> {
    pub(crate) choice: &'a Choice<'a>,
    pub(crate) tasks: &'a mut RunTasks,
    pub(crate) history: &'a History,
    pub(crate) dice: &'a mut Dice,
}

/// The search that leaves each run to a scheduler, and answers questions that are not about tasks at random.
pub(crate) struct Scheduled<S> {
    scheduler: S,
    history: History,
}

impl<S> Scheduled<S> {
    /// Nothing is known of the tasks yet.
    pub(crate) fn new(scheduler: S) -> Self {
        let history = History::default();
        Scheduled { scheduler, history }
    }
}

/// One run under a scheduler.
pub(crate) struct Player<S> {
    scheduler: S,
    tasks: RunTasks,
    dice: Dice,
}

impl<S: Scheduler> Search for Scheduled<S> {
    type Player = Player<S>;
    type Lesson = Summary;

    fn player(&self) -> Player<S> {
        Player {
            scheduler: self.scheduler.clone(),
            tasks: RunTasks::new(S::NOTES_OBJECTS),
            dice: Dice::new(0),
        }
    }

    fn begin(&self, player: &mut Player<S>, start: RunStart, dice: Dice) {
        player.dice = dice;
        player.tasks.begin();
        let history = &self.history;
        player.scheduler.begin(&start, history, &mut player.dice);
    }

    #[inline]
    fn choose(&self, player: &mut Player<S>, choice: &Choice<'_>) -> usize {
        match is_move(choice.kind) {
            true => player.scheduler.choose(Question {
                choice,
                tasks: &mut player.tasks,
                history: &self.history,
                dice: &mut player.dice,
            }),
            false => choice.draw(&mut player.dice),
        }
    }

    fn end(&self, player: &mut Player<S>, done: &Done<'_>) -> Summary {
        Summary::of(&player.tasks, done.moves, *done.end == End::Limit)
    }

    fn learn(&mut self, _run: u64, summary: Summary) {
        self.history.learn(&summary);
    }
}

/// Keeps the best of several alternatives, each as likely as any other where there is a tie.
#[derive(Default)]
pub(crate) struct Best {
    priority: u64,
    ties: u64,
    pub(crate) index: usize,
}

impl Best {
    /// Another alternative.
    #[inline]
    pub(crate) fn offer(&mut self, index: usize, priority: u64, dice: &mut Dice) {
        if priority > self.priority {
            (self.priority, self.index, self.ties) = (priority, index, 1);
        } else if priority == self.priority {
            self.ties += 1;
            if dice.below(self.ties) == 0 {
                self.index = index;
            }
        }
    }
}
