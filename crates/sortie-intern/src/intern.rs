//! Numbers for values: each distinct value gets one, in order of arrival.

use crate::register::Register;
use sortie_model::{Fingerprint, Fingerprinter};
use std::hash::Hash;

/// Shards keep threads from waiting for one another; the number is part of how ids are made.
const SHARDS: usize = 16;

/// An append-only table from values to numbers and back, shared by threads. Reading a value takes no lock, nor does finding one that is there.
///
/// ```
/// use sortie_intern::Interner;
/// let names = Interner::new();
/// let a = names.intern("a".to_string());
/// assert_eq!(names.intern("a".to_string()), a);
/// assert_eq!(names.get(a), "a");
/// ```
#[derive(Debug)]
pub struct Interner<T> {
    shards: Vec<Register<T>>,
    /// Whether equal fingerprints are taken for equal values.
    trusting: bool,
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
            shards: (0..SHARDS).map(|_| Register::new()).collect(),
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
        let content = content(&value);
        let place = self.find(content, |known| *known == value);
        place.unwrap_or_else(|_| self.enter(content, value))
    }

    /// The number of the value that is the `same` as `key`, which is made if it was never seen. It hashes as `key` does.
    ///
    /// ```
    /// use sortie_intern::Interner;
    /// let words = Interner::new();
    /// let number = |word: &str| words.intern_as(word, |known: &String| known == word, || word.to_string());
    /// assert_eq!(number("a"), number("a"));
    /// assert_eq!(words.intern("a".to_string()), number("a"));
    /// ```
    pub fn intern_as<K: Hash + ?Sized>(
        &self,
        key: &K,
        same: impl Fn(&T) -> bool,
        make: impl FnOnce() -> T,
    ) -> u32 {
        let content = content(key);
        let place = self.find(content, same);
        place.unwrap_or_else(|_| self.enter(content, make()))
    }

    /// The number of a value that was not there a moment ago.
    fn enter(&self, content: Fingerprint, value: T) -> u32 {
        let shard = shard_of(content);
        let mut entering = self.shards[shard].lock();
        let place = self.find(content, |known| *known == value);
        place.unwrap_or_else(|free| number(shard, entering.enter(free, value)))
    }

    /// The number of the value with this content that is the `same`, or the fingerprint under which it belongs. Two different values
    /// with the same fingerprint are told apart by comparing them; the later one moves on to the next.
    fn find(&self, content: Fingerprint, same: impl Fn(&T) -> bool) -> Result<u32, Fingerprint> {
        let shard_number = shard_of(content);
        let shard = &self.shards[shard_number];
        let mut at = content;
        while let Some(index) = shard.find(at) {
            if self.trusting || same(shard.get(index)) {
                return Ok(number(shard_number, index));
            }
            at = Fingerprint((at.0 & !u128::from(u64::MAX)) | u128::from(at.low().wrapping_add(1)));
        }
        Err(at)
    }

    /// The value with this number.
    ///
    /// # Panics
    /// When the number was not handed out by this table.
    pub fn get(&self, number: u32) -> &T {
        self.shards[number as usize % SHARDS].get(number / SHARDS as u32)
    }

    /// The fingerprint of the value with this number.
    pub fn fingerprint(&self, number: u32) -> Fingerprint {
        self.shards[number as usize % SHARDS].fingerprint(number / SHARDS as u32)
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.shards.iter().map(Register::len).sum()
    }

    /// Whether nothing was interned yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Memory in bytes, without what the values own on the heap.
    pub fn bytes(&self) -> u64 {
        self.shards.iter().map(Register::bytes).sum()
    }
}

fn content<K: Hash + ?Sized>(key: &K) -> Fingerprint {
    let mut hasher = Fingerprinter::new();
    key.hash(&mut hasher);
    hasher.fingerprint()
}

fn shard_of(content: Fingerprint) -> usize {
    (content.high() >> 60) as usize
}

/// Of an entry of a shard.
fn number(shard: usize, index: u32) -> u32 {
    index * SHARDS as u32 + shard as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hash::Hasher;

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
