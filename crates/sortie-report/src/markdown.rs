//! The verdict and the witnesses as Markdown, for a comment or a wiki.

use crate::markup::{escaped, one_line};
use crate::record::{Found, Record};
use std::fmt::Write;

/// Longer witnesses lose their middle.
const SHOWN: usize = 200;

/// The file.
pub fn text(record: &Record) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "# {}\n", cell(&record.model));
    let _ = writeln!(out, "**{}**\n", cell(&record.sentence));
    for remark in &record.remarks {
        let _ = writeln!(out, "- {}", cell(remark));
    }
    if !record.remarks.is_empty() {
        out.push('\n');
    }
    for (number, found) in record.found.iter().enumerate() {
        let title = cell(&found.title);
        let _ = writeln!(out, "## {}. {title}: {}\n", number + 1, found.length_text());
        steps(&mut out, found);
    }
    let search = cell(&record.strategy) + &cell(&record.options_text());
    let Record { seed, seconds, .. } = record;
    let _ = writeln!(out, "Strategy {search}, seed {seed}; {seconds:.2} s.");
    if let Some(command) = &record.command {
        let longest = command.split(|c| c != '`').map(str::len).max().unwrap_or(0);
        let fence = "`".repeat(longest.max(2) + 1);
        let command = one_line(command);
        let _ = writeln!(out, "\nTo repeat:\n\n{fence}sh\n{command}\n{fence}");
    }
    out
}

fn steps(out: &mut String, found: &Found) {
    let story = &found.story;
    let with_parts = story.steps.iter().any(|step| !step.parts.is_empty());
    out.push_str(if with_parts {
        "| | component | action | what changed |\n|--:|---|---|---|\n"
    } else {
        "| | action | what changed |\n|--:|---|---|\n"
    });
    let hidden = SHOWN / 2..story.len().saturating_sub(SHOWN / 2);
    let empty = if with_parts { " | |" } else { " |" };
    for (place, step) in story.steps.iter().enumerate() {
        if story.cycle == Some(place) {
            let around = story.len() - place;
            let _ = writeln!(out, "| | *from here on it goes round: {around}* |{empty}");
        }
        if hidden.contains(&place) {
            if place == hidden.start {
                let _ = writeln!(out, "| | *… {} steps …* |{empty}", hidden.len());
            }
            continue;
        }
        let changes: Vec<String> = step.changes.iter().map(|c| story.change_text(c)).collect();
        let _ = write!(out, "| {} | ", place + 1);
        if with_parts {
            let _ = write!(out, "{} | ", cell(&story.names(step).join(", ")));
        }
        let (label, changes) = (cell(&step.label), cell(&changes.join("; ")));
        let _ = writeln!(out, "{label} | {changes} |");
    }
    out.push('\n');
}

/// A text on one line in which nothing has a meaning to Markdown.
fn cell(text: &str) -> String {
    let mut out = String::new();
    for c in escaped(&one_line(text)).chars() {
        if r"\`*_[]|~#".contains(c) && !(c == '#' && out.ends_with('&')) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_stay_cells() {
        assert_eq!(cell("a|b*c*\n<x>'"), r"a\|b\*c\* &lt;x&gt;&#39;");
    }
}
