//! The page of the book on Rust programs names everything that can be set.

#![cfg(feature = "rust")]

use std::fs;
use std::path::Path;

#[test]
fn every_search_and_every_setting_is_in_the_book() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(package.join("../../docs/rust-programs.md")).expect("a page");
    let strategies = sortie_search::STRATEGIES.iter();
    for search in strategies.filter(|strategy| strategy.searches_programs()) {
        assert!(
            page.contains(&format!("| `{}` |", search.name)),
            "{}",
            search.name
        );
    }
    let mut settings = 0;
    for file in ["hunter.rs", "child.rs"] {
        let source = fs::read_to_string(package.join("src/rust").join(file)).expect("a source");
        let names = source.split('"').filter(|text| text.starts_with("SORTIE_"));
        // What parents and children tell each other is no setting.
        for name in names.filter(|name| !name.starts_with("SORTIE_CHILD")) {
            let is_name = |text: &str| text.bytes().all(|b| b == b'_' || b.is_ascii_uppercase());
            if is_name(name) {
                assert!(page.contains(&format!("`{name}")), "{name}");
                settings += 1;
            }
        }
    }
    assert!(settings >= 9, "{settings}");
}
