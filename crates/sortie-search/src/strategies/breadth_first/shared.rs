//! A batch of a breadth-first search, done by several threads.

use crate::findings::{PlacedFinding, step_of};
use crate::parallel::team::{Tasks, Team};
use crate::store::visited::{Insertion, Sender, StateId, VisitedSet};
use crate::{Expansion, Hunt};
use sortie_model::{Exactness, Fingerprint};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// So many parts of a batch for each thread: who is done early takes another one.
const PARTS: usize = 8;

const UNHURT: &str = "a thread that panics ends the search";

/// What all threads do at the same time.
#[derive(Clone, Copy, Debug)]
pub(super) enum Phase {
    /// List the successors of all states that are new; one thread inserts them.
    List,
    /// Expand all states, and insert their successors or send them to their owners.
    Expand,
    /// Change the layout of all states.
    Repack,
    /// Insert what was sent.
    Absorb,
    /// Give what is new its numbers.
    Settle,
}

/// What the threads share.
pub(super) struct Shared<'a> {
    hunt: &'a Hunt<'a>,
    seen: RwLock<VisitedSet>,
    workers: Vec<Mutex<Option<Box<Worker<'a>>>>>,
    batch: RwLock<Batch>,
    parts: Vec<Mutex<Part>>,
    listing: Tasks,
    insertion: RwLock<Insertion>,
    /// By thread.
    tallies: Vec<Mutex<Tally>>,
    /// Whether a thread met something that must be met in order, or a state with too many steps.
    stopped: AtomicBool,
    /// Whether it was the latter.
    crowded: AtomicBool,
}

/// What each thread has for itself, in memory of its own.
#[repr(align(128))]
pub(super) struct Worker<'a> {
    pub(super) expansion: Expansion<'a>,
    /// The one that is expanded.
    pub(super) state: Vec<u32>,
}

/// What is to be expanded.
#[derive(Debug, Default)]
struct Batch {
    numbers: Range<u32>,
    /// The states, where the store does not keep them whole.
    taken: Vec<u32>,
}

/// What a thread made of a part of a batch.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct Part {
    /// The successors that were not visited before the batch, as they were found: parents and hashes, and the states.
    pub(super) origins: Vec<(StateId, u64)>,
    pub(super) words: Vec<u32>,
    pub(super) tally: Tally,
}

/// What threads tell of states they expanded.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct Tally {
    pub(super) findings: Vec<PlacedFinding>,
    pub(super) states: u32,
    pub(super) steps: u64,
    /// How many steps a state had at most.
    most_steps: u32,
}

