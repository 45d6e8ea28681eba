//! Systems that are written twice, as a specification and as a native model, are strongly bisimilar.

use sortie_lts::{Builder, Lts, bisimilar};
use sortie_model::{Budget, Dice, LabelId, Model, Silent, Steps};
use std::collections::HashMap;
use std::fs;
use std::path::Path;

/// A constant as the native model has it, and as the specification writes it.
type Setting<'a> = (&'a str, u64, &'a str);

/// The specification and the native model.
fn open(file: &str, native: &str, settings: &[Setting]) -> [Box<dyn Model>; 2] {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../models/{file}.mcrl2"));
    let text = fs::read_to_string(path).expect("a readable model");
    let written: Vec<(String, String)> = settings
        .iter()
        .map(|&(name, _, value)| (name.into(), value.into()))
        .collect();
    let numbers: Vec<(String, u64)> = settings
        .iter()
        .map(|&(name, value, _)| (name.into(), value))
        .collect();
    let specification = sortie_mcrl2::open(file, &text, &written);
    let specification = specification.unwrap_or_else(|errors| panic!("{file}: {errors:?}"));
    let native = sortie_gallery::build(native, &numbers).expect("a model of the gallery");
    [Box::new(specification), native]
}

fn state_space(model: &dyn Model) -> Lts {
    let mut builder = Builder::default();
    let mut labels: HashMap<LabelId, LabelId> = HashMap::new();
    let explored = sortie_search::explore(model, &Budget::default(), &Silent, |from, label, to| {
        let label = *labels
            .entry(label)
            .or_insert_with(|| builder.label(&model.label(label)));
        builder.transition(from.0, label, to.0);
    });
    let explored = explored.expect("the state space can be explored");
    builder.build("model", 0, explored.states as u32)
}

/// States, transitions and deadlocks.
fn sizes(lts: &Lts) -> [usize; 3] {
    let states = lts.states();
    let deadlocks = (0..states).filter(|&state| lts.edges(state).is_empty());
    [states as usize, lts.transitions(), deadlocks.count()]
}

fn check(file: &str, native: &str, settings: &[Setting], expected: [usize; 3]) {
    let [written, native] = open(file, native, settings).map(|model| state_space(&*model));
    assert_eq!(sizes(&native), expected, "{file} {settings:?}");
    assert_eq!(sizes(&written), expected, "{file} {settings:?}");
    assert!(bisimilar(&written, &native), "{file} {settings:?}");
}

/// The numbers are those of an enumeration written independently, with forks and program counters.
#[test]
fn tossing_philosophers() {
    for (n, expected) in [
        (2, [[37, 72, 2], [25, 52, 1]]),
        (3, [[233, 678, 2], [109, 346, 1]]),
        (4, [[1_441, 5_592, 2], [673, 2_782, 1]]),
    ] {
        for ((parity, written), expected) in [(0, "false"), (1, "true")].into_iter().zip(expected) {
            let settings = [("n", n, &*n.to_string()), ("parity", parity, written)];
            let name = "tossing_philosophers";
            check(name, name, &settings, expected);
        }
    }
}

const AUTHENTICATION: [&str; 2] = ["needham_schroeder_server", "needham_schroeder"];

#[test]
fn needham_schroeder_with_few_messages_of_the_intruder() {
    let [file, native] = AUTHENTICATION;
    let (one, two) = (("messages", 1, "1"), ("messages", 2, "2"));
    let (fixed, named) = (("fixed", 2, "2"), ("named", 1, "true"));
    check(file, native, &[one], [29_091, 60_859, 20]);
    check(file, native, &[two, fixed], [12_878, 26_292, 5]);
    check(file, native, &[two, fixed, named], [51_636, 105_551, 4]);
}

/// Walks both with the same labels, which are all different in every state.
fn walk_together(settings: &[Setting], seed: u64) {
    let [file, native] = AUTHENTICATION;
    let models = open(file, native, settings);
    let mut dice = Dice::new(seed);
    for walk in 0..200 {
        let mut states = models.each_ref().map(|model| {
            let mut state = Vec::new();
            model.initial(&mut state).expect("an initial state");
            state
        });
        for step in 0..110 {
            let offered: [Vec<(String, Vec<u32>)>; 2] = std::array::from_fn(|which| {
                let model = &models[which];
                let mut steps = Steps::new(model.width());
                let expanded = model.expand(&states[which], &mut steps);
                expanded.expect("a state can be expanded");
                let mut offered: Vec<_> = steps
                    .iter()
                    .map(|(label, target)| (model.label(label), target.to_vec()))
                    .collect();
                offered.sort();
                offered
            });
            let labels = offered
                .each_ref()
                .map(|steps| steps.iter().map(|(label, _)| label).collect::<Vec<_>>());
            let at = format!("{settings:?}, seed {seed}, walk {walk}, step {step}");
            assert_eq!(labels[0], labels[1], "{at}");
            assert!(labels[0].windows(2).all(|two| two[0] != two[1]), "{at}");
            if labels[0].is_empty() {
                break;
            }
            let taken = dice.index(labels[0].len());
            states = offered.map(|mut steps| steps.swap_remove(taken).1);
        }
    }
}

#[test]
fn needham_schroeder_with_any_number_of_messages() {
    let named = ("named", 1, "true");
    let fixed = ("fixed", 2, "2");
    for (number, text) in [(1, "1"), (2, "2"), (3, "3")] {
        let sessions = ("sessions", number, text);
        walk_together(&[sessions], 1);
        walk_together(&[sessions, fixed], 2);
        walk_together(&[sessions, named], 3);
        walk_together(&[sessions, named, fixed], 4);
    }
}
