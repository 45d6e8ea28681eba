//! A level of a highway: the states in it, what they lead to, and the draw of the next one, by one thread or several.

use crate::estimates::considered::ConsideredId;
use crate::findings::{PlacedFinding, step_of};
use crate::store::visited::{StateId, VisitedSet};
use crate::strategies::highway::bottom_k::BottomK;
use crate::{Expansion, Hunt};
use sortie_model::{Fingerprint, ModelError};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

/// A level of so many lanes is like the one before, or nearly, so that priorities can be guessed.
pub(super) const WIDE: usize = 1024;

/// The states of the current level, in canonical order.
#[derive(Default)]
pub(super) struct Lanes {
    pub(super) words: Vec<u32>,
    pub(super) ids: Vec<StateId>,
    pub(super) considered: Vec<ConsideredId>,
}

impl Lanes {
    /// The state of a member of the level, which has this number of words.
    pub(super) fn state(&self, position: usize, width: usize) -> &[u32] {
        &self.words[position * width..][..width]
    }
}

/// What a thread makes of its share of a level.
pub(super) struct Share {
    pub(super) sample: BottomK,
    /// For which level the sample was begun, and with what guess.
    begun: Option<(u64, Option<u64>)>,
    /// With their numbers.
    pub(super) parts: Vec<(usize, Part)>,
}

impl Share {
    /// At most so many states of a level are kept.
    pub(super) fn new(hunt: &Hunt<'_>, lanes: usize) -> Self {
        Share {
            sample: BottomK::new(hunt.seed, 0, lanes, hunt.model.width()),
            begun: None,
            parts: Vec::new(),
        }
    }

    /// Whether it is one of this level.
    pub(super) fn is_of(&self, level: &Level) -> bool {
        self.begun == Some((level.next, level.guess))
    }
}

/// What came of a part of a level, but for the states that may be drawn.
#[derive(Default)]
pub(super) struct Part {
    pub(super) findings: Vec<PlacedFinding>,
    /// How many steps each expanded lane has.
    pub(super) steps: Vec<u32>,
    /// Successors worth noting as considered, with the lane they were seen from.
    pub(super) notes: Vec<(u32, Fingerprint)>,
    pub(super) error: Option<(u32, ModelError)>,
}

/// A level as the threads see it that expand it.
pub(super) struct Level {
    pub(super) seen: Arc<VisitedSet>,
    pub(super) lanes: Arc<Lanes>,
    /// How many of the lanes are expanded.
    pub(super) expanded: usize,
    /// The number of the next one.
    pub(super) next: u64,
    /// A priority that it will hardly need to exceed.
    pub(super) guess: Option<u64>,
    /// Successors below this are worth noting.
    pub(super) bound: u64,
    parts: usize,
    /// How many of the parts were taken.
    taken: AtomicUsize,
    /// Lanes behind the first violation need not be looked at.
    first_hit: AtomicU32,
}

/// A priority that the next level will hardly need to exceed, if this was the worst in the one before.
pub(super) fn guess(worst: u64) -> Option<u64> {
    worst.checked_add(worst / 4)
}

impl Level {
    /// With all lanes, to be expanded one after another.
    pub(super) fn new(seen: &Arc<VisitedSet>, lanes: &Arc<Lanes>, next: u64) -> Level {
        Level {
            seen: Arc::clone(seen),
            lanes: Arc::clone(lanes),
            expanded: lanes.ids.len(),
            next,
            guess: None,
            bound: 0,
            parts: 1,
            taken: AtomicUsize::new(0),
            first_hit: AtomicU32::new(u32::MAX),
        }
    }

    /// All lanes are to be expanded, in so many parts.
    pub(super) fn begin(&mut self, parts: usize) {
        self.parts = parts;
        self.taken = AtomicUsize::new(0);
        self.first_hit = AtomicU32::new(u32::MAX);
    }

    /// The first lane that ends the search.
    pub(super) fn stop_at(&self) -> u32 {
        self.first_hit.load(Ordering::Relaxed)
    }

    /// Expands the lanes of all parts that are left, and draws candidates.
    pub(super) fn expand(&self, hunt: &Hunt<'_>, expansion: &mut Expansion<'_>, share: &mut Share) {
        share.begun = Some((self.next, self.guess));
        share.sample.begin(hunt.seed, self.next, self.guess);
        let length = self.expanded.div_ceil(self.parts).max(1);
        loop {
            let number = self.taken.fetch_add(1, Ordering::Relaxed);
            let begin = number * length;
            if begin >= self.expanded {
                break;
            }
            let positions = begin..(begin + length).min(self.expanded);
            let part = self.expand_part(hunt, expansion, &mut share.sample, positions);
            share.parts.push((number, part));
        }
        share.sample.settle(&*self.seen);
    }

    fn expand_part(
        &self,
        hunt: &Hunt<'_>,
        expansion: &mut Expansion<'_>,
        sample: &mut BottomK,
        positions: Range<usize>,
    ) -> Part {
        let width = hunt.model.width();
        let mut part = Part {
            steps: Vec::with_capacity(positions.len()),
            ..Part::default()
        };
        for index in positions {
            let position = index as u32;
            if position > self.stop_at() {
                break;
            }
            let state = self.lanes.state(index, width);
            let known =
                |print: Fingerprint, target: &[u32]| self.seen.contains(print.low(), target);
            if let Err(error) = expansion.expand(state, known) {
                part.error = Some((position, error));
                break;
            }
            part.steps.push(expansion.steps.len() as u32);
            for finding in &expansion.findings {
                let step = step_of(finding, &expansion.steps);
                part.findings.push((position, *finding, step));
                if finding.record.is_none() && !hunt.keep_going {
                    self.first_hit.fetch_min(position, Ordering::Relaxed);
                }
            }
            for (step, &print) in expansion.prints.iter().enumerate() {
                if print.high() < self.bound {
                    part.notes.push((position, print));
                }
                let target = expansion.steps.target(step);
                sample.offer(print, target, position, &*self.seen);
            }
        }
        part
    }
}
