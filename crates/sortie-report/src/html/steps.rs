//! The table of a witness' steps.

use crate::markup::escaped;
use crate::story::{Change, Story};
use std::fmt::Write;
use std::ops::Range;

/// The steps in these ranges, with what was before and is after.
pub fn table(out: &mut String, story: &Story, drawn: &[Range<usize>]) {
    if story.is_empty() {
        return;
    }
    let with_parts = story.steps.iter().any(|step| !step.parts.is_empty());
    let with_given = story.steps.iter().any(|step| step.given.is_some());
    let columns = 3 + usize::from(with_parts);
    out.push_str("<details class=\"steps\" open>\n<summary>All steps</summary>\n<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">#</th>");
    if with_parts {
        out.push_str("<th scope=\"col\">component</th>");
    }
    let action = if with_given { "given" } else { "action" };
    *out += &format!(
        "<th scope=\"col\">{action}</th><th scope=\"col\">what changed</th></tr></thead>\n<tbody>\n"
    );
    let mut expected = 0;
    for range in drawn {
        if range.start > expected {
            let _ = writeln!(
                out,
                "<tr class=\"gap\"><td colspan=\"{columns}\">… {} steps are left out; the slider goes through them …</td></tr>",
                range.start - expected
            );
        }
        expected = range.end;
        for place in range.clone() {
            row(out, story, place, (with_parts, columns));
        }
    }
    out.push_str("</tbody></table></div>\n</details>\n");
}

fn row(out: &mut String, story: &Story, place: usize, (with_parts, columns): (bool, usize)) {
    let step = &story.steps[place];
    if story.cycle == Some(place) {
        let around = story.going_round();
        *out += &format!("<tr class=\"loop\"><td colspan=\"{columns}\">{around}</td></tr>\n");
    }
    let _ = write!(out, "<tr data-step=\"{0}\"><td>{0}</td>", place + 1);
    if with_parts {
        let _ = write!(out, "<td>{}</td>", escaped(&story.names(step).join(", ")));
    }
    match &step.given {
        Some(given) => {
            out.push_str("<td>");
            for field in given {
                let _ = write!(out, "<code>{}", escaped(&field.name));
                if !field.value.is_empty() {
                    let _ = write!(out, "={}", escaped(&field.value));
                }
                out.push_str("</code> ");
            }
            out.push_str("</td>");
        }
        None => {
            let _ = write!(out, "<td><code>{}</code></td>", escaped(&step.label));
        }
    }
    out.push_str("<td>");
    for change in &step.changes {
        show(out, story, change);
    }
    out.push_str("</td></tr>\n");
}

fn show(out: &mut String, story: &Story, change: &Change) {
    let name = escaped(&story.fields[change.field]);
    let _ = write!(out, "<span class=\"change\"><b>{name}</b> ");
    if let Some(before) = &change.before {
        let _ = write!(out, "<del>{}</del>", escaped(before));
    }
    if change.before.is_some() && change.after.is_some() {
        out.push_str(" → ");
    }
    if let Some(after) = &change.after {
        let _ = write!(out, "<ins>{}</ins>", escaped(after));
    }
    out.push_str("</span> ");
}
