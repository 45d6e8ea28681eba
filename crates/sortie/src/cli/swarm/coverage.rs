//! A record of what each job has seen.

use super::super::Failure;
use serde::Serialize;
use sortie_swarm::{FinishedJob, Job, Task};
use std::fs::File;
use std::io::{BufWriter, Write};

/// A file with a line for each job.
pub struct Coverage {
    name: String,
    out: BufWriter<File>,
    failed: Option<std::io::Error>,
}

#[derive(Serialize)]
struct CoverageLine<'a> {
    job: u64,
    /// The labels of the trace.
    trace: Option<Vec<String>>,
    seed: Option<u64>,
    states: usize,
    ending: &'a sortie_swarm::Ending,
    fingerprints: Vec<String>,
}

impl Coverage {
    /// A new file.
    pub fn create(name: &str) -> Result<Coverage, Failure> {
        Coverage::new(name, File::create(name))
    }

    /// Goes on with a file, if it is there.
    pub fn append(name: &str) -> Result<Coverage, Failure> {
        Coverage::new(name, File::options().create(true).append(true).open(name))
    }

    fn new(name: &str, file: std::io::Result<File>) -> Result<Coverage, Failure> {
        let file = file.map_err(|error| unwritten(name, &error))?;
        Ok(Coverage {
            name: name.into(),
            out: BufWriter::new(file),
            failed: None,
        })
    }

    pub fn note(&mut self, job: &Job, done: &FinishedJob) {
        let (trace, seed) = match &job.task {
            Task::Informed { labels, .. } => {
                let labels = labels.iter().map(|label| label.0.to_string());
                (Some(labels.collect()), None)
            }
            Task::Plain { seed } => (None, Some(*seed)),
        };
        let line = CoverageLine {
            job: job.id,
            trace,
            seed,
            states: done.coverage.len(),
            ending: &done.result.ending,
            fingerprints: done.coverage.iter().map(ToString::to_string).collect(),
        };
        let text = serde_json::to_string(&line).expect("numbers and texts can be written");
        if self.failed.is_none() {
            // A line is complete or not there at all when the process is killed between two jobs.
            let written = writeln!(self.out, "{text}").and_then(|()| self.out.flush());
            self.failed = written.err();
        }
    }

    /// The error of a write, if there was one.
    pub fn finish(self) -> Result<(), Failure> {
        let failed = self.failed.map(|error| unwritten(&self.name, &error));
        failed.map_or(Ok(()), Err)
    }
}

fn unwritten(name: &str, error: &std::io::Error) -> Failure {
    Failure::broken(format!("{name} cannot be written: {error}"))
}
