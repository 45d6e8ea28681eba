//! The Aldebaran format: a header `des (initial,transitions,states)`, then one line `(from,label,to)` per transition.
//!
//! Labels may be quoted or not, and may contain anything, commas and brackets included: what counts is the first and
//! the last comma of a line. Tools that were interrupted leave a header without numbers; such a file is read for what
//! it has.

use crate::{Builder, Lts};
use sortie_model::{Diagnostic, Source};
use std::io::{self, BufWriter, Write};
use std::ops::Range;

struct Header {
    initial: u32,
    transitions: usize,
    states: u32,
    span: Range<usize>,
}

/// A number of states is itself less than `u32::MAX`.
const MAX_STATES: u32 = u32::MAX - 1;

const FORM: &str = "a transition is written (from,\"label\",to)";
const HEADER_FORM: &str =
    "an .aut file begins with: des (initial state,number of transitions,number of states)";

/// So many numbers may be left out among the states that have transitions: each costs memory.
const MAX_GAPS: usize = 1 << 24;

pub(crate) fn parse(source: Source<'_>) -> Result<Lts, Diagnostic> {
    let mut lines = Lines {
        text: source.text,
        at: 0,
    };
    let Some(first) = lines.next() else {
        return Err(Diagnostic::error("the file is empty", 0..0).help(HEADER_FORM));
    };
    let header = header(source.text, first)?;
    let limit = header.as_ref().map_or(MAX_STATES, |h| h.states);
    let mut builder = Builder::default();
    let mut largest = 0;
    // The largest state with a transition, and where it stands.
    let mut farthest = (0, 0..0);
    for line in lines {
        if builder.len() == u32::MAX as usize {
            return Err(Diagnostic::error(
                "the file has more than 4294967295 transitions",
                line,
            ));
        }
        let (from, label, to) = transition(source.text, line.clone(), limit)?;
        if from > farthest.0 {
            farthest = (from, line);
        }
        largest = largest.max(from).max(to);
        let label = builder.label(label);
        builder.transition(from, label, to);
    }
    if farthest.0 as usize > MAX_GAPS + 64 * builder.len() {
        let (state, transitions) = (farthest.0, builder.len());
        return Err(Diagnostic::error(
            format!("state {state} has a transition, but there are only {transitions} transitions"),
            farthest.1,
        )
        .help("number the states from 0 without large gaps"));
    }
    let Some(header) = header else {
        return Ok(builder.build(source.name, 0, largest + 1));
    };
    if builder.len() != header.transitions {
        let (promised, present) = (header.transitions, builder.len());
        return Err(Diagnostic::error(
            format!("the header promises {promised} transitions, the file has {present}"),
            header.span,
        )
        .help("was the file cut off, or edited without changing its first line?"));
    }
    Ok(builder.build(source.name, header.initial, header.states))
}

/// The non-empty lines of a text, as trimmed ranges.
struct Lines<'a> {
    text: &'a str,
    at: usize,
}

impl Iterator for Lines<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        while self.at < self.text.len() {
            let rest = &self.text[self.at..];
            let length = rest.find('\n').unwrap_or(rest.len());
            let line = &rest[..length];
            let begin = self.at + (line.len() - line.trim_start().len());
            let end = begin + line.trim().len();
            self.at += length + 1;
            if begin < end {
                return Some(begin..end);
            }
        }
        None
    }
}

/// `None` for a header without numbers.
fn header(text: &str, line: Range<usize>) -> Result<Option<Header>, Diagnostic> {
    let wrong =
        |message: &str, span: Range<usize>| Diagnostic::error(message, span).help(HEADER_FORM);
    let Some(rest) = text[line.clone()].strip_prefix("des") else {
        return Err(wrong("the header is missing", line));
    };
    let rest = rest.trim();
    if rest.is_empty() {
        return Ok(None);
    }
    let inside = rest.strip_prefix('(').and_then(|r| r.strip_suffix(')'));
    let parts: Vec<&str> = inside.unwrap_or("").split(',').map(str::trim).collect();
    let [initial, transitions, states] = parts[..] else {
        return Err(wrong("the header cannot be read", line));
    };
    if initial.contains(char::is_whitespace) {
        return Err(
            Diagnostic::error("the initial state is a distribution", line).help(
                "probabilistic .aut files are not supported; give a system with one initial state",
            ),
        );
    }
    let initial_state = number(text, initial, "the initial state")?;
    let states_count = number(text, states, "the number of states")?;
    if initial_state >= states_count {
        return Err(Diagnostic::error(
            format!("the initial state is {initial_state}, but there are {states_count} states"),
            span_of(text, initial),
        )
        .help("states are numbered from 0"));
    }
    let transitions = number(text, transitions, "the number of transitions")? as usize;
    Ok(Some(Header {
        initial: initial_state,
        transitions,
        states: states_count,
        span: line,
    }))
}

