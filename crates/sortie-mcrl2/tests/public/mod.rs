#![allow(dead_code, reason = "each test file uses its own part")]
//! Where the public specifications are, if they are here at all, and how to go through many of them at once.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The folder with `specs/`, `instances/` and the answers; none if the test is to be skipped.
///
/// It is named by `SORTIE_SHARED` or found as `shared/mcrl2` next to a folder above this crate. With `SORTIE_REQUIRE_ALL=1`
/// its absence is a failure.
pub fn folder() -> Option<PathBuf> {
    let named = std::env::var_os("SORTIE_SHARED").map(|shared| PathBuf::from(shared).join("mcrl2"));
    let above = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .map(|folder| folder.join("shared/mcrl2"));
    let found = named
        .into_iter()
        .chain(above)
        .find(|folder| folder.join("specs").is_dir());
    if found.is_none() {
        assert!(
            std::env::var("SORTIE_REQUIRE_ALL").as_deref() != Ok("1"),
            "the folder shared/mcrl2 is required but not found"
        );
        println!("skipped: no folder shared/mcrl2 (set SORTIE_SHARED to the folder that holds it)");
    }
    found
}

/// The rows of a comma-separated file, without its head; quotes may enclose commas.
pub fn rows(path: &Path) -> Vec<Vec<String>> {
    let text =
        std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().skip(1).map(row).collect()
}

/// The cells of a line.
pub fn row(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            _ => cells.last_mut().expect("there is a first cell").push(c),
        }
    }
    cells
}

/// Does something with each of many things, as many at a time as there are processors, and gives the results in their order: a test that goes through all specifications one by
/// one would leave processors idle.
pub fn side_by_side<T: Sync, R: Send>(things: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let some = || {
        let places = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        let things = places.map_while(|place| Some((place, things.get(place)?)));
        let done = things.map(|(place, thing)| (place, work(thing)));
        done.collect::<Vec<_>>()
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let mut results = thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(some)).collect();
        let results = threads.into_iter().map(|thread| thread.join());
        let results =
            results.map(|some| some.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        results.flatten().collect::<Vec<_>>()
    });
    results.sort_by_key(|(place, _)| *place);
    results.into_iter().map(|(_, result)| result).collect()
}
