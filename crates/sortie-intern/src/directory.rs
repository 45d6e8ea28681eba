//! A hash table from tags to numbers that is read without locks.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// Number of slots of the first table.
const FIRST: usize = 16;

/// Number of tables; the last one has room for all numbers.
const TABLES: usize = 28;

/// Numbers by tag, which need not be distinct. The table only grows and is shared by threads. A lookup takes no lock and writes nothing,
/// so threads that only look up do not wait for one another.
///
/// ```
/// use sortie_intern::Directory;
/// let words = ["red", "rose", "blue"];
/// let initial = |word: &str| u32::from(word.as_bytes()[0]);
/// let directory = Directory::new();
/// for (number, word) in (0..).zip(words) {
///     directory.lock().add(initial(word), number);
/// }
/// let find = |word| directory.find(initial(word), |number| words[number as usize] == word);
/// assert_eq!(find("rose"), Some(1));
/// assert_eq!(find("ruby"), None);
/// ```
#[derive(Debug)]
pub struct Directory {
    /// Open-addressing tables, each twice as large as the one before. A reader of an old table misses what was added later.
    tables: [OnceLock<Table>; TABLES],
    /// Index of the complete table.
    current: AtomicUsize,
    count: Count,
}

/// Slots with a tag in the upper half and a number plus one in the lower half; empty slots are zero.
type Table = Box<[AtomicU64]>;

/// The number of entries. It is written often, so it does not share a cache line with what all threads read.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Count(Mutex<u32>);

/// Exclusive permission to add to a directory.
pub struct Adding<'a> {
    directory: &'a Directory,
    count: MutexGuard<'a, u32>,
}

impl Default for Directory {
    fn default() -> Self {
        Self::new()
    }
}

impl Directory {
    /// An empty directory.
    pub fn new() -> Self {
        Directory {
            tables: [const { OnceLock::new() }; TABLES],
            current: AtomicUsize::new(0),
            count: Count::default(),
        }
    }

    /// The number with this tag for which `right` holds. An entry that another thread adds at the same time may be missed.
    #[inline]
    pub fn find(&self, tag: u32, mut right: impl FnMut(u32) -> bool) -> Option<u32> {
        let table = self.tables[self.current.load(Ordering::Acquire)].get()?;
        let mut place = tag as usize;
        loop {
            let word = table[place & (table.len() - 1)].load(Ordering::Acquire);
            if word == 0 {
                return None;
            }
            let number = (word as u32).wrapping_sub(1);
            if (word >> 32) as u32 == tag && right(number) {
                return Some(number);
            }
            place += 1;
        }
    }

    /// Keeps other threads from adding. A number that is not found while the lock is held is not there.
    pub fn lock(&self) -> Adding<'_> {
        Adding {
            directory: self,
            // An entry is added in one step or not at all, so a panic leaves nothing half done.
            count: self.count.0.lock().unwrap_or_else(PoisonError::into_inner),
        }
    }

    /// Memory in bytes.
    pub fn bytes(&self) -> u64 {
        let tables = self.tables.iter().filter_map(OnceLock::get);
        let places: usize = tables.map(|table| table.len()).sum();
        (places * size_of::<AtomicU64>()) as u64
    }
}

impl Adding<'_> {
    /// The number of entries.
    pub fn len(&self) -> u32 {
        *self.count
    }

    /// Whether there is no entry yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds a number below `u32::MAX`.
    pub fn add(&mut self, tag: u32, number: u32) {
        let Adding { directory, count } = self;
        let word = u64::from(tag) << 32 | u64::from(number + 1);
        let current = directory.current.load(Ordering::Relaxed);
        let room = FIRST << current;
        if (**count as usize) < room / 4 * 3 {
            let table = directory.tables[current].get_or_init(|| empty(room));
            put(table, word);
        } else {
            let larger = empty(room * 2);
            let known = directory.tables[current].get().into_iter().flatten();
            let known = known.map(|word| word.load(Ordering::Relaxed));
            for word in known.filter(|word| *word != 0).chain([word]) {
                put(&larger, word);
            }
            let is_new = directory.tables[current + 1].set(larger).is_ok();
            assert!(is_new, "a table is made once");
            directory.current.store(current + 1, Ordering::Release);
        }
        **count += 1;
    }
}

fn empty(slots: usize) -> Table {
    (0..slots).map(|_| AtomicU64::new(0)).collect()
}

/// Puts a word into the next free slot; there always is one.
fn put(table: &Table, word: u64) {
    let mut place = (word >> 32) as usize;
    while table[place & (table.len() - 1)].load(Ordering::Relaxed) != 0 {
        place += 1;
    }
    table[place & (table.len() - 1)].store(word, Ordering::Release);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_however_many_follow() {
        let directory = Directory::new();
        // Every tag stands for three numbers, and tags are close to one another.
        let tag = |number: u32| number / 3;
        for number in 0..5000 {
            assert_eq!(directory.find(tag(number), |other| other == number), None);
            assert_eq!(directory.lock().len(), number);
            directory.lock().add(tag(number), number);
            let known = number / 2;
            let found = directory.find(tag(known), |other| other == known);
            assert_eq!(found, Some(known));
        }
        let found = |number| directory.find(tag(number), |other| other == number);
        assert!((0..5000).all(|number| found(number) == Some(number)));
        assert!(directory.bytes() < 5000 * 48);
    }

    #[test]
    fn threads_find_what_others_add() {
        let directory = Directory::new();
        let add = |number: u32| {
            let find = || directory.find(number, |other| other == number);
            if find().is_none() {
                let mut adding = directory.lock();
                if find().is_none() {
                    adding.add(number, number);
                }
            }
            assert_eq!(find(), Some(number));
        };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..3000).for_each(add));
            }
        });
        assert_eq!(directory.lock().len(), 3000);
    }
}
