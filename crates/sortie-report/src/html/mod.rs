//! A page to read in a browser: one file, opened from disk, without a network.
//!
//! Everything that is there to be read is written here, so that the page can be printed and needs no script; the script only goes through
//! the states of a witness and copies the command.

mod curves;
mod lanes;
mod steps;

use crate::markup::{attribute, escaped, one_line};
use crate::record::{Found, Record};
use crate::units::{about, grouped_by};
use serde_json::{Value, json};
use sortie_model::Verdict;
use std::fmt::Write;

pub(crate) const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// So many witnesses are shown step by step; the others are listed.
const WITNESSES: usize = 20;

/// So many steps of a witness are drawn; of longer ones, the middle is left out.
const SHOWN: usize = 2000;

/// The page.
pub fn text(record: &Record) -> String {
    let mut out =
        String::from("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    out.push_str(
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         script-src 'unsafe-inline'\">\n",
    );
    let (model, verdict) = (escaped(&one_line(&record.model)), record.verdict.name());
    out += &format!("<title>{model}: {verdict}</title>\n");
    out += &format!("<style>\n{STYLE}</style>\n</head>\n<body>\n");
    head(&mut out, record);
    out.push_str("<main>\n");
    found(&mut out, record);
    seen(&mut out, record);
    comparison(&mut out, record);
    out.push_str("</main>\n");
    foot(&mut out, record);
    let _ = writeln!(
        out,
        "<script type=\"application/json\" id=\"witnesses\">{}</script>\n<script>\n{SCRIPT}</script>\n</body>\n</html>",
        data(record)
    );
    out
}

fn head(out: &mut String, record: &Record) {
    let verdict = record.verdict.name();
    let _ = writeln!(
        out,
        "<header>\n<h1>{}</h1>\n<p class=\"verdict {verdict}\"><strong>{verdict}</strong> {}</p>",
        escaped(&record.model),
        escaped(without_prefix(&record.sentence, verdict))
    );
    out.push_str("<dl class=\"facts\">\n");
    let mut fact = |name: &str, value: String| {
        if !value.is_empty() {
            let value = escaped(&value);
            let _ = writeln!(out, "<div><dt>{name}</dt><dd>{value}</dd></div>");
        }
    };
    fact("looked for", record.properties.join(", "));
    fact("strategy", record.strategy.clone() + &record.options_text());
    fact("seed", record.seed.to_string());
    if record.runs > 1 {
        fact("runs", record.runs.to_string());
    }
    fact("set", record.settings.join(", "));
    fact("time", format!("{:.2} s", record.seconds));
    out.push_str("</dl>\n");
    if let Some(command) = &record.command {
        let _ = writeln!(
            out,
            "<div class=\"repeat\"><span>to repeat</span><code id=\"command\">{}</code>\
             <button type=\"button\" id=\"copy\" class=\"needs-script\">Copy</button></div>",
            escaped(command)
        );
    }
    out.push_str("</header>\n");
}

/// `found: deadlock` without the word that stands beside it.
fn without_prefix<'a>(sentence: &'a str, verdict: &str) -> &'a str {
    let rest = sentence.strip_prefix(verdict).unwrap_or(sentence);
    rest.trim_start_matches([':', ' '])
}

fn found(out: &mut String, record: &Record) {
    for (number, found) in record.found.iter().take(WITNESSES).enumerate() {
        witness(out, number, found);
    }
    if record.found.len() > WITNESSES {
        out.push_str("<section>\n<h2>More</h2>\n<ol class=\"more\">\n");
        for (number, found) in record.found.iter().enumerate().skip(WITNESSES) {
            let (place, title) = (number + 1, escaped(&found.title));
            let length = found.length_text();
            let _ = write!(out, "<li value=\"{place}\">{title}: {length}");
            if let Some(last) = found.story.steps.last() {
                let _ = write!(out, ", ends with <code>{}</code>", escaped(&last.label));
            }
            out.push_str("</li>\n");
        }
        out.push_str("</ol>\n</section>\n");
    }
}

