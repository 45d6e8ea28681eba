//! Runs that share threads, with results in the order of the runs.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

const STORED: &str = "no thread panics while it stores a result";

/// Carries out runs 0, 1, 2, ... on so many threads until `ends` says that a run is not to begin; their results in order.
pub(crate) fn side_by_side<T: Send>(
    threads: usize,
    ends: impl Fn(u64) -> bool + Sync,
    one: impl Fn(u64) -> T + Sync,
) -> Vec<T> {
    let next = AtomicU64::new(0);
    let results: Mutex<BTreeMap<u64, T>> = Mutex::default();
    let work = || {
        loop {
            let run = next.fetch_add(1, Ordering::Relaxed);
            if ends(run) {
                break;
            }
            let result = one(run);
            let mut results = results.lock().expect(STORED);
            results.insert(run, result);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
    results.into_inner().expect(STORED).into_values().collect()
}
