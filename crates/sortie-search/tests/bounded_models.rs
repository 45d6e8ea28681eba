//! Breadth-bounded slices of the models of the paper, against its figures.

#[path = "../../sortie-mcrl2/tests/public/mod.rs"]
mod public;

use sortie_mcrl2::Mcrl2Model;
use sortie_model::{Budget, Model, Silent};
use sortie_search::level_choice::Method;
use sortie_search::{Bounded, BoundedSettings, breadth_bounded, breadth_first_slice};

fn open(name: &str) -> Option<Mcrl2Model> {
    let file = public::folder()?.join("instances").join(name);
    let text = std::fs::read_to_string(&file).expect("the instance can be read");
    Some(sortie_mcrl2::open(name, &text, &[]).unwrap_or_else(|error| panic!("{name}: {error:?}")))
}

fn slice(model: &dyn Model, settings: &BoundedSettings, seed: u64) -> Bounded {
    breadth_bounded(model, settings, seed, &Budget::default(), &Silent).expect("a good model")
}

/// The paper's table of levels and states; transitions from its fanouts.
#[test]
fn wide_slices_are_the_whole_protocol() {
    for (name, levels, sizes) in [
        (
            "abp",
            20,
            [(2, 74, 92), (4, 146, 184), (8, 290, 368), (16, 578, 736)],
        ),
        (
            "cabp",
            26,
            [
                (2, 464, 1632),
                (4, 1040, 3808),
                (8, 2576, 9888),
                (16, 7184, 28960),
            ],
        ),
    ] {
        for (messages, states, transitions) in sizes {
            let Some(model) = open(&format!("{name}_M{messages}.mcrl2")) else {
                return;
            };
            let bounded = slice(&model, &BoundedSettings::new(100_000), 1);
            let size = (bounded.slice.states(), bounded.slice.transitions());
            assert_eq!(
                size,
                (states, transitions),
                "{name} with {messages} messages"
            );
            assert_eq!((bounded.levels(), bounded.whole), (levels, true));
            assert_eq!(bounded.draws.by(Method::Everything), levels as u64 - 1);
            let all = breadth_first_slice(&model, u64::MAX, &Budget::default());
            let (all, _) = all.expect("a good model");
            assert_eq!((all.states(), all.transitions()), size);
        }
    }
}

/// German's protocol with three clients at N = 1: the paper has roughly 70 states on average over 100 runs, a re-run 69. The
/// standard deviation of a run is about 40, that of a mean of 100 runs 4, of which the bounds are four away.
#[test]
fn narrow_slices_are_as_large_as_in_the_paper() {
    let Some(model) = open("german_3.mcrl2") else {
        return;
    };
    let exact = BoundedSettings {
        exact: true,
        ..BoundedSettings::new(1)
    };
    let sizes: Vec<f64> = (0..100)
        .map(|seed| f64::from(slice(&model, &exact, seed).slice.states()))
        .collect();
    let mean = sizes.iter().sum::<f64>() / 100.0;
    let variance = sizes.iter().map(|size| (size - mean).powi(2)).sum::<f64>() / 99.0;
    println!("mean {mean:.1}, standard deviation {:.1}", variance.sqrt());
    assert!((mean - 69.0).abs() < 16.0, "{mean}");
}

/// Lift with graceful degradation: sizes stay below depth times width, the paper's estimate, and grow with both.
#[test]
fn degradation_keeps_slices_small() {
    let Some(model) = open("lift_init_3.mcrl2") else {
        return;
    };
    let mean = |width, degrade| {
        let settings = BoundedSettings {
            degrade: Some(degrade),
            ..BoundedSettings::new(width)
        };
        let sizes = (0..20).map(|seed| u64::from(slice(&model, &settings, seed).slice.states()));
        sizes.sum::<u64>() / 20
    };
    let sizes = [mean(10, 20), mean(25, 20), mean(25, 60)];
    println!("{sizes:?}");
    assert!(
        sizes[0] < 200 && sizes[1] < 500 && sizes[2] < 1500,
        "{sizes:?}"
    );
    assert!(sizes.is_sorted(), "{sizes:?}");
}
