//! Where the public specifications are, if they are here at all.

use std::path::{Path, PathBuf};

/// The folder with `specs/` and `instances/`, named by `SORTIE_SHARED` or found as `shared/mcrl2` next to a folder above this
/// crate. With `SORTIE_REQUIRE_ALL=1` its absence is a failure.
pub fn folder() -> Option<PathBuf> {
    let named = std::env::var_os("SORTIE_SHARED").map(|shared| PathBuf::from(shared).join("mcrl2"));
    let above = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .map(|folder| folder.join("shared/mcrl2"));
    let found = named
        .into_iter()
        .chain(above)
        .find(|folder| folder.join("instances").is_dir());
    assert!(
        found.is_some() || std::env::var("SORTIE_REQUIRE_ALL").as_deref() != Ok("1"),
        "the folder shared/mcrl2 is required but not found"
    );
    found
}
