//! Random networks: a subsystem has every change that the network makes.

use crate::product_tests::{Toy, network_from, random_operator, random_tree, usual_network};
use crate::tree::Tree;
use crate::{LocalId, Network};
use sortie_model::{Dice, Fingerprint, LocalStates, Model, Selection, Steps};
use std::collections::{HashMap, HashSet, VecDeque};

/// All states that can be reached, with their steps.
pub(crate) fn explored<M: Model>(model: &M) -> Vec<(Vec<u32>, Vec<Vec<u32>>)> {
    let mut start = Vec::new();
    model.initial(&mut start).expect("toys never fail");
    let mut seen = HashSet::from([start.clone()]);
    let mut queue = VecDeque::from([start]);
    let mut all = Vec::new();
    while let Some(state) = queue.pop_front() {
        let mut steps = Steps::new(model.width());
        model.expand(&state, &mut steps).expect("toys never fail");
        let targets: Vec<Vec<u32>> = steps.iter().map(|(_, target)| target.to_vec()).collect();
        for target in &targets {
            if seen.insert(target.clone()) {
                queue.push_back(target.clone());
            }
        }
        all.push((state, targets));
    }
    all
}

/// Returns how many changes of the selected components were found in the network; none if the subsystem is refused.
fn check(
    network: &Network<Toy>,
    components: &[usize],
    max_states: usize,
    what: &str,
) -> Option<usize> {
    let selection = Selection {
        components,
        domains: &[],
        max_states,
        stop: None,
    };
    let found = network.subsystem(&selection).ok()?;
    let states: HashMap<Fingerprint, usize> = (0..)
        .zip(&found.states)
        .map(|(n, s)| (s.print, n))
        .collect();
    assert_eq!(states.len(), found.states.len(), "{what}");
    let mut changes = HashSet::new();
    for (number, (state, targets)) in explored(network).into_iter().enumerate() {
        let print = network.project(components, &state);
        let from = states.get(&print).copied();
        assert!(from.is_some(), "{what}: a state is missing");
        if number == 0 {
            assert_eq!(from, Some(0), "{what}");
        }
        let from = from.unwrap_or(0);
        for target in targets {
            let to = network.project(components, &target);
            if to == print {
                continue;
            }
            let steps = &found.states[from].steps;
            let is_there = steps
                .iter()
                .any(|step| found.states[step.target].print == to);
            assert!(
                is_there,
                "{what}: a step from {} is missing",
                found.states[from].text
            );
            changes.insert((print, to));
        }
    }
    Some(changes.len())
}

fn subsets(dice: &mut Dice, components: u32) -> Vec<Vec<usize>> {
    let count = components as usize;
    let mut all: Vec<Vec<usize>> = (0..count).map(|one| vec![one]).collect();
    for one in 0..count {
        all.extend((one + 1..count).map(|other| vec![one, other]));
    }
    all.push((0..count).filter(|_| dice.below(2) == 0).collect());
    all.push((0..count).collect());
    all.retain(|subset| !subset.is_empty());
    all
}

pub(crate) fn random_network(seed: u64, dice: &mut Dice) -> Network<Toy> {
    let locals = 3 + dice.below(4) as u32;
    let mut toy = Toy::random(dice, locals);
    toy.terminates = seed.is_multiple_of(3);
    toy.says_alphabet = dice.below(4) > 0;
    if seed.is_multiple_of(5) {
        toy.random = locals - 1;
    }
    let tree = random_shape(seed, dice);
    let starts = tree
        .components()
        .into_iter()
        .map(|_| LocalId(dice.below(u64::from(locals)) as u32));
    network_from(starts.collect(), toy, tree)
}

pub(crate) fn random_shape(seed: u64, dice: &mut Dice) -> Tree {
    let mut components = 0;
    let mut tree = random_tree(dice, &mut components, 3);
    if seed.is_multiple_of(2) || components > 4 {
        components = 2 + dice.below(3) as u32;
        tree = usual_network(dice, components);
    }
    for _ in 0..dice.below(4) * (seed % 2) {
        tree = Tree::Apply(random_operator(dice), Box::new(tree));
    }
    tree
}

#[test]
fn subsystems_of_random_networks_have_all_changes() {
    let mut changes = 0;
    for seed in 0..1500 {
        let dice = &mut Dice::new(seed);
        let network = random_network(seed, dice);
        for subset in subsets(dice, network.width() as u32) {
            let what = format!("seed {seed}, {subset:?}");
            let found = check(&network, &subset, 1 << 16, &what);
            changes += found.unwrap_or_else(|| panic!("{what} is refused"));
        }
    }
    assert!(changes > 10_000, "only {changes} changes were looked at");
}

/// Components that have more local states than allowed may do anything.
#[test]
fn subsystems_among_components_that_are_too_large_have_all_changes() {
    let (mut changes, mut refused) = (0, 0);
    for seed in 0..4000 {
        let dice = &mut Dice::new(seed);
        let network = random_network(seed, dice);
        for subset in subsets(dice, network.width() as u32) {
            let max_states = 2 + dice.below(3) as usize;
            match check(
                &network,
                &subset,
                max_states,
                &format!("seed {seed}, {subset:?}"),
            ) {
                Some(found) => changes += found,
                None => refused += 1,
            }
        }
    }
    assert!(
        changes > 10_000 && refused > 100,
        "{changes} changes, {refused} refused"
    );
}
