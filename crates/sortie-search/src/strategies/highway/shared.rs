//! What the threads of a highway do together at each level: they expand its lanes, merge what they drew, and put that into the table.
//!
//! A task is lent to all threads and taken back when it is done, so between tasks the highway has everything for itself.

use super::level::{Level, Part, Share};
use crate::parallel::team::{Tasks, Team};
use crate::store::table::ShardGroup;
use crate::store::visited::{StateId, VisitedSet};
use crate::strategies::highway::bottom_k::{BottomK, Draw, Merged};
use crate::{Expansion, Hunt};
use sortie_model::Fingerprint;
use std::sync::{Mutex, RwLock, RwLockReadGuard};

/// So many parts of a level for each thread: who is done early takes another one.
const PARTS: usize = 4;

/// Fewer candidates than this are merged, or put into the table, by one thread.
const MANY: usize = 1 << 10;

const UNHURT: &str = "a thread that panics ends the search";

/// What the threads share.
pub(super) struct Shared<'a> {
    hunt: &'a Hunt<'a>,
    /// At most so many states of a level are kept.
    width: usize,
    workers: Vec<Worker<'a>>,
    level: Loan<Level>,
    merging: Loan<Merging>,
    inserting: Loan<Inserting>,
}

/// Where a thread works. It makes what it needs itself, from its own memory: what lies side by side in a line is slow for both if two write it.
#[derive(Default)]
#[repr(align(128))]
struct Worker<'a> {
    expansion: Mutex<Option<Box<Expansion<'a>>>>,
    share: RwLock<Option<Box<Share>>>,
}

/// What is to be done, as long as it is.
type Loan<T> = RwLock<Option<T>>;

/// What all threads do at the same time.
#[derive(Clone, Copy)]
pub(super) enum Phase {
    /// Expand the lanes of a level, and draw candidates from what they lead to.
    Expand,
    /// Merge what threads drew.
    Merge,
    /// Give new states their numbers in the table.
    Insert,
}

/// What threads drew at a level, to be merged part by part.
struct Merging {
    /// Whose samples are merged.
    threads: Vec<usize>,
    /// The priorities between the parts.
    bounds: Vec<u64>,
    tasks: Tasks,
    parts: Vec<Mutex<Merged>>,
}

/// New states, whose numbers are put into the table group by group.
struct Inserting {
    first: u32,
    prints: Vec<Fingerprint>,
    tasks: Tasks,
    groups: Vec<Mutex<ShardGroup>>,
}

/// What came of a level: the draw of the next one, everything else, and the first lane that ends the search.
pub(super) struct Drawn {
    pub(super) draw: Draw,
    pub(super) parts: Vec<Part>,
    pub(super) stop_at: u32,
}

/// The threads of a highway as the one sees them that leads.
pub(super) struct Threads<'a, 't> {
    pub(super) shared: &'t Shared<'a>,
    pub(super) team: Team<'t, Phase>,
}

impl<'a> Shared<'a> {
    pub(super) fn new(hunt: &'a Hunt<'a>, width: usize, threads: usize) -> Shared<'a> {
        Shared {
            hunt,
            width,
            workers: (0..threads).map(|_| Worker::default()).collect(),
            level: RwLock::default(),
            merging: RwLock::default(),
            inserting: RwLock::default(),
        }
    }

    pub(super) fn threads(&self) -> usize {
        self.workers.len()
    }

    /// What one of the threads does in a phase.
    pub(super) fn work(&self, thread: usize, phase: Phase) {
        match phase {
            Phase::Expand => {
                if let Some(level) = &*self.level.read().expect(UNHURT) {
                    self.expand(thread, level);
                }
            }
            Phase::Merge => {
                if let Some(merging) = &*self.merging.read().expect(UNHURT) {
                    let tasks = &merging.tasks;
                    tasks.each_own(thread, |part| self.merge(merging, part));
                }
            }
            Phase::Insert => {
                if let Some(inserting) = &*self.inserting.read().expect(UNHURT) {
                    let tasks = &inserting.tasks;
                    tasks.each_own(thread, |group| inserting.fill(group));
                }
            }
        }
    }

    fn merge(&self, merging: &Merging, part: usize) {
        let shares = self.shares(&merging.threads);
        let begin = part.checked_sub(1).map(|before| merging.bounds[before]);
        let end = merging.bounds.get(part).copied();
        let merged = Merged::of(&samples(&shares), begin, end);
        *merging.parts[part].lock().expect(UNHURT) = merged;
    }

    fn expand(&self, thread: usize, level: &Level) {
        let mut share = self.workers[thread].share.write().expect(UNHURT);
        let share = share.get_or_insert_with(|| Box::new(Share::new(self.hunt, self.width)));
        self.with_expansion(thread, |expansion| {
            level.expand(self.hunt, expansion, share)
        });
    }

    /// What a thread expands states with.
    pub(super) fn with_expansion<T>(
        &self,
        thread: usize,
        work: impl FnOnce(&mut Expansion<'a>) -> T,
    ) -> T {
        let mut expansion = self.workers[thread].expansion.lock().expect(UNHURT);
        work(expansion.get_or_insert_with(|| Box::new(Expansion::new(self.hunt))))
    }

    fn shares(&self, threads: &[usize]) -> Vec<RwLockReadGuard<'_, Option<Box<Share>>>> {
        let workers = threads.iter().map(|thread| &self.workers[*thread]);
        workers
            .map(|worker| worker.share.read().expect(UNHURT))
            .collect()
    }
}

