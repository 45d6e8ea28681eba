//! The transitions of a step.

/// Some transitions, few and with small numbers, in their order: a list in one word, the length in its last byte, and before that how many contradictions they make.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Taken(u64);

impl Taken {
    /// There is room for so many.
    pub(super) const MOST: usize = 6;

    /// Adds a transition if it is taken.
    pub(super) fn push_if(&mut self, is_taken: bool, transition: u32) {
        if is_taken {
            self.0 |= u64::from(transition) << (8 * self.count());
            self.0 += 1 << 56;
        }
    }

    /// The same with so many contradictions.
    pub(super) fn with_conflicts(self, conflicts: u8) -> Self {
        Taken(self.0 | u64::from(conflicts) << 48)
    }

    #[inline]
    pub(super) fn conflicts(self) -> u64 {
        self.0 >> 48 & 0xff
    }

    #[inline]
    fn count(self) -> usize {
        (self.0 >> 56) as usize
    }

    pub(super) fn iter(self) -> impl Iterator<Item = u32> {
        let places = 0..self.count();
        places.map(move |place| (self.0 >> (8 * place)) as u32 & 0xff)
    }
}

/// All transitions of a step in their order, where numbers are below 64.
#[derive(Debug)]
pub(super) struct AllTaken {
    /// With room for what lies behind the last.
    transitions: [u8; 64 + 8],
    count: usize,
    /// Those that got in nobody's way, as a set: they come before all others.
    pub(super) alone: u64,
}

impl AllTaken {
    pub(super) fn new() -> Self {
        AllTaken {
            transitions: [0; 64 + 8],
            count: 0,
            alone: 0,
        }
    }

    pub(super) fn clear(&mut self) {
        self.count = 0;
        self.alone = 0;
    }

    /// How many there are besides those that got in nobody's way.
    #[inline]
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// One of these.
    #[inline]
    pub(super) fn at(&self, place: usize) -> u32 {
        u32::from(self.transitions[place])
    }

    /// Adds some. To copy the whole word is faster than to copy only what is used.
    #[inline]
    pub(super) fn add(&mut self, taken: Taken) {
        self.transitions[self.count..][..8].copy_from_slice(&taken.0.to_le_bytes());
        self.count += taken.count();
    }

    /// Adds a transition if it is taken, without a branch.
    #[inline]
    pub(super) fn push_if(&mut self, is_taken: bool, transition: u32) {
        self.transitions[self.count] = transition as u8;
        self.count += usize::from(is_taken);
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = u32> {
        let is_alone = |transition: &u32| self.alone >> transition & 1 == 1;
        let others = self.transitions[..self.count].iter();
        let others = others.map(|&transition| u32::from(transition));
        (0..u64::BITS).filter(is_alone).chain(others)
    }
}

/// The transitions of a step, wherever they are kept.
#[derive(Clone, Copy)]
pub(super) enum Transitions<'a> {
    Listed(&'a [u32]),
    Few(&'a AllTaken),
}

impl Transitions<'_> {
    #[inline]
    pub(super) fn is_empty(self) -> bool {
        match self {
            Transitions::Listed(all) => all.is_empty(),
            Transitions::Few(all) => all.count == 0 && all.alone == 0,
        }
    }

    pub(super) fn list(self) -> Vec<u32> {
        match self {
            Transitions::Listed(all) => all.to_vec(),
            Transitions::Few(all) => all.iter().collect(),
        }
    }
}