fn witness(out: &mut String, number: usize, found: &Found) {
    let story = &found.story;
    let _ = writeln!(
        out,
        "<section class=\"witness\" data-witness=\"{number}\" aria-label=\"witness {0}\">\n<h2>{0}. {1} <small>{2}</small></h2>",
        number + 1,
        escaped(&found.title),
        found.length_text()
    );
    if story.is_empty() {
        out.push_str("<p>It shows in the initial state; no step is needed.</p>\n");
    } else {
        let _ = writeln!(
            out,
            "<div class=\"player needs-script\">\n\
             <button type=\"button\" data-go=\"first\" aria-label=\"to the beginning\" title=\"to the beginning (Home)\">|◀</button>\n\
             <button type=\"button\" data-go=\"back\" aria-label=\"one step back\" title=\"one step back (← or k)\">◀</button>\n\
             <input type=\"range\" min=\"0\" max=\"{0}\" value=\"0\" aria-label=\"step\">\n\
             <button type=\"button\" data-go=\"on\" aria-label=\"one step on\" title=\"one step on (→ or j)\">▶</button>\n\
             <button type=\"button\" data-go=\"last\" aria-label=\"to the end\" title=\"to the end (End)\">▶|</button>\n\
             <output aria-live=\"polite\">step 0 of {0}</output>\n</div>",
            story.len()
        );
    }
    out.push_str("<div class=\"stage\">\n");
    lanes::draw(out, story, &drawn(story.len()));
    out.push_str(
        "<aside class=\"state needs-script\" tabindex=\"0\" aria-label=\"state\">\n<h3></h3>\n\
         <label><input type=\"checkbox\"> only what changed</label>\n<table><tbody></tbody></table>\n</aside>\n</div>\n",
    );
    steps::table(out, story, &drawn(story.len()));
    if let Some(file) = found.file.as_deref().map(escaped) {
        let _ = writeln!(out, "<p class=\"file\">witness: <code>{file}</code></p>");
    }
    out.push_str("</section>\n");
}

/// The steps that are drawn: all, or the first and the last.
fn drawn(length: usize) -> Vec<std::ops::Range<usize>> {
    match length <= SHOWN {
        true => std::iter::once(0..length).collect(),
        false => vec![0..SHOWN / 2, length - SHOWN / 2..length],
    }
}

fn seen(out: &mut String, record: &Record) {
    out.push_str("<section>\n<h2>What was seen</h2>\n");
    if let Some(counts) = &record.counts {
        out.push_str("<dl class=\"counts\">\n");
        let mut count = |name: &str, about: &str, value: u64, meaning: &str| {
            let (meaning, value) = (attribute(meaning), grouped(value));
            let text = format!("<dt>{name}</dt><dd>{about}{value}</dd>");
            let _ = writeln!(out, "<div title=\"{meaning}\">{text}</div>");
        };
        let meaning = "states all of whose steps were listed";
        count("expanded", "", counts.expanded, meaning);
        let meaning = "states put on a path, lane or stack";
        count("visited", "", counts.visited, meaning);
        let meaning = "states visited or seen as a successor";
        let precision = about(counts.precision);
        count("considered", precision, counts.considered, meaning);
        count("transitions", "", counts.transitions, "steps listed");
        let meaning = "greatest distance from the initial state on the search's own paths";
        count("depth", "", counts.depth, meaning);
        out.push_str("</dl>\n");
    }
    if !record.remarks.is_empty() {
        let remarks = record.remarks.iter();
        let remarks = remarks.map(|remark| format!("<li>{}</li>\n", escaped(remark)));
        let remarks = remarks.collect::<String>();
        let _ = writeln!(out, "<ul class=\"remarks\">\n{remarks}</ul>");
    }
    if matches!(record.verdict, Verdict::Spent(_)) {
        out.push_str("<p class=\"honest\">Nothing is known about what was not seen.</p>\n");
    }
    curves::draw(out, &record.course);
    out.push_str("</section>\n");
}

fn comparison(out: &mut String, record: &Record) {
    let Some(table) = &record.comparison else {
        return;
    };
    out.push_str("<section>\n<h2>Comparison</h2>\n<div class=\"scroll\"><table class=\"comparison\">\n<thead><tr>");
    for cell in table.head() {
        let _ = write!(out, "<th scope=\"col\">{}</th>", escaped(cell));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in table.rows() {
        out.push_str("<tr>");
        for cell in row {
            let _ = write!(out, "<td>{}</td>", escaped(cell));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div>\n</section>\n");
}

fn foot(out: &mut String, record: &Record) {
    out.push_str("<footer>\n");
    if record.found.iter().any(|found| !found.story.is_empty()) {
        out.push_str(
            "<p class=\"needs-script keys\"><kbd>←</kbd> <kbd>→</kbd> or <kbd>k</kbd> <kbd>j</kbd> one step, \
             <kbd>Home</kbd> <kbd>End</kbd> to the beginning and the end</p>\n",
        );
    }
    let _ = writeln!(
        out,
        "<p>sortie {}; model content {}</p>\n</footer>",
        env!("CARGO_PKG_VERSION"),
        escaped(&record.content)
    );
}

/// The paths for the script, in a form that cannot end the element it stands in.
fn data(record: &Record) -> String {
    let witnesses = record.found.iter().take(WITNESSES).map(|found| {
        let story = &found.story;
        let steps = story.steps.iter().map(|step| {
            let changes = step.changes.iter();
            let changes: Value = changes.map(|c| json!([c.field, c.after])).collect();
            json!([step.label, changes])
        });
        json!({
            "fields": story.fields,
            "start": story.start,
            "steps": steps.collect::<Vec<_>>(),
            "cycle": story.cycle,
        })
    });
    Value::Array(witnesses.collect())
        .to_string()
        .replace('<', "\\u003c")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

fn grouped(number: u64) -> String {
    grouped_by(number, '\u{202f}')
}
