//! A scheduler of shuttle that knows nothing: it asks.

use super::ask::{Progress, RUN};
use super::naming::{Movers, Sides};
use shuttle_engine::scheduler::{Schedule, Scheduler, Task, TaskId};
use sortie_model::{Choice, Chooser, Dice, End, Flow, Kind, View};

/// Passes every decision of shuttle to the chooser of the run that is going on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asking;

impl Scheduler for Asking {
    fn new_execution(&mut self) -> Option<Schedule> {
        Some(Schedule::new(0))
    }

    fn next_task(
        &mut self,
        runnable: &[&Task],
        current: Option<TaskId>,
        yielding: bool,
    ) -> Option<TaskId> {
        RUN.with(|run| {
            let progress = run.progress;
            if progress.steps >= progress.limit {
                progress.cut = Some(End::Limit);
                return None;
            }
            let view = View {
                taken: progress.steps,
                state: None,
                steps: None,
                enabled: Some(runnable.len()),
                label: None,
                print: None,
            };
            if run.chooser.arrive(view) == Flow::Stop {
                progress.cut = Some(End::Stopped);
                return None;
            }
            progress.step();
            let going_on =
                current.and_then(|current| runnable.iter().position(|task| task.id() == current));
            let movers = Movers(runnable);
            let choice = Choice::new(runnable.len(), Kind::Task, &movers).after(going_on, yielding);
            Some(runnable[run.chooser.choose(choice)].id())
        })
    }

    fn next_u64(&mut self) -> u64 {
        RUN.with(|run| data(run.progress, run.chooser).bits())
    }
}

/// The generator of the values of this run.
///
/// Sixty-four bits are too many alternatives for a question. The chooser picks the generator when the first value is wanted; the rest follows.
fn data<'p>(progress: &'p mut Progress, chooser: &mut dyn Chooser) -> &'p mut Dice {
    progress.data.get_or_insert_with(|| {
        let (seeds, count) = (Sides { who: 0, site: 0 }, progress.data_seeds as usize);
        let seed = chooser.choose(Choice::new(count, Kind::Input, &seeds));
        Dice::new(seed as u64)
    })
}
