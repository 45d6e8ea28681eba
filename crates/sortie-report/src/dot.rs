//! Witnesses as graphs of their steps, for Graphviz.

use crate::record::{Found, Record};
use std::fmt::Write;

/// The file; none if nothing was found.
pub fn text(record: &Record) -> Option<String> {
    if record.found.is_empty() {
        return None;
    }
    let mut out = String::from("digraph witness {\n");
    let _ = writeln!(out, "  label={};", quoted(&record.sentence));
    out.push_str("  labelloc=t;\n  node [shape=box, style=rounded, fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\"];\n");
    for (number, found) in record.found.iter().enumerate() {
        let _ = writeln!(out, "  subgraph cluster_{number} {{");
        let title = format!("{}. {}: {}", number + 1, found.title, found.length_text());
        let _ = writeln!(out, "    label={};", quoted(&title));
        draw(&mut out, number, found);
        out.push_str("  }\n");
    }
    out.push_str("}\n");
    Some(out)
}

fn draw(out: &mut String, number: usize, found: &Found) {
    let story = &found.story;
    let start = story.fields.iter().zip(&story.start);
    let start = start.filter_map(|(name, value)| Some(format!("{name}={}", value.as_ref()?)));
    let start = quoted(&start.collect::<Vec<_>>().join("\n"));
    *out += &format!("    w{number}_0 [label=\"0\", tooltip={start}, penwidth=2];\n");
    for (place, step) in story.steps.iter().enumerate() {
        let changes = step.changes.iter().map(|change| story.change_text(change));
        let changes: Vec<String> = changes.collect();
        // The end of a loop is its beginning.
        let last = place + 1 == story.len();
        let target = match story.cycle {
            Some(begin) if last => begin,
            _ => place + 1,
        };
        if target == place + 1 {
            let end = if last { ", peripheries=2" } else { "" };
            let lines = [vec![target.to_string()], changes].concat();
            let label = quoted(&lines.join("\n"));
            let _ = writeln!(out, "    w{number}_{target} [label={label}{end}];");
        }
        let (label, parts) = (quoted(&step.label), quoted(&story.names(step).join(", ")));
        let _ = write!(out, "    w{number}_{place} -> w{number}_{target} ");
        let _ = writeln!(out, "[label={label}, tooltip={parts}];");
    }
}

/// A string of the language. Backslashes and entities have a meaning in labels.
fn quoted(text: &str) -> String {
    let text = text
        .replace('&', "&amp;")
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\0', "␀")
        .replace('\r', " ")
        .replace('\n', "\\n");
    format!("\"{text}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_end_where_they_should() {
        assert_eq!(quoted("a\"b\\N&lt;\nc"), r#""a\"b\\N&amp;lt;\nc""#);
        assert_eq!(quoted("\\"), r#""\\""#);
    }
}
