//! Models that show their parts: who takes part in which step, and walks that leave out what can be exchanged.

#[path = "../../sortie-model/tests/walks/mod.rs"]
mod walks;

use sortie_model::{Dice, Model};
use std::collections::BTreeSet;
use walks::{
    Space, all_walks, check_independence, check_partners, first_states, reduced_deadlocks,
};

fn build(name: &str, settings: &[(&str, u64)]) -> Box<dyn Model> {
    let settings: Vec<_> = settings.iter().map(|&(n, v)| (n.into(), v)).collect();
    sortie_gallery::build(name, &settings).expect("it is in the gallery")
}

#[test]
fn steps_without_common_parts_do_not_notice_one_another() {
    for (name, settings) in [
        ("philosophers", &[("n", 2)][..]),
        ("philosophers", &[("n", 5)]),
        ("philosophers", &[("n", 42)]),
        ("tossing_philosophers", &[("n", 2)]),
        ("tossing_philosophers", &[("n", 5)]),
        ("tossing_philosophers", &[("n", 4), ("parity", 1)]),
        ("tossing_philosophers", &[("n", 32)]),
    ] {
        let model = build(name, settings);
        let what = format!("{name} {settings:?}");
        let states = first_states(&*model, 300);
        assert!(check_independence(&*model, &states, &what) > 0, "{what}");
        let always = |_: &[u32], _: &[u32], _: usize| true;
        let [took_part, named] =
            check_partners(&*model, &mut Dice::new(1), (20, 300), always, &what);
        assert!(took_part > 50, "{what}: {took_part}");
        // A philosopher has one partner at most, and a fork three.
        assert!(named <= 3 * took_part, "{what}: {named} of {took_part}");
        let names = model
            .extensions()
            .participants()
            .expect("it shows its components")
            .component_names();
        assert_eq!(BTreeSet::from_iter(&names).len(), names.len());
        assert_eq!(names.len() as u64, 2 * settings[0].1);
    }
}

/// Every deadlock is found after as many steps as it takes without reduction.
#[test]
fn reduced_walks_find_the_deadlocks() {
    for (name, n, deadlocks, steps) in [
        ("philosophers", 3, 1, 3),
        ("philosophers", 5, 1, 5),
        ("tossing_philosophers", 2, 2, 4),
        ("tossing_philosophers", 3, 2, 6),
        ("tossing_philosophers", 4, 2, 8),
    ] {
        let model = build(name, &[("n", n)]);
        let space = Space::explore(&*model, steps, 100_000).expect("it is small");
        assert_eq!(space.deadlocks.len(), deadlocks, "{name} {n}");
        let (found, _) = reduced_deadlocks(&*model, steps + 1, 1_000_000);
        assert!(found.iter().eq(space.deadlocks.keys()), "{name} {n}");
        let (found, _) = reduced_deadlocks(&*model, steps, 1_000_000);
        assert!(found.is_empty(), "{name} {n}");
    }
}

/// Walks of so many steps, with and without reduction.
#[test]
fn reduced_walks_are_few() {
    for (name, n, limit, all, reduced) in [
        ("philosophers", 3, 6, 45, 10),
        ("philosophers", 4, 8, 1_972, 34),
        ("philosophers", 5, 8, 13_470, 53),
        ("tossing_philosophers", 2, 12, 3_492, 74),
        ("tossing_philosophers", 3, 8, 13_326, 56),
        ("tossing_philosophers", 4, 7, 117_688, 109),
    ] {
        let model = build(name, &[("n", n)]);
        let count = |reduced| all_walks(&*model, reduced, limit, 1_000_000, |_| {});
        assert_eq!(
            (count(false), count(true)),
            (Some(all), Some(reduced)),
            "{name} {n}"
        );
    }
}
