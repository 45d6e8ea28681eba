//! A batch of a breadth-first search, done by several threads.

use crate::findings::{PlacedFinding, step_of};
use crate::fresh::Fresh;
use crate::seen::{Arrivals, Insertion, Seen, StateId};
use crate::team::{Tasks, Team};
use crate::{Expansion, Hunt};
use sortie_model::{Exactness, Fingerprint};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// So many parts of a batch for each thread: who is done early takes another one.
const PARTS: usize = 8;

const UNHURT: &str = "a thread that panics ends the search";

/// What all threads do at the same time, one after another for each batch.
#[derive(Clone, Copy, Debug)]
pub(super) enum Phase {
    /// List the successors of all states.
    Expand,
    Sift,
    Mark,
    Settle,
}

/// What the threads share.
pub(super) struct Shared<'a> {
    hunt: &'a Hunt<'a>,
    seen: RwLock<Seen>,
    workers: Vec<Mutex<Expansion<'a>>>,
    batch: RwLock<Batch>,
    parts: Vec<RwLock<Part>>,
    expanding: Tasks,
    insertion: Insertion,
    /// Whether a thread met something that must be met in order.
    stopped: AtomicBool,
}

/// What is to be expanded.
#[derive(Debug, Default)]
struct Batch {
    numbers: Range<u32>,
    /// The states, where the store does not keep them whole.
    taken: Vec<u32>,
    /// Whether successors are inserted by all threads.
    together: bool,
}

/// What a thread made of a part of a batch.
#[derive(Debug)]
pub(super) struct Part {
    /// The successors, where they are inserted together.
    arrivals: Arrivals,
    /// Otherwise those that were not visited before the batch.
    pub(super) fresh: Fresh,
    pub(super) findings: Vec<PlacedFinding>,
    pub(super) expanded: u32,
    pub(super) transitions: u64,
}

impl<'a> Shared<'a> {
    pub(super) fn new(hunt: &'a Hunt<'a>) -> Shared<'a> {
        let threads = hunt.threads.max(1);
        let parts = if threads > 1 { threads * PARTS } else { 0 };
        let seen = Seen::new(hunt.model, hunt.options.store(), true, hunt.budget.memory);
        Shared {
            hunt,
            seen: RwLock::new(seen),
            workers: (0..threads)
                .map(|_| Mutex::new(Expansion::new(hunt)))
                .collect(),
            batch: RwLock::default(),
            parts: (0..parts).map(|_| RwLock::new(Part::new(hunt))).collect(),
            expanding: Tasks::default(),
            insertion: Insertion::new(threads, parts),
            stopped: AtomicBool::new(false),
        }
    }

    pub(super) fn seen(&self) -> RwLockReadGuard<'_, Seen> {
        self.seen.read().expect(UNHURT)
    }

    pub(super) fn seen_mut(&self) -> RwLockWriteGuard<'_, Seen> {
        self.seen.write().expect(UNHURT)
    }

    /// What a thread expands states with.
    pub(super) fn worker(&self, thread: usize) -> MutexGuard<'_, Expansion<'a>> {
        self.workers[thread].lock().expect(UNHURT)
    }

    pub(super) fn threads(&self) -> usize {
        self.workers.len()
    }

    /// Expands a batch by all threads; false, and nothing is changed, if one of them met something that must be met in order: what ends the
    /// search, or needs another layout of the store. Otherwise `take_over` gets the parts, in order, before anything is inserted together.
    pub(super) fn expand(
        &self,
        team: &Team<'_, Phase>,
        numbers: Range<u32>,
        waiting: &mut VecDeque<u32>,
        mut take_over: impl FnMut(&mut Part, &dyn Fn(u32, &mut [u32]), &mut VecDeque<u32>),
    ) -> bool {
        let together = self.prepare(numbers, waiting);
        team.run(Phase::Expand);
        if self.stopped.load(Ordering::Relaxed) {
            return false;
        }
        let batch = self.batch.read().expect(UNHURT);
        waiting.drain(..batch.taken.len());
        let read = |number: u32, state: &mut [u32]| batch.read(number, &self.seen(), state);
        for part in &self.parts {
            take_over(&mut part.write().expect(UNHURT), &read, waiting);
        }
        if together {
            self.insertion.begin(&mut self.seen_mut());
            team.run(Phase::Sift);
            team.run(Phase::Mark);
            team.run(Phase::Settle);
            self.insertion.finish(&mut self.seen_mut());
        }
        true
    }

    /// Whether successors will be inserted by all threads.
    fn prepare(&self, numbers: Range<u32>, waiting: &VecDeque<u32>) -> bool {
        let seen = self.seen();
        let batch = &mut *self.batch.write().expect(UNHURT);
        batch.together = seen.takes_arrivals();
        batch.taken.clear();
        if seen.exactness() != Exactness::Exact {
            let words = numbers.len() * self.hunt.model.width();
            batch.taken.extend(waiting.iter().take(words));
        }
        batch.numbers = numbers;
        self.expanding.reset();
        self.stopped.store(false, Ordering::Relaxed);
        batch.together
    }

    /// What one of the threads does in a phase.
    pub(super) fn work(&self, thread: usize, phase: Phase) {
        if let Phase::Expand = phase {
            let worker = &mut *self.worker(thread);
            let (batch, seen) = (self.batch.read().expect(UNHURT), self.seen());
            return self.expanding.each(self.parts.len(), |number| {
                let part = &mut *self.parts[number].write().expect(UNHURT);
                part.clear();
                let numbers = batch.part(number, self.parts.len());
                self.expand_part(worker, numbers, &batch, &seen, part);
            });
        }
        let parts: Vec<_> = self.parts.iter().map(|p| p.read().expect(UNHURT)).collect();
        let lists: Vec<&Arrivals> = parts.iter().map(|part| &part.arrivals).collect();
        match phase {
            Phase::Expand => {}
            Phase::Sift => self.insertion.sift(&self.seen(), &lists),
            Phase::Mark => self.insertion.mark(&lists),
            Phase::Settle => self.insertion.settle(&self.seen(), &lists),
        }
    }

    fn expand_part(
        &self,
        worker: &mut Expansion<'a>,
        numbers: Range<u32>,
        batch: &Batch,
        seen: &Seen,
        part: &mut Part,
    ) {
        let mut state = vec![0; self.hunt.model.width()];
        for number in numbers {
            if self.stopped.load(Ordering::Relaxed) {
                return;
            }
            batch.read(number, seen, &mut state);
            let known = |print: Fingerprint, target: &[u32]| seen.contains(print, target);
            let fine = worker.expand(&state, known).is_ok()
                && part.take(worker, StateId(number), seen, batch.together)
                && (self.hunt.keep_going || worker.findings.iter().all(|f| f.record.is_some()));
            if !fine {
                self.stopped.store(true, Ordering::Relaxed);
            }
        }
    }
}

