//! Append-only storage that is read without locks.
//!
//! Items live in chunks of doubling size that never move, so a reader holds a plain reference while
//! other threads append.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

const CHUNKS: usize = 22;

type Chunk<T> = Box<[OnceLock<T>]>;

/// The first chunk has room for two to the power of `FIRST` items.
pub(crate) struct Store<T, const FIRST: u32> {
    chunks: [OnceLock<Chunk<T>>; CHUNKS],
    len: AtomicU32,
}

impl<T, const FIRST: u32> Store<T, FIRST> {
    pub(crate) fn new() -> Self {
        Store {
            chunks: [const { OnceLock::new() }; CHUNKS],
            len: AtomicU32::new(0),
        }
    }

    /// How many items were handed a place; the newest may still be on their way in.
    pub(crate) fn len(&self) -> u32 {
        self.len.load(Ordering::Relaxed)
    }

    pub(crate) fn push(&self, item: T) -> u32 {
        let index = self.len.fetch_add(1, Ordering::Relaxed);
        let (chunk, offset) = place(index, FIRST);
        let cells = self.chunks[chunk].get_or_init(|| {
            (0..1usize << (FIRST as usize + chunk))
                .map(|_| OnceLock::new())
                .collect()
        });
        if cells[offset].set(item).is_err() {
            unreachable!("the counter hands out each index once");
        }
        index
    }

    pub(crate) fn get(&self, index: u32) -> &T {
        let (chunk, offset) = place(index, FIRST);
        self.chunks[chunk]
            .get()
            .and_then(|cells| cells[offset].get())
            .expect("an index is only known to those who saw push return")
    }
}

fn place(index: u32, first: u32) -> (usize, usize) {
    let shifted = u64::from(index) + (1 << first);
    let top = 63 - shifted.leading_zeros();
    ((top - first) as usize, (shifted - (1u64 << top)) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_consecutive_and_distinct() {
        let store = Store::<u32, 4>::new();
        for i in 0..5000u32 {
            assert_eq!(store.push(i * 3), i);
        }
        assert!((0..5000).all(|i| *store.get(i) == i * 3));
        assert_eq!(store.len(), 5000);
    }
}
