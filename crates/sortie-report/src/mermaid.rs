//! The first witness as a Mermaid sequence diagram: components are participants, steps of several are lines between them.
//!
//! Which of the components sends and which receives is not known to every model, so lines have no heads.

use crate::markup::one_line;
use crate::record::Record;
use crate::story::Story;
use std::fmt::Write;

/// The file; none if nothing was found.
pub fn text(record: &Record) -> Option<String> {
    let found = record.found.first()?;
    let story = &found.story;
    let mut out = String::from("sequenceDiagram\n");
    let title = format!("{}: {}, {}", record.model, found.title, found.length_text());
    let _ = writeln!(out, "    title {}", word(&title));
    out.push_str("    autonumber\n");
    let cast = cast(story);
    for (number, name) in &cast {
        let _ = writeln!(out, "    participant p{number} as {}", word(name));
    }
    if cast.is_empty() {
        let _ = writeln!(out, "    participant p0 as {}", word(&record.model));
    }
    for (place, step) in story.steps.iter().enumerate() {
        if story.cycle == Some(place) {
            out.push_str("    loop for ever\n");
        }
        let label = word(&step.label);
        let _ = match step.parts[..] {
            [] if cast.is_empty() => writeln!(out, "    p0->>p0: {label}"),
            [] => {
                let (first, last) = (cast[0].0, cast[cast.len() - 1].0);
                writeln!(out, "    Note over p{first},p{last}: {label}")
            }
            [one] => writeln!(out, "    p{one}->>p{one}: {label}"),
            [one, other] => writeln!(out, "    p{one}->p{other}: {label}"),
            [one, .., last] => {
                let names = word(&story.names(step).join(", "));
                writeln!(out, "    p{one}->p{last}: {label}")
                    .and_then(|()| writeln!(out, "    Note over p{one},p{last}: together: {names}"))
            }
        };
    }
    if story.cycle.is_some() {
        out.push_str("    end\n");
    }
    Some(out)
}

/// Those who take part in some step, with their numbers.
fn cast(story: &Story) -> Vec<(usize, &String)> {
    let mut takes_part = vec![false; story.components.len()];
    for part in story.steps.iter().flat_map(|step| &step.parts) {
        takes_part[*part] = true;
    }
    let all = story.components.iter().enumerate();
    all.filter(|(number, _)| takes_part[*number]).collect()
}

/// A text on one line in which nothing has a meaning to Mermaid: such characters are written by their numbers.
fn word(text: &str) -> String {
    let mut out = String::new();
    for c in one_line(text).chars() {
        if c.is_alphanumeric() || " ()_=.,!?|+*/@[]→…–".contains(c) {
            out.push(c);
        } else {
            let _ = write!(out, "#{};", c as u32);
        }
    }
    match out.trim() {
        "" => "#160;".into(),
        // A keyword of the language, wherever it stands.
        "end" => "#101;nd".into(),
        trimmed => trimmed.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_no_meaning() {
        assert_eq!(word("a: b; #c\n<d>"), "a#58; b#59; #35;c #60;d#62;");
        assert_eq!(word("end"), "#101;nd");
        assert_eq!(word(" "), "#160;");
    }
}
