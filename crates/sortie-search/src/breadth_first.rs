//! Breadth-first search: level by level, every successor. With `--max-states` it is the papers' explicit bounded
//! model checking, which may stop inside a level.
//!
//! States are numbered in the order of a queue, so where whole states are stored the frontier is a range of numbers
//! and costs nothing. Several threads list successors of a batch and drop those already visited; what remains is
//! inserted in the order a single thread would have met it, so numbers, parents and hits are those of one thread.
//! Cost: one lookup per transition.

use crate::findings::{Findings, PlacedFinding, step_of};
use crate::fresh::Fresh;
use crate::options::{DEPTH, OptionSpec, STORE};
use crate::seen::{NO_PARENT, Seen, StateId};
use crate::share::share;
use crate::{Expansion, Hunt, Outcome, SearchError};
use sortie_model::{Counts, Event, Exactness, ModelError, Precision, Spending, Verdict};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

pub(crate) const OPTIONS: &[OptionSpec] = &[DEPTH, STORE];

/// States expanded between two looks at the limits.
const BATCH: u32 = 4096;

/// The size of a batch that threads share: they begin and end together, which takes time.
const LARGE_BATCH: u32 = 1 << 15;

/// With less memory than this, batches stay small.
const LARGE_MEMORY: u64 = 1 << 30;

/// So many successors that threads found are looked up at once.
const AHEAD: usize = 16;

pub(crate) fn hunt(hunt: &Hunt<'_>) -> Result<Outcome, SearchError> {
    Search::new(hunt)?.run()
}

struct Search<'a> {
    hunt: &'a Hunt<'a>,
    seen: Seen,
    /// The states not yet expanded, where the store does not keep them whole.
    waiting: VecDeque<u32>,
    workers: Vec<Worker<'a>>,
    findings: Findings<'a, StateId>,
    counts: Counts,
    /// The next state to expand.
    next: u32,
    /// Where the current level ends.
    level_end: u32,
    level: u64,
    ending: Option<Verdict>,
}

impl<'a> Search<'a> {
    fn new(hunt: &'a Hunt<'a>) -> Result<Self, SearchError> {
        let mut search = Search {
            hunt,
            seen: Seen::new(hunt.model, hunt.options.store(), true, hunt.budget.memory),
            waiting: VecDeque::new(),
            workers: (0..hunt.threads.max(1))
                .map(|_| Worker::new(hunt))
                .collect(),
            findings: Findings::new(hunt),
            counts: Counts::default(),
            next: 0,
            level_end: 1,
            level: 0,
            ending: None,
        };
        let mut initial = Vec::new();
        hunt.model.initial(&mut initial)?;
        search.tell_level(1);
        let id = search.visit(&initial);
        let worker = &mut search.workers[0].expansion;
        worker.begin(&initial);
        if search
            .findings
            .take(&worker.findings, &initial, &worker.steps, || id)
        {
            search.ending = Some(Verdict::Found);
        }
        Ok(search)
    }

    fn visit(&mut self, initial: &[u32]) -> StateId {
        let print = self.hunt.model.fingerprint(initial);
        if self.seen.exactness() != Exactness::Exact {
            self.waiting.extend(initial);
        }
        self.seen
            .insert(print, initial, NO_PARENT)
            .expect("the set was empty")
    }

    fn run(mut self) -> Result<Outcome, SearchError> {
        let max_depth = self
            .hunt
            .options
            .optional_number(&DEPTH)
            .unwrap_or(u64::MAX);
        while self.ending.is_none() && u64::from(self.next) < self.seen.len() {
            if self.next == self.level_end {
                self.level += 1;
                self.tell_level(self.seen.len() - u64::from(self.level_end));
                self.level_end = self.seen.len() as u32;
            }
            let left = self
                .hunt
                .budget
                .max_states
                .map_or(u64::MAX, |max| max - self.counts.expanded);
            if self.level >= max_depth {
                self.ending = Some(Verdict::Spent(Spending::Depth));
            } else if left == 0 {
                self.ending = Some(Verdict::Spent(Spending::States));
            } else if let Some(spending) = self.check_limits() {
                self.ending = Some(Verdict::Spent(spending));
            } else {
                let limit = self.hunt.budget.memory.unwrap_or(u64::MAX);
                let batch = match self.workers.len() {
                    2.. if limit >= LARGE_MEMORY => LARGE_BATCH,
                    _ => BATCH,
                };
                let size = u64::from(self.level_end - self.next)
                    .min(u64::from(batch))
                    .min(left);
                let batch = self.next..self.next + size as u32;
                let fingerprints = !self.seen.ignores_hashes();
                self.workers
                    .iter_mut()
                    .for_each(|worker| worker.expansion.fingerprints = fingerprints);
                if self.workers.len() == 1 {
                    self.expand_in_sequence(batch)?;
                } else {
                    self.expand_in_parallel(batch)?;
                }
                self.hunt.observer.progress(size);
            }
        }
        self.finish()
    }

