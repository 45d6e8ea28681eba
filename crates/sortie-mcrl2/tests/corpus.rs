//! Replays the texts that fuzzing starts from and those it found: each must pass what its fuzz target asks for.

#[path = "../../../fuzz/src/expression.rs"]
mod expression;
#[path = "../../../fuzz/src/formula.rs"]
mod formula;
#[path = "../../../fuzz/src/specification.rs"]
mod specification;

/// Runs every file of a target; a failure is preceded by the file's name.
fn replay(target: &str, run: fn(&str)) {
    let folder = format!("{}/../../fuzz/corpus/{target}", env!("CARGO_MANIFEST_DIR"));
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .expect("the corpus is part of the project")
        .map(|entry| entry.expect("a readable folder").path())
        .collect();
    files.sort();
    assert!(files.len() > 10, "{folder} is nearly empty");
    for file in files {
        println!("{}", file.display());
        let bytes = std::fs::read(&file).expect("a readable file");
        run(&String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn specifications() {
    replay("specification", specification::run);
}

#[test]
fn formulas() {
    replay("formula", formula::run);
}

#[test]
fn expressions() {
    replay("expression", expression::run);
}
