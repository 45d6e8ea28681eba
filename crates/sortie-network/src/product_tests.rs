//! Random networks: the join finds exactly the steps that the definition of the operators gives.

use crate::emission::{Emission, Marks};
use crate::offer::{
    Arguments, ArgumentsId, Closed, LocalId, Name, Offer, OfferedAction, Processes, Target,
};
use crate::operators::MultiAction;
use crate::product::{Scratch, combine, expand};
use crate::tree::{Communication, ComponentId, Operator, Tree};
use crate::{Network, Parts};
use sortie_intern::Interner;
use sortie_model::{
    BatchExpansion, Dice, Field, Fingerprint, Identity, LabelId, Model, ModelError, PartSet, Steps,
};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) const NAMES: u32 = 6;
const VALUES: u32 = 2;

/// Local automata with one value per action; an open offer stands for one step per value, the same for all its actions.
pub(crate) struct Toy {
    /// An open offer says where each value leads.
    offers: Vec<Vec<Offer<u32, Vec<LocalId>>>>,
    arguments: Interner<Box<[u32]>>,
    /// Values below this one are.
    ordinary: u32,
    /// Whether local states without offers have terminated.
    pub(crate) terminates: bool,
    /// Local states from this one on stand for a choice between two others.
    pub(crate) random: u32,
    choice: [LocalId; 2],
    /// Whether it is known before what a component may offer.
    pub(crate) says_alphabet: bool,
    /// Whether it is known what open offers accept: anything.
    pub(crate) has_guards: bool,
}

impl Toy {
    fn one(&self, value: u32) -> ArgumentsId {
        ArgumentsId(self.arguments.intern(vec![value].into()))
    }

    pub(crate) fn random(dice: &mut Dice, locals: u32) -> Toy {
        let mut toy = Toy {
            offers: Vec::new(),
            arguments: Interner::new(),
            ordinary: VALUES,
            terminates: false,
            random: u32::MAX,
            choice: [LocalId(0), LocalId(1)],
            says_alphabet: false,
            has_guards: false,
        };
        for _ in 0..locals {
            let mut offers = Vec::new();
            for _ in 0..dice.below(3) {
                let size = [0, 1, 1, 1, 1, 2][dice.below(6) as usize];
                let open = size > 0 && dice.below(3) == 0;
                let actions = (0..size).map(|_| OfferedAction {
                    name: Name(dice.below(u64::from(NAMES)) as u32),
                    arguments: if open {
                        Arguments::Open([None].into())
                    } else {
                        Arguments::Known(toy.one(dice.below(u64::from(VALUES)) as u32))
                    },
                });
                let actions: Vec<_> = actions.collect();
                let mut target = || LocalId(dice.below(u64::from(locals)) as u32);
                let actions: Box<[OfferedAction<u32>]> = actions.into();
                if !open {
                    let target = Target::Known(target());
                    offers.push(Offer { actions, target });
                    continue;
                }
                let targets: Vec<LocalId> = (0..VALUES).map(|_| target()).collect();
                let listed = offers.is_empty() && dice.below(2) == 0;
                for (value, target) in targets.iter().enumerate().filter(|_| listed) {
                    let with_value = |action: &OfferedAction<u32>| OfferedAction {
                        name: action.name,
                        arguments: Arguments::Known(toy.one(value as u32)),
                    };
                    offers.push(Offer {
                        actions: actions.iter().map(with_value).collect(),
                        target: Target::Known(*target),
                    });
                }
                let target = if listed {
                    Target::Rest(targets)
                } else {
                    Target::Open(targets)
                };
                offers.push(Offer { actions, target });
            }
            toy.offers.push(offers);
        }
        toy
    }

    /// How many local states there are.
    pub(crate) fn locals(&self) -> u32 {
        self.offers.len() as u32
    }

    /// The same without internal steps and steps of several actions.
    pub(crate) fn single(mut self) -> Toy {
        for offers in &mut self.offers {
            offers.retain(|offer| offer.actions.len() == 1);
        }
        self
    }

