//! A few remembered answers, read without locks.

use std::sync::OnceLock;

const PLACES: usize = 12;

/// Remembers the first few answers given; questions beyond those are answered the long way each time.
pub(crate) struct Recall<K, V> {
    places: [OnceLock<(K, V)>; PLACES],
}

impl<K: PartialEq, V: Copy> Recall<K, V> {
    pub(crate) fn new() -> Recall<K, V> {
        Recall {
            places: [const { OnceLock::new() }; PLACES],
        }
    }

    /// The answer to a question; `find` gives the same answer whenever it is asked.
    pub(crate) fn get_or(&self, key: K, find: impl FnOnce(&K) -> V) -> V {
        for place in &self.places {
            match place.get() {
                Some((known, value)) if *known == key => return *value,
                Some(_) => {}
                None => {
                    let value = find(&key);
                    // Another thread may have taken the place meanwhile; then this answer is not kept.
                    let _ = place.set((key, value));
                    return value;
                }
            }
        }
        find(&key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_answers_are_found_again_and_later_ones_are_right() {
        let recall = Recall::new();
        for round in 0..2 {
            for key in 0..20u32 {
                let mut asked = false;
                let value = recall.get_or(key, |key| {
                    asked = true;
                    key * 3
                });
                assert_eq!(value, key * 3);
                assert_eq!(asked, round == 0 || key as usize >= PLACES);
            }
        }
    }
}
