//! Commands line by line, for scripts: what `sortie step` does without a terminal.

use super::super::output::{complain, print};
use super::super::{Failure, Outcome, Status};
use super::explorer::Explorer;
use super::{load_file, save, steps};
use std::fmt::Write;
use std::io::BufRead;

const HELP: &str = "\
show          the state, and the steps that can be taken
path          the steps taken, and those ahead
take N        take step N of those shown
label TEXT    take the step with this label
undo [N]      go back
redo [N]      go on along the path
random [N]    take random steps
go STEP       go to a place of the path; 0 is the beginning
filter TEXT   show only steps whose label or component contains TEXT; without TEXT, all
draw          show other steps, where there are too many to list
load FILE     load a witness, to be played with redo
save FILE     save the way to here as a witness
branches      the paths that were left for another
branch N      go back to one of them
quit          end
";

/// Reads commands until there are no more.
pub fn run(explorer: Explorer, message: String) -> Outcome {
    let mut script = Script {
        explorer,
        filter: String::new(),
    };
    let mut out = String::new();
    if !message.is_empty() {
        let _ = writeln!(out, "{message}");
    }
    script.show(&mut out);
    print(&out)?;
    let mut failed = false;
    let mut line = Vec::new();
    let mut input = std::io::stdin().lock();
    loop {
        line.clear();
        let read = input
            .read_until(b'\n', &mut line)
            .map_err(|error| Failure::broken(format!("standard input cannot be read: {error}")))?;
        if read == 0 {
            break;
        }
        let text = String::from_utf8_lossy(&line);
        match script.carry_out(text.trim()) {
            Ok(Said::Text(text)) => print(&text)?,
            Ok(Said::Quit) => break,
            Err(message) => {
                complain(format_args!("error: {message}"));
                failed = true;
            }
        }
    }
    Ok(if failed {
        Status::BadInput
    } else {
        Status::Fine
    })
}

/// A session and what is shown of it.
struct Script {
    explorer: Explorer,
    filter: String,
}

/// What a command answers.
#[derive(Debug, PartialEq, Eq)]
enum Said {
    Text(String),
    Quit,
}

