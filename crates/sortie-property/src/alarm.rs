//! Actions whose names say that something is wrong.

use crate::{Action, PropertyRow};

/// Words that name what should not happen. Longer words that begin with one of the second kind count as well.
const WORDS: [&str; 5] = ["bug", "illegal", "unsafe", "wrong", "bad"];
const STEMS: [&str; 7] = ["assert", "crash", "err", "fail", "fault", "panic", "violat"];

/// The row of [`alarm`].
pub const ALARM: &PropertyRow = &PropertyRow {
    of_data: Some(|_| Ok(Box::new(alarm()))),
    ..PropertyRow::new("alarm")
};

/// Looks for steps with a name such as `error`, `protocol_error`, `assertionFailed(3)`.
pub fn alarm() -> Action {
    Action::of_kind(ALARM.kind(""), |label| {
        // Arguments are data, whatever they are called; of several actions at once each counts.
        let name = |action: &str| action.split('(').next().is_some_and(raises_alarm);
        label.split('|').any(name)
    })
}

/// Whether one of the words that a name is made of says that something is wrong.
pub fn raises_alarm(name: &str) -> bool {
    words(name).any(|word| {
        let begins = |stem: &&str| {
            let ending = word.strip_prefix(*stem);
            ending.is_some_and(|ending| is_ending(stem, ending))
        };
        WORDS.contains(&word.as_str()) || STEMS.iter().any(begins)
    })
}

/// `err` is part of too many words to count with every ending.
fn is_ending(stem: &str, ending: &str) -> bool {
    stem != "err" || matches!(ending, "" | "s" | "or" | "ors" | "oneous")
}

/// The words of a name, in small letters: `protocolError_2` has `protocol` and `error`.
fn words(name: &str) -> impl Iterator<Item = String> {
    let (mut words, mut word) = (Vec::new(), String::new());
    let mut after_small = false;
    for letter in name.chars() {
        if !letter.is_alphabetic() || (letter.is_uppercase() && after_small) {
            words.push(std::mem::take(&mut word));
        }
        if letter.is_alphabetic() {
            word.extend(letter.to_lowercase());
        }
        after_small = letter.is_lowercase();
    }
    words.push(word);
    words.into_iter().filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_raise_an_alarm() {
        let raise = "error Error protocol_error protocolError2 assertionFailed FAIL failure violated wrong parse-errors";
        for name in raise.split(' ') {
            assert!(raises_alarm(name), "{name}");
        }
        let innocent = "send terror errand mirror unfailing debug badge c10";
        for name in innocent.split(' ').chain([""]) {
            assert!(!raises_alarm(name), "{name}");
        }
    }
}
