//! Numbers for values: each distinct value gets one, in order of arrival.

use crate::register::Register;
use sortie_model::{Fingerprint, Fingerprinter};
use std::hash::Hash;

/// Number of shards, which keep threads from waiting for one another. Numbers of values depend on it.
const SHARDS: usize = 16;

/// An append-only table from values to numbers and back, shared by threads. Reading a value takes no lock, nor does looking up a known one.
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

    /// An empty table that treats values with equal fingerprints as equal. It is faster, and correct if `Hash` covers all that matters,
    /// except with probability 2⁻¹⁰⁰.
    pub fn trusting() -> Self {
        Interner {
            trusting: true,
            ..Self::new()
        }
    }

    /// The number of `value`; a new one if the value is new.
    pub fn intern(&self, value: T) -> u32 {
        let content = content(&value);
        let place = self.find(content, |known| *known == value);
        place.unwrap_or_else(|_| self.enter(content, value))
    }

    /// The number of the value for which `same` holds, or else of the one that `make` returns. That value hashes as `key` does.
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

    /// The number of a value that a lookup without the lock did not find.
    fn enter(&self, content: Fingerprint, value: T) -> u32 {
        let shard = shard_of(content);
        let mut entering = self.shards[shard].lock();
        let place = self.find(content, |known| *known == value);
        place.unwrap_or_else(|free| number(shard, entering.enter(free, value)))
    }

    /// The number of the value with this content for which `same` holds, or the fingerprint under which to enter it. Different values with
    /// the same fingerprint are told apart by comparison; the later one is entered under the next fingerprint.
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

    /// The number of values.
    pub fn len(&self) -> usize {
        self.shards.iter().map(Register::len).sum()
    }

    /// Whether there is no value yet.
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

/// The number of a value by its shard and its index there.
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
