//! Highway search (Engels et al., definition 5): a breadth-first search that keeps at most N states per level, drawn
//! uniformly from the unvisited successors of the level before.
//!
//! The draw is exact: the N candidates with the smallest hash of (seed, level, state), see [`BottomK`]. It does not
//! depend on the order of arrival, so any number of threads gives the same levels. Only *selected* states are out of
//! the question later; one that was considered and not chosen stays eligible. The objective is tested on every
//! transition of every lane. The paper's algorithm 1 is there under `--approximate`.
//!
//! The search ends when a level is empty. If no level ever had to leave a state out, the search was a breadth-first
//! search and has seen everything. Cost per transition: one fingerprint, and a lookup if it has a chance.

pub(crate) mod approximate;
pub(crate) mod bottom_k;
mod level;
mod shared;

use crate::estimates::considered::Considered;
use crate::findings::Findings;
use crate::options::{DEPTH, Kind, OptionSpec, STORE, option_rows};
use crate::parallel::share::Pace;
use crate::parallel::team::with_team;
use crate::store::visited::{StateId, VisitedSet};
use crate::strategies::highway::approximate::Reservoir;
use crate::{Expansion, Hunt, Outcome, SearchError};
use level::{Lanes, Level, Part};
use shared::{Shared, Threads};
use sortie_model::{Counts, Dice, Fingerprint, ModelError, Spending, Verdict};
use std::sync::Arc;
use std::time::Duration;

option_rows! {
    pub(crate) WIDTH: "width", Kind::Number(1, u32::MAX as u64), "100",
        "number of lanes: states kept per level";
    APPROXIMATE: "approximate", Kind::Switch, "false",
        "draw levels as the paper's algorithm 1 does, which favours funnels";
}

pub(crate) const OPTIONS: &[OptionSpec] = &[WIDTH, APPROXIMATE, DEPTH, STORE];

/// What takes one thread less than this is not shared; the others wait awake.
const WORTH_SHARING: Duration = Duration::from_micros(60);

const LENT: &str = "it is lent only while a level is expanded";

pub(crate) fn hunt(hunt: &Hunt<'_>) -> Result<Outcome, SearchError> {
    with_highway(hunt, |mut highway| {
        while highway.advance()? {}
        highway.finish()
    })?
}

/// Lends a highway at the initial state, with the threads of the hunt.
pub fn with_highway<'a, T>(
    hunt: &'a Hunt<'a>,
    drive: impl FnOnce(Highway<'a, '_>) -> T,
) -> Result<T, SearchError> {
    let approximate = hunt.options.switch(&APPROXIMATE);
    let threads = if approximate { 1 } else { hunt.threads.max(1) };
    let width = hunt.options.number(&WIDTH) as usize;
    let shared = &Shared::new(hunt, width, threads);
    with_team(
        threads,
        &|thread, phase| shared.work(thread, phase),
        |team| Ok(drive(Highway::new(hunt, Threads { shared, team })?)),
    )
}

/// One highway simulation, level by level: see [`with_highway`].
pub struct Highway<'a, 't> {
    hunt: &'a Hunt<'a>,
    threads: Threads<'a, 't>,
    width: usize,
    max_depth: u64,
    /// Decides the approximate draw; the exact one needs no dice.
    dice: Option<Dice>,
    seen: Arc<VisitedSet>,
    findings: Findings<'a, StateId>,
    considered: Considered,
    counts: Counts,
    lanes: Arc<Lanes>,
    level: u64,
    /// Whether a state was ever left out.
    dropped: bool,
    /// The priority of the last state that was drawn for the current level, if others were left out.
    worst: Option<u64>,
    /// That of the lanes of the level before.
    pace: Pace,
    ending: Option<Verdict>,
}

/// The states drawn for the next level.
pub(crate) struct Selection {
    /// Fingerprint, and the position of the lane it was seen from.
    pub(crate) entries: Vec<(Fingerprint, u32)>,
    /// The states themselves, one after another.
    pub(crate) words: Vec<u32>,
}