    /// The same with steps to local states with higher numbers only; with `random`, the last one stands for a choice between the two
    /// before.
    pub(crate) fn acyclic(mut self, random: bool) -> Toy {
        let last = self.offers.len() as u32 - 1;
        if random && last >= 2 {
            self.random = last;
            self.choice = [LocalId(last - 2), LocalId(last - 1)];
        }
        // Beyond this one a choice would lead back.
        let end = if self.is_random() { last - 1 } else { last };
        for (local, offers) in (0..).zip(&mut self.offers) {
            if local >= end {
                offers.clear();
            }
            let least = |target: &LocalId| {
                let leads_back = self.random <= target.0 && local + 2 >= last;
                LocalId(if leads_back {
                    last - 1
                } else {
                    target.0.max(local + 1)
                })
            };
            for offer in offers {
                match &mut offer.target {
                    Target::Known(target) => *target = least(target),
                    Target::Open(targets) | Target::Rest(targets) => {
                        targets
                            .iter_mut()
                            .for_each(|target| *target = least(target));
                    }
                }
            }
        }
        self
    }
}

impl Processes for Toy {
    type Value = u32;
    type Open = Vec<LocalId>;

    fn offers(&self, local: LocalId) -> Result<Vec<Offer<u32, Vec<LocalId>>>, ModelError> {
        Ok(self.offers[local.0 as usize].clone())
    }

    fn close(
        &self,
        _local: LocalId,
        open: &Vec<LocalId>,
        received: &[Option<u32>],
    ) -> Result<Vec<Closed>, ModelError> {
        let fits = |value: u32| received.iter().flatten().all(|received| *received == value);
        Ok(open
            .iter()
            .enumerate()
            .filter(|(value, _)| fits(*value as u32))
            .map(|(value, target)| Closed {
                arguments: vec![self.one(value as u32); received.len()].into(),
                target: *target,
            })
            .collect())
    }

    fn guard(&self, _open: &Vec<LocalId>, _values: &mut Vec<Option<u32>>) -> Option<u64> {
        self.has_guards.then_some(0)
    }

    fn arguments(&self) -> &Interner<Box<[u32]>> {
        &self.arguments
    }

    fn is_ordinary(&self, arguments: ArgumentsId) -> bool {
        self.arguments.get(arguments.0)[0] < self.ordinary
    }

    fn is_random(&self) -> bool {
        self.random < u32::MAX
    }

    fn outcomes(&self, local: LocalId) -> Result<Vec<(LocalId, u64)>, ModelError> {
        Ok(match local.0 < self.random {
            true => Vec::new(),
            false => self.choice.map(|local| (local, 1)).to_vec(),
        })
    }

    fn alphabet(&self, local: LocalId) -> Option<BTreeSet<Vec<Name>>> {
        let mut seen = BTreeSet::from([local]);
        let mut waiting: Vec<LocalId> = seen.iter().copied().collect();
        let mut all = BTreeSet::new();
        while let Some(local) = waiting.pop() {
            if local.0 >= self.random {
                let outcomes = self.choice.into_iter();
                waiting.extend(outcomes.filter(|outcome| seen.insert(*outcome)));
                continue;
            }
            for offer in &self.offers[local.0 as usize] {
                let mut names: Vec<Name> = offer.actions.iter().map(|a| a.name).collect();
                names.sort_unstable();
                all.insert(names);
                let targets = match &offer.target {
                    Target::Known(target) => std::slice::from_ref(target),
                    Target::Open(targets) | Target::Rest(targets) => targets,
                };
                waiting.extend(
                    targets
                        .iter()
                        .copied()
                        .filter(|target| seen.insert(*target)),
                );
            }
        }
        self.says_alphabet.then_some(all)
    }

    fn is_terminated(&self, local: LocalId) -> bool {
        self.terminates && self.offers[local.0 as usize].is_empty()
    }

    fn fingerprint(&self, local: LocalId) -> Fingerprint {
        Fingerprint::of_words(&[local.0])
    }

