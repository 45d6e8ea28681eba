//! Marked tables and numbers.
//!
//! A table stands between `<!-- table: FILE | COLUMN=PATTERN | show: COLUMN; COLUMN as HEAD -->` and `<!-- end -->`; a number within a sentence is followed
//! by `<!--= FILE | COLUMN=PATTERN | COLUMN -->`. With `across: COLUMN` before `show:`, rows that agree in the first column shown stand side by side, one for each value of that column.

use super::{public, root};
use sortie_property::is_like;
use std::fs;

/// A file of results: heads, and rows.
pub struct Results {
    pub heads: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

impl Results {
    pub fn read(file: &str) -> Results {
        let path = root().join("lab/results").join(file);
        let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let mut lines = text.lines().map(public::row);
        Results {
            heads: lines.next().expect("heads"),
            rows: lines.collect(),
        }
    }

    pub fn column(&self, name: &str) -> usize {
        let place = self.heads.iter().position(|head| head == name);
        place.unwrap_or_else(|| panic!("there is no column '{name}' among {:?}", self.heads))
    }

    /// The rows that fit all filters, each `COLUMN=PATTERN` or `COLUMN!=PATTERN`.
    pub fn select(&self, filters: &[&str]) -> Vec<&Vec<String>> {
        let fits = |row: &&Vec<String>| {
            filters.iter().all(|filter| {
                let (name, pattern) = filter.split_once('=').expect("COLUMN=PATTERN");
                let (name, wanted) = match name.strip_suffix('!') {
                    Some(name) => (name, false),
                    None => (name, true),
                };
                is_like(pattern, "*", &row[self.column(name)]) == wanted
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
    let mut parts: Vec<&str> = marker.split(" | ").map(str::trim).collect();
    let results = Results::read(parts.remove(0));
    let show = parts.pop().and_then(|last| last.strip_prefix("show:"));
    let show = show.unwrap_or_else(|| panic!("'{marker}' does not say what to show"));
    let columns: Vec<(usize, &str)> = show
        .split(';')
        .map(|column| {
            let column = column.trim();
            let (name, head) = column.split_once(" as ").unwrap_or((column, column));
            (results.column(name), head)
        })
        .collect();
    let across = parts.last().and_then(|last| last.strip_prefix("across:"));
    let (heads, rows) = match across {
        Some(across) => {
            let rows = results.select(&parts[..parts.len() - 1]);
            side_by_side(&columns, results.column(across.trim()), &rows)
        }
        None => {
            let cells = |row: &Vec<String>| columns.iter().map(|c| row[c.0].clone()).collect();
            let heads = columns.iter().map(|(_, head)| head.to_string());
            let rows = results.select(&parts);
            (heads.collect(), rows.into_iter().map(cells).collect())
        }
    };
    let line = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    let mut lines = vec![
        line(heads.clone()),
        format!("|{}", "---|".repeat(heads.len())),
    ];
    for row in rows {
        lines.push(line(row.iter().map(|cell| readable(cell)).collect()));
    }
    lines.join("\n")
}

/// Heads, and rows in which those that agree in the first column stand beside each other, in the order of the values across.
fn side_by_side(
    columns: &[(usize, &str)],
    across: usize,
    rows: &[&Vec<String>],
) -> (Vec<String>, Vec<Vec<String>>) {
    let mut values: Vec<&String> = Vec::new();
    let mut keys: Vec<&String> = Vec::new();
    let (first, shown) = columns.split_first().expect("something is shown");
    for row in rows {
        for (known, place) in [(&mut values, across), (&mut keys, first.0)] {
            if !known.contains(&&row[place]) {
                known.push(&row[place]);
            }
        }
    }
    let mut heads = vec![first.1.to_string()];
    for value in &values {
        heads.extend(shown.iter().map(|(_, head)| format!("{value}: {head}")));
    }
    let cells = |key: &String| {
        let mut cells = vec![key.clone()];
        for value in &values {
            let mut fitting = rows
                .iter()
                .filter(|row| row[first.0] == *key && row[across] == **value);
            let row = fitting.next();
            assert!(fitting.next().is_none(), "{key}, {value}: two rows");
            let cell = |place: usize| row.map_or(String::new(), |row| row[place].clone());
            cells.extend(shown.iter().map(|(place, _)| cell(*place)));
        }
        cells
    };
    (heads, keys.into_iter().map(cells).collect())
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
pub fn written(text: &str) -> String {
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
