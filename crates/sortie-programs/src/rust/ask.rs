//! Where a running test asks.
//!
//! A scheduler of shuttle must be `'static` and a chooser is borrowed for one run, so the chooser lies in a scoped thread-local while the run lasts.

use super::naming::{Sides, site};
use scoped_tls_hkt::{ReborrowMut, scoped_thread_local};
use shuttle_engine::runtime::execution::ExecutionState;
use sortie_model::{Choice, Chooser, Dice, End, Kind};
use std::panic::Location;
use std::sync::atomic::{AtomicU64, Ordering};

/// The run that is going on.
pub(super) struct Run<'a> {
    /// Answers its questions.
    pub chooser: &'a mut (dyn Chooser + 'a),
    /// How far it is.
    pub progress: &'a mut Progress,
}

/// How far a run is.
pub(super) struct Progress {
    /// Moves of tasks so far.
    pub steps: u64,
    /// Moves at most.
    pub limit: u64,
    /// Set when the run was ended from outside.
    pub cut: Option<End>,
    /// Where values of `shuttle::rand` come from, once one was wanted.
    pub data: Option<Dice>,
    /// Of how many generators the chooser picks one.
    pub data_seeds: u32,
}

/// Changes while tasks move.
static PULSE: AtomicU64 = AtomicU64::new(0);

/// After so many moves the pulse changes.
const BEAT: u64 = 256;

/// A number that changes while tasks move.
pub(super) fn pulse() -> u64 {
    PULSE.load(Ordering::Relaxed)
}

impl Progress {
    /// A task moves.
    #[inline]
    pub(super) fn step(&mut self) {
        if self.steps.is_multiple_of(BEAT) {
            PULSE.fetch_add(1, Ordering::Relaxed);
        }
        self.steps += 1;
    }
}

impl<'a, 'b> ReborrowMut<'a> for Run<'b>
where
    'b: 'a,
{
    type Result = Run<'a>;

    fn reborrow_mut(&'a mut self) -> Run<'a> {
        Run {
            chooser: &mut *self.chooser,
            progress: &mut *self.progress,
        }
    }
}

scoped_thread_local!(pub(super) static mut RUN: for<'a> Run<'a>);

/// Whether a task of a hunted test is running here, not the clean-up after it.
fn running() -> bool {
    RUN.is_set() && ExecutionState::try_with(|state| !state.in_cleanup()).unwrap_or(false)
}

/// A choice made by the test itself: a number below `alternatives`, picked by the search like the order of the tasks.
///
/// A lost message, an attacker's move, a coin: unlike a random number, a search knows how many alternatives there are, can try them all, and
/// replays the same ones. Under shuttle's own schedulers it is a random number.
///
/// ```
/// use sortie_programs::rust::{Hunter, toss};
///
/// let found = Hunter::new().in_process().forgetful().look(|| assert!(toss(3) < 2));
/// assert!(found.failure.is_some());
/// ```
///
/// # Panics
/// When there are no alternatives, and outside of tests under shuttle.
#[track_caller]
pub fn toss(alternatives: usize) -> usize {
    assert!(alternatives > 0, "toss(0) has nothing to choose from");
    if !running() {
        return (ExecutionState::next_u64() % alternatives as u64) as usize;
    }
    let who = ExecutionState::with(|state| state.current().signature.signature_hash());
    let site = site(Location::caller());
    let sides = Sides { who, site };
    let toss = Choice::new(alternatives, Kind::Toss, &sides);
    RUN.with(|run| run.chooser.choose(toss))
}

/// Tells the search that something happened `amount` times: genetic search can be told to look for runs with more of it.
pub fn count(name: &str, amount: i64) {
    if running() {
        RUN.with(|run| run.chooser.count(name, amount));
    }
}
