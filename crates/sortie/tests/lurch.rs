//! The models of the original LURCH: what it found in them, `sortie hunt` finds.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of the original's models; none if the test is to be skipped. With `SORTIE_REQUIRE_ALL=1` its absence is a failure.
fn originals() -> Option<PathBuf> {
    let named = std::env::var_os("SORTIE_SHARED").map(PathBuf::from);
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let mut places = named
        .into_iter()
        .chain(above.map(|folder| folder.join("shared")));
    let found = places.find(|folder| folder.join("lurch/expected.csv").is_file());
    if found.is_none() {
        assert!(
            std::env::var("SORTIE_REQUIRE_ALL").as_deref() != Ok("1"),
            "the models of the original LURCH are missing"
        );
        eprintln!("skipped: there is no folder shared/lurch with the models of the original LURCH");
    }
    found.map(|folder| folder.join("lurch"))
}

/// The names of what a hunt finds, as the table has them.
fn hunt(model: &Path, options: &[&str], out: &Path) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_sortie"))
        .arg("hunt")
        .arg(model)
        .args(["--language", "lurch", "--strategy", "lurch", "--keep-going"])
        .args(["--depth", "500", "--saturation", "0", "--no-shorten"])
        .args(["--quiet", "--json", "-", "--out"])
        .arg(out)
        .args(options)
        .output()
        .expect("sortie runs");
    let text = String::from_utf8(output.stdout).expect("text");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        matches!(output.status.code(), Some(0 | 1)),
        "{model:?} {options:?}: {errors}"
    );
    let lines = text.lines().filter(|line| line.starts_with('{'));
    let mut found = BTreeSet::new();
    for line in lines {
        let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
        if line["event"] == "found" {
            let property = line["property"].as_str().expect("a name");
            found.insert(match property {
                "no-progress cycle" => "npcycle".to_owned(),
                "acceptance cycle" => "accycle".to_owned(),
                other => other.trim_start_matches("fault ").to_owned(),
            });
        }
    }
    found
}

/// A row of the table: how machines move, what is looked for, and what was found with any seed.
struct Row {
    model: String,
    timing: &'static str,
    wishes: Vec<&'static str>,
    found: BTreeSet<String>,
}

fn rows(folder: &Path) -> Vec<Row> {
    let table = fs::read_to_string(folder.join("expected.csv")).expect("a table");
    let mut rows = Vec::new();
    for line in table.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let model = cells[0].to_owned();
        let text = fs::read_to_string(folder.join("models").join(&model)).expect("a model");
        let machines = text.split("%%").last().expect("there are machines");
        let has = |mark: &str| {
            let words = machines.split([' ', ';', '.', ',', '\n']);
            words.into_iter().any(|word| word.starts_with(mark))
        };
        let mut wishes = Vec::new();
        if has("_") {
            wishes.push("--faults");
        }
        match cells[2] {
            "faults" => {}
            "faults and deadlocks" => wishes.push("--deadlock"),
            "no-progress cycles" => wishes.push("--no-progress"),
            // The original ends at once without a never machine, which says nothing.
            "acceptance cycles" if !has("n:") => continue,
            "acceptance cycles" => wishes.push("--acceptance"),
            other => panic!("unknown: {other}"),
        }
        let names = cells[3].split(['|', '+']).map(str::trim);
        rows.push(Row {
            model,
            timing: match cells[1] {
                "synchronous" => "--sync",
                _ => "--async",
            },
            wishes,
            found: names
                .filter(|name| *name != "nothing")
                .map(str::to_owned)
                .collect(),
        });
    }
    rows
}

/// Every fault that the original found with one of its seeds is found, within as many paths as its three seeds had, or a few times more where it was lucky.
/// What is found beyond that was replayed before it was reported; some of it is replayed again from its file.
#[test]
fn what_the_original_found_is_found() {
    let Some(folder) = originals() else { return };
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lurch-originals");
    let rows = rows(&folder);
    assert_eq!(rows.len(), 114, "rows that say something");
    let mut more: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in rows {
        if row.wishes.is_empty() {
            assert!(row.found.is_empty(), "{}: nothing can be found", row.model);
            continue;
        }
        let model = folder.join("models").join(&row.model);
        let mut found = BTreeSet::new();
        for paths in ["500", "2000", "30000"] {
            let _ = fs::remove_dir_all(&scratch);
            let mut options = row.wishes.clone();
            options.extend([row.timing, "--paths", paths]);
            found = hunt(&model, &options, &scratch);
            if found.is_superset(&row.found) {
                break;
            }
        }
        let missing: Vec<_> = row.found.difference(&found).collect();
        assert!(
            missing.is_empty(),
            "{} {} {:?}: {missing:?} not found, but {found:?}",
            row.model,
            row.timing,
            row.wishes
        );
        let extra: Vec<String> = found.difference(&row.found).cloned().collect();
        if extra.is_empty() || more.contains_key(&row.model) {
            continue;
        }
        for file in fs::read_dir(&scratch).expect("a folder").flatten() {
            if file.path().extension().is_none_or(|e| e != "witness") {
                continue;
            }
            let replayed = Command::new(env!("CARGO_BIN_EXE_sortie"))
                .arg("replay")
                .arg(&model)
                .arg(file.path())
                .args(["--language", "lurch"])
                .output()
                .expect("sortie runs");
            let text = String::from_utf8_lossy(&replayed.stdout);
            assert!(text.contains("reproduced"), "{}: {text}", row.model);
        }
        more.insert(row.model, extra);
    }
    assert!(
        more.len() >= 3,
        "more is found than the original did: {more:?}"
    );
}
