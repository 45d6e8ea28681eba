//! Append-only storage that is read without locks.
//!
//! Items live in chunks of doubling size that never move, so a reader holds a plain reference while
//! other threads append.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

const FIRST_CHUNK_BITS: u32 = 10;
const CHUNKS: usize = 22;

type Chunk<T> = Box<[OnceLock<T>]>;

pub(crate) struct Store<T> {
    chunks: [OnceLock<Chunk<T>>; CHUNKS],
    len: AtomicU32,
}

impl<T> Store<T> {
    pub(crate) fn new() -> Store<T> {
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
        let (chunk, offset) = place(index);
        let cells = self.chunks[chunk].get_or_init(|| {
            (0..1usize << (FIRST_CHUNK_BITS as usize + chunk))
                .map(|_| OnceLock::new())
                .collect()
        });
        if cells[offset].set(item).is_err() {
            unreachable!("the counter hands out each index once");
        }
        index
    }

    pub(crate) fn get(&self, index: u32) -> &T {
        let (chunk, offset) = place(index);
        self.chunks[chunk]
            .get()
            .and_then(|cells| cells[offset].get())
            .expect("an index is only known to those who saw push return")
    }
}

fn place(index: u32) -> (usize, usize) {
    let shifted = u64::from(index) + (1 << FIRST_CHUNK_BITS);
    let top = 63 - shifted.leading_zeros();
    (
        (top - FIRST_CHUNK_BITS) as usize,
        (shifted - (1u64 << top)) as usize,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_consecutive_and_distinct() {
        let store = Store::new();
        for i in 0..5000u32 {
            assert_eq!(store.push(i * 3), i);
        }
        assert!((0..5000).all(|i| *store.get(i) == i * 3));
        assert_eq!(store.len(), 5000);
    }
}
