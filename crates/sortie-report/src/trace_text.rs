//! A trace for people: a table of its steps, with who took part and what changed.

use crate::story::{Change, Story, StoryStep};
use crate::units::{length, shortened};
use sortie_model::{Field, Model, Trace};
use std::fmt::Write;

/// How many steps are shown before the middle is left out.
const SHOWN: usize = 400;

/// The most columns for those who take part.
const COMPONENTS: usize = 28;

/// The steps of a trace as [`told`] shows them; a loop begins after `cycle` steps, if there is one.
pub fn text(model: &dyn Model, trace: &Trace, cycle: Option<usize>, columns: usize) -> String {
    told(&Story::of(model, trace, cycle), columns)
}

/// The steps with the components that take part, their labels, and the parts of the state that changed, within `columns` columns. A line says
/// where a loop begins. Where steps are made of values from outside, these stand in the table with what changed, and nothing is cut.
pub fn told(story: &Story, columns: usize) -> String {
    let rows = story.steps.iter().map(|step| Row::of(story, step));
    let rows: Vec<Row> = rows.collect();
    let given = !rows.is_empty() && story.steps.iter().all(|step| step.given.is_some());
    let layout = Layout::of(&rows, given, columns);
    let mut out = String::new();
    if given || layout.component_width > 0 {
        layout.head(&mut out);
    }
    let hidden = SHOWN / 2..rows.len().saturating_sub(SHOWN / 2);
    for (index, row) in rows.iter().enumerate() {
        let digits = layout.digits;
        if story.cycle == Some(index) {
            let _ = writeln!(out, "{:>digits$}  {}", "", story.going_round());
        }
        if hidden.contains(&index) {
            if index == hidden.start {
                let _ = writeln!(out, "{:>digits$}  … {} steps …", "", hidden.len());
            }
            continue;
        }
        layout.step(&mut out, index + 1, row);
    }
    out
}

/// A step in words.
struct Row {
    component: String,
    action: Vec<String>,
    changes: Vec<String>,
}

impl Row {
    fn of(story: &Story, step: &StoryStep) -> Self {
        let names = story.names(step);
        let alone = match names[..] {
            [name] => Some(name),
            _ => None,
        };
        let is_given = |change: &Change| {
            let mut given = step.given.iter().flatten();
            given.any(|known| known.name == story.fields[change.field])
        };
        let change = |change: &Change| {
            let name = &story.fields[change.field];
            let name = alone.map_or(name.as_str(), |alone| within(name, alone));
            let value = change.after.clone()?;
            let name = name.into();
            Some(word(&Field { name, value }))
        };
        let changes = step.changes.iter().filter(|change| !is_given(change));
        Row {
            component: names.join(", "),
            action: match &step.given {
                Some(given) => given.iter().map(word).collect(),
                None => vec![step.label.clone()],
            },
            changes: changes.filter_map(change).collect(),
        }
    }
}

/// The name of a field in the row of the component it belongs to.
fn within<'a>(field: &'a str, component: &str) -> &'a str {
    let rest = field.strip_prefix(component);
    rest.and_then(|rest| rest.strip_prefix('.'))
        .unwrap_or(field)
}

fn word(field: &Field) -> String {
    match field.value.as_str() {
        "" => field.name.clone(),
        value => format!("{}={value}", field.name),
    }
}

/// The width of each column; none for components if no step says who takes part.
struct Layout {
    digits: usize,
    component_width: usize,
    action_width: usize,
    change_width: usize,
    /// Whether steps are made of values from outside.
    given: bool,
}

impl Layout {
    fn of(rows: &[Row], given: bool, columns: usize) -> Self {
        let widest = |width: fn(&Row) -> usize| rows.iter().map(width).max().unwrap_or(0);
        let digits = rows.len().to_string().len().max(2);
        let component_width = match widest(|row| length(&row.component)) {
            0 => 0,
            widest => widest.clamp("component".len(), COMPONENTS),
        };
        let before = digits + 2 + component_width + if component_width > 0 { 2 } else { 0 };
        let room = columns.saturating_sub(before + 2);
        let widest = widest(|row| length(&row.action.join(" ")));
        // Where there is a head, it has to fit.
        let least = match (given, component_width) {
            (true, _) => "given".len(),
            (false, 0) => 1,
            (false, _) => "action".len(),
        };
        let action_width = widest.min(room / 2).max(least);
        Layout {
            digits,
            component_width,
            action_width,
            change_width: room.saturating_sub(action_width),
            given,
        }
    }

    fn head(&self, out: &mut String) {
        let action = if self.given { "given" } else { "action" };
        let cells = ["component", action, "changed"].map(|cell| vec![cell.to_owned()]);
        self.lines(out, "", &cells);
    }

