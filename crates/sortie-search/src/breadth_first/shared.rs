//! A batch of a breadth-first search, done by several threads.

use crate::findings::{PlacedFinding, step_of};
use crate::fresh::Fresh;
use crate::seen::{Inserter, Insertion, Orders, Origin, Seen, StateId};
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
    /// Make room in the store.
    Grow,
    /// List the successors of all states.
    Expand,
    /// Put those that were inserted together in their places.
    Settle,
}

/// What the threads share.
pub(super) struct Shared<'a> {
    hunt: &'a Hunt<'a>,
    seen: RwLock<Seen>,
    workers: Vec<Mutex<Worker<'a>>>,
    batch: RwLock<Batch>,
    parts: Vec<Mutex<Part>>,
    expanding: Tasks,
    insertion: RwLock<Insertion>,
    /// Whether a thread met something that must be met in order.
    stopped: AtomicBool,
}

/// What each thread has for itself, in memory of its own.
#[repr(align(128))]
pub(super) struct Worker<'a> {
    pub(super) expansion: Expansion<'a>,
    inserter: Inserter,
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
    /// By state, and one more: the steps of all states before, where successors are inserted together.
    orders: Vec<u32>,
}

/// What a thread made of a part of a batch.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct Part {
    /// The successors that were not visited before the batch, where they are inserted one after another.
    pub(super) fresh: Fresh,
    pub(super) findings: Vec<PlacedFinding>,
    /// By state.
    steps: Vec<u32>,
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
                .map(|_| Mutex::new(Worker::new(hunt)))
                .collect(),
            batch: RwLock::default(),
            parts: (0..parts).map(|_| Mutex::new(Part::new(hunt))).collect(),
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

    pub(super) fn worker(&self, thread: usize) -> MutexGuard<'_, Worker<'a>> {
        self.workers[thread].lock().expect(UNHURT)
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
    /// search, needs another layout of the store, or more room than was made. Otherwise `take_over` gets the parts, in order.
    pub(super) fn expand(
        &self,
        team: &Team<'_, Phase>,
        numbers: Range<u32>,
        waiting: &mut VecDeque<u32>,
        mut take_over: impl FnMut(&mut Part, &dyn Fn(u32, &mut [u32]), &mut VecDeque<u32>),
    ) -> bool {
        let together = self.prepare(numbers, waiting);
        if together {
            let size = self.batch().numbers.len();
            if self.insertion_mut().prepare(&mut self.seen_mut(), size) {
                team.run(Phase::Grow);
            }
            self.insertion_mut().begin(&mut self.seen_mut());
        }
        team.run(Phase::Expand);
        if self.stopped.load(Ordering::Relaxed) {
            if together {
                self.insertion().withdraw(&self.seen());
            }
            return false;
        }
        if together {
            self.count_steps();
            self.insertion_mut()
                .count(&self.seen(), self.batch().orders());
            team.run(Phase::Settle);
            self.insertion_mut().finish(&mut self.seen_mut());
        }
        let batch = self.batch();
        waiting.drain(..batch.taken.len());
        let read = |number: u32, state: &mut [u32]| batch.read(number, &self.seen(), state);
        for part in &self.parts {
            take_over(&mut part.lock().expect(UNHURT), &read, waiting);
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

    /// Adds up the steps of all states.
    fn count_steps(&self) {
        let orders = &mut self.batch.write().expect(UNHURT).orders;
        orders.clear();
        let mut sum = 0;
        for part in &self.parts {
            for steps in &part.lock().expect(UNHURT).steps {
                orders.push(sum);
                sum += steps;
            }
        }
        orders.push(sum);
    }

    /// What one of the threads does in a phase.
    pub(super) fn work(&self, thread: usize, phase: Phase) {
        let worker = &mut *self.worker(thread);
        let insertion = self.insertion();
        match phase {
            Phase::Grow => insertion.grow(&mut worker.inserter),
            Phase::Expand => {
                let (batch, seen) = (self.batch(), self.seen());
                self.expanding.each(self.parts.len(), |number| {
                    let part = &mut *self.parts[number].lock().expect(UNHURT);
                    part.clear();
                    for id in batch.part(number, self.parts.len()).map(StateId) {
                        if self.stopped.load(Ordering::Relaxed) {
                            return;
                        }
                        if self.hunt.budget.stop.requested().is_some() {
                            return self.stopped.store(true, Ordering::Relaxed);
                        }
                        let inserter = batch.together.then_some((&*insertion, thread));
                        if !self.expand_one(worker, id, &batch, &seen, inserter, part) {
                            self.stopped.store(true, Ordering::Relaxed);
                        }
                    }
                });
                insertion.close(thread, &mut worker.inserter);
            }
            Phase::Settle => insertion.settle(&self.seen(), self.batch().orders()),
        }
    }

    /// Expands a state; whether the batch can go on.
    fn expand_one(
        &self,
        worker: &mut Worker<'a>,
        id: StateId,
        batch: &Batch,
        seen: &Seen,
        insertion: Option<(&Insertion, usize)>,
        part: &mut Part,
    ) -> bool {
        let Worker {
            expansion,
            inserter,
            state,
        } = worker;
        batch.read(id.0, seen, state);
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
        part.steps.push(steps.len() as u32);
        seen.warm(prints, steps.words());
        for (step, &print) in (0..).zip(&*prints) {
            let target = steps.target(step as usize);
            match insertion {
                Some((insertion, thread)) => {
                    let origin = Origin { parent: id, step };
                    let state = (print.low(), target);
                    if !insertion.insert(seen, (thread, inserter), state, origin) {
                        return false;
                    }
                }
                None if seen.contains(print, target) => {}
                None => part.fresh.add(print.low(), target, id),
            }
        }
        true
    }
}

impl<'a> Worker<'a> {
    fn new(hunt: &'a Hunt<'a>) -> Self {
        Worker {
            expansion: Expansion::new(hunt),
            inserter: Inserter::default(),
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

    fn orders(&self) -> Orders<'_> {
        Orders {
            first: self.numbers.start,
            before: &self.orders,
        }
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
            steps: Vec::new(),
        }
    }

    fn clear(&mut self) {
        self.fresh.clear();
        self.findings.clear();
        self.steps.clear();
    }

    /// How many states were expanded.
    pub(super) fn expanded(&self) -> u32 {
        self.steps.len() as u32
    }

    pub(super) fn transitions(&self) -> u64 {
        self.steps.iter().map(|steps| u64::from(*steps)).sum()
    }
}
