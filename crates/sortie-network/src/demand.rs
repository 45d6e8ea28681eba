//! Which multisets of names can survive the operators above a row of parallel parts.
//!
//! A demand starts at the root ("anything") and is pushed down through the operators, outermost first. It is a superset of what can
//! survive: the operators are applied exactly to what a join finds.

use crate::offer::Name;
use crate::tree::{Communication, Operator};
use std::collections::{BTreeMap, BTreeSet};

/// A multiset of names in groups; the actions of a group have equal data. Groups and names are sorted.
pub(crate) type Entry = Vec<Vec<Name>>;

/// A demand with more entries is not worth having.
const MAX_ENTRIES: usize = 1 << 16;

/// So many parts of entries are listed.
const MAX_PARTS: usize = 1 << 18;

/// One of the entries, together with any number of free names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Demand {
    pub(crate) entries: BTreeSet<Entry>,
    /// By name: it may be added any number of times.
    pub(crate) free: Vec<bool>,
}

impl Demand {
    /// Whatever happens.
    pub(crate) fn anything(names: usize) -> Demand {
        Demand {
            entries: BTreeSet::from([Entry::new()]),
            free: vec![true; names],
        }
    }

    /// Whether only the entries themselves are wanted.
    pub(crate) fn is_finite(&self) -> bool {
        !self.free.contains(&true)
    }

    fn is_free(&self, name: Name) -> bool {
        self.free[name.0 as usize]
    }

    /// What the operator must get so that the demand is met above it; anything, where that takes too many entries to say.
    pub(crate) fn below(&self, operator: &Operator) -> Demand {
        self.exactly_below(operator)
            .filter(|below| below.entries.len() <= MAX_ENTRIES)
            .unwrap_or_else(|| Demand::anything(self.free.len()))
    }

    fn exactly_below(&self, operator: &Operator) -> Option<Demand> {
        let mut below = Demand {
            entries: BTreeSet::new(),
            free: self.free.clone(),
        };
        match operator {
            Operator::Block(names) => {
                below.entries = self.without(names);
                for name in names {
                    below.free[name.0 as usize] = false;
                }
            }
            Operator::Hide(names) => {
                below.entries = self.without(names);
                for name in names {
                    below.free[name.0 as usize] = true;
                }
            }
            Operator::Rename(renaming) => {
                for entry in &self.entries {
                    below
                        .entries
                        .extend(replace(entry, &|name| unrenamed(renaming, name))?);
                }
                for (index, free) in below.free.iter_mut().enumerate() {
                    let name = Name(index as u32);
                    *free = self.is_free(renaming.get(&name).copied().unwrap_or(name));
                }
            }
            Operator::Comm(communications) => {
                for entry in &self.entries {
                    below.entries.extend(replace(entry, &|name| {
                        uncommunicated(communications, name)
                    })?);
                }
                for communication in communications {
                    if self.is_free(communication.to) {
                        for name in &communication.from {
                            below.free[name.0 as usize] = true;
                        }
                    }
                }
            }
            Operator::Allow(allowed) => {
                below.free.fill(false);
                below.entries.insert(Entry::new());
                for names in allowed {
                    for entry in &self.entries {
                        below.entries.extend(self.completed(entry, names));
                    }
                }
            }
        }
        Some(below)
    }

    /// What one part of a row may have to contribute: any part of an entry.
    pub(crate) fn of_part(&self) -> Demand {
        // Long or many entries are rare enough to ask for everything instead.
        let parts = self.entries.iter().map(|entry| {
            let length: usize = entry.iter().map(Vec::len).sum();
            1usize.checked_shl(length as u32).unwrap_or(usize::MAX)
        });
        if parts.fold(0, usize::saturating_add) > MAX_PARTS {
            return Demand::anything(self.free.len());
        }
        let mut entries = BTreeSet::from([Entry::new()]);
        for entry in &self.entries {
            let names: Vec<Name> = entry.concat();
            for mask in 0u32..1 << names.len() {
                let chosen = (0..names.len()).filter(|i| mask >> i & 1 == 1);
                let mut part: Entry = chosen.map(|i| vec![names[i]]).collect();
                part.sort();
                entries.insert(part);
            }
        }
        Demand {
            entries,
            free: self.free.clone(),
        }
    }

    /// Whether these names can be part of something wanted.
    pub(crate) fn admits(&self, names: &[Name]) -> bool {
        self.entries.iter().any(|entry| {
            let mut left = entry.concat();
            names.iter().all(|name| {
                self.is_free(*name) || {
                    let place = left.iter().position(|other| other == name);
                    place.map(|place| left.swap_remove(place)).is_some()
                }
            })
        })
    }

    fn without(&self, names: &BTreeSet<Name>) -> BTreeSet<Entry> {
        let has = |entry: &Entry| entry.iter().flatten().any(|name| names.contains(name));
        let kept = self.entries.iter().filter(|entry| !has(entry));
        kept.cloned().collect()
    }

    /// The entry with free names added so that it has exactly these names.
    fn completed(&self, entry: &Entry, names: &[Name]) -> Option<Entry> {
        let mut left = names.to_vec();
        for name in entry.iter().flatten() {
            let place = left.iter().position(|other| other == name)?;
            left.swap_remove(place);
        }
        if !left.iter().all(|name| self.is_free(*name)) {
            return None;
        }
        let mut completed = entry.clone();
        completed.extend(left.into_iter().map(|name| vec![name]));
        completed.sort();
        Some(completed)
    }
}