    fn print(&self, value: u32) -> String {
        value.to_string()
    }

    fn describe(&self, _local: LocalId) -> Vec<Field> {
        Vec::new()
    }

    fn bytes(&self) -> u64 {
        0
    }
}

type Step = (MultiAction, BTreeMap<u32, u32>);

/// The steps of a tree by definition: bottom up, all combinations.
pub(crate) fn by_definition(toy: &Toy, tree: &Tree, state: &[u32]) -> Vec<Step> {
    match tree {
        Tree::Component(component) => {
            let local = state[component.0 as usize];
            let mut steps = Vec::new();
            for offer in &toy.offers[local as usize] {
                let targets = match &offer.target {
                    Target::Open(targets) => targets,
                    // Its steps are listed on their own.
                    Target::Rest(_) => continue,
                    Target::Known(target) => {
                        let known = |action: &OfferedAction<u32>| match action.arguments {
                            Arguments::Known(id) => (action.name, id),
                            Arguments::Open(_) => unreachable!("the offer is not open"),
                        };
                        let action = offer.actions.iter().map(known).collect();
                        steps.push((action, BTreeMap::from([(component.0, target.0)])));
                        continue;
                    }
                };
                for (value, target) in targets.iter().enumerate() {
                    let names = offer.actions.iter().map(|action| action.name);
                    let action = names.map(|name| (name, toy.one(value as u32))).collect();
                    steps.push((action, BTreeMap::from([(component.0, target.0)])));
                }
            }
            steps
        }
        Tree::Parallel(parts) => {
            let mut all: Vec<Step> = vec![(Vec::new(), BTreeMap::new())];
            for part in parts {
                let steps = by_definition(toy, part, state);
                let mut next = all.clone();
                for (action, moves) in &all {
                    for (more, others) in &steps {
                        let mut moves = moves.clone();
                        moves.extend(others);
                        next.push(([&action[..], more].concat(), moves));
                    }
                }
                all = next;
            }
            all.retain(|(_, moves)| !moves.is_empty());
            all
        }
        Tree::Apply(operator, below) => {
            let mut steps = by_definition(toy, below, state);
            steps.retain_mut(|(action, _)| operator.apply(action));
            steps
        }
    }
}

fn random_names(dice: &mut Dice) -> BTreeSet<Name> {
    (0..NAMES)
        .filter(|_| dice.below(4) == 0)
        .map(Name)
        .collect()
}

pub(crate) fn random_operator(dice: &mut Dice) -> Operator {
    match dice.below(7) {
        0 => Operator::Block(random_names(dice)),
        1 => Operator::Hide(random_names(dice)),
        2 => {
            let from = random_names(dice).into_iter();
            Operator::Rename(
                from.map(|name| (name, Name(dice.below(u64::from(NAMES)) as u32)))
                    .collect(),
            )
        }
        3 | 4 => {
            let mut allowed = BTreeSet::new();
            for _ in 0..dice.below(6) {
                let size = 1 + dice.below(3);
                let mut names: Vec<Name> = (0..size)
                    .map(|_| Name(dice.below(u64::from(NAMES)) as u32))
                    .collect();
                names.sort_unstable();
                allowed.insert(names);
            }
            Operator::Allow(allowed)
        }
        _ => {
            // No name is at the left of two entries, nor at the left of one and the right of another.
            let shapes: [(&[u32], u32); 5] = [
                (&[0, 1], 2),
                (&[0, 0], 2),
                (&[0, 1, 1], 2),
                (&[3, 4], 5),
                (&[3, 4], 3),
            ];
            let first = shapes[dice.below(3) as usize];
            let second = shapes[3 + dice.below(2) as usize];
            let entry = |(from, to): (&[u32], u32)| Communication {
                from: from.iter().map(|n| Name(*n)).collect(),
                to: Name(to),
            };
            Operator::Comm(vec![entry(first), entry(second)])
        }
    }
}

