//! Depth-first search, plain and randomised (Engels et al., section 3; Rungta and Mercer's yardstick).
//!
//! The search follows one path, never enters a state twice, and turns back where nothing new is left. The randomised
//! version draws the next successor uniformly over the transitions not yet tried; the plain one takes them in the
//! model's order.
//!
//! Successors wait on one flat stack. When it is long, the successors of its lower half are forgotten; a state whose successors were forgotten is listed again when the search comes back to it. What was tried
//! from it is visited by then, so nothing needs to be remembered, and a path costs little more than its states.
//!
//! With `--mark-early` a state counts as visited as soon as it is seen as a successor, as in many tools that keep one list of
//! states to do. Paths then close earlier, the search turns back more often, and where there is a limit it may miss
//! more: the figures of Engels et al. for randomised depth-first search come from such a search (dining philosophers:
//! 70 % within 5,000 states, where marking on entry always succeeds).
//!
//! With `--count-seen` the limit on states is one on those seen: once there are so many, no more are taken in, and those that wait
//! are expanded. So do the searches of that paper's table 1, which can be told from those that reach the limit (the sliding window
//! protocol: traces half as long as the number of states, where a limit on expanded states gives a single long path).
//!
//! With a depth limit a state that was first reached by a long path may hide successors within the limit, so a search
//! that was cut never claims to have seen everything. Cost: one lookup per transition, or two on very long paths.

use crate::estimates::considered::Considered;
use crate::findings::Findings;
use crate::options::{DEPTH, Kind, OptionSpec, STORE, option_rows};
use crate::store::visited::{NO_PARENT, VisitedSet};
use crate::{Expansion, Hunt, Outcome, SearchError};
use sortie_model::{Counts, Dice, Exactness, LabelId, Precision, Spending, Stop, Trace, Verdict};

option_rows! {
    MARK_EARLY: "mark-early", Kind::Switch, "false",
        "count a state as visited when it is first seen, as the highway paper's tool does";
    COUNT_SEEN: "count-seen", Kind::Switch, "false",
        "limit the states that are seen instead of those expanded; those that wait are expanded still";
}

pub(crate) const OPTIONS: &[OptionSpec] = &[MARK_EARLY, COUNT_SEEN, DEPTH, STORE];

/// How often limits that cost something to look at are looked at, in states.
const CHECK_EVERY: u64 = 4096;

pub(crate) fn plain(hunt: &Hunt<'_>) -> Result<Outcome, SearchError> {
    Search::new(hunt, None).run()
}

pub(crate) fn randomised(hunt: &Hunt<'_>) -> Result<Outcome, SearchError> {
    Search::randomised(hunt).run()
}

/// This many waiting successors are kept at most, before half of them is forgotten.
const WAITING: usize = 1 << 16;

/// The waiting successors of a state on the path: from `next` on, up to where those of the next state begin.
#[derive(Clone, Copy, Debug)]
struct Frame {
    begin: u32,
    next: u32,
}

/// Marks a state whose waiting successors were forgotten.
const FORGOTTEN: u32 = u32::MAX;

/// A search, which can go on when it was out of states.
pub(crate) struct Search<'a> {
    hunt: &'a Hunt<'a>,
    dice: Option<Dice>,
    seen: VisitedSet,
    expansion: Expansion<'a>,
    findings: Findings<'a, Trace>,
    considered: Considered,
    counts: Counts,
    /// The states of the path with the labels that lead to them; the first label means nothing.
    path_words: Vec<u32>,
    path_labels: Vec<LabelId>,
    frames: Vec<Frame>,
    waiting: Waiting,
    max_depth: u64,
    mark_early: bool,
    cut: bool,
    gate: Gate,
    max_states: Option<u64>,
    stop: Stop,
    /// The state that is entered next, and the label that leads there, where the search was out of states.
    paused: Option<(Vec<u32>, LabelId)>,
}

