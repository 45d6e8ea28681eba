//! Messages about input texts: what is wrong, where, and what to do about it.

use crate::Span;
use std::fmt::Write;

/// A text and what it is called.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The file's name, or a name for what was typed.
    pub name: &'a str,
    /// The whole text.
    pub text: &'a str,
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The text cannot be used.
    Error,
    /// It can be used, but something is odd.
    Warning,
}

/// What was read, or why it cannot be; the message is boxed to keep the way without errors small.
pub type Parsed<T> = Result<T, Box<Diagnostic>>;

/// One message about a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// Bytes of the text it is about.
    pub span: Span,
    /// Short text shown at the span.
    pub label: String,
    /// What to do about it.
    pub help: Option<String>,
    /// Other places that matter, with what they say.
    pub secondary: Vec<(Span, String)>,
}

impl Diagnostic {
    /// An error about the given bytes.
    pub fn error(message: impl Into<String>, span: impl Into<Span>) -> Self {
        Diagnostic {
            severity: Severity::Error,
            message: message.into(),
            span: span.into(),
            label: String::new(),
            help: None,
            secondary: Vec::new(),
        }
    }

    /// A warning about the given bytes.
    pub fn warning(message: impl Into<String>, span: impl Into<Span>) -> Self {
        Diagnostic {
            severity: Severity::Warning,
            ..Diagnostic::error(message, span)
        }
    }

    /// Sets the text at the span.
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Sets the advice.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Sets the advice, if there is one.
    pub fn maybe_help(mut self, help: Option<String>) -> Self {
        self.help = help.or(self.help);
        self
    }

    /// Points at another place.
    pub fn also(mut self, span: impl Into<Span>, label: impl Into<String>) -> Self {
        self.secondary.push((span.into(), label.into()));
        self
    }

    /// The failure of what found the error.
    pub fn fail<T>(self) -> Parsed<T> {
        Err(Box::new(self))
    }

    /// Lays it out as text: message, place, the lines concerned with carets, other places, help. No line of the snippet is
    /// wider than `width` characters.
    ///
    /// ```
    /// use sortie_syntax::{Diagnostic, Source};
    /// let source = Source { name: "lamp.aut", text: "des (0,1,2)\n(0,on,1)\n(1,off\n" };
    /// let error = Diagnostic::error("this transition has no end", 21..27)
    ///     .help("a transition is (from,\"label\",to)");
    /// assert_eq!(
    ///     error.render(source, 80),
    ///     "error: this transition has no end\n \
    ///      --> lamp.aut:3:1\n  \
    ///       |\n\
    ///      3 | (1,off\n  \
    ///       | ^^^^^^\n  \
    ///       = help: a transition is (from,\"label\",to)\n"
    /// );
    /// ```
    pub fn render(&self, source: Source<'_>, width: usize) -> String {
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let place = Place::find(source.text, self.span);
        let others = self.secondary.iter();
        let lines = others.map(|(span, _)| Place::find(source.text, *span).line);
        let last = lines.max().unwrap_or(0).max(place.line);
        let gutter = last.to_string().len();
        let mut out = format!("{severity}: {}\n", self.message);
        let _ = writeln!(
            out,
            "{:gutter$}--> {}:{}:{}",
            "", source.name, place.line, place.column
        );
        let _ = writeln!(out, "{:gutter$} |", "");
        place.draw(&mut out, gutter, width, '^', &self.label, false);
        let mut drawn = place.line;
        for (span, label) in &self.secondary {
            let other = Place::find(source.text, *span);
            if other.line != drawn {
                let _ = writeln!(out, "{:gutter$} ::: line {}", "", other.line);
            }
            other.draw(&mut out, gutter, width, '-', label, other.line == drawn);
            drawn = other.line;
        }
        if let Some(help) = &self.help {
            let mut lines = help.lines();
            let _ = writeln!(out, "{:gutter$} = help: {}", "", lines.next().unwrap_or(""));
            for line in lines {
                let _ = writeln!(out, "{:gutter$}         {line}", "");
            }
        }
        out
    }
}

