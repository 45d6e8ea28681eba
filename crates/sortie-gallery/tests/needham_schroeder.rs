//! The protocol, its attack, and what mends it.

use sortie_model::{Dice, Model, Silent, Steps, Verdict};
use sortie_property::{Action, Property};
use sortie_search::{Hunt, Outcome, strategy};
use std::collections::{BTreeSet, HashMap};

fn model(settings: &[(&str, u64)]) -> Box<dyn Model> {
    let settings: Vec<_> = settings.iter().map(|&(n, v)| (n.into(), v)).collect();
    sortie_gallery::build("needham_schroeder", &settings).unwrap()
}

fn first_attack(settings: &[(&str, u64)]) -> Outcome {
    let model = model(settings);
    let wanted: Vec<Box<dyn Property>> = vec![Box::new(Action::matching("attack").unwrap())];
    let hunt = Hunt::new(&*model, &wanted, &Silent);
    strategy("bfs").unwrap().hunt(&hunt).unwrap()
}

fn check_shortest(settings: &[(&str, u64)], steps: usize) {
    let outcome = first_attack(settings);
    assert_eq!(outcome.verdict, Verdict::Found, "{settings:?}");
    assert_eq!(outcome.found[0].trace.len(), steps, "{settings:?}");
}

/// Follows labels, each of which must be possible; returns the state at the end.
fn follow(model: &dyn Model, labels: &[&str]) -> Vec<u32> {
    let mut state = Vec::new();
    model.initial(&mut state).unwrap();
    let mut steps = Steps::new(model.width());
    for (place, label) in labels.iter().enumerate() {
        steps.clear();
        model.expand(&state, &mut steps).unwrap();
        let offered: Vec<String> = steps.labels().iter().map(|&l| model.label(l)).collect();
        let index = offered.iter().position(|text| text == label);
        let index =
            index.unwrap_or_else(|| panic!("step {}: {label} not in {offered:?}", place + 1));
        state.copy_from_slice(steps.target(index));
    }
    state
}

/// With the key server, in the order in which Lowe tells it.
const LOWES_ATTACK: [&str; 42] = [
    "choose_partner(carol)",
    "send(alice, server, msg(alice, carol, none, plain))",
    "take(alice, server, msg(alice, carol, none, plain))",
    "exchanged(alice, server, msg(alice, carol, none, plain))",
    "send(server, alice, msg(kc, carol, none, ks))",
    "take(server, alice, msg(kc, carol, none, ks))",
    "exchanged(server, alice, msg(kc, carol, none, ks))",
    "send(alice, carol, msg(na1, alice, none, kc))",
    "exchanged(alice, carol, msg(na1, alice, none, kc))",
    "choose_recipient(bob)",
    "choose_sender(alice)",
    "choose_field1(na1)",
    "choose_field2(alice)",
    "choose_key(kb)",
    "send(alice, bob, msg(na1, alice, none, kb))",
    "take(alice, bob, msg(na1, alice, none, kb))",
    "exchanged(alice, bob, msg(na1, alice, none, kb))",
    "send(bob, server, msg(bob, alice, none, plain))",
    "take(bob, server, msg(bob, alice, none, plain))",
    "exchanged(bob, server, msg(bob, alice, none, plain))",
    "send(server, bob, msg(ka, alice, none, ks))",
    "take(server, bob, msg(ka, alice, none, ks))",
    "exchanged(server, bob, msg(ka, alice, none, ks))",
    "send(bob, alice, msg(na1, nb1, none, ka))",
    "intercept(bob, alice, msg(na1, nb1, none, ka))",
    "choose_recipient(alice)",
    "choose_sender(carol)",
    "choose_way(pass_on)",
    "send(carol, alice, msg(na1, nb1, none, ka))",
    "take(carol, alice, msg(na1, nb1, none, ka))",
    "exchanged(carol, alice, msg(na1, nb1, none, ka))",
    "send(alice, carol, msg(nb1, none, none, kc))",
    "exchanged(alice, carol, msg(nb1, none, none, kc))",
    "choose_recipient(bob)",
    "choose_sender(alice)",
    "choose_field1(nb1)",
    "choose_field2(none)",
    "choose_key(kb)",
    "send(alice, bob, msg(nb1, none, none, kb))",
    "take(alice, bob, msg(nb1, none, none, kb))",
    "exchanged(alice, bob, msg(nb1, none, none, kb))",
    "attack",
];

#[test]
fn lowes_attack_is_a_path() {
    for sessions in [1, 2, 3] {
        follow(&*model(&[("sessions", sessions)]), &LOWES_ATTACK);
    }
    follow(&*model(&[("sessions", 1), ("orderly", 1)]), &LOWES_ATTACK);
    let exchanged = |label: &&&str| label.starts_with("exchanged");
    assert_eq!(LOWES_ATTACK.iter().filter(exchanged).count(), 9);
}