/// The groups of names, of two or more, that some communication in the chain turns into one action. `operators` are innermost first.
/// `None` when they are too many.
pub(crate) fn communicating_groups(operators: &[Operator]) -> Option<Vec<Vec<Name>>> {
    let mut found = BTreeSet::new();
    for (place, operator) in operators.iter().enumerate() {
        let Operator::Comm(communications) = operator else {
            continue;
        };
        for communication in communications {
            let mut from = communication.from.clone();
            from.sort_unstable();
            let mut entries = BTreeSet::from([vec![from]]);
            for lower in operators[..place].iter().rev() {
                let down = |name: Name| match lower {
                    Operator::Rename(renaming) => unrenamed(renaming, name),
                    Operator::Comm(communications) => uncommunicated(communications, name),
                    _ => vec![vec![name]],
                };
                let lower: Option<Vec<_>> =
                    entries.iter().map(|entry| replace(entry, &down)).collect();
                entries = lower?.into_iter().flatten().collect();
            }
            found.extend(entries.into_iter().flatten());
            if found.len() > MAX_ENTRIES {
                return None;
            }
        }
    }
    Some(found.into_iter().collect())
}

/// All ways to replace each name of an entry by one of the given groups, unless there are too many.
fn replace(entry: &Entry, down: &dyn Fn(Name) -> Vec<Vec<Name>>) -> Option<BTreeSet<Entry>> {
    let mut all = BTreeSet::from([Entry::new()]);
    for group in entry {
        let mut groups = BTreeSet::from([Vec::new()]);
        for name in group {
            groups = extended(&groups, &down(*name), |group, choice| {
                group.extend_from_slice(choice);
            })?;
        }
        let groups: Vec<Vec<Name>> = groups.into_iter().collect();
        all = extended(&all, &groups, |entry, group| entry.push(group.clone()))?;
    }
    Some(all)
}

/// Each list with each choice added and sorted, unless that gives too many.
fn extended<T: Ord + Clone, C>(
    lists: &BTreeSet<Vec<T>>,
    choices: &[C],
    add: impl Fn(&mut Vec<T>, &C),
) -> Option<BTreeSet<Vec<T>>> {
    if lists.len().saturating_mul(choices.len()) > 4 * MAX_ENTRIES {
        return None;
    }
    let mut all = BTreeSet::new();
    for list in lists {
        for choice in choices {
            let mut longer = list.clone();
            add(&mut longer, choice);
            longer.sort();
            all.insert(longer);
        }
    }
    Some(all)
}

fn unrenamed(renaming: &BTreeMap<Name, Name>, name: Name) -> Vec<Vec<Name>> {
    let unchanged = (!renaming.contains_key(&name)).then_some(name);
    let renamed = renaming
        .iter()
        .filter(|(_, to)| **to == name)
        .map(|(from, _)| *from);
    unchanged
        .into_iter()
        .chain(renamed)
        .map(|name| vec![name])
        .collect()
}

fn uncommunicated(communications: &[Communication], name: Name) -> Vec<Vec<Name>> {
    let groups = communications
        .iter()
        .filter(|communication| communication.to == name)
        .map(|communication| communication.from.clone());
    std::iter::once(vec![name]).chain(groups).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(list: &[u32]) -> Vec<Name> {
        list.iter().map(|n| Name(*n)).collect()
    }

    #[test]
    fn allow_over_comm_wants_the_result_or_its_parts() {
        let comm = Operator::Comm(vec![Communication {
            from: names(&[0, 1]),
            to: Name(2),
        }]);
        let allow = Operator::Allow(BTreeSet::from([names(&[2]), names(&[3])]));
        let demand = Demand::anything(4).below(&allow).below(&comm);
        let expected: BTreeSet<Entry> = BTreeSet::from([
            vec![],
            vec![names(&[0, 1])],
            vec![names(&[2])],
            vec![names(&[3])],
        ]);
        assert_eq!(demand.entries, expected);
        assert!(demand.is_finite());
        assert!(demand.admits(&names(&[1])));
        assert!(!demand.admits(&names(&[0, 3])));
    }

    /// Twenty equal results can come about in 21 ways, twenty different ones in a million.
    #[test]
    fn demands_stay_small() {
        let communications = |count: u32| {
            let one = |n| Communication {
                from: names(&[3 * n, 3 * n + 1]),
                to: Name(3 * n + 2),
            };
            Operator::Comm((0..count).map(one).collect())
        };
        let allow = |wanted: Vec<Name>| Operator::Allow(BTreeSet::from([wanted]));
        let equal = Demand::anything(60).below(&allow(vec![Name(2); 20]));
        let equal = equal.below(&communications(1));
        assert_eq!(equal.entries.len(), 1 + 21);
        assert!(equal.is_finite());
        let different = (0..20).map(|n| Name(3 * n + 2)).collect();
        let different = Demand::anything(60).below(&allow(different));
        let different = different.below(&communications(20));
        assert_eq!(different, Demand::anything(60));
        let long = Demand::anything(60).below(&allow(vec![Name(0); 40]));
        assert_eq!(long.of_part(), Demand::anything(60));
    }

    #[test]
    fn hidden_names_are_free_below() {
        let hide = Operator::Hide(names(&[0]).into_iter().collect());
        let allow = Operator::Allow(BTreeSet::from([names(&[0, 1]), names(&[1])]));
        let demand = Demand::anything(2).below(&allow).below(&hide);
        assert_eq!(demand.entries, BTreeSet::from([vec![], vec![names(&[1])]]));
        assert_eq!(demand.free, [true, false]);
    }
}
