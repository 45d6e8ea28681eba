//! Systems that are written twice, as a specification and as a native model, are strongly bisimilar.

use sortie_lts::{Builder, Lts, bisimilar};
use sortie_model::{Budget, LabelId, Model, Silent};
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
