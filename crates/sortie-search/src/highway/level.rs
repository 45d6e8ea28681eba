//! A level of a highway: the states in it, what they lead to, and the draw of the next one, by one thread or several.

use crate::bottom_k::{BottomK, Draw};
use crate::considered::ConsideredId;
use crate::findings::{PlacedFinding, step_of};
use crate::seen::{Seen, StateId};
use crate::share::share_and_finish;
use crate::{Expansion, Hunt};
use sortie_model::{Fingerprint, ModelError};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

/// A level of so many lanes is like the one before, or nearly, so that priorities can be guessed.
pub(super) const WIDE: usize = 1024;

/// The states of the current level, in canonical order.
#[derive(Default)]
pub(super) struct Lanes {
    pub(super) words: Vec<u32>,
    pub(super) ids: Vec<StateId>,
    pub(super) considered: Vec<ConsideredId>,
}

/// Where a thread works. It makes what it needs itself, from its own memory: what lies side by side in a line is slow for both if two write it.
#[derive(Default)]
#[repr(align(128))]
pub(super) struct Desk<'a>(Option<Box<Worker<'a>>>);

impl<'a> Desk<'a> {
    /// At most so many states of a level are kept.
    pub(super) fn get(&mut self, hunt: &Hunt<'a>, lanes: usize) -> &mut Worker<'a> {
        self.0.get_or_insert_with(|| {
            Box::new(Worker {
                expansion: Expansion::new(hunt),
                sample: BottomK::new(hunt.seed, 0, lanes, hunt.model.width()),
                begun: None,
            })
        })
    }
}

/// What each thread has for itself.
pub(super) struct Worker<'a> {
    pub(super) expansion: Expansion<'a>,
    sample: BottomK,
    /// For which level the sample was begun, and with what guess.
    begun: Option<(u64, Option<u64>)>,
}

/// What came of a share of a level, but for the states that may be drawn.
#[derive(Default)]
pub(super) struct Part {
    pub(super) findings: Vec<PlacedFinding>,
    /// How many steps each expanded lane has.
    pub(super) steps: Vec<u32>,
    /// Successors worth noting as considered, with the lane they were seen from.
    pub(super) notes: Vec<(u32, Fingerprint)>,
    pub(super) error: Option<(u32, ModelError)>,
}

/// What all threads of one level share.
pub(super) struct Level<'a, 'b> {
    pub(super) hunt: &'b Hunt<'a>,
    pub(super) seen: &'b Seen,
    pub(super) lanes: &'b Lanes,
    /// The number of the next one, and how many states it can have.
    pub(super) next: u64,
    pub(super) width: usize,
    /// Successors below this are worth noting.
    pub(super) bound: u64,
}

/// A priority that the next level will hardly need to exceed, if this was the worst in the one before.
pub(super) fn guess(worst: u64) -> Option<u64> {
    worst.checked_add(worst / 4)
}

impl<'a> Level<'a, '_> {
    /// Expands these lanes, and draws the next level: the draw, what else came of it, and the first lane that ends the search.
    pub(super) fn draw(
        &self,
        desks: &mut [Desk<'a>],
        positions: Range<usize>,
        guess: Option<u64>,
    ) -> (Draw, Vec<Part>, u32) {
        // Lanes behind the first violation need not be looked at.
        let first_hit = AtomicU32::new(u32::MAX);
        let parts = share_and_finish(
            desks,
            positions.clone(),
            |desk, part| self.expand(self.worker(desk, guess), part, &first_hit),
            |desk| self.worker(desk, guess).sample.settle(self.seen),
        );
        let workers = desks.iter_mut().map(|desk| &*self.worker(desk, guess));
        let samples: Vec<&BottomK> = workers.map(|worker| &worker.sample).collect();
        let draw = BottomK::draw(&samples);
        let stop_at = first_hit.into_inner();
        let is_over = stop_at < u32::MAX || parts.iter().any(|part| part.error.is_some());
        match draw {
            None if !is_over => self.draw(desks, positions, None),
            draw => (draw.unwrap_or_default(), parts, stop_at),
        }
    }

    /// Who works here, with a sample of this level.
    fn worker<'w>(&self, desk: &'w mut Desk<'a>, guess: Option<u64>) -> &'w mut Worker<'a> {
        let worker = desk.get(self.hunt, self.width);
        let begun = Some((self.next, guess));
        if worker.begun != begun {
            worker.begun = begun;
            worker.sample.begin(self.hunt.seed, self.next, guess);
        }
        worker
    }

    fn expand(
        &self,
        worker: &mut Worker<'a>,
        positions: Range<usize>,
        first_hit: &AtomicU32,
    ) -> Part {
        let Worker {
            expansion, sample, ..
        } = worker;
        let width = self.hunt.model.width();
        let mut part = Part {
            steps: Vec::with_capacity(positions.len()),
            ..Part::default()
        };
        for index in positions {
            let position = index as u32;
            if position > first_hit.load(Ordering::Relaxed) {
                break;
            }
            let state = &self.lanes.words[index * width..(index + 1) * width];
            let known = |print: Fingerprint, target: &[u32]| self.seen.contains(print, target);
            if let Err(error) = expansion.expand(state, known) {
                part.error = Some((position, error));
                break;
            }
            part.steps.push(expansion.steps.len() as u32);
            for finding in &expansion.findings {
                let step = step_of(finding, &expansion.steps);
                part.findings.push((position, *finding, step));
                if finding.record.is_none() && !self.hunt.keep_going {
                    first_hit.fetch_min(position, Ordering::Relaxed);
                }
            }
            for (step, &print) in expansion.prints.iter().enumerate() {
                if print.high() < self.bound {
                    part.notes.push((position, print));
                }
                let target = expansion.steps.target(step);
                sample.offer(print, target, position, self.seen);
            }
        }
        part
    }
}