impl Script {
    fn carry_out(&mut self, line: &str) -> Result<Said, String> {
        let (command, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let explorer = &mut self.explorer;
        let mut out = String::new();
        match command {
            "" => {}
            "show" => self.show(&mut out),
            "path" => self.path(&mut out),
            "take" => {
                explorer.take(index(rest, "steps are counted from 1")?)?;
                self.arrived(&mut out);
            }
            "label" if rest.is_empty() => return Err("say which label: label TEXT".into()),
            "label" => match explorer.take_labelled(rest)? {
                true => self.arrived(&mut out),
                false => self.choices(&mut out),
            },
            "undo" => {
                explorer.undo(number(rest, Some(1))?);
                self.arrived(&mut out);
            }
            "redo" => {
                explorer.redo(number(rest, Some(1))?);
                self.arrived(&mut out);
            }
            "random" => {
                let from = explorer.here();
                let result = explorer.random(number(rest, Some(1))?);
                for step in from + 1..=self.explorer.here() {
                    self.taken(step, &mut out);
                }
                // What was done before it failed is shown all the same.
                if let Err(message) = result {
                    print(&out).map_err(|failure| failure.message)?;
                    return Err(message);
                }
                self.arrived(&mut out);
            }
            "go" => {
                explorer.go(number(rest, None)?)?;
                self.arrived(&mut out);
            }
            "filter" => {
                self.filter = rest.to_owned();
                self.choices(&mut out);
            }
            "draw" => {
                explorer.redraw();
                self.choices(&mut out);
            }
            "load" => {
                let _ = writeln!(out, "{}", load_file(explorer, rest)?);
            }
            "save" if rest.is_empty() => return Err("say where to: save FILE".into()),
            "save" => {
                let _ = writeln!(out, "{}", save(explorer, rest)?);
            }
            "branches" => self.branches(&mut out),
            "branch" => {
                explorer.back_to(index(rest, "branches are counted from 1")?)?;
                self.arrived(&mut out);
            }
            "help" => out.push_str(HELP),
            "quit" => return Ok(Said::Quit),
            other => return Err(format!("there is no command '{other}'; help lists them")),
        }
        Ok(Said::Text(out))
    }

    /// One line of the path with what the step changed.
    fn taken(&self, step: usize, out: &mut String) {
        let fields = self.explorer.fields(step);
        let changed = fields.iter().filter(|field| field.before.is_some());
        let changed = changed.map(|field| format!("{}={}", field.name, field.value));
        let changed = changed.collect::<Vec<_>>().join(" ");
        let line = format!("{step:>4}  {}  {changed}", self.explorer.label(step));
        let _ = writeln!(out, "{}", line.trim_end());
    }

    /// Where one is now.
    fn arrived(&self, out: &mut String) {
        let explorer = &self.explorer;
        let ahead = explorer.path().steps.len() - explorer.here();
        let _ = write!(out, "after {}", steps(explorer.here()));
        if ahead > 0 {
            let _ = write!(out, ", {ahead} ahead");
        }
        let offer = explorer.offer();
        match offer.choices.len() {
            0 if offer.whole => out.push_str(": nothing more can happen"),
            count if offer.whole => {
                let _ = write!(out, ": {} possible", steps(count));
            }
            _ => {}
        }
        out.push('\n');
        self.remarks(out);
    }

    fn remarks(&self, out: &mut String) {
        for property in self.explorer.violated() {
            let _ = writeln!(out, "here: {property}");
        }
        if let Some(note) = &self.explorer.offer().note {
            let _ = writeln!(out, "note: {note}");
        }
    }

    fn show(&self, out: &mut String) {
        let explorer = &self.explorer;
        self.arrived(out);
        let fields = explorer.fields(explorer.here());
        let widest = fields.iter().map(|field| field.name.chars().count()).max();
        let width = widest.unwrap_or(0).min(30);
        for field in fields {
            let _ = write!(out, "  {:width$} = {}", field.name, field.value);
            match field.before {
                Some(before) if before.is_empty() => out.push_str("  (new)"),
                Some(before) => {
                    let _ = write!(out, "  (was {before})");
                }
                None => {}
            }
            out.push('\n');
        }
        self.choices(out);
    }

    /// The steps that can be taken, component after component.
    fn choices(&self, out: &mut String) {
        let explorer = &self.explorer;
        let offer = explorer.offer();
        let mut component = None;
        let shown = offer.matching(&self.filter, explorer.part_names());
        for &index in &shown {
            let choice = &offer.choices[index];
            if choice.component() != component {
                component = choice.component();
                let name = component.map_or("", |part| &explorer.part_names()[part][..]);
                let _ = writeln!(out, "{name}");
            }
            let _ = write!(out, "{:>4}  {}", index + 1, choice.text);
            if let [_, others @ ..] = &explorer.names(choice.parts)[..]
                && !others.is_empty()
            {
                let _ = write!(out, "  with {}", others.join(", "));
            }
            if let Some((weight, sum)) = choice.chance {
                let _ = write!(out, "  chance {weight}/{sum}");
            }
            out.push_str(if choice.violates { "  !\n" } else { "\n" });
        }
        let hidden = offer.choices.len() - shown.len();
        if hidden > 0 {
            let (hidden, filter) = (steps(hidden), &self.filter);
            let _ = writeln!(out, "{hidden} not shown: the filter is '{filter}'");
        }
    }

    fn path(&self, out: &mut String) {
        let path = self.explorer.path();
        let cycle = path.origin.as_ref().and_then(|origin| origin.cycle);
        for step in 1..=path.steps.len() {
            if cycle == Some(step - 1) {
                out.push_str("      from here on it goes round:\n");
            }
            if step == self.explorer.here() + 1 {
                out.push_str("      ahead:\n");
            }
            self.taken(step, out);
        }
    }

    fn branches(&self, out: &mut String) {
        for (index, path) in self.explorer.left().iter().enumerate() {
            let own = &self.explorer.path().steps;
            let common = path.steps.iter().zip(own).take_while(|(a, b)| a == b);
            let [length, common] = [path.steps.len(), common.count()].map(steps);
            let number = index + 1;
            *out += &format!("{number:>4}  {length}, other than this path after {common}\n");
        }
    }
}

/// A number that is counted from 1, as one that is counted from 0.
fn index(text: &str, refusal: &str) -> Result<usize, String> {
    let index = number(text, None)?.checked_sub(1);
    index.ok_or_else(|| refusal.into())
}

fn number(text: &str, default: Option<usize>) -> Result<usize, String> {
    match (text, default) {
        ("", Some(default)) => Ok(default),
        _ => text
            .parse()
            .map_err(|_| format!("'{text}' is not a number of steps")),
    }
}
