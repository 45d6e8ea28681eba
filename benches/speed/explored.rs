//! One exploration and what it took.

use crate::specifications::Specification;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use sortie_model::Silent;
use sortie_property::{Action, Property};
use sortie_search::{Hunt, Options, strategy};
use std::fmt;
use std::process::Command;

/// How long a random walk is.
const WALK: u64 = 1_000;

#[derive(Clone, Copy)]
pub enum Task {
    Explore,
    Walk,
}

impl Task {
    pub fn named(name: &str) -> Result<Task, String> {
        match name {
            "explore" => Ok(Task::Explore),
            "walk" => Ok(Task::Walk),
            _ => Err(format!("there is no task {name}")),
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Task::Explore => "explore",
            Task::Walk => "walk",
        }
    }
}

/// What was done, in numbers that one process prints and another reads.
#[derive(Clone, Copy, Debug)]
pub struct Explored {
    pub states: u64,
    pub transitions: u64,
    pub opening_micros: u64,
    micros: u64,
    bytes: u64,
}

impl Explored {
    /// Runs this program again for one task.
    pub fn in_process(task: Task, name: &str) -> Result<Explored, String> {
        let executable = std::env::current_exe().map_err(|error| error.to_string())?;
        let output = Command::new(executable)
            .args(["--one", task.name(), name])
            .output()
            .map_err(|error| error.to_string())?;
        let text = String::from_utf8_lossy(&output.stdout);
        Explored::read(&text)
            .ok_or_else(|| format!("{name}: {text}{}", String::from_utf8_lossy(&output.stderr)))
    }

    fn read(text: &str) -> Option<Explored> {
        let numbers: Vec<u64> = text
            .split_whitespace()
            .filter_map(|word| word.parse().ok())
            .collect();
        let &[states, transitions, opening_micros, micros, bytes] = &numbers[..] else {
            return None;
        };
        Some(Explored {
            states,
            transitions,
            opening_micros,
            micros,
            bytes,
        })
    }

    pub fn per_second(&self) -> f64 {
        self.states as f64 / (self.micros.max(1) as f64 / 1e6)
    }

    /// Growth of the process while it explored, per state.
    pub fn bytes_per_state(&self) -> f64 {
        self.bytes as f64 / self.states.max(1) as f64
    }
}

impl fmt::Display for Explored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Explored {
            states,
            transitions,
            opening_micros,
            micros,
            bytes,
        } = self;
        write!(
            f,
            "{states} {transitions} {opening_micros} {micros} {bytes}"
        )
    }
}

impl Specification {
    /// Opens and explores in this process.
    pub fn explore(&self, task: Task) -> Result<Explored, String> {
        let text = std::fs::read_to_string(self.path()).map_err(|error| error.to_string())?;
        let begin = micros();
        let model = sortie_mcrl2::open(self.name, &text, &[])
            .map_err(|errors| format!("{}: {errors:?}", self.name))?;
        let opened = micros();
        let memory = peak_bytes();
        let nothing = Action::matching("no such action").map_err(|error| error.to_string())?;
        let properties: [Box<dyn Property>; 1] = [Box::new(nothing)];
        let mut hunt = Hunt::new(&model, &properties, &Silent);
        let name = match task {
            Task::Explore => {
                hunt.budget.max_states = self.max_states;
                "bfs"
            }
            Task::Walk => {
                hunt.budget.max_states = Some(self.walk_steps);
                hunt.options = Options::default().with("depth", WALK);
                "random"
            }
        };
        let outcome = strategy(name)
            .and_then(|strategy| strategy.hunt(&hunt))
            .map_err(|error| error.to_string())?;
        Ok(Explored {
            states: outcome.counts.expanded,
            transitions: outcome.counts.transitions,
            opening_micros: opened - begin,
            micros: micros() - opened,
            bytes: peak_bytes() - memory,
        })
    }
}

/// Processor time of all threads.
fn micros() -> u64 {
    let usage = getrusage(UsageWho::RUSAGE_SELF).expect("a process may ask for its own usage");
    (usage.user_time().num_microseconds() + usage.system_time().num_microseconds()) as u64
}

/// The largest resident set so far.
fn peak_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kib: Option<u64> = line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok());
    kib.unwrap_or(0) * 1024
}
