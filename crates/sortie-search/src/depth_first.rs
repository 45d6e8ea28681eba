//! Depth-first search, plain and randomised (Engels et al., section 3; Rungta and Mercer's yardstick).
//!
//! The search follows one path, never enters a state twice, and turns back where nothing new is left. The randomised
//! version draws the next successor uniformly over the transitions not yet tried; the plain one takes them in the
//! model's order.
//!
//! Successors wait on one flat stack. Those already visited when a state is expanded are not put there, which
//! changes neither the order nor the distribution. With a depth limit a state that was first reached by a long path
//! may hide successors within the limit, so a search that was cut never claims to have seen everything. Cost: one
//! lookup per transition, and one more per new state.

use crate::considered::{Considered, ConsideredId};
use crate::findings::Findings;
use crate::options::{DEPTH, OptionSpec, STORE};
use crate::seen::{NO_PARENT, Seen};
use crate::{Expansion, Hunt, Outcome, SearchError};
use sortie_model::{Counts, Dice, Event, Exactness, LabelId, Spending, Trace, Verdict};

pub(crate) const OPTIONS: &[OptionSpec] = &[DEPTH, STORE];

/// How often limits that cost something to look at are looked at, in states.
const CHECK_EVERY: u64 = 4096;

pub(crate) fn plain(hunt: &Hunt<'_>) -> Result<Outcome, SearchError> {
    Search::new(hunt, None).run()
}

pub(crate) fn randomised(hunt: &Hunt<'_>) -> Result<Outcome, SearchError> {
    Search::new(hunt, Some(Dice::new(hunt.seed))).run()
}

/// A state on the path: its waiting successors are `next..` up to where the next frame begins.
#[derive(Clone, Copy, Debug)]
struct Frame {
    begin: usize,
    next: usize,
    considered: ConsideredId,
}

struct Search<'a> {
    hunt: &'a Hunt<'a>,
    dice: Option<Dice>,
    seen: Seen,
    expansion: Expansion<'a>,
    findings: Findings<'a, Trace>,
    considered: Considered,
    counts: Counts,
    initial: Vec<u32>,
    path: Vec<Frame>,
    // The waiting successors of all frames, one after another.
    labels: Vec<LabelId>,
    words: Vec<u32>,
    hashes: Vec<u64>,
}

impl<'a> Search<'a> {
    fn new(hunt: &'a Hunt<'a>, dice: Option<Dice>) -> Self {
        let store = hunt.options.store();
        Search {
            hunt,
            dice,
            seen: Seen::new(hunt.model.width(), store, false, hunt.budget.memory),
            expansion: Expansion::new(hunt),
            findings: Findings::new(hunt),
            considered: Considered::new(hunt),
            counts: Counts::default(),
            initial: Vec::new(),
            path: Vec::new(),
            labels: Vec::new(),
            words: Vec::new(),
            hashes: Vec::new(),
        }
    }

    fn run(mut self) -> Result<Outcome, SearchError> {
        let width = self.hunt.model.width();
        let max_depth = self
            .hunt
            .options
            .optional_number(&DEPTH)
            .unwrap_or(u64::MAX);
        let mut state = Vec::new();
        self.hunt.model.initial(&mut state)?;
        self.initial.clone_from(&state);
        let print = self.hunt.model.fingerprint(&state);
        self.seen.insert(print, &state, NO_PARENT);
        self.expansion.begin(&state);
        let mut ending = self.take_findings(&state).then_some(Verdict::Found);
        let mut cut = false;
        if ending.is_none() {
            ending = self.enter(&state, true)?;
        }

        while ending.is_none() {
            let Some(&frame) = self.path.last() else {
                break;
            };
            let waiting = frame.next..self.labels.len();
            if waiting.is_empty() {
                self.labels.truncate(frame.begin);
                self.hashes.truncate(frame.begin);
                self.words.truncate(frame.begin * width);
                self.path.pop();
                continue;
            }
            let chosen = waiting.start;
            if let Some(drawn) = self.dice.as_mut().map(|dice| dice.index(waiting.len())) {
                self.swap(chosen, chosen + drawn, width);
            }
            self.path.last_mut().expect("the frame is there").next += 1;
            state.copy_from_slice(&self.words[chosen * width..(chosen + 1) * width]);
            if self
                .seen
                .insert_hash(self.hashes[chosen], &state, NO_PARENT)
                .is_none()
            {
                continue;
            }
            self.counts.depth = self.counts.depth.max(self.path.len() as u64);
            let within = (self.path.len() as u64) < max_depth;
            cut |= !within;
            ending = self.enter(&state, within)?;
        }

        let verdict = match ending {
            _ if self.findings.distinct() > 0 => Verdict::Found,
            Some(verdict) => verdict,
            None if cut => Verdict::Spent(Spending::Depth),
            None if self.seen.exactness() != Exactness::Exact => {
                Verdict::Spent(Spending::Store(self.seen.exactness()))
            }
            None => Verdict::Exhausted,
        };
        self.finish(verdict)
    }

