#![allow(dead_code, reason = "each test file uses its own part")]
//! Where the public specifications are, if they are here at all.

use std::path::{Path, PathBuf};

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
