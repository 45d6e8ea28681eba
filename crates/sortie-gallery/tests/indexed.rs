//! Models that take steps without listing them take the steps that they list.

use sortie_gallery::GALLERY;
use sortie_model::{Model, Steps};
use std::collections::HashSet;

#[test]
fn steps_taken_by_number_are_those_that_are_listed() {
    let mut compared = 0;
    for entry in GALLERY {
        let mut settings: Vec<_> = entry.small.iter().map(|&(n, v)| (n.into(), v)).collect();
        compare(&*entry.build_with(&settings).unwrap(), &mut compared);
        if entry.parameters.iter().any(|p| p.name == "parity") {
            settings.push(("parity".into(), 1));
            compare(&*entry.build_with(&settings).unwrap(), &mut compared);
        }
    }
    assert!(compared > 1000, "some model is indexed");
}

fn compare(model: &dyn Model, compared: &mut u64) {
    let engines = model.extensions().walk_engines;
    let Some(indexed) = engines.and_then(|engines| engines.indexed()) else {
        return;
    };
    let mut initial = Vec::new();
    model.initial(&mut initial).unwrap();
    let mut seen = HashSet::from([initial.clone()]);
    let mut waiting = vec![initial];
    while let Some(state) = waiting.pop() {
        let mut steps = Steps::new(model.width());
        model.expand(&state, &mut steps).unwrap();
        let mut copy = state.clone();
        let nothing = indexed.advance(&mut copy, &mut |at, enabled| {
            assert_eq!((at, enabled), (&state[..], steps.len()));
            None
        });
        assert_eq!((nothing, &copy), (None, &state));
        for (index, (label, target)) in steps.iter().enumerate() {
            let mut copy = state.clone();
            let taken = indexed.advance(&mut copy, &mut |_, _| Some(index));
            assert_eq!((taken, &copy[..]), (Some(label), target));
            *compared += 1;
            if seen.insert(copy.clone()) {
                waiting.push(copy);
            }
        }
    }
}
