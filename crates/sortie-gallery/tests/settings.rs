//! Parameters: checked, and part of the identity.

use sortie_gallery::{GALLERY, build, entry};
use std::collections::HashSet;

fn set(settings: &[(&str, u64)]) -> Vec<(String, u64)> {
    settings.iter().map(|&(n, v)| (n.into(), v)).collect()
}

fn check_error(name: &str, settings: &[(&str, u64)], message: &str) {
    let error = build(name, &set(settings)).err().expect("an error");
    assert_eq!(error.to_string(), message);
}

#[test]
fn errors_say_what_to_do() {
    let error = build("philosopher", &[]).err().expect("an error");
    assert!(
        error.to_string().starts_with(
            "there is no model 'philosopher' in the gallery; choose one of backloops,"
        ),
        "{error}"
    );
    assert!(error.to_string().contains("two_phase_commit"));
    check_error(
        "scc",
        &[("n", 3)],
        "scc has no parameter 'n'; it has components (1 to 10000), size (1 to 10000)",
    );
    check_error(
        "tossing_philosophers",
        &[("n", 33)],
        "n of tossing_philosophers cannot be 33: it must be from 2 to 32 (philosophers and forks)",
    );
    check_error(
        "ring",
        &[("n", 3), ("n", 4)],
        "n of ring is given twice; give it once",
    );
}

#[test]
fn identity_depends_on_name_and_parameters() {
    let mut contents = HashSet::new();
    for entry in GALLERY {
        let base = entry.build_with(&[]).unwrap().identity();
        assert!(contents.insert(base.content.0), "{}", base.name);
        assert!(base.name.starts_with(&format!("{}(", entry.name)));
        for parameter in entry.parameters {
            let other = if parameter.default == parameter.most {
                parameter.least
            } else {
                parameter.default + 1
            };
            let changed = entry
                .build_with(&set(&[(parameter.name, other)]))
                .unwrap()
                .identity();
            assert!(contents.insert(changed.content.0), "{}", changed.name);
            assert!(
                changed
                    .name
                    .contains(&format!("{}={other}", parameter.name))
            );
            let same = entry.build_with(&set(&[(parameter.name, parameter.default)]));
            assert_eq!(same.unwrap().identity(), base);
        }
    }
}

#[test]
fn every_value_within_the_ranges_makes_a_model() {
    for entry in GALLERY {
        for parameter in entry.parameters {
            assert!((parameter.least..=parameter.most).contains(&parameter.default));
            for value in [parameter.least, parameter.most] {
                let model = entry.build_with(&set(&[(parameter.name, value)])).unwrap();
                let mut state = Vec::new();
                model.initial(&mut state).unwrap();
                let mut steps = sortie_model::Steps::new(model.width());
                model.expand(&state, &mut steps).unwrap();
            }
            let outside = [
                parameter.least.checked_sub(1),
                parameter.most.checked_add(1),
            ];
            for value in outside.into_iter().flatten() {
                assert!(entry.build_with(&set(&[(parameter.name, value)])).is_err());
            }
        }
    }
}

#[test]
fn entries_are_found_by_name_and_in_order() {
    assert!(GALLERY.is_sorted_by_key(|entry| entry.name));
    for own in GALLERY {
        assert_eq!(entry(own.name).unwrap().help, own.help);
    }
    assert!(entry("nothing").is_none());
}
