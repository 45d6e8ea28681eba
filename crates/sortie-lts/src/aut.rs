//! The Aldebaran format: a header `des (initial,transitions,states)`, then one line `(from,label,to)` per transition.
//!
//! A random transition has a list of targets, `(from,label,to 1/3 to 1/2 to)`: after each target but the last stands its
//! probability, and the last takes the rest. The initial state may be such a list, too.
//!
//! Labels may be quoted or not, and may contain anything, commas and brackets included: what counts is the first and
//! the last comma of a line. Tools that were interrupted leave a header without numbers; such a file is read for what
//! it has.

use crate::random::{Distribution, common_divisor, normal};
use crate::{Builder, Lts};
use sortie_syntax::{Diagnostic, Source};
use std::io::{self, BufWriter, Seek, Write};
use std::ops::Range;

struct Header {
    initial: Distribution,
    transitions: usize,
    states: u32,
    span: Range<usize>,
}

/// A number of states is itself less than `u32::MAX`.
const MAX_STATES: u32 = u32::MAX - 1;

const FORM: &str = "a transition is written (from,\"label\",to)";
const LIST_FORM: &str = "random targets are written to 1/3 to 1/2 to: the last takes the rest, which must be more than nothing";
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
    let mut present = 0;
    // The largest state with a transition, and where it stands.
    let mut farthest = (0, 0..0);
    for line in lines {
        if builder.len() == u32::MAX as usize {
            let message = "the file has more than 4294967295 transitions";
            return Err(Diagnostic::error(message, line));
        }
        let (from, label, targets) = transition(source.text, line.clone(), limit)?;
        present += 1;
        if from > farthest.0 {
            farthest = (from, line);
        }
        largest = largest.max(from);
        let label = builder.label(label);
        match targets {
            Targets::One(to) => {
                largest = largest.max(to);
                builder.transition(from, label, to);
            }
            Targets::Random(outcomes) => {
                largest = outcomes.iter().fold(largest, |all, (to, _)| all.max(*to));
                builder.random_transition(from, label, &outcomes);
            }
        }
    }
    if farthest.0 as usize > MAX_GAPS + 64 * builder.len() {
        let (state, transitions) = (farthest.0, builder.len());
        let message =
            format!("state {state} has a transition, but there are only {transitions} transitions");
        return Err(Diagnostic::error(message, farthest.1)
            .help("number the states from 0 without large gaps"));
    }
    let Some(header) = header else {
        return Ok(builder.build(source.name, 0, largest + 1));
    };
    if present != header.transitions {
        let promised = header.transitions;
        let message = format!("the header promises {promised} transitions, the file has {present}");
        return Err(Diagnostic::error(message, header.span)
            .help("was the file cut off, or edited without changing its first line?"));
    }
    let [(initial, _)] = header.initial[..] else {
        // The state that stands for the random start comes after all others.
        let choice = builder.label("tau");
        builder.random_transition(header.states, choice, &header.initial);
        builder.begin_at_random();
        return Ok(builder.build(source.name, header.states, header.states + 1));
    };
    Ok(builder.build(source.name, initial, header.states))
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
    let states_count = number(text, states, "the number of states")?;
    let initial = targets(text, initial, |part| {
        let state = number(text, part, "the initial state")?;
        if state < states_count {
            return Ok(state);
        }
        Err(Diagnostic::error(
            format!("the initial state is {state}, but there are {states_count} states"),
            span_of(text, part),
        )
        .help("states are numbered from 0"))
    })?;
    let transitions = number(text, transitions, "the number of transitions")? as usize;
    Ok(Some(Header {
        initial: match initial {
            Targets::One(state) => vec![(state, 1)],
            Targets::Random(outcomes) => outcomes,
        },
        transitions,
        states: states_count,
        span: line,
    }))
}

fn transition(
    text: &str,
    line: Range<usize>,
    states: u32,
) -> Result<(u32, &str, Targets), Diagnostic> {
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
        // The form that CADP gives internal steps; in quotes it is an action of that name.
        None if label == "i" => "tau",
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
    Ok((state(from)?, label, targets(text, to.trim(), state)?))
}

enum Targets {
    One(u32),
    /// More than one.
    Random(Distribution),
}

