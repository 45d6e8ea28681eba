//! Collects errors, and counts work so that no text is read for ever.

use super::tree::Span;
use sortie_syntax::Diagnostic;
use std::collections::HashSet;

/// So many expressions are looked at, instances and definitions multiplied out.
const MOST_WORK: usize = 5_000_000;
/// Not more messages than this are listed.
const MOST_MESSAGES: usize = 20;

/// An error has been written down.
#[derive(Debug)]
pub(super) struct Reported;

pub(super) type Read<T> = Result<T, Reported>;

#[derive(Debug, Default)]
pub(super) struct Log {
    pub(super) errors: Vec<Diagnostic>,
    pub(super) warnings: Vec<Diagnostic>,
    /// What is wrong in one instance is often wrong in all; it is said once.
    said: HashSet<(usize, usize, String)>,
    work: usize,
    stopped: bool,
    /// Mistakes are not told: they are in something that is not used.
    pub(super) quiet: bool,
    /// Where the lines of the text begin.
    lines: Vec<usize>,
}

impl Log {
    /// For messages about this text.
    pub(super) fn new(text: &str) -> Log {
        let newlines = text.match_indices('\n').map(|(at, _)| at + 1);
        Log {
            lines: std::iter::once(0).chain(newlines).collect(),
            ..Log::default()
        }
    }

    /// The line of a byte, from 1.
    pub(super) fn line(&self, at: usize) -> usize {
        self.lines.partition_point(|&start| start <= at)
    }

    pub(super) fn report<T>(&mut self, error: Diagnostic) -> Read<T> {
        if !self.stopped && !self.quiet && self.first(&error) {
            self.errors.push(error);
            self.stopped = self.errors.len() >= MOST_MESSAGES;
        }
        Err(Reported)
    }

    pub(super) fn warn(&mut self, warning: Diagnostic) {
        if self.warnings.len() < MOST_MESSAGES && !self.quiet && self.first(&warning) {
            self.warnings.push(warning);
        }
    }

    fn first(&mut self, message: &Diagnostic) -> bool {
        let place = (message.span.start, message.span.end);
        self.said
            .insert((place.0, place.1, message.message.clone()))
    }

    /// Counts one more piece of work.
    pub(super) fn work(&mut self, span: &Span) -> Read<()> {
        self.much_work(1, span)
    }

    /// Counts so much more work.
    pub(super) fn much_work(&mut self, amount: usize, span: &Span) -> Read<()> {
        if self.stopped {
            return Err(Reported);
        }
        self.work = self.work.saturating_add(amount);
        if self.work <= MOST_WORK {
            return Ok(());
        }
        self.quiet = false;
        let result = self.report(
            Diagnostic::error("this model is too large", span.clone())
                .label("reading stopped here, after five million expressions")
                .help("smaller arrays and fewer instances make fewer variables; definitions with sets, and elements of arrays with a variable index within an index, are copied wherever they are used"),
        );
        self.stopped = true;
        result
    }
}
