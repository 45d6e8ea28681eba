//! The first witness as a trace in ITF, the JSON format of Apalache and Quint: every state with all its variables.

use crate::record::Record;
use serde_json::{Map, Value, json};

/// The variable that says what led to a state, named as Quint's is.
const ACTION: &str = "mbt::actionTaken";

/// The file; none if nothing was found.
pub fn text(record: &Record) -> Option<String> {
    let found = record.found.first()?;
    let story = &found.story;
    let fields = story.fields.iter().map(|name| variable(name));
    let names: Vec<String> = fields.collect();
    let mut states = Vec::with_capacity(story.len() + 1);
    for (place, values) in story.states().enumerate() {
        let action = match place.checked_sub(1) {
            Some(step) => story.steps[step].label.as_str(),
            None => "init",
        };
        let mut state = Map::new();
        state.insert("#meta".into(), json!({ "index": place }));
        state.insert(ACTION.into(), json!(action));
        for (name, text) in names.iter().zip(values) {
            // Every state of a trace has every variable.
            state.insert(name.clone(), text.map_or_else(|| json!(""), value));
        }
        states.push(Value::Object(state));
    }
    let mut variables = vec![ACTION.to_owned()];
    variables.extend(names);
    let mut trace = json!({
        "#meta": {
            "format": "ITF",
            "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
            "source": record.source.as_ref().unwrap_or(&record.model),
            "status": "violation",
            "description": format!("sortie: {}: {}", found.title, found.length_text()),
        },
        "params": [],
        "vars": variables,
        "states": states,
    });
    if let Some(begin) = story.cycle {
        // The last state is where the loop begins; what follows it is the state after that.
        trace["loop"] = json!(begin + 1);
    }
    let mut text = serde_json::to_string_pretty(&trace).expect("plain values are always written");
    text.push('\n');
    Some(text)
}

/// Names that begin with a hash mean something else.
fn variable(name: &str) -> String {
    match name.starts_with('#') || name == ACTION {
        true => format!("_{name}"),
        false => name.to_owned(),
    }
}

/// Truth values and whole numbers as such, everything else as text.
fn value(text: &str) -> Value {
    match text {
        "true" => json!(true),
        "false" => json!(false),
        _ if is_whole(text) => json!({ "#bigint": text }),
        _ => json!(text),
    }
}

fn is_whole(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && (digits == "0" || !digits.starts_with('0'))
        && text != "-0"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_their_kind() {
        assert_eq!(value("true"), json!(true));
        assert_eq!(
            value("-123456789012345678901234567890"),
            json!({ "#bigint": "-123456789012345678901234567890" })
        );
        for text in ["", "-", "-0", "007", "1.5", "[1, 2]", "True"] {
            assert_eq!(value(text), json!(text));
        }
    }
}
