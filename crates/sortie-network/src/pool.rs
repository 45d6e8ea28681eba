//! Things that each thread wants one of.

use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// More threads than this share.
const PLACES: usize = 64;

/// Which numbers threads have that run now.
static TAKEN: Mutex<Vec<bool>> = Mutex::new(Vec::new());

/// The number of a thread: the least that is free, so that a thread that begins after others ended finds what they left behind.
struct Place(usize);

impl Place {
    fn take() -> Place {
        let mut taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
        let free = taken.iter().position(|taken| !taken);
        let number = free.unwrap_or(taken.len());
        match free {
            Some(number) => taken[number] = true,
            None => taken.push(true),
        }
        Place(number)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
        taken[self.0] = false;
    }
}

thread_local! {
    static PLACE: Place = Place::take();
}

fn own_place() -> usize {
    PLACE.with(|place| place.0 % PLACES)
}

/// A sum to which threads add often.
pub(crate) struct Tally {
    parts: Vec<Apart<AtomicU64>>,
}

impl Default for Tally {
    fn default() -> Self {
        Tally {
            parts: (0..PLACES).map(|_| Apart::default()).collect(),
        }
    }
}

impl Tally {
    /// What the thread added before, as far as it is the only one in its place.
    pub(crate) fn add(&self, number: u64) -> u64 {
        let Apart(own) = &self.parts[own_place()];
        own.fetch_add(number, Ordering::Relaxed)
    }

    pub(crate) fn sum(&self) -> u64 {
        let parts = self.parts.iter();
        parts.map(|Apart(part)| part.load(Ordering::Relaxed)).sum()
    }
}

/// A thread finds what it used before, without waiting for others.
pub(crate) struct Pool<T> {
    places: Vec<Apart<Mutex<Option<Box<T>>>>>,
}

/// What different threads write is in different cache lines, or each use would take the line away from the others.
#[repr(align(128))]
#[derive(Default)]
struct Apart<T>(T);

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Pool {
            places: (0..PLACES).map(|_| Apart(Mutex::new(None))).collect(),
        }
    }
}

impl<T> Pool<T> {
    #[inline]
    pub(crate) fn with<R>(&self, new: impl FnOnce() -> T, work: impl FnOnce(&mut T) -> R) -> R {
        let own = &self.places[own_place()];
        let mut place = own.0.lock().unwrap_or_else(PoisonError::into_inner);
        work(place.get_or_insert_with(|| Box::new(new())))
    }

    /// Lends a thread what it used before, until the lease is dropped.
    pub(crate) fn lease(&self, new: impl FnOnce() -> T) -> Lease<'_, T> {
        let Apart(place) = &self.places[own_place()];
        let known = place.lock().unwrap_or_else(PoisonError::into_inner).take();
        Lease {
            place,
            thing: Some(known.unwrap_or_else(|| Box::new(new()))),
        }
    }
}

/// Something of a pool that a thread has for itself.
pub(crate) struct Lease<'a, T> {
    place: &'a Mutex<Option<Box<T>>>,
    /// Nothing only when it is given back.
    thing: Option<Box<T>>,
}

const LENT: &str = "it is given back when the lease ends";

impl<T> Deref for Lease<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.thing.as_ref().expect(LENT)
    }
}

impl<T> DerefMut for Lease<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        self.thing.as_mut().expect(LENT)
    }
}

impl<T> Drop for Lease<'_, T> {
    fn drop(&mut self) {
        let mut place = self.place.lock().unwrap_or_else(PoisonError::into_inner);
        *place = self.thing.take();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn threads_one_after_another_share() {
        let pool = Pool::default();
        let made = AtomicUsize::new(0);
        for _ in 0..20 {
            let new = || made.fetch_add(1, Ordering::Relaxed);
            std::thread::scope(|scope| {
                scope.spawn(|| pool.with(new, |_| ()));
            });
        }
        // Threads of other tests may take numbers in between.
        let made = made.into_inner();
        assert!(made < 10, "{made}");
    }
}
