//! Breadth-first search: level by level, every successor. With `--max-states` it is the papers' explicit bounded
//! model checking, which may stop inside a level.
//!
//! States are numbered in the order of a queue, so where whole states are stored the frontier is a range of numbers
//! and costs nothing. Several threads list successors of a batch, and insert them as if a single thread had met them, so numbers, parents and hits are
//! those of one thread. Where something stops a batch, one thread does it again. Cost: one lookup per transition.

mod shared;

use crate::findings::Findings;
use crate::options::{DEPTH, OptionSpec, STORE};
use crate::parallel::share::Pace;
use crate::parallel::team::{Team, with_team};
use crate::store::visited::{NO_PARENT, StateId, VisitedSet};
use crate::{Expansion, Hunt, Outcome, SearchError};
use shared::{Part, Phase, Shared, Tally, Worker};
use sortie_model::{Counts, Exactness, Precision, Spending, Verdict};
use std::collections::VecDeque;
use std::ops::Range;
use std::time::Duration;

pub(crate) const OPTIONS: &[OptionSpec] = &[DEPTH, STORE];

/// States expanded between two looks at the limits.
const BATCH: u32 = 4096;

/// The size of a batch that threads share: they begin and end together, which takes time.
const LARGE_BATCH: u32 = 1 << 14;

/// So many steps are expected of such a batch at most, unless it gets too small to be shared.
const MOST_STEPS: u64 = 1 << 18;

/// A batch is no larger than this part of what was expanded before: small searches are all learning, which is better shared in small portions.
const SHARE: u64 = 8;

/// What takes one thread less than this is not shared; the others wait awake.
const WORTH_SHARING: Duration = Duration::from_micros(40);

/// With less memory than this, batches stay small.
const LARGE_MEMORY: u64 = 1 << 30;

/// So many successors that threads found are looked up at once.
const AHEAD: usize = 16;

pub(crate) fn hunt(hunt: &Hunt<'_>) -> Result<Outcome, SearchError> {
    let shared = Shared::new(hunt);
    with_team(
        hunt.threads,
        &|thread, phase| shared.work(thread, phase),
        |team| Search::new(hunt, &shared, team)?.run(),
    )
}

struct Search<'a, 'b> {
    hunt: &'a Hunt<'a>,
    shared: &'b Shared<'a>,
    team: Team<'b, Phase>,
    /// The states not yet expanded, where the store does not keep them whole.
    waiting: VecDeque<u32>,
    findings: Findings<'a, StateId>,
    counts: Counts,
    /// The next state to expand.
    next: u32,
    /// Where the current level ends.
    level_end: u32,
    level: u64,
    ending: Option<Verdict>,
    /// That of the states of the batch before.
    pace: Pace,
    /// Whether memory is too short to divide states among threads.
    united: bool,
}

impl<'a, 'b> Search<'a, 'b> {
    fn new(
        hunt: &'a Hunt<'a>,
        shared: &'b Shared<'a>,
        team: Team<'b, Phase>,
    ) -> Result<Self, SearchError> {
        let mut search = Search {
            hunt,
            shared,
            team,
            waiting: VecDeque::new(),
            findings: Findings::new(hunt),
            counts: Counts::default(),
            next: 0,
            level_end: 1,
            level: 0,
            ending: None,
            pace: Pace::sharing_from(WORTH_SHARING),
            united: false,
        };
        let mut initial = Vec::new();
        hunt.model.initial(&mut initial)?;
        hunt.tell_level(0, 1);
        let mut seen = shared.seen_mut();
        if seen.exactness() != Exactness::Exact {
            search.waiting.extend(&initial);
        }
        seen.insert(hunt.model.fingerprint(&initial).low(), &initial, NO_PARENT);
        drop(seen);
        shared.with_worker(0, |Worker { expansion, .. }| {
            expansion.begin(&initial);
            let (found, steps) = (&expansion.findings, &expansion.steps);
            if search.findings.take(found, &initial, steps, || StateId(0)) {
                search.ending = Some(Verdict::Found);
            }
        });
        Ok(search)
    }

