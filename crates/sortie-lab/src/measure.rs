//! How fast a model is explored: processor time and memory of this process.
//!
//! Memory is the growth of the largest resident set, so each measurement wants a process of its own.

use serde::{Deserialize, Serialize};
use sortie_model::{Event, Model, Observer, Silent};
use sortie_property::{Action, Property};
use sortie_search::{Hunt, Options, SearchError, strategy};
use std::sync::Mutex;

/// The length of one random walk.
const WALK: u64 = 1_000;

/// A task that is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Task {
    /// Breadth-first exploration of everything, or of so many states.
    Explore(Option<u64>),
    /// This number of steps of random walks.
    Walk(u64),
}

/// The measurements of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Speed {
    /// States expanded, or steps walked.
    pub states: u64,
    /// States that were met, whether or not they were expanded.
    pub discovered: u64,
    /// Their outgoing transitions.
    pub transitions: u64,
    /// From text to model.
    pub opening_micros: u64,
    micros: u64,
    bytes: u64,
}

impl Speed {
    /// Does the task with a model that took so long to open.
    pub fn measure(
        model: &dyn Model,
        opening_micros: u64,
        task: Task,
    ) -> Result<Speed, SearchError> {
        let begin = micros();
        let memory = peak_bytes();
        let nothing = nothing();
        let mut hunt = Hunt::new(model, &nothing, &Silent);
        let name = match task {
            Task::Explore(limit) => {
                hunt.budget.max_states = limit;
                "bfs"
            }
            Task::Walk(steps) => {
                hunt.budget.max_states = Some(steps);
                hunt.options = Options::default().with("depth", WALK);
                "random"
            }
        };
        let outcome = strategy(name).and_then(|strategy| strategy.hunt(&hunt))?;
        Ok(Speed {
            states: outcome.counts.expanded,
            discovered: outcome.counts.visited,
            transitions: outcome.counts.transitions,
            opening_micros,
            micros: micros() - begin,
            bytes: peak_bytes().saturating_sub(memory),
        })
    }

    /// States, or steps, per second.
    pub fn states_per_second(&self) -> f64 {
        self.per_second(self.states)
    }

    /// States met per second.
    pub fn discovered_per_second(&self) -> f64 {
        self.per_second(self.discovered)
    }

    /// Transitions listed per second.
    pub fn transitions_per_second(&self) -> f64 {
        self.per_second(self.transitions)
    }

    fn per_second(&self, count: u64) -> f64 {
        count as f64 / (self.micros.max(1) as f64 / 1e6)
    }

    /// Growth of the process while it explored, per state; none where the system does not tell.
    pub fn bytes_per_state(&self) -> Option<f64> {
        (self.bytes > 0).then(|| self.bytes as f64 / self.states.max(1) as f64)
    }
}

/// A property that no model violates, so that nothing ends a search early.
pub fn nothing() -> [Box<dyn Property>; 1] {
    let action = Action::matching("no such action");
    [Box::new(action.expect("the pattern is well-formed"))]
}

/// Writes down what some events tell.
pub struct Chronicle<T> {
    note: fn(&Event) -> Option<T>,
    written: Mutex<Vec<T>>,
}

impl<T> Chronicle<T> {
    /// What this function takes from events.
    pub fn new(note: fn(&Event) -> Option<T>) -> Self {
        let written = Mutex::default();
        Chronicle { note, written }
    }

    /// All that was written down, in the order of the events.
    pub fn written(self) -> Vec<T> {
        let written = self.written.into_inner();
        written.expect("nobody panics while writing")
    }
}

impl<T: Send> Observer for Chronicle<T> {
    fn event(&self, event: &Event) {
        let mut written = self.written.lock().expect("nobody panics while writing");
        written.extend((self.note)(event));
    }
}

/// The result of a function, and the microseconds of processor time that it took.
pub fn timed<T>(open: impl FnOnce() -> T) -> (T, u64) {
    let begin = micros();
    let opened = open();
    (opened, micros() - begin)
}

/// Processor time of all threads.
#[cfg(unix)]
fn micros() -> u64 {
    use nix::sys::resource::{UsageWho, getrusage};
    use nix::sys::time::TimeValLike;
    let usage = getrusage(UsageWho::RUSAGE_SELF).expect("a process may ask for its own usage");
    (usage.user_time().num_microseconds() + usage.system_time().num_microseconds()) as u64
}

/// Time since the first call, where the system has no simple way to tell processor time.
#[cfg(not(unix))]
fn micros() -> u64 {
    use std::sync::OnceLock;
    use std::time::Instant;
    static BEGIN: OnceLock<Instant> = OnceLock::new();
    BEGIN.get_or_init(Instant::now).elapsed().as_micros() as u64
}

/// The largest resident set of this process so far; zero where the system does not tell.
pub fn peak_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kib: Option<u64> = line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok());
    kib.unwrap_or(0) * 1024
}

#[cfg(test)]
mod tests {
    use super::*;
    use sortie_open::{ModelText, Settings, Wanted};

    #[test]
    fn rates_are_by_time_and_bytes_by_state() {
        let speed = Speed {
            states: 10,
            discovered: 12,
            transitions: 25,
            opening_micros: 3,
            micros: 500,
            bytes: 4096,
        };
        assert_eq!(speed.transitions_per_second(), 50_000.0);
        assert_eq!(speed.discovered_per_second(), 24_000.0);
        assert_eq!(speed.bytes_per_state(), Some(409.6));
    }

    /// Twelve states in a ring, with steps both ways.
    #[test]
    fn tasks_do_as_much_as_they_are_told() {
        let steps = (0..12).flat_map(|from| [1, 11].map(|turn| (from, (from + turn) % 12)));
        let steps: String = steps
            .map(|(from, to)| format!("({from},turn,{to})\n"))
            .collect();
        let text = ModelText::new("wheel", "aut", &format!("des (0,24,12)\n{steps}"));
        let text = text.expect("the language is known");
        let count = |task| {
            let (opened, opening) = timed(|| text.open(&Settings::default(), &Wanted::default()));
            let model = opened.expect("a good model").model;
            let speed = Speed::measure(&*model, opening, task).expect("a good model");
            (speed.states, speed.transitions)
        };
        assert_eq!(count(Task::Explore(None)), (12, 24));
        assert_eq!(count(Task::Explore(Some(5))), (5, 10));
        assert_eq!(count(Task::Walk(70)), (70, 140));
    }
}
