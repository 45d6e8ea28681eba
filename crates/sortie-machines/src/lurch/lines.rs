//! The lines of the machine part: states and transitions, machines separated by blank lines.

use super::c::token::{Fault, Parsed, Span, fail};
use sortie_syntax::Scanner;
use std::ops::Range;

/// A name and whether a point stands behind it.
pub(super) struct Name<'a> {
    pub text: &'a str,
    pub span: Span,
    pub may_end: bool,
}

/// The second or third column: names of local states and code in brackets.
#[derive(Default)]
pub(super) struct Column<'a> {
    pub names: Vec<(&'a str, Span)>,
    pub code: Option<Range<usize>>,
}

/// The columns behind the first.
pub(super) struct Move<'a> {
    pub inputs: Column<'a>,
    pub outputs: Column<'a>,
    pub to: Name<'a>,
}

/// A line that is not blank.
pub(super) struct Line<'a> {
    /// From 1.
    pub number: usize,
    pub never: bool,
    pub class: i64,
    pub from: Name<'a>,
    /// None where a state is only declared.
    pub leads: Option<Move<'a>>,
    /// Whether a blank line stands before it.
    pub new_machine: bool,
}

const FORM: &str = "a line is `state;` or `from; inputs; outputs; to;`, with `.` for `;` after a state in which the machine may end";

/// No more errors than this are told.
pub(super) const MOST_FAULTS: usize = 20;

/// Reads all lines from `at` on. Lines that cannot be read are told and left out.
pub(super) fn lines<'a>(text: &'a str, at: usize, faults: &mut Vec<Fault>) -> Vec<Line<'a>> {
    let mut reader = Reader {
        scanner: Scanner { text, at },
        line: 1 + text[..at].bytes().filter(|b| *b == b'\n').count(),
        counted: at,
    };
    let mut all = Vec::new();
    let mut new_machine = true;
    // The first line may have been begun by what separates the parts.
    let mut blank_counts = false;
    loop {
        reader.skip_blanks();
        if let Some(span) = reader.skip_comment() {
            faults.push(fault_of_comment(span));
            return all;
        }
        match reader.scanner.peek() {
            None => return all,
            Some('\n') => {
                new_machine |= blank_counts;
                blank_counts = true;
                reader.scanner.at += 1;
            }
            Some(_) => {
                match reader.line(new_machine) {
                    Ok(line) => all.push(line),
                    Err(fault) => {
                        faults.push(fault);
                        if faults.len() >= MOST_FAULTS {
                            return all;
                        }
                        reader.scanner.take_while(|c| c != '\n');
                    }
                }
                (new_machine, blank_counts) = (false, false);
            }
        }
    }
}

fn fault_of_comment(span: Span) -> Fault {
    super::c::token::fault(span, "this comment has no end", "add `*/`").into()
}

struct Reader<'a> {
    scanner: Scanner<'a>,
    /// The number of the line in which `counted` lies.
    line: usize,
    counted: usize,
}

impl<'a> Reader<'a> {
    fn here(&self) -> Span {
        let length = match self.scanner.peek() {
            None | Some('\n') => 0,
            Some(c) => c.len_utf8(),
        };
        Span::new(self.scanner.at, self.scanner.at + length)
    }

    fn skip_blanks(&mut self) {
        self.scanner.take_while(|c| matches!(c, ' ' | '\t' | '\r'));
    }

    /// Skips comments and blanks; where a comment begins that has no end.
    fn skip_comment(&mut self) -> Option<Span> {
        loop {
            let start = self.scanner.at;
            if self.scanner.rest().starts_with("//") {
                self.scanner.take_while(|c| c != '\n');
            } else if self.scanner.takes("/*") {
                match self.scanner.rest().find("*/") {
                    Some(length) => self.scanner.at += length + 2,
                    None => return Some(Span::new(start, start + 2)),
                }
            } else {
                return None;
            }
            self.skip_blanks();
        }
    }

    fn number(&mut self) -> usize {
        let between = &self.scanner.text[self.counted..self.scanner.at];
        self.line += between.bytes().filter(|b| *b == b'\n').count();
        self.counted = self.scanner.at;
        self.line
    }

