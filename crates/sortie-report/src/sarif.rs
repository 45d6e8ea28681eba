//! SARIF 2.1.0: what was found, with the path that shows it as a code flow.
//!
//! A property that was not found is a result too: it passes where everything was seen, and is open otherwise.

use crate::record::{Found, Record};
use serde_json::{Map, Value, json};
use sortie_model::Verdict;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The file.
pub fn text(record: &Record) -> String {
    let rule = |name: &String| json!({ "id": name, "shortDescription": { "text": name } });
    let rules: Vec<Value> = record.properties.iter().map(rule).collect();
    let mut results = Vec::new();
    for (index, property) in record.properties.iter().enumerate() {
        let before = results.len();
        let found = record.found_for(property);
        results.extend(found.map(|found| result(record, index, found)));
        if results.len() == before {
            let kind = match record.verdict {
                Verdict::Exhausted => "pass",
                _ => "open",
            };
            let mut result = json!({
                "ruleId": property,
                "ruleIndex": index,
                "kind": kind,
                "level": "none",
                "message": { "text": record.sentence },
            });
            locate(&mut result, record);
            results.push(result);
        }
    }
    let mut invocation = json!({
        "executionSuccessful": !matches!(record.verdict, Verdict::Broken(_)),
    });
    if let Some(command) = &record.command {
        invocation["commandLine"] = json!(command);
    }
    let note = |level: &str, text: &String| json!({ "level": level, "message": { "text": text } });
    let notes = record.remarks.iter().map(|remark| note("note", remark));
    let mut notes: Vec<Value> = notes.collect();
    if let Verdict::Broken(message) = &record.verdict {
        notes.push(note("error", message));
    }
    if !notes.is_empty() {
        invocation["toolExecutionNotifications"] = json!(notes);
    }
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {
                "driver": {
                    "name": "sortie",
                    "version": env!("CARGO_PKG_VERSION"),
                    "rules": rules,
                },
            },
            "columnKind": "unicodeCodePoints",
            "invocations": [invocation],
            "results": results,
            "properties": {
                "model": record.model,
                "content": record.content,
                "settings": record.settings,
                "strategy": record.strategy,
                "options": record.options,
                "seed": record.seed,
                "runs": record.runs,
                "verdict": record.verdict.name(),
                "seconds": record.seconds,
            },
        }],
    });
    let mut text = serde_json::to_string_pretty(&log).expect("plain values are always written");
    text.push('\n');
    text
}

fn result(record: &Record, rule: usize, found: &Found) -> Value {
    let (kind, level) = match found.violation {
        true => ("fail", "error"),
        false => ("informational", "none"),
    };
    let story = &found.story;
    let mut flow = Vec::with_capacity(story.len());
    for (place, step) in story.steps.iter().enumerate() {
        let mut location = json!({ "message": { "text": step.label } });
        physical(&mut location, record);
        let parts = story.names(step);
        if !parts.is_empty() {
            let logical = parts.iter().map(|name| json!({ "name": name }));
            location["logicalLocations"] = logical.collect();
        }
        let mut state = Map::new();
        for change in &step.changes {
            let value = change.after.as_deref().unwrap_or_default();
            state.insert(story.fields[change.field].clone(), json!({ "text": value }));
        }
        let mut at = json!({ "location": location, "executionOrder": place + 1 });
        if !state.is_empty() {
            at["state"] = Value::Object(state);
        }
        flow.push(at);
    }
    let mut result = json!({
        "ruleId": found.property,
        "ruleIndex": rule,
        "kind": kind,
        "level": level,
        "message": { "text": format!("{}: {}", found.title, found.length_text()) },
        "partialFingerprints": { "sortie/v1": fingerprint(found) },
    });
    locate(&mut result, record);
    // A flow has at least one location.
    if !flow.is_empty() {
        result["codeFlows"] = json!([{ "threadFlows": [{ "locations": flow }] }]);
    }
    result
}

/// One thing found again has the same: what it violates, and how it ends.
fn fingerprint(found: &Found) -> String {
    let last = found.story.steps.last();
    let last = last.map_or("", |step| step.label.as_str());
    format!("{} / {last}", found.property)
}

fn locate(result: &mut Value, record: &Record) {
    let mut location = json!({});
    physical(&mut location, record);
    if location != json!({}) {
        result["locations"] = json!([location]);
    }
}

/// The model's file, where it is one.
fn physical(location: &mut Value, record: &Record) {
    if let Some(source) = record.source.as_deref().filter(|source| *source != "-") {
        location["physicalLocation"] = json!({ "artifactLocation": { "uri": uri(source) } });
    }
}

/// A file's name as a reference: letters that have a meaning there are written as numbers.
fn uri(name: &str) -> String {
    let rest = name.strip_prefix("gallery:").unwrap_or(name);
    let mut out = name[..name.len() - rest.len()].to_owned();
    for byte in rest.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    if out.starts_with('/') {
        out.insert_str(0, "file://");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_become_references() {
        assert_eq!(uri("models/a b#1.mcrl2"), "models/a%20b%231.mcrl2");
        assert_eq!(uri("gallery:ring"), "gallery:ring");
        assert_eq!(uri("/tmp/ü"), "file:///tmp/%C3%BC");
        assert_eq!(uri("c:x"), "c%3Ax");
    }
}
