//! The transitions of a step.

/// Some transitions, few and with small numbers, in their order.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Taken {
    transitions: [u8; Taken::MOST],
    count: u8,
}

impl Taken {
    /// There is room for so many.
    pub(super) const MOST: usize = 5;

    /// Adds a transition if it is taken.
    pub(super) fn push_if(&mut self, is_taken: bool, transition: u32) {
        if is_taken {
            self.transitions[usize::from(self.count)] = transition as u8;
            self.count += 1;
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = u32> {
        let Taken { transitions, count } = *self;
        let places = 0..usize::from(count);
        places.map(move |place| u32::from(transitions[place]))
    }
}

/// All transitions of a step in their order, where numbers are below 64.
#[derive(Debug)]
pub(super) struct AllTaken {
    transitions: [u8; 64 + Taken::MOST],
    count: usize,
}

impl AllTaken {
    pub(super) fn new() -> Self {
        AllTaken {
            transitions: [0; 64 + Taken::MOST],
            count: 0,
        }
    }

    pub(super) fn clear(&mut self) {
        self.count = 0;
    }

    /// Adds some. To copy all places is faster than to copy only those that are used.
    #[inline]
    pub(super) fn add(&mut self, taken: &Taken) {
        self.transitions[self.count..][..Taken::MOST].copy_from_slice(&taken.transitions);
        self.count += usize::from(taken.count);
    }

    /// Adds a transition if it is taken, without a branch.
    #[inline]
    pub(super) fn push_if(&mut self, is_taken: bool, transition: u32) {
        self.transitions[self.count] = transition as u8;
        self.count += usize::from(is_taken);
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = u32> {
        let all = self.transitions[..self.count].iter();
        all.map(|&transition| u32::from(transition))
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
            Transitions::Few(all) => all.count == 0,
        }
    }

    pub(super) fn list(self) -> Vec<u32> {
        match self {
            Transitions::Listed(all) => all.to_vec(),
            Transitions::Few(all) => all.iter().collect(),
        }
    }
}
