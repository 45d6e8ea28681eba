//! A work-stealing queue: its owner takes from one end, thieves from the other.

use crate::Version;
use crate::concurrency::sync::atomic::{AtomicI64, AtomicU32, Ordering};

/// Room for so many tasks.
const ROOM: usize = 8;

/// A queue of numbered tasks, after Chase and Lev, without growing.
#[derive(Debug, Default)]
pub struct Queue {
    /// Thieves take here.
    top: AtomicI64,
    /// The owner puts and takes here.
    bottom: AtomicI64,
    tasks: [AtomicU32; ROOM],
}

impl Queue {
    fn slot(&self, index: i64) -> &AtomicU32 {
        &self.tasks[index as usize % ROOM]
    }

    /// Adds a task. Only for the owner.
    pub fn put(&self, task: u32) {
        let bottom = self.bottom.load(Ordering::SeqCst);
        self.slot(bottom).store(task, Ordering::SeqCst);
        self.bottom.store(bottom + 1, Ordering::SeqCst);
    }

    /// Takes the task added last. Only for the owner.
    ///
    /// The last task is also the first: the owner has to win it against thieves. The broken version takes it without asking.
    pub fn take(&self, version: Version) -> Option<u32> {
        let bottom = self.bottom.load(Ordering::SeqCst) - 1;
        self.bottom.store(bottom, Ordering::SeqCst);
        let top = self.top.load(Ordering::SeqCst);
        if bottom < top {
            self.bottom.store(top, Ordering::SeqCst);
            return None;
        }
        let task = self.slot(bottom).load(Ordering::SeqCst);
        if bottom > top {
            return Some(task);
        }
        let is_won = version == Version::Broken || self.win(top);
        self.bottom.store(top + 1, Ordering::SeqCst);
        is_won.then_some(task)
    }

    /// Takes the task added first, unless somebody else is quicker.
    pub fn steal(&self) -> Option<u32> {
        let top = self.top.load(Ordering::SeqCst);
        let bottom = self.bottom.load(Ordering::SeqCst);
        if top >= bottom {
            return None;
        }
        let task = self.slot(top).load(Ordering::SeqCst);
        self.win(top).then_some(task)
    }

    fn win(&self, top: i64) -> bool {
        self.top
            .compare_exchange(top, top + 1, Ordering::SeqCst, Ordering::SeqCst)
            .is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::concurrency::{sync::Arc, thread};

    fn owner_and_thief(version: Version) {
        let queue = Arc::new(Queue::default());
        queue.put(1);
        queue.put(2);
        let thief = {
            let queue = queue.clone();
            thread::spawn(move || [queue.steal(), queue.steal()])
        };
        let taken = [queue.take(version), queue.take(version)];
        let stolen = thief.join().expect("no panic");
        let mut done: Vec<u32> = taken.into_iter().chain(stolen).flatten().collect();
        done.sort_unstable();
        assert!(
            done.windows(2).all(|two| two[0] != two[1]),
            "done twice: {done:?}"
        );
    }

    #[test]
    fn no_task_is_done_twice() {
        crate::hunting::hunt(owner_and_thief, "done twice");
    }
}