    fn tell_level(&self, states: u64) {
        if self.hunt.tell_levels {
            self.hunt.observer.event(&Event::Level {
                level: self.level,
                states,
            });
        }
    }

    fn expand_in_sequence(&mut self, batch: Range<u32>) -> Result<(), SearchError> {
        let Search {
            seen,
            waiting,
            workers,
            findings,
            counts,
            hunt,
            ..
        } = self;
        let worker = &mut workers[0].expansion;
        let mut state = vec![0; hunt.model.width()];
        for number in batch {
            let id = StateId(number);
            if !seen.read(id, &mut state) {
                take_front(waiting, &mut state);
            }
            worker.expand(&state, |print, target| seen.contains(print, target))?;
            if !worker.findings.is_empty()
                && findings.take(&worker.findings, &state, &worker.steps, || id)
            {
                self.ending = Some(Verdict::Found);
                return Ok(());
            }
            counts.expanded += 1;
            counts.transitions += worker.steps.len() as u64;
            self.next += 1;
            seen.warm(&worker.prints, worker.steps.words());
            let exact = seen.exactness() == Exactness::Exact;
            for (step, &print) in worker.prints.iter().enumerate() {
                let target = worker.steps.target(step);
                if seen.insert(print, target, id).is_some() && !exact {
                    waiting.extend(target);
                }
            }
        }
        Ok(())
    }

    fn expand_in_parallel(&mut self, batch: Range<u32>) -> Result<(), SearchError> {
        let width = self.hunt.model.width();
        let taken: Vec<u32> = match self.seen.exactness() {
            Exactness::Exact => Vec::new(),
            _ => self.waiting.drain(..batch.len() * width).collect(),
        };
        let first_hit = AtomicU32::new(u32::MAX);
        let context = BatchContext {
            hunt: self.hunt,
            seen: &self.seen,
            begin: batch.start,
            taken: &taken,
            first_hit: &first_hit,
        };
        let parts = share(
            &mut self.workers,
            batch.start as usize..batch.end as usize,
            |worker, part| context.expand(worker, part.start as u32..part.end as u32),
        );
        let stop_at = first_hit.into_inner();
        for (number, mut part) in parts.into_iter().enumerate() {
            self.take_over(&mut part, stop_at, (batch.start, &taken))?;
            if self.ending.is_some() {
                break;
            }
            let next = number % self.workers.len();
            self.workers[next].spare.push(part);
        }
        Ok(())
    }

    /// Inserts what a thread found new, as if the states had been expanded one after another.
    fn take_over(
        &mut self,
        part: &mut Part,
        stop_at: u32,
        (begin, taken): (u32, &[u32]),
    ) -> Result<(), SearchError> {
        let width = self.hunt.model.width();
        if let Some((at, error)) = part.error.take()
            && at <= stop_at
        {
            return Err(error.into());
        }
        for (number, finding, step) in part.findings.drain(..) {
            let mut state = vec![0; width];
            if !self.seen.read(StateId(number), &mut state) {
                state.copy_from_slice(&taken[(number - begin) as usize * width..][..width]);
            }
            if number <= stop_at
                && self
                    .findings
                    .take_one(&finding, &state, step, || StateId(number))
            {
                self.ending = Some(Verdict::Found);
            }
        }
        for steps in &part.steps {
            if self.next < stop_at {
                self.counts.expanded += 1;
                self.counts.transitions += u64::from(*steps);
                self.next += 1;
            }
        }
        let exact = self.seen.exactness() == Exactness::Exact;
        for (number, (parent, hash, state)) in part.fresh.iter().enumerate() {
            if number % AHEAD == 0 {
                self.seen.warm_hashes(part.fresh.hashes(number).take(AHEAD));
            }
            if parent.0 < stop_at && self.seen.insert_hash(hash, state, parent).is_some() && !exact
            {
                self.waiting.extend(state);
            }
        }
        Ok(())
    }