fn transition(text: &str, line: Range<usize>, states: u32) -> Result<(u32, &str, u32), Diagnostic> {
    let whole = &text[line.clone()];
    let wrong = |message: &str| Diagnostic::error(message, line.clone()).help(FORM);
    let inside = whole
        .strip_prefix('(')
        .ok_or_else(|| wrong("a transition begins with '('"))?;
    let inside = inside
        .strip_suffix(')')
        .ok_or_else(|| wrong("the transition is not closed by ')'"))?;
    let (from, rest) = inside
        .split_once(',')
        .ok_or_else(|| wrong("the transition has no label"))?;
    let (label, to) = rest
        .rsplit_once(',')
        .ok_or_else(|| wrong("the transition has no target"))?;
    let label = label.trim();
    let label = match label.strip_prefix('"') {
        Some(quoted) => {
            let closed = quoted.strip_suffix('"');
            closed.ok_or_else(|| {
                Diagnostic::error("the label's quote is not closed", span_of(text, label))
                    .help(FORM)
            })?
        }
        None => label,
    };
    let state = |part: &str| {
        let part = part.trim();
        let number = number(text, part, "the state")?;
        if number < states {
            return Ok(number);
        }
        if states == MAX_STATES {
            return Err(too_large(text, part, "the state"));
        }
        let message =
            format!("there is no state {number}: the header says that there are {states} states");
        Err(Diagnostic::error(message, span_of(text, part)).help("states are numbered from 0"))
    };
    Ok((state(from)?, label, state(to)?))
}

fn number(text: &str, part: &str, what: &str) -> Result<u32, Diagnostic> {
    // Digits by hand: this runs twice per transition.
    let mut value = 0u64;
    let mut digits = !part.is_empty();
    for byte in part.bytes() {
        digits &= byte.is_ascii_digit();
        value = value
            .saturating_mul(10)
            .saturating_add(u64::from(byte.wrapping_sub(b'0')));
    }
    if !digits {
        return Err(Diagnostic::error(
            format!("{what} must be a number, not '{}'", shown(part)),
            span_of(text, part),
        ));
    }
    u32::try_from(value)
        .ok()
        .filter(|&v| v <= MAX_STATES)
        .ok_or_else(|| too_large(text, part, what))
}

fn too_large(text: &str, part: &str, what: &str) -> Diagnostic {
    Diagnostic::error(format!("{what} is too large"), span_of(text, part))
        .help(format!("there can be at most {MAX_STATES} states"))
}

fn shown(part: &str) -> String {
    let short: String = part.chars().take(20).filter(|c| !c.is_control()).collect();
    if short.len() < part.len() {
        format!("{short}…")
    } else {
        short
    }
}

/// Where a part of a text lies in it.
fn span_of(text: &str, part: &str) -> Range<usize> {
    let begin = part.as_ptr() as usize - text.as_ptr() as usize;
    begin..begin + part.len()
}

