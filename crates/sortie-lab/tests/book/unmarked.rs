//! Which numbers of a document need a mark.
//!
//! In text outside of code, of marked tables and of the targets of links, a number written in digits needs a mark, or a line in `lab/book-constants.csv`, if
//!
//! - it is above nine or has a fraction,
//! - `%` or one of the words in `MEASURES` follows, or
//! - it is all that stands in a cell of a table.
//!
//! Digits within a word (C11) and the numbers of lists are not meant. What the rule does not see: numbers written as words, and blocks of code, of which
//! those that show commands are run by the test of the documents.

use std::ops::Range;

/// Words after which a small number is a measurement.
const MEASURES: &[&str] = &[
    "bytes",
    "hours",
    "KB",
    "GB",
    "GiB",
    "MB",
    "MiB",
    "million",
    "minutes",
    "moves",
    "ms",
    "paths",
    "percent",
    "runs",
    "schedules",
    "seconds",
    "states",
    "steps",
    "times",
    "transitions",
    "walks",
];

/// A document, and which of its characters are not looked at.
pub struct Page {
    text: Vec<char>,
    hidden: Vec<bool>,
}

impl Page {
    pub fn new(text: &str) -> Page {
        let text: Vec<char> = text.chars().collect();
        let mut page = Page {
            hidden: vec![false; text.len()],
            text,
        };
        page.hide_blocks();
        page.hide_between("<!-- table: ", "<!-- end -->");
        page.hide_marked();
        page.hide_between("<!--", "-->");
        page.hide_between("](", ")");
        page.hide_code();
        page
    }

    /// Hides a piece of text wherever it stands; spaces stand for any space, the ends of lines included. Tells whether a number that needs a mark was among it.
    pub fn excuse(&mut self, piece: &str) -> bool {
        let piece: Vec<char> = piece.chars().collect();
        let needy = self.numbers();
        let mut excused = false;
        let mut at = 0;
        while at < self.text.len() {
            match self.length_of(&piece, at) {
                Some(length) => {
                    let found = at..at + length;
                    excused |= needy.iter().any(|range| found.contains(&range.start));
                    self.hide(found);
                    at += length;
                }
                None => at += 1,
            }
        }
        excused
    }

    /// The numbers that need a mark and have none, with their lines.
    pub fn unmarked(&self) -> Vec<String> {
        let tell = |range: Range<usize>| {
            let line = self.text[..range.start]
                .iter()
                .filter(|c| **c == '\n')
                .count();
            let around = range.start.saturating_sub(30)..(range.end + 30).min(self.text.len());
            let around: String = self.text[around].iter().collect();
            let number: String = self.text[range].iter().collect();
            format!(
                "line {}: {number} in '{}'",
                line + 1,
                around.replace('\n', " ")
            )
        };
        self.numbers().into_iter().map(tell).collect()
    }

