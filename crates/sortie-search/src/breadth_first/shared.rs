//! A batch of a breadth-first search, done by several threads.

use crate::findings::{PlacedFinding, step_of};
use crate::fresh::Fresh;
use crate::seen::{Desk, Insertion, Outbox, Seen, StateId};
use crate::team::{Tasks, Team};
use crate::{Expansion, Hunt};
use sortie_model::{Exactness, Fingerprint};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// So many parts of a batch for each thread: who is done early takes another one.
const PARTS: usize = 8;

const UNHURT: &str = "a thread that panics ends the search";

/// What all threads do at the same time, one after another for each batch.
#[derive(Clone, Copy, Debug)]
pub(super) enum Phase {
    /// List the successors of all states.
    Expand,
    /// Look them up, and insert those that are new.
    Insert,
    /// Put what is new in its place.
    Settle,
}

/// What the threads share.
pub(super) struct Shared<'a> {
    hunt: &'a Hunt<'a>,
    seen: RwLock<Seen>,
    workers: Vec<Mutex<Option<Box<Worker<'a>>>>>,
    batch: RwLock<Batch>,
    parts: Vec<Mutex<Part>>,
    /// By part: the successors, where all threads insert them.
    outboxes: Vec<RwLock<Outbox>>,
    expanding: Tasks,
    insertion: RwLock<Insertion>,
    /// Whether a thread met something that must be met in order.
    stopped: AtomicBool,
}

/// What each thread has for itself, in memory of its own.
#[repr(align(128))]
pub(super) struct Worker<'a> {
    pub(super) expansion: Expansion<'a>,
    /// The one that is expanded.
    state: Vec<u32>,
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
#[repr(align(128))]
pub(super) struct Part {
    /// The successors that were not visited before the batch, where they are inserted one after another.
    pub(super) fresh: Fresh,
    pub(super) findings: Vec<PlacedFinding>,
}

