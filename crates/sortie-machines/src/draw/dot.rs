//! Pictures for Graphviz.

use super::{MOST_STATES, marks, remarkable, shapes};
use crate::System;
use std::fmt::Write;

/// The machines as graphs in Graphviz's language, one cluster for each. End states have two borders, fault states are red, progress states green, accepting
/// states blue.
pub fn dot(system: &System) -> String {
    let mut out = format!("digraph {} {{\n", quoted(&system.name));
    out.push_str("  rankdir=LR;\n  compound=true;\n  fontname=\"sans-serif\";\n");
    out.push_str(
        "  node [shape=box, style=\"rounded,filled\", fillcolor=white, fontname=\"sans-serif\"];\n",
    );
    out.push_str("  edge [fontname=\"sans-serif\", fontsize=10];\n");
    for shape in shapes(system) {
        let machine = &system.machines[shape.machine];
        let m = shape.machine;
        let _ = writeln!(out, "  subgraph cluster_{m} {{");
        let _ = writeln!(out, "    label={};", quoted(&shape.title(system)));
        let _ = writeln!(out, "    m{m}_start [shape=point, label=\"\"];");
        let drawn = machine.states.len().min(MOST_STATES);
        for (s, state) in machine.states.iter().enumerate().take(drawn) {
            let marks = marks(state);
            let label = match marks.is_empty() {
                true => state.name.clone(),
                false => format!("{}\n{marks}", state.name),
            };
            let mut attributes = format!("label={}", quoted(&label));
            if state.may_end {
                attributes.push_str(", peripheries=2");
            }
            let colours = ["#f4b6b0", "#b9d3f5", "#bfe5c2"];
            let colour = remarkable(state).map(|place| colours[place]);
            if let Some(colour) = colour {
                let _ = write!(attributes, ", fillcolor=\"{colour}\"");
            }
            let _ = writeln!(out, "    m{m}_s{s} [{attributes}];");
        }
        if drawn < machine.states.len() {
            let left_out = format!("and {} more states", machine.states.len() - drawn);
            let _ = writeln!(
                out,
                "    m{m}_more [shape=plaintext, label={}];",
                quoted(&left_out)
            );
        }
        if (machine.initial as usize) < drawn {
            let _ = writeln!(out, "    m{m}_start -> m{m}_s{};", machine.initial);
        }
        for arrow in &shape.arrows {
            if arrow.from >= drawn || arrow.to >= drawn {
                continue;
            }
            let lines = arrow.names.iter().zip(&arrow.details);
            let lines = lines.map(|(name, details)| match details.is_empty() {
                true => name.clone(),
                false => format!("{name}\n{details}"),
            });
            let lines: Vec<String> = lines.collect();
            let _ = writeln!(
                out,
                "    m{m}_s{} -> m{m}_s{} [label={}];",
                arrow.from,
                arrow.to,
                quoted(&lines.join("\n"))
            );
        }
        out.push_str("  }\n");
    }
    out.push_str("}\n");
    out
}

/// A text in quotes, where line ends are written as such.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            letter if letter.is_control() => out.push(' '),
            letter => out.push(letter),
        }
    }
    out.push('"');
    out
}