    fn check_limits(&mut self) -> Option<Spending> {
        let hunt = self.hunt;
        if let Some(reason) = hunt.budget.stop.requested() {
            return Some(Spending::Stopped(reason));
        }
        if self.seen.is_full() {
            return Some(Spending::Memory);
        }
        let limit = hunt.budget.counted_memory()?;
        let exact = self.seen.exactness() == Exactness::Exact;
        // Giving up whole states needs room for those that still wait to be expanded.
        let unexpanded = (self.seen.len() - u64::from(self.next)) * hunt.model.width() as u64 * 4;
        let other = hunt.model.bytes() + unexpanded;
        if self.seen.bytes() + other <= limit {
            return None;
        }
        if exact {
            let mut queue = VecDeque::with_capacity((unexpanded / 4) as usize);
            let mut state = vec![0; hunt.model.width()];
            for number in self.next..self.seen.len() as u32 {
                self.seen.read(StateId(number), &mut state);
                queue.extend(&state);
            }
            self.waiting = queue;
        }
        for (from, to) in self.seen.shrink_to(limit.saturating_sub(other), hunt.model) {
            hunt.observer.event(&Event::Degraded {
                from,
                to,
                visited: self.seen.len(),
            });
        }
        (self.seen.bytes() + other > limit).then_some(Spending::Memory)
    }

    fn finish(self) -> Result<Outcome, SearchError> {
        let distinct = self.findings.distinct();
        let verdict = match self.ending {
            _ if distinct > 0 => Verdict::Found,
            Some(verdict) => verdict,
            None if self.seen.exactness() != Exactness::Exact => {
                Verdict::Spent(Spending::Store(self.seen.exactness()))
            }
            None => Verdict::Exhausted,
        };
        let found = self.findings.into_found(&self.seen)?;
        let visited = self.seen.len();
        let counts = Counts {
            visited,
            considered: visited,
            precision: Precision::Exact,
            depth: self.level,
            ..self.counts
        };
        Ok(Outcome {
            verdict,
            found,
            distinct,
            counts,
            exactness: self.seen.exactness(),
            unseen: None,
        })
    }
}

/// Moves the first state of the queue into `state`.
fn take_front(waiting: &mut VecDeque<u32>, state: &mut [u32]) {
    for word in state {
        *word = waiting
            .pop_front()
            .expect("every unexpanded state waits in the queue");
    }
}

/// What one thread needs.
struct Worker<'a> {
    expansion: Expansion<'a>,
    /// Used before; getting memory anew for each batch would take time.
    spare: Vec<Part>,
}

impl<'a> Worker<'a> {
    fn new(hunt: &'a Hunt<'a>) -> Self {
        Worker {
            expansion: Expansion::new(hunt),
            spare: Vec::new(),
        }
    }
}

/// What one thread made of its share of a batch.
struct Part {
    /// The successors that were not visited before the batch.
    fresh: Fresh,
    findings: Vec<PlacedFinding>,
    steps: Vec<u32>,
    error: Option<(u32, ModelError)>,
}

impl Part {
    fn new(width: usize) -> Part {
        Part {
            fresh: Fresh::new(width),
            findings: Vec::new(),
            steps: Vec::new(),
            error: None,
        }
    }

    fn clear(&mut self) {
        self.fresh.clear();
        self.findings.clear();
        self.steps.clear();
        self.error = None;
    }
}

/// What all threads of one batch share.
struct BatchContext<'a, 'b> {
    hunt: &'b Hunt<'a>,
    seen: &'b Seen,
    begin: u32,
    /// The states of the batch, where the store does not keep them whole.
    taken: &'b [u32],
    first_hit: &'b AtomicU32,
}

impl<'a> BatchContext<'a, '_> {
    fn expand(&self, worker: &mut Worker<'a>, numbers: Range<u32>) -> Part {
        let width = self.hunt.model.width();
        let spare = worker.spare.pop();
        let worker = &mut worker.expansion;
        let mut part = spare.unwrap_or_else(|| Part::new(width));
        part.clear();
        let mut state = vec![0; width];
        for number in numbers {
            if number > self.first_hit.load(Ordering::Relaxed) {
                break;
            }
            if !self.seen.read(StateId(number), &mut state) {
                state.copy_from_slice(
                    &self.taken[(number - self.begin) as usize * width..][..width],
                );
            }
            if let Err(error) =
                worker.expand(&state, |print, target| self.seen.contains(print, target))
            {
                part.error = Some((number, error));
                break;
            }
            part.steps.push(worker.steps.len() as u32);
            for finding in &worker.findings {
                part.findings
                    .push((number, *finding, step_of(finding, &worker.steps)));
                if finding.record.is_none() && !self.hunt.keep_going {
                    self.first_hit.fetch_min(number, Ordering::Relaxed);
                }
            }
            self.seen.warm(&worker.prints, worker.steps.words());
            for (step, &print) in worker.prints.iter().enumerate() {
                let target = worker.steps.target(step);
                if !self.seen.contains(print, target) {
                    part.fresh.add(print.low(), target, StateId(number));
                }
            }
        }
        part
    }
}