impl Batch {
    /// The numbers of one of so many parts.
    fn part(&self, part: usize, parts: usize) -> Range<u32> {
        let length = self.numbers.len().div_ceil(parts) as u32;
        let begin = self.numbers.start + part as u32 * length;
        begin.min(self.numbers.end)..(begin + length).min(self.numbers.end)
    }

    fn read(&self, number: u32, seen: &Seen, state: &mut [u32]) {
        if !seen.read(StateId(number), state) {
            let place = (number - self.numbers.start) as usize * state.len();
            state.copy_from_slice(&self.taken[place..place + state.len()]);
        }
    }
}

impl Part {
    fn new(hunt: &Hunt<'_>) -> Part {
        Part {
            arrivals: Arrivals::new(hunt.threads),
            fresh: Fresh::new(hunt.model.width()),
            findings: Vec::new(),
            expanded: 0,
            transitions: 0,
        }
    }

    fn clear(&mut self) {
        self.arrivals.clear();
        self.fresh.clear();
        self.findings.clear();
        self.expanded = 0;
        self.transitions = 0;
    }

    /// Takes in a state that was expanded; whether the store has room for its successors.
    fn take(
        &mut self,
        expansion: &Expansion<'_>,
        id: StateId,
        seen: &Seen,
        together: bool,
    ) -> bool {
        let Expansion {
            steps,
            prints,
            findings,
            ..
        } = expansion;
        for finding in findings {
            let step = step_of(finding, steps);
            self.findings.push((id.0, *finding, step));
        }
        self.expanded += 1;
        self.transitions += steps.len() as u64;
        if !together {
            seen.warm(prints, steps.words());
        }
        for (step, &print) in prints.iter().enumerate() {
            let target = steps.target(step);
            if together {
                seen.arrive(&mut self.arrivals, print.low(), target, id);
            } else if !seen.contains(print, target) {
                self.fresh.add(print.low(), target, id);
            }
        }
        self.arrivals.fit()
    }
}
