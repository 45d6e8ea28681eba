//! Chunked arenas: slots with numbers, each written once, that never move.

use std::sync::OnceLock;

/// The logarithm of the size of the first four chunks. The next four are twice as large, and so on: chunks never move, and at most a
/// fifth of the memory is unused if numbers are handed out in order.
const FIRST_CHUNK: u32 = 4;

/// Slots with numbers, shared by threads. Each is written at most once; reading takes no lock.
///
/// ```
/// use sortie_intern::Chunks;
/// let names = Chunks::new();
/// assert!(names.set(7, "seven"));
/// assert!(!names.set(7, "sept"));
/// assert_eq!((names.get(7), names.get(8)), (Some(&"seven"), None));
/// ```
#[derive(Debug)]
pub struct Chunks<T> {
    chunks: [OnceLock<Chunk<T>>; 96],
}

type Chunk<T> = Box<[OnceLock<T>]>;

impl<T> Default for Chunks<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Chunks<T> {
    /// An arena whose slots are all empty.
    pub fn new() -> Self {
        Chunks {
            chunks: [const { OnceLock::new() }; 96],
        }
    }

    /// The value in a slot.
    #[inline]
    pub fn get(&self, number: u32) -> Option<&T> {
        let (chunk, _, position) = position(number);
        self.chunks[chunk].get()?[position].get()
    }

    /// Writes a slot if it is empty. Returns whether it was.
    ///
    /// # Panics
    /// When the number is 2²⁸ or more.
    pub fn set(&self, number: u32, value: T) -> bool {
        assert!(number < 1 << 28, "at most 2^28 slots have numbers");
        let (chunk, size, position) = position(number);
        let new = || (0..size).map(|_| OnceLock::new()).collect();
        self.chunks[chunk].get_or_init(new)[position]
            .set(value)
            .is_ok()
    }

    /// Memory in bytes of this number of slots that were written in order, without what their values own on the heap.
    pub fn bytes(slots: usize) -> u64 {
        (slots * size_of::<OnceLock<T>>()) as u64
    }
}

/// The chunk of a number, its size, and the position within it.
#[inline]
fn position(number: u32) -> (usize, usize, usize) {
    let shifted = u64::from(number) + (4 << FIRST_CHUNK);
    let doublings = shifted.ilog2() - FIRST_CHUNK - 2;
    let size = 1 << (doublings + FIRST_CHUNK);
    let within = shifted - 4 * size;
    (
        (doublings * 4) as usize + (within / size) as usize,
        size as usize,
        (within % size) as usize,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_distinct_and_written_once() {
        let chunks = Chunks::new();
        for number in (0..5000).rev() {
            assert_eq!(chunks.get(number), None);
            assert!(chunks.set(number, number));
        }
        assert!((0..5000).all(|number| !chunks.set(number, 0)));
        assert!((0..5000).all(|number| chunks.get(number) == Some(&number)));
    }
}
