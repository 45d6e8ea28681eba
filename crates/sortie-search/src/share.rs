//! Sharing a range of work among threads, in contiguous parts.

use std::ops::Range;

/// Runs `work` on contiguous parts of `range`, one part per worker, the last by the calling thread; the results in order of the parts.
pub fn share<W: Send, T: Send>(
    workers: &mut [W],
    range: Range<usize>,
    work: impl Fn(&mut W, Range<usize>) -> T + Sync,
) -> Vec<T> {
    if let [worker] = workers {
        return vec![work(worker, range)];
    }
    let part = range.len().div_ceil(workers.len().max(1));
    let work = &work;
    std::thread::scope(|scope| {
        let Some((last, others)) = workers.split_last_mut() else {
            return Vec::new();
        };
        let mut threads = Vec::new();
        let mut begin = range.start;
        for worker in others {
            let end = (begin + part).min(range.end);
            threads.push(scope.spawn(move || work(worker, begin..end)));
            begin = end;
        }
        let own = work(last, begin..range.end);
        let others = threads
            .into_iter()
            .map(|thread| thread.join().expect("a worker does not panic"));
        others.chain([own]).collect()
    })
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