/// Lets new states in, until there are enough.
struct Gate {
    most: Option<u64>,
    /// Whether a new state was turned away.
    refused: bool,
}

impl Gate {
    /// Whether the state is new and was taken in.
    fn admits(&mut self, seen: &mut VisitedSet, hash: u64, state: &[u32]) -> bool {
        if self.most.is_none_or(|most| seen.len() < most) {
            return seen.insert(hash, state, NO_PARENT).is_some();
        }
        self.refused |= !seen.contains(hash, state);
        false
    }
}

/// The waiting successors of all states of the path, one after another.
#[derive(Default)]
struct Waiting {
    width: usize,
    labels: Vec<LabelId>,
    words: Vec<u32>,
    hashes: Vec<u64>,
}

impl Waiting {
    fn len(&self) -> usize {
        self.labels.len()
    }

    fn push(&mut self, label: LabelId, state: &[u32], hash: u64) {
        self.labels.push(label);
        self.words.extend_from_slice(state);
        self.hashes.push(hash);
    }

    fn truncate(&mut self, length: usize) {
        self.labels.truncate(length);
        self.words.truncate(length * self.width);
        self.hashes.truncate(length);
    }

    fn forget_first(&mut self, count: usize) {
        self.labels.drain(..count);
        self.words.drain(..count * self.width);
        self.hashes.drain(..count);
    }

    fn swap(&mut self, a: usize, b: usize) {
        if a != b {
            self.labels.swap(a, b);
            self.hashes.swap(a, b);
            for word in 0..self.width {
                self.words
                    .swap(a * self.width + word, b * self.width + word);
            }
        }
    }

    fn bytes(&self) -> u64 {
        (self.labels.len() * 12 + self.words.len() * 4) as u64
    }
}

impl<'a> Search<'a> {
    fn new(hunt: &'a Hunt<'a>, dice: Option<Dice>) -> Self {
        let store = hunt.options.store();
        let width = hunt.model.width();
        let limit = hunt.budget.max_states;
        let counts_seen = hunt.options.switch(&COUNT_SEEN);
        Search {
            hunt,
            dice,
            seen: VisitedSet::new(hunt.model, store, false, hunt.budget.memory),
            expansion: Expansion::new(hunt),
            findings: Findings::new(hunt),
            considered: Considered::new(hunt),
            counts: Counts::default(),
            path_words: Vec::new(),
            path_labels: Vec::new(),
            frames: Vec::new(),
            waiting: Waiting {
                width,
                ..Waiting::default()
            },
            max_depth: hunt.max_depth(),
            mark_early: hunt.options.switch(&MARK_EARLY),
            cut: false,
            gate: Gate {
                most: limit.filter(|_| counts_seen),
                refused: false,
            },
            max_states: limit.filter(|_| !counts_seen),
            stop: hunt.budget.stop.clone(),
            paused: None,
        }
    }

    /// The randomised search.
    pub(crate) fn randomised(hunt: &'a Hunt<'a>) -> Self {
        Search::new(hunt, Some(Dice::new(hunt.seed)))
    }

    /// Continues until this number of states has been expanded since the beginning. Whatever was found, the search has only spent its states then.
    pub(crate) fn go_on(&mut self, limit: u64, stop: Stop) -> Result<Outcome, SearchError> {
        self.max_states = Some(limit);
        self.stop = stop;
        let mut outcome = self.run()?;
        // Monitors hand over what they have noted when they go.
        self.expansion = Expansion::new(self.hunt);
        if self.paused.is_some() {
            outcome.verdict = Verdict::Spent(Spending::States);
        }
        Ok(outcome)
    }

