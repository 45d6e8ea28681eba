//! What every test here does.

use crate::Version;
use sortie_programs::rust::{Hunter, Outcome};

/// Searches that find every bug here, with an option.
const SEARCHES: [(&str, Option<(&str, u64)>); 10] = [
    ("auto", None),
    ("random", None),
    ("pct", None),
    ("pct", Some(("changes", 1))),
    ("pos", None),
    ("urw", None),
    ("surw", None),
    ("genetic", None),
    ("archive", None),
    ("exhaustive", Some(("preemptions", 2))),
];

/// So many runs of repaired code.
const RUNS: u64 = 2000;

/// The broken code fails under every search as expected, its schedules replay, and the repaired code does not fail.
pub fn hunt(test: fn(Version), expected: &str) {
    for search in SEARCHES.iter() {
        let outcome = look(search, move || test(Version::Broken));
        let Some(found) = &outcome.failure else {
            panic!("{search:?}: {outcome}");
        };
        assert!(found.message.contains(expected), "{search:?}: {outcome}");
        assert!(found.replays, "{search:?}: {outcome}");
        assert_eq!(found.again(100, move || test(Version::Broken)), 100);
        let outcome = look(search, move || test(Version::Repaired));
        assert!(outcome.failure.is_none(), "{search:?}: {outcome}");
        assert_eq!(outcome.cut, 0, "{search:?}: {outcome}");
        let is_bounded = outcome.unseen.contains("preemptions");
        assert!(
            outcome.runs == RUNS || outcome.exhausted || is_bounded,
            "{outcome}"
        );
    }
}

fn look(
    (search, option): &(&str, Option<(&str, u64)>),
    test: impl Fn() + Send + Sync + 'static,
) -> Outcome {
    let hunter = Hunter::new()
        .search(*search)
        .runs(RUNS)
        .seed(7)
        .steps(10_000)
        .in_process()
        .forgetful();
    match option {
        Some((name, value)) => hunter.option(*name, value).look(test),
        None => hunter.look(test),
    }
}