pub(crate) fn random_tree(dice: &mut Dice, components: &mut u32, depth: u32) -> Tree {
    match dice.below(4) {
        0 | 1 if depth > 0 && *components < 2 => {
            let count = 2 + dice.below(2);
            let parts = (0..count).map(|_| random_tree(dice, components, depth - 1));
            Tree::Parallel(parts.collect())
        }
        2 if depth > 0 => {
            let below = random_tree(dice, components, depth - 1);
            Tree::Apply(random_operator(dice), Box::new(below))
        }
        _ => {
            *components += 1;
            Tree::Component(ComponentId(*components - 1))
        }
    }
}

fn network(toy: Toy, tree: Tree, components: u32) -> Network<Toy> {
    network_from(vec![LocalId(0); components as usize], toy, tree)
}

/// One component for each place to start.
pub(crate) fn network_from(initial: Vec<LocalId>, toy: Toy, tree: Tree) -> Network<Toy> {
    Network::new(Parts {
        processes: toy,
        tree,
        names: (0..NAMES).map(|n| format!("n{n}")).collect(),
        components: vec!["C".to_owned(); initial.len()],
        initial,
        identity: Identity::new("random", Fingerprint(0)),
        combinations: u64::MAX,
    })
}

#[test]
fn joins_agree_with_the_definition() {
    for seed in 0..2000 {
        let dice = &mut Dice::new(seed);
        let locals = 4;
        let toy = Toy::random(dice, locals);
        let mut components = 0;
        let mut tree = random_tree(dice, &mut components, 3);
        if components > 4 {
            continue;
        }
        if seed % 2 == 0 {
            // The usual shape of a network, in which parts meet on channels.
            let rest = 2 + dice.below(2) as u32;
            let more = (components..components + rest).map(|n| Tree::Component(ComponentId(n)));
            components += rest;
            tree = Tree::Parallel(std::iter::once(tree).chain(more).collect());
        }
        for _ in 0..dice.below(4) {
            tree = Tree::Apply(random_operator(dice), Box::new(tree));
        }
        let network = network(toy, tree.clone(), components);
        for _ in 0..5 {
            let state: Vec<u32> = (0..components)
                .map(|_| dice.below(u64::from(locals)) as u32)
                .collect();
            let memory = &network.memory;
            let numbered = (0..components).map(ComponentId).zip(&state);
            let words: Vec<u32> = numbered
                .map(|(component, local)| memory.word(component, LocalId(*local)))
                .collect();
            let mut steps = Steps::new(network.width());
            steps.want_fingerprints(true);
            steps.want_parts(true);
            network.expand(&words, &mut steps).expect("toys never fail");
            let mut prints = Vec::new();
            network.fingerprint_all(&steps, &mut prints);
            let found: BTreeMap<(String, Vec<u32>), PartSet> = steps
                .iter()
                .zip(prints)
                .enumerate()
                .map(|(number, ((label, target), print))| {
                    assert_eq!(print, network.fingerprint(target), "seed {seed}");
                    let local = |component| memory.local(component, target);
                    let locals = (0..components).map(ComponentId).filter_map(local);
                    let locals = locals.map(|local| local.0).collect();
                    let parts = steps.parts(number).expect("they are wanted");
                    ((network.label(label), locals), parts)
                })
                .collect();
            assert_eq!(
                found.len(),
                steps.len(),
                "seed {seed}: a step is listed twice"
            );
            let toy = network.processes();
            // Whoever takes part in one of the ways in which a step comes about.
            let mut expected: BTreeMap<(String, Vec<u32>), PartSet> = BTreeMap::new();
            for (action, moves) in by_definition(toy, &tree, &state) {
                let mut texts: Vec<String> = action
                    .iter()
                    .map(|(name, id)| format!("n{}({})", name.0, toy.arguments.get(id.0)[0]))
                    .collect();
                texts.sort();
                let mut text = texts.join("|");
                if text.is_empty() {
                    text = "tau".into();
                }
                let mut target = state.clone();
                let mut parts = PartSet::default();
                for (component, local) in moves {
                    target[component as usize] = local;
                    parts.insert(component as usize);
                }
                expected.entry((text, target)).or_default().extend(&parts);
            }
            assert_eq!(found, expected, "seed {seed}: {tree:?} in {state:?}");
        }
    }
}