    /// Visits a state: expands it and puts its unvisited successors on the stack. Gives the verdict if the search ends
    /// here.
    fn enter(&mut self, state: &[u32], expand: bool) -> Result<Option<Verdict>, SearchError> {
        self.counts.visited = self.seen.len();
        if self.hunt.budget.max_states == Some(self.counts.expanded) {
            return Ok(Some(Verdict::Spent(Spending::States)));
        }
        if self.counts.expanded.is_multiple_of(CHECK_EVERY)
            && let Some(spending) = self.check_limits()
        {
            return Ok(Some(Verdict::Spent(spending)));
        }
        let begin = self.labels.len();
        let print = self.hunt.model.fingerprint(state);
        let parent = self.path.last().map_or(0, |frame| frame.considered);
        let considered = self.considered.note(print, parent);
        if expand {
            self.expansion.expand(state)?;
            if !self.expansion.findings.is_empty() && self.take_findings(state) {
                return Ok(Some(Verdict::Found));
            }
            self.counts.expanded += 1;
            self.counts.transitions += self.expansion.steps.len() as u64;
            self.expansion.fingerprint();
            for (index, &print) in self.expansion.prints.iter().enumerate() {
                self.considered.note(print, considered);
                let target = self.expansion.steps.target(index);
                if !self.seen.contains(print, target) {
                    self.labels.push(self.expansion.steps.label(index));
                    self.words.extend_from_slice(target);
                    self.hashes.push(print.low());
                }
            }
        }
        self.path.push(Frame {
            begin,
            next: begin,
            considered,
        });
        Ok(None)
    }

    fn swap(&mut self, a: usize, b: usize, width: usize) {
        if a != b {
            self.labels.swap(a, b);
            self.hashes.swap(a, b);
            for word in 0..width {
                self.words.swap(a * width + word, b * width + word);
            }
        }
    }

    fn check_limits(&mut self) -> Option<Spending> {
        self.hunt.observer.progress(if self.counts.expanded == 0 {
            0
        } else {
            CHECK_EVERY
        });
        if let Some(reason) = self.hunt.budget.stop.requested() {
            return Some(Spending::Stopped(reason));
        }
        if self.seen.is_full() {
            return Some(Spending::Memory);
        }
        let limit = self.hunt.budget.memory?;
        let stack = (self.labels.len() * 12
            + self.words.len() * 4
            + self.path.len() * size_of::<Frame>()) as u64;
        let other = stack + self.hunt.model.bytes();
        if self.seen.bytes() + other > limit {
            for (from, to) in self
                .seen
                .shrink_to(limit.saturating_sub(other), self.hunt.model)
            {
                self.hunt.observer.event(&Event::Degraded {
                    from,
                    to,
                    visited: self.seen.len(),
                });
            }
        }
        (self.seen.bytes() + other > limit).then_some(Spending::Memory)
    }

    /// Takes in what was noticed at `state`, which is about to be put on the path; whether the search ends.
    fn take_findings(&mut self, state: &[u32]) -> bool {
        let Search {
            expansion,
            findings,
            path,
            labels,
            words,
            initial,
            hunt,
            ..
        } = self;
        let width = hunt.model.width();
        let place = || {
            let mut trace = Trace {
                start: initial.clone(),
                steps: Vec::new(),
            };
            for frame in path.iter() {
                // The successor being followed is the one before `next`.
                let taken = frame.next - 1;
                trace.push(labels[taken], &words[taken * width..(taken + 1) * width]);
            }
            trace
        };
        findings.take(&expansion.findings, state, &expansion.steps, place)
    }

    fn finish(self, verdict: Verdict) -> Result<Outcome, SearchError> {
        let distinct = self.findings.distinct();
        let (considered, considered_exact) = self.considered.count();
        let mut found = Vec::new();
        for hit in self.findings.into_hits() {
            let print = self.hunt.model.fingerprint(hit.place.last());
            let trace = match self.considered.trace(self.hunt, print) {
                Some(trace) => trace?,
                None => hit.place.clone(),
            };
            found.push(hit.found(trace));
        }
        Ok(Outcome {
            verdict,
            found,
            distinct,
            counts: Counts {
                considered,
                considered_exact,
                visited: self.seen.len(),
                ..self.counts
            },
            exactness: self.seen.exactness(),
            unseen: None,
        })
    }
}
