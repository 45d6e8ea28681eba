//! What one side costs: work done, processor time, peak memory.

use nix::sys::resource::{Usage, UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use std::fmt;
use std::process::Command;

/// What a side has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// States visited; for walks, steps taken.
    pub states: u64,
    /// Transitions listed, where the side can tell.
    pub transitions: u64,
}

/// Work and what it took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// What was done.
    pub work: Work,
    /// User and system time of all threads and of finished children, in microseconds.
    pub micros: u64,
    /// Largest resident set of this process, or of a child that was larger, in KiB.
    pub peak_kib: u64,
}

impl Cost {
    /// Runs `work` in this process.
    pub fn of(work: fn() -> Work) -> Self {
        let before = micros();
        let work = work();
        Cost {
            work,
            micros: micros() - before,
            peak_kib: own_peak_kib().max(usage(UsageWho::RUSAGE_CHILDREN).max_rss() as u64),
        }
    }

    /// Runs the side of this name in a process of its own.
    pub fn of_process(side: &str) -> Result<Self, String> {
        let executable = std::env::current_exe().map_err(|error| error.to_string())?;
        let output = Command::new(executable)
            .args(["--side", side])
            .output()
            .map_err(|error| error.to_string())?;
        let text = String::from_utf8_lossy(&output.stdout);
        let numbers: Vec<u64> = text
            .split_whitespace()
            .filter_map(|word| word.parse().ok())
            .collect();
        let (true, &[states, transitions, micros, peak_kib]) =
            (output.status.success(), numbers.as_slice())
        else {
            let errors = String::from_utf8_lossy(&output.stderr);
            return Err(format!("'{side}' failed: {text}{errors}"));
        };
        let work = Work {
            states,
            transitions,
        };
        Ok(Cost {
            work,
            micros,
            peak_kib,
        })
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Work {
            states,
            transitions,
        } = self.work;
        let Cost {
            micros, peak_kib, ..
        } = self;
        write!(f, "{states} {transitions} {micros} {peak_kib}")
    }
}

fn usage(who: UsageWho) -> Usage {
    getrusage(who).expect("a process may ask for its own usage")
}

fn micros() -> u64 {
    [UsageWho::RUSAGE_SELF, UsageWho::RUSAGE_CHILDREN]
        .map(usage)
        .iter()
        .map(|usage| usage.user_time().num_microseconds() + usage.system_time().num_microseconds())
        .sum::<i64>() as u64
}

/// The peak since this program was started; what `getrusage` says may stem from the process that started it.
fn own_peak_kib() -> u64 {
    std::fs::read_to_string("/proc/self/status")
        .ok()
        .and_then(|status| {
            let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
            line.split_whitespace().nth(1)?.parse().ok()
        })
        .unwrap_or_else(|| usage(UsageWho::RUSAGE_SELF).max_rss() as u64)
}
