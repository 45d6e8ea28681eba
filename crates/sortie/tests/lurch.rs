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

fn sortie(arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_sortie"))
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .args(arguments)
        .output()
        .expect("sortie runs");
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    (output.status.code(), text)
}

#[test]
fn every_strategy_works_on_machines() {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("strategies-on-machines");
    let out = scratch.to_str().expect("a name that is text");
    let model = ["models/philosophers.machines", "--set", "N=4"];
    for strategy in sortie_search::STRATEGIES
        .iter()
        .filter(|strategy| strategy.searches_models())
    {
        for timing in ["--async", "--sync"] {
            let _ = fs::remove_dir_all(&scratch);
            let mut hunt = vec!["hunt"];
            hunt.extend(model);
            hunt.extend([
                "--strategy",
                strategy.name,
                "--deadlock",
                timing,
                "--out",
                out,
            ]);
            let (status, text) = sortie(&hunt);
            assert_eq!(status, Some(1), "{hunt:?}: {text}");
            // All at once take their left forks.
            let steps = if timing == "--sync" { 1 } else { 4 };
            let found = format!("found: deadlock, {steps} step");
            assert!(text.contains(&found), "{hunt:?}: {text}");
            let witness = scratch.join("1-deadlock.witness");
            let witness = witness.to_str().expect("a name that is text");
            let (status, text) = sortie(&["replay", model[0], witness]);
            assert_eq!(status, Some(0), "{hunt:?}: {text}");
        }
    }
}

/// Formulas about machines, judged on the whole state space.
#[test]
fn formulas_work_on_machines() {
    let check = |arguments: &[&str]| {
        let mut all = vec![
            "check",
            "models/philosophers.machines",
            "--set",
            "N=3",
            "--quiet",
        ];
        all.extend(arguments);
        sortie(&all)
    };
    let formula = Path::new(env!("CARGO_TARGET_TMPDIR")).join("goes_on.mcf");
    fs::write(&formula, "[true*]<true>true").expect("a file can be written");
    let file = formula.to_str().expect("a name that is text");
    let (status, text) = check(&["-f", file]);
    assert_eq!(status, Some(1), "{text}");
    let (status, text) = check(&["-f", file, "--set", "one_left_handed=true"]);
    assert_eq!(status, Some(0), "{text}");
    let (status, text) = check(&["--ctl", "EF {philosopher[0] in eating}"]);
    assert_eq!(status, Some(0), "{text}");
    let (status, text) = check(&["--ltl", "G !{fork[0] in free && philosopher[0] in eating}"]);
    assert_eq!(status, Some(0), "{text}");
}

/// A watcher that cannot move any more ends paths that look for acceptance cycles, and none that look for cycles without progress.
#[test]
fn cycles_behind_a_stuck_watcher_are_found() {
    let model = Path::new(env!("CARGO_TARGET_TMPDIR")).join("stuck_watcher.lurch");
    let text = "%%\na; -; -; b;\nb; -; -; c;\nc; -; -; d;\nd; -; -; c;\n\nn: w. a; -; =x;\n";
    fs::write(&model, text).expect("a file can be written");
    let file = model.to_str().expect("a name that is text");
    for timing in ["--async", "--sync"] {
        let hunt = |wishes: &[&str]| {
            let mut all = vec!["hunt", file, "--strategy", "lurch", "--quiet", timing];
            all.extend(wishes);
            sortie(&all)
        };
        let (status, text) = hunt(&["--no-progress"]);
        assert_eq!(status, Some(1), "{timing}: {text}");
        assert!(text.contains("no-progress cycle, 4 steps"), "{text}");
        let (status, text) = hunt(&["--acceptance"]);
        assert_eq!(status, Some(0), "{timing}: {text}");
        let (status, text) = hunt(&["--no-progress", "--acceptance"]);
        assert_eq!(status, Some(0), "{timing}: {text}");
    }
}
