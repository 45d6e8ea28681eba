//! Tables and numbers of the book are those of `lab/results`, no number stands there unmarked, and links lead somewhere.
//!
//! `results.rs` says what marked tables and numbers are; `SORTIE_WRITE_BOOK=1 cargo test -p sortie-lab --test book` writes them anew. `unmarked.rs` has the rule by which a number needs a mark,
//! `constants.rs` what is said of numbers that nobody measured.

mod constants;
#[path = "../../../sortie-mcrl2/tests/public/mod.rs"]
mod public;
mod results;
mod unmarked;

use constants::Constant;
use results::{Results, written};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use unmarked::Page;

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the workspace")
}

/// README.md, the other documents at the top, and the book with its folders.
fn documents() -> Vec<PathBuf> {
    let mut folders = vec![root().join("docs")];
    let mut found = Vec::new();
    let files = |folder: &Path| {
        fs::read_dir(folder)
            .expect("a folder")
            .flatten()
            .map(|e| e.path())
            .collect::<Vec<_>>()
    };
    let is_page = |path: &PathBuf| path.extension().is_some_and(|e| e == "md");
    found.extend(files(&root()).into_iter().filter(is_page));
    while let Some(folder) = folders.pop() {
        for path in files(&folder) {
            if path.is_dir() {
                folders.push(path);
            } else if is_page(&path) {
                found.push(path);
            }
        }
    }
    found.push(root().join("lab/results/README.md"));
    found.sort();
    found
}

#[test]
fn tables_and_numbers_are_those_of_the_lab() {
    let write = std::env::var_os("SORTIE_WRITE_BOOK").is_some();
    let mut tables = 0;
    for path in documents() {
        let text = fs::read_to_string(&path).expect("a readable document");
        tables += text.matches("<!-- table: ").count();
        let right = written(&text);
        if text == right {
            continue;
        }
        assert!(
            write,
            "{} differs from lab/results; SORTIE_WRITE_BOOK=1 cargo test -p sortie-lab --test book writes it anew",
            path.display()
        );
        fs::write(&path, right).expect("the document can be written");
    }
    assert!(tables > 10, "only {tables} tables were found");
}

/// A number that nobody marked would not be noticed when it is wrong.
#[test]
fn no_measured_number_is_unmarked() {
    let constants = Constant::all();
    let mut used = vec![false; constants.len()];
    let mut wrong: Vec<String> = constants.iter().filter_map(Constant::complaint).collect();
    for path in documents() {
        let name = path
            .strip_prefix(root())
            .expect("a document of the workspace");
        let name = name.to_string_lossy().into_owned();
        let mut page = Page::new(&fs::read_to_string(&path).expect("a readable document"));
        for (constant, used) in constants.iter().zip(&mut used) {
            if constant.document == name || constant.document == "*" {
                *used |= page.excuse(&constant.text);
            }
        }
        let unmarked = page.unmarked().into_iter();
        wrong.extend(unmarked.map(|number| format!("{name}, {number}: unmarked")));
    }
    for (constant, used) in constants.iter().zip(used) {
        if !used {
            let Constant { document, text, .. } = constant;
            wrong.push(format!("{document}: '{text}' excuses nothing"));
        }
    }
    assert!(
        wrong.is_empty(),
        "take the numbers from lab/results, or say in lab/book-constants.csv what they are:\n{}",
        wrong.join("\n")
    );
}

/// The name that a heading gets as a target of links.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    let kept = kept
        .chars()
        .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The text without blocks and pieces of code.
fn prose(text: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            inside = !inside;
        } else if !inside {
            let pieces = line.split('`').enumerate();
            out.extend(
                pieces
                    .filter(|(place, _)| place % 2 == 0)
                    .map(|(_, piece)| piece),
            );
            out.push('\n');
        }
    }
    out
}

fn anchors(path: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(path).expect("a readable document");
    let mut inside = false;
    let mut found = BTreeSet::new();
    for line in text.lines() {
        if line.starts_with("```") {
            inside = !inside;
        } else if !inside && line.starts_with('#') {
            found.insert(anchor(&line.trim_start_matches('#').replace('`', "")));
        }
    }
    found
}

#[test]
fn links_lead_somewhere() {
    let mut broken = Vec::new();
    let mut followed = 0;
    for path in documents() {
        let text = prose(&fs::read_to_string(&path).expect("a readable document"));
        for rest in text.split("](").skip(1) {
            let target = rest.split(')').next().unwrap_or("");
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            followed += 1;
            let (file, name) = target.split_once('#').unwrap_or((target, ""));
            let file = match file {
                "" => path.clone(),
                file => path.parent().expect("a folder").join(file),
            };
            let is_page = file.extension().is_some_and(|e| e == "md");
            if !file.exists() || (!name.is_empty() && is_page && !anchors(&file).contains(name)) {
                broken.push(format!("{}: {target}", path.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    assert!(followed > 50, "only {followed} links were found");
}

/// Every experiment of a paper has its results, with all rows, and the command that made them.
#[test]
fn results_of_every_experiment_are_there() {
    let made = Results::read("made.csv");
    let experiments = fs::read_dir(root().join("lab")).expect("the lab").flatten();
    let mut counted = 0;
    for path in experiments.map(|e| e.path()) {
        let text = match path.extension() {
            Some(ending) if ending == "toml" => fs::read_to_string(&path).expect("an experiment"),
            _ => continue,
        };
        if !text.contains("\npublication = ") && !text.starts_with("publication = ") {
            continue;
        }
        let name = path
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let filter = format!("experiment={name}");
        let row = made.select(&[&filter])[0];
        for (head, value) in [("missing", "0"), ("skipped", "0")] {
            assert_eq!(row[made.column(head)], value, "{name}: {head}");
        }
        assert!(
            !Results::read(&format!("{name}.csv")).rows.is_empty(),
            "{name}"
        );
        counted += 1;
    }
    assert!(counted >= 25, "{counted}");
    // It belongs to no paper: forty pairs, each with twelve searches.
    assert_eq!(Results::read("portfolio-pairs.csv").rows.len(), 40);
    assert_eq!(Results::read("portfolio.csv").rows.len(), 40 * 12);
}

/// What the lab does not write by itself, or not for a paper, has a command in `made-apart.csv`, and nothing lies about that nobody made.
#[test]
fn every_file_of_results_was_made_by_something() {
    let made = Results::read("made.csv");
    let apart = Results::read("made-apart.csv");
    let files = fs::read_dir(root().join("lab/results")).expect("results");
    let names = files.flatten().map(|file| file.file_name());
    let names: BTreeSet<String> = names
        .map(|name| name.to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".csv") && !name.starts_with("made"))
        .collect();
    let named: BTreeSet<String> = apart.rows.iter().map(|row| row[0].clone()).collect();
    for (row, head) in apart
        .rows
        .iter()
        .flat_map(|row| row.iter().zip(&apart.heads))
    {
        assert!(!row.is_empty(), "made-apart.csv has no {head} for a file");
    }
    let of_a_paper = |name: &String| {
        let parts = ["-found.csv", "-ranges.csv", ".csv"];
        let stem = parts.iter().find_map(|part| name.strip_suffix(part));
        made.rows.iter().any(|row| Some(&*row[0]) == stem)
    };
    let unmade: Vec<&String> = names
        .difference(&named)
        .filter(|name| !of_a_paper(name))
        .collect();
    assert!(unmade.is_empty(), "nothing says what made {unmade:?}");
    let gone: Vec<&String> = named.difference(&names).collect();
    assert!(gone.is_empty(), "{gone:?} are not there");
}
