//! A value made when it is first wanted.

use crate::Version;
use crate::concurrency::sync::Mutex;
use crate::concurrency::sync::atomic::{AtomicBool, Ordering};

/// A value that is made once, by whoever comes first.
#[derive(Debug, Default)]
pub struct Lazy {
    is_made: AtomicBool,
    value: Mutex<Option<u32>>,
}

impl Lazy {
    /// The value; `make` is called if there is none.
    ///
    /// The broken version says that the value is there before it is, for whoever looks without the lock.
    pub fn get(&self, make: impl FnOnce() -> u32, version: Version) -> u32 {
        if !self.is_made.load(Ordering::Acquire) {
            let mut value = self.value.lock().expect("nobody panics with the lock");
            if !self.is_made.load(Ordering::Relaxed) {
                match version {
                    Version::Broken => {
                        self.is_made.store(true, Ordering::Release);
                        drop(value);
                        let made = make();
                        value = self.value.lock().expect("nobody panics with the lock");
                        *value = Some(made);
                    }
                    Version::Repaired => {
                        *value = Some(make());
                        self.is_made.store(true, Ordering::Release);
                    }
                }
            }
        }
        let value = self.value.lock().expect("nobody panics with the lock");
        value.expect("a value that is said to be made is there")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::concurrency::sync::Arc;
    use crate::concurrency::sync::atomic::AtomicU32;
    use crate::concurrency::thread;

    fn three_users(version: Version) {
        let lazy = Arc::new(Lazy::default());
        let made = Arc::new(AtomicU32::new(0));
        let users: Vec<_> = (0..3)
            .map(|_| {
                let (lazy, made) = (lazy.clone(), made.clone());
                thread::spawn(move || lazy.get(|| 1 + made.fetch_add(1, Ordering::SeqCst), version))
            })
            .collect();
        for user in users {
            assert_eq!(user.join().expect("no panic"), 1);
        }
    }

    #[test]
    fn the_value_is_made_before_it_is_used() {
        crate::hunting::hunt(three_users, "a value that is said to be made is there");
    }
}
