//! A witness told to people: who did what, where, and how it ended.

use crate::c::places::{Place, Places};
use crate::c::region::Move;
use crate::c::walk::Taken;
use crate::c::{Run, Standing};
use sortie_hunt::Told;
use std::collections::HashMap;
use std::fmt::Write as _;

/// Moves of one thread in a row, of which so many are shown at its beginning and its end.
const SHOWN: usize = 6;
/// Where the places in the sources are written.
const PLACES: usize = 46;

/// A run and where its addresses are in the sources.
pub struct Story<'a> {
    run: &'a Run,
    places: &'a Places,
}

impl<'a> Story<'a> {
    pub fn new(run: &'a Run, places: &'a Places) -> Self {
        Story { run, places }
    }

    /// The run as plain data; in its summary, stretches of more than `most` moves of one thread are left out.
    pub fn told(&self, most: usize) -> Told {
        // The main thread is the first to move.
        let mut last = 0;
        let (mut switches, mut preemptions) = (0, 0);
        let mut objects = Objects::default();
        let mut moves = Vec::with_capacity(self.run.moves.len());
        for taken in &self.run.moves {
            let thread = taken.r#move.thread;
            switches += u64::from(thread != last);
            preemptions += u64::from(taken.preempts);
            last = thread;
            let place = self.places.own(&taken.frames, taken.r#move.place);
            let what = self.what(&taken.r#move, &mut objects);
            moves.push((thread as usize, format!("{what}  {}", place.at)));
        }
        let threads = self.run.moves.iter().map(|taken| taken.r#move.thread + 1);
        let threads = 0..threads.max().unwrap_or(0);
        let lines = |most: usize| self.text(most).lines().map(str::to_owned).collect();
        Told {
            tasks: threads.map(|thread| self.thread_name(thread)).collect(),
            moves,
            switches,
            preemptions,
            story: lines(usize::MAX),
            summary: lines(most),
            ..Told::default()
        }
    }

    /// The run, thread by thread. Of threads that move more often than that in a row, only some moves are told.
    fn text(&self, most: usize) -> String {
        let mut out = String::new();
        let mut objects = Objects::default();
        let moves = &self.run.moves;
        let mut rest = &moves[..];
        while let Some(first) = rest.first() {
            let thread = first.r#move.thread;
            let length = rest
                .iter()
                .take_while(|taken| taken.r#move.thread == thread);
            let (segment, others) = rest.split_at(length.count());
            let note = match first.preempts {
                true => "  (the other could have gone on)",
                false => "",
            };
            let _ = writeln!(out, "{}{note}", self.thread_name(thread));
            self.segment(&mut out, segment, most, &mut objects);
            rest = others;
        }
        self.ending(&mut out, &mut objects);
        out
    }

    fn segment(&self, out: &mut String, moves: &[Taken], most: usize, objects: &mut Objects) {
        let elided = moves.len() > most.max(2 * SHOWN + 1);
        for (index, taken) in moves.iter().enumerate() {
            let what = self.what(&taken.r#move, objects);
            if elided && (SHOWN..moves.len() - SHOWN).contains(&index) {
                if index == SHOWN {
                    let _ = writeln!(out, "    … {} more moves", moves.len() - 2 * SHOWN);
                }
                continue;
            }
            let place = self.places.own(&taken.frames, taken.r#move.place);
            line(out, &what, &place);
            if let Some((chosen, of)) = taken.toss {
                let _ = writeln!(out, "    tosses {chosen} of 0 to {}", of - 1);
            }
        }
    }

    fn ending(&self, out: &mut String, objects: &mut Objects) {
        let Some(ending) = &self.run.ending else {
            return;
        };
        let failure = ending.failure.as_deref();
        let failure = failure.unwrap_or("the end of the program");
        let _ = writeln!(out, "{failure}");
        if let Some(innermost) = ending.frames.first() {
            let place = self.places.own(&ending.frames, *innermost);
            let who = format!("in {}", self.thread_name(ending.thread));
            line(out, &who, &place);
        }
        if !failure.starts_with("deadlock") && !failure.starts_with("livelock") {
            return;
        }
        for (number, standing) in ending.threads.iter().enumerate() {
            if standing.finished {
                continue;
            }
            let what = self.waiting(number as u32, standing, objects);
            let place = self.places.own(&standing.frames, standing.r#move.place);
            line(out, &what, &place);
        }
    }

    fn waiting(&self, thread: u32, standing: &Standing, objects: &mut Objects) -> String {
        let what = self.what(&standing.r#move, objects);
        let mut text = format!("{}: {what}", self.thread_name(thread));
        if let Some(owner) = standing.held_by {
            let _ = write!(text, ", which {} has", self.thread_name(owner));
        }
        text
    }

    fn what(&self, done: &Move, objects: &mut Objects) -> String {
        let (does, kind) = done.words();
        let gives_up = if done.times_out() { "gives up: " } else { "" };
        let object = match kind {
            "" => String::new(),
            "thread" => format!(" {}", self.thread_name(done.object as u32 - 1)),
            _ => match self.places.variable(done.object + u64::from(done.offset)) {
                Some(name) => format!(" {name}"),
                None => format!(" {kind} {}", objects.number(kind, done.object)),
            },
        };
        format!("{gives_up}{does}{object}")
    }

    /// A thread's number and the function it runs.
    fn thread_name(&self, thread: u32) -> String {
        if thread == 0 {
            return "main thread".into();
        }
        let begins =
            |taken: &&Taken| taken.r#move.thread == thread && taken.r#move.words().0 == "begins";
        let start = self.run.moves.iter().find(begins);
        let function = start.map(|taken| self.places.place(taken.r#move.place).function);
        match function {
            Some(function) if !function.is_empty() => format!("thread {thread} {function}"),
            _ => format!("thread {thread}"),
        }
    }
}

/// Objects without a name are numbered as they appear.
#[derive(Default)]
struct Objects {
    numbers: HashMap<(&'static str, u64), usize>,
}

impl Objects {
    fn number(&mut self, kind: &'static str, object: u64) -> usize {
        let alike = self.numbers.keys().filter(|(known, _)| *known == kind);
        let next = alike.count() + 1;
        *self.numbers.entry((kind, object)).or_insert(next)
    }
}

fn line(out: &mut String, what: &str, place: &Place) {
    let text = format!("    {what:PLACES$}  {}", place.at);
    let _ = writeln!(out, "{}", text.trim_end());
}