impl<'a> Shared<'a> {
    pub(super) fn new(hunt: &'a Hunt<'a>) -> Shared<'a> {
        let threads = hunt.threads.max(1);
        let parts = if threads > 1 { threads * PARTS } else { 0 };
        let seen = VisitedSet::new(hunt.model, hunt.options.store(), true, hunt.budget.memory);
        Shared {
            hunt,
            seen: RwLock::new(seen),
            workers: (0..threads).map(|_| Mutex::default()).collect(),
            batch: RwLock::default(),
            parts: (0..parts).map(|_| Mutex::default()).collect(),
            listing: Tasks::new(threads),
            insertion: RwLock::new(Insertion::new(threads)),
            tallies: (0..threads).map(|_| Mutex::default()).collect(),
            stopped: AtomicBool::new(false),
            crowded: AtomicBool::new(false),
        }
    }

    pub(super) fn seen(&self) -> RwLockReadGuard<'_, VisitedSet> {
        self.seen.read().expect(UNHURT)
    }

    pub(super) fn seen_mut(&self) -> RwLockWriteGuard<'_, VisitedSet> {
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

    /// How many states can be expanded together at most.
    pub(super) fn most_states(&self) -> u32 {
        self.insertion().most_states()
    }

    /// Expands a batch by all threads, which insert the successors as well; what they tell, findings in order. Nothing, and nothing is changed, if one of them met
    /// something that must be met in order.
    pub(super) fn expand(&self, team: &Team<'_, Phase>, numbers: Range<u32>) -> Option<Tally> {
        let mut all = loop {
            if numbers.len() > self.most_states() as usize {
                return None;
            }
            let all = self.expand_all(team, numbers.clone());
            if !self.stopped.load(Ordering::Relaxed) {
                break all;
            }
            let mut insertion = self.insertion_mut();
            insertion.withdraw(&mut self.seen_mut(), all.most_steps);
            self.forget_records();
            if !self.crowded.load(Ordering::Relaxed) {
                return None;
            }
        };
        if self.insertion_mut().gather(&mut self.seen_mut()) {
            self.run(team, Phase::Repack);
            self.insertion_mut().finish_repacking(&mut self.seen_mut());
        }
        self.run(team, Phase::Absorb);
        self.insertion_mut().count();
        self.run(team, Phase::Settle);
        let mut insertion = self.insertion_mut();
        insertion.finish(&mut self.seen_mut(), all.most_steps);
        all.findings.sort_by_key(|(number, ..)| *number);
        Some(all)
    }

    /// Has all threads do a phase of an insertion.
    fn run(&self, team: &Team<'_, Phase>, phase: Phase) {
        self.insertion().begin_phase();
        team.run(phase);
    }

    fn expand_all(&self, team: &Team<'_, Phase>, numbers: Range<u32>) -> Tally {
        self.stopped.store(false, Ordering::Relaxed);
        self.crowded.store(false, Ordering::Relaxed);
        self.insertion_mut().begin(&mut self.seen_mut(), numbers);
        self.run(team, Phase::Expand);
        let mut all = Tally::default();
        for tally in &self.tallies {
            all.take(&mut tally.lock().expect(UNHURT));
        }
        all
    }

    /// Where one thread has to insert: `take_over` gets the parts, in order. False, and nothing is changed, if it must be done in order.
    pub(super) fn list(
        &self,
        team: &Team<'_, Phase>,
        numbers: Range<u32>,
        waiting: &mut VecDeque<u32>,
        mut take_over: impl FnMut(&mut Part, &dyn Fn(u32, &mut [u32]), &mut VecDeque<u32>),
    ) -> bool {
        self.prepare(numbers, waiting);
        team.run(Phase::List);
        if self.stopped.load(Ordering::Relaxed) {
            self.forget_records();
            return false;
        }
        let batch = self.batch();
        waiting.drain(..batch.taken.len());
        let read = |number: u32, state: &mut [u32]| batch.read(number, &self.seen(), state);
        for part in &self.parts {
            take_over(&mut part.lock().expect(UNHURT), &read, waiting);
        }
        true
    }

    fn prepare(&self, numbers: Range<u32>, waiting: &VecDeque<u32>) {
        let seen = self.seen();
        let batch = &mut *self.batch.write().expect(UNHURT);
        batch.taken.clear();
        if seen.exactness() != Exactness::Exact {
            let words = numbers.len() * self.hunt.model.width();
            batch.taken.extend(waiting.iter().take(words));
        }
        batch.numbers = numbers;
        self.listing.reset();
        self.stopped.store(false, Ordering::Relaxed);
    }

    /// Values that were noted in a batch that did not count are noted again.
    fn forget_records(&self) {
        for worker in &self.workers {
            *worker.lock().expect(UNHURT) = None;
        }
    }

    /// What one of the threads does in a phase.
    pub(super) fn work(&self, thread: usize, phase: Phase) {
        match phase {
            Phase::List => self.with_worker(thread, |worker| self.list_parts(thread, worker)),
            Phase::Expand => {
                self.with_worker(thread, |worker| self.expand_and_send(thread, worker))
            }
            Phase::Repack => self.insertion().repack(thread, &self.seen()),
            Phase::Absorb => self.insertion().absorb(thread, &self.seen()),
            Phase::Settle => self.insertion().settle(thread, &self.seen()),
        }
    }

    fn expand_and_send(&self, thread: usize, worker: &mut Worker<'a>) {
        let tally = &mut *self.tallies[thread].lock().expect(UNHURT);
        let Worker { expansion, state } = worker;
        let seen = self.seen();
        let mut last = 0;
        let visit = |number, sender: &mut Sender<'_>| {
            self.goes_on() && {
                // A thread that helps another one may go back to states before those that it has expanded.
                if number < last {
                    expansion.judge.forget_values();
                }
                last = number;
                seen.read(StateId(number), state);
                let known = |print: Fingerprint, target: &[u32]| sender.knows(print.low(), target);
                let good =
                    expansion.expand(state, known).is_ok() && self.tally(tally, number, expansion);
                let fits = expansion.steps.len() <= sender.room() as usize;
                if good && fits {
                    for (step, print) in (0..).zip(&expansion.prints) {
                        sender.send(print.low(), expansion.steps.target(step as usize), step);
                    }
                    return true;
                }
                if good {
                    self.crowded.store(true, Ordering::Relaxed);
                }
                self.stop()
            }
        };
        self.insertion().expand(thread, &seen, visit);
    }

    fn list_parts(&self, thread: usize, worker: &mut Worker<'a>) {
        let (batch, seen) = (self.batch(), self.seen());
        let Worker { expansion, state } = worker;
        let mut last = 0;
        self.listing.each(thread, self.parts.len(), |number| {
            // A thread that helps another one may go back to states before those that it has expanded.
            if number < last {
                expansion.judge.forget_values();
            }
            last = number;
            let part = &mut *self.parts[number].lock().expect(UNHURT);
            part.origins.clear();
            part.words.clear();
            part.tally = Tally::default();
            for id in batch.part(number, self.parts.len()).map(StateId) {
                if !self.goes_on() {
                    return;
                }
                batch.read(id.0, &seen, state);
                let known = |print: Fingerprint, target: &[u32]| seen.contains(print.low(), target);
                let good = expansion.expand(state, known).is_ok()
                    && self.tally(&mut part.tally, id.0, expansion);
                if !good {
                    self.stop();
                    return;
                }
                for (step, &print) in expansion.prints.iter().enumerate() {
                    let target = expansion.steps.target(step);
                    if !seen.contains(print.low(), target) {
                        part.origins.push((id, print.low()));
                        part.words.extend_from_slice(target);
                    }
                }
            }
        });
    }

    /// Whether nobody met something that must be met in order.
    fn goes_on(&self) -> bool {
        if self.hunt.budget.stop.requested().is_some() {
            self.stop();
        }
        !self.stopped.load(Ordering::Relaxed)
    }

    fn stop(&self) -> bool {
        self.stopped.store(true, Ordering::Relaxed);
        false
    }

    /// Counts a state that was expanded; whether the batch can go on.
    fn tally(&self, tally: &mut Tally, number: u32, expansion: &Expansion<'_>) -> bool {
        let steps = &expansion.steps;
        for finding in &expansion.findings {
            if finding.record.is_none() && !self.hunt.keep_going {
                return false;
            }
            let step = step_of(finding, steps);
            tally.findings.push((number, *finding, step));
        }
        tally.states += 1;
        tally.steps += steps.len() as u64;
        tally.most_steps = tally.most_steps.max(steps.len() as u32);
        true
    }
}

impl Tally {
    /// Takes what another one has, which is empty then.
    fn take(&mut self, other: &mut Tally) {
        let other = std::mem::take(other);
        self.findings.extend(other.findings);
        self.states += other.states;
        self.steps += other.steps;
        self.most_steps = self.most_steps.max(other.most_steps);
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

    fn read(&self, number: u32, seen: &VisitedSet, state: &mut [u32]) {
        if !seen.read(StateId(number), state) {
            let place = (number - self.numbers.start) as usize * state.len();
            state.copy_from_slice(&self.taken[place..place + state.len()]);
        }
    }
}
