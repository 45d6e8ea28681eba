//! How a run failed.

use super::panics::Heard;
use std::fmt;

/// How a run failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Failing {
    /// A task panicked.
    Panic {
        task: String,
        message: String,
        place: Option<String>,
    },
    /// Tasks wait for one another.
    Deadlock { waiting: Vec<String> },
}

/// The kind of runs that did not end.
pub(super) const BOUND: &str = "step bound";

const SHUTTLE_DEADLOCK: &str = "deadlock! blocked tasks: [";

impl Failing {
    /// What a panic out of shuttle means, with the panics heard in the run.
    pub fn of(text: &str, heard: &[Heard]) -> Self {
        if let Some(list) = text.strip_prefix(SHUTTLE_DEADLOCK) {
            return Failing::Deadlock {
                waiting: waiting(list),
            };
        }
        // The run may have caught panics of its own before the one that failed it.
        let heard = heard.iter().find(|panic| panic.message == text);
        Failing::Panic {
            task: heard.map_or("<unknown>".into(), |panic| panic.task.clone()),
            message: text.into(),
            place: heard.and_then(|panic| panic.place.clone()),
        }
    }
}

/// The tasks in shuttle's list `name (task label(7), flags), …]`.
fn waiting(mut list: &str) -> Vec<String> {
    let mut tasks = Vec::new();
    while let Some((name, rest)) = list.split_once(" (task ") {
        let numbered = rest.split_once('(').map_or("", |(_, rest)| rest);
        let (number, flags) = numbered.split_once(')').unwrap_or_default();
        tasks.push(match name {
            "<unknown>" => format!("task-{number}"),
            name => name.into(),
        });
        list = flags.split_once("), ").map_or("", |(_, rest)| rest);
    }
    tasks
}

impl fmt::Display for Failing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failing::Panic {
                task,
                message,
                place,
            } => {
                write!(f, "panic in {task}")?;
                if let Some(place) = place {
                    write!(f, " at {place}")?;
                }
                write!(f, ": {message}")
            }
            Failing::Deadlock { waiting } => write!(f, "deadlock: {} wait", waiting.join(", ")),
        }
    }
}

/// What makes two failures the same: for a panic the place, for a deadlock and a run without end that they are one.
pub(super) fn kind(message: &str) -> &str {
    if let Some(rest) = message.strip_prefix("panic in ") {
        let place = rest.split_once(" at ").map_or(rest, |(_, place)| place);
        return place.split_once(": ").map_or(place, |(place, _)| place);
    }
    message.split_once(": ").map_or(message, |(kind, _)| kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tasks_of_a_deadlock_are_named() {
        let text = "deadlock! blocked tasks: [main-thread (task main-thread(0)), <unknown> (task main-thread(1), detached, pending future), left (task left(2))]";
        let failing = Failing::of(text, &[]);
        let expected = "deadlock: main-thread, task-1, left wait";
        assert_eq!(failing.to_string(), expected);
    }

    #[test]
    fn failures_are_the_same_by_their_place() {
        let panic = kind("panic in task-1 at src/a.rs:3:5: left: 1");
        assert_eq!(panic, "src/a.rs:3:5");
        assert_eq!(kind("deadlock: main-thread, task-1 wait"), "deadlock");
        assert_eq!(kind("step bound: 100 moves"), "step bound");
    }
}
