//! Generations of paths, walked by several threads and looked at in order.

use super::chromosome::Chromosome;
use super::life::{Life, Limits, Walker};
use crate::findings::Findings;
use crate::parallel::share::share;
use crate::{GoodTuring, Hunt, SearchError};
use sortie_model::{Counts, Dice, Fingerprinter, Spending, Verdict};

/// After so many expanded states the observer is told.
const TELLING: u64 = 4096;

/// One in so many paths has its states counted: all of them would cost too much.
const SAMPLED: usize = 16;

fn is_sampled(index: usize) -> bool {
    index.is_multiple_of(SAMPLED)
}

/// Where something was found: on the path of a chromosome, after this number of steps.
pub struct Place {
    pub(super) chromosome: Chromosome,
    pub(super) taken: u64,
}

/// A chromosome, and the dice that draw what it lacks.
pub type Birth = (Chromosome, Dice);

/// Generation after generation.
pub struct Search<'a> {
    pub(super) hunt: &'a Hunt<'a>,
    /// How many states may be expanded.
    max_states: u64,
    pub(super) findings: Findings<'a, Place>,
    walkers: Vec<Walker<'a>>,
    pub(super) counts: Counts,
    pub(super) end: Option<Verdict>,
    /// Counts the states of some paths.
    states: GoodTuring,
    /// Memory of the last generation, in bytes.
    held: u64,
}

impl<'a> Search<'a> {
    /// Nothing walked yet.
    pub fn new(hunt: &'a Hunt<'a>, max_states: u64, walkers: Vec<Walker<'a>>) -> Self {
        Search {
            hunt,
            max_states,
            findings: Findings::new(hunt),
            walkers,
            counts: Counts::default(),
            end: None,
            states: GoodTuring::default(),
            held: 0,
        }
    }

    /// The dice of one of those who are born into a generation.
    pub fn dice(seed: u64, epoch: u64, generation: u64, index: usize) -> Dice {
        let mut print = Fingerprinter::new();
        [seed, epoch, generation, index as u64]
            .into_iter()
            .for_each(|part| print.mix(part));
        Dice::new(print.fingerprint().low())
    }

    /// Whether another population begins, of at most this number.
    pub fn goes_on(&mut self, epoch: u64, epochs: Option<u64>) -> bool {
        if self.end.is_none() && epochs == Some(epoch) {
            self.end = Some(Verdict::Spent(Spending::Epochs));
        }
        self.end.is_none()
    }

    /// Walks the paths of a generation and takes in what they found, in order, until the search ends.
    pub fn generation(
        &mut self,
        births: usize,
        limits: Limits,
        bear: impl Fn(usize) -> Birth + Sync,
    ) -> Result<Vec<Life>, SearchError> {
        if let Some(spending) = self.spent() {
            self.end = Some(Verdict::Spent(spending));
            return Ok(Vec::new());
        }
        let left = self.max_states - self.counts.expanded;
        // Where all of them may spend what is left, one after the other does, so that the limit is met exactly.
        let most = (births as u64).saturating_mul(limits.depth.saturating_add(1));
        let lives = if most <= left {
            self.side_by_side(births, limits, &bear)?
        } else {
            self.in_turn(births, limits, left, &bear)?
        };
        self.held = lives.iter().map(Life::bytes).sum();
        let mut taken = Vec::with_capacity(lives.len());
        for mut life in lives {
            self.charge(&life.counts);
            for state in &life.states {
                self.states.meet_half(*state);
            }
            let ends = self.take(&mut life);
            taken.push(life);
            if ends {
                self.end = Some(Verdict::Found);
                return Ok(taken);
            }
        }
        if taken.len() < births {
            let spending = self.spent().unwrap_or(Spending::States);
            self.end = Some(Verdict::Spent(spending));
        }
        Ok(taken)
    }

    fn side_by_side(
        &mut self,
        births: usize,
        limits: Limits,
        bear: &(impl Fn(usize) -> Birth + Sync),
    ) -> Result<Vec<Life>, SearchError> {
        let (budget, observer) = (&self.hunt.budget, self.hunt.observer);
        let parts = share(&mut self.walkers, 0..births, |walker, part| {
            let mut lives = Vec::with_capacity(part.len());
            let mut untold = 0;
            for index in part {
                if budget.stop.requested().is_some() {
                    observer.progress(untold);
                    return Ok((lives, false));
                }
                let (chromosome, dice) = bear(index);
                let life = walker.live(chromosome, dice, limits, is_sampled(index))?;
                untold += life.counts.expanded;
                if untold >= TELLING {
                    observer.progress(std::mem::take(&mut untold));
                }
                lives.push(life);
            }
            observer.progress(untold);
            Ok::<_, SearchError>((lives, true))
        });
        let mut lives = Vec::with_capacity(births);
        for part in parts {
            let (part, is_whole) = part?;
            lives.extend(part);
            // What comes after a gap cannot be repeated.
            if !is_whole {
                break;
            }
        }
        Ok(lives)
    }

    fn in_turn(
        &mut self,
        births: usize,
        limits: Limits,
        mut left: u64,
        bear: &impl Fn(usize) -> Birth,
    ) -> Result<Vec<Life>, SearchError> {
        let mut lives = Vec::new();
        for index in 0..births {
            if left == 0 || self.hunt.budget.stop.requested().is_some() {
                break;
            }
            let (chromosome, dice) = bear(index);
            let limits = Limits {
                states: limits.states.min(left),
                ..limits
            };
            let life = self.walkers[0].live(chromosome, dice, limits, is_sampled(index))?;
            left -= life.counts.expanded;
            self.hunt.observer.progress(life.counts.expanded);
            lives.push(life);
        }
        Ok(lives)
    }

    /// Takes in what was noticed on a path; whether the search is to end.
    fn take(&mut self, life: &mut Life) -> bool {
        let chromosome = &life.chromosome;
        life.sights.drain(..).any(|sight| {
            let place = || Place {
                chromosome: chromosome.clone(),
                taken: sight.taken,
            };
            self.findings
                .take_one(&sight.finding, &sight.state, sight.step, place)
        })
    }

    /// About how many distinct states were on the paths that were looked at.
    pub fn considered(&self) -> u64 {
        self.states.distinct()
    }

    fn charge(&mut self, counts: &Counts) {
        self.counts.visited += counts.visited;
        self.counts.expanded += counts.expanded;
        self.counts.transitions += counts.transitions;
        self.counts.depth = self.counts.depth.max(counts.depth);
    }

    fn spent(&self) -> Option<Spending> {
        if let Some(reason) = self.hunt.budget.stop.requested() {
            return Some(Spending::Stopped(reason));
        }
        if self.counts.expanded >= self.max_states {
            return Some(Spending::States);
        }
        let limit = self.hunt.budget.counted_memory()?;
        // Parents live beside their children.
        (self.hunt.model.bytes() + 2 * self.held > limit).then_some(Spending::Memory)
    }
}
