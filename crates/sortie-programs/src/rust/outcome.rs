//! What came out of a hunt. A child process tells its parent as JSON.

use super::walk::ShuttleTest;
use serde::{Deserialize, Serialize};
use sortie_model::{End, Walk};
use sortie_search::schedulers::{Answer, Replay};
use std::fmt;

/// What came out of a hunt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
        let Outcome { runs, plan, .. } = self;
        write!(f, "sortie: no failure in {runs} runs ({plan})")?;
        if self.cut > 0 {
            let cut = format!("{} of them did not end and were cut", self.cut);
            write!(f, "; {cut}, after {} moves", self.longest)?;
        }
        match self.exhausted {
            true => write!(f, "; these are all schedules"),
            false if self.unseen.is_empty() => Ok(()),
            false => write!(f, "; {}", self.unseen),
        }
    }
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
        let text = serde_json::to_string(&outcome).expect("texts and numbers are JSON");
        assert_eq!(serde_json::from_str(&text).ok(), Some(outcome));
        let half = serde_json::from_str::<Outcome>(&text[..text.len() / 2]);
        assert!(half.is_err(), "{half:?}");
    }
}
