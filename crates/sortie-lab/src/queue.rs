//! Runs the rows of experiments side by side, one queue for all of them.

use crate::ledger::Ledger;
use crate::study::{Listed, Setting, Study};
use anyhow::Result;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// An experiment in the queue.
pub struct Queued<'a> {
    pub name: &'a str,
    pub study: &'a dyn Study,
    pub rows: Vec<Listed>,
}

/// Puts all rows into the ledger that are not there. The first failure ends it, and so does whoever asks for it.
pub fn run<'q>(queue: &'q [Queued<'q>], ledger: &Ledger, setting: &Setting) -> Result<()> {
    let rows = |queued: &'q Queued<'q>| (0..queued.rows.len()).map(move |row| (queued, row));
    let rows = queue.iter().flat_map(rows);
    let jobs: Vec<_> = rows
        .filter(|(queued, row)| queued.rows[*row].model.is_ok())
        .collect();
    let workers = match queue.iter().any(|queued| queued.study.is_apart()) {
        true => 1,
        false => setting.threads.clamp(1, jobs.len().max(1)),
    };
    let each = Setting {
        threads: (setting.threads / workers).max(1),
        ..setting.clone()
    };
    let bar = progress(jobs.len());
    let next = AtomicUsize::new(0);
    let failure: Mutex<Option<anyhow::Error>> = Mutex::new(None);
    let failed = || failure.lock().expect("no worker panics").is_some();
    let serve = || {
        while !setting.is_stopped() && !failed() {
            let Some(&(queued, row)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) else {
                return;
            };
            if let Err(error) = one(queued, row, ledger, &each, &bar) {
                let mut failure = failure.lock().expect("no worker panics");
                failure.get_or_insert(error);
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
    let failure = failure.into_inner().expect("no worker panics");
    failure.map_or(Ok(()), Err)
}

/// Measures a row, unless it is in the ledger. What was cut is not kept.
fn one(
    queued: &Queued<'_>,
    row: usize,
    ledger: &Ledger,
    setting: &Setting,
    bar: &ProgressBar,
) -> Result<()> {
    let planned = &queued.rows[row];
    let fingerprint = planned.fingerprint(queued.name);
    if ledger.get(fingerprint).is_some() {
        return Ok(());
    }
    let name = format!("{}: {}, {}", queued.name, planned.subject, planned.name);
    bar.set_message(name.clone());
    let result = queued.study.measure(row, setting)?;
    match setting.is_stopped() {
        true => Ok(()),
        false => ledger.keep(fingerprint, &name, result),
    }
}

/// On a terminal: how many rows are done, which one is being run, and how long it may take.
fn progress(rows: usize) -> ProgressBar {
    let bar = ProgressBar::new(rows as u64);
    bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(5));
    let shown = "{bar:30} {pos} of {len} rows, {elapsed} (about {eta} left)  {msg}";
    bar.set_style(ProgressStyle::with_template(shown).expect("the template is well-formed"));
    bar.enable_steady_tick(std::time::Duration::from_millis(500));
    bar
}
