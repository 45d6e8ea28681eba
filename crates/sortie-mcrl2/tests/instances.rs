//! The state spaces of the papers' models have the sizes that are known for them.

mod public;

use sortie_model::{Model, ModelError, Steps};
use std::collections::HashSet;

/// What a state space looks like from afar.
struct Size {
    states: usize,
    transitions: usize,
    deadlocks: usize,
    labels: usize,
}

fn explore(model: &dyn Model) -> Result<Size, ModelError> {
    let mut first = Vec::new();
    model.initial(&mut first)?;
    let mut seen: HashSet<Vec<u32>> = HashSet::from([first.clone()]);
    let mut waiting = vec![first];
    let mut labels = HashSet::new();
    let mut steps = Steps::new(model.width());
    let (mut transitions, mut deadlocks) = (0, 0);
    while let Some(state) = waiting.pop() {
        steps.clear();
        model.expand(&state, &mut steps)?;
        transitions += steps.len();
        deadlocks += usize::from(steps.is_empty());
        labels.extend(steps.labels().iter().copied());
        for (_, target) in steps.iter() {
            if seen.insert(target.to_vec()) {
                waiting.push(target.to_vec());
            }
        }
    }
    Ok(Size {
        states: seen.len(),
        transitions,
        deadlocks,
        labels: labels.len(),
    })
}

fn count(name: &str) -> Option<[usize; 3]> {
    let file = public::folder()?.join("instances").join(name);
    let text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let model = sortie_mcrl2::open(name, &text, &[]).unwrap_or_else(|e| panic!("{name}: {e:?}"));
    let size = explore(&model).unwrap_or_else(|error| panic!("{error}"));
    Some([size.states, size.transitions, size.deadlocks])
}

/// States, transitions and deadlocks.
fn check(name: &str, expected: [usize; 3]) {
    if let Some(found) = count(name) {
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn alternating_bit_protocols() {
    for (size, states) in [(2, 74), (4, 146), (8, 290), (16, 578)] {
        check(&format!("abp_M{size}.mcrl2"), [states, 46 * size, 0]);
    }
    check("cabp_M2.mcrl2", [464, 1632, 0]);
    check("cabp_M4.mcrl2", [1040, 3808, 0]);
    check("cabp_M8.mcrl2", [2576, 9888, 0]);
    check("cabp_M16.mcrl2", [7184, 28960, 0]);
}

#[test]
fn dining_philosophers_and_cache_coherence() {
    check("dining_5.mcrl2", [392, 1250, 1]);
    check("german_3.mcrl2", [28593, 114_804, 0]);
}

/// 122,373 transitions when equal steps are counted as often as they are found.
#[test]
fn lifting_trucks() {
    check("lift_init_3.mcrl2", [31952, 121_296, 327]);
}

/// Smaller than what is known (29,588 states; 13,050 and 21,357): values that nothing reads any more are dropped, and conditions are
/// evaluated before a state is made.
#[test]
fn smaller_because_dead_values_are_dropped() {
    check("brp_10.mcrl2", [28462, 32826, 0]);
    check("firewire_2_dom1.mcrl2", [12138, 18680, 0]);
}

/// Large enough to take a while without optimisation.
#[test]
fn large_instances() {
    check("dining_10.mcrl2", [154_450, 986_430, 1]);
    check("firewire_2_dom2.mcrl2", [150_784, 248_348, 0]);
}

/// Small public specifications: not fewer states than after minimisation, the same number of labels, a deadlock or none.
#[test]
fn small_public_specifications() {
    let Some(folder) = public::folder() else {
        return;
    };
    let mut compared = 0;
    for row in public::rows(&folder.join("oracle.csv")) {
        let [name, answer, states, _, least, _, labels, deadlock, ..] = row.as_slice() else {
            continue;
        };
        let small = states.parse().is_ok_and(|states: usize| states <= 600);
        let (Ok(least), Ok(labels)) = (least.parse::<usize>(), labels.parse::<usize>()) else {
            continue;
        };
        if answer != "finite" || !small {
            continue;
        }
        let bytes = std::fs::read(folder.join("specs").join(name)).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        let model = match sortie_mcrl2::open(name, &text, &[]) {
            Ok(model) => model,
            Err(errors) if errors[0].message == "time is not supported" => continue,
            Err(errors) => panic!("{name}: {errors:?}"),
        };
        let size = explore(&model).unwrap_or_else(|error| panic!("{error}"));
        assert!(size.states >= least, "{name}: {} states", size.states);
        assert_eq!(size.labels, labels, "{name}: labels");
        assert_eq!(size.deadlocks > 0, deadlock == "yes", "{name}: deadlock");
        compared += 1;
    }
    assert!(
        compared > 50,
        "only {compared} specifications were compared"
    );
}