#[test]
fn hard_wired_messages_leave_no_choice() {
    for (fixed, end) in [(0, 0), (1, 9), (2, 17), (3, 25), (4, 31), (5, 33), (6, 41)] {
        let model = model(&[("fixed", fixed)]);
        let mut steps = Steps::new(model.width());
        for place in 0..end {
            steps.clear();
            let state = follow(&*model, &LOWES_ATTACK[..place]);
            model.expand(&state, &mut steps).unwrap();
            assert_eq!(steps.len(), 1, "{fixed} messages, step {}", place + 1);
        }
        steps.clear();
        let state = follow(&*model, &LOWES_ATTACK[..end]);
        model.expand(&state, &mut steps).unwrap();
        assert!(steps.len() > 1, "{fixed} messages");
        follow(&*model, &LOWES_ATTACK);
    }
}

/// Lowe's attack with the name in it goes as far as Bob's answer, which Alice refuses.
#[test]
fn a_named_answer_is_refused() {
    let model = model(&[("named", 1), ("fixed", 3)]);
    let mut labels: Vec<&str> = LOWES_ATTACK[..13].to_vec();
    labels.push("choose_field3(none)");
    labels.extend(&LOWES_ATTACK[13..23]);
    labels.extend([
        "send(bob, alice, msg(na1, nb1, bob, ka))",
        "intercept(bob, alice, msg(na1, nb1, bob, ka))",
        "choose_recipient(alice)",
        "choose_sender(carol)",
        "choose_way(pass_on)",
        "send(carol, alice, msg(na1, nb1, bob, ka))",
        "take(carol, alice, msg(na1, nb1, bob, ka))",
        "rejected(carol, alice, msg(na1, nb1, bob, ka))",
    ]);
    follow(&*model, &labels);
}

/// Carol needs three messages for it, and one message at a time.
#[test]
fn no_attack_is_shorter() {
    for fixed in [0, 1, 2, 3] {
        check_shortest(&[("messages", 3), ("orderly", 1), ("fixed", fixed)], 42);
    }
    check_shortest(&[("messages", 3), ("fixed", 4)], 42);
    check_shortest(&[("sessions", 2), ("fixed", 5)], 42);
    let settings = [("messages", 2), ("orderly", 1), ("fixed", 2)];
    assert_eq!(first_attack(&settings).verdict, Verdict::Exhausted);
}

/// Everything that Carol can do with the messages that the attack needs, after none or two of its own.
#[test]
fn a_name_in_the_answer_prevents_the_attack() {
    for (fixed, states) in [(0, 1_345_056), (2, 123_862)] {
        let settings = [
            ("messages", 3),
            ("orderly", 1),
            ("fixed", fixed),
            ("named", 1),
        ];
        let outcome = first_attack(&settings);
        assert_eq!(outcome.verdict, Verdict::Exhausted);
        assert_eq!(outcome.counts.visited, states);
    }
}

/// The most messages that can be exchanged without an attack, by the longest paths of an acyclic state space.
#[test]
fn messages_cannot_be_collected_for_ever() {
    assert_eq!(
        most_messages(&[("messages", 3), ("orderly", 1), ("fixed", 1)]),
        10
    );
    assert_eq!(most_messages(&[("messages", 3), ("fixed", 5)]), 9);
    // Nobody helps Alice and Bob, and nobody hinders them.
    assert_eq!(most_messages(&[("messages", 1), ("orderly", 1)]), 7);
}

fn most_messages(settings: &[(&str, u64)]) -> u64 {
    let model = model(settings);
    let mut start = Vec::new();
    model.initial(&mut start).unwrap();
    let mut most = HashMap::new();
    most_after(&*model, &start, &mut most)
}

fn most_after(model: &dyn Model, state: &[u32], most: &mut HashMap<Vec<u32>, u64>) -> u64 {
    if let Some(&known) = most.get(state) {
        return known;
    }
    let mut steps = Steps::new(model.width());
    model.expand(state, &mut steps).unwrap();
    let mut best = 0;
    for (label, target) in steps.iter() {
        let text = model.label(label);
        if text != "attack" {
            let exchanged = u64::from(text.starts_with("exchanged"));
            best = best.max(exchanged + most_after(model, target, most));
        }
    }
    most.insert(state.to_vec(), best);
    best
}

#[test]
fn walks_show_every_kind_of_step() {
    let mut kinds = BTreeSet::new();
    let mut dice = Dice::new(1);
    for sessions in [1, 2] {
        let model = model(&[("named", 1), ("sessions", sessions)]);
        let mut steps = Steps::new(model.width());
        for _ in 0..300 {
            let mut state = Vec::new();
            model.initial(&mut state).unwrap();
            for _ in 0..110 {
                steps.clear();
                model.expand(&state, &mut steps).unwrap();
                for &label in steps.labels() {
                    let text = model.label(label);
                    kinds.insert(text.split('(').next().unwrap_or_default().to_owned());
                }
                state.copy_from_slice(steps.target(dice.index(steps.len())));
            }
        }
    }
    let wanted = "break_off choose_field1 choose_field2 choose_field3 choose_key choose_partner choose_recipient \
                  choose_sender choose_way exchanged intercept rejected send sure take";
    assert_eq!(kinds.into_iter().collect::<Vec<_>>().join(" "), wanted);
}
