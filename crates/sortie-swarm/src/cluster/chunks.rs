//! Results that come in several messages, put together again within bounds.

use super::envelope::{Chunk, fingerprint};
use bytes::Bytes;
use std::collections::{BTreeMap, HashMap};

/// Incomplete results. `M` is what has to be acknowledged once a result is complete.
pub(super) struct Assembly<M> {
    sets: HashMap<(u64, u128), Set<M>>,
    /// The largest result, and the most bytes kept in all incomplete ones together.
    largest: usize,
    most: usize,
    /// The smallest piece that is not the last one: what keeps the number of pieces down.
    piece: usize,
    kept: usize,
    /// Counts additions, to know which set has waited longest.
    clock: u64,
}

struct Set<M> {
    pieces: BTreeMap<u32, (Bytes, M)>,
    count: u32,
    bytes: usize,
    total: usize,
    fingerprint: u128,
    touched: u64,
}

/// What a chunk came to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Added<M> {
    /// More are needed.
    Kept,
    /// This chunk had come before; the earlier message is not needed any more.
    Again(M),
    /// The result, and all messages it came in.
    Complete(Vec<u8>, Vec<M>),
    /// It contradicts itself or others; these messages are worth nothing.
    Strange(Vec<M>),
}

impl<M> Assembly<M> {
    pub fn new(largest: usize, piece: usize) -> Self {
        Assembly {
            sets: HashMap::new(),
            largest,
            most: largest.saturating_mul(4),
            piece,
            kept: 0,
            clock: 0,
        }
    }

    pub fn add(&mut self, job: u64, chunk: Chunk, message: M) -> Added<M> {
        let Some(total) = self.plausible(&chunk) else {
            return Added::Strange(vec![message]);
        };
        let key = (job, chunk.set);
        let set = self.sets.entry(key).or_insert_with(|| Set {
            pieces: BTreeMap::new(),
            count: chunk.count,
            bytes: 0,
            total,
            fingerprint: chunk.fingerprint.0,
            touched: 0,
        });
        self.clock += 1;
        set.touched = self.clock;
        if (set.count, set.total, set.fingerprint) != (chunk.count, total, chunk.fingerprint.0) {
            return Added::Strange(vec![message]);
        }
        if let Some((bytes, earlier)) = set.pieces.get_mut(&chunk.index) {
            return if *bytes == chunk.bytes {
                Added::Again(std::mem::replace(earlier, message))
            } else {
                Added::Strange(vec![message])
            };
        }
        set.bytes += chunk.bytes.len();
        self.kept += chunk.bytes.len();
        set.pieces.insert(chunk.index, (chunk.bytes, message));
        if set.pieces.len() < set.count as usize && set.bytes <= set.total {
            return Added::Kept;
        }
        let set = self.remove(key).expect("it was just there");
        let (pieces, messages): (Vec<Bytes>, Vec<M>) = set.pieces.into_values().unzip();
        let whole = pieces.concat();
        if whole.len() == set.total && fingerprint(&whole).0 == set.fingerprint {
            Added::Complete(whole, messages)
        } else {
            Added::Strange(messages)
        }
    }

    /// Sizes that make sense on their own.
    fn plausible(&self, chunk: &Chunk) -> Option<usize> {
        let total = usize::try_from(chunk.total).ok()?;
        let last = chunk.index.checked_add(1)? == chunk.count;
        let fits = total <= self.largest
            && chunk.index < chunk.count
            && chunk.bytes.len() <= total
            && chunk.bytes.len() >= if last { 1 } else { self.piece };
        fits.then_some(total)
    }

    fn remove(&mut self, key: (u64, u128)) -> Option<Set<M>> {
        let set = self.sets.remove(&key)?;
        self.kept -= set.bytes;
        Some(set)
    }

    /// The job is settled: what has come of other results of it.
    pub fn forget(&mut self, job: u64) -> Vec<M> {
        if self.sets.is_empty() {
            return Vec::new();
        }
        let sets = self.sets.extract_if(|key, _| key.0 == job);
        let sets: Vec<Set<M>> = sets.map(|(_, set)| set).collect();
        self.kept -= sets.iter().map(|set| set.bytes).sum::<usize>();
        sets.into_iter().flat_map(Set::messages).collect()
    }

