//! A trace for people: one line per step, with what it changed.

use sortie_model::{Field, Model, Trace};
use std::fmt::Write;

/// How many steps are shown before the middle is left out.
const SHOWN: usize = 400;

/// The steps with their labels and the parts of the state that changed, within `columns` columns. A line says where a loop begins, if one
/// does, after `cycle` steps. Where steps are made of values from outside, these stand in a table with what changed, and nothing is cut.
pub fn text(model: &dyn Model, trace: &Trace, cycle: Option<usize>, columns: usize) -> String {
    let given = trace.steps.iter().map(|step| model.given(step.label));
    let given: Option<Vec<Vec<Field>>> = given.collect();
    let labels: Vec<String> = match &given {
        Some(given) => given.iter().map(|fields| words(fields).join(" ")).collect(),
        None => {
            let labels = trace.steps.iter().map(|step| model.label(step.label));
            labels.collect()
        }
    };
    let digits = trace.len().to_string().len().max(2);
    let room = columns.saturating_sub(digits + 4);
    let widest = labels
        .iter()
        .map(|label| label.chars().count())
        .max()
        .unwrap_or(0);
    let least = if given.is_some() { GIVEN.len() } else { 1 };
    let label_width = widest.min(room / 2).max(least);
    let change_width = room.saturating_sub(label_width + 2);
    let layout = Layout {
        digits,
        label_width,
        change_width,
    };

    let mut out = String::new();
    if given.is_some() && !trace.is_empty() {
        layout.row(&mut out, "", &[GIVEN.into()], &["changed".into()]);
    }
    let mut before = model.describe(&trace.start);
    let hidden = SHOWN / 2..trace.len().saturating_sub(SHOWN / 2);
    for (index, step) in trace.steps.iter().enumerate() {
        let after = model.describe(&step.target);
        let changed: Vec<Field> = after
            .iter()
            .filter(|field| !before.contains(field))
            .cloned()
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
        let number = (index + 1).to_string();
        match &given {
            Some(given) => {
                let given = &given[index];
                let is_given = |field: &Field| given.iter().any(|known| known.name == field.name);
                let mut changed = changed;
                changed.retain(|field| !is_given(field));
                let left = wrapped(&words(given), label_width);
                let right = wrapped(&words(&changed), change_width);
                layout.row(&mut out, &number, &left, &right);
            }
            None => {
                let left = cut(&labels[index], label_width);
                let right = cut(&words(&changed).join(" "), change_width);
                layout.row(&mut out, &number, &[left], &[right]);
            }
        }
    }
    out
}

/// The head of the column of values from outside.
const GIVEN: &str = "given";

struct Layout {
    digits: usize,
    label_width: usize,
    change_width: usize,
}

impl Layout {
    /// A step: its number, and two cells of some lines.
    fn row(&self, out: &mut String, number: &str, left: &[String], right: &[String]) {
        let Layout {
            digits,
            label_width,
            change_width,
        } = self;
        let nothing = String::new();
        for line in 0..left.len().max(right.len()) {
            let number = if line == 0 { number } else { "" };
            let left = left.get(line).unwrap_or(&nothing);
            let pad = " ".repeat(label_width - left.chars().count());
            let right = cut(right.get(line).unwrap_or(&nothing), *change_width);
            let line = format!("{number:>digits$}  {left}{pad}  {right}");
            let _ = writeln!(out, "{}", line.trim_end());
        }
    }
}

fn words(fields: &[Field]) -> Vec<String> {
    let word = |field: &Field| match field.value.as_str() {
        "" => field.name.clone(),
        value => format!("{}={value}", field.name),
    };
    fields.iter().map(word).collect()
}

/// Words in lines of a width; at least one line.
fn wrapped(words: &[String], width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut room = width;
    for word in words {
        let word = cut(word, width);
        let length = word.chars().count();
        let last = lines.last_mut().expect("there is a line");
        if last.is_empty() {
            last.push_str(&word);
            room = width - length;
        } else if length < room {
            last.push(' ');
            last.push_str(&word);
            room -= length + 1;
        } else {
            lines.push(word);
            room = width - length;
        }
    }
    lines
}

fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.into();
    }
    let mut short: String = text.chars().take(width.saturating_sub(1)).collect();
    short.push('…');
    short
}
