//! Random walks from the initial state (Engels et al., definitions 2 and 3).
//!
//! A walk draws uniformly over the *transitions* of the current state, parallel ones included, then the outcome of a random
//! transition by its exact probability, and ends at a deadlock, at the depth limit, or when the budget is spent; then the next walk begins. The objective is tested on
//! every successor of every state of the walk, not only on those it follows.
//!
//! The paper searches with a single walk (`--walks 1`); restarts are what a user wants. The walk that hits is walked
//! again with the same dice to get its trace, so memory does not grow with the length of a walk. Cost per step: one
//! expansion.

use crate::considered::Considered;
use crate::findings::Findings;
use crate::good_turing::GoodTuring;
use crate::options::{Kind, OptionSpec};
use crate::{Expansion, Hunt, Outcome, SearchError};
use sortie_model::{
    Choice, Chooser, Counts, Dice, End, Exactness, Fingerprint, Flow, Kind as Choosing, LabelId,
    ModelWalk, Precision, Spending, Trace, Verdict, View, Walk,
};
use std::collections::HashMap;

const DEPTH: OptionSpec = OptionSpec {
    name: "depth",
    help: "longest path followed, in steps",
    kind: Kind::Number(1, u64::MAX),
    default: "10000",
};

const WALKS: OptionSpec = OptionSpec {
    name: "walks",
    help: "how many walks at most",
    kind: Kind::Number(1, u64::MAX),
    default: "",
};

/// A random search has no natural end, so it gets one.
const DEFAULT_STATES: u64 = 1_000_000;

pub(crate) const OPTIONS: &[OptionSpec] = &[DEPTH, WALKS];

/// Where a walk was when it saw something: which walk, begun with which dice, and after how many steps.
#[derive(Clone, Debug)]
struct Place {
    dice: Dice,
    taken: u64,
    state: Fingerprint,
}

pub(crate) fn hunt(hunt: &Hunt<'_>) -> Result<Outcome, SearchError> {
    let depth = hunt.options.number(&DEPTH);
    let walks = hunt.options.optional_number(&WALKS);
    let max_states = hunt
        .budget
        .max_states
        .or(walks.is_none().then_some(DEFAULT_STATES));

    let mut walk = ModelWalk::new(hunt.model);
    let mut wanderer = Wanderer::new(hunt, max_states);
    let mut begun = 0;
    let mut initial = Vec::new();
    hunt.model.initial(&mut initial)?;
    wanderer.expansion.begin(&initial);
    wanderer.take_findings(&initial, 0);

    while wanderer.end.is_none() {
        if walks == Some(begun) {
            wanderer.end = Some(Verdict::Spent(Spending::Walks));
            break;
        }
        begun += 1;
        wanderer.begin_walk();
        let end = walk.run(&mut wanderer, depth)?;
        // The last state of a walk is visited too, whether or not it was expanded.
        if end == End::Limit {
            wanderer.counts.visited += 1;
        }
        wanderer.counts.depth = wanderer.counts.depth.max(wanderer.taken);
        hunt.observer
            .progress(wanderer.counts.expanded - wanderer.told);
        wanderer.told = wanderer.counts.expanded;
    }
    wanderer.finish(&mut walk, depth)
}

/// Draws steps, and watches.
struct Wanderer<'a> {
    hunt: &'a Hunt<'a>,
    dice: Dice,
    /// The dice as they were when the current walk began.
    walk_dice: Dice,
    expansion: Expansion<'a>,
    findings: Findings<'a, Place>,
    considered: Considered,
    good_turing: GoodTuring,
    counts: Counts,
    /// Steps taken in the current walk.
    taken: u64,
    told: u64,
    max_states: Option<u64>,
    end: Option<Verdict>,
}

impl<'a> Wanderer<'a> {
    fn new(hunt: &'a Hunt<'a>, max_states: Option<u64>) -> Self {
        Wanderer {
            hunt,
            dice: Dice::new(hunt.seed),
            walk_dice: Dice::new(hunt.seed),
            expansion: Expansion::new(hunt),
            findings: Findings::new(hunt),
            considered: Considered::new(hunt),
            good_turing: GoodTuring::default(),
            counts: Counts::default(),
            taken: 0,
            told: 0,
            max_states,
            end: None,
        }
    }

    fn begin_walk(&mut self) {
        self.good_turing.begin_walk();
        self.walk_dice = self.dice.clone();
        self.taken = 0;
    }

    fn take_findings(&mut self, state: &[u32], taken: u64) {
        let place = || Place {
            dice: self.walk_dice.clone(),
            taken,
            state: self.hunt.model.fingerprint(state),
        };
        if self.findings.take(
            &self.expansion.findings,
            state,
            &self.expansion.steps,
            place,
        ) {
            self.end = Some(Verdict::Found);
        }
    }