    fn step(&self, out: &mut String, number: usize, row: &Row) {
        let component = vec![cut(&row.component, self.component_width)];
        let cell = |words: &[String], width: usize| match self.given {
            true => wrapped(words, width),
            false => vec![cut(&words.join(" "), width)],
        };
        let action = cell(&row.action, self.action_width);
        let changes = cell(&row.changes, self.change_width);
        self.lines(out, &number.to_string(), &[component, action, changes]);
    }

    /// A row of three cells of some lines each.
    fn lines(&self, out: &mut String, number: &str, cells: &[Vec<String>; 3]) {
        let nothing = String::new();
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        for line in 0..height {
            let [component, action, changes] =
                [0, 1, 2].map(|cell| cells[cell].get(line).unwrap_or(&nothing));
            let digits = self.digits;
            let number = if line == 0 { number } else { "" };
            let mut text = format!("{number:>digits$}  ");
            if self.component_width > 0 {
                text += &padded(component, self.component_width);
            }
            text += &padded(action, self.action_width);
            text += changes;
            let _ = writeln!(out, "{}", text.trim_end());
        }
    }
}

/// A cell with the gap to the next.
fn padded(text: &str, width: usize) -> String {
    let gap = (width + 2).saturating_sub(length(text));
    format!("{text}{}", " ".repeat(gap))
}

/// Words in lines of a width; at least one line.
fn wrapped(words: &[String], width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in words {
        let word = cut(word, width);
        let last = lines.last_mut().expect("there is a line");
        if last.is_empty() {
            last.push_str(&word);
        } else if length(last) + 1 + length(&word) <= width {
            last.push(' ');
            last.push_str(&word);
        } else {
            lines.push(word);
        }
    }
    lines
}

/// A text that may not leave its line, nor its column.
fn cut(text: &str, width: usize) -> String {
    shortened(&text.replace(char::is_control, "␤"), width)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(label: &str, parts: &[usize], field: usize, after: &str) -> StoryStep {
        StoryStep {
            label: label.into(),
            parts: parts.to_vec(),
            given: None,
            changes: vec![Change {
                field,
                before: Some("0".into()),
                after: Some(after.into()),
            }],
        }
    }

    fn story(steps: Vec<StoryStep>) -> Story {
        Story {
            components: vec!["Sender".into(), "Channel(1)".into()],
            fields: vec!["Sender.bit".into(), "Channel(1)".into()],
            start: vec![Some("0".into()), Some("0".into())],
            steps,
            cycle: None,
        }
    }

    #[test]
    fn steps_stand_in_a_table_with_who_takes_part() {
        let send = step("send(1)", &[0, 1], 1, "Full");
        let steps = vec![step("go", &[0], 0, "1"), send];
        let expected = "    component           action   changed\n \
                        1  Sender              go       bit=1\n \
                        2  Sender, Channel(1)  send(1)  Channel(1)=Full\n";
        assert_eq!(told(&story(steps), 100), expected);
    }

    #[test]
    fn without_components_there_is_no_column_for_them() {
        let steps = vec![step("go", &[], 0, "1")];
        assert_eq!(told(&story(steps), 100), " 1  go  Sender.bit=1\n");
    }

    #[test]
    fn every_line_fits() {
        let long = "lång ".repeat(60);
        let mut steps: Vec<StoryStep> = (0..1000).map(|_| step(&long, &[0, 1], 1, &long)).collect();
        steps[3].label = "two\nlines".into();
        let mut story = story(steps);
        story.cycle = Some(990);
        let text = told(&story, 100);
        for line in text.lines() {
            assert!(length(line) <= 100, "{line}");
        }
        assert!(text.contains("… 600 steps …"));
        assert!(text.contains("from here on it goes round: 10 steps"));
        assert!(text.contains("two␤lines"));
        assert_eq!(text.lines().count(), 1 + 400 + 2);
    }

    #[test]
    fn values_from_outside_are_not_cut_nor_told_twice() {
        let field = |name: &str, value: &str| Field {
            name: name.into(),
            value: value.into(),
        };
        let mut one = step("", &[], 0, "1");
        let many = (0..20).map(|n| field(&format!("input{n}"), "TRUE"));
        one.given = Some(many.chain([field("Sender.bit", "1")]).collect());
        let text = told(&story(vec![one]), 60);
        assert!(text.starts_with("    given"), "{text}");
        for n in 0..20 {
            assert!(text.contains(&format!("input{n}=TRUE")), "{text}");
        }
        assert_eq!(text.matches("Sender.bit").count(), 1, "{text}");
        assert!(text.lines().all(|line| length(line) <= 60), "{text}");
    }
}
