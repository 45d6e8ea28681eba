//! What the page asks for: one command at a time, each answered with all that is shown.
//!
//! Every answer has a version. A command that belongs to what was shown before, from another window perhaps, is not carried out.

use super::super::step::{Choice, Explorer, Shown, at_random, load};
use super::graph::Graph;
use super::highway::{LEVELS, Levels, WIDEST};
use serde::Deserialize;
use serde_json::{Value, json};

/// So many steps to choose from are shown at once; a filter finds the others.
const CHOICES: usize = 300;

/// So many steps of the path before and after where one is are shown.
const AROUND: usize = 1000;

/// So many random steps are taken at once.
const RANDOM: usize = 100_000;

/// What is asked for.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase", deny_unknown_fields)]
enum Command {
    /// Nothing but to see it.
    View,
    /// A step of the offer, from 1.
    Take { number: usize, version: u64 },
    /// The step with a label.
    Label { text: String },
    /// So many steps back.
    Undo { steps: usize },
    /// So many steps on.
    Redo { steps: usize },
    /// To a place of the path.
    Go { step: usize, version: u64 },
    /// Random steps.
    Random { steps: usize },
    /// Other steps, where there are too many to list.
    Draw,
    /// Back to a path that was left, from 1.
    Branch { number: usize, version: u64 },
    /// The text of a witness file.
    Load { text: String },
    /// The way to here as a witness file.
    Save,
    /// To a state of the graph.
    Visit { node: usize, version: u64 },
    /// A highway from here.
    Highway { width: u64, levels: u64, seed: u64 },
    /// To a state of the highway.
    Lane {
        level: usize,
        lane: usize,
        version: u64,
    },
}

/// A command and how its answer is to be shown.
#[derive(Debug, Deserialize)]
struct Request {
    #[serde(default)]
    filter: String,
    command: Command,
}

/// A session and what belongs to its pictures.
pub struct Session {
    explorer: Explorer,
    message: String,
    graph: Graph,
    highway: Option<Levels>,
    version: u64,
}

/// A command could not be carried out: the status and why.
type Refused = (u16, String);

impl Session {
    pub fn new(explorer: Explorer, message: String) -> Self {
        let mut graph = Graph::default();
        graph.update(&explorer);
        Session {
            explorer,
            message,
            graph,
            highway: None,
            version: 0,
        }
    }

    /// Answers a request: a status, and what there is to see.
    pub fn carry_out(&mut self, request: &Value) -> (u16, Value) {
        let Request { filter, command } = match Request::deserialize(request) {
            Ok(request) => request,
            Err(error) => {
                let message = format!("this is not a command: {error}");
                return (400, json!({ "error": message }));
            }
        };
        match self.command(command) {
            Ok(None) => (200, self.view(&filter)),
            Ok(Some(answer)) => (200, answer),
            Err((status, message)) => {
                let mut view = self.view(&filter);
                view["error"] = message.into();
                (status, view)
            }
        }
    }

