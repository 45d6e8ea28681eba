//! Finds the knots among the transitions of a step.
//!
//! Transitions are looked at block by block, each of them a few of the same machine, which belong to the same knot in any case. Most knots are made of neighbours, so what is asked first, of
//! all blocks alike, is whether a block gets in the way of the one before: knots are then rows of such blocks. Machines that stand in a circle have one block more that closes it; it comes last, and
//! what it gets in the way of is tied together. Only where blocks get in the way of others further off are knots tied together one after another.
//! Knots of one are not noted: what belongs to no other is alone.

use crate::index::Index;

/// Blocks have no more transitions than this.
const WIDEST: usize = 6;

/// So many transitions fit into a word: no more than half as many knots of several.
const MOST: usize = u64::BITS as usize;

/// What is known of a block by which of its transitions are on offer.
#[derive(Clone, Copy, Debug, Default)]
struct Offered {
    /// Their rivals in blocks before.
    rivals: u64,
    /// The bit of the block, if they are several.
    several: u64,
}

/// Transitions of one machine with numbers in a row.
#[derive(Clone, Debug)]
struct Block {
    members: u64,
    shift: u32,
    /// All transitions but those of the block before.
    far: u64,
    offered: [Offered; 1 << WIDEST],
}

impl Block {
    /// What is known of it where these are on offer, with those of the rivals that are.
    #[inline]
    fn look(&self, offered: u64) -> Offered {
        let own = (offered & self.members) >> self.shift;
        let Offered { rivals, several } = self.offered[own as usize % (1 << WIDEST)];
        Offered {
            rivals: rivals & offered,
            several,
        }
    }
}

#[derive(Debug)]
pub(super) struct Scan {
    /// All but the last.
    blocks: Vec<Block>,
    last: Block,
    /// By block: its transitions and those of all before.
    up_to: [u64; MOST],
    /// The knots of several that were found, as sets of transitions.
    found: [u64; MOST],
    /// Transitions on offer that were one single knot: machines that go round come to the same again and again.
    whole: u64,
}

impl Scan {
    /// For the transitions of a set in a system of at most 64.
    pub(super) fn new(index: &Index, moving: u64) -> Self {
        let is_moving = |number: &u32| moving >> number & 1 == 1;
        let numbers: Vec<u32> = (0..u64::BITS).filter(is_moving).collect();
        let owner = |number: u32| index.owner[number as usize];
        let is_next = |one: u32, other: u32| owner(one) == owner(other) && one + 1 == other;
        let mut blocks: Vec<Block> = Vec::new();
        let mut up_to = [0; MOST];
        let (mut before, mut all) = (0, 0);
        let runs = numbers.chunk_by(|&one, &other| is_next(one, other));
        for transitions in runs.flat_map(|run| run.chunks(WIDEST)) {
            let shift = transitions[0];
            let mut block = Block {
                members: ((1 << transitions.len()) - 1) << shift,
                shift,
                far: !before,
                offered: [Offered::default(); 1 << WIDEST],
            };
            let earlier = (1 << shift) - 1;
            let number = blocks.len();
            for offered in 0..1u64 << transitions.len() {
                let own = transitions.iter();
                let own = own.filter(|&&t| offered >> (t - shift) & 1 == 1);
                let rivals = own.map(|&transition| index.rivals.of_few(transition));
                block.offered[offered as usize] = Offered {
                    rivals: rivals.fold(0, |all, rivals| all | rivals) & earlier,
                    several: u64::from(offered.count_ones() > 1) << number,
                };
            }
            before = block.members;
            all |= before;
            up_to[number] = all;
            blocks.push(block);
        }
        let nothing = Block {
            members: 0,
            shift: 0,
            far: 0,
            offered: [Offered::default(); 1 << WIDEST],
        };
        Scan {
            last: blocks.pop().unwrap_or(nothing),
            blocks,
            up_to,
            found: [0; MOST],
            whole: 0,
        }
    }

    /// Finds the knots of several among transitions on offer: how many there are.
    #[inline]
    pub(super) fn untangle(&mut self, offered: u64) -> usize {
        if offered == self.whole {
            self.found[0] = offered;
            return usize::from(offered != 0);
        }
        // Whether a block goes on with the one before, whether there are several on offer, and whether anything further off matters. Nobody could foresee any of this, so there are no branches.
        let (mut linked, mut several, mut far) = (0, 0, 0);
        for (number, block) in self.blocks.iter().enumerate() {
            let here = block.look(offered);
            linked |= u64::from(here.rivals != 0) << number;
            several |= here.several;
            far |= here.rivals & block.far;
        }
        let knots = match far {
            0 => self.find_rows(offered, linked, several),
            _ => self.tie_all(offered),
        };
        self.add_last(offered, knots)
    }

    /// Knots are rows of blocks that go on with the one before; the last block is left out.
    #[inline]
    fn find_rows(&mut self, offered: u64, linked: u64, several: u64) -> usize {
        let mut begins = !linked & (linked >> 1 | several);
        let mut knots = 0;
        while begins != 0 {
            let first = begins.trailing_zeros() as usize;
            let length = (linked >> first >> 1).trailing_ones() as usize;
            let before = self.up_to[first % MOST] & !self.blocks[first].members;
            self.found[knots % MOST] = offered & self.up_to[(first + length) % MOST] & !before;
            knots += 1;
            begins &= begins - 1;
        }
        knots
    }

    /// The same where blocks get in the way of others further off.
    #[inline(never)]
    fn tie_all(&mut self, offered: u64) -> usize {
        let Scan { blocks, found, .. } = self;
        let (mut knots, mut last) = (0, 0);
        for block in blocks.iter() {
            let rivals = block.look(offered).rivals;
            finish(found, &mut knots, last, rivals == 0 || rivals & !last != 0);
            if rivals & !last != 0 {
                (knots, last) = tie(found, knots, rivals);
            }
            last = offered & block.members | if rivals == 0 { 0 } else { last };
        }
        finish(found, &mut knots, last, true);
        knots
    }

    /// Adds the last block to so many knots: how many there are then.
    #[inline]
    fn add_last(&mut self, offered: u64, knots: usize) -> usize {
        let (mut knots, mut last) = (knots, offered & self.last.members);
        let rivals = self.last.look(offered).rivals;
        if rivals != 0 {
            let tied;
            (knots, tied) = tie(&mut self.found, knots, rivals);
            last |= tied;
        }
        finish(&mut self.found, &mut knots, last, true);
        if knots == 1 && self.found[0] == offered {
            self.whole = offered;
        }
        knots
    }

    /// The transitions of one of the knots of several.
    #[inline]
    pub(super) fn found(&self, number: usize) -> u64 {
        self.found[number % MOST]
    }
}

/// Notes the last knot if nothing is added to it any more, and if it is one of several.
#[inline(always)]
fn finish(found: &mut [u64; MOST], knots: &mut usize, last: u64, is_over: bool) {
    let is_several = last & last.wrapping_sub(1) != 0;
    found[*knots % MOST] = last;
    *knots += usize::from(is_over & is_several);
}

/// Takes away those knots that have any of these transitions, and ties all of them together: how many are left, and what that gives.
#[inline(never)]
fn tie(found: &mut [u64; MOST], knots: usize, rivals: u64) -> (usize, u64) {
    let (mut kept, mut tied) = (0, rivals);
    for place in 0..knots {
        let members = found[place];
        found[kept] = members;
        let is_tied = members & rivals != 0;
        kept += usize::from(!is_tied);
        tied |= if is_tied { members } else { 0 };
    }
    (kept, tied)
}
