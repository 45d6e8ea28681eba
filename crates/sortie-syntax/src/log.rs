//! Errors and warnings of a front end that goes on after the first one, with a limit on its work.

use crate::{Diagnostic, Span};
use std::collections::HashSet;

/// An error has been written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reported;

/// What was read, unless an error was written down.
pub type Read<T> = Result<T, Reported>;

/// Writes errors down.
pub trait Reports {
    /// Writes an error down.
    fn report<T>(&mut self, error: impl Into<Box<Diagnostic>>) -> Read<T>;

    /// Writes down what is wrong with a part of the text.
    fn error<T>(&mut self, message: impl Into<String>, span: impl Into<Span>) -> Read<T> {
        self.report(Diagnostic::error(message, span))
    }

    /// Writes down what is wrong with a part of the text, and what to do about it.
    fn error_with_help<T>(
        &mut self,
        message: impl Into<String>,
        span: impl Into<Span>,
        help: impl Into<String>,
    ) -> Read<T> {
        self.report(Diagnostic::error(message, span).help(help))
    }
}

/// Collects messages, each once, and counts work so that no text is read for ever.
#[derive(Debug)]
pub struct Log<N = ()> {
    /// What is wrong.
    pub errors: Vec<Diagnostic>,
    /// What is odd.
    pub warnings: Vec<Diagnostic>,
    /// What the front end remembers besides.
    pub notes: N,
    /// Whether mistakes are not told, because they are in something that is not used.
    pub quiet: bool,
    /// What is wrong in one instance is often wrong in all; it is said once.
    said: HashSet<(Span, String)>,
    work: usize,
    stopped: bool,
    too_large: (&'static str, &'static str),
    /// Where the lines of the text begin.
    lines: Vec<usize>,
}

impl<N: Default> Reports for Log<N> {
    fn report<T>(&mut self, error: impl Into<Box<Diagnostic>>) -> Read<T> {
        let error = error.into();
        if !self.stopped && self.is_new(&error) {
            self.errors.push(*error);
            self.stopped = self.errors.len() >= Self::MOST;
        }
        Err(Reported)
    }
}

impl<N: Default> Log<N> {
    /// Number of messages of each kind that are listed.
    pub const MOST: usize = 20;

    /// Pieces of work after which reading stops.
    const MOST_WORK: usize = 5_000_000;

    /// A log of a text. The message and the advice are for when it takes too much work.
    pub fn new(text: &str, message: &'static str, help: &'static str) -> Self {
        let newlines = text.match_indices('\n').map(|(at, _)| at + 1);
        Log {
            notes: N::default(),
            lines: std::iter::once(0).chain(newlines).collect(),
            errors: Vec::new(),
            warnings: Vec::new(),
            quiet: false,
            said: HashSet::new(),
            work: 0,
            stopped: false,
            too_large: (message, help),
        }
    }

    /// The line of a byte, from 1.
    pub fn line(&self, at: usize) -> usize {
        self.lines.partition_point(|&start| start <= at)
    }

    /// Writes a warning down.
    pub fn warn(&mut self, warning: Diagnostic) {
        if self.warnings.len() < Self::MOST && self.is_new(&warning) {
            self.warnings.push(warning);
        }
    }

    fn is_new(&mut self, message: &Diagnostic) -> bool {
        !self.quiet && self.said.insert((message.span, message.message.clone()))
    }

    /// Ends the reading with an error.
    pub fn stop<T>(&mut self, error: Diagnostic) -> Read<T> {
        self.quiet = false;
        let result = self.report(error);
        self.stopped = true;
        result
    }

    /// Whether nothing more will be read.
    pub fn stopped(&self) -> bool {
        self.stopped
    }

    /// Counts one more piece of work.
    pub fn work(&mut self, span: Span) -> Read<()> {
        self.much_work(1, span)
    }

    /// Counts this much more work.
    pub fn much_work(&mut self, amount: usize, span: Span) -> Read<()> {
        self.work = self.work.saturating_add(amount);
        if self.stopped {
            Err(Reported)
        } else if self.work <= Self::MOST_WORK {
            Ok(())
        } else {
            let (message, help) = self.too_large;
            let label = "reading stopped here, after five million expressions";
            self.stop(Diagnostic::error(message, span).label(label).help(help))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_told_once_and_work_ends() {
        let mut log: Log = Log::new("a\nb", "too large", "make it smaller");
        for _ in 0..2 {
            assert_eq!(
                log.report::<()>(Diagnostic::error("wrong", 0..1)),
                Err(Reported)
            );
        }
        assert_eq!((log.errors.len(), log.line(0), log.line(2)), (1, 1, 2));
        assert_eq!(log.work(Span::new(2, 3)), Ok(()));
        assert_eq!(log.much_work(usize::MAX, Span::new(2, 3)), Err(Reported));
        assert!(log.stopped() && log.errors[1].message == "too large");
        assert_eq!(log.work(Span::default()), Err(Reported));
    }
}
