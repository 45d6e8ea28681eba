//! Committed results are what the program gives: of every experiment some rows that cost little are run again, as often and with the
//! seed that the committed ones had, and every count must be the same.
//!
//! Rows are measured apart, so some of them stand for all: a change of a search, of a model or of the accounting shows in any of them.

#[path = "../../sortie-mcrl2/tests/public/mod.rs"]
mod public;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Experiments, and which of their instances are run again; none named: all of them.
const AGAIN: &[(&str, &[&str])] = &[
    ("backloops", &[]),
    ("diamond", &[]),
    ("scc", &[]),
    ("philosophers", &["(5)"]),
    ("bbmc-table1", &["CABP II, 2 "]),
    ("bbmc-spaces", &["2 messages"]),
    ("table1", &["othello(4x4)"]),
    ("hive-bugs", &["2 nodes"]),
    ("genetic-figure5", &[]),
    ("lurch-figure5", &["queens"]),
];

/// Experiments of which no row is run again, and why.
const LEFT_OUT: &[(&str, &str)] = &[
    ("bbmc-game", SLOW),
    ("bbmc-german", SLOW),
    ("bbmc-lift", SLOW),
    ("buffers", SLOW),
    ("garage", SLOW),
    ("genetic-table1", SLOW),
    ("genetic-table2", SLOW),
    ("genetic-table3", SLOW),
    ("genetic-table4", SLOW),
    ("hive-table2", SLOW),
    ("lurch-figure4", SPIN),
    ("lurch-figure6", SPIN),
    ("lurch-figure7", SPIN),
    ("lurch-figure9", SPIN),
    ("lurch-table1", SLOW),
];

const SLOW: &str = "its cheapest instance takes too long for a test";
const SPIN: &str = "SPIN, where it is installed, takes too long for a test";

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the workspace")
}

/// Whether a column says something about the machine, or about another program that may not be there.
fn is_apart(head: &str) -> bool {
    head.ends_with("MB") || head.starts_with("SPIN") || head.starts_with("supertrace")
}

/// A table without what is apart: its heads and its rows.
fn table(path: &Path) -> (Vec<String>, Vec<Vec<String>>) {
    let text = fs::read_to_string(path)
        .unwrap_or_else(|error| panic!("{} cannot be read: {error}", path.display()));
    let mut lines = text.lines().map(public::row);
    let heads = lines.next().expect("there are heads");
    let keep = |cells: Vec<String>| -> Vec<String> {
        let both = cells.into_iter().zip(&heads);
        both.filter(|(_, head)| !is_apart(head))
            .map(|(cell, _)| cell)
            .collect()
    };
    let rows = lines.map(keep).collect();
    (keep(heads.clone()), rows)
}

/// Runs some instances of an experiment and gives the rows that were not committed like this.
fn differing(name: &str, only: &[&str]) -> Vec<String> {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("results-{name}"));
    let _ = fs::remove_dir_all(&out);
    let mut command = Command::new(env!("CARGO_BIN_EXE_sortie-lab"));
    command.current_dir(root()).args([name, "--out"]);
    command.arg(&out).args(["--threads", "1"]);
    for instance in only {
        command.args(["--only", instance]);
    }
    let output = command.output().expect("the program can be started");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {errors}");
    let file = format!("{name}.csv");
    let (heads, rows) = table(&out.join(&file));
    let (known_heads, known) = table(&root().join("lab/results").join(&file));
    if let Some(head) = heads.iter().find(|head| !known_heads.contains(head)) {
        return vec![format!("{file} has no column {head}")];
    }
    assert!(!rows.is_empty(), "{name}: {only:?} select nothing");
    // Columns of which nothing is known in these instances are not there.
    let cells = |row: &Vec<String>| -> Vec<String> {
        let cell = |head: &String| heads.iter().position(|here| here == head);
        let cells = known_heads.iter().map(cell);
        cells
            .map(|place| place.map_or_else(String::new, |place| row[place].clone()))
            .collect()
    };
    let new = rows.iter().map(cells).filter(|row| !known.contains(row));
    new.map(|row| format!("{file} has no row {}", row.join(" | ")))
        .collect()
}

#[test]
fn committed_results_are_what_the_program_gives() {
    let differing: Vec<String> =
        public::side_by_side(AGAIN, |(name, only)| differing(name, only)).concat();
    assert!(
        differing.is_empty(),
        "lab/results is not what the program gives; sortie-lab NAME --threads 1 --out DIR makes a table anew, and lab/results/README.md says where it goes:\n{}",
        differing.join("\n")
    );
    for (name, why) in LEFT_OUT {
        println!("not run again: {name}, {why}");
    }
}

/// Who adds an experiment says here what is run again of it.
#[test]
fn every_experiment_is_run_again_or_left_out_for_a_reason() {
    let (_, made) = table(&root().join("lab/results/made.csv"));
    let made: BTreeSet<&str> = made.iter().map(|row| row[0].as_str()).collect();
    let again = AGAIN.iter().map(|(name, _)| *name);
    let named: Vec<&str> = again
        .chain(LEFT_OUT.iter().map(|(name, _)| *name))
        .collect();
    let distinct: BTreeSet<&str> = named.iter().copied().collect();
    assert_eq!(named.len(), distinct.len(), "an experiment is named twice");
    assert_eq!(made, distinct);
}
