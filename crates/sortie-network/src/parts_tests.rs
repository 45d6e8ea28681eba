//! Random networks: who takes part, who may ever do so, and walks that leave out what can be exchanged.

#[path = "../../sortie-model/tests/walks/mod.rs"]
mod walks;

use crate::product_tests::{Toy, by_definition, network_from, usual_network};
use crate::subsystem_tests::{explored, random_network, random_shape};
use crate::tree::ComponentId;
use crate::{LocalId, Network};
use sortie_model::{Components, Dice, Model, PartSet, Steps};
use walks::{check_independence, compare};

/// Every combination of offers that can be a step in some state is among partners of each who takes part; returns how many were looked
/// at, and how many partners were named in vain.
fn check_partners(network: &Network<Toy>, what: &str) -> [usize; 2] {
    let components = network.width();
    let mut looked_at = 0;
    let mut met = vec![std::collections::HashMap::<u32, PartSet>::new(); components];
    for (state, targets) in explored(network) {
        let partners = |part: usize| network.partners(&state, part).expect("toys never fail");
        let locals = (0..components as u32).map(|n| network.local(&state, ComponentId(n)));
        let locals: Option<Vec<u32>> = locals.map(|local| local.map(|local| local.0)).collect();
        let Some(locals) = locals else {
            // Before the beginning, and after the end.
            for part in (0..components).filter(|_| !targets.is_empty()) {
                assert_eq!(partners(part), PartSet::first(components), "{what}");
            }
            continue;
        };
        let mut steps: Vec<PartSet> = by_definition(network.processes(), network.tree(), &locals)
            .iter()
            .map(|(_, moves)| moves.keys().map(|component| *component as usize).collect())
            .collect();
        if steps.is_empty() && !targets.is_empty() {
            steps.push(PartSet::first(components));
        }
        for step in &steps {
            for part in step.iter() {
                let partners = partners(part);
                assert!(
                    step.is_within(&partners),
                    "{what}: {step:?} of {partners:?}"
                );
                met[part].entry(state[part]).or_default().extend(step);
                looked_at += 1;
            }
        }
    }
    let mut in_vain = 0;
    for (part, words) in met.iter().enumerate() {
        for (word, met) in words {
            let mut state = vec![0; components];
            state[part] = *word;
            let named = network.partners(&state, part).expect("toys never fail");
            in_vain += named.iter().filter(|other| !met.contains(*other)).count();
        }
    }
    [looked_at, in_vain]
}

#[test]
fn partners_of_random_networks_are_named() {
    let mut sums = [0; 2];
    for seed in 0..1500 {
        let dice = &mut Dice::new(seed);
        let mut network = random_network(seed, dice);
        if seed % 4 == 3 {
            // Components that have more local states may do anything.
            network.partners.limit = 2 + dice.below(3) as usize;
        }
        let found = check_partners(&network, &format!("seed {seed}"));
        sums = [sums[0] + found[0], sums[1] + found[1]];
    }
    println!(
        "{} times somebody took part; {} partners in vain",
        sums[0], sums[1]
    );
    assert!(sums[0] > 100_000, "{sums:?}");
}

/// Where everybody is a component of the outermost row and says one thing at a time, only those are partners who can say it.
#[test]
fn partners_are_told_apart_by_arguments() {
    let (mut named, mut all) = (0, 0);
    for seed in 0..300 {
        let dice = &mut Dice::new(seed);
        let mut toy = Toy::random(dice, 6);
        toy.says_alphabet = true;
        let components = 4;
        let tree = usual_network(dice, components);
        let starts = (0..components).map(|_| LocalId(dice.below(6) as u32));
        let network = network_from(starts.collect(), toy, tree);
        let mut state = Vec::new();
        network.initial(&mut state).expect("toys never fail");
        for part in 0..components as usize {
            let partners = network.partners(&state, part).expect("toys never fail");
            named += partners.iter().count();
            all += components as usize;
        }
    }
    println!("{named} of {all}");
    assert!(named * 3 < all * 2, "{named} of {all}");
}

#[test]
fn steps_without_common_parts_do_not_notice_one_another() {
    let mut pairs = 0;
    for seed in 0..300 {
        let dice = &mut Dice::new(seed);
        let network = random_network(seed, dice);
        let states = explored(&network).into_iter().map(|(state, _)| state);
        let states: Vec<Vec<u32>> = states.take(40).collect();
        pairs += check_independence(&network, &states, &format!("seed {seed}"));
    }
    println!("{pairs} pairs");
    assert!(pairs > 20_000, "only {pairs} pairs");
}

#[test]
fn reduced_walks_end_in_all_deadlocks() {
    let (mut compared, mut with_classes, mut complete, mut redundant, mut all) = (0, 0, 0, 0, 0);
    for seed in 0..400 {
        let dice = &mut Dice::new(seed);
        let locals = 3 + dice.below(3) as u32;
        let mut toy = Toy::random(dice, locals).acyclic(seed % 5 == 0);
        toy.terminates = seed % 3 == 0;
        toy.says_alphabet = dice.below(4) > 0;
        let tree = random_shape(seed, dice);
        let starts = vec![LocalId(0); tree.components().len()];
        let network = network_from(starts, toy, tree);
        let limit = 1 + u64::from(locals + 1) * network.width() as u64;
        let what = format!("seed {seed}");
        let Some(found) = compare(&network, limit, 500, &what) else {
            continue;
        };
        compared += 1;
        with_classes += usize::from(found.classes.is_some());
        if let Some(walks) = found.all {
            complete += found.complete;
            redundant += found.redundant;
            all += walks;
        }
    }
    println!(
        "{compared} networks, {with_classes} with classes; {all} walks, reduced to {complete} and {redundant} that end early"
    );
    assert!(compared > 300 && with_classes > 200);
    assert!((complete + redundant) * 2 < all);
}

/// Networks with more parts than can be shown do not show them, and can still be asked.
#[test]
fn large_networks_do_not_show_their_parts() {
    let dice = &mut Dice::new(1);
    let toy = Toy::random(dice, 4);
    let components = sortie_model::MOST_PARTS as u32 + 1;
    let tree = usual_network(dice, components);
    let network = network_from(vec![LocalId(0); components as usize], toy, tree);
    assert!(network.extensions().participants().is_none());
    let mut state = Vec::new();
    network.initial(&mut state).expect("toys never fail");
    let mut steps = Steps::new(network.width());
    steps.want_parts(true);
    network.expand(&state, &mut steps).expect("toys never fail");
    assert!(!steps.is_empty() && steps.parts(0).is_none());
}