impl<'a, 't> Highway<'a, 't> {
    fn new(hunt: &'a Hunt<'a>, threads: Threads<'a, 't>) -> Result<Self, SearchError> {
        let approximate = hunt.options.switch(&APPROXIMATE);
        let (seen, initial) =
            VisitedSet::with_initial(hunt.model, hunt.options.store(), true, hunt.budget.memory)?;
        let print = hunt.model.fingerprint(&initial);
        let id = StateId(0);
        let mut findings = Findings::new(hunt);
        let ends = threads.shared.with_expansion(0, |expansion| {
            expansion.begin(&initial);
            findings.take(&expansion.findings, &initial, &expansion.steps, || id)
        });
        let mut considered = Considered::new(hunt);
        Ok(Highway {
            hunt,
            threads,
            width: hunt.options.number(&WIDTH) as usize,
            max_depth: hunt.max_depth(),
            dice: approximate.then(|| Dice::new(hunt.seed)),
            lanes: Arc::new(Lanes {
                ids: vec![id],
                considered: vec![considered.note(print, 0)],
                words: initial,
            }),
            seen: Arc::new(seen),
            findings,
            considered,
            counts: Counts {
                visited: 1,
                ..Counts::default()
            },
            level: 0,
            dropped: false,
            worst: None,
            pace: Pace::sharing_from(WORTH_SHARING),
            ending: ends.then_some(Verdict::Found),
        })
    }

    /// The states of the current level, in canonical order.
    pub fn lanes(&self) -> impl Iterator<Item = &[u32]> {
        self.lanes.words.chunks_exact(self.hunt.model.width())
    }

    /// Expands the current level and draws the next; whether there is more to do.
    pub fn advance(&mut self) -> Result<bool, SearchError> {
        if self.ending.is_some() {
            return Ok(false);
        }
        let lanes = self.lanes.ids.len();
        self.hunt.tell_level(self.level, lanes as u64);
        if let Some(spending) = self.check_limits() {
            self.ending = Some(Verdict::Spent(spending));
            return Ok(false);
        }
        let left = self.hunt.states_left(self.counts.expanded);
        let expandable = (lanes as u64).min(left) as usize;
        let selection = match self.dice.is_some() {
            true => self.draw_approximately(expandable)?,
            false => self.draw_exactly(expandable)?,
        };
        if expandable < lanes {
            self.ending.get_or_insert(Verdict::Spent(Spending::States));
        }
        if self.ending.is_some() {
            return Ok(false);
        }
        self.move_to(selection);
        Ok(!self.lanes.ids.is_empty())
    }

    /// The N best candidates of the level, by priority.
    fn draw_exactly(&mut self, expandable: usize) -> Result<Selection, SearchError> {
        let threads = self.threads.shared.threads();
        let together = threads > 1 && self.pace.is_worth_sharing(expandable);
        let begun = self.pace.begin();
        let mut level = Level::new(&self.seen, &self.lanes, self.level + 1);
        level.expanded = expandable;
        // Once something was left out, what has hardly a chance need not be looked at.
        level.guess = self.worst.filter(|_| self.dropped).and_then(level::guess);
        level.bound = self.considered.bound();
        let drawn = self.threads.draw(together, level);
        let threads = if together { threads } else { 1 };
        self.pace.note(begun, threads, expandable);
        self.account(drawn.parts, drawn.stop_at)?;
        let draw = drawn.draw;
        self.dropped |= draw.dropped;
        self.worst = draw.worst.filter(|_| self.width >= level::WIDE);
        let candidates = draw.candidates.iter();
        Ok(Selection {
            entries: candidates.map(|c| (c.print, c.position)).collect(),
            words: draw.words,
        })
    }

    /// The level by attempts, in order of arrival.
    fn draw_approximately(&mut self, expandable: usize) -> Result<Selection, SearchError> {
        let mut reservoir = Reservoir::new(self.width);
        for position in 0..expandable {
            let shared = self.threads.shared;
            if shared.with_expansion(0, |e| self.attempt(position, e, &mut reservoir))? {
                self.ending = Some(Verdict::Found);
                break;
            }
        }
        self.hunt.observer.progress(expandable as u64);
        self.dropped |= reservoir.dropped();
        Ok(reservoir.into_selection())
    }