/// A state, or a list of states with probabilities.
fn targets(
    text: &str,
    list: &str,
    state: impl Fn(&str) -> Result<u32, Diagnostic>,
) -> Result<Targets, Diagnostic> {
    if !list.contains(char::is_whitespace) {
        return Ok(Targets::One(state(list)?));
    }
    let wrong =
        |message: &str, part: &str| Diagnostic::error(message, span_of(text, part)).help(LIST_FORM);
    let parts: Vec<&str> = list.split_whitespace().collect();
    if parts.len().is_multiple_of(2) {
        return Err(wrong("the last target has a probability", list));
    }
    let mut fractions = Vec::new();
    let mut whole = 1u64;
    for pair in parts.chunks(2) {
        let to = state(pair[0])?;
        let Some(part) = pair.get(1) else {
            fractions.push((to, 0, 1));
            break;
        };
        let (numerator, denominator) =
            fraction(part).ok_or_else(|| wrong("this is not a probability", part))?;
        whole = (denominator / common_divisor(whole, denominator))
            .checked_mul(whole)
            .ok_or_else(|| wrong("the probabilities do not fit in 64 bits", list))?;
        fractions.push((to, numerator, denominator));
    }
    let mut rest = whole;
    let mut outcomes = Distribution::new();
    for (to, numerator, denominator) in fractions {
        let weight = u128::from(numerator) * u128::from(whole / denominator);
        let weight = u64::try_from(weight).ok().filter(|weight| *weight < rest);
        let weight = weight.ok_or_else(|| wrong("nothing is left for the last target", list))?;
        rest -= weight;
        outcomes.push((to, weight));
    }
    if let Some((_, weight)) = outcomes.last_mut() {
        *weight = rest;
    }
    let outcomes = normal(outcomes).expect("the sum of the weights is `whole`");
    Ok(match outcomes[..] {
        [(only, _)] => Targets::One(only),
        _ => Targets::Random(outcomes),
    })
}

/// `1/3`, more than zero.
fn fraction(text: &str) -> Option<(u64, u64)> {
    let (numerator, denominator) = text.split_once('/')?;
    let positive = |digits: &str| {
        let all = digits.bytes().all(|byte| byte.is_ascii_digit());
        digits.parse().ok().filter(|value| all && *value > 0u64)
    };
    Some((positive(numerator)?, positive(denominator)?))
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
        let message = format!("{what} must be a number, not '{}'", shown(part));
        return Err(Diagnostic::error(message, span_of(text, part)));
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
    let end = if short.len() < part.len() { "…" } else { "" };
    short + end
}

/// Where a part of a text lies in it.
fn span_of(text: &str, part: &str) -> Range<usize> {
    let begin = part.as_ptr() as usize - text.as_ptr() as usize;
    begin..begin + part.len()
}

pub(crate) fn write(lts: &Lts, out: &mut dyn Write) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    let start = lts.start();
    // A state that stands for the random start is written in the header, and those after it move up.
    let hidden = (start.len() > 1).then_some(lts.initial_state());
    let number = |state: u32| match hidden {
        Some(hidden) if state > hidden => state - 1,
        _ => state,
    };
    let (transitions, states) = (lts.transitions(), lts.states());
    let extra = u32::from(hidden.is_some());
    write!(out, "des (")?;
    list(&mut out, &start, number)?;
    writeln!(out, ",{},{})", transitions - extra as usize, states - extra)?;
    for state in (0..lts.sources()).filter(|state| Some(*state) != hidden) {
        for leaving in lts.leaving(state) {
            let label = &lts.labels()[leaving.label.0 as usize];
            write!(out, "({},\"{label}\",", number(state))?;
            match leaving.edges {
                [(_, to)] => write!(out, "{}", number(*to))?,
                _ => list(&mut out, &leaving.distribution(), number)?,
            }
            writeln!(out, ")")?;
        }
    }
    out.flush()
}