    fn line(&mut self, new_machine: bool) -> Parsed<Line<'a>> {
        let number = self.number();
        let (mut never, mut class) = (false, 0);
        let from = loop {
            let (text, span) = self.name()?;
            self.skip_blanks();
            if self.scanner.peek() != Some(':') {
                break self.ended(text, span)?;
            }
            self.scanner.at += 1;
            self.skip_blanks();
            if text == "n" {
                never = true;
            } else if let Ok(weight) = text.parse() {
                class = weight;
            } else {
                let help = "`n:` marks a machine that watches the others, a whole number with `:` gives the weight";
                return fail(span, format!("`{text}:` cannot stand before a line"), help);
            }
        };
        self.skip_blanks();
        let leads = if self.line_ends()? {
            None
        } else {
            let inputs = self.column('(', ')')?;
            let outputs = self.column('{', '}')?;
            self.skip_blanks();
            let (text, span) = self.name()?;
            self.skip_blanks();
            let to = self.ended(text, span)?;
            self.skip_blanks();
            if !self.line_ends()? {
                let message = "there is something behind the fourth column";
                return fail(self.here(), message, FORM);
            }
            Some(Move {
                inputs,
                outputs,
                to,
            })
        };
        Ok(Line {
            number,
            never,
            class,
            from,
            leads,
            new_machine,
        })
    }

    fn line_ends(&mut self) -> Parsed<bool> {
        if let Some(span) = self.skip_comment() {
            return Err(fault_of_comment(span));
        }
        Ok(matches!(self.scanner.peek(), None | Some('\n')))
    }

    /// A name of a local state.
    fn name(&mut self) -> Parsed<(&'a str, Span)> {
        let rest = self.scanner.rest();
        let length = rest
            .find(|c: char| c.is_whitespace() || ['.', ';', ',', ':'].contains(&c))
            .unwrap_or(rest.len());
        let name = &rest[..length];
        if name.is_empty() {
            return fail(self.here(), "the name of a state is missing here", FORM);
        }
        if name.starts_with(['(', '{']) {
            return fail(
                Span::new(self.scanner.at, self.scanner.at + length),
                "code cannot stand here",
                "conditions `( )` stand in the second column, effects `{ }` in the third",
            );
        }
        let span = Span::new(self.scanner.at, self.scanner.at + length);
        self.scanner.at += length;
        Ok((name, span))
    }

    /// What must follow the name of a state.
    fn ended(&mut self, text: &'a str, span: Span) -> Parsed<Name<'a>> {
        let may_end = match self.scanner.peek() {
            Some(';') => false,
            Some('.') => true,
            _ => {
                return fail(span, format!("`;` or `.` is missing behind `{text}`"), FORM);
            }
        };
        self.scanner.at += 1;
        Ok(Name {
            text,
            span,
            may_end,
        })
    }

    /// A column to its semicolon.
    fn column(&mut self, open: char, close: char) -> Parsed<Column<'a>> {
        let mut column = Column::default();
        let mut wanted = true;
        loop {
            self.skip_blanks();
            match self.scanner.peek() {
                Some(';') => {
                    self.scanner.at += 1;
                    return Ok(column);
                }
                None | Some('\n') => {
                    return fail(self.here(), "the line ends before its fourth column", FORM);
                }
                Some(',') => {
                    self.scanner.at += 1;
                    wanted = true;
                }
                Some(c) if c == open => {
                    let start = self.scanner.at;
                    self.skip_code(open, close)?;
                    if column.code.is_some() {
                        let message = format!("there can be only one `{open} {close}` in a column");
                        return fail(Span::new(start, self.scanner.at), message, "join them");
                    }
                    column.code = Some(start..self.scanner.at);
                    wanted = false;
                }
                Some(c @ ('(' | '{')) => {
                    let message = format!("`{c}` cannot stand in this column");
                    let help =
                        "conditions `( )` stand in the second column, effects `{ }` in the third";
                    return fail(self.here(), message, help);
                }
                Some(_) => {
                    let (name, span) = self.name()?;
                    if !wanted {
                        return fail(span, format!("`,` is missing before `{name}`"), FORM);
                    }
                    wanted = false;
                    if name != "-" {
                        column.names.push((name, span));
                    }
                }
            }
        }
    }

    /// Skips code in brackets: texts, characters and comments in it do not count.
    fn skip_code(&mut self, open: char, close: char) -> Parsed<()> {
        let start = self.scanner.at;
        let bytes = self.scanner.text.as_bytes();
        let (open_byte, close_byte) = (open as u8, close as u8);
        let mut depth = 0_usize;
        while let Some(&byte) = bytes.get(self.scanner.at) {
            self.scanner.at += 1;
            match byte {
                b'"' | b'\'' => {
                    while let Some(&inner) = bytes.get(self.scanner.at) {
                        self.scanner.at += 1;
                        match inner {
                            b'\\' => self.scanner.at += 1,
                            b'\n' => break,
                            _ if inner == byte => break,
                            _ => {}
                        }
                    }
                }
                b'/' if bytes.get(self.scanner.at) == Some(&b'*') => {
                    match self.scanner.text[self.scanner.at + 1..].find("*/") {
                        Some(length) => self.scanner.at += length + 3,
                        None => break,
                    }
                }
                b'/' if bytes.get(self.scanner.at) == Some(&b'/') => {
                    self.scanner.take_while(|c| c != '\n');
                }
                _ if byte == open_byte => depth += 1,
                _ if byte == close_byte => {
                    depth -= 1;
                    if depth == 0 {
                        return Ok(());
                    }
                }
                _ => {}
            }
        }
        self.scanner.at = start;
        let message = format!("this `{open}` is never closed");
        let help = format!("add the missing `{close}`");
        fail(Span::new(start, start + 1), message, help)
    }
}
