//! JUnit XML: a hunt is a test suite, each property a test case.
//!
//! What was found is a failure, and so is a required action that was never seen. A hunt that is spent has not shown that there is nothing, so its test cases are skipped, unless everything had to
//! be seen: then they fail.

use crate::markup::{attribute, escaped};
use crate::record::{Found, Record};
use crate::trace_text;
use sortie_model::Verdict;
use std::fmt::Write;

const COLUMNS: usize = 100;

/// The file.
pub fn text(record: &Record) -> String {
    let properties = record.properties.iter();
    let mut cases: Vec<Case> = properties.map(|name| Case::of(record, name)).collect();
    cases.extend(record.never_seen.iter().map(|name| Case::never_seen(name)));
    let count = |kind: &str| {
        let same = |case: &&Case| case.outcome.as_ref().is_some_and(|o| o.kind == kind);
        cases.iter().filter(same).count()
    };
    let totals = format!(
        "tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3}\"",
        cases.len(),
        count("failure"),
        count("error"),
        count("skipped"),
        record.seconds
    );
    let model = attribute(&record.model);
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(out, "<testsuites name=\"sortie\" {totals}>");
    let _ = writeln!(out, "  <testsuite name=\"{model}\" {totals}>");
    out.push_str("    <properties>\n");
    for (name, value) in settings(record) {
        let value = attribute(&value);
        let _ = writeln!(out, "      <property name=\"{name}\" value=\"{value}\"/>");
    }
    out.push_str("    </properties>\n");
    let each = record.seconds / cases.len().max(1) as f64;
    for case in &cases {
        let _ = writeln!(
            out,
            "    <testcase name=\"{}\" classname=\"{model}\" time=\"{each:.3}\">",
            attribute(&case.name)
        );
        if let Some(outcome) = &case.outcome {
            let _ = writeln!(
                out,
                "      <{0} message=\"{1}\" type=\"{2}\">{3}</{0}>",
                outcome.kind,
                attribute(&outcome.message),
                attribute(record.verdict.name()),
                escaped(&outcome.details)
            );
        }
        let output = escaped(&case.output);
        let _ = writeln!(out, "      <system-out>{output}</system-out>");
        out.push_str("    </testcase>\n");
    }
    out.push_str("  </testsuite>\n</testsuites>\n");
    out
}

fn settings(record: &Record) -> Vec<(&'static str, String)> {
    let mut settings = vec![
        ("content", record.content.clone()),
        ("settings", record.settings.join(" ")),
        ("strategy", record.strategy.clone()),
        ("options", record.options.join(" ")),
        ("seed", record.seed.to_string()),
        ("runs", record.runs.to_string()),
        ("verdict", record.verdict.name().to_owned()),
    ];
    settings.extend(record.command.clone().map(|command| ("command", command)));
    settings.retain(|(_, value)| !value.is_empty());
    settings
}

struct Case {
    name: String,
    outcome: Option<Outcome>,
    output: String,
}

struct Outcome {
    /// The name of the element.
    kind: &'static str,
    message: String,
    details: String,
}

impl Case {
    /// A required action that was never seen.
    fn never_seen(action: &str) -> Self {
        Case {
            name: format!("required action {action}"),
            outcome: Some(Outcome {
                kind: "failure",
                message: "never seen, though required".into(),
                details: String::new(),
            }),
            output: String::new(),
        }
    }

    fn of(record: &Record, property: &str) -> Self {
        let found: Vec<&Found> = record.found_for(property).collect();
        let violations: Vec<&Found> = found.iter().copied().filter(|f| f.violation).collect();
        let told = |found: &[&Found]| {
            let one = |found: &&Found| {
                let trace = trace_text::told(&found.story, COLUMNS);
                format!("{}: {}\n{trace}", found.title, found.length_text())
            };
            found.iter().map(one).collect::<Vec<_>>().join("\n")
        };
        let outcome = if let Some(first) = violations.first() {
            Some(Outcome {
                kind: "failure",
                message: format!("found: {}, {}", first.title, first.length_text()),
                details: told(&violations),
            })
        } else {
            let kind = match &record.verdict {
                Verdict::Broken(_) => Some("error"),
                Verdict::Exhausted => None,
                // Found: another property was found, and this one was not looked for to the end.
                Verdict::Spent(_) | Verdict::Found if record.must_exhaust => Some("failure"),
                Verdict::Spent(_) | Verdict::Found => Some("skipped"),
            };
            kind.map(|kind| Outcome {
                kind,
                message: record.sentence.clone(),
                details: String::new(),
            })
        };
        let mut output = vec![record.sentence.clone()];
        if violations.is_empty() && !found.is_empty() {
            output.push(told(&found));
        }
        output.extend(record.remarks.iter().cloned());
        let command = record.command.iter();
        output.extend(command.map(|command| format!("to repeat: {command}")));
        Case {
            name: property.into(),
            outcome,
            output: output.join("\n"),
        }
    }
}
