//! Replays the texts that fuzzing starts from and those it found.

#[path = "../../../fuzz/src/aut.rs"]
mod aut;

#[test]
fn files() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus/aut");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the corpus is part of the project")
        .map(|entry| entry.expect("a readable folder").path())
        .collect();
    files.sort();
    assert!(files.len() > 5, "{folder} is nearly empty");
    for file in files {
        println!("{}", file.display());
        let bytes = std::fs::read(&file).expect("a readable file");
        aut::run(&String::from_utf8_lossy(&bytes));
    }
}
