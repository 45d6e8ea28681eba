//! LURCH: one random path after another, hardly any memory (Owen, Menzies, Heimdahl and Gao).
//!
//! A path begins in the initial state and ends at a dead end, when one state was met too often, or at its depth limit; the search ends when hardly anything
//! new is met any more. What is remembered of all paths is a table of hashes of bounded size, and of a hit only the dice its path began with and its
//! length: walking again gives the trace.
//!
//! Properties are judged on the states and steps of the path alone, not on what else is possible. Where a path comes back to one of its own states, it
//! closes a cycle: without progress, or through an accepting state, that is a violation of a liveness property. It is walked again and compared in full before it counts, since
//! hashes may lie.
//!
//! Saturation is judged by what the next path would meet, estimated from the states that only one path met; with too few paths for that, by how much was new among the
//! last states.
//!
//! Where it differs from the original: hashes have 64 bits instead of 32; saturation is a matter of all paths, not of one; cycles count even
//! if a path could leave them; without a depth limit, the lengths of paths follow the sequence of Luby, Sinclair and Zuckerman, which is never much worse than
//! the best fixed length.
//!
//! Cost: one step of a walk and one lookup per state, a second for those that the path had not met yet. The large table is asked for many states at once, so that the
//! processor waits for its memory once and not for each of them.

mod cycles;
mod hashes;
mod judging;
mod passing;
mod path;
mod result;

use crate::estimates::good_turing::GoodTuring;
use crate::genetic::depths::luby;
use crate::options::{Kind, OptionSpec, option_rows};
use crate::{Hunt, Outcome, SearchError};
use hashes::Hashes;
use path::PathMap;
use sortie_model::{
    Choice, Chooser, Counts, Dice, End, Event, Fingerprint, Fingerprinter, Flow, LabelId, Model,
    ModelWalk, Passed, Saturation, Spending, Verdict, View, Walk,
};
use sortie_property::{CycleKind, Monitor, Sights};
use std::collections::HashSet;
use std::hash::BuildHasherDefault;

option_rows! {
    DEPTH: "depth", Kind::Number(1, u64::MAX - 1), "",
        "longest path followed, in steps (none: paths of 500, 500, 1000, 500, 500, 1000, 2000, ... steps)";
    PATHS: "paths", Kind::Number(1, u64::MAX), "",
        "how many paths at most";
    REPEATS: "repeats", Kind::Number(0, u32::MAX as u64), "250",
        "a path ends when it has come back to one state so often (0: never)";
    SATURATION: "saturation", Kind::Share, "0.0001",
        "stop when no larger share of what is met is new";
    FORGET: "forget", Kind::Switch, "",
        "remember nothing from path to path: even less memory, and nothing is known about saturation";
}

pub(crate) const OPTIONS: &[OptionSpec] = &[DEPTH, PATHS, REPEATS, SATURATION, FORGET];

/// A random search has no natural end, so it gets one.
const DEFAULT_STATES: u64 = 10_000_000;

/// The table of hashes never takes more.
const TABLE: u64 = 64 << 20;

/// Saturation is measured over so many states.
const WINDOW: u64 = 10_000;

/// With fewer paths, an estimate of what the next one would meet says little.
const PATHS_FOR_ESTIMATE: u64 = 16;

/// The estimate is made anew when so much more was met, in parts of what was met before: it looks at all that is tracked.
const ESTIMATE_EVERY: u64 = 16;

/// The length of the shortest paths where there is no depth limit.
const SHORT: u64 = 500;

/// After so many states the observer is told, and the clock is looked at.
const TELLING: u64 = 1024;

/// Beyond this many, distinct violations are no longer told apart.
const TOLD_APART: usize = 1 << 16;

/// So many violations are known to have been seen without a look at the others.
const RECENT: usize = 64;

/// When a path ends, and when the search does.
pub(crate) struct Limits {
    /// Of every path; without, lengths vary.
    pub(crate) depth: Option<u64>,
    pub(crate) paths: Option<u64>,
    /// Zero for none.
    pub(crate) repeats: u32,
    /// In millionths; zero for none.
    pub(crate) saturation: u64,
    /// Bytes for hashes.
    pub(crate) table: Option<u64>,
    /// States, unless the budget or the number of paths says otherwise.
    pub(crate) states: u64,
}

pub(crate) fn hunt(hunt: &Hunt<'_>) -> Result<Outcome, SearchError> {
    let options = &hunt.options;
    let table = hunt.budget.counted_memory().unwrap_or(u64::MAX);
    let limits = Limits {
        depth: options.optional_number(&DEPTH),
        paths: options.optional_number(&PATHS),
        repeats: u32::try_from(options.number(&REPEATS)).unwrap_or(u32::MAX),
        saturation: options.share(&SATURATION),
        table: (!options.switch(&FORGET)).then(|| table.min(TABLE)),
        states: DEFAULT_STATES,
    };
    follow_paths(hunt, &limits)
}

