//! A run as a few lines: who moved, at which places of the source, what was tossed.
//!
//! shuttle says nothing about operations, but it asks on the stack of the task that has just come to one. So a run that is to be shown keeps a backtrace of every question,
//! and the first frame outside of libraries is where the task is. What is shown of a move is the place where it began.

use sortie_model::{Choice, Chooser, Kind};
use sortie_search::schedulers::{Answer, Replay};
use std::backtrace::Backtrace;
use std::collections::HashMap;
use std::path::Path;

/// Runs with more questions than this are shown without places.
const TRACED: usize = 1000;

/// A line has at most so many places.
const PLACES: usize = 8;

/// A run has at most so many lines, half of them its beginning and half its end.
const LINES: usize = 60;

/// Follows answers and watches.
pub(super) struct Watched<'a> {
    replay: Replay<'a>,
    events: Vec<Event>,
}

enum Event {
    /// A task moves, after the one that moved last came to a place.
    Move {
        task: String,
        /// The stack of that one, which it is asked about from.
        arrived: Option<Backtrace>,
    },
    /// The task that moved last chose by itself.
    Toss { chosen: usize, of: usize },
}

impl<'a> Watched<'a> {
    /// Follows these answers.
    pub fn new(answers: &'a [Answer]) -> Self {
        Watched {
            replay: Replay::new(answers),
            events: Vec::new(),
        }
    }

    /// The replay of the answers.
    pub fn replay(&self) -> &Replay<'a> {
        &self.replay
    }

    /// The run, a line for every context switch.
    pub fn lines(&self) -> Vec<String> {
        let mut turns: Vec<Turn> = Vec::new();
        let mut waiting: HashMap<&str, Option<String>> = HashMap::new();
        let mut last: Option<&str> = None;
        for event in &self.events {
            match event {
                Event::Move { task, arrived } => {
                    if let (Some(last), Some(trace)) = (last, arrived) {
                        waiting.insert(last, place(trace));
                    }
                    let is_new = !waiting.contains_key(task.as_str());
                    let from = waiting.insert(task, None).flatten();
                    if last != Some(task) {
                        turns.push(Turn {
                            task: task.clone(),
                            moves: 0,
                            what: Vec::new(),
                        });
                    }
                    let turn = turns.last_mut().expect("a turn was begun");
                    turn.moves += 1;
                    turn.what.extend(is_new.then(|| "begins".into()));
                    turn.what.extend(from);
                    last = Some(task);
                }
                Event::Toss { chosen, of } => {
                    if let Some(turn) = turns.last_mut() {
                        turn.what.push(format!("toss {chosen} of {of}"));
                    }
                }
            }
        }
        let width = turns.iter().map(|turn| turn.task.len()).max().unwrap_or(0);
        let mut lines: Vec<String> = turns.iter().map(|turn| turn.line(width)).collect();
        if lines.len() > LINES {
            let omitted = lines.len() - LINES;
            let middle = LINES / 2..LINES / 2 + omitted;
            lines.splice(middle, [format!("… {omitted} more …")]);
        }
        lines
    }

    /// How often another task moved than before.
    pub fn switches(&self) -> usize {
        let movers = self.events.iter().filter_map(|event| match event {
            Event::Move { task, .. } => Some(task),
            Event::Toss { .. } => None,
        });
        let movers: Vec<_> = movers.collect();
        movers.windows(2).filter(|pair| pair[0] != pair[1]).count()
    }
}

impl Chooser for Watched<'_> {
    fn choose(&mut self, choice: Choice<'_>) -> usize {
        let chosen = self.replay.choose(choice);
        self.events.push(match choice.kind {
            Kind::Task | Kind::Step => Event::Move {
                task: choice.names.name(chosen),
                arrived: (self.events.len() < TRACED).then(Backtrace::force_capture),
            },
            Kind::Toss | Kind::Input => Event::Toss {
                chosen,
                of: choice.alternatives,
            },
        });
        chosen
    }
}

/// Moves of one task in a row.
struct Turn {
    task: String,
    moves: usize,
    what: Vec<String>,
}

impl Turn {
    fn line(&self, width: usize) -> String {
        let mut what: Vec<&str> = Vec::new();
        let mut file = "";
        let mut before = "";
        for done in &self.what {
            if done == before {
                continue;
            }
            before = done;
            match done.rsplit_once(':') {
                // The file is said once.
                Some((name, _)) if name == file => what.push(&done[name.len()..]),
                Some((name, _)) => {
                    file = name;
                    what.push(done);
                }
                None => what.push(done),
            }
        }
        let omitted = what.len().saturating_sub(PLACES);
        if omitted > 0 {
            what.splice(PLACES / 2..PLACES / 2 + omitted, ["…"]);
        }
        let moves = match self.moves {
            1 => "1 move".into(),
            moves => format!("{moves} moves"),
        };
        let line = format!("{:width$}  {:>8}  {}", self.task, moves, what.join(" "));
        line.trim_end().into()
    }
}

/// The first place of a backtrace that is in the user's own source.
fn place(trace: &Backtrace) -> Option<String> {
    let text = trace.to_string();
    let mut places = text
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("at "));
    let place = places.find(|place| !is_library(place))?;
    // The column says little.
    let (place, _column) = place.rsplit_once(':')?;
    Some(match place.strip_prefix("./") {
        Some(inside) => inside.into(),
        None => from_workspace(place),
    })
}

/// A place in another package of the workspace, without the path to the workspace, which differs from machine to machine.
fn from_workspace(place: &str) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let packages = here
        .ancestors()
        .filter(|folder| folder.join("Cargo.toml").exists());
    let mut inside = packages.filter_map(|package| Path::new(place).strip_prefix(package).ok());
    inside
        .next()
        .map_or(place.into(), |inside| inside.display().to_string())
}

/// Whether a file belongs to Rust, to a package from a registry, or to the hunt itself.
fn is_library(file: &str) -> bool {
    let folders = [
        "/rustc/",
        "/rustlib/",
        "/registry/src/",
        "/git/checkouts/",
        "sortie-programs/src/rust/",
    ];
    folders.iter().any(|folder| file.contains(folder))
}
