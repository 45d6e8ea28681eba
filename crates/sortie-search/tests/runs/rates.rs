//! How soon searches find known bugs.

use crate::programs;
use crate::simulated::Program;
use sortie_search::runs::{Setup, Trials, run_search};

/// The number of runs until the bug, for each seed; the limit where there was none.
fn runs_until(program: &Program, search: &str, seeds: u64, limit: u64) -> Vec<u64> {
    let walk = || program.walk();
    let until = |seed| {
        let setup = Setup {
            search: run_search(search).unwrap(),
            max_steps: 5000,
            seed,
            ..Setup::new(&walk)
        };
        let mut trials = Trials::new(setup).unwrap();
        trials.go(limit).unwrap();
        trials.counts().first_failed.map_or(limit, |run| run + 1)
    };
    (1..=seeds).map(until).collect()
}

#[test]
#[ignore = "a table to look at"]
fn table() {
    let programs: Vec<(&str, Program)> = vec![
        ("reorder_3", programs::reorder(3)),
        ("reorder_10", programs::reorder(10)),
        ("reorder_20", programs::reorder(20)),
        ("two_stage", programs::two_stage(1)),
        ("two_stage_20", programs::two_stage(20)),
        ("lost_update", programs::lost_update()),
        ("crossed", programs::crossed_locks()),
        ("philosophers_5", programs::philosophers(5)),
        ("spinning", programs::spinning(true)),
        ("spinning hard", programs::spinning(false)),
        ("far_apart", programs::far_apart(50)),
        ("wrong_lock", programs::wrong_lock(3)),
    ];
    let limit = std::env::var("LIMIT").map_or(2000, |n| n.parse().unwrap());
    let seeds = std::env::var("SEEDS").map_or(20, |n| n.parse().unwrap());
    let names: Vec<&str> = std::env::var("SEARCHES").ok().map_or_else(
        || {
            sortie_search::runs::SEARCHES
                .iter()
                .map(|s| s.name)
                .collect()
        },
        |names| names.leak().split(',').collect(),
    );
    println!(
        "{:24} {}",
        "",
        names.iter().map(|n| format!("{n:>12}")).collect::<String>()
    );
    for (name, program) in programs {
        for (name, program) in [
            (name.to_owned(), program.clone()),
            (format!("{name} silent"), program.silent()),
        ] {
            let cells = names.iter().map(|search| {
                let runs = runs_until(&program, search, seeds, limit);
                let found = runs.iter().filter(|n| **n < limit).count();
                let mean = runs.iter().sum::<u64>() / seeds;
                format!("{:>12}", format!("{mean}/{found}"))
            });
            println!("{name:24} {}", cells.collect::<String>());
        }
    }
}
