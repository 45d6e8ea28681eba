//! Is the state space of every public specification the one that mCRL2 generates?
//!
//! For every specification with a finite reference ours must be strongly bisimilar to it, against the reference file where
//! there is one and by the sizes after minimisation otherwise. Larger ones than `LARGEST` are left to the benchmarks.

mod compare;
mod labels;
mod oracle;
mod shared_coin;

use compare::{Verdict, check, explored};
use oracle::{Oracle, Row};
use sortie_lts::bisimilar;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Specifications with more states in mCRL2's own state space would make the test take minutes.
const LARGEST: u64 = 40_000;

/// Where we cannot follow mCRL2, or not yet, and why.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("examples/language/time.mcrl2", "time is refused"),
    ("examples/language/upcast.mcrl2", "time is refused"),
    (
        "examples/language/sets_bags.mcrl2",
        "mCRL2 takes b + {:} for different from b where the bag b holds all but finitely many values more than \
         zero times; otherwise the state spaces are bisimilar",
    ),
];

/// The folder with specifications by others, if it is there.
fn shared() -> Option<PathBuf> {
    if let Some(given) = std::env::var_os("SORTIE_SHARED") {
        return Some(PathBuf::from(given).join("mcrl2"));
    }
    let start = Path::new(env!("CARGO_MANIFEST_DIR"));
    start
        .ancestors()
        .map(|folder| folder.join("shared/mcrl2"))
        .find(|folder| folder.is_dir())
}

/// The same, where its absence is told, or forbidden.
fn required() -> Option<PathBuf> {
    let found = shared();
    if found.is_none() {
        assert!(
            std::env::var_os("SORTIE_REQUIRE_ALL").is_none(),
            "the folder shared/mcrl2 is required"
        );
        eprintln!("skipped: there is no folder shared/mcrl2 beside the project");
    }
    found
}

fn compare_one(oracle: &Oracle, row: &Row) -> Verdict {
    let text = match std::fs::read_to_string(oracle.spec(row)) {
        Ok(text) => text,
        Err(error) => return Verdict::Error(error.to_string()),
    };
    let model = match sortie_mcrl2::open(&row.spec, &text, &[]) {
        Ok(model) => model,
        Err(errors) => {
            return Verdict::Error(
                errors
                    .iter()
                    .map(|e| e.message.clone())
                    .collect::<Vec<_>>()
                    .join("; "),
            );
        }
    };
    let minimal = match oracle.minimal(row) {
        Ok(minimal) => minimal,
        Err(error) => return Verdict::Error(error.to_string()),
    };
    check(&model, row, minimal.as_ref()).0
}

#[test]
fn state_spaces_are_those_of_mcrl2() {
    let Some(root) = required() else {
        return;
    };
    let oracle = Oracle::new(root);
    let mut rows = oracle.rows().expect("oracle.csv can be read");
    rows.retain(|row| row.answer == "finite" && row.states.is_none_or(|states| states <= LARGEST));
    // The longest first, so that no thread is left alone with one at the end.
    rows.sort_by_key(|row| std::cmp::Reverse(row.states));
    let excused = |row: &Row| EXCEPTIONS.iter().any(|(spec, _)| *spec == row.spec);
    let (next, failures, agreed) = (
        AtomicUsize::new(0),
        Mutex::new(Vec::new()),
        AtomicUsize::new(0),
    );
    let work = || {
        while let Some(row) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
            if excused(row) {
                continue;
            }
            match compare_one(&oracle, row) {
                Verdict::Agree => drop(agreed.fetch_add(1, Ordering::Relaxed)),
                Verdict::Unchecked => {
                    println!("not compared, the oracle says nothing: {}", row.spec)
                }
                other => failures
                    .lock()
                    .expect("no thread panics here")
                    .push(format!("{}: {other:?}", row.spec)),
            }
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        work();
    });
    let failures = failures.into_inner().expect("no thread panics here");
    assert!(
        failures.is_empty(),
        "{} of {} fail:\n{}",
        failures.len(),
        rows.len(),
        failures.join("\n")
    );
    let excused = rows.iter().filter(|row| excused(row)).count();
    println!("{} agree, {excused} are excused", agreed.into_inner());
    assert!(excused * 100 <= rows.len() * 3, "more than 3 % are excused");
}

/// Here ours is much smaller than mCRL2's state space, and must have the same behaviour with the same probabilities. The plain graph has
/// the size of mCRL2's for the constants in the file; behaviour is compared with smaller ones.
#[test]
fn a_smaller_probabilistic_state_space_has_the_same_behaviour() {
    let Some(root) = required() else {
        return;
    };
    let oracle = Oracle::new(root);
    let rows = oracle.rows().expect("oracle.csv can be read");
    let spec = "examples/probabilistic/shared_coin_protocol/shared_coin_protocol.mcrl2";
    let Some(row) = rows.iter().find(|row| row.spec == spec) else {
        panic!("{spec} is not in the oracle");
    };
    let whole = shared_coin::graph(18);
    assert_eq!(Some(u64::from(whole.states())), row.states);
    assert_eq!(Some(whole.transitions() as u64), row.transitions);
    let text = std::fs::read_to_string(oracle.spec(row)).expect("the specification can be read");
    for k in [1, 2, 3, 5] {
        let settings = [("K".to_owned(), k.to_string())];
        let model = sortie_mcrl2::open(spec, &text, &settings).expect("a specification");
        let ours = explored(&model, row).expect("a finite state space");
        let plain = shared_coin::graph(k);
        assert!(ours.states() < plain.states());
        assert!(bisimilar(&ours, &plain), "K = {k}");
    }
}
