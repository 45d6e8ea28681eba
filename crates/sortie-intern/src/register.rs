//! An append-only table from fingerprints to numbered values that is read without locks.

use crate::chunks::Chunks;
use crate::directory::{Adding, Directory};
use sortie_model::Fingerprint;

/// An append-only table, shared by threads: entries have distinct fingerprints, and numbers from 0 on. Values that are registered by the
/// fingerprint of their content count as equal if their fingerprints are, which is wrong with probability 2⁻¹⁰⁰. Lookups and reads take
/// no lock and write nothing, so threads that only look up do not wait for one another.
///
/// ```
/// use sortie_intern::Register;
/// use sortie_model::Fingerprint;
/// let colours = Register::new();
/// let red = Fingerprint::of_text("red");
/// assert_eq!(colours.find(red), None);
/// assert_eq!(colours.lock().enter(red, "#f00"), 0);
/// assert_eq!(colours.find(red), Some(0));
/// assert_eq!(*colours.get(0), "#f00");
/// ```
#[derive(Debug)]
pub struct Register<T> {
    entries: Chunks<(Fingerprint, T)>,
    directory: Directory,
}

/// Exclusive permission to enter something into a register.
pub struct Entering<'a, T> {
    register: &'a Register<T>,
    adding: Adding<'a>,
}

impl<T> Default for Register<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Register<T> {
    /// An empty register.
    pub fn new() -> Self {
        Register {
            entries: Chunks::new(),
            directory: Directory::new(),
        }
    }

    /// The number of the entry with this fingerprint. An entry that another thread adds at the same time may be missed.
    #[inline]
    pub fn find(&self, print: Fingerprint) -> Option<u32> {
        let right = |number| self.entry(number).0 == print;
        self.directory.find(tag(print), right)
    }

    /// The entry with this fingerprint. An entry that another thread adds at the same time may be missed.
    #[inline]
    pub fn look_up(&self, print: Fingerprint) -> Option<&T> {
        let mut found = None;
        let right = |number| {
            let (known, entry) = self.entry(number);
            found = Some(entry);
            *known == print
        };
        self.directory.find(tag(print), right)?;
        found
    }

    /// The number of the entry with this fingerprint, or else of a new one with the value that `make` returns.
    #[inline]
    pub fn find_or_enter(&self, print: Fingerprint, make: impl FnOnce() -> T) -> u32 {
        self.find(print).unwrap_or_else(|| {
            let mut entering = self.lock();
            let known = self.find(print);
            known.unwrap_or_else(|| entering.enter(print, make()))
        })
    }

    /// Keeps other threads from entering anything. An entry that is not found while the lock is held is not there.
    pub fn lock(&self) -> Entering<'_, T> {
        Entering {
            register: self,
            adding: self.directory.lock(),
        }
    }

    /// The entry with this number.
    ///
    /// # Panics
    /// When no entry has it.
    #[inline]
    pub fn get(&self, number: u32) -> &T {
        &self.entry(number).1
    }

    /// The fingerprint of the entry with this number.
    #[inline]
    pub fn fingerprint(&self, number: u32) -> Fingerprint {
        self.entry(number).0
    }

    #[inline]
    fn entry(&self, number: u32) -> &(Fingerprint, T) {
        let entry = self.entries.get(number);
        entry.expect("the number was handed out by this table")
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.lock().len() as usize
    }

    /// Whether there is no entry yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Memory in bytes, without what the entries own on the heap.
    pub fn bytes(&self) -> u64 {
        self.directory.bytes() + Chunks::<(Fingerprint, T)>::bytes(self.len())
    }
}

impl<T> Entering<'_, T> {
    /// The number of entries.
    pub fn len(&self) -> u32 {
        self.adding.len()
    }

    /// Whether there is no entry yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds an entry, whose fingerprint no other entry may have. Returns its number.
    pub fn enter(&mut self, print: Fingerprint, value: T) -> u32 {
        let number = self.len();
        let is_first = self.register.entries.set(number, (print, value));
        assert!(is_first, "every number is used once");
        self.adding.add(tag(print), number);
        number
    }
}

fn tag(print: Fingerprint) -> u32 {
    print.low() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(value: u32) -> Fingerprint {
        Fingerprint::of_words(&[value])
    }

    #[test]
    fn what_was_entered_is_found_however_much_follows() {
        let register = Register::new();
        for value in 0..5000 {
            assert_eq!(register.find(print(value)), None);
            assert_eq!(register.lock().enter(print(value), value), value);
            let known = value / 2;
            assert_eq!(register.find(print(known)), Some(known));
            assert_eq!(register.look_up(print(known)), Some(&known));
        }
        assert!((0..5000).all(|value| register.find(print(value)) == Some(value)));
        assert!((0..5000).all(|value| *register.get(value) == value));
        assert_eq!(register.len(), 5000);
    }

    /// Fingerprints with the same tag.
    #[test]
    fn neighbours_do_not_hide_one_another() {
        let register = Register::new();
        let print = |value: u128| Fingerprint(((value % 7) << 64) | ((value / 7) << 40));
        for value in 0..1000 {
            assert_eq!(register.lock().enter(print(value), ()), value as u32);
        }
        for value in 0..2000 {
            let number = register.find(print(value));
            assert_eq!(number, (value < 1000).then_some(value as u32));
        }
    }

    #[test]
    fn threads_find_what_others_enter() {
        let register = Register::new();
        let number = |value: u32| register.find_or_enter(print(value), || value);
        let all: Vec<Vec<u32>> = std::thread::scope(|scope| {
            let spawn = |_| scope.spawn(|| (0..3000).map(number).collect());
            let threads: Vec<_> = (0..4).map(spawn).collect();
            let threads = threads.into_iter();
            threads
                .map(|thread| thread.join().expect("a thread that only looks"))
                .collect()
        });
        assert!(all.windows(2).all(|pair| pair[0] == pair[1]));
        assert!((0..3000).all(|value| *register.get(all[0][value as usize]) == value));
        assert_eq!(register.len(), 3000);
    }
}
