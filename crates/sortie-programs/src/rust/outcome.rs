//! What came out of a hunt, and how a child process tells its parent.

use super::walk::ShuttleTest;
use sortie_model::{End, Walk};
use sortie_search::schedulers::{Answer, Replay};
use sortie_witness::{answer_words, answers_of};
use std::fmt;

/// What came out of a hunt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The failure that was found, if any.
    pub failure: Option<Found>,
    /// Runs that the search made.
    pub runs: u64,
    /// Moves of tasks in all of them.
    pub moves: u64,
    /// Moves in the longest run.
    pub longest: u64,
    /// Runs that were cut at the bound on moves.
    pub cut: u64,
    /// What was searched, and how.
    pub plan: String,
    /// Whether every schedule was tried to its end: then there is no failure.
    pub exhausted: bool,
    /// What was not seen, in words.
    pub unseen: String,
    /// What else the user should know: saved schedules that no longer apply.
    pub notes: Vec<String>,
}

/// A failure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// What went wrong.
    pub message: String,
    /// How it was found.
    pub origin: String,
    /// The run in a few lines, one for every context switch.
    pub shown: Vec<String>,
    /// The answers that lead to it.
    pub answers: Vec<Answer>,
    /// Whether the same answers led to the same failure again.
    pub replays: bool,
    /// Whether it came from a saved schedule.
    pub saved: bool,
    /// Where the schedule is kept, and how to replay it.
    pub advice: Vec<String>,
}

impl Found {
    /// Follows the schedule so many times. Returns how often the test failed in the same way, without any difference.
    pub fn again(&self, times: u64, test: impl Fn() + Send + Sync + 'static) -> u64 {
        let test = ShuttleTest::new(test);
        let fails = |_: &u64| {
            let mut replay = Replay::new(&self.answers);
            let end = test.clone().run(&mut replay, u64::MAX);
            end == Ok(End::Failed(self.message.clone())) && replay.divergence().is_none()
        };
        (0..times).filter(fails).count() as u64
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for note in &self.notes {
            writeln!(f, "sortie: {note}")?;
        }
        if let Some(found) = &self.failure {
            writeln!(f, "{}", found.message)?;
            writeln!(f, "found {}", found.origin)?;
            for line in &found.shown {
                writeln!(f, "    {line}")?;
            }
            for line in &found.advice {
                writeln!(f, "{line}")?;
            }
            if !found.replays {
                writeln!(
                    f,
                    "the same schedule did not fail again: the test depends on something besides the order of its tasks, such as time, \
                     statics, threads of std or the order of a HashMap"
                )?;
            }
            return Ok(());
        }
        write!(
            f,
            "sortie: no failure in {} runs ({})",
            self.runs, self.plan
        )?;
        if self.cut > 0 {
            write!(
                f,
                "; {} of them did not end and were cut, after {} moves",
                self.cut, self.longest
            )?;
        }
        match self.exhausted {
            true => write!(f, "; these are all schedules"),
            false if self.unseen.is_empty() => Ok(()),
            false => write!(f, "; {}", self.unseen),
        }
    }
}

impl Outcome {
    /// As lines of text.
    pub(super) fn to_text(&self) -> String {
        let mut text = String::new();
        let mut line = |key: &str, value: &str| {
            text.push_str(key);
            text.push(' ');
            text.push_str(&value.replace('\\', "\\\\").replace('\n', "\\n"));
            text.push('\n');
        };
        line("runs", &self.runs.to_string());
        line("moves", &self.moves.to_string());
        line("longest", &self.longest.to_string());
        line("cut", &self.cut.to_string());
        line("plan", &self.plan);
        line("exhausted", &self.exhausted.to_string());
        line("unseen", &self.unseen);
        self.notes.iter().for_each(|note| line("note", note));
        if let Some(found) = &self.failure {
            line("failure", &found.message);
            line("origin", &found.origin);
            found.shown.iter().for_each(|shown| line("shown", shown));
            line("answers", &answer_words(&found.answers).join(" "));
            line("replays", &found.replays.to_string());
            line("saved", &found.saved.to_string());
        }
        line("end", "");
        text
    }

    /// From lines of text; nothing if they are not whole.
    pub(super) fn of_text(text: &str) -> Option<Self> {
        let mut outcome = Outcome::default();
        for line in text.lines() {
            let (key, value) = line.split_once(' ')?;
            let value = unescaped(value);
            let found = outcome.failure.as_mut();
            match key {
                "runs" => outcome.runs = value.parse().ok()?,
                "moves" => outcome.moves = value.parse().ok()?,
                "longest" => outcome.longest = value.parse().ok()?,
                "cut" => outcome.cut = value.parse().ok()?,
                "plan" => outcome.plan = value,
                "exhausted" => outcome.exhausted = value.parse().ok()?,
                "unseen" => outcome.unseen = value,
                "note" => outcome.notes.push(value),
                "failure" => {
                    outcome.failure = Some(Found {
                        message: value,
                        ..Found::default()
                    });
                }
                "origin" => found?.origin = value,
                "shown" => found?.shown.push(value),
                "answers" => {
                    let answers = value.split_whitespace().map(answers_of);
                    let answers: Option<Vec<_>> = answers.collect();
                    found?.answers = answers?.into_iter().flatten().collect();
                }
                "replays" => found?.replays = value.parse().ok()?,
                "saved" => found?.saved = value.parse().ok()?,
                "end" => return Some(outcome),
                _ => return None,
            }
        }
        None
    }
}

fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        plain.push(match letter {
            '\\' => match letters.next() {
                Some('n') => '\n',
                Some(other) => other,
                None => '\\',
            },
            letter => letter,
        });
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_arrives() {
        let outcome = Outcome {
            failure: Some(Found {
                message: "left: \"a\\n\"\nright: 2".into(),
                origin: "in run 3".into(),
                shown: vec!["main  1 move".into(), String::new()],
                answers: vec![Answer { chosen: 1, of: 2 }; 3],
                replays: true,
                ..Found::default()
            }),
            runs: 7,
            notes: vec!["one\ntwo".into()],
            plan: "random, seed 1".into(),
            ..Outcome::default()
        };
        let text = outcome.to_text();
        assert_eq!(Outcome::of_text(&text), Some(outcome));
        assert_eq!(Outcome::of_text(&text[..text.len() / 2]), None);
    }
}
