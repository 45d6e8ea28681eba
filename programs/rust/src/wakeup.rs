//! A gate that one thread opens for another: a lost wake-up.

use crate::Version;
use crate::concurrency::sync::{Condvar, Mutex};

/// A gate, closed at first.
#[derive(Debug, Default)]
pub struct Gate {
    is_open: Mutex<bool>,
    opened: Condvar,
}

impl Gate {
    /// Opens the gate and wakes who waits.
    pub fn open(&self) {
        *self.is_open.lock().expect("nobody panics with the lock") = true;
        self.opened.notify_all();
    }

    /// Waits until the gate is open.
    ///
    /// The broken version lets go of the lock between looking and waiting. If the gate is opened then, nobody is there to be woken.
    pub fn pass(&self, version: Version) {
        let lock = || self.is_open.lock().expect("nobody panics with the lock");
        match version {
            Version::Broken => {
                let is_open = *lock();
                if !is_open {
                    let waited = self.opened.wait(lock());
                    drop(waited.expect("nobody panics with the lock"));
                }
            }
            Version::Repaired => {
                let mut is_open = lock();
                while !*is_open {
                    is_open = self
                        .opened
                        .wait(is_open)
                        .expect("nobody panics with the lock");
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::concurrency::{sync::Arc, thread};

    fn one_passes(version: Version) {
        let gate = Arc::new(Gate::default());
        let walker = {
            let gate = gate.clone();
            thread::spawn(move || gate.pass(version))
        };
        gate.open();
        walker.join().expect("the walker does not panic");
    }

    #[test]
    fn whoever_waits_at_the_gate_is_woken() {
        crate::hunting::hunt(one_passes, "deadlock: main-thread, task-1 wait");
    }
}
