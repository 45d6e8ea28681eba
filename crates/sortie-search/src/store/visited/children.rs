//! Parents of states that are numbered breadth first, in little more than a byte each.
//!
//! In the order of their numbers, states have parents with numbers that never get less. So it is enough to know how many states each parent brought up.

use super::{NO_PARENT, StateId};
use std::collections::BTreeMap;

/// After so many parents it is noted how many states all of them brought up.
const BLOCK: usize = 64;

/// A parent with so many children or more is elsewhere.
const MANY: u8 = u8::MAX;

/// How many states each state brought up. The first state was not brought up by any.
#[derive(Clone, Debug, Default)]
pub(super) struct Children {
    counts: Vec<u8>,
    many: BTreeMap<u32, u32>,
    /// By block: how many children all earlier ones have.
    before: Vec<u32>,
    all: u32,
}

impl Children {
    /// A parent has so many children more. Earlier ones get no more after that.
    #[inline]
    pub(super) fn add(&mut self, parent: StateId, children: u32) {
        while self.counts.len() <= parent.0 as usize {
            if self.counts.len().is_multiple_of(BLOCK) {
                self.before.push(self.all);
            }
            self.counts.push(0);
        }
        self.all += children;
        let count = &mut self.counts[parent.0 as usize];
        let sum = u32::from(*count) + children;
        if sum < u32::from(MANY) {
            *count = sum as u8;
        } else {
            self.add_many(parent.0, children);
        }
    }

    /// Parents from this one on, which have no children yet, have so many, none of them many.
    pub(super) fn extend(&mut self, first: StateId, children: &[u8]) {
        let Some(last) = first.0.checked_sub(1) else {
            return (0..)
                .zip(children)
                .for_each(|(parent, count)| self.add(StateId(parent), u32::from(*count)));
        };
        self.add(StateId(last), 0);
        let mut rest = children;
        while !rest.is_empty() {
            let room = BLOCK - self.counts.len() % BLOCK;
            if room == BLOCK {
                self.before.push(self.all);
            }
            let (now, later) = rest.split_at(room.min(rest.len()));
            self.counts.extend_from_slice(now);
            self.all += now.iter().map(|count| u32::from(*count)).sum::<u32>();
            rest = later;
        }
    }

    #[cold]
    fn add_many(&mut self, parent: u32, children: u32) {
        let count = &mut self.counts[parent as usize];
        let before = match std::mem::replace(count, MANY) {
            MANY => 0,
            few => u32::from(few),
        };
        *self.many.entry(parent).or_default() += before + children;
    }

    fn of(&self, parent: usize) -> u32 {
        match self.counts[parent] {
            MANY => self.many[&(parent as u32)],
            few => u32::from(few),
        }
    }

    /// Who brought up the state with this number.
    pub(super) fn parent(&self, child: StateId) -> StateId {
        let Some(mut left) = child.0.checked_sub(1).filter(|left| *left < self.all) else {
            return NO_PARENT;
        };
        let block = self.before.partition_point(|before| *before <= left) - 1;
        left -= self.before[block];
        let mut parent = block * BLOCK;
        while self.of(parent) <= left {
            left -= self.of(parent);
            parent += 1;
        }
        StateId(parent as u32)
    }

    /// The parents of all states, in order.
    pub(super) fn parents(&self) -> impl Iterator<Item = StateId> {
        let parents = (0..self.counts.len()).flat_map(|parent| {
            std::iter::repeat_n(StateId(parent as u32), self.of(parent) as usize)
        });
        std::iter::once(NO_PARENT).chain(parents)
    }

    /// Memory in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.counts.len() + self.before.len() * 4 + self.many.len() * 16
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sortie_model::Dice;

    #[test]
    fn children_come_one_by_one_or_together() {
        let dice = &mut Dice::new(2);
        let (mut one, mut other) = (Children::default(), Children::default());
        let mut first = 0;
        for _ in 0..100 {
            let counts: Vec<u8> = (0..dice.below(200)).map(|_| dice.below(4) as u8).collect();
            other.extend(StateId(first), &counts);
            for (parent, count) in (first..).zip(&counts) {
                one.add(StateId(parent), u32::from(*count));
            }
            first += counts.len() as u32;
        }
        assert!(one.parents().eq(other.parents()));
        for child in 0..one.all {
            assert_eq!(one.parent(StateId(child)), other.parent(StateId(child)));
        }
    }

    #[test]
    fn everybody_finds_the_parent() {
        let dice = &mut Dice::new(1);
        let mut children = Children::default();
        let mut parents = vec![NO_PARENT];
        for parent in 0..3000 {
            let most = [1, 3, 400, 2][parent as usize % 4];
            for _ in 0..dice.below(3) {
                let count = dice.below(most) as u32;
                children.add(StateId(parent), count);
                parents.extend((0..count).map(|_| StateId(parent)));
            }
        }
        assert!(children.many.len() > 100);
        assert!(children.parents().eq(parents.iter().copied()));
        for (child, parent) in (0..).zip(parents) {
            assert_eq!(children.parent(StateId(child)), parent);
        }
    }
}