/// A file that is written while a system is explored, transition by transition. Its header is completed at the end; without, readers take
/// the file for what it has.
///
/// ```
/// use sortie_lts::Growing;
/// let mut text = std::io::Cursor::new(Vec::new());
/// let mut file = Growing::new(&mut text);
/// file.transition(0, "tick", &[(1, 1)])?;
/// file.transition(1, "tick", &[(0, 1)])?;
/// file.finish(2)?;
/// assert!(text.into_inner().starts_with(b"des (0,2,2)"));
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Growing<W: Write + Seek> {
    out: W,
    /// What is not written yet.
    waiting: Vec<u8>,
    /// Whether the room for the header is written.
    has_begun: bool,
    transitions: u64,
}

/// The room for what follows `des` in the header, which has two numbers of 20 digits at most.
const ROOM: usize = 48;

/// This many bytes are written at once. A shorter file gets its header last, without room around it.
const PIECE: usize = 1 << 20;

impl<W: Write + Seek> Growing<W> {
    /// A file whose initial state is 0.
    pub fn new(out: W) -> Self {
        Growing {
            out,
            waiting: Vec::with_capacity(PIECE),
            has_begun: false,
            transitions: 0,
        }
    }

    /// Writes a transition. One with several targets is random, and each target is as likely as its weight's share of the sum.
    ///
    /// # Panics
    /// When the sum of the weights is zero or above `u64::MAX`.
    pub fn transition(&mut self, from: u32, label: &str, to: &[(u32, u64)]) -> io::Result<()> {
        self.transitions += 1;
        let line = &mut self.waiting;
        write!(line, "({from},\"{label}\",")?;
        if let [(to, _)] = to {
            write!(line, "{to}")?;
        } else {
            let outcomes = normal(to.iter().copied());
            let outcomes = outcomes.expect("weights must have a sum, and it must not be zero");
            list(line, &outcomes, |state| state)?;
        }
        writeln!(line, ")")?;
        if self.waiting.len() < PIECE {
            return Ok(());
        }
        if !std::mem::replace(&mut self.has_begun, true) {
            writeln!(self.out, "des{:ROOM$}", "")?;
        }
        self.out.write_all(&self.waiting)?;
        self.waiting.clear();
        Ok(())
    }

    /// The number of transitions so far.
    pub fn transitions(&self) -> u64 {
        self.transitions
    }

    /// Writes what is left, and the header.
    pub fn finish(mut self, states: u64) -> io::Result<()> {
        let header = format!(" (0,{},{states})", self.transitions);
        if !self.has_begun {
            writeln!(self.out, "des{header}")?;
        }
        self.out.write_all(&self.waiting)?;
        if self.has_begun {
            self.out.rewind()?;
            write!(self.out, "des{header:ROOM$}")?;
        }
        self.out.flush()
    }
}

