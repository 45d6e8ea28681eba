//! Collects errors, and counts work so that no text is read for ever.

use crate::language::tree::Span;
use sortie_syntax::Diagnostic;
use std::collections::HashSet;

/// So many expressions are looked at, indices multiplied out.
const MOST_WORK: usize = 5_000_000;
/// Not more errors than this are listed.
const MOST_ERRORS: usize = 20;

/// An error has been written down.
#[derive(Debug)]
pub(super) struct Reported;

pub(super) type Read<T> = Result<T, Reported>;

#[derive(Debug, Default)]
pub(super) struct Log {
    pub(super) errors: Vec<Diagnostic>,
    pub(super) warnings: Vec<Diagnostic>,
    /// Families with the names of states that something leads to.
    pub(super) reached: HashSet<(usize, String)>,
    /// What is wrong for one index is often wrong for all; it is said once.
    said: HashSet<(usize, usize, String)>,
    work: usize,
    stopped: bool,
}

impl Log {
    pub(super) fn report<T>(&mut self, error: Diagnostic) -> Read<T> {
        let place = (error.span.start, error.span.end, error.message.clone());
        if !self.stopped && self.said.insert(place) {
            self.errors.push(error);
            self.stopped = self.errors.len() >= MOST_ERRORS;
        }
        Err(Reported)
    }

    /// Ends the reading with an error.
    pub(super) fn stop<T>(&mut self, error: Diagnostic) -> Read<T> {
        let result = self.report(error);
        self.stopped = true;
        result
    }

    /// Nothing more will be read.
    pub(super) fn stopped(&self) -> bool {
        self.stopped
    }

    /// Counts one more piece of work.
    pub(super) fn work(&mut self, span: &Span) -> Read<()> {
        if self.stopped {
            return Err(Reported);
        }
        self.work += 1;
        if self.work <= MOST_WORK {
            return Ok(());
        }
        self.stop(
            Diagnostic::error("this system is too large", span.clone())
                .label("reading stopped here, after five million expressions")
                .help("smaller ranges make fewer machines and transitions; functions are read once, wherever they are called"),
        )
    }
}