    fn run(&mut self) -> Result<Outcome, SearchError> {
        let mut found = false;
        let (mut state, mut label) = match self.paused.take() {
            Some(next) => next,
            None => {
                let mut state = Vec::new();
                self.hunt.model.initial(&mut state)?;
                let print = self.hunt.model.fingerprint(&state);
                self.seen.insert(print.low(), &state, NO_PARENT);
                self.expansion.begin(&state);
                found = self.take_findings(&state, LabelId(0));
                (state, LabelId(0))
            }
        };
        let mut ending = match found {
            true => Some(Verdict::Found),
            false => self.enter(&state, label)?,
        };
        while ending.is_none() && !self.frames.is_empty() {
            match self.next_state(&mut state)? {
                Some(next) => {
                    label = next;
                    ending = self.enter(&state, label)?;
                }
                None => self.leave(),
            }
        }
        if ending == Some(Verdict::Spent(Spending::States)) {
            self.paused = Some((state, label));
        }
        let partial = self.cut || self.gate.refused;
        let saw_all = ending.is_none() && !partial && self.seen.exactness() == Exactness::Exact;
        let cut = match (self.gate.refused, self.cut) {
            (true, _) => Some(Verdict::Spent(Spending::States)),
            (_, true) => Some(Verdict::Spent(Spending::Depth)),
            _ => None,
        };
        Ok(self.outcome(ending.or(cut), saw_all))
    }

    /// The next unvisited successor of the last state of the path, now visited, and the label that leads there.
    fn next_state(&mut self, state: &mut [u32]) -> Result<Option<LabelId>, SearchError> {
        let width = self.waiting.width;
        let is_forgotten = |frame: &Frame| frame.begin == FORGOTTEN;
        if self.frames.last().is_some_and(is_forgotten) {
            let start = self.path_words.len() - width;
            self.expansion.list(&self.path_words[start..])?;
            let frame = self.put_successors();
            *self.frames.last_mut().expect("the path has a last state") = frame;
        }
        loop {
            let frame = self.frames.last_mut().expect("the path has a last state");
            let chosen = frame.next as usize;
            let left = self.waiting.len() - chosen;
            if left == 0 {
                return Ok(None);
            }
            frame.next += 1;
            if let Some(dice) = &mut self.dice {
                self.waiting.swap(chosen, chosen + dice.index(left));
            }
            let words = &self.waiting.words[chosen * width..(chosen + 1) * width];
            let hash = self.waiting.hashes[chosen];
            if self.mark_early || self.gate.admits(&mut self.seen, hash, words) {
                state.copy_from_slice(words);
                return Ok(Some(self.waiting.labels[chosen]));
            }
        }
    }

    /// Visits a state: expands it and puts its successors on the stack. Gives the verdict if the search ends
    /// here.
    fn enter(&mut self, state: &[u32], label: LabelId) -> Result<Option<Verdict>, SearchError> {
        self.counts.visited = self.seen.len();
        let depth = self.frames.len() as u64;
        self.counts.depth = self.counts.depth.max(depth);
        if self.max_states == Some(self.counts.expanded) {
            return Ok(Some(Verdict::Spent(Spending::States)));
        }
        if self.counts.expanded.is_multiple_of(CHECK_EVERY)
            && let Some(spending) = self.check_limits()
        {
            return Ok(Some(Verdict::Spent(spending)));
        }
        if self.frames.is_empty() {
            self.considered.note(self.hunt.model.fingerprint(state), 0);
        }
        let within = depth < self.max_depth;
        let mut frame = self.empty_frame();
        if within {
            let seen = &self.seen;
            self.expansion
                .expand(state, |print, target| seen.contains(print.low(), target))?;
            if self.take_findings(state, label) {
                return Ok(Some(Verdict::Found));
            }
            self.counts.expanded += 1;
            self.counts.transitions += self.expansion.steps.len() as u64;
            for &print in &self.expansion.prints {
                self.considered.note(print, 0);
            }
            // Successors that are marked could not be told from visited ones when they are listed again.
            if self.waiting.len() > WAITING && !self.mark_early {
                self.forget_half();
            }
            frame = self.put_successors();
        }
        self.cut |= !within;
        self.frames.push(frame);
        self.path_words.extend_from_slice(state);
        self.path_labels.push(label);
        Ok(None)
    }

