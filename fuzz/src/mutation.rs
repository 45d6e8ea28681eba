//! Changes that respect tokens and brackets, so that many mutated texts still parse. Half of the time bytes are mutated as
//! usual.

use libfuzzer_sys::fuzzer_mutate;
use std::ops::Range;
use std::sync::LazyLock;

/// The words of the dictionary that libFuzzer reads too: one quoted word per line.
static WORDS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    include_str!("../mcrl2.dict")
        .lines()
        .filter_map(|line| line.strip_prefix('"')?.strip_suffix('"'))
        .collect()
});

/// A fixed generator (splitmix64): the same seed gives the same mutation.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut draw = self.0;
        draw = (draw ^ (draw >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        draw = (draw ^ (draw >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (draw ^ (draw >> 31)) as usize % bound.max(1)
    }

    fn word(&mut self) -> String {
        WORDS[self.below(WORDS.len())].to_owned()
    }

    /// Some places, the second not before the first and rarely far behind.
    fn range(&mut self, length: usize) -> Range<usize> {
        let start = self.below(length);
        let longest = if self.below(3) == 0 {
            length - start
        } else {
            4
        };
        let end = start + 1 + self.below(longest.min(length - start));
        start..end
    }
}

/// Changes `data[..size]` in place; what it returns is the new size.
pub fn mutate(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    let mut dice = Dice(seed.into());
    if size == 0 || dice.below(2) == 0 {
        return fuzzer_mutate(data, size, max_size);
    }
    let text = String::from_utf8_lossy(&data[..size]).into_owned();
    let mut tokens = split(&text);
    for _ in 0..=dice.below(3) {
        change(&mut tokens, &mut dice);
    }
    store(&tokens.concat(), data, max_size)
}

/// The first text with a part of the second, put in place of a similar part or beside it.
pub fn cross(first: &[u8], second: &[u8], out: &mut [u8], seed: u32) -> usize {
    let mut dice = Dice(seed.into());
    let (first, second) = (
        String::from_utf8_lossy(first),
        String::from_utf8_lossy(second),
    );
    let (mut tokens, others) = (split(&first), split(&second));
    if !tokens.is_empty() && !others.is_empty() {
        let (place, part) = match dice.below(3) {
            0 => (group(&tokens, &mut dice), group(&others, &mut dice)),
            1 => {
                let place = statement(&tokens, &mut dice);
                (place.end..place.end, statement(&others, &mut dice))
            }
            _ => (dice.range(tokens.len()), dice.range(others.len())),
        };
        tokens.splice(place, others[part].to_vec());
    }
    let room = out.len();
    store(&tokens.concat(), out, room)
}

fn store(text: &str, data: &mut [u8], max_size: usize) -> usize {
    let size = text.len().min(max_size).min(data.len());
    data[..size].copy_from_slice(&text.as_bytes()[..size]);
    size
}

fn change(tokens: &mut Vec<String>, dice: &mut Dice) {
    if tokens.is_empty() {
        return tokens.push(dice.word());
    }
    let at = dice.below(tokens.len());
    match dice.below(10) {
        0 => tokens[at] = dice.word(),
        1 => tokens.insert(at, format!(" {} ", dice.word())),
        2 => drop(tokens.drain(dice.range(tokens.len()))),
        3 => {
            let copy = tokens[dice.range(tokens.len())].to_vec();
            tokens.splice(at..at, copy);
        }
        4 => {
            let other = dice.below(tokens.len());
            tokens.swap(at, other);
        }
        5 => {
            let (place, part) = (group(tokens, dice), group(tokens, dice));
            let part = tokens[part].to_vec();
            tokens.splice(place, part);
        }
        6 => {
            let part = statement(tokens, dice);
            let part = tokens[part].to_vec();
            let place = statement(tokens, dice).end;
            tokens.splice(place..place, part);
        }
        7 => {
            let place = group(tokens, dice);
            tokens.insert(place.end, ")".to_owned());
            tokens.insert(place.start, format!(" {}(", dice.word()));
        }
        _ => rename(tokens, at, dice),
    }
}

/// One name in place of another, or one number.
fn rename(tokens: &mut [String], at: usize, dice: &mut Dice) {
    let kind = |token: &str| token.as_bytes()[0].is_ascii_alphanumeric();
    let names: Vec<usize> = (0..tokens.len()).filter(|i| kind(&tokens[*i])).collect();
    let Some(from) = names.get(dice.below(names.len())) else {
        return;
    };
    let place = names.iter().find(|i| **i >= at).unwrap_or(&names[0]);
    tokens[*place] = tokens[*from].clone();
}

/// A bracketed part with its brackets, or one token.
fn group(tokens: &[String], dice: &mut Dice) -> Range<usize> {
    let at = dice.below(tokens.len());
    let Some(open) = (at..tokens.len()).find(|i| matches!(&*tokens[*i], "(" | "[" | "{")) else {
        return at..at + 1;
    };
    let mut depth = 0;
    for (place, token) in tokens.iter().enumerate().skip(open) {
        match &**token {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return open..place + 1;
        }
    }
    at..at + 1
}

/// From after one semicolon to the next.
fn statement(tokens: &[String], dice: &mut Dice) -> Range<usize> {
    let at = dice.below(tokens.len());
    let start = tokens[..at].iter().rposition(|token| token == ";");
    let end = tokens[at..].iter().position(|token| token == ";");
    start.map_or(0, |place| place + 1)..end.map_or(tokens.len(), |place| at + place + 1)
}

/// Runs of letters and digits, runs of white space, and single other characters.
fn split(text: &str) -> Vec<String> {
    let class = |c: char| {
        if c.is_whitespace() {
            1
        } else if c.is_alphanumeric() || c == '_' || c == '\'' {
            2
        } else {
            0
        }
    };
    let mut tokens: Vec<String> = Vec::new();
    let mut last = 0;
    for c in text.chars() {
        match tokens.last_mut() {
            Some(token) if class(c) != 0 && class(c) == last => token.push(c),
            _ => tokens.push(c.to_string()),
        }
        last = class(c);
    }
    tokens
}
