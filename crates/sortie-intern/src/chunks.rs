//! Places that are filled once, by number.

use std::sync::OnceLock;

/// The first four chunks hold two to this power places each, the next four twice as many, and so on: chunks are never moved, and at most a fifth of the room
/// is empty where numbers are handed out in order.
const FIRST_CHUNK: u32 = 4;

/// Places with numbers, shared by threads. Each is filled once, or never; reading takes no lock.
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
    /// All places are empty.
    pub fn new() -> Self {
        Chunks {
            chunks: [const { OnceLock::new() }; 96],
        }
    }

    /// What is in a place.
    #[inline]
    pub fn get(&self, number: u32) -> Option<&T> {
        let (chunk, _, place) = place(number);
        self.chunks[chunk].get()?[place].get()
    }

    /// Fills a place; whether it was empty, as it stays as it is otherwise.
    ///
    /// # Panics
    /// When the number is 2²⁸ or more.
    pub fn set(&self, number: u32, value: T) -> bool {
        assert!(number < 1 << 28, "at most 2^28 places have numbers");
        let (chunk, size, place) = place(number);
        let new = || (0..size).map(|_| OnceLock::new()).collect();
        self.chunks[chunk].get_or_init(new)[place]
            .set(value)
            .is_ok()
    }

    /// Memory in bytes for so many places that were filled in order, without what is in them on the heap.
    pub fn bytes(places: usize) -> u64 {
        (places * size_of::<OnceLock<T>>()) as u64
    }
}

/// The chunk of a number, its size, and the place within it.
#[inline]
fn place(number: u32) -> (usize, usize, usize) {
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
    fn places_are_distinct_and_filled_once() {
        let chunks = Chunks::new();
        for number in (0..5000).rev() {
            assert_eq!(chunks.get(number), None);
            assert!(chunks.set(number, number));
        }
        assert!((0..5000).all(|number| !chunks.set(number, 0)));
        assert!((0..5000).all(|number| chunks.get(number) == Some(&number)));
    }
}
