//! Partitions that are made finer by marking elements and splitting off what is marked.
//!
//! The structure of A. Valmari and P. Lehtinen, "Efficient minimization of DFAs with partial transition functions"
//! (STACS 2008): the elements of a set lie next to each other, the marked ones in front. Marking costs constant time,
//! splitting costs the smaller half. The smaller half gets the new number, so an element is renumbered at most
//! logarithmically often.

/// A partition of the numbers below some bound into sets numbered from 0.
#[derive(Debug)]
pub(crate) struct Refinable {
    /// The elements, set by set.
    elements: Vec<u32>,
    /// Where each element stands in `elements`.
    place: Vec<u32>,
    /// The set of each element.
    set: Vec<u32>,
    sets: Vec<Bounds>,
    /// The sets that have marked elements.
    touched: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Bounds {
    begin: u32,
    /// Elements before this place are marked.
    unmarked: u32,
    end: u32,
}

impl Refinable {
    /// The partition in which `set[e]` is the set of `e`; the sets are those below `sets`, and none is empty.
    pub(crate) fn new(set: Vec<u32>, sets: u32) -> Self {
        let mut ends = vec![0u32; sets as usize + 1];
        for &s in &set {
            ends[s as usize + 1] += 1;
        }
        for s in 0..sets as usize {
            ends[s + 1] += ends[s];
        }
        let bounds = |pair: &[u32]| Bounds {
            begin: pair[0],
            unmarked: pair[0],
            end: pair[1],
        };
        let sets = ends.windows(2).map(bounds).collect();
        let mut elements = vec![0; set.len()];
        let mut place = vec![0; set.len()];
        for (element, &s) in set.iter().enumerate() {
            let next = &mut ends[s as usize];
            elements[*next as usize] = element as u32;
            place[element] = *next;
            *next += 1;
        }
        Refinable {
            elements,
            place,
            set,
            sets,
            touched: Vec::new(),
        }
    }

    /// The set of every element.
    pub(crate) fn into_sets(self) -> Vec<u32> {
        self.set
    }

    /// The elements of a set.
    pub(crate) fn elements(&self, set: u32) -> &[u32] {
        let Bounds { begin, end, .. } = self.sets[set as usize];
        &self.elements[begin as usize..end as usize]
    }

    /// Marks an element; marking it twice is the same as once.
    pub(crate) fn mark(&mut self, element: u32) {
        let set = self.set[element as usize];
        let bounds = &mut self.sets[set as usize];
        let here = self.place[element as usize];
        if here < bounds.unmarked {
            return;
        }
        if bounds.unmarked == bounds.begin {
            self.touched.push(set);
        }
        let there = bounds.unmarked;
        bounds.unmarked += 1;
        let other = self.elements[there as usize];
        self.elements.swap(here as usize, there as usize);
        self.place[element as usize] = there;
        self.place[other as usize] = here;
    }

    /// Takes one set that has marked elements, removes the marks, and parts the marked from the others. The answer is
    /// the set and its new smaller half, or the set alone where all its elements were marked.
    pub(crate) fn split(&mut self) -> Option<(u32, Option<u32>)> {
        let set = self.touched.pop()?;
        let new = self.sets.len() as u32;
        let old = &mut self.sets[set as usize];
        let Bounds {
            begin,
            unmarked: middle,
            end,
        } = *old;
        old.unmarked = begin;
        if middle == end {
            return Some((set, None));
        }
        let (from, to) = if middle - begin <= end - middle {
            (old.begin, old.unmarked) = (middle, middle);
            (begin, middle)
        } else {
            old.end = middle;
            (middle, end)
        };
        self.sets.push(Bounds {
            begin: from,
            unmarked: from,
            end: to,
        });
        for &element in &self.elements[from as usize..to as usize] {
            self.set[element as usize] = new;
        }
        Some((set, Some(new)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sortie_model::Dice;
    use std::collections::BTreeSet;

    /// The same marks on sets of numbers. The seed of a failing case is in the message.
    #[test]
    fn splits_like_sets_of_numbers() {
        for seed in 0..200 {
            let mut dice = Dice::new(seed);
            let size = 1 + dice.below(30) as u32;
            let mut partition = Refinable::new(vec![0; size as usize], 1);
            let mut plain: Vec<BTreeSet<u32>> = vec![(0..size).collect()];
            for _ in 0..10 {
                let marked: BTreeSet<u32> = (0..size).filter(|_| dice.chance(1, 3)).collect();
                for &element in &marked {
                    partition.mark(element);
                    partition.mark(element);
                }
                while let Some((set, new)) = partition.split() {
                    if let Some(new) = new {
                        assert!(partition.elements(new).len() <= partition.elements(set).len());
                    }
                }
                let halves = |set: &BTreeSet<u32>| [set & &marked, set - &marked];
                plain = plain.iter().flat_map(halves).collect();
                plain.retain(|set| !set.is_empty());
                let numbers = 0..partition.sets.len() as u32;
                let sets = numbers.clone().map(|set| partition.elements(set));
                let refined: BTreeSet<BTreeSet<u32>> =
                    sets.map(|set| set.iter().copied().collect()).collect();
                assert_eq!(refined, plain.iter().cloned().collect(), "seed {seed}");
                for set in numbers {
                    let at_home = |&e: &u32| partition.set[e as usize] == set;
                    assert!(partition.elements(set).iter().all(at_home), "seed {seed}");
                }
            }
        }
    }
}
