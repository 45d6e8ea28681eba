//! Finds the knots among the transitions of a step.
//!
//! Transitions are gone through block by block, each of them a few of the same machine, which belong to the same knot in any case. Most knots are made of neighbours, so it is enough to ask of
//! a block whether it gets in the way of the last knot; where it gets in the way of others, they are tied together. Whether a knot goes on cannot be foreseen, so there are no branches for that.

use crate::index::Index;

/// Blocks have no more transitions than this.
const WIDEST: u32 = 6;

/// Transitions of one machine with numbers in a row.
#[derive(Clone, Copy, Debug)]
struct Block {
    shift: u32,
    mask: u64,
    /// Where its rivals begin in the list.
    first: usize,
}

#[derive(Debug)]
pub(super) struct Scan {
    blocks: Vec<Block>,
    /// By block and which of its transitions are on offer: their rivals in blocks before.
    rivals: Vec<u64>,
    /// The knots of several that were found, as sets of transitions.
    found: Vec<u64>,
    /// Transitions on offer that were one single knot: machines that go round come to the same again and again.
    whole: u64,
}

impl Scan {
    /// For a system of at most 64 transitions.
    pub(super) fn new(index: &Index) -> Self {
        let mut scan = Scan {
            blocks: Vec::new(),
            rivals: Vec::new(),
            found: vec![0; index.owner.len() + 1],
            whole: 0,
        };
        let numbers: Vec<u32> = (0..index.owner.len() as u32).collect();
        let owner = |number: u32| index.owner[number as usize];
        for run in numbers.chunk_by(|&one, &other| owner(one) == owner(other)) {
            for block in run.chunks(WIDEST as usize) {
                let shift = block[0];
                scan.blocks.push(Block {
                    shift,
                    mask: (1 << block.len()) - 1,
                    first: scan.rivals.len(),
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

    /// Finds the knots among transitions on offer: the transitions that get in nobody's way, and how many knots of several there are.
    #[inline]
    pub(super) fn untangle(&mut self, offered: u64) -> (u64, usize) {
        let Scan {
            blocks,
            rivals,
            found,
            whole,
        } = self;
        if offered == *whole {
            found[0] = offered;
            return (0, usize::from(offered != 0));
        }
        let (blocks, rivals, found) = (&blocks[..], &rivals[..], &mut found[..]);
        let (mut alone, mut knots, mut last) = (0, 0, 0);
        for block in blocks {
            let local = offered >> block.shift & block.mask;
            let own = local << block.shift;
            let rivals = rivals[block.first + local as usize] & offered;
            if rivals & !last != 0 {
                finish(found, &mut alone, &mut knots, last, true);
                (knots, last) = tie(&mut found[..knots], rivals);
                last |= alone & rivals;
                alone &= !rivals;
            }
            let is_next = (own != 0) & (rivals == 0);
            finish(found, &mut alone, &mut knots, last, is_next);
            last = own | if is_next { 0 } else { last };
        }
        finish(found, &mut alone, &mut knots, last, true);
        if knots == 1 && last == offered {
            *whole = offered;
        }
        (alone, knots)
    }

    /// The transitions of one of the knots of several.
    #[inline]
    pub(super) fn found(&self, number: usize) -> u64 {
        self.found[number]
    }
}

/// Puts the last knot where it belongs if nothing is added to it any more.
#[inline(always)]
fn finish(found: &mut [u64], alone: &mut u64, knots: &mut usize, last: u64, is_over: bool) {
    let is_alone = last & last.wrapping_sub(1) == 0;
    found[*knots] = last;
    *knots += usize::from(is_over & !is_alone);
    *alone |= if is_over & is_alone { last } else { 0 };
}

/// Takes away those knots that have any of these transitions; how many are left, and what the others have together.
fn tie(found: &mut [u64], rivals: u64) -> (usize, u64) {
    let (mut kept, mut tied) = (0, 0);
    for place in 0..found.len() {
        let members = found[place];
        found[kept] = members;
        let is_tied = members & rivals != 0;
        kept += usize::from(!is_tied);
        tied |= if is_tied { members } else { 0 };
    }
    (kept, tied)
}
