//! Which actions of which components can be part of one step, by names alone.

use crate::offer::Name;
use crate::tree::{ComponentId, Operator, Tree};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A name as a component offers it.
pub(crate) type Pair = (ComponentId, Name);

/// Those of which one fills a slot of a communication.
pub(crate) type Slot = BTreeSet<Pair>;

/// A name that comes about in more ways is taken to stand for any action that may be behind it.
const MAX_WAYS: usize = 256;

/// How an action seen from above comes about: one slot for an action as offered, several for a communication.
type Way = Vec<Slot>;

type Ways = BTreeMap<Name, Vec<Way>>;

/// What can become of the actions of the components of a tree.
#[derive(Debug, Default)]
pub(crate) struct Meetings {
    /// Communications, each with all the actions that take part.
    pub(crate) meetings: Vec<Way>,
    /// The meetings and slots of an action.
    places: HashMap<Pair, Vec<(usize, usize)>>,
    /// Actions that can happen without a communication.
    alone: BTreeSet<Pair>,
    /// Actions that `allow` wants to happen at once.
    together: Vec<Way>,
}

impl Meetings {
    /// `alphabets` are the names that each component may offer.
    pub(crate) fn of(tree: &Tree, alphabets: &[BTreeSet<Name>]) -> Meetings {
        let mut meetings = Meetings::default();
        for ways in meetings.ways(tree, alphabets).into_values() {
            meetings.settle(ways);
        }
        for (number, meeting) in meetings.meetings.iter().enumerate() {
            for (slot, pairs) in meeting.iter().enumerate() {
                for pair in pairs {
                    let places = meetings.places.entry(*pair).or_default();
                    places.push((number, slot));
                }
            }
        }
        meetings
    }

    /// The meetings that an action can be part of, with the slot it fills.
    pub(crate) fn places(&self, pair: Pair) -> &[(usize, usize)] {
        self.places.get(&pair).map_or(&[], |places| places)
    }

    /// Whether the action can happen without a communication.
    pub(crate) fn is_alone(&self, pair: Pair) -> bool {
        self.alone.contains(&pair)
    }

    /// The other slots of a meeting.
    pub(crate) fn others(&self, meeting: usize, slot: usize) -> impl Iterator<Item = &Slot> {
        let slots = self.meetings[meeting].iter().enumerate();
        slots.filter_map(move |(other, pairs)| (other != slot).then_some(pairs))
    }

    /// What may have to happen in one step with one of these actions, themselves included. A meeting is complete with its slots,
    /// but what `allow` adds may have to meet others, so it is added to the actions, too.
    pub(crate) fn companions(&self, actions: &mut BTreeSet<Pair>) -> BTreeSet<Pair> {
        loop {
            let before = actions.len();
            for way in &self.together {
                let more = beside(way, actions);
                actions.extend(more);
            }
            if actions.len() == before {
                break;
            }
        }
        let partners = self.meetings.iter().flat_map(|way| beside(way, actions));
        partners.chain(actions.iter().copied()).collect()
    }

    /// What happened below can no longer be changed.
    fn settle(&mut self, ways: Vec<Way>) {
        for way in ways {
            match &way[..] {
                [only] => self.alone.extend(only),
                _ => self.meetings.push(way),
            }
        }
    }

    /// By the name that is seen above the tree.
    fn ways(&mut self, tree: &Tree, alphabets: &[BTreeSet<Name>]) -> Ways {
        match tree {
            Tree::Component(component) => {
                let names = alphabets[component.0 as usize].iter();
                names
                    .map(|name| (*name, vec![vec![Slot::from([(*component, *name)])]]))
                    .collect()
            }
            Tree::Parallel(parts) => {
                let mut all = Ways::new();
                for part in parts {
                    for (name, ways) in self.ways(part, alphabets) {
                        add(&mut all, name, ways);
                    }
                }
                all
            }
            Tree::Apply(operator, below) => {
                let below = self.ways(below, alphabets);
                self.apply(operator, below)
            }
        }
    }