    fn run(mut self) -> Result<Outcome, SearchError> {
        let max_depth = self.hunt.max_depth();
        loop {
            let visited = self.shared.seen().len();
            if self.ending.is_some() || u64::from(self.next) == visited {
                return self.finish();
            }
            if self.next == self.level_end {
                self.level += 1;
                let states = visited - u64::from(self.level_end);
                self.hunt.tell_level(self.level, states);
                self.level_end = visited as u32;
            }
            let left = self.hunt.states_left(self.counts.expanded);
            if self.level >= max_depth {
                self.ending = Some(Verdict::Spent(Spending::Depth));
            } else if left == 0 {
                self.ending = Some(Verdict::Spent(Spending::States));
            } else if let Some(spending) = self.check_limits() {
                self.ending = Some(Verdict::Spent(spending));
            } else {
                let limit = self.hunt.budget.memory.unwrap_or(u64::MAX);
                let batch = match self.shared.threads() {
                    2.. if limit >= LARGE_MEMORY => self.large_batch(),
                    _ => BATCH,
                };
                let size = u64::from(self.level_end - self.next)
                    .min(u64::from(batch))
                    .min(left);
                let batch = self.next..self.next + size as u32;
                let before = self.counts.expanded;
                self.expand(batch)?;
                self.hunt.observer.progress(self.counts.expanded - before);
            }
        }
    }

    /// What threads find in a batch is kept until all of it is found.
    fn large_batch(&self) -> u32 {
        let steps = self.counts.transitions / self.counts.expanded.max(1);
        let states = (MOST_STEPS / steps.max(1)).min(self.counts.expanded / SHARE);
        let states = (states as u32).clamp(BATCH, LARGE_BATCH);
        states.min(self.shared.most_states())
    }

    fn expand_by_one(&mut self, batch: Range<u32>) -> Result<(), SearchError> {
        let shared = self.shared;
        shared.with_worker(0, |Worker { expansion, state }| {
            self.expand_in_sequence(batch, expansion, state)
        })
    }

    fn expand_in_sequence(
        &mut self,
        batch: Range<u32>,
        worker: &mut Expansion<'a>,
        state: &mut [u32],
    ) -> Result<(), SearchError> {
        let seen = &mut *self.shared.seen_mut();
        for id in batch.map(StateId) {
            if self.hunt.budget.stop.requested().is_some() {
                return Ok(());
            }
            if !seen.read(id, state) {
                take_front(&mut self.waiting, state);
            }
            worker.expand(state, |print, target| seen.contains(print.low(), target))?;
            let (findings, steps) = (&worker.findings, &worker.steps);
            if self.findings.take(findings, state, steps, || id) {
                self.ending = Some(Verdict::Found);
                return Ok(());
            }
            self.counts.expanded += 1;
            self.counts.transitions += steps.len() as u64;
            self.next += 1;
            seen.warm(worker.prints.iter().map(|print| print.low()));
            let exact = seen.exactness() == Exactness::Exact;
            for (step, &print) in worker.prints.iter().enumerate() {
                let target = steps.target(step);
                if seen.insert(print.low(), target, id).is_some() && !exact {
                    self.waiting.extend(target);
                }
            }
        }
        Ok(())
    }

    /// Expands a batch, by all threads if that pays.
    fn expand(&mut self, batch: Range<u32>) -> Result<(), SearchError> {
        let mut threads = self.shared.threads();
        if threads == 1 {
            return self.expand_by_one(batch);
        }
        let size = batch.len();
        let begun = self.pace.begin();
        if !self.pace.is_worth_sharing(size) {
            self.expand_by_one(batch)?;
            threads = 1;
        } else if self.expand_in_parallel(batch.clone()) {
            self.next = batch.end;
        } else {
            self.expand_by_one(batch)?;
        }
        self.pace.note(begun, threads, size);
        Ok(())
    }