impl<'a> Shared<'a> {
    pub(super) fn new(hunt: &'a Hunt<'a>) -> Shared<'a> {
        let threads = hunt.threads.max(1);
        let parts = if threads > 1 { threads * PARTS } else { 0 };
        let seen = Seen::new(hunt.model, hunt.options.store(), true, hunt.budget.memory);
        Shared {
            hunt,
            seen: RwLock::new(seen),
            workers: (0..threads).map(|_| Mutex::default()).collect(),
            batch: RwLock::default(),
            parts: (0..parts).map(|_| Mutex::new(Part::new(hunt))).collect(),
            outboxes: (0..parts).map(|_| RwLock::default()).collect(),
            expanding: Tasks::default(),
            insertion: RwLock::new(Insertion::new(threads)),
            stopped: AtomicBool::new(false),
        }
    }

    pub(super) fn seen(&self) -> RwLockReadGuard<'_, Seen> {
        self.seen.read().expect(UNHURT)
    }

    pub(super) fn seen_mut(&self) -> RwLockWriteGuard<'_, Seen> {
        self.seen.write().expect(UNHURT)
    }

    /// Each thread makes its own, from its own memory: what lies side by side in a line is slow for both if two write it.
    pub(super) fn with_worker<T>(
        &self,
        thread: usize,
        work: impl FnOnce(&mut Worker<'a>) -> T,
    ) -> T {
        let mut place = self.workers[thread].lock().expect(UNHURT);
        let worker = place.get_or_insert_with(|| Box::new(Worker::new(self.hunt)));
        worker.expansion.fingerprints = !self.seen().ignores_hashes();
        work(worker)
    }

    pub(super) fn threads(&self) -> usize {
        self.workers.len()
    }

    fn insertion(&self) -> RwLockReadGuard<'_, Insertion> {
        self.insertion.read().expect(UNHURT)
    }

    fn insertion_mut(&self) -> RwLockWriteGuard<'_, Insertion> {
        self.insertion.write().expect(UNHURT)
    }

    fn batch(&self) -> RwLockReadGuard<'_, Batch> {
        self.batch.read().expect(UNHURT)
    }

    /// Expands a batch by all threads; false, and nothing is changed, if one of them met something that must be met in order: what ends the
    /// search, or needs another layout of the store. Otherwise `take_over` gets the parts, in order.
    pub(super) fn expand(
        &self,
        team: &Team<'_, Phase>,
        numbers: Range<u32>,
        waiting: &mut VecDeque<u32>,
        mut take_over: impl FnMut(&mut Part, &Outbox, &dyn Fn(u32, &mut [u32]), &mut VecDeque<u32>),
    ) -> bool {
        let together = self.prepare(numbers, waiting);
        if together {
            self.insertion_mut().open(&self.seen());
        }
        team.run(Phase::Expand);
        if self.stopped.load(Ordering::Relaxed) {
            self.insertion_mut().withdraw();
            return false;
        }
        if together {
            self.insertion_mut().begin(&mut self.seen_mut());
            team.run(Phase::Insert);
            let steps = self
                .outboxes
                .iter()
                .map(|o| o.read().expect(UNHURT).steps());
            self.insertion_mut().count(steps.sum());
            team.run(Phase::Settle);
            self.insertion_mut().finish(&mut self.seen_mut());
        }
        let batch = self.batch();
        waiting.drain(..batch.taken.len());
        let read = |number: u32, state: &mut [u32]| batch.read(number, &self.seen(), state);
        for (part, outbox) in self.parts.iter().zip(&self.outboxes) {
            let part = &mut part.lock().expect(UNHURT);
            take_over(part, &outbox.read().expect(UNHURT), &read, waiting);
        }
        true
    }

    /// Whether successors will be inserted by all threads.
    fn prepare(&self, numbers: Range<u32>, waiting: &VecDeque<u32>) -> bool {
        let seen = self.seen();
        let batch = &mut *self.batch.write().expect(UNHURT);
        batch.together = seen.is_shareable();
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
        match phase {
            Phase::Expand => self.with_worker(thread, |worker| self.expand_parts(thread, worker)),
            Phase::Insert => self
                .insertion()
                .insert(thread, &self.seen(), &self.outboxes),
            Phase::Settle => self.insertion().settle(thread, &self.seen()),
        }
    }

    fn expand_parts(&self, thread: usize, worker: &mut Worker<'a>) {
        let (batch, seen) = (self.batch(), self.seen());
        let insertion = self.insertion();
        let desk = &mut *insertion.desk(thread);
        self.expanding.each(self.parts.len(), |number| {
            let part = &mut *self.parts[number].lock().expect(UNHURT);
            let outbox = &mut *self.outboxes[number].write().expect(UNHURT);
            let numbers = batch.part(number, self.parts.len());
            part.fresh.clear();
            part.findings.clear();
            outbox.open(thread, desk, numbers.start);
            for id in numbers.map(StateId) {
                if self.stopped.load(Ordering::Relaxed) {
                    return;
                }
                if self.hunt.budget.stop.requested().is_some() {
                    return self.stopped.store(true, Ordering::Relaxed);
                }
                batch.read(id.0, &seen, &mut worker.state);
                let insertion = batch.together.then_some(&*insertion);
                let to = (&mut *part, &mut *outbox, &mut *desk);
                if !self.expand_one(worker, id, &seen, insertion, to) {
                    self.stopped.store(true, Ordering::Relaxed);
                }
            }
            outbox.close(desk);
        });
    }

    /// Expands a state; whether the batch can go on.
    fn expand_one(
        &self,
        worker: &mut Worker<'a>,
        id: StateId,
        seen: &Seen,
        insertion: Option<&Insertion>,
        (part, outbox, desk): (&mut Part, &mut Outbox, &mut Desk),
    ) -> bool {
        let Worker { expansion, state } = worker;
        let known = |print: Fingerprint, target: &[u32]| seen.contains(print, target);
        if expansion.expand(state, known).is_err() {
            return false;
        }
        let Expansion {
            steps,
            prints,
            findings,
            ..
        } = expansion;
        for finding in findings {
            if finding.record.is_none() && !self.hunt.keep_going {
                return false;
            }
            let step = step_of(finding, steps);
            part.findings.push((id.0, *finding, step));
        }
        let before = outbox.steps();
        for (step, &print) in (0..).zip(&*prints) {
            let target = steps.target(step as usize);
            match insertion {
                Some(insertion) => {
                    if !insertion.send(desk, seen, (print.low(), target), before + step) {
                        return false;
                    }
                }
                None if seen.contains(print, target) => {}
                None => part.fresh.add(print.low(), target, id),
            }
        }
        outbox.next(steps.len());
        true
    }
}

impl<'a> Worker<'a> {
    fn new(hunt: &'a Hunt<'a>) -> Self {
        Worker {
            expansion: Expansion::new(hunt),
            state: vec![0; hunt.model.width()],
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
            fresh: Fresh::new(hunt.model.width()),
            findings: Vec::new(),
        }
    }
}
