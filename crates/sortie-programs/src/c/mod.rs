//! Unmodified C and C++ programs with POSIX threads, under a controlled scheduler.
//!
//! A library is loaded into the program before it starts. It serialises the threads: one moves at a time, and before every lock, wait, signal,
//! join, sleep, and, in programs that were compiled for it, every access to shared memory, somebody is asked who moves next. So a program is a
//! [`Walk`](sortie_model::Walk), and every search among runs hunts in it.

mod compile;
mod end;
mod inspect;
mod moves;
mod places;
mod program;
mod region;
mod server;
mod story;
mod sys;
mod walk;
mod watch;

pub use compile::{compile, header};
pub use end::{Ending, Standing};
pub use region::Move;
pub use walk::{Caution, Observed, ProgramWalk, Run, Taken};

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// A program and how it is called.
#[derive(Clone, Debug)]
pub struct CProgram {
    /// The file.
    pub path: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// How much processor time a thread may take between two scheduling points before it counts as an endless loop.
    pub patience: Duration,
    /// Whether accesses to memory are scheduling points, where the program tells of them.
    pub memory: bool,
    /// What the runs have shown.
    observed: Arc<Observed>,
}

impl CProgram {
    /// A program with its arguments and the usual patience.
    pub fn new(
        path: impl Into<PathBuf>,
        arguments: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        CProgram {
            path: path.into(),
            arguments: arguments.into_iter().map(Into::into).collect(),
            patience: Duration::from_secs(1),
            memory: true,
            observed: Arc::default(),
        }
    }
}

/// A program could not be hunted in.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NativeError {
    /// There is no runtime for this system.
    #[error(
        "programs can be run on Linux with the GNU C library, on x86-64 and aarch64; this is another system"
    )]
    Unsupported,
    /// The system refused something.
    #[error("cannot {what}: {error}")]
    System {
        /// What was tried.
        what: &'static str,
        /// Why it failed.
        error: std::io::Error,
    },
    /// The program cannot be started.
    #[error("cannot start {}: {error}", path.display())]
    NoStart {
        /// The program.
        path: PathBuf,
        /// Why it failed.
        error: std::io::Error,
    },
    /// The file is no program that can be controlled.
    #[error("{} cannot be hunted in: {why}", path.display())]
    NoProgram {
        /// The file.
        path: PathBuf,
        /// What it is instead, and what to do.
        why: String,
    },
    /// The program ran without the runtime.
    #[error("the program did not load sortie's runtime and ended with {status}; {output}")]
    NotLoaded {
        /// How it ended.
        status: String,
        /// What it wrote.
        output: String,
    },
    /// The server is gone.
    #[error("the program's process ended before its runs did, with {status}")]
    ServerEnded {
        /// How it ended.
        status: String,
    },
    /// The program does something that is not controlled.
    #[error("the program escapes control: {what}")]
    Escape {
        /// What it does.
        what: String,
    },
}