/// Targets with probabilities; the last takes the rest.
fn list(
    out: &mut impl Write,
    distribution: &Distribution,
    number: impl Fn(u32) -> u32,
) -> io::Result<()> {
    let whole: u64 = distribution.iter().map(|(_, weight)| weight).sum();
    for (place, (to, weight)) in distribution.iter().enumerate() {
        write!(out, "{}", number(*to))?;
        if place + 1 < distribution.len() {
            let divisor = common_divisor(whole, *weight);
            write!(out, " {}/{} ", weight / divisor, whole / divisor)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Source<'_> {
        let name = "t.aut";
        Source { name, text }
    }

    fn read(text: &str) -> Result<Lts, Diagnostic> {
        parse(source(text))
    }

    #[test]
    fn labels_of_every_kind() {
        let text = "des (1,5,3)   \r\n(0,\"a(1, f(x))\",1)\r\n(0,b(2,3),2)\n\n  (1, i , 0)\n(1,\"tau\",0)\n(2,\"\"q\"\",2)\n";
        let lts = read(text).expect("a well-formed file");
        assert_eq!(lts.labels(), ["a(1, f(x))", "b(2,3)", "tau", "\"q\""]);
        assert_eq!(lts.initial_state(), 1);
        assert_eq!(lts.edges(1).len(), 2);
        let again = read(&written(&lts)).expect("what was written can be read");
        assert_eq!(again, lts);
    }

    #[test]
    fn random_transitions_and_starts() {
        let text =
            "des (0 1/3 2,3,3)\n(0,\"a\",0 1/6 1 1/2 2)\n(0,\"b(1, 2)\",1)\n(2,\"a\",1 2/3 0)\n";
        let lts = read(text).expect("a well-formed file");
        assert_eq!(lts.start(), [(0, 1), (2, 2)]);
        assert_eq!((lts.states(), lts.transitions()), (4, 4));
        let weights: Vec<&[u64]> = lts.leaving(0).map(|leaving| leaving.weights).collect();
        assert_eq!(weights, [&[1, 3, 2][..], &[]]);
        assert_eq!(written(&lts), text);
        // The outcomes are steps, marked with their weights.
        let mut steps = sortie_model::Steps::new(1);
        sortie_model::Model::expand(&lts, &[2], &mut steps).expect("explicit steps");
        assert_eq!((steps.len(), steps.transitions()), (2, 1));
        assert_eq!(steps.transition(0).weights, [2, 1]);
        // What is the same target is written once.
        let merged = read("des (1 1/3 1,1,2)\n(0,a,0 1/4 1 1/4 0)\n").expect("a file");
        let once = "des (1,1,2)\n(0,\"a\",0 3/4 1)\n";
        assert_eq!(written(&merged), once);
    }

    fn written(lts: &Lts) -> String {
        let mut out = Vec::new();
        lts.write(&mut out).expect("memory takes everything");
        String::from_utf8(out).expect("text")
    }

    #[track_caller]
    fn refused(text: &str, place: &str, message: &str) {
        let error = read(text).expect_err("a broken file");
        let shown = error.render(source(text), 100);
        let is_there = shown.contains(&format!("t.aut:{place}\n"));
        assert!(is_there && shown.contains(message), "{shown}");
    }

    #[test]
    fn broken_files_are_refused_with_their_place() {
        refused("", "1:1", "the file is empty");
        refused("\n\n", "1:1", "the file is empty");
        refused("dse (0,1,1)", "1:1", "the header is missing");
        refused("des (0,1)", "1:1", "the header cannot be read");
        refused("des (0,1,1", "1:1", "the header cannot be read");
        refused(
            "des (0 1/2 1 1/2,1,2)",
            "1:6",
            "the last target has a probability",
        );
        refused("des (0 1/2 2,1,2)", "1:12", "the initial state is 2");
        refused("des (0,1,2)\n(0,a,0 1/2 7)", "2:12", "there is no state 7");
        refused("des (0,1,2)\n(0,a,0 1/2 1 1/2 0)", "2:6", "nothing is left");
        refused("des (0,1,2)\n(0,a,0 0/2 1)", "2:8", "not a probability");
        refused("des (0,1,2)\n(0,a,0 1/0 1)", "2:8", "not a probability");
        refused("des (0,1,2)\n(0,a,0 0.5 1)", "2:8", "not a probability");
        refused(
            "des (0,1,2)\n(0,a,0 1/18446744073709551615 1 1/2 0)",
            "2:6",
            "64 bits",
        );
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
        assert_eq!((lts.states(), lts.transitions()), (3, 2));
        assert_eq!(lts.initial_state(), 0);
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
        let seed_text =
            "des (0 1/2 1,4,3)\n(0,\"a(1)\",1)\n(1,i,2)\n(2,\"tau\",0 1/3 1 1/4 2)\n(2,b,2)\n";
        let pieces = "(;);,;\";\n;des;99999999999;-1;é;\0; ;0;4294967295; 1/2 ;/";
        let pieces: Vec<&str> = pieces.split(';').collect();
        for seed in 0..20_000u64 {
            let mut dice = sortie_model::Dice::new(seed);
            let mut bytes = seed_text.as_bytes().to_vec();
            for _ in 0..=dice.below(6) {
                let at = dice.index(bytes.len() + 1);
                match dice.below(5) {
                    0 => bytes.truncate(at),
                    1 if at < bytes.len() => bytes[at] = dice.below(256) as u8,
                    2 if at < bytes.len() => drop(bytes.remove(at)),
                    3 => bytes.extend_from_within(at..bytes.len().min(at + 12)),
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
                    let again = read(&written(&lts));
                    let transitions = again.as_ref().map(Lts::transitions);
                    assert_eq!(transitions, Ok(lts.transitions()), "seed {seed}: {text:?}");
                }
                Err(error) => drop(error.render(source(&text), 100)),
            }
        }
    }
}
