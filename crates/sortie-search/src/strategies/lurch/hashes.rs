//! What has been met: hashes alone, in a table that never grows beyond its share.

/// Tables begin this large.
const FIRST: usize = 1 << 13;

/// As long as they are smaller than this they grow in few steps, since everything has to be noted again. Then in small ones, since memory that is far apart is slow.
const LARGE: usize = 1 << 19;

/// So many hashes wait until they are looked up together.
const WAITING: usize = 64;

/// Smaller tables lie in the processor's own memory, where nothing is gained by asking in advance.
const FAR: usize = 1 << 14;

/// 64-bit hashes of states that have been met. Two states may be mistaken for one another, with small probability.
pub(super) struct Hashes {
    /// Zero where there is none.
    slots: Vec<u64>,
    used: usize,
    most_slots: usize,
    /// Met, but not looked up yet.
    waiting: Vec<u64>,
}

impl Hashes {
    /// A table of at most so many bytes.
    pub(super) fn new(bytes: u64) -> Self {
        let slots = usize::try_from(bytes / 8).unwrap_or(usize::MAX).max(FIRST);
        Hashes {
            slots: vec![0; FIRST],
            used: 0,
            // The largest power of two that fits.
            most_slots: 1 << slots.ilog2(),
            waiting: Vec::with_capacity(WAITING),
        }
    }

    /// A state with this hash was met; whether it is time to look up what is waiting.
    #[inline]
    pub(super) fn meet(&mut self, hash: u64) -> bool {
        self.waiting.push(hash);
        self.waiting.len() >= WAITING
    }

    /// Notes what is waiting; how many of it were new, or nothing when the table is full.
    pub(super) fn look_up(&mut self) -> Option<u64> {
        let mut waiting = std::mem::take(&mut self.waiting);
        if self.slots.len() > FAR {
            // No lookup needs the result of another, so the memory answers to all of them at the same time.
            let mask = self.slots.len() - 1;
            let seen = waiting
                .iter()
                .fold(0, |seen, &hash| seen ^ self.slots[hash as usize & mask]);
            std::hint::black_box(seen);
        }
        let mut new = 0;
        for &hash in &waiting {
            new += u64::from(self.note(hash)?);
        }
        waiting.clear();
        self.waiting = waiting;
        Some(new)
    }

    /// Notes a hash; whether it is new, or nothing when it cannot be noted any more.
    #[inline]
    fn note(&mut self, hash: u64) -> Option<bool> {
        let hash = hash.max(1);
        let mask = self.slots.len() - 1;
        let mut place = hash as usize & mask;
        loop {
            match self.slots[place] {
                0 => break,
                other if other == hash => return Some(false),
                _ => place = (place + 1) & mask,
            }
        }
        if self.used * 4 >= self.slots.len() * 3 {
            if self.slots.len() >= self.most_slots {
                return None;
            }
            self.grow();
            return self.note(hash);
        }
        self.slots[place] = hash;
        self.used += 1;
        Some(true)
    }

    #[cold]
    #[expect(
        clippy::slow_vector_initialization,
        reason = "pages that are written to first are given out once, and those that are read first twice: as nothing but zeros, and when they are written to"
    )]
    fn grow(&mut self) {
        let growth = if self.slots.len() < LARGE { 8 } else { 2 };
        let size = (self.slots.len() * growth).min(self.most_slots);
        let mut larger = Vec::with_capacity(size);
        larger.resize(size, 0);
        let old = std::mem::replace(&mut self.slots, larger);
        self.used = 0;
        for hash in old.into_iter().filter(|hash| *hash != 0) {
            self.note(hash);
        }
    }

    pub(super) fn len(&self) -> u64 {
        self.used as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_hash_is_new_once_until_the_table_is_full() {
        let mut hashes = Hashes::new(1 << 20);
        let hash = |n: u64| n.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let noted = (0..200_000).filter(|&n| hashes.note(hash(n)) == Some(true));
        let noted = noted.count() as u64;
        assert_eq!(noted, hashes.len());
        assert_eq!(noted, (1 << 17) * 3 / 4, "three quarters of a mebibyte");
        assert!((0..noted).all(|n| hashes.note(hash(n)) == Some(false)));
        assert_eq!(hashes.note(hash(300_000)), None);
    }

    #[test]
    fn hashes_wait_until_they_are_looked_up_together() {
        let mut hashes = Hashes::new(1 << 20);
        let hash = |n: u64| n.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut new = 0;
        for n in 0..100_000 {
            if hashes.meet(hash(n % 60_000)) {
                new += hashes.look_up().expect("there is room");
            }
        }
        new += hashes.look_up().expect("there is room");
        assert_eq!((new, hashes.len()), (60_000, 60_000));
        assert_eq!(hashes.look_up(), Some(0));
    }
}
