//! Tables and numbers of the book are those of `lab/results`, and links lead somewhere.
//!
//! A table stands between `<!-- table: FILE | COLUMN=PATTERN | show: COLUMN; COLUMN as HEAD -->` and `<!-- end -->`; a number within a sentence is followed
//! by `<!--= FILE | COLUMN=PATTERN | COLUMN -->`. `SORTIE_WRITE_BOOK=1 cargo test -p sortie --test book` writes both anew.

#[path = "../../sortie-mcrl2/tests/public/mod.rs"]
mod public;

use sortie_property::is_like;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

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

/// A file of results: heads, and rows.
struct Results {
    heads: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Results {
    fn read(file: &str) -> Results {
        let path = root().join("lab/results").join(file);
        let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let mut lines = text.lines().map(public::row);
        Results {
            heads: lines.next().expect("heads"),
            rows: lines.collect(),
        }
    }

    fn column(&self, name: &str) -> usize {
        let place = self.heads.iter().position(|head| head == name);
        place.unwrap_or_else(|| panic!("there is no column '{name}' among {:?}", self.heads))
    }

    /// The rows that fit all filters, each `COLUMN=PATTERN`.
    fn select(&self, filters: &[&str]) -> Vec<&Vec<String>> {
        let fits = |row: &&Vec<String>| {
            filters.iter().all(|filter| {
                let (name, pattern) = filter.split_once('=').expect("COLUMN=PATTERN");
                is_like(pattern, "*", &row[self.column(name)])
            })
        };
        let rows: Vec<_> = self.rows.iter().filter(fits).collect();
        assert!(!rows.is_empty(), "no row fits {filters:?}");
        rows
    }
}

/// A number with commas between thousands; anything else as it is.
fn readable(cell: &str) -> String {
    let (whole, rest) = match cell.split_once('.') {
        Some((whole, rest)) => (whole, format!(".{rest}")),
        None => (cell, String::new()),
    };
    if whole.len() < 4 || !whole.chars().all(|c| c.is_ascii_digit()) {
        return cell.to_string();
    }
    // Fractions of thousands say nothing.
    let number: f64 = cell.parse().expect("digits");
    let (digits, rest) = if rest.is_empty() {
        (whole.to_string(), rest)
    } else {
        (format!("{number:.0}"), String::new())
    };
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped + &rest
}

/// The table that a marker asks for.
fn table(marker: &str) -> String {
    let parts: Vec<&str> = marker.split(" | ").map(str::trim).collect();
    let results = Results::read(parts[0]);
    let show = parts.last().and_then(|last| last.strip_prefix("show:"));
    let show = show.unwrap_or_else(|| panic!("'{marker}' does not say what to show"));
    let columns: Vec<(usize, &str)> = show
        .split(';')
        .map(|column| {
            let column = column.trim();
            let (name, head) = column.split_once(" as ").unwrap_or((column, column));
            (results.column(name), head)
        })
        .collect();
    let mut lines = Vec::new();
    let cells = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    lines.push(cells(
        columns.iter().map(|(_, head)| head.to_string()).collect(),
    ));
    lines.push(format!("|{}", "---|".repeat(columns.len())));
    for row in results.select(&parts[1..parts.len() - 1]) {
        lines.push(cells(
            columns
                .iter()
                .map(|(place, _)| readable(&row[*place]))
                .collect(),
        ));
    }
    lines.join("\n")
}

/// The number that a marker in a sentence asks for.
fn number(marker: &str) -> String {
    let parts: Vec<&str> = marker.split(" | ").map(str::trim).collect();
    let results = Results::read(parts[0]);
    let rows = results.select(&parts[1..parts.len() - 1]);
    assert_eq!(rows.len(), 1, "'{marker}' must mean one row");
    readable(&rows[0][results.column(parts[parts.len() - 1])])
}

/// A document as it should be.
fn written(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("<!-- table: ") {
        let (before, marked) = rest.split_at(at);
        out.push_str(before);
        let (marker, after) = marked.split_once(" -->\n").expect("the marker has an end");
        let marker = marker.trim_start_matches("<!-- table: ");
        let (_, after) = after
            .split_once("<!-- end -->")
            .expect("the table has an end");
        out.push_str(&format!(
            "<!-- table: {marker} -->\n\n{}\n\n<!-- end -->",
            table(marker)
        ));
        rest = after;
    }
    out.push_str(rest);
    let text = std::mem::take(&mut out);
    let mut rest = text.as_str();
    while let Some(at) = rest.find("<!--= ") {
        let (before, marked) = rest.split_at(at);
        let kept = before.trim_end_matches(|c: char| c.is_ascii_digit() || ",.–".contains(c));
        let (marker, after) = marked.split_once(" -->").expect("the marker has an end");
        let marker = marker.trim_start_matches("<!--= ");
        out.push_str(&format!("{kept}{}<!--= {marker} -->", number(marker)));
        rest = after;
    }
    out.push_str(rest);
    out
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
            "{} differs from lab/results; SORTIE_WRITE_BOOK=1 cargo test -p sortie --test book writes it anew",
            path.display()
        );
        fs::write(&path, right).expect("the document can be written");
    }
    assert!(tables > 10, "only {tables} tables were found");
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