fn samples<'s>(shares: &'s [RwLockReadGuard<'_, Option<Box<Share>>>]) -> Vec<&'s BottomK> {
    let shares = shares.iter().filter_map(|share| share.as_deref());
    shares.map(|share| &share.sample).collect()
}

impl Inserting {
    fn fill(&self, group: usize) {
        let hashes = self.prints.iter().map(|print| print.low());
        let mut group = self.groups[group].lock().expect(UNHURT);
        group.add_all(self.first, hashes);
    }
}

impl Threads<'_, '_> {
    /// Has something done by all threads, or by this one alone.
    fn run<T>(&self, together: bool, phase: Phase, loan: &Loan<T>, thing: T) -> T {
        *loan.write().expect(UNHURT) = Some(thing);
        match together {
            true => self.team.run(phase),
            false => self.shared.work(0, phase),
        }
        let done = loan.write().expect(UNHURT).take();
        done.expect("nobody else takes it back")
    }

    /// Expands the lanes of a level and draws the next one.
    pub(super) fn draw(&self, together: bool, mut level: Level) -> Drawn {
        let shared = self.shared;
        loop {
            let parts = shared.threads() * PARTS;
            level.begin(if together { parts } else { 1 });
            level = self.run(together, Phase::Expand, &shared.level, level);
            let mut threads = Vec::new();
            let mut parts = Vec::new();
            for (thread, worker) in shared.workers.iter().enumerate() {
                // A thread that was late has none of this level.
                if let Some(share) = &mut *worker.share.write().expect(UNHURT)
                    && share.is_of(&level)
                {
                    threads.push(thread);
                    parts.append(&mut share.parts);
                }
            }
            let draw = self.merge(&threads);
            parts.sort_unstable_by_key(|(number, _)| *number);
            let parts: Vec<Part> = parts.into_iter().map(|(_, part)| part).collect();
            let stop_at = level.stop_at();
            let is_over = stop_at < u32::MAX || parts.iter().any(|part| part.error.is_some());
            if draw.is_some() || is_over {
                return Drawn {
                    draw: draw.unwrap_or_default(),
                    parts,
                    stop_at,
                };
            }
            // The guess was wrong.
            level.guess = None;
        }
    }

    /// The best of what these threads drew; nothing if the guess was wrong.
    fn merge(&self, threads: &[usize]) -> Option<Draw> {
        let shares = self.shared.shares(threads);
        let samples = samples(&shares);
        let count: usize = samples.iter().map(|sample| sample.len()).sum();
        if samples.len() == 1 || count < MANY {
            return BottomK::draw(&samples);
        }
        let merging = Merging {
            threads: threads.to_vec(),
            bounds: BottomK::bounds(&samples, samples.len()),
            tasks: Tasks::new(samples.len()),
            parts: samples.iter().map(|_| Mutex::default()).collect(),
        };
        let merging = self.run(true, Phase::Merge, &self.shared.merging, merging);
        let parts = merging.parts.into_iter();
        Draw::of(&samples, parts.map(|part| part.into_inner().expect(UNHURT)))
    }

    /// Inserts new states, one after another, with their fingerprints and parents; whether that was possible.
    pub(super) fn insert(
        &self,
        seen: &mut VisitedSet,
        states: &[u32],
        of: impl ExactSizeIterator<Item = (Fingerprint, StateId)>,
    ) -> bool {
        let together = of.len() >= MANY;
        let groups = if together { self.shared.threads() } else { 1 };
        let (prints, parents): (Vec<_>, Vec<_>) = of.unzip();
        seen.insert_distinct(states, &parents, groups, |groups, first| {
            let inserting = Inserting {
                first,
                prints,
                tasks: Tasks::new(groups.len()),
                groups: groups.into_iter().map(Mutex::new).collect(),
            };
            let inserting = self.run(together, Phase::Insert, &self.shared.inserting, inserting);
            let groups = inserting.groups.into_iter().map(Mutex::into_inner);
            groups.map(|group| group.expect(UNHURT)).collect()
        })
    }
}
