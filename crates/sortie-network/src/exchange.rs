//! What parts do that wait for data of each other, remembered.

use crate::ready::Move;
use sortie_intern::Register;
use sortie_model::{Fingerprint, LabelId};

/// Steps of parts that wait for data of each other.
#[derive(Default)]
pub(crate) struct Exchanged {
    /// Each with the end of its moves.
    steps: Vec<(LabelId, u32)>,
    moves: Vec<Move>,
}

impl Exchanged {
    pub(crate) fn add(&mut self, label: LabelId, moves: &[Move]) {
        self.moves.extend_from_slice(moves);
        self.steps.push((label, self.moves.len() as u32));
    }

    pub(crate) fn steps(&self) -> impl Iterator<Item = (LabelId, &[Move])> {
        let mut begin = 0;
        self.steps.iter().map(move |(label, end)| {
            let moves = &self.moves[begin as usize..*end as usize];
            begin = *end;
            (*label, moves)
        })
    }

    /// Memory in bytes on the heap.
    pub(crate) fn bytes(&self) -> u64 {
        (size_of_val(&*self.steps) + size_of_val(&*self.moves)) as u64
    }

    fn shrink(mut self) -> Self {
        self.steps.shrink_to_fit();
        self.moves.shrink_to_fit();
        self
    }
}

/// Such steps by plan and states of the parts. Known to all threads: finding them out takes far longer than finding them.
#[derive(Default)]
pub(crate) struct Exchanges(Register<Exchanged>);

impl Exchanges {
    pub(crate) fn find(&self, print: Fingerprint) -> Option<&Exchanged> {
        self.0.look_up(print)
    }

    /// Remembers steps, or takes those that another thread remembered meanwhile.
    pub(crate) fn enter(&self, print: Fingerprint, exchanged: Exchanged) -> &Exchanged {
        let number = self.0.find_or_enter(print, || exchanged.shrink());
        self.0.get(number)
    }

    /// Memory in bytes, without what is on the heap.
    pub(crate) fn bytes(&self) -> u64 {
        self.0.bytes()
    }
}
