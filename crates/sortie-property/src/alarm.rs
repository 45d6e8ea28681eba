//! Actions whose names say that something is wrong.

use crate::{Monitor, Property, PropertyKind, Sighting, Sights, on_steps};
use sortie_model::Model;

/// Words that name what should not happen. Longer words that begin with one of the second kind count as well.
const WORDS: [&str; 5] = ["bug", "illegal", "unsafe", "wrong", "bad"];
const STEMS: [&str; 7] = ["assert", "crash", "err", "fail", "fault", "panic", "violat"];

/// Looks for steps with a name such as `error`, `protocol_error`, `assertionFailed(3)`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alarm;

impl Alarm {
    /// Whether one of the words that a name is made of is such a word.
    pub fn is_raised_by(name: &str) -> bool {
        words(name).any(|word| {
            let begins = |stem: &&str| {
                let ending = word.strip_prefix(*stem);
                ending.is_some_and(|ending| is_ending(stem, ending))
            };
            WORDS.contains(&word.as_str()) || STEMS.iter().any(begins)
        })
    }
}

/// `err` is part of too many words to count with every ending.
fn is_ending(stem: &str, ending: &str) -> bool {
    stem != "err" || matches!(ending, "" | "s" | "or" | "ors" | "oneous")
}

/// The words of a name, in small letters: `protocolError_2` has `protocol` and `error`.
fn words(name: &str) -> impl Iterator<Item = String> {
    let mut words = vec![String::new()];
    let mut after_small = false;
    for letter in name.chars() {
        if !letter.is_alphabetic() || (letter.is_uppercase() && after_small) {
            words.push(String::new());
        }
        if letter.is_alphabetic()
            && let Some(word) = words.last_mut()
        {
            word.extend(letter.to_lowercase());
        }
        after_small = letter.is_lowercase();
    }
    words.into_iter().filter(|word| !word.is_empty())
}

impl Property for Alarm {
    fn kind(&self) -> PropertyKind {
        PropertyKind::Alarm
    }

    fn looks_at(&self) -> Sights {
        Sights::STEPS
    }

    fn monitor<'a>(&'a self, model: &'a dyn Model) -> Box<dyn Monitor + 'a> {
        on_steps(|label| {
            let text = model.label(label);
            // Arguments are data, whatever they are called; of several actions at once each counts.
            let mut names = text
                .split('|')
                .map(|one| one.split('(').next().unwrap_or(one));
            Sighting::hit_if(names.any(Alarm::is_raised_by))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_raise_an_alarm() {
        for name in [
            "error",
            "Error",
            "protocol_error",
            "protocolError2",
            "assertionFailed",
            "FAIL",
            "failure",
            "violated",
            "wrong",
            "parse-errors",
        ] {
            assert!(Alarm::is_raised_by(name), "{name}");
        }
        for name in [
            "send",
            "terror",
            "errand",
            "mirror",
            "unfailing",
            "debug",
            "badge",
            "c10",
            "",
        ] {
            assert!(!Alarm::is_raised_by(name), "{name}");
        }
    }
}