/// Some names communicate in pairs, a few in threes.
pub(crate) fn usual_network(dice: &mut Dice, components: u32) -> Tree {
    let parts = (0..components).map(|number| Tree::Component(ComponentId(number)));
    let from = |names: &[u32]| names.iter().map(|name| Name(*name)).collect();
    let mut communications = vec![
        Communication {
            from: from(&[0, 1]),
            to: Name(5),
        },
        Communication {
            from: from(&[2, 2]),
            to: Name(2),
        },
    ];
    let mut allowed = BTreeSet::from([vec![Name(5)], vec![Name(2)], vec![Name(4)]]);
    if dice.below(3) == 0 {
        communications.push(Communication {
            from: from(&[3, 3, 4]),
            to: Name(3),
        });
        allowed.insert(vec![Name(3)]);
    }
    let parallel = Tree::Parallel(parts.collect());
    let together = Tree::Apply(Operator::Comm(communications), Box::new(parallel));
    Tree::Apply(Operator::Allow(allowed), Box::new(together))
}

/// Labels, targets, and who takes part.
type Listed = Vec<(LabelId, Vec<u32>, Option<PartSet>)>;

/// The steps of a state in order, each with the fingerprint that it should have.
fn listed(network: &Network<Toy>, state: &[u32], list: impl FnOnce(&mut Steps)) -> Listed {
    let mut steps = Steps::new(network.width());
    steps.want_fingerprints(true);
    steps.want_parts(true);
    list(&mut steps);
    let mut prints = Vec::new();
    network.fingerprint_all(&steps, &mut prints);
    let owned = |(number, (label, target)): (usize, (LabelId, &[u32]))| {
        assert_eq!(prints[number], network.fingerprint(target), "{state:?}");
        (label, target.to_vec(), steps.parts(number))
    };
    steps.iter().enumerate().map(owned).collect()
}

#[test]
fn steps_are_those_of_the_general_join_in_an_order_that_memory_does_not_change() {
    let mut steps = 0;
    for seed in 0..1000 {
        let dice = &mut Dice::new(seed);
        let locals = 2 + dice.below(6) as u32;
        let mut toy = Toy::random(dice, locals);
        toy.ordinary = VALUES - dice.below(2) as u32;
        let components = 2 + dice.below(5) as u32;
        let network = network(toy, usual_network(dice, components), components);
        for part in network.parts.iter().filter(|_| seed % 2 == 0) {
            if dice.below(2) == 0 {
                part.forget();
            }
        }
        let mut scratch = Scratch::new(&network);
        for _ in 0..20 {
            let words: Vec<u32> = (0..components)
                .map(|component| {
                    let local = LocalId(dice.below(u64::from(locals)) as u32);
                    network.memory.word(ComponentId(component), local)
                })
                .collect();
            let mut found = listed(&network, &words, |steps| {
                expand(&network, &mut scratch, &words, steps).expect("toys never fail");
            });
            let anew = listed(&network, &words, |steps| {
                let scratch = &mut Scratch::new(&network);
                expand(&network, scratch, &words, steps).expect("toys never fail");
            });
            assert_eq!(found, anew, "seed {seed} in {words:?}");
            let mut joined = listed(&network, &words, |steps| {
                let mut marks = Marks::default();
                let print = network.fingerprint(&words);
                let emission = &mut Emission::new(&words, print, steps, &mut marks, u64::MAX);
                combine(&network, &words, emission).expect("toys never fail");
            });
            steps += found.len();
            for list in [&mut found, &mut joined] {
                list.sort_by(|one, other| (one.0, &one.1).cmp(&(other.0, &other.1)));
            }
            assert_eq!(found, joined, "seed {seed} in {words:?}");
        }
    }
    assert!(steps > 20_000, "only {steps} steps were listed");
}
