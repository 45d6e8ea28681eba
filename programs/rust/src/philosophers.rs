//! Philosophers who toss which fork to take first.

use crate::Version;
use crate::concurrency::sync::{Arc, Mutex};
use crate::concurrency::{thread, toss};

/// A hungry philosopher tries so often, in the repaired version.
const TRIES: usize = 3;

/// So many philosophers eat once, if they can. Returns how many did.
///
/// In the broken version a philosopher waits for the second fork with the first in hand; if all tossed the same side, nobody ever eats. In the repaired version the
/// first fork is put down again when the second is taken.
pub fn dine(philosophers: usize, version: Version) -> usize {
    let forks: Arc<Vec<Mutex<()>>> = Arc::new((0..philosophers).map(|_| Mutex::new(())).collect());
    let seats: Vec<_> = (0..philosophers)
        .map(|seat| {
            let forks = forks.clone();
            thread::spawn(move || {
                let beside = [seat, (seat + 1) % forks.len()];
                match version {
                    Version::Broken => {
                        let first = toss(2);
                        let _first = forks[beside[first]].lock();
                        let _second = forks[beside[1 - first]].lock();
                        true
                    }
                    Version::Repaired => (0..TRIES).any(|_| {
                        let first = toss(2);
                        let _first = forks[beside[first]].lock();
                        forks[beside[1 - first]].try_lock().is_ok()
                    }),
                }
            })
        })
        .collect();
    let ate = seats.into_iter().map(|seat| seat.join());
    ate.filter(|ate| matches!(ate, Ok(true))).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn philosophers_do_not_starve_together() {
        crate::hunting::hunt(
            |version| {
                dine(3, version);
            },
            "deadlock: main-thread, task-1, task-2, task-3 wait",
        );
    }
}