    /// Gives up the result that has waited longest, if too much is kept: its job and its messages.
    pub fn shed(&mut self) -> Option<(u64, Vec<M>)> {
        if self.kept <= self.most && self.sets.len() <= MOST_SETS {
            return None;
        }
        let (&key, _) = self.sets.iter().min_by_key(|(_, set)| set.touched)?;
        let set = self.remove(key)?;
        Some((key.0, set.messages().collect()))
    }

    /// Messages that wait for others.
    pub fn waiting(&self) -> usize {
        self.sets.values().map(|set| set.pieces.len()).sum()
    }
}

impl<M> Set<M> {
    fn messages(self) -> impl Iterator<Item = M> {
        self.pieces.into_values().map(|(_, message)| message)
    }
}

/// More incomplete results than any number of honest workers has at a time.
const MOST_SETS: usize = 16_384;

#[cfg(test)]
mod tests {
    use super::*;
    use sortie_model::Fingerprint;

    fn chunks(set: u128, whole: &'static [u8], size: usize) -> Vec<Chunk> {
        let pieces: Vec<_> = whole.chunks(size).collect();
        let count = pieces.len() as u32;
        pieces
            .into_iter()
            .enumerate()
            .map(|(index, piece)| Chunk {
                set,
                index: index as u32,
                count,
                total: whole.len() as u64,
                fingerprint: fingerprint(whole),
                bytes: Bytes::from_static(piece),
            })
            .collect()
    }

    #[test]
    fn chunks_in_any_order_and_of_several_workers() {
        let mut assembly = Assembly::new(100, 3);
        let (a, b) = (chunks(1, b"abcdefgh", 3), chunks(2, b"abcdefgX", 3));
        assert_eq!(assembly.add(5, a[2].clone(), 12), Added::Kept);
        assert_eq!(assembly.add(5, b[0].clone(), 20), Added::Kept);
        assert_eq!(assembly.add(5, a[0].clone(), 10), Added::Kept);
        assert_eq!(assembly.add(5, a[0].clone(), 13), Added::Again(10));
        assert_eq!(
            assembly.add(5, a[1].clone(), 11),
            Added::Complete(b"abcdefgh".to_vec(), vec![13, 11, 12])
        );
        assert_eq!(assembly.waiting(), 1);
        assert_eq!(assembly.forget(5), vec![20]);
        assert_eq!((assembly.waiting(), assembly.kept), (0, 0));
    }

    #[test]
    fn strange_chunks_are_refused() {
        let good = chunks(1, b"abcdefgh", 3);
        let strange = |change: &dyn Fn(&mut Chunk)| {
            let mut chunk = good[0].clone();
            change(&mut chunk);
            let mut assembly = Assembly::new(100, 3);
            assert_eq!(assembly.add(1, good[1].clone(), 1), Added::Kept);
            assert_eq!(assembly.add(1, chunk, 2), Added::Strange(vec![2]));
        };
        strange(&|c| c.total = 101);
        strange(&|c| c.total = u64::MAX);
        strange(&|c| c.index = 3);
        strange(&|c| c.count = 0);
        strange(&|c| c.count = u32::MAX);
        strange(&|c| c.count = 4);
        strange(&|c| c.bytes = Bytes::new());
        strange(&|c| c.bytes = Bytes::from_static(b"ab"));
        strange(&|c| c.fingerprint = Fingerprint(0));
        strange(&|c| {
            c.index = 1;
            c.bytes = Bytes::from_static(b"xyz");
        });
    }

    #[test]
    fn a_false_whole_is_refused_with_all_its_messages() {
        let mut assembly = Assembly::new(100, 3);
        let mut pieces = chunks(1, b"abcdefgh", 3);
        pieces[0].bytes = Bytes::from_static(b"abX");
        for (i, piece) in pieces.drain(..2).enumerate() {
            assert_eq!(assembly.add(1, piece, i), Added::Kept);
        }
        assert_eq!(
            assembly.add(1, pieces.remove(0), 2),
            Added::Strange(vec![0, 1, 2])
        );
    }

    #[test]
    fn what_waited_longest_is_given_up_first() {
        let mut assembly = Assembly::new(8, 1);
        for job in 0..5 {
            assert_eq!(assembly.shed(), None);
            for piece in &chunks(7, b"abcdefgh", 1)[..7] {
                assert_eq!(assembly.add(job, piece.clone(), job), Added::Kept);
            }
        }
        assert_eq!(assembly.shed(), Some((0, vec![0; 7])));
        assert_eq!(assembly.shed(), None);
    }
}
