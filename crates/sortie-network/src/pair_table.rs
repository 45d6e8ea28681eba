//! What two parts can do together, by the numbers of their states: where to find it.
//!
//! As long as both parts have few states this is a matrix, and a table when they have many. Where the same two states hardly ever meet
//! again, remembering them does not pay, and nothing is remembered.

/// A matrix of this size may be as good as empty.
const SMALL: usize = 1 << 14;

/// A larger one has no more cells than this for each that is filled, about what a table would need.
const SPARSE: usize = 4;

/// After so many states remembering them must pay. A search meets new states first, and old ones later; threads that share it meet fewer each.
const TRIAL: u32 = 4096;

/// It pays if at least one in so many states is met again: finding out anew costs far more than remembering.
const WORTH: u32 = 4;

/// Where something is found.
pub(crate) trait Finding: Copy + PartialEq {
    /// Stands for nothing that is known.
    const UNKNOWN: Self;
}

/// The first and the last of some steps.
pub(crate) type Span = (u32, u32);

impl Finding for Span {
    const UNKNOWN: Span = (u32::MAX, 0);
}

impl Finding for u32 {
    const UNKNOWN: u32 = u32::MAX;
}

/// The numbers of two states; those of the second part make up the columns of the matrix.
pub(crate) type Numbers = (u32, u32);

pub(crate) struct PairTable<F> {
    /// Empty when the parts have too many states.
    cells: Vec<F>,
    /// A row has two to this power columns.
    width: u32,
    slots: Vec<(Numbers, F)>,
    used: u32,
    met_again: u32,
    forgets: bool,
}

impl<F: Finding> PairTable<F> {
    pub(crate) fn new() -> PairTable<F> {
        PairTable {
            cells: vec![F::UNKNOWN; 4],
            width: 1,
            slots: Vec::new(),
            used: 0,
            met_again: 0,
            forgets: false,
        }
    }

    /// What belongs to two states, if it is remembered.
    #[inline]
    pub(crate) fn get(&mut self, numbers: Numbers) -> Option<F> {
        let found = match self.cell(numbers).and_then(|cell| self.cells.get(cell)) {
            Some(found) => *found,
            None if self.cells.is_empty() => self.search(numbers),
            None => F::UNKNOWN,
        };
        (found != F::UNKNOWN).then_some(found)
    }

    /// Whether nothing is worth remembering.
    pub(crate) fn forgets(&self) -> bool {
        self.forgets
    }

    #[inline]
    fn cell(&self, (row, column): Numbers) -> Option<usize> {
        (column >> self.width == 0).then_some((row as usize) << self.width | column as usize)
    }

    fn search(&mut self, numbers: Numbers) -> F {
        if self.slots.is_empty() {
            return F::UNKNOWN;
        }
        let (of, found) = self.slots[self.place(numbers)];
        if found == F::UNKNOWN || of != numbers {
            return F::UNKNOWN;
        }
        self.met_again += 1;
        found
    }

    /// Where two states are, or belong.
    fn place(&self, numbers: Numbers) -> usize {
        let mask = self.slots.len() - 1;
        let mixed = u64::from(numbers.0) << 32 | u64::from(numbers.1);
        let mut at = (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & mask;
        while self.slots[at].1 != F::UNKNOWN && self.slots[at].0 != numbers {
            at = (at + 1) & mask;
        }
        at
    }

    /// Remembers something; how many more bytes that takes.
    pub(crate) fn put(&mut self, numbers: Numbers, found: F) -> u64 {
        let before = self.bytes();
        if !self.cells.is_empty() {
            self.make_room(numbers);
        }
        self.used += 1;
        match self.cell(numbers).filter(|_| !self.cells.is_empty()) {
            Some(cell) => self.cells[cell] = found,
            None => self.put_in_table(numbers, found),
        }
        self.bytes().saturating_sub(before)
    }

    /// Makes the matrix larger, or turns it into a table.
    fn make_room(&mut self, (row, column): Numbers) {
        let width = self.width.max(u32::BITS - column.leading_zeros());
        let rows = self.cells.len() >> self.width;
        let needed = rows.max((row as usize + 1).next_power_of_two());
        if width == self.width && needed == rows {
            return;
        }
        let old_width = std::mem::replace(&mut self.width, width);
        let old = std::mem::take(&mut self.cells);
        let most = SMALL.max(self.used as usize * SPARSE);
        let fits = width < usize::BITS / 2 && needed << width <= most;
        if fits {
            self.cells = vec![F::UNKNOWN; needed << width];
        }
        if !fits {
            let slots = (self.used as usize * 3).next_power_of_two();
            self.slots = vec![((0, 0), F::UNKNOWN); slots.max(16)];
            // What was met again in the matrix was not counted.
            self.met_again = self.used;
        }
        for (cell, found) in old
            .into_iter()
            .enumerate()
            .filter(|(_, found)| *found != F::UNKNOWN)
        {
            let (row, column) = (cell >> old_width, cell & ((1 << old_width) - 1));
            if fits {
                self.cells[row << width | column] = found;
            } else {
                let place = self.place((row as u32, column as u32));
                self.slots[place] = ((row as u32, column as u32), found);
            }
        }
    }

    fn put_in_table(&mut self, numbers: Numbers, found: F) {
        if self.used as usize * 4 >= self.slots.len() * 3 {
            if self.used >= TRIAL && self.met_again < self.used / WORTH {
                self.slots = Vec::new();
                self.forgets = true;
                return;
            }
            let larger = vec![((0, 0), F::UNKNOWN); (self.slots.len() * 2).max(16)];
            for (numbers, found) in std::mem::replace(&mut self.slots, larger) {
                if found != F::UNKNOWN {
                    let place = self.place(numbers);
                    self.slots[place] = (numbers, found);
                }
            }
        }
        let place = self.place(numbers);
        self.slots[place] = (numbers, found);
    }

    fn bytes(&self) -> u64 {
        (self.cells.len() * size_of::<F>() + self.slots.len() * size_of::<(Numbers, F)>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sortie_model::Dice;
    use std::collections::HashMap;

    #[test]
    fn a_matrix_and_a_table_remember_the_same() {
        for (seed, most) in [(1, 3), (2, 40), (3, 500)] {
            let dice = &mut Dice::new(seed);
            let mut table = PairTable::new();
            let mut known: HashMap<Numbers, Span> = HashMap::new();
            for number in 0..2000 {
                let numbers = (dice.below(most) as u32, dice.below(2 * most) as u32);
                assert_eq!(table.get(numbers), known.get(&numbers).copied());
                known.entry(numbers).or_insert_with(|| {
                    table.put(numbers, (number, number + 1));
                    (number, number + 1)
                });
                // A pair that is met again and again is worth remembering.
                for _ in 0..2 {
                    assert_eq!(table.get(numbers), known.get(&numbers).copied());
                }
            }
        }
    }

    #[test]
    fn what_is_never_met_again_is_forgotten() {
        let mut table = PairTable::new();
        for number in 0..10_000 {
            assert_eq!(table.get((number, number)), None);
            table.put((number, number), (number, number));
        }
        assert!(table.forgets());
        assert_eq!(table.get((7, 7)), None);
    }
}