/// A span within its line; a span over several lines is shown up to the end of its first.
struct Place<'a> {
    line: usize,
    /// In characters, from 1.
    column: usize,
    text: &'a str,
    /// In characters, at least one.
    length: usize,
}

impl<'a> Place<'a> {
    fn find(source: &'a str, span: Span) -> Place<'a> {
        let start = floor_boundary(source, span.start);
        let end = floor_boundary(source, span.end).max(start);
        let line_start = source[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line_end = source[start..]
            .find('\n')
            .map_or(source.len(), |newline| start + newline);
        Place {
            line: source[..start].matches('\n').count() + 1,
            column: source[line_start..start].chars().count() + 1,
            text: source[line_start..line_end].trim_end(),
            length: source[start..end.min(line_end)].chars().count().max(1),
        }
    }

    /// Draws the line and marks below it, cutting what does not fit into `width` around the marked part.
    /// The line itself is left out if it has just been drawn and fits.
    fn draw(
        &self,
        out: &mut String,
        gutter: usize,
        width: usize,
        mark: char,
        label: &str,
        drawn: bool,
    ) {
        let room = width.saturating_sub(gutter + 3).max(20);
        let before = self.column - 1;
        let total = self.text.chars().count();
        let cut = if total <= room || before + self.length.min(room / 2) <= room {
            0
        } else {
            (before + self.length.min(room / 2))
                .saturating_sub(room)
                .max(before.saturating_sub(room / 2))
        };
        let shown = self.text.chars().skip(cut).take(room);
        let shown: String = shown.map(printable).collect();
        let marks = self.length.min(room.saturating_sub(before - cut)).max(1);
        let marks: String = std::iter::repeat_n(mark, marks).collect();
        let indent = before - cut;
        if !drawn || total > room {
            let _ = writeln!(out, "{:>gutter$} | {shown}", self.line);
        }
        let marked = format!("{:gutter$} | {:indent$}{marks} {label}", "", "");
        let _ = writeln!(out, "{}", marked.trim_end());
    }
}

fn floor_boundary(source: &str, at: usize) -> usize {
    let mut at = at.min(source.len());
    while !source.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Control characters would move the terminal's cursor; each becomes one visible character.
fn printable(c: char) -> char {
    match c {
        '\t' => ' ',
        c if c.is_control() => '\u{fffd}',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_the_lines_and_marks_the_spans() {
        let source = Source {
            name: "x.mcrl2",
            text: "act a;\ninit b;\n",
        };
        let error = Diagnostic::error("`b` is not declared", 12..13)
            .label("unknown")
            .help("did you mean `a`?")
            .also(4..5, "here");
        assert_eq!(
            error.render(source, 80),
            "error: `b` is not declared\n --> x.mcrl2:2:6\n  |\n2 | init b;\n  |      ^ unknown\n  ::: line 1\n1 | act a;\n  |     - here\n  = help: did you mean `a`?\n"
        );
    }

    #[test]
    fn any_span_and_width_can_be_shown() {
        let text = "é\tlong line with \u{1b}[31m many words in it, longer than the width\nsecond";
        for start in 0..text.len() + 3 {
            for end in [0, start, start + 1, start + 40, text.len() + 5] {
                for width in [0, 10, 30, 200] {
                    let shown = Diagnostic::error("m", start..end)
                        .render(Source { name: "f", text }, width);
                    assert!(!shown.contains('\u{1b}'), "{shown}");
                }
            }
        }
    }

    #[test]
    fn a_long_line_is_shown_in_part() {
        let text = "x".repeat(1_000_000);
        let shown = Diagnostic::error("m", 500_000..500_003).render(
            Source {
                name: "t",
                text: &text,
            },
            100,
        );
        assert!(
            shown.len() < 1000 && shown.contains("t:1:500001"),
            "{shown}"
        );
    }
}
