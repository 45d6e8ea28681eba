//! A depth-first search that goes on where it stopped, round after round.
//!
//! A search that begins again in every round does most of its work several times, and most state spaces that can be exhausted at all are small. So
//! the first searches of the exhaustive arm are one, on a thread of its own that sleeps between rounds. Nothing of it is kept when a hunt is put down: taking the hunt up again
//! repeats it in silence, which is why it is never long.

use super::arms::exhaustive;
use super::round::{Report, Round, Task, one};
use crate::strategies::depth_first::Order;
use crate::{Hunt, SearchError};
use sortie_model::{Counts, Spending, Stop, Verdict, derive_seed};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::Scope;

/// So many states it expands at most.
pub(super) const MOST: u64 = 1 << 20;

type Answer = Result<Report, SearchError>;

/// The search, seen from outside.
pub(super) struct Continued(Mutex<Line>);

/// The line to its thread.
struct Line {
    orders: Sender<Order>,
    answers: Receiver<Answer>,
    /// What it had counted and found when it answered last.
    counts: Counts,
    distinct: u64,
}

impl Continued {
    /// A search that waits for its first order.
    pub(super) fn start<'s, 'e>(
        scope: &'s Scope<'s, 'e>,
        hunt: &'s Hunt<'_>,
        pairs: &'s [(usize, usize)],
    ) -> Continued {
        let (orders, inbox) = channel();
        let (outbox, answers) = channel();
        scope.spawn(move || serve(hunt, pairs, &inbox, &outbox));
        Continued(Mutex::new(Line {
            orders,
            answers,
            counts: Counts::default(),
            distinct: 0,
        }))
    }

    /// Carries out a round that goes on after so many states. Counts are those of the round alone.
    pub(super) fn go_on(&self, round: Round, after: u64, stop: Stop) -> Answer {
        let mut line = self.0.lock().expect("no round panics while it waits");
        if line.counts.expanded < after {
            // The hunt was taken up again: what was done before is done again, and was counted then.
            let mut again = line.ask(round, after, &stop)?;
            if !again.is_paused() {
                if let Some(outcome) = &mut again.outcome {
                    outcome.counts = Counts::default();
                }
                return Ok(again);
            }
        }
        line.ask(round, after + round.budget, &stop)
    }
}

impl Line {
    /// Lets the search go on, on behalf of a round; what is new since it answered last.
    fn ask(&mut self, round: Round, limit: u64, stop: &Stop) -> Answer {
        let stop = stop.clone();
        let order = Order { limit, stop };
        self.orders.send(order).expect("the search waits");
        let mut answer = self.answers.recv().expect("the search answers")?;
        answer.round = round;
        if let Some(outcome) = &mut answer.outcome {
            answer.found_before = self.distinct;
            self.distinct = outcome.distinct;
            let all = outcome.counts;
            outcome.counts.visited -= self.counts.visited;
            outcome.counts.expanded -= self.counts.expanded;
            outcome.counts.transitions -= self.counts.transitions;
            self.counts = all;
        }
        Ok(answer)
    }
}

impl Report {
    /// Whether a search that can be continued waits for more.
    pub(super) fn is_paused(&self) -> bool {
        let verdict = self.outcome.as_ref().map(|outcome| &outcome.verdict);
        verdict == Some(&Verdict::Spent(Spending::States))
    }
}

/// Follows orders until the search is over or nobody wants it any more.
fn serve(
    hunt: &Hunt<'_>,
    pairs: &[(usize, usize)],
    inbox: &Receiver<Order>,
    outbox: &Sender<Answer>,
) {
    let Ok(first) = inbox.recv() else {
        return;
    };
    let round = Round {
        number: 0,
        task: Task::Arm(exhaustive()),
        budget: first.limit,
        seed: derive_seed(hunt.seed, 0),
        after: Some(0),
    };
    let paused = |report: Report| {
        // Whoever asked may be gone, and then there is no other order.
        let _ = outbox.send(Ok(report));
        inbox.recv().ok()
    };
    let last = one(hunt, pairs, round, first.stop, Some(&paused));
    let _ = outbox.send(last);
}
