//! A cache in front of a store: what is old can stay.

use crate::Version;
use crate::concurrency::sync::Mutex;

/// A value with a copy that is quicker to read.
#[derive(Debug, Default)]
pub struct Cached {
    store: Mutex<u32>,
    copy: Mutex<Option<u32>>,
}

impl Cached {
    /// Reads the copy, or else the store, of which it keeps a copy.
    ///
    /// The broken version reads the store and keeps the copy one after the other. In between the value may be written and the copy
    /// dropped; then the old value is kept for ever.
    pub fn read(&self, version: Version) -> u32 {
        match version {
            Version::Broken => {
                if let Some(value) = *self.copy.lock().expect("nobody panics with the lock") {
                    return value;
                }
                let value = *self.store.lock().expect("nobody panics with the lock");
                *self.copy.lock().expect("nobody panics with the lock") = Some(value);
                value
            }
            Version::Repaired => {
                let mut copy = self.copy.lock().expect("nobody panics with the lock");
                *copy
                    .get_or_insert_with(|| *self.store.lock().expect("nobody panics with the lock"))
            }
        }
    }

    /// Writes the store and drops the copy.
    pub fn write(&self, value: u32) {
        *self.store.lock().expect("nobody panics with the lock") = value;
        *self.copy.lock().expect("nobody panics with the lock") = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::concurrency::{sync::Arc, thread};

    fn reader_and_writer(version: Version) {
        let cached = Arc::new(Cached::default());
        let reader = {
            let cached = cached.clone();
            thread::spawn(move || cached.read(version))
        };
        cached.write(1);
        reader.join().expect("no panic");
        assert_eq!(cached.read(version), 1, "the old value stayed");
    }

    #[test]
    fn what_was_written_is_read() {
        crate::hunting::hunt(reader_and_writer, "the old value stayed");
    }
}