    /// Goes back one state.
    fn leave(&mut self) {
        let frame = self.frames.pop().expect("the path has a last state");
        self.waiting.truncate(frame.begin as usize);
        self.path_words
            .truncate(self.path_words.len() - self.waiting.width);
        self.path_labels.pop();
    }

    /// Puts the successors listed last on the stack.
    fn put_successors(&mut self) -> Frame {
        let frame = self.empty_frame();
        let steps = &self.expansion.steps;
        self.seen
            .warm(self.expansion.prints.iter().map(|print| print.low()));
        for (index, &print) in self.expansion.prints.iter().enumerate() {
            let target = steps.target(index);
            if !self.mark_early || self.gate.admits(&mut self.seen, print.low(), target) {
                self.waiting.push(steps.label(index), target, print.low());
            }
        }
        frame
    }

    /// The frame of a state without waiting successors.
    fn empty_frame(&self) -> Frame {
        let begin = self.waiting.len() as u32;
        Frame { begin, next: begin }
    }

    /// Forgets the lower half of the waiting successors.
    fn forget_half(&mut self) {
        let half = (self.waiting.len() / 2) as u32;
        let in_half = |frame: &Frame| frame.begin == FORGOTTEN || frame.begin < half;
        let first_kept = self.frames.partition_point(in_half);
        let (forgotten, kept) = self.frames.split_at_mut(first_kept);
        let end = self.waiting.len() as u32;
        let begin = kept.first().map_or(end, |frame| frame.begin);
        self.waiting.forget_first(begin as usize);
        let known = |frame: &&mut Frame| frame.begin != FORGOTTEN;
        for frame in forgotten.iter_mut().rev().take_while(known) {
            frame.begin = FORGOTTEN;
        }
        for frame in kept {
            frame.begin -= begin;
            frame.next -= begin;
        }
    }

    fn check_limits(&mut self) -> Option<Spending> {
        let told = CHECK_EVERY.min(self.counts.expanded);
        self.hunt.observer.progress(told);
        let path = self.path_words.len() * 4 + self.frames.len() * (size_of::<Frame>() + 4);
        let other = self.waiting.bytes() + path as u64;
        self.hunt.check_limits(&self.stop, &mut self.seen, other)
    }

    /// Takes in what was noticed at `state`, reached by `label` from the last state of the path (which is empty for
    /// the initial state); whether the search ends.
    fn take_findings(&mut self, state: &[u32], label: LabelId) -> bool {
        let place = || {
            let mut trace = Trace::default();
            let mut states = self.path_words.chunks_exact(self.waiting.width);
            let start = states.next().unwrap_or(state);
            trace.start = start.to_vec();
            for (state, &label) in states.zip(self.path_labels.iter().skip(1)) {
                trace.push(label, state);
            }
            if !self.path_labels.is_empty() {
                trace.push(label, state);
            }
            trace
        };
        let (findings, steps) = (&self.expansion.findings, &self.expansion.steps);
        self.findings.take(findings, state, steps, place)
    }

    /// What there is to say, if this is how it ends. A search that goes on after hits may have seen everything, too.
    fn outcome(&self, ending: Option<Verdict>, saw_all: bool) -> Outcome {
        let (considered, precision) = match saw_all {
            true => (self.seen.len(), Precision::Exact),
            false => self.considered.count(),
        };
        let hits = self.findings.hits();
        let found = hits.map(|hit| hit.found(hit.place.clone())).collect();
        let counts = Counts {
            considered,
            precision,
            visited: self.seen.len(),
            ..self.counts
        };
        let exactness = self.seen.exactness();
        Outcome::at_end(ending, found, self.findings.distinct(), counts, exactness)
    }
}
