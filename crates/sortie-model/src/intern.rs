//! Numbers for values: each distinct value gets one, in order of arrival.

use crate::fingerprint::{Fingerprint, Fingerprinter};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::sync::{Arc, RwLock};

/// Shards keep threads from waiting for one another; the number is part of how ids are made.
const SHARDS: usize = 16;

/// An append-only table from values to numbers and back, shared by threads.
///
/// ```
/// use sortie_model::Interner;
/// let names = Interner::new();
/// let a = names.intern("a".to_string());
/// assert_eq!(names.intern("a".to_string()), a);
/// assert_eq!(*names.get(a), "a");
/// ```
#[derive(Debug)]
pub struct Interner<T> {
    shards: Vec<RwLock<Shard<T>>>,
}

#[derive(Debug)]
struct Shard<T> {
    numbers: HashMap<u128, u32, BuildHasherDefault<Already>>,
    values: Vec<(Fingerprint, Arc<T>)>,
}

/// The keys are fingerprints: hashing them again would be work for nothing.
#[derive(Default)]
struct Already(u64);

impl Hasher for Already {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, _bytes: &[u8]) {
        unreachable!("the keys of an intern table are of type u128")
    }
    fn write_u128(&mut self, key: u128) {
        self.0 = key as u64;
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
        let shard = || {
            RwLock::new(Shard {
                numbers: HashMap::default(),
                values: Vec::new(),
            })
        };
        Interner {
            shards: (0..SHARDS).map(|_| shard()).collect(),
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

        // Two different values with the same 128 bits are told apart by comparing them; the later one moves on
        // to the next key.
        let mut key = content.0;
        {
            let shard = shard
                .read()
                .expect("no thread panics while it holds the table");
            while let Some(&index) = shard.numbers.get(&key) {
                if *shard.values[index as usize].1 == value {
                    return number(index);
                }
                key = key.wrapping_add(1);
            }
        }
        let mut shard = shard
            .write()
            .expect("no thread panics while it holds the table");
        while let Some(&index) = shard.numbers.get(&key) {
            if *shard.values[index as usize].1 == value {
                return number(index);
            }
            key = key.wrapping_add(1);
        }
        let index = u32::try_from(shard.values.len()).expect("fewer than 2^32 values are interned");
        shard.values.push((Fingerprint(key), Arc::new(value)));
        shard.numbers.insert(key, index);
        number(index)
    }

    /// The value with this number.
    ///
    /// # Panics
    /// When the number was not handed out by this table.
    pub fn get(&self, number: u32) -> Arc<T> {
        let shard = self.shards[number as usize % SHARDS]
            .read()
            .expect("no thread panics while it holds the table");
        Arc::clone(&shard.values[number as usize / SHARDS].1)
    }

    /// The fingerprint of the value with this number.
    pub fn fingerprint(&self, number: u32) -> Fingerprint {
        let shard = self.shards[number as usize % SHARDS]
            .read()
            .expect("no thread panics while it holds the table");
        shard.values[number as usize / SHARDS].0
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        let count = |s: &RwLock<Shard<T>>| {
            s.read()
                .expect("no thread panics while it holds the table")
                .values
                .len()
        };
        self.shards.iter().map(count).sum()
    }

    /// Whether nothing was interned yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Memory in bytes, without what the values own on the heap.
    pub fn bytes(&self) -> u64 {
        // Key, number, fingerprint, pointer, and the two counters in front of a shared value.
        let each = 24 + 16 + 8 + 16 + size_of::<T>();
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
