//! Numbers for values: each distinct value gets one, in order of arrival.

use crate::fingerprint::{Fingerprint, Fingerprinter};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::sync::{OnceLock, RwLock};

/// Shards keep threads from waiting for one another; the number is part of how ids are made.
const SHARDS: usize = 16;

/// The first four chunks of a shard's values hold two to this power each, the next four twice as many, and so on: chunks
/// are never moved, and at most a fifth of the room is empty.
const FIRST_CHUNK: u32 = 4;

/// An append-only table from values to numbers and back, shared by threads. Reading a value takes no lock.
///
/// ```
/// use sortie_model::Interner;
/// let names = Interner::new();
/// let a = names.intern("a".to_string());
/// assert_eq!(names.intern("a".to_string()), a);
/// assert_eq!(names.get(a), "a");
/// ```
#[derive(Debug)]
pub struct Interner<T> {
    shards: Vec<Shard<T>>,
    /// Whether equal fingerprints are taken for equal values.
    trusting: bool,
}

/// By the lower half of the fingerprint: the index of the value, and some of the upper half.
type Numbers = HashMap<u64, (u32, u32), BuildHasherDefault<Already>>;

type Chunk<T> = Box<[OnceLock<(Fingerprint, T)>]>;

#[derive(Debug)]
struct Shard<T> {
    numbers: RwLock<Numbers>,
    chunks: [OnceLock<Chunk<T>>; 96],
}

/// The keys are fingerprints: hashing them again would be work for nothing.
#[derive(Default)]
struct Already(u64);

impl Hasher for Already {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, _bytes: &[u8]) {
        unreachable!("the keys of an intern table are of type u64")
    }
    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

/// The chunk of an index, its size, and the place within it.
fn place(index: u32) -> (usize, usize, usize) {
    let shifted = u64::from(index) + (4 << FIRST_CHUNK);
    let doublings = shifted.ilog2() - FIRST_CHUNK - 2;
    let size = 1 << (doublings + FIRST_CHUNK);
    let within = shifted - 4 * size;
    (
        (doublings * 4) as usize + (within / size) as usize,
        size as usize,
        (within % size) as usize,
    )
}

impl<T: Eq> Shard<T> {
    fn new() -> Self {
        Shard {
            numbers: RwLock::default(),
            chunks: std::array::from_fn(|_| OnceLock::new()),
        }
    }

    fn entry(&self, index: u32) -> &(Fingerprint, T) {
        let (chunk, _, place) = place(index);
        let entry = self.chunks[chunk]
            .get()
            .and_then(|chunk| chunk[place].get());
        entry.expect("the number was handed out by this table")
    }

    fn put(&self, index: u32, entry: (Fingerprint, T)) {
        let (chunk, size, place) = place(index);
        let chunk = self.chunks[chunk].get_or_init(|| (0..size).map(|_| OnceLock::new()).collect());
        assert!(chunk[place].set(entry).is_ok(), "every index is used once");
    }

    /// The index of `value`, or the fingerprint under which it belongs. Two different values with the same fingerprint are
    /// told apart by comparing them; the later one moves on to the next.
    fn find(
        &self,
        numbers: &Numbers,
        value: &T,
        content: Fingerprint,
        trusting: bool,
    ) -> Result<u32, Fingerprint> {
        let mut at = content;
        while let Some(&(index, rest)) = numbers.get(&at.low()) {
            if rest == at.high() as u32 && (trusting || self.entry(index).1 == *value) {
                return Ok(index);
            }
            at = Fingerprint((at.0 & !u128::from(u64::MAX)) | u128::from(at.low().wrapping_add(1)));
        }
        Err(at)
    }
}

impl<T: Eq + Hash> Default for Interner<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Eq + Hash> Interner<T> {
    /// An empty table.
    pub fn new() -> Self {
        Interner {
            shards: (0..SHARDS).map(|_| Shard::new()).collect(),
            trusting: false,
        }
    }

    /// An empty table that takes values with equal fingerprints for equal. It is faster, and right where `Hash` covers all
    /// that matters, but for one chance in 2¹⁰⁰.
    pub fn trusting() -> Self {
        Interner {
            trusting: true,
            ..Self::new()
        }
    }

    /// The number of `value`, a new one if it was never seen.
    pub fn intern(&self, value: T) -> u32 {
        let mut hasher = Fingerprinter::new();
        value.hash(&mut hasher);
        let content = hasher.fingerprint();
        let shard_number = (content.high() >> 60) as usize;
        let shard = &self.shards[shard_number];
        let number = |index: u32| index * SHARDS as u32 + shard_number as u32;
        let poisoned = "no thread panics while it holds the table";

        let known = shard.find(
            &shard.numbers.read().expect(poisoned),
            &value,
            content,
            self.trusting,
        );
        if let Ok(index) = known {
            return number(index);
        }
        let mut numbers = shard.numbers.write().expect(poisoned);
        match shard.find(&numbers, &value, content, self.trusting) {
            Ok(index) => number(index),
            Err(free) => {
                let index = numbers.len() as u32;
                assert!(index < 1 << 28, "at most 2^32 values can be interned");
                shard.put(index, (free, value));
                numbers.insert(free.low(), (index, free.high() as u32));
                number(index)
            }
        }
    }

    /// The value with this number.
    ///
    /// # Panics
    /// When the number was not handed out by this table.
    pub fn get(&self, number: u32) -> &T {
        &self.shards[number as usize % SHARDS]
            .entry(number / SHARDS as u32)
            .1
    }

    /// The fingerprint of the value with this number.
    pub fn fingerprint(&self, number: u32) -> Fingerprint {
        self.shards[number as usize % SHARDS]
            .entry(number / SHARDS as u32)
            .0
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        let count = |shard: &Shard<T>| shard.numbers.read().map_or(0, |numbers| numbers.len());
        self.shards.iter().map(count).sum()
    }

    /// Whether nothing was interned yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Memory in bytes, without what the values own on the heap.
    pub fn bytes(&self) -> u64 {
        // Key and number in the map, and the entry with its lock.
        let each = 18 + size_of::<OnceLock<(Fingerprint, T)>>();
        (self.len() * each) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every value hashes alike, so only comparison can tell them apart.
    #[derive(PartialEq, Eq, Debug)]
    struct Blind(u32);

    impl Hash for Blind {
        fn hash<H: Hasher>(&self, _state: &mut H) {}
    }

    #[test]
    fn equal_fingerprints_do_not_merge_different_values() {
        let table = Interner::new();
        let numbers: Vec<u32> = (0..50).map(|i| table.intern(Blind(i))).collect();
        for (i, &number) in numbers.iter().enumerate() {
            assert_eq!(*table.get(number), Blind(i as u32));
            assert_eq!(table.intern(Blind(i as u32)), number);
        }
        assert_eq!(table.len(), 50);
    }

    #[test]
    fn threads_agree_on_numbers() {
        let table = Interner::new();
        let all: Vec<Vec<u32>> = std::thread::scope(|scope| {
            let spawn = |_| scope.spawn(|| (0..1000u32).map(|i| table.intern(i % 100)).collect());
            let threads: Vec<_> = (0..4).map(spawn).collect();
            threads
                .into_iter()
                .map(|t| t.join().expect("a thread that only interns"))
                .collect()
        });
        assert!(all.windows(2).all(|pair| pair[0] == pair[1]));
        assert_eq!(table.len(), 100);
    }
}
