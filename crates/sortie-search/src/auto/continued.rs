//! A depth-first search that goes on where it stopped, round after round.
//!
//! A search that begins again in every round does most of its work several times, and most state spaces that can be exhausted at all are small. So
//! the first searches of the exhaustive arm are one, which rests between rounds. Nothing of it is kept when a hunt is put down: taking the hunt up again
//! repeats it in silence, which is why it is never long.

use super::arms::exhaustive;
use super::round::{Answer, MakeReport, Report, Round, Task, with_hunt};
use crate::Hunt;
use crate::strategies::depth_first::Search;
use sortie_model::{Counts, Spending, Stop, Verdict, derive_seed};
use std::sync::Mutex;

/// So many states it expands at most.
pub(super) const MOST: u64 = 1 << 20;

/// The search, seen from outside.
pub(super) struct Continued<'a>(Mutex<Resting<'a>>);

/// The search between two rounds.
struct Resting<'a> {
    search: Search<'a>,
    report: MakeReport<'a>,
    /// What it had counted and found when it rested last.
    counts: Counts,
    distinct: u64,
}

/// Lends a search that has not begun.
pub(super) fn with_continued<T>(
    hunt: &Hunt<'_>,
    pairs: &[(usize, usize)],
    drive: impl FnOnce(&Continued<'_>) -> T,
) -> T {
    let round = Round {
        number: 0,
        task: Task::Arm(exhaustive()),
        budget: 0,
        seed: derive_seed(hunt.seed, 0),
        after: Some(0),
    };
    with_hunt(hunt, pairs, round, Stop::default(), |own, report| {
        drive(&Continued(Mutex::new(Resting {
            search: Search::randomised(own),
            report,
            counts: Counts::default(),
            distinct: 0,
        })))
    })
}

impl Continued<'_> {
    /// Carries out a round that goes on after so many states. Counts are those of the round alone.
    pub(super) fn go_on(&self, round: Round, after: u64, stop: Stop) -> Answer {
        let mut resting = self.0.lock().expect("no round panics while it goes on");
        if resting.counts.expanded < after {
            // The hunt was taken up again: what was done before is done again, and was counted then.
            let mut again = resting.go_on(round, after, &stop)?;
            if !again.is_paused() {
                if let Some(outcome) = &mut again.outcome {
                    outcome.counts = Counts::default();
                }
                return Ok(again);
            }
        }
        resting.go_on(round, after + round.budget, &stop)
    }
}

impl Resting<'_> {
    /// Lets the search go on, on behalf of a round; what is new since it rested last.
    fn go_on(&mut self, round: Round, limit: u64, stop: &Stop) -> Answer {
        let outcome = self.search.go_on(limit, stop.clone());
        let mut report = (self.report)(outcome.map(|outcome| (outcome, None)))?;
        report.round = round;
        if let Some(outcome) = &mut report.outcome {
            report.found_before = self.distinct;
            self.distinct = outcome.distinct;
            let all = outcome.counts;
            outcome.counts.visited -= self.counts.visited;
            outcome.counts.expanded -= self.counts.expanded;
            outcome.counts.transitions -= self.counts.transitions;
            self.counts = all;
        }
        Ok(report)
    }
}

impl Report {
    /// Whether a search that can be continued waits for more.
    pub(super) fn is_paused(&self) -> bool {
        let verdict = self.outcome.as_ref().map(|outcome| &outcome.verdict);
        verdict == Some(&Verdict::Spent(Spending::States))
    }
}