    fn command(&mut self, command: Command) -> Result<Option<Value>, Refused> {
        if let Command::Take { version, .. }
        | Command::Go { version, .. }
        | Command::Branch { version, .. }
        | Command::Visit { version, .. }
        | Command::Lane { version, .. } = command
            && version != self.version
        {
            return Err((409, "what was shown has changed meanwhile".into()));
        }
        let impossible = |message: String| (400, message);
        let explorer = &mut self.explorer;
        let mut message = String::new();
        let mut result = Ok(());
        match command {
            Command::View => return Ok(None),
            Command::Save => {
                let witness = explorer.witness().map_err(impossible)?;
                let text = sortie_witness::write(&witness);
                return Ok(Some(json!({ "witness": text })));
            }
            Command::Highway {
                width,
                levels,
                seed,
            } => {
                let (width, levels) = (width.clamp(1, WIDEST), levels.clamp(1, LEVELS));
                let found = Levels::search(explorer, width, levels, seed).map_err(impossible)?;
                let answer = found.json(explorer);
                self.highway = Some(found);
                return Ok(Some(answer));
            }
            Command::Take { number, .. } => result = explorer.take(number.wrapping_sub(1)),
            Command::Label { text } => result = explorer.take_labelled(&text).map(|_| ()),
            Command::Undo { steps } => {
                explorer.undo(steps);
            }
            Command::Redo { steps } => {
                explorer.redo(steps);
            }
            Command::Go { step, .. } => result = explorer.go(step),
            Command::Random { steps: wanted } => {
                let wanted = wanted.min(RANDOM);
                let taken = explorer.random(wanted);
                result = taken.map(|taken| message = at_random(taken, wanted));
            }
            Command::Draw => explorer.redraw(),
            Command::Branch { number, .. } => result = explorer.back_to(number.wrapping_sub(1)),
            Command::Load { text } => {
                let witness = sortie_witness::read(&text);
                let witness = witness.map_err(|error| impossible(error.to_string()))?;
                message = load(explorer, &witness).map_err(impossible)?;
            }
            Command::Visit { node, .. } => {
                let way = self.graph.way_to(node);
                let way = way.ok_or_else(|| impossible(format!("there is no state {node}")))?;
                result = explorer.go_along(way);
            }
            Command::Lane { level, lane, .. } => {
                let highway = self.highway.as_ref();
                let way = highway.and_then(|highway| highway.way_to(level, lane));
                let way = way.ok_or_else(|| impossible("there is no such lane".into()))?;
                result = explorer.go_along(way);
            }
        }
        self.message = message;
        self.version += 1;
        self.graph.update(&self.explorer);
        result.map(|()| None).map_err(impossible)
    }

    /// All that is shown but the highway.
    fn view(&self, filter: &str) -> Value {
        let explorer = &self.explorer;
        let (here, path) = (explorer.here(), explorer.path());
        let offer = explorer.offer();
        let fitting = offer.matching(filter, explorer.part_names());
        let choice = |&index: &usize| self.choice(index, &offer.choices[index]);
        let choices: Vec<Value> = fitting.iter().take(CHOICES).map(choice).collect();
        let first = here.saturating_sub(AROUND);
        let last = path.steps.len().min(here + AROUND);
        let taken = |step: usize| {
            json!({
                "label": explorer.label(step),
                "parts": explorer.names(path.steps[step - 1].parts),
            })
        };
        let left = explorer.left().iter().map(|other| {
            let pairs = other.steps.iter().zip(&path.steps);
            let common = pairs.take_while(|(a, b)| a == b).count();
            json!({ "length": other.steps.len(), "common": common })
        });
        let origin = path.origin.as_ref();
        json!({
            "version": self.version,
            "model": explorer.model().identity().name,
            "message": self.message,
            "here": here,
            "length": path.steps.len(),
            "first": first,
            "path": (first + 1..=last).map(taken).collect::<Vec<_>>(),
            "state": explorer.fields(here).iter().map(field).collect::<Vec<_>>(),
            "choices": choices,
            "fitting": fitting.len(),
            "all": offer.choices.len(),
            "whole": offer.whole,
            "note": offer.note,
            "violated": explorer.violated(),
            "property": origin.map(|origin| &origin.property),
            "cycle": origin.and_then(|origin| origin.cycle),
            "left": left.collect::<Vec<_>>(),
            "graph": self.graph.json(explorer),
        })
    }

    fn choice(&self, index: usize, choice: &Choice) -> Value {
        let explorer = &self.explorer;
        let names = explorer.names(choice.parts);
        json!({
            "number": index + 1,
            "label": choice.text,
            "component": names.first(),
            "with": names.get(1..).unwrap_or_default(),
            "chance": choice.chance.map(|(weight, sum)| format!("{weight}/{sum}")),
            "violates": choice.violates,
            "ahead": explorer.is_ahead(choice),
            "changes": explorer.changes(choice).iter().map(field).collect::<Vec<_>>(),
        })
    }
}

fn field(field: &Shown) -> Value {
    json!({ "name": field.name, "value": field.value, "before": field.before })
}