pub(crate) fn write(lts: &Lts, out: &mut dyn Write) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    writeln!(
        out,
        "des ({},{},{})",
        lts.initial_state(),
        lts.transitions(),
        lts.states()
    )?;
    for state in 0..lts.sources() {
        for &(label, to) in lts.edges(state) {
            writeln!(out, "({state},\"{}\",{to})", lts.labels()[label.0 as usize])?;
        }
    }
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Lts, Diagnostic> {
        parse(Source {
            name: "t.aut",
            text,
        })
    }

    #[test]
    fn labels_of_every_kind() {
        let text = "des (1,5,3)   \r\n(0,\"a(1, f(x))\",1)\r\n(0,b(2,3),2)\n\n  (1, i , 0)\n(1,\"tau\",0)\n(2,\"\"q\"\",2)\n";
        let lts = read(text).expect("a well-formed file");
        assert_eq!(lts.labels(), ["a(1, f(x))", "b(2,3)", "tau", "\"q\""]);
        assert_eq!(lts.initial_state(), 1);
        assert_eq!(lts.edges(1).len(), 2);
        let mut out = Vec::new();
        lts.write(&mut out).expect("memory takes everything");
        let again =
            read(std::str::from_utf8(&out).expect("text")).expect("what was written can be read");
        assert_eq!(again, lts);
    }

    #[track_caller]
    fn refused(text: &str, place: &str, message: &str) {
        let shown = read(text).expect_err("a broken file").render(
            Source {
                name: "t.aut",
                text,
            },
            100,
        );
        assert!(
            shown.contains(message) && shown.contains(&format!("t.aut:{place}\n")),
            "{shown}"
        );
    }

    #[test]
    fn broken_files_are_refused_with_their_place() {
        refused("", "1:1", "the file is empty");
        refused("\n\n", "1:1", "the file is empty");
        refused("dse (0,1,1)", "1:1", "the header is missing");
        refused("des (0,1)", "1:1", "the header cannot be read");
        refused("des (0,1,1", "1:1", "the header cannot be read");
        refused("des (0 1/2 1,1,2)", "1:1", "distribution");
        refused("des (x,1,1)", "1:6", "must be a number, not 'x'");
        refused(
            "des (1,0,1)",
            "1:6",
            "the initial state is 1, but there are 1 states",
        );
        refused(
            "des (0,2,1)\n(0,a,0)\n",
            "1:1",
            "promises 2 transitions, the file has 1",
        );
        refused(
            "des (0,1,1)\n(0,a,0)\n(0,a,0)",
            "1:1",
            "promises 1 transitions, the file has 2",
        );
        refused("des (0,1,1)\n(0,a,7)", "2:6", "there is no state 7");
        refused("des (0,1,1)\n0,a,0", "2:1", "begins with '('");
        refused("des (0,1,1)\n(0,a,0", "2:1", "not closed by ')'");
        refused("des (0,1,1)\n(0)", "2:1", "no label");
        refused("des (0,1,1)\n(0,a)", "2:1", "no target");
        refused("des (0,1,1)\n(0,\"a,0)", "2:4", "quote is not closed");
        refused("des (0,1,1)\n(-1,a,0)", "2:2", "must be a number, not '-1'");
        refused("des (0,1,99999999999999999999999)", "1:10", "too large");
        refused("des\n(4294967294,a,0)", "2:2", "the state is too large");
        refused("des (0,1,1)\n(0,a,)", "2:6", "must be a number, not ''");
        refused(
            "des (0,1,4000000000)\n(3999999999,a,0)",
            "2:1",
            "state 3999999999 has a transition, but there are only 1 transitions",
        );
    }

    #[test]
    fn an_interrupted_file_is_read_for_what_it_has() {
        let lts = read("des                 \n(0,a,1)\n(1,b,2)\n").expect("a file without counts");
        assert_eq!(
            (lts.states(), lts.transitions(), lts.initial_state()),
            (3, 2, 0)
        );
    }

    #[test]
    fn a_huge_promise_costs_nothing() {
        let lts = read("des (0,1,4294967294)\n(0,a,4294967293)\n").expect("a sparse file");
        assert!(lts.edges(4294967293).is_empty());
    }

    /// Files damaged at random: never a panic, and what is accepted can be written and read again. The seed of a
    /// failing case is in the message.
    #[test]
    fn damaged_files_never_panic() {
        let seed_text = "des (0,4,3)\n(0,\"a(1)\",1)\n(1,i,2)\n(2,\"tau\",0)\n(2,b,2)\n";
        let pieces = [
            "(",
            ")",
            ",",
            "\"",
            "\n",
            "des",
            "99999999999",
            "-1",
            "é",
            "\0",
            " ",
            "0",
            "4294967295",
        ];
        for seed in 0..20_000u64 {
            let mut dice = sortie_model::Dice::new(seed);
            let mut bytes = seed_text.as_bytes().to_vec();
            for _ in 0..=dice.below(6) {
                let at = dice.index(bytes.len() + 1);
                match dice.below(5) {
                    0 => bytes.truncate(at),
                    1 if at < bytes.len() => bytes[at] = dice.below(256) as u8,
                    2 if at < bytes.len() => drop(bytes.remove(at)),
                    3 => {
                        let copied: Vec<u8> = bytes.iter().skip(at).take(12).copied().collect();
                        bytes.extend(copied);
                    }
                    _ => {
                        let piece = pieces[dice.index(pieces.len())];
                        bytes.splice(at..at, piece.bytes());
                    }
                }
            }
            let text = String::from_utf8_lossy(&bytes);
            match read(&text) {
                Ok(lts) => {
                    if lts.states() > 1000 {
                        continue;
                    }
                    let mut out = Vec::new();
                    lts.write(&mut out).expect("memory takes everything");
                    let again = read(&String::from_utf8_lossy(&out));
                    assert_eq!(
                        again.as_ref().map(Lts::transitions),
                        Ok(lts.transitions()),
                        "seed {seed}: {text:?}"
                    );
                }
                Err(error) => drop(error.render(
                    Source {
                        name: "t.aut",
                        text: &text,
                    },
                    100,
                )),
            }
        }
    }
}