    fn numbers(&self) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let mut at = 0;
        while at < self.text.len() {
            let length = self.number_at(at);
            if length == 0 {
                at += 1;
                continue;
            }
            let range = at..at + length;
            if !self.hidden[at] && !self.is_within_word(at) && !self.is_of_list(&range) {
                let is_small = length == 1;
                if !is_small || self.is_measured(range.end) || self.is_cell(&range) {
                    found.push(range);
                }
            }
            at += length;
        }
        found
    }

    /// The length of the number that begins here: digits, with commas and points between them.
    fn number_at(&self, at: usize) -> usize {
        let is_digit = |at: usize| self.text.get(at).is_some_and(char::is_ascii_digit);
        if !is_digit(at) {
            return 0;
        }
        let mut end = at;
        while is_digit(end) || (matches!(self.text.get(end), Some(',' | '.')) && is_digit(end + 1))
        {
            end += 1;
        }
        end - at
    }

    fn is_within_word(&self, at: usize) -> bool {
        let before = at.checked_sub(1).map(|before| self.text[before]);
        before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '+')
    }

    /// Whether it only numbers an item of a list.
    fn is_of_list(&self, range: &Range<usize>) -> bool {
        let line = self.text[..range.start].iter().rev();
        let mut before = line.take_while(|c| **c != '\n');
        before.all(|c| *c == ' ') && self.text[range.end..].starts_with(&['.', ' '])
    }

    /// Whether a word that goes with measurements follows.
    fn is_measured(&self, end: usize) -> bool {
        let rest = self.text[end..].iter().skip_while(|c| c.is_whitespace());
        let word: String = rest
            .take_while(|c| c.is_alphabetic() || **c == '%')
            .collect();
        word.starts_with('%') || MEASURES.contains(&&*word)
    }

    fn is_cell(&self, range: &Range<usize>) -> bool {
        let before = self.text[..range.start].iter().rev().find(|c| **c != ' ');
        let after = self.text[range.end..].iter().find(|c| **c != ' ');
        before == Some(&'|') && after == Some(&'|')
    }

    /// How much of the text from here on is this piece, if it is.
    fn length_of(&self, piece: &[char], from: usize) -> Option<usize> {
        let mut at = from;
        for c in piece {
            let here = self.text.get(at)?;
            if c.is_whitespace() && here.is_whitespace() {
                let spaces = self.text[at..].iter().take_while(|c| c.is_whitespace());
                at += spaces.count();
            } else if c == here {
                at += 1;
            } else {
                return None;
            }
        }
        // A number is taken whole or not at all.
        let is_cut = self.text[at - 1].is_ascii_digit() && self.number_at(at - 1) > 1;
        (!is_cut).then_some(at - from)
    }

    fn hide(&mut self, range: Range<usize>) {
        self.hidden[range].fill(true);
    }

    fn find(&self, piece: &str, from: usize) -> Option<usize> {
        let piece: Vec<char> = piece.chars().collect();
        let mut windows = self.text[from..].windows(piece.len());
        windows
            .position(|window| window == piece)
            .map(|at| from + at)
    }

    fn hide_between(&mut self, begin: &str, end: &str) {
        let mut from = 0;
        while let Some(at) = self.find(begin, from) {
            let close = self.find(end, at).unwrap_or(self.text.len() - 1);
            if !self.hidden[at] {
                self.hide(at..close + 1);
            }
            from = at + 1;
        }
    }

    /// Numbers in sentences that have their mark behind them.
    fn hide_marked(&mut self) {
        let mut from = 0;
        while let Some(at) = self.find("<!--= ", from) {
            let is_figure = |c: &&char| c.is_ascii_digit() || ",.–".contains(**c);
            let figure = self.text[..at].iter().rev().take_while(is_figure).count();
            self.hide(at - figure..at);
            from = at + 1;
        }
    }

    fn hide_blocks(&mut self) {
        let (mut at, mut inside) = (0, false);
        while at < self.text.len() {
            let length = self.text[at..].iter().take_while(|c| **c != '\n').count();
            let line: String = self.text[at..at + length].iter().collect();
            let fence = line.trim_start().starts_with("```");
            if fence || inside {
                self.hide(at..at + length);
            }
            inside ^= fence;
            at += length + 1;
        }
    }

    /// Pieces of code within a line.
    fn hide_code(&mut self) {
        let mut begin = None;
        for at in 0..self.text.len() {
            match self.text[at] {
                '\n' => begin = None,
                '`' if !self.hidden[at] => match begin.take() {
                    Some(begin) => self.hide(begin..at + 1),
                    None => begin = Some(at),
                },
                _ => {}
            }
        }
    }
}

#[test]
fn the_rule_sees_what_it_should() {
    let text = "10. Of 12 states, 3 steps and 3 lanes, `14` and C11, 7 % or 1.5.\n| a | 4 |\n15<!--= f | c --> [9](10.md) 1,000\n```\n16\n```\n";
    let numbers = |page: &Page| -> Vec<String> {
        let text = |range: Range<usize>| page.text[range].iter().collect();
        page.numbers().into_iter().map(text).collect()
    };
    let mut page = Page::new(text);
    assert_eq!(numbers(&page), ["12", "3", "7", "1.5", "4", "1,000"]);
    assert!(page.excuse("Of 12 states, 3 steps"));
    assert!(!page.excuse("3 lanes"), "it needs no mark");
    assert!(!page.excuse("1,00"), "it is a part of a number");
    assert!(!page.excuse("13 states"), "it is not there");
    assert_eq!(numbers(&page), ["7", "1.5", "4", "1,000"]);
}
