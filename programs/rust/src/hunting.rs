//! What every test here does.

use crate::Version;
use sortie_program::{Hunter, Outcome};

/// Searches that find every bug here.
const SEARCHES: [&str; 3] = ["random", "pct", "urw"];

/// So many runs of repaired code.
const RUNS: u64 = 2000;

/// The broken code fails under every search as expected, its schedules replay, and the repaired code does not fail.
pub fn hunt(test: fn(Version), expected: &str) {
    for search in SEARCHES {
        let outcome = look(search, move || test(Version::Broken));
        let Some(found) = &outcome.failure else {
            panic!("{search}: {outcome}");
        };
        assert!(found.message.contains(expected), "{search}: {outcome}");
        assert!(found.replays, "{search}: {outcome}");
        assert_eq!(found.again(100, move || test(Version::Broken)), 100);
        let outcome = look(search, move || test(Version::Repaired));
        assert!(outcome.failure.is_none(), "{search}: {outcome}");
        assert_eq!(outcome.cut, 0, "{search}: {outcome}");
        assert!(outcome.runs == RUNS || outcome.exhausted, "{outcome}");
    }
}

fn look(search: &str, test: impl Fn() + Send + Sync + 'static) -> Outcome {
    Hunter::new()
        .search(search)
        .runs(RUNS)
        .seed(7)
        .steps(10_000)
        .in_process()
        .forgetful()
        .look(test)
}
