//! Finds the knots among the transitions of a step.
//!
//! Transitions are gone through block by block, each of them a few of the same machine, which belong to the same knot in any case. Most knots are made of neighbours, so it is enough to ask of
//! a block whether it gets in the way of the last knot; where it gets in the way of others, they are tied together. Whether a knot goes on cannot be foreseen, so there are no branches for that.
//! Knots of one are not noted: what belongs to no other is alone.

use crate::index::Index;

/// Blocks have no more transitions than this.
const WIDEST: u32 = 6;

/// So many transitions fit into a word: no more than half as many knots of several.
const MOST: usize = u64::BITS as usize;

/// Transitions of one machine with numbers in a row.
#[derive(Clone, Copy, Debug)]
struct Block {
    members: u64,
    shift: u32,
    /// Where its rivals begin in the list.
    first: u32,
}

#[derive(Debug)]
pub(super) struct Scan {
    blocks: Vec<Block>,
    /// By block and which of its transitions are on offer: their rivals in blocks before.
    rivals: Vec<u64>,
    /// The knots of several that were found, as sets of transitions.
    found: [u64; MOST],
    /// Transitions on offer that were one single knot: machines that go round come to the same again and again.
    whole: u64,
}

impl Scan {
    /// For the transitions of a set in a system of at most 64.
    pub(super) fn new(index: &Index, moving: u64) -> Self {
        let mut scan = Scan {
            blocks: Vec::new(),
            rivals: Vec::new(),
            found: [0; MOST],
            whole: 0,
        };
        let is_moving = |number: &u32| moving >> number & 1 == 1;
        let numbers: Vec<u32> = (0..u64::BITS).filter(is_moving).collect();
        let owner = |number: u32| index.owner[number as usize];
        let is_next = |one: u32, other: u32| owner(one) == owner(other) && one + 1 == other;
        for run in numbers.chunk_by(|&one, &other| is_next(one, other)) {
            for block in run.chunks(WIDEST as usize) {
                let shift = block[0];
                scan.blocks.push(Block {
                    members: ((1 << block.len()) - 1) << shift,
                    shift,
                    first: scan.rivals.len() as u32,
                });
                let before = (1 << shift) - 1;
                scan.rivals
                    .extend((0..1 << block.len()).map(|offered: u64| {
                        let offered = block.iter().filter(|&&t| offered >> (t - shift) & 1 == 1);
                        let rivals = offered.map(|&transition| index.rivals.of_few(transition));
                        rivals.fold(0, |all, rivals| all | rivals) & before
                    }));
            }
        }
        scan
    }

    /// Finds the knots of several among transitions on offer: how many there are.
    #[inline]
    pub(super) fn untangle(&mut self, offered: u64) -> usize {
        let Scan {
            blocks,
            rivals,
            found,
            whole,
        } = self;
        if offered == *whole {
            found[0] = offered;
            return usize::from(offered != 0);
        }
        let (blocks, rivals) = (&blocks[..], &rivals[..]);
        let (mut knots, mut last) = (0, 0);
        for block in blocks {
            let own = offered & block.members;
            let rivals = rivals[block.first as usize + (own >> block.shift) as usize] & offered;
            if rivals & !last != 0 {
                finish(found, &mut knots, last, true);
                (knots, last) = tie(found, knots, rivals);
            }
            let is_next = rivals == 0;
            finish(found, &mut knots, last, is_next);
            last = own | if is_next { 0 } else { last };
        }
        finish(found, &mut knots, last, true);
        if knots == 1 && last == offered {
            *whole = offered;
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
