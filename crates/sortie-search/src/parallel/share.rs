//! Sharing a range of work among threads, in contiguous parts.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// So many parts per worker: who is done early takes another one.
const PARTS: usize = 4;

/// How long one thread takes for a piece of work, from how long the pieces before took. It only tells whether sharing pays, and results do not depend on that.
#[derive(Debug)]
pub(crate) struct Pace {
    per_piece: Duration,
    least: Duration,
}

impl Pace {
    /// What takes one thread less than this is not shared.
    pub(crate) fn sharing_from(least: Duration) -> Pace {
        Pace {
            per_piece: Duration::ZERO,
            least,
        }
    }

    /// Whether so many pieces are worth sharing.
    pub(crate) fn is_worth_sharing(&self, pieces: usize) -> bool {
        self.per_piece * pieces as u32 >= self.least
    }

    /// Starts the measurement of some pieces.
    pub(crate) fn begin(&self) -> Begun {
        Begun(Instant::now())
    }

    /// Ends the measurement: a number of threads did a number of pieces since it began.
    pub(crate) fn note(&mut self, begun: Begun, threads: usize, pieces: usize) {
        self.per_piece = begun.0.elapsed() * threads as u32 / pieces.max(1) as u32;
    }
}

/// The moment at which some pieces were begun.
pub(crate) struct Begun(Instant);

/// Runs `work` on contiguous parts of `range`, by all workers, the calling thread among them; the results in order of the parts.
pub fn share<W: Send, T: Send>(
    workers: &mut [W],
    range: Range<usize>,
    work: impl Fn(&mut W, Range<usize>) -> T + Sync,
) -> Vec<T> {
    if let [worker] = workers {
        return vec![work(worker, range)];
    }
    let length = range.len().div_ceil((workers.len() * PARTS).max(1)).max(1);
    let next = AtomicUsize::new(0);
    let run = |worker: &mut W| {
        let mut done = Vec::new();
        loop {
            let part = next.fetch_add(1, Ordering::Relaxed);
            let begin = range.start + part * length;
            if begin >= range.end {
                return done;
            }
            let end = (begin + length).min(range.end);
            done.push((part, work(worker, begin..end)));
        }
    };
    let Some((own, others)) = workers.split_first_mut() else {
        return Vec::new();
    };
    let mut parts = std::thread::scope(|scope| {
        let mut threads = Vec::with_capacity(others.len());
        for worker in others {
            threads.push(scope.spawn(|| run(worker)));
        }
        let mut parts = run(own);
        for thread in threads {
            parts.extend(thread.join().expect("a worker does not panic"));
        }
        parts
    });
    parts.sort_unstable_by_key(|(part, _)| *part);
    parts.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_the_range_in_order() {
        for workers in 1..9 {
            for length in 0..30 {
                let mut all = vec![(); workers];
                let parts = share(&mut all, 5..5 + length, |(), part| part.collect::<Vec<_>>());
                let covered: Vec<usize> = parts.into_iter().flatten().collect();
                assert_eq!(covered, (5..5 + length).collect::<Vec<_>>());
            }
        }
    }
}