/// Random paths of a model, by its own walk if it has one.
pub(crate) fn follow_paths(hunt: &Hunt<'_>, limits: &Limits) -> Result<Outcome, SearchError> {
    let mut walk = own_walk(hunt.model);
    let mut lurch = Lurch::new(hunt, limits);
    let mut begun = 0;
    while lurch.end.is_none() {
        if limits.paths == Some(begun) {
            lurch.end = Some(Verdict::Spent(Spending::Walks));
            break;
        }
        begun += 1;
        let varied = || SHORT.saturating_mul(luby(begun));
        lurch.begin(limits.depth.unwrap_or_else(varied));
        let limit = lurch.depth.saturating_add(1);
        let met = lurch.met;
        // Who wants to know what was chosen has to be asked.
        let end = if lurch.sights.steps {
            walk.run(&mut lurch, limit)?
        } else {
            let mut dice = lurch.dice.clone();
            let end = walk.roam(&mut lurch, &mut dice, limit)?;
            lurch.dice = dice;
            end
        };
        if lurch.met == met {
            lurch.go_nowhere(&end);
        }
        lurch.count_passed();
        if lurch.end.is_none() {
            lurch.good_turing.end_walk();
        }
        if let End::Failed(message) = end {
            return Err(sortie_model::ModelError::new(message).into());
        }
        lurch.confirm_cycles(&mut *walk)?;
    }
    lurch.tell();
    lurch.look_up_hashes();
    lurch.finish(&mut *walk)
}

/// The model's own walk, with small questions, or one question for each step.
pub(crate) fn own_walk(model: &dyn Model) -> Box<dyn Walk + '_> {
    match model.extensions().composite_choices {
        Some(choices) => choices.own_walk(),
        None => Box::new(ModelWalk::new(model)),
    }
}

/// Where a path was when it saw something: begun with which dice, and after how many steps.
#[derive(Clone)]
struct Place {
    dice: Dice,
    taken: u64,
    /// After how many steps it was there before, if it closed a cycle.
    before: Option<u64>,
}

/// One property and what was found of it.
struct Watch<'a> {
    monitor: Box<dyn Monitor + 'a>,
    sights: Sights,
    cycle: Option<CycleKind>,
    /// The shortest path that shows it.
    shortest: Option<Place>,
    /// The least and the greatest value, where values are looked for.
    least: Option<(i64, Place)>,
    greatest: Option<(i64, Place)>,
    /// Which hit was the first: its number among all.
    order: u64,
}

/// A cycle that may only seem to be one.
struct Suspect {
    property: usize,
    place: Place,
    hash: u64,
}

/// Draws steps, and watches.
struct Lurch<'a> {
    hunt: &'a Hunt<'a>,
    watches: Vec<Watch<'a>>,
    sights: Sights,
    dice: Dice,
    path_dice: Dice,
    path: PathMap,
    hashes: Option<Hashes>,
    good_turing: GoodTuring,
    counts: Counts,
    /// States met, over all paths.
    met: u64,
    /// Of those in the current window, how many were new.
    new: u64,
    /// How many are to be met before the next estimate.
    next_estimate: u64,
    /// Of how many the estimate knows that paths passed them.
    passed: u64,
    told: u64,
    /// Of the current path.
    depth: u64,
    last_progress: Option<u64>,
    last_accepting: Option<u64>,
    /// The label of the alternative chosen last.
    chosen: Option<LabelId>,
    suspects: Vec<Suspect>,
    distinct: HashSet<Fingerprint, BuildHasherDefault<Fingerprinter>>,
    /// Some of those, by property.
    recent: Vec<Option<(usize, Fingerprint)>>,
    hits: u64,
    repeats: u32,
    saturation: u64,
    max_states: u64,
    looks_for_cycles: bool,
    end: Option<Verdict>,
}

impl<'a> Lurch<'a> {
    fn new(hunt: &'a Hunt<'a>, limits: &Limits) -> Self {
        let mut sights = Sights::default();
        let mut looks_for_cycles = false;
        let mut watches = Vec::new();
        for property in hunt.properties {
            let own = property.looks_at();
            sights.deadlocks |= own.deadlocks;
            sights.steps |= own.steps;
            sights.states |= own.states;
            looks_for_cycles |= property.cycle().is_some();
            watches.push(Watch {
                monitor: property.monitor(hunt.model),
                sights: own,
                cycle: property.cycle(),
                shortest: None,
                least: None,
                greatest: None,
                order: 0,
            });
        }
        let endless = limits.paths.map_or(limits.states, |_| u64::MAX);
        Lurch {
            hunt,
            watches,
            sights,
            dice: Dice::new(hunt.seed),
            path_dice: Dice::new(hunt.seed),
            path: PathMap::new(),
            hashes: limits.table.map(Hashes::new),
            good_turing: GoodTuring::default(),
            counts: Counts::default(),
            met: 0,
            new: 0,
            next_estimate: 0,
            passed: 0,
            told: 0,
            depth: 0,
            last_progress: None,
            last_accepting: None,
            chosen: None,
            suspects: Vec::new(),
            distinct: HashSet::default(),
            recent: vec![None; RECENT],
            hits: 0,
            repeats: limits.repeats,
            saturation: limits.saturation,
            max_states: hunt.budget.max_states.unwrap_or(endless),
            looks_for_cycles,
            end: None,
        }
    }