    fn spent(&self) -> Option<Spending> {
        if self.max_states == Some(self.counts.expanded) {
            return Some(Spending::States);
        }
        self.hunt.budget.stop.requested().map(Spending::Stopped)
    }

    fn finish(self, walk: &mut dyn Walk, depth: u64) -> Result<Outcome, SearchError> {
        let distinct = self.findings.distinct();
        // Fingerprints of all successors would cost as much as the walk itself, so without them only the states of the
        // walks are counted.
        let (considered, precision) = match self.hunt.paper_counts {
            true => self.considered.count(),
            false => (self.good_turing.distinct(), Precision::AtLeast),
        };
        let mut found = Vec::new();
        for hit in self.findings.into_hits() {
            let trace = match self.considered.trace(self.hunt, hit.place.state) {
                Some(trace) => trace?,
                None => walked(self.hunt, walk, &hit.place, depth)?,
            };
            found.push(hit.found(trace));
        }
        let verdict = match self.end.expect("the loop ends when there is an end") {
            _ if distinct > 0 => Verdict::Found,
            other => other,
        };
        Ok(Outcome {
            verdict,
            found,
            distinct,
            counts: Counts {
                considered,
                precision,
                ..self.counts
            },
            exactness: Exactness::Exact,
            unseen: self.good_turing.unseen(),
        })
    }
}

impl Chooser for Wanderer<'_> {
    fn choose(&mut self, choice: Choice<'_>) -> usize {
        if choice.kind == Choosing::Step {
            self.taken += 1;
        }
        choice.draw(&mut self.dice)
    }

    fn arrive(&mut self, view: View<'_>) -> Flow {
        let Some((state, steps)) = view.state else {
            return Flow::Go;
        };
        self.counts.visited += 1;
        if let Some(spending) = self.spent() {
            self.end = Some(Verdict::Spent(spending));
            return Flow::Stop;
        }
        let print = self.hunt.model.fingerprint(state);
        self.good_turing.meet(print);
        self.expansion.judge(state, steps);
        if !self.expansion.findings.is_empty() {
            self.expansion.steps.clone_from(steps);
            self.take_findings(state, view.taken);
            if self.end.is_some() {
                return Flow::Stop;
            }
        }
        self.counts.expanded += 1;
        self.counts.transitions += steps.len() as u64;
        if self.hunt.paper_counts {
            let from = self.considered.note(print, 0);
            self.expansion.prints.clear();
            self.hunt
                .model
                .fingerprint_all(steps, &mut self.expansion.prints);
            for &print in &self.expansion.prints {
                self.considered.note(print, from);
            }
        }
        if self.counts.expanded.is_multiple_of(4096) {
            self.hunt
                .observer
                .progress(self.counts.expanded - self.told);
            self.told = self.counts.expanded;
        }
        Flow::Go
    }
}

/// Walks again with the dice of the walk that hit, and erases loops: when a state comes up again, everything since its
/// last visit is forgotten.
fn walked(
    hunt: &Hunt<'_>,
    walk: &mut dyn Walk,
    place: &Place,
    depth: u64,
) -> Result<Trace, SearchError> {
    let mut start = Vec::new();
    hunt.model.initial(&mut start)?;
    let mut again = Again {
        dice: place.dice.clone(),
        left: place.taken,
        places: HashMap::new(),
        trace: Trace {
            start,
            steps: Vec::new(),
        },
        offered: Vec::new(),
        next: None,
    };
    walk.run(&mut again, depth)?;
    Ok(again.trace)
}

/// Repeats a walk and records its loop-erased path.
struct Again {
    dice: Dice,
    left: u64,
    /// By state: how many steps of the trace lead to it.
    places: HashMap<Vec<u32>, usize>,
    trace: Trace,
    /// The labels of the transitions among which the walk chooses next.
    offered: Vec<LabelId>,
    /// The label it chose.
    next: Option<LabelId>,
}

impl Chooser for Again {
    fn choose(&mut self, choice: Choice<'_>) -> usize {
        let chosen = choice.draw(&mut self.dice);
        // All outcomes of a random transition have its label.
        if choice.kind == Choosing::Step {
            self.next = Some(self.offered[chosen]);
        }
        chosen
    }

    fn arrive(&mut self, view: View<'_>) -> Flow {
        let Some((state, steps)) = view.state else {
            return Flow::Go;
        };
        if let Some(label) = self.next.take() {
            self.trace.push(label, state);
        }
        if let Some(&length) = self.places.get(state) {
            for forgotten in self.trace.steps.drain(length..) {
                if forgotten.target != state {
                    self.places.remove(&forgotten.target);
                }
            }
        } else {
            self.places.insert(state.to_vec(), self.trace.len());
        }
        self.offered.clear();
        let first = |index| steps.label(steps.transition(index).steps.start);
        self.offered.extend((0..steps.transitions()).map(first));
        if view.taken == self.left {
            Flow::Stop
        } else {
            Flow::Go
        }
    }
}
