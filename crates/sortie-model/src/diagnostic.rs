//! Errors in input files: what, where, and what to do.

use std::fmt::Write;
use std::ops::Range;

/// A text and what it is called.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The file's name, or a name for what was typed.
    pub name: &'a str,
    /// The whole text.
    pub text: &'a str,
}

/// One error in an input file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What is wrong.
    pub message: String,
    /// Where, in bytes from the start of the text.
    pub span: Range<usize>,
    /// A few words beside the marked place; may be empty.
    pub label: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error at `span`.
    pub fn new(message: impl Into<String>, span: Range<usize>) -> Self {
        Diagnostic {
            message: message.into(),
            span,
            label: String::new(),
            help: None,
        }
    }

    /// Adds a few words beside the marked place.
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Adds what to do about it.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Message, place, the line itself with the place marked, and the help.
    ///
    /// ```
    /// use sortie_model::{Diagnostic, Source};
    /// let source = Source { name: "lamp.aut", text: "des (0,1,2)\n(0,on,1)\n(1,off\n" };
    /// let error = Diagnostic::new("this transition has no end", 21..27)
    ///     .help("a transition is (from,\"label\",to)");
    /// assert_eq!(
    ///     error.render(source),
    ///     "error: this transition has no end\n \
    ///      --> lamp.aut:3:1\n  \
    ///       |\n\
    ///      3 | (1,off\n  \
    ///       | ^^^^^^\n  \
    ///       = help: a transition is (from,\"label\",to)\n"
    /// );
    /// ```
    pub fn render(&self, source: Source<'_>) -> String {
        let text = source.text;
        let start = floor_boundary(text, self.span.start.min(text.len()));
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        let end = floor_boundary(text, self.span.end.clamp(start, line_end));
        let number = text[..line_start].bytes().filter(|&b| b == b'\n').count() + 1;
        let column = text[line_start..start].chars().count() + 1;

        // A line may be megabytes long: show a window around the place.
        let window_start = back(text, start, line_start, 60);
        let window_end = forward(text, start, line_end, 90);
        let shown = printable(&text[window_start..window_end]);
        let before = text[window_start..start].chars().count();
        let marked = text[start..end.clamp(start, window_end)]
            .chars()
            .count()
            .max(1);
        let lead = if window_start > line_start { "…" } else { "" };
        let gutter = " ".repeat(number.to_string().len());

        let mut out = String::new();
        let write = |out: &mut String| -> std::fmt::Result {
            writeln!(out, "error: {}", self.message)?;
            writeln!(out, "{gutter}--> {}:{number}:{column}", source.name)?;
            writeln!(out, "{gutter} |")?;
            writeln!(out, "{number} | {lead}{shown}")?;
            let pad = " ".repeat(before + lead.chars().count());
            let line = format!("{gutter} | {pad}{} {}", "^".repeat(marked), self.label);
            writeln!(out, "{}", line.trim_end())?;
            if let Some(help) = &self.help {
                writeln!(out, "{gutter} = help: {help}")?;
            }
            Ok(())
        };
        write(&mut out).expect("writing to a string cannot fail");
        out
    }
}

fn floor_boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn back(text: &str, from: usize, least: usize, chars: usize) -> usize {
    text[least..from]
        .char_indices()
        .rev()
        .take(chars)
        .last()
        .map_or(from, |(at, _)| least + at)
}

fn forward(text: &str, from: usize, most: usize, chars: usize) -> usize {
    text[from..most]
        .char_indices()
        .nth(chars)
        .map_or(most, |(at, _)| from + at)
}

/// Control characters would move the terminal's cursor; each becomes one visible character.
fn printable(text: &str) -> String {
    text.chars()
        .map(|c| {
            if c == '\t' {
                ' '
            } else if c.is_control() {
                '\u{fffd}'
            } else {
                c
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_span_in_any_text_can_be_rendered() {
        let text = "abc\ndéf\u{1b}[31m\n\nx";
        for start in 0..text.len() + 3 {
            for end in 0..text.len() + 3 {
                let source = Source { name: "t", text };
                let shown = Diagnostic::new("m", start..end).render(source);
                assert!(!shown.contains('\u{1b}'), "{shown}");
            }
        }
    }

    #[test]
    fn a_long_line_is_shown_in_part() {
        let text = "x".repeat(1_000_000);
        let shown = Diagnostic::new("m", 500_000..500_003).render(Source {
            name: "t",
            text: &text,
        });
        assert!(shown.len() < 1000);
        assert!(shown.contains("t:1:500001"));
    }
}
