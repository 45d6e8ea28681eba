//! Collects the experiments under `lab/`, so that a new one is one new file.

use std::path::Path;
use std::{env, fs};

fn main() {
    // Asked when the script runs: clones that share a target folder share the compiled script.
    let crate_folder = env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR");
    let lab = Path::new(&crate_folder).join("../../lab");
    println!("cargo::rerun-if-changed={}", lab.display());
    let mut files: Vec<_> = fs::read_dir(&lab)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "toml")
        })
        .collect();
    files.sort();
    let mut table = String::from("&[\n");
    for path in files {
        let name = path
            .file_stem()
            .expect("a file with an ending has a stem")
            .to_string_lossy()
            .into_owned();
        let path = path.canonicalize().expect("the file was just listed");
        table.push_str(&format!(
            "    ({name:?}, include_str!({:?})),\n",
            path.display().to_string()
        ));
    }
    table.push_str("]\n");
    let out =
        Path::new(&env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join("experiments.rs");
    fs::write(out, table).expect("cargo's output folder can be written");
}