    /// Expands a lane and tries to add its successors; whether the search ends there.
    fn attempt(
        &mut self,
        position: usize,
        expansion: &mut Expansion<'_>,
        reservoir: &mut Reservoir,
    ) -> Result<bool, ModelError> {
        let (seen, id) = (&self.seen, self.lanes.ids[position]);
        let state = self.lanes.state(position, self.hunt.model.width());
        expansion.expand(state, |print, target| seen.contains(print.low(), target))?;
        let (found, steps) = (&expansion.findings, &expansion.steps);
        if self.findings.take(found, state, steps, || id) {
            return Ok(true);
        }
        self.counts.expanded += 1;
        self.counts.transitions += steps.len() as u64;
        let dice = self.dice.as_mut().expect("attempts are drawn by dice");
        for (step, &print) in expansion.prints.iter().enumerate() {
            self.considered.note(print, self.lanes.considered[position]);
            let target = steps.target(step);
            // Several transitions to one successor are one attempt: the paper goes through a set.
            let repeated = expansion.prints[..step].contains(&print);
            if !repeated && !seen.contains(print.low(), target) {
                reservoir.attempt(print, target, position as u32, dice);
            }
        }
        Ok(false)
    }

    /// Takes over findings and counts as if the lanes had been expanded one after another up to the first violation.
    fn account(&mut self, parts: Vec<Part>, stop_at: u32) -> Result<(), SearchError> {
        let width = self.hunt.model.width();
        let mut position = 0u32;
        for part in parts {
            if let Some((at, error)) = part.error
                && at <= stop_at
            {
                return Err(error.into());
            }
            for steps in &part.steps {
                if position < stop_at {
                    self.counts.expanded += 1;
                    self.counts.transitions += u64::from(*steps);
                }
                position += 1;
            }
            for &(position, print) in &part.notes {
                if position < stop_at {
                    self.considered
                        .note(print, self.lanes.considered[position as usize]);
                }
            }
            for (position, finding, step) in part.findings {
                let state = self.lanes.state(position as usize, width);
                let id = self.lanes.ids[position as usize];
                if position <= stop_at && self.findings.take_one(&finding, state, step, || id) {
                    self.ending = Some(Verdict::Found);
                    break;
                }
            }
        }
        self.hunt.observer.progress(u64::from(position));
        Ok(())
    }

    fn move_to(&mut self, Selection { entries, words }: Selection) {
        let width = self.hunt.model.width();
        let seen = Arc::get_mut(&mut self.seen).expect(LENT);
        let mut next = Lanes::default();
        let first = seen.len() as u32;
        let of = entries
            .iter()
            .map(|(print, position)| (*print, self.lanes.ids[*position as usize]));
        if self.threads.insert(seen, &words, of) {
            next.ids = (first..seen.len() as u32).map(StateId).collect();
            next.words = words;
            let considered = entries.iter().map(|(print, position)| {
                let from = self.lanes.considered[*position as usize];
                self.considered.note(*print, from)
            });
            next.considered = considered.collect();
        } else {
            for ((print, position), state) in entries.into_iter().zip(words.chunks_exact(width)) {
                let position = position as usize;
                // A bitstate table may already have all bits of a state that was not known a moment ago.
                if let Some(id) = seen.insert(print.low(), state, self.lanes.ids[position]) {
                    next.ids.push(id);
                    next.words.extend_from_slice(state);
                    let from = self.lanes.considered[position];
                    next.considered.push(self.considered.note(print, from));
                }
            }
        }
        self.lanes = Arc::new(next);
        self.counts.visited = self.seen.len();
        if !self.lanes.ids.is_empty() {
            self.level += 1;
            self.counts.depth = self.level;
        }
    }

    fn check_limits(&mut self) -> Option<Spending> {
        let hunt = self.hunt;
        if self.level >= self.max_depth {
            return Some(Spending::Depth);
        }
        // Each thread may hold twice the lanes it will keep.
        let threads = self.threads.shared.threads() as u64;
        let lanes = (self.lanes.words.len() * 4) as u64 * (1 + 2 * threads);
        let seen = Arc::get_mut(&mut self.seen).expect(LENT);
        hunt.check_limits(&hunt.budget.stop, seen, lanes)
    }

    /// The result, once [`advance`](Highway::advance) has nothing more to do.
    pub fn finish(self) -> Result<Outcome, SearchError> {
        let dropped = self.dropped.then_some(Verdict::Spent(Spending::Lanes));
        let ending = self.ending.or(dropped);
        let mut outcome = self.findings.outcome(ending, self.counts, &self.seen)?;
        self.considered.count_into(&mut outcome);
        Ok(outcome)
    }
}
