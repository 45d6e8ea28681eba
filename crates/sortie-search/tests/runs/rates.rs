//! How soon searches find known bugs.

use crate::programs;
use crate::simulated::Program;
use sortie_search::schedulers::{Setup, Trials};
use sortie_search::strategy;

/// The number of runs until the bug, for each seed; none where the limit was reached.
fn runs_until(program: &Program, search: &str, seeds: u64, limit: u64) -> Vec<Option<u64>> {
    let walk = || program.walk();
    let until = |seed| {
        let setup = Setup {
            strategy: strategy(search).unwrap(),
            max_steps: 5000,
            seed,
            ..Setup::new(&walk)
        };
        let mut trials = Trials::new(setup).unwrap();
        trials.go(limit).unwrap();
        trials.counts().first_failed.map(|run| run + 1)
    };
    (1..=seeds).map(until).collect()
}

/// What is known of the expected number of runs allows ten times as many before this fails by chance, about once in 20,000 seeds.
#[test]
fn turns_find_every_bug_soon() {
    let programs = [
        ("reorder 3", programs::reorder(3), 200),
        ("reorder 10", programs::reorder(10), 900),
        ("reorder 20", programs::reorder(20), 1000),
        ("two-stage", programs::two_stage(1), 200),
        ("two-stage 20", programs::two_stage(20), 3000),
        ("lost update", programs::lost_update(), 100),
        ("crossed locks", programs::crossed_locks(), 100),
        ("philosophers", programs::philosophers(5), 300),
        ("spinning", programs::spinning(true), 100),
        ("spinning without a yield", programs::spinning(false), 100),
        ("far apart", programs::far_apart(50), 5000),
        ("wrong lock", programs::wrong_lock(3), 200),
    ];
    for (name, program, limit) in programs {
        for (program, telling) in [(program.clone(), "tells"), (program.silent(), "is silent")] {
            let runs = runs_until(&program, "auto", 8, limit);
            assert!(
                runs.iter().all(Option::is_some),
                "{name}, which {telling}: {runs:?}"
            );
        }
    }
}

/// With ten setters before the checker, a random run comes between two writes and before all others in fewer than one of 10,000 cases.
#[test]
fn selective_walks_find_what_random_ones_do_not() {
    let program = programs::reorder(10);
    let found = |search| {
        runs_until(&program, search, 5, 1000)
            .into_iter()
            .flatten()
            .count()
    };
    assert_eq!(found("surw"), 5);
    assert_eq!(found("random"), 0);
}
