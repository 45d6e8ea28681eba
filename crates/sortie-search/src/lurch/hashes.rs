//! What has been met: hashes alone, in a table that never grows beyond its share.

/// Tables begin this large.
const FIRST: usize = 1 << 12;

/// 64-bit hashes of states that have been met. Two states may be mistaken for one another, with small probability.
pub(super) struct Hashes {
    /// Zero where there is none.
    slots: Vec<u64>,
    used: usize,
    most_slots: usize,
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
        }
    }

    /// Notes a hash; whether it is new, or nothing when it cannot be noted any more.
    #[inline]
    pub(super) fn meet(&mut self, hash: u64) -> Option<bool> {
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
            return self.meet(hash);
        }
        self.slots[place] = hash;
        self.used += 1;
        Some(true)
    }

    #[cold]
    fn grow(&mut self) {
        let larger = vec![0; self.slots.len() * 2];
        let old = std::mem::replace(&mut self.slots, larger);
        self.used = 0;
        for hash in old.into_iter().filter(|hash| *hash != 0) {
            self.meet(hash);
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
        let noted = (0..200_000).filter(|&n| hashes.meet(hash(n)) == Some(true));
        let noted = noted.count() as u64;
        assert_eq!(noted, hashes.len());
        assert_eq!(noted, (1 << 17) * 3 / 4, "three quarters of a mebibyte");
        assert!((0..noted).all(|n| hashes.meet(hash(n)) == Some(false)));
        assert_eq!(hashes.meet(hash(300_000)), None);
    }
}
