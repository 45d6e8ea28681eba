//! From bits to choices.
//!
//! *By index*: the next ⌈log₂ n⌉ bits are the number of one of n alternatives. A number that is too large is replaced by a random one,
//! which is written back, so that a string of bits always means the same path.
//!
//! *By name*: each choice reads a gene of fixed length, and a gene is an order of preference over everything that could ever be
//! offered: first over who moves, then over what is done. Of the alternatives the most preferred is taken. Every alternative is equally likely to be
//! preferred by a random gene, and the same gene prefers the same wherever it is read, whatever else is offered.

use super::chromosome::Chromosome;
use sortie_model::{Choice, Dice};
use std::borrow::BorrowMut;

/// Bits of a gene that order those who move; as many order what they do.
const HALF: u32 = 16;

/// How choices are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// By the number of an alternative.
    Index,
    /// By who moves and what happens.
    Name,
}

impl Encoding {
    /// Cuts between parents lie at multiples of this.
    pub fn grain(self) -> usize {
        match self {
            Encoding::Index => 1,
            Encoding::Name => 2 * HALF as usize,
        }
    }
}

/// Reads a chromosome from its beginning.
pub struct Reading<C> {
    chromosome: C,
    encoding: Encoding,
    /// Draws what is not there and what is too large.
    dice: Dice,
    /// Bits read so far.
    at: usize,
}

impl<C: BorrowMut<Chromosome>> Reading<C> {
    /// A new reading.
    pub fn new(chromosome: C, encoding: Encoding, dice: Dice) -> Self {
        Reading {
            chromosome,
            encoding,
            dice,
            at: 0,
        }
    }

    /// How many bits were read.
    pub fn length(&self) -> usize {
        self.at
    }

    /// The chromosome, with what was drawn.
    pub fn into_chromosome(self) -> C {
        self.chromosome
    }

    /// The alternative that the next bits stand for.
    #[inline]
    pub fn choose(&mut self, choice: &Choice<'_>) -> usize {
        if choice.alternatives < 2 {
            return 0;
        }
        match self.encoding {
            Encoding::Index => self.by_index(choice),
            Encoding::Name => self.by_name(choice),
        }
    }

    #[inline]
    fn by_index(&mut self, choice: &Choice<'_>) -> usize {
        let bits = (choice.alternatives - 1).ilog2() + 1;
        let chromosome = self.chromosome.borrow_mut();
        let mut chosen = chromosome.read(self.at, bits, &mut self.dice) as usize;
        if chosen >= choice.alternatives {
            chosen = self.dice.index(choice.alternatives);
            chromosome.write(self.at, bits, chosen as u32);
        }
        self.at += bits as usize;
        chosen
    }

    fn by_name(&mut self, choice: &Choice<'_>) -> usize {
        let chromosome = self.chromosome.borrow_mut();
        let gene = chromosome.read(self.at, 2 * HALF, &mut self.dice);
        self.at += 2 * HALF as usize;
        let (who, what) = (gene >> HALF, gene & ((1 << HALF) - 1));
        let preference = |index: usize| {
            let key = choice.names.key(index);
            let name = (mixed(who, key.who), mixed(what, key.what));
            // What has the same name is told apart by its place.
            (name, mixed(gene, index as u64))
        };
        let best = (0..choice.alternatives).max_by_key(|&index| preference(index));
        best.expect("there is at least one alternative")
    }
}

/// How much a half of a gene likes a name: a hash of both.
fn mixed(half: u32, name: u64) -> u64 {
    let mut x = name ^ u64::from(half).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