    fn apply(&mut self, operator: &Operator, mut ways: Ways) -> Ways {
        match operator {
            Operator::Block(names) => ways.retain(|name, _| !names.contains(name)),
            Operator::Hide(names) => {
                for name in names {
                    let hidden = ways.remove(name);
                    self.settle(hidden.unwrap_or_default());
                }
            }
            Operator::Rename(names) => {
                let mut renamed = Ways::new();
                for (name, ways) in ways {
                    add(
                        &mut renamed,
                        names.get(&name).copied().unwrap_or(name),
                        ways,
                    );
                }
                return renamed;
            }
            Operator::Comm(communications) => {
                let mut results = Vec::new();
                for communication in communications {
                    let slots: Option<Vec<&Vec<Way>>> = communication
                        .from
                        .iter()
                        .map(|name| ways.get(name))
                        .collect();
                    if let Some(slots) = slots {
                        results.push((communication.to, joined(&slots)));
                    }
                }
                for (name, result) in results {
                    add(&mut ways, name, result);
                }
            }
            Operator::Allow(allowed) => {
                let possible = |names: &&Vec<Name>| names.iter().all(|n| ways.contains_key(n));
                let possible: Vec<&Vec<Name>> = allowed.iter().filter(possible).collect();
                for names in possible.iter().filter(|names| names.len() > 1) {
                    let slots = names.iter().map(|name| gathered(&ways[name]));
                    self.together.push(slots.collect());
                }
                ways.retain(|name, _| possible.iter().any(|names| names.contains(name)));
            }
        }
        ways
    }
}

/// Actions as offered share one way, so that a name has few.
fn add(all: &mut Ways, name: Name, more: Vec<Way>) {
    let ways = all.entry(name).or_default();
    for way in more {
        let single = ways.iter().position(|way| way.len() == 1);
        match (single, &way[..]) {
            (Some(single), [slot]) => ways[single][0].extend(slot),
            _ if ways.contains(&way) => {}
            _ => ways.push(way),
        }
    }
}

/// All combinations of ways for the slots of a communication.
fn joined(slots: &[&Vec<Way>]) -> Vec<Way> {
    let count = slots.iter().map(|ways| ways.len());
    if count.fold(1, usize::saturating_mul) > MAX_WAYS {
        return vec![slots.iter().map(|ways| gathered(ways)).collect()];
    }
    let mut all: Vec<Way> = vec![Vec::new()];
    for ways in slots {
        let longer = all.iter().flat_map(|begin| {
            let with = |way: &Way| begin.iter().chain(way).cloned().collect();
            ways.iter().map(with)
        });
        all = longer.collect();
    }
    all
}

/// What is in slots for which one of the actions is in another slot.
fn beside(way: &Way, actions: &BTreeSet<Pair>) -> Vec<Pair> {
    let has = |slot: &Slot| slot.iter().any(|pair| actions.contains(pair));
    let among: Vec<bool> = way.iter().map(has).collect();
    let count = among.iter().filter(|has| **has).count();
    let slots = way.iter().zip(among);
    let beside = slots.filter(|(_, has)| count > usize::from(*has));
    beside.flat_map(|(slot, _)| slot).copied().collect()
}

/// Whatever may be behind a name.
fn gathered(ways: &[Way]) -> Slot {
    ways.iter().flatten().flatten().copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Communication;

    fn component(number: u32) -> Tree {
        Tree::Component(ComponentId(number))
    }

    fn apply(operator: Operator, tree: Tree) -> Tree {
        Tree::Apply(operator, Box::new(tree))
    }

    #[test]
    fn who_meets_whom() {
        let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(Name);
        let [one, two, three] = [0, 1, 2].map(ComponentId);
        let comm = |from: &[Name], to| {
            let from = from.to_vec();
            Operator::Comm(vec![Communication { from, to }])
        };
        let alphabets = [[a, e].into(), [b, e].into(), [d].into()];
        let inner = apply(
            comm(&[a, b], c),
            Tree::Parallel(vec![component(0), component(1)]),
        );
        let inner = apply(Operator::Block([a, b].into()), inner);
        let outer = apply(comm(&[c, d], d), Tree::Parallel(vec![inner, component(2)]));
        let hidden = apply(Operator::Hide([e].into()), outer.clone());
        let allow = Operator::Allow(BTreeSet::from([vec![c], vec![d], vec![a, a]]));
        let found = Meetings::of(&apply(allow, hidden), &alphabets);
        let slots = |pairs: &[Pair]| -> Way { pairs.iter().map(|p| Slot::from([*p])).collect() };
        let expected = [
            slots(&[(one, a), (two, b)]),
            slots(&[(one, a), (two, b), (three, d)]),
        ];
        assert_eq!(found.meetings, expected);
        assert_eq!(found.alone, [(one, e), (two, e), (three, d)].into());
        assert_eq!(found.places((two, b)), [(0, 1), (1, 1)]);
        assert!(found.together.is_empty(), "nobody offers a above the block");
        let together = Operator::Allow(BTreeSet::from([vec![c, e]]));
        let found = Meetings::of(&apply(together, outer), &alphabets);
        assert_eq!(found.meetings, [slots(&[(one, a), (two, b)])]);
        let mut actions = BTreeSet::from([(one, a)]);
        let companions = found.companions(&mut actions);
        assert_eq!(actions, [(one, a), (two, b), (one, e), (two, e)].into());
        assert_eq!(companions, actions);
    }
}
