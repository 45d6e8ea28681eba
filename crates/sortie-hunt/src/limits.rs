//! The limits of a hunt while it is carried out: a budget, a clock, and interruptions.
//!
//! A limit in time covers everything: searching ends when the stop is requested, and so does shortening. What was found by then still has to be replayed
//! and written, for which there is a grace; when that is over, nothing more is replayed.

use crate::HuntSettings;
use sortie_model::{Budget, Spending, Stop, StopReason, Verdict};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// The time after a request to stop in which what was found is replayed.
const GRACE: Duration = Duration::from_millis(900);

/// The budget of a hunt that has begun, and what ends it from outside.
pub struct Limits {
    budget: Budget,
    end: Stop,
    /// Dropped to end the clock.
    _clock: Option<Sender<()>>,
}

impl Limits {
    /// Starts the clock, if there is a limit in time. It stops when the limits are dropped.
    pub fn begin(settings: &HuntSettings) -> Self {
        let limits = Limits::of(Budget {
            max_states: settings.max_states,
            memory: settings.memory,
            stop: Stop::default(),
        });
        limits.with_clock(settings.time)
    }

    /// The limits with a limit in time, from now on.
    pub fn with_clock(mut self, time: Option<Duration>) -> Self {
        self._clock = time.map(|time| {
            let (running, dropped) = channel();
            let (stop, end) = (self.stop().clone(), self.end.clone());
            std::thread::spawn(move || {
                for (time, stop) in [(time, stop), (GRACE, end)] {
                    if dropped.recv_timeout(time) != Err(RecvTimeoutError::Timeout) {
                        return;
                    }
                    stop.request(StopReason::Clock);
                }
            });
            running
        });
        self
    }

    /// Limits of a budget, without a clock.
    pub fn of(budget: Budget) -> Self {
        Limits {
            budget,
            end: Stop::default(),
            _clock: None,
        }
    }

    /// What each run may spend, with the flag that ends the search.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// The flag that ends the search.
    pub fn stop(&self) -> &Stop {
        &self.budget.stop
    }

    /// The flag that also ends the replaying of what was found; it is set a moment after the other.
    pub fn end(&self) -> &Stop {
        &self.end
    }

    /// The verdict where what was found could not be replayed in time.
    pub(crate) fn ended(&self) -> Verdict {
        let reason = self.end.requested().unwrap_or(StopReason::Clock);
        Verdict::Spent(Spending::Stopped(reason))
    }

    /// A function that ends the hunt because the user wants it, for a handler of signals.
    pub fn interruption(&self) -> impl Fn() + Send + use<> {
        let (stop, end) = (self.budget.stop.clone(), self.end.clone());
        move || {
            stop.request(StopReason::Interrupt);
            let end = end.clone();
            std::thread::spawn(move || {
                std::thread::sleep(GRACE);
                end.request(StopReason::Interrupt);
            });
        }
    }
}
