//! A bounded buffer between producers and consumers.

use crate::Version;
use crate::concurrency::sync::{Condvar, Mutex};
use std::collections::VecDeque;

/// A queue with so much room.
#[derive(Debug)]
pub struct Buffer {
    items: Mutex<VecDeque<u32>>,
    room: usize,
    changed: Condvar,
    version: Version,
}

impl Buffer {
    /// An empty buffer.
    pub fn new(room: usize, version: Version) -> Self {
        Buffer {
            items: Mutex::default(),
            room,
            changed: Condvar::new(),
            version,
        }
    }

    /// Adds an item, when there is room.
    pub fn put(&self, item: u32) {
        let mut items = self.items.lock().expect("nobody panics with the lock");
        while items.len() == self.room {
            items = self
                .changed
                .wait(items)
                .expect("nobody panics with the lock");
        }
        items.push_back(item);
        self.tell();
    }

    /// Takes an item, when there is one.
    pub fn take(&self) -> u32 {
        let mut items = self.items.lock().expect("nobody panics with the lock");
        loop {
            if let Some(item) = items.pop_front() {
                self.tell();
                return item;
            }
            items = self
                .changed
                .wait(items)
                .expect("nobody panics with the lock");
        }
    }

    /// Wakes who may go on now.
    ///
    /// Producers and consumers wait for the same condition. The broken version wakes one of them, which may be one that cannot go on.
    fn tell(&self) {
        match self.version {
            Version::Broken => self.changed.notify_one(),
            Version::Repaired => self.changed.notify_all(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::concurrency::{sync::Arc, thread};

    fn two_and_two(version: Version) {
        let buffer = Arc::new(Buffer::new(1, version));
        let producers = (1..=2).map(|item| {
            let buffer = buffer.clone();
            thread::spawn(move || {
                buffer.put(item);
                0
            })
        });
        let consumers = (1..=2).map(|_| {
            let buffer = buffer.clone();
            thread::spawn(move || buffer.take())
        });
        let workers: Vec<_> = consumers.chain(producers).collect();
        let taken = workers.into_iter().map(|worker| worker.join());
        let sum: u32 = taken.map(|taken| taken.expect("no panic")).sum();
        assert_eq!(sum, 3);
    }

    #[test]
    fn nobody_waits_for_ever_at_the_buffer() {
        crate::hunting::hunt(two_and_two, "deadlock");
    }
}
