//! A test as a walk: every run is one execution of shuttle.

use super::ask::{Progress, RUN, Run};
use super::failing::{BOUND, Failing};
use super::panics;
use super::scheduler::Asking;
use shuttle::Runner;
use shuttle::scheduler::DfsScheduler;
use shuttle_engine::runtime::execution::Execution;
use shuttle_engine::runtime::thread::continuation::{CONTINUATION_POOL, ContinuationPool};
use shuttle_engine::scheduler::{Schedule, Scheduler};
use shuttle_engine::{Config, FailurePersistence, MaxSteps};
use sortie_model::{Chooser, End, ModelError, Walk};
use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe, Location};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A test written for shuttle, run under the answers of a [`Chooser`].
///
/// A panic of a task and a deadlock are failures. A run that reaches the limit on moves ends with [`End::Limit`].
///
/// ```
/// use sortie_model::{Choice, Chooser, End, Walk};
/// use sortie_programs::rust::ShuttleTest;
///
/// struct First;
/// impl Chooser for First {
///     fn choose(&mut self, _: Choice<'_>) -> usize {
///         0
///     }
/// }
///
/// let mut test = ShuttleTest::new(|| assert_eq!(1 + 1, 2));
/// assert_eq!(test.run(&mut First, 100)?, End::DeadEnd);
/// # Ok::<(), sortie_model::ModelError>(())
/// ```
#[derive(Clone)]
pub struct ShuttleTest {
    body: Arc<dyn Fn() + Send + Sync>,
    config: Config,
    data_seeds: u32,
    must_end: bool,
    drew: Arc<AtomicBool>,
    place: &'static Location<'static>,
}

/// A task's stack, in bytes. Failed runs do not give stacks back, yet unoptimised tests need more than shuttle's 60 KiB.
const STACK: usize = 0x2_0000;

/// Of so many generators of `shuttle::rand` a run takes one.
pub(super) const DATA_SEEDS: u32 = 1 << 16;

impl ShuttleTest {
    /// The test that a function is.
    #[track_caller]
    pub fn new(body: impl Fn() + Send + Sync + 'static) -> Self {
        Self::shared(Arc::new(body))
    }

    /// The test that a shared function is.
    #[track_caller]
    pub fn shared(body: Arc<dyn Fn() + Send + Sync>) -> Self {
        let mut config = Config::new();
        config.stack_size = STACK;
        config.failure_persistence = FailurePersistence::None;
        // Moves are counted here, so that a long run can end without a panic.
        config.max_steps = MaxSteps::None;
        config.silence_warnings = true;
        ShuttleTest {
            body,
            config,
            data_seeds: DATA_SEEDS,
            must_end: false,
            drew: Arc::default(),
            place: Location::caller(),
        }
    }

    /// The same with stacks of so many bytes.
    pub fn stack(mut self, bytes: usize) -> Self {
        self.config.stack_size = bytes;
        self
    }

    /// The same with so many generators for the values that the test draws from `shuttle::rand`, at least one.
    pub fn data_seeds(mut self, seeds: u32) -> Self {
        self.data_seeds = seeds.max(1);
        self
    }

    /// The same, but a run that reaches the limit on moves has failed.
    pub fn must_end(mut self) -> Self {
        self.must_end = true;
        self
    }

    /// Whether any run drew from `shuttle::rand`: then all answers together are not all there could be.
    pub fn drew(&self) -> bool {
        self.drew.load(Ordering::Relaxed)
    }

    fn execute(&self) {
        let body = Arc::clone(&self.body);
        BENCH.with(|bench| {
            let scheduler: Rc<RefCell<dyn Scheduler>> = bench.scheduler.clone();
            let execution = Execution::new(scheduler, Schedule::new(0));
            let run = || execution.run(&self.config, move || body(), self.place);
            CONTINUATION_POOL.set(&bench.stacks, run);
        });
    }
}

/// What runs on one thread share, one after another: making stacks anew costs more than most runs.
struct Bench {
    stacks: ContinuationPool,
    scheduler: Rc<RefCell<Asking>>,
}

impl Bench {
    fn new() -> Self {
        panics::install(|| {
            // An execution of nothing.
            let mut config = Config::new();
            config.failure_persistence = FailurePersistence::None;
            Runner::new(DfsScheduler::new(Some(1), false), config).run(|| {});
        });
        Bench {
            stacks: ContinuationPool::new(),
            scheduler: Rc::new(RefCell::new(Asking)),
        }
    }
}

thread_local! {
    static BENCH: Bench = Bench::new();
}

impl Walk for ShuttleTest {
    fn run(&mut self, chooser: &mut dyn Chooser, limit: u64) -> Result<End, ModelError> {
        if RUN.is_set() {
            return Err(ModelError::new("a test under hunt cannot hunt itself"));
        }
        BENCH.with(|_| ());
        let mut progress = Progress {
            steps: 0,
            limit,
            cut: None,
            data: None,
            data_seeds: self.data_seeds,
        };
        let run = Run {
            chooser,
            progress: &mut progress,
        };
        let execute = || panic::catch_unwind(AssertUnwindSafe(|| self.execute()));
        let (result, heard) = panics::listen(|| RUN.set(run, execute));
        if progress.data.is_some() {
            self.drew.store(true, Ordering::Relaxed);
        }
        Ok(match result {
            Ok(()) => match progress.cut {
                Some(End::Limit) if self.must_end => {
                    End::Failed(format!("{BOUND}: the run did not end within {limit} moves"))
                }
                Some(cut) => cut,
                None => End::DeadEnd,
            },
            Err(payload) => End::Failed(Failing::of(&panics::said(&*payload), &heard).to_string()),
        })
    }
}