    fn begin(&mut self, depth: u64) {
        self.depth = depth;
        self.good_turing.begin_walk();
        self.path_dice = self.dice.clone();
        self.path.begin();
        self.last_progress = None;
        self.last_accepting = None;
        self.chosen = None;
    }

    /// Measures saturation when a window is over.
    fn end_window(&mut self) {
        self.look_up_hashes();
        if self.hashes.is_none() {
            return;
        }
        if self.hunt.tell_levels {
            self.hunt.observer.event(&Event::Saturation {
                met: self.met,
                lately: WINDOW,
                new: self.new,
            });
        }
        let new = std::mem::take(&mut self.new);
        if self.saturation > 0
            && self.end.is_none()
            && let Some(how) = self.saturated(new * 1_000_000 / WINDOW)
        {
            self.end = Some(Verdict::Spent(Spending::Saturation(how)));
        }
    }

    /// Whether hardly anything is new any more, given the share of it in the last window.
    fn saturated(&mut self, lately: u64) -> Option<Saturation> {
        if self.good_turing.walks() < PATHS_FOR_ESTIMATE {
            return (lately <= self.saturation).then_some(Saturation::Lately);
        }
        if self.met < self.next_estimate {
            return None;
        }
        self.next_estimate = self.met + self.met / ESTIMATE_EVERY;
        self.count_passed();
        let unseen = self.good_turing.unseen()?;
        (unseen.per_million <= self.saturation).then_some(Saturation::Estimated)
    }

    /// Tells the estimate what the path has passed.
    fn count_passed(&mut self) {
        self.good_turing.pass(self.met - self.passed);
        self.passed = self.met;
    }

    /// Compares what was met lately with what was met before.
    fn look_up_hashes(&mut self) {
        let Some(hashes) = &mut self.hashes else {
            return;
        };
        match hashes.look_up() {
            Some(new) => self.new += new,
            // A full table knows nothing of what is new.
            None => self.hashes = None,
        }
    }

    fn tell(&mut self) {
        self.hunt
            .observer
            .progress(self.counts.expanded - self.told);
        self.told = self.counts.expanded;
    }

    /// A path that took no step counts as a state, or there might be no end to them. Where the first state has no steps, all paths are that one.
    fn go_nowhere(&mut self, end: &End) {
        self.met += 1;
        self.look_up();
        if *end == End::DeadEnd {
            self.end.get_or_insert(Verdict::Exhausted);
        }
    }

    fn look_up(&mut self) {
        if self.met.is_multiple_of(TELLING) {
            self.tell();
            let over = |limit| self.hunt.model.bytes() > limit;
            if self.hunt.budget.counted_memory().is_some_and(over) {
                self.end.get_or_insert(Verdict::Spent(Spending::Memory));
            }
            if let Some(reason) = self.hunt.budget.stop.requested() {
                let spending = Spending::Stopped(reason);
                self.end.get_or_insert(Verdict::Spent(spending));
            }
        }
    }
}

impl Chooser for Lurch<'_> {
    fn choose(&mut self, choice: Choice<'_>) -> usize {
        let chosen = choice.draw(&mut self.dice);
        if self.sights.steps {
            self.chosen = choice.names.label(chosen).or(self.chosen);
        }
        chosen
    }

    fn arrive(&mut self, view: View<'_>) -> Flow {
        let state = view.state.expect("a model shows its states");
        let taken = view.taken;
        let model = self.hunt.model;
        let print = || view.print.unwrap_or_else(|| model.fingerprint(state));
        self.counts.depth = self.counts.depth.max(taken);
        // Every path begins in the same state, which is met once.
        if taken > 0 || self.met == 0 {
            self.met += 1;
            self.counts.visited += 1;
            let print = print();
            if taken == 0 {
                self.good_turing.begin_at(print);
            }
            self.judge(&view, state, print);
            let status = || model.status(state, false);
            if self.reach(print, taken, status) == Flow::Stop {
                return Flow::Stop;
            }
        } else if self.looks_for_cycles {
            self.path.meet(print().low(), taken);
        }
        self.leave(taken, view.enabled.unwrap_or(1) as u64)
    }

    fn hears_rows(&self) -> bool {
        !self.sights.steps && !self.sights.states
    }

    fn pass(&mut self, taken: u64, row: &[Passed]) -> (usize, Flow) {
        self.pass_row(taken, row)
    }

    fn needs_steps(&self) -> bool {
        false
    }
}
