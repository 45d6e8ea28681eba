//! Random networks: a subsystem has every change that the network makes.

use crate::product_tests::{Toy, network_from, random_operator, random_tree, usual_network};
use crate::tree::Tree;
use crate::{LocalId, Network};
use sortie_model::{Composed, Dice, Fingerprint, Model, Selection, Steps};
use std::collections::{HashMap, HashSet, VecDeque};

fn selection(components: &[usize]) -> Selection<'_> {
    Selection {
        components,
        domains: &[],
        max_states: 1 << 16,
    }
}

/// All states that can be reached, with their steps.
fn explored<M: Model>(model: &M) -> Vec<(Vec<u32>, Vec<Vec<u32>>)> {
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

/// Returns how many changes of the selected components were found in the network.
fn check(network: &Network<Toy>, components: &[usize], what: &str) -> usize {
    let found = network
        .subsystem(&selection(components))
        .expect("toys are finite");
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
    changes.len()
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

#[test]
fn subsystems_of_random_networks_have_all_changes() {
    let mut changes = 0;
    for seed in 0..1500 {
        let dice = &mut Dice::new(seed);
        let locals = 3 + dice.below(4) as u32;
        let mut toy = Toy::random(dice, locals);
        toy.terminates = seed % 3 == 0;
        if seed % 5 == 0 {
            toy.random = locals - 1;
        }
        let mut components = 0;
        let mut tree = random_tree(dice, &mut components, 3);
        if seed % 2 == 0 {
            components = 2 + dice.below(3) as u32;
            tree = usual_network(dice, components);
        } else if components > 4 {
            continue;
        } else {
            for _ in 0..dice.below(4) {
                tree = Tree::Apply(random_operator(dice), Box::new(tree));
            }
        }
        let start = LocalId(if seed % 10 < 2 { locals - 1 } else { 0 });
        let network = network_from(start, toy, tree, components);
        for subset in subsets(dice, components) {
            changes += check(&network, &subset, &format!("seed {seed}, {subset:?}"));
        }
    }
    assert!(changes > 10_000, "only {changes} changes were looked at");
}
