//! A trace for people: one line per step, with what it changed.

use sortie_model::{Model, Trace};
use std::fmt::Write;

/// How many steps are shown before the middle is left out.
const SHOWN: usize = 400;

/// The steps with their labels and the parts of the state that changed, within `columns` columns. A line says where a loop begins, if one
/// does, after `cycle` steps.
pub fn text(model: &dyn Model, trace: &Trace, cycle: Option<usize>, columns: usize) -> String {
    let labels: Vec<String> = trace
        .steps
        .iter()
        .map(|step| model.label(step.label))
        .collect();
    let digits = trace.len().to_string().len().max(2);
    let room = columns.saturating_sub(digits + 4);
    let widest = labels
        .iter()
        .map(|label| label.chars().count())
        .max()
        .unwrap_or(0);
    let label_width = widest.min(room / 2).max(1);
    let change_width = room.saturating_sub(label_width + 2);

    let mut out = String::new();
    let mut before = model.describe(&trace.start);
    let hidden = SHOWN / 2..trace.len().saturating_sub(SHOWN / 2);
    for (index, step) in trace.steps.iter().enumerate() {
        let after = model.describe(&step.target);
        let changes: Vec<String> = after
            .iter()
            .filter(|field| !before.contains(field))
            .map(|field| format!("{}={}", field.name, field.value))
            .collect();
        before = after;
        if cycle == Some(index) {
            let around = trace.len() - index;
            let plural = if around == 1 { "" } else { "s" };
            let _ = writeln!(
                out,
                "{:>digits$}  from here on it goes round: {around} step{plural}",
                ""
            );
        }
        if hidden.contains(&index) {
            if index == hidden.start {
                let _ = writeln!(out, "{:>digits$}  … {} steps …", "", hidden.len());
            }
            continue;
        }
        let label = cut(&labels[index], label_width);
        let pad = " ".repeat(label_width - label.chars().count());
        let line = format!(
            "{:>digits$}  {label}{pad}  {}",
            index + 1,
            cut(&changes.join(" "), change_width)
        );
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out
}

fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.into();
    }
    let mut short: String = text.chars().take(width.saturating_sub(1)).collect();
    short.push('…');
    short
}
