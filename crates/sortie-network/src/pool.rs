//! Things that each thread wants one of.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// More threads than this share.
const PLACES: usize = 64;

static THREADS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static PLACE: usize = THREADS.fetch_add(1, Ordering::Relaxed) % PLACES;
}

/// A thread finds what it used before, without waiting for others.
pub(crate) struct Pool<T> {
    places: Vec<Mutex<Option<Box<T>>>>,
}

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Pool {
            places: (0..PLACES).map(|_| Mutex::new(None)).collect(),
        }
    }
}

impl<T> Pool<T> {
    #[inline]
    pub(crate) fn with<R>(&self, new: impl FnOnce() -> T, work: impl FnOnce(&mut T) -> R) -> R {
        let own = &self.places[PLACE.with(|place| *place)];
        let mut place = own.lock().unwrap_or_else(PoisonError::into_inner);
        work(place.get_or_insert_with(|| Box::new(new())))
    }
}