    fn expand_in_parallel(&mut self, batch: Range<u32>) -> bool {
        let mut state = vec![0; self.hunt.model.width()];
        if self.inserts_together() {
            let Some(tally) = self.shared.expand(&self.team, batch) else {
                return false;
            };
            let seen = self.shared.seen();
            let read = |number: u32, state: &mut [u32]| _ = seen.read(StateId(number), state);
            take_over(
                &mut self.findings,
                &mut self.counts,
                tally,
                &mut state,
                &read,
            );
            return true;
        }
        let (shared, findings, counts) = (self.shared, &mut self.findings, &mut self.counts);
        shared.list(
            &self.team,
            batch,
            &mut self.waiting,
            |part, read, waiting| {
                let tally = std::mem::take(&mut part.tally);
                take_over(findings, counts, tally, &mut state, read);
                insert_fresh(&mut shared.seen_mut(), part, waiting);
            },
        )
    }

    /// Whether threads insert what they find themselves.
    fn inserts_together(&self) -> bool {
        !self.united && self.shared.seen().is_shareable()
    }

    fn check_limits(&mut self) -> Option<Spending> {
        let hunt = self.hunt;
        let seen = &mut *self.shared.seen_mut();
        if !seen.is_shareable() {
            seen.unite();
        }
        // Giving up whole states needs room for those that still wait to be expanded.
        let unexpanded = (seen.len() - u64::from(self.next)) * hunt.model.width() as u64 * 4;
        if let Some(limit) = hunt.budget.counted_memory() {
            let other = hunt.model.bytes() + unexpanded;
            // States that are divided are put together while there is room for both.
            if !self.united && seen.bytes() * 2 + other > limit {
                self.united = true;
                seen.unite();
            }
            if seen.exactness() == Exactness::Exact && seen.bytes() + other > limit {
                let mut queue = VecDeque::with_capacity((unexpanded / 4) as usize);
                let mut state = vec![0; hunt.model.width()];
                for number in self.next..seen.len() as u32 {
                    seen.read(StateId(number), &mut state);
                    queue.extend(&state);
                }
                self.waiting = queue;
            }
        }
        hunt.check_limits(&hunt.budget.stop, seen, unexpanded)
    }

    fn finish(self) -> Result<Outcome, SearchError> {
        let seen = self.shared.seen();
        let counts = Counts {
            visited: seen.len(),
            considered: seen.len(),
            precision: Precision::Exact,
            depth: self.level,
            ..self.counts
        };
        self.findings.outcome(self.ending, counts, &seen)
    }
}

/// Takes over what threads tell of states they expanded.
fn take_over(
    findings: &mut Findings<'_, StateId>,
    counts: &mut Counts,
    tally: Tally,
    state: &mut [u32],
    read: &dyn Fn(u32, &mut [u32]),
) {
    for (number, finding, step) in tally.findings {
        read(number, state);
        findings.take_one(&finding, state, step, || StateId(number));
    }
    counts.expanded += u64::from(tally.states);
    counts.transitions += tally.steps;
}

/// Moves the first state of the queue into `state`.
fn take_front(waiting: &mut VecDeque<u32>, state: &mut [u32]) {
    for word in state {
        *word = waiting
            .pop_front()
            .expect("every unexpanded state waits in the queue");
    }
}

/// Inserts what a thread found new, as if the states had been expanded one after another.
fn insert_fresh(seen: &mut VisitedSet, part: &Part, waiting: &mut VecDeque<u32>) {
    let exact = seen.exactness() == Exactness::Exact;
    let width = part.words.len() / part.origins.len().max(1);
    for (number, &(parent, hash)) in part.origins.iter().enumerate() {
        if number % AHEAD == 0 {
            let ahead = part.origins[number..].iter().take(AHEAD);
            seen.warm(ahead.map(|(_, hash)| *hash));
        }
        let state = &part.words[number * width..][..width];
        if seen.insert(hash, state, parent).is_some() && !exact {
            waiting.extend(state);
        }
    }
}
