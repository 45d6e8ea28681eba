//! Runs the rows of experiments side by side, one queue for all of them.

use super::ledger::Ledger;
use super::study::{Planned, Setting, Study};
use crate::cli::Failure;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::Value;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// An experiment in the queue.
pub struct Queued<'a> {
    pub name: &'a str,
    pub study: &'a dyn Study,
    pub rows: Vec<Planned>,
}

/// What became of the rows of one experiment.
pub struct Done {
    /// In the order of the rows; empty for those that were not run.
    pub results: Vec<Option<Value>>,
    /// How many were not run because their model is not there.
    pub skipped: usize,
    /// How many were not run for another reason.
    pub missing: usize,
}

/// Runs all rows that are not in the ledger. The first failure ends it, and so does whoever asks for it.
pub fn run(queue: &[Queued<'_>], ledger: &Ledger, setting: &Setting) -> Result<Vec<Done>, Failure> {
    let jobs: Vec<(usize, usize)> = queue
        .iter()
        .enumerate()
        .flat_map(|(place, queued)| (0..queued.rows.len()).map(move |row| (place, row)))
        .filter(|&(place, row)| queue[place].rows[row].model.is_ok())
        .collect();
    let workers = setting.threads.clamp(1, jobs.len().max(1));
    let each = Setting {
        threads: (setting.threads / workers).max(1),
        ..setting.clone()
    };
    let bar = progress(jobs.len());
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<((usize, usize), Value)>> = Mutex::new(Vec::new());
    let failure: Mutex<Option<Failure>> = Mutex::new(None);
    let failed = || failure.lock().expect("no worker panics").is_some();
    let serve = || {
        while !setting.is_stopped() && !failed() {
            let Some(&(place, row)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) else {
                return;
            };
            match one(&queue[place], row, ledger, &each, &bar) {
                Ok(Some(value)) => {
                    let mut done = done.lock().expect("no worker panics");
                    done.push(((place, row), value));
                }
                Ok(None) => {}
                Err(error) => {
                    failure
                        .lock()
                        .expect("no worker panics")
                        .get_or_insert(error);
                }
            }
            bar.inc(1);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(serve);
        }
    });
    bar.finish_and_clear();
    if let Some(failure) = failure.into_inner().expect("no worker panics") {
        return Err(failure);
    }
    let mut all: Vec<Done> = queue.iter().map(|queued| empty(&queued.rows)).collect();
    for ((place, row), value) in done.into_inner().expect("no worker panics") {
        all[place].results[row] = Some(value);
        all[place].missing -= 1;
    }
    Ok(all)
}

/// One row: from the ledger, or measured. Nothing if it was cut.
fn one(
    queued: &Queued<'_>,
    row: usize,
    ledger: &Ledger,
    setting: &Setting,
    bar: &ProgressBar,
) -> Result<Option<Value>, Failure> {
    let planned = &queued.rows[row];
    let fingerprint = planned.fingerprint(queued.name);
    if let Some(known) = ledger.get(fingerprint) {
        return Ok(Some(known));
    }
    let name = format!("{}: {}, {}", queued.name, planned.subject, planned.name);
    bar.set_message(name.clone());
    let result = queued.study.measure(row, setting)?;
    if setting.is_stopped() {
        return Ok(None);
    }
    ledger.keep(fingerprint, &name, result).map(Some)
}

fn empty(rows: &[Planned]) -> Done {
    let skipped = rows.iter().filter(|row| row.model.is_err()).count();
    Done {
        results: vec![None; rows.len()],
        skipped,
        missing: rows.len() - skipped,
    }
}

/// On a terminal: how many rows are done, which one is being run, and how long it may take.
fn progress(rows: usize) -> ProgressBar {
    let bar = ProgressBar::new(rows as u64);
    bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(5));
    bar.set_style(
        ProgressStyle::with_template(
            "{bar:30} {pos} of {len} rows, {elapsed} (about {eta} left)  {msg}",
        )
        .expect("the template is well-formed"),
    );
    bar.enable_steady_tick(std::time::Duration::from_millis(500));
    bar
}
