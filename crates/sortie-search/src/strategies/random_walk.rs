//! Random walks from the initial state (Engels et al., definitions 2 and 3).
//!
//! A walk draws uniformly over the *transitions* of the current state, parallel ones included, then the outcome of a random
//! transition by its exact probability, and ends at a deadlock, at the depth limit, or when the budget is spent; then the next walk begins. The objective is tested on
//! every successor of every state of the walk, not only on those it follows.
//!
//! The paper searches with a single walk (`--walks 1`); restarts are what a user wants. The walk that hits is walked
//! again with the same dice to get its trace, so memory does not grow with the length of a walk. Cost per step: one
//! expansion; where walks often meet states again, a [map](crate::strategies::random_walk::walk_map) makes it a draw and a jump, and changes nothing else. Models that
//! [stroll](sortie_model::Stroll) tell how many steps there are, and work out only the one that is drawn; states in which the judge has something to say
//! about a label are listed.

mod mapping;
#[cfg(test)]
mod same_with_a_map;
mod walk_map;

use crate::estimates::considered::Considered;
use crate::estimates::good_turing::GoodTuring;
use crate::findings::Findings;
use crate::options::{Kind, OptionSpec, option_rows};
use crate::paths::heavy_tailed;
use crate::strategies::lurch::{Limits, follow_paths};
use crate::strategies::random_walk::mapping::{Mapper, Mapping};
use crate::strategies::random_walk::walk_map::{Exit, Record, Spot, marks_begin_again};
use crate::walked::{Loops, walked};
use crate::{Expansion, Hunt, Outcome, SearchError};
use sortie_model::{
    Choice, Counts, Dice, Exactness, Fingerprint, LabelId, Lookout, ModelWalk, Precision, Spending,
    Stroll, Verdict,
};
use sortie_property::Judge;

option_rows! {
    DEPTH: "depth", Kind::Number(1, u64::MAX), "10000",
        "longest path followed, in steps";
    WALKS: "walks", Kind::Number(1, u64::MAX), "",
        "how many walks at most";
    LENGTHS: "lengths", Kind::Word(&["equal", "heavy-tailed"]), "equal",
        "whether all walks may be equally long, or half of them are short, a quarter twice as long, and so on";
}

/// The length of the shortest walks where lengths vary.
const SHORTEST: u64 = 32;

/// A random search has no natural end, so it gets one.
const DEFAULT_STATES: u64 = 1_000_000;

/// After so many expanded states the observer is told.
const TELLING: u64 = 4096;

/// After so many the memory of the model is looked at; a part of the above.
const LOOKING: u64 = 1024;

/// After so many stops it is decided whether drawing steps without listing them pays.
const ATTEMPTS: u64 = 256;

pub(crate) const OPTIONS: &[OptionSpec] = &[DEPTH, WALKS, LENGTHS];

/// Where a walk was when it saw something: which walk, begun with which dice, and after how many steps.
#[derive(Clone, Debug)]
struct Place {
    dice: Dice,
    taken: u64,
    state: Fingerprint,
}

/// Steps drawn without listing the others.
struct Strolling<'a> {
    walk: Box<dyn Stroll + 'a>,
    /// How often it stopped because steps had to be listed, and after how many steps in all.
    stops: u64,
    passed: u64,
}

impl<'a> Strolling<'a> {
    /// If the model can, and nobody has to look at the states that steps lead to.
    fn of(hunt: &Hunt<'a>, expansion: &mut Expansion<'a>) -> Option<Self> {
        if expansion.judge.looks_at_states() {
            return None;
        }
        let mut watch = Watch {
            judge: &mut expansion.judge,
            good_turing: None,
            transitions: 0,
        };
        Some(Strolling {
            walk: hunt.model.extensions().walk_engines?.stroll(&mut watch)?,
            stops: 0,
            passed: 0,
        })
    }

    /// It stopped after so many steps; whether that happens so often that it does not pay.
    fn stops(&mut self, passed: u64) -> bool {
        self.stops += 1;
        self.passed += passed;
        self.stops >= ATTEMPTS && self.passed < self.stops
    }
}

/// Looks at what a stroll passes.
struct Watch<'w, 'a> {
    judge: &'w mut Judge<'a>,
    good_turing: Option<&'w mut GoodTuring>,
    transitions: u64,
}

impl Lookout for Watch<'_, '_> {
    fn wants(&mut self, label: LabelId) -> bool {
        self.judge.wants(label)
    }

    fn leave(&mut self, state: Fingerprint, steps: usize) {
        self.transitions += steps as u64;
        if let Some(good_turing) = &mut self.good_turing {
            good_turing.meet(state);
        }
    }
}

pub(crate) fn hunt(hunt: &Hunt<'_>) -> Result<Outcome, SearchError> {
    match hunt_mapping(hunt, Mapping::of(hunt)) {
        // Where successors cannot be listed, only the states of the walks themselves are looked at.
        Err(SearchError::Model(error)) if error.fanout => follow_paths(
            hunt,
            &Limits {
                depth: Some(hunt.options.number(&DEPTH)),
                paths: hunt.options.optional_number(&WALKS),
                repeats: 0,
                saturation: 0,
                table: None,
                states: DEFAULT_STATES,
            },
        ),
        result => result,
    }
}

/// A hunt with a map as asked for, which changes how long it takes and nothing else.
pub(crate) fn hunt_mapping(hunt: &Hunt<'_>, mapping: Mapping) -> Result<Outcome, SearchError> {
    let walks = hunt.options.optional_number(&WALKS);
    let mut wanderer = Wanderer::new(hunt, mapping)?;
    wanderer.look_at_initial();
    let mut begun = 0;
    while wanderer.end.is_none() {
        if walks == Some(begun) {
            wanderer.end = Some(Verdict::Spent(Spending::Walks));
            break;
        }
        begun += 1;
        let expanded = wanderer.counts.expanded;
        wanderer.walk()?;
        wanderer.count_walk(expanded);
        wanderer.tell();
    }
    wanderer.finish()
}

/// Draws steps, and watches.
struct Wanderer<'a> {
    hunt: &'a Hunt<'a>,
    initial: Vec<u32>,
    dice: Dice,
    /// The dice as they were when the current walk began.
    walk_dice: Dice,
    /// Where the walk is, unless it is inside the map.
    state: Vec<u32>,
    /// The fingerprint of that state, where it is known already.
    print: Option<Fingerprint>,
    /// Its number in the map, likewise.
    spot: Option<Spot>,
    expansion: Expansion<'a>,
    /// For models that need not list all steps to draw one.
    stroll: Option<Strolling<'a>>,
    mapper: Mapper<'a>,
    findings: Findings<'a, Place>,
    considered: Considered,
    good_turing: GoodTuring,
    counts: Counts,
    /// Steps taken in the current walk.
    taken: u64,
    told: u64,
    /// Of any walk, and of the current one.
    depth: u64,
    length: u64,
    lengths_vary: bool,
    max_states: u64,
    /// Whether the tables of the model alone exceed the limit.
    out_of_memory: bool,
    end: Option<Verdict>,
}

impl<'a> Wanderer<'a> {
    fn new(hunt: &'a Hunt<'a>, mapping: Mapping) -> Result<Self, SearchError> {
        let mut initial = Vec::new();
        hunt.model.initial(&mut initial)?;
        let walks = hunt.options.optional_number(&WALKS);
        let endless = walks.map_or(DEFAULT_STATES, |_| u64::MAX);
        let mut expansion = Expansion::new(hunt);
        let stroll = match mapping.always || hunt.paper_counts {
            true => None,
            false => Strolling::of(hunt, &mut expansion),
        };
        Ok(Wanderer {
            hunt,
            stroll,
            dice: Dice::new(hunt.seed),
            walk_dice: Dice::new(hunt.seed),
            state: initial.clone(),
            initial,
            print: None,
            spot: None,
            expansion,
            mapper: Mapper::new(hunt, mapping),
            findings: Findings::new(hunt),
            considered: Considered::new(hunt),
            good_turing: GoodTuring::default(),
            counts: Counts::default(),
            taken: 0,
            told: 0,
            depth: hunt.options.number(&DEPTH),
            length: hunt.options.number(&DEPTH),
            lengths_vary: hunt.options.value(&LENGTHS) != LENGTHS.default,
            max_states: hunt.budget.max_states.unwrap_or(endless),
            out_of_memory: false,
            end: None,
        })
    }

    fn look_at_initial(&mut self) {
        self.expansion.begin(&self.initial);
        self.take_findings();
    }

    /// One walk from the initial state.
    fn walk(&mut self) -> Result<(), SearchError> {
        self.good_turing.begin_walk();
        if marks_begin_again(&self.good_turing) {
            self.mapper.clear();
        }
        if self.lengths_vary {
            self.length = heavy_tailed(&mut self.dice, SHORTEST, self.depth);
        }
        self.walk_dice = self.dice.clone();
        self.taken = 0;
        self.state.clone_from(&self.initial);
        self.print = None;
        self.spot = None;
        let mut inside = self.record();
        while self.taken < self.length {
            if let Some(spending) = self.spent() {
                self.end = Some(Verdict::Spent(spending));
                break;
            }
            let goes_on = match inside {
                Some(record) => self.roam(record, &mut inside),
                None if self.strolls() && self.stroll()? => true,
                None => self.step(&mut inside)?,
            };
            if !goes_on {
                self.counts.depth = self.counts.depth.max(self.taken);
                return Ok(());
            }
        }
        // The last state of a walk is visited too, whether or not it was expanded.
        self.counts.visited += 1;
        self.counts.depth = self.counts.depth.max(self.taken);
        Ok(())
    }

    /// The record of the state outside, if there is a map and it has one.
    fn record(&mut self) -> Option<Record> {
        let map = self.mapper.map()?;
        let model = self.hunt.model;
        let print = *self
            .print
            .get_or_insert_with(|| model.fingerprint(&self.state));
        map.record(print, &self.state)
    }

    /// Walks inside the map until something else is to be done; whether the walk goes on.
    fn roam(&mut self, from: Record, inside: &mut Option<Record>) -> bool {
        let most = (self.length - self.taken)
            .min(self.max_states - self.counts.expanded)
            .min(LOOKING - self.counts.expanded % LOOKING);
        let map = self.mapper.map().expect("a record lies in a map");
        let stay = map.roam(from, most, &mut self.dice, &mut self.good_turing);
        self.counts.visited += stay.passed;
        self.counts.expanded += stay.passed;
        self.counts.transitions += stay.transitions;
        self.taken += stay.passed;
        match stay.exit {
            Exit::Paused(record) => *inside = Some(record),
            Exit::DeadEnd => self.taken -= 1,
            Exit::Left(spot) => {
                map.read(spot, &mut self.state);
                self.print = None;
                self.spot = Some(spot);
                *inside = None;
            }
        }
        self.mapper.passed(stay.passed);
        self.look_up();
        stay.exit != Exit::DeadEnd
    }

    /// Whether the next step may be drawn without listing the others.
    fn strolls(&self) -> bool {
        self.stroll.is_some() && !self.mapper.has_map()
    }

    /// Takes steps without listing the others, until something else is to be done; whether any were taken.
    fn stroll(&mut self) -> Result<bool, SearchError> {
        let most = (self.length - self.taken)
            .min(self.max_states - self.counts.expanded)
            .min(LOOKING - self.counts.expanded % LOOKING)
            .min(self.mapper.leisure(self.counts.expanded));
        let Some(Strolling { walk, .. }) = &mut self.stroll else {
            return Ok(false);
        };
        walk.turn_to(&self.state);
        let mut watch = Watch {
            judge: &mut self.expansion.judge,
            good_turing: Some(&mut self.good_turing),
            transitions: 0,
        };
        let passed = walk.go(most, &mut self.dice, &mut watch)?;
        self.counts.transitions += watch.transitions;
        self.counts.visited += passed;
        self.counts.expanded += passed;
        self.taken += passed;
        if passed > 0 {
            self.state.copy_from_slice(walk.state());
            self.print = None;
            self.spot = None;
            self.look_up();
        }
        if passed < most && self.stroll.as_mut().is_some_and(|s| s.stops(passed)) {
            self.stroll = None;
        }
        Ok(passed > 0)
    }

    /// Expands the state outside the map and takes a step; whether the walk goes on.
    fn step(&mut self, inside: &mut Option<Record>) -> Result<bool, SearchError> {
        if self
            .mapper
            .reconsider(self.counts.expanded, &self.good_turing)
        {
            self.spot = None;
        }
        self.expansion.fingerprints = self.mapper.has_map() || self.hunt.paper_counts;
        self.expansion.expand(&self.state, |_, _| false)?;
        self.counts.visited += 1;
        let print = self
            .print
            .unwrap_or_else(|| self.hunt.model.fingerprint(&self.state));
        self.good_turing.meet(print);
        if !self.expansion.findings.is_empty() {
            self.take_findings();
            if self.end.is_some() {
                return Ok(false);
            }
        }
        let Expansion { steps, prints, .. } = &self.expansion;
        self.counts.expanded += 1;
        self.counts.transitions += steps.len() as u64;
        if self.hunt.paper_counts {
            let from = self.considered.note(print, 0);
            for &print in prints {
                self.considered.note(print, from);
            }
        }
        let record = self.mapper.map().and_then(|map| {
            let spot = self.spot.take();
            map.note(spot, print, &self.state, steps, prints, &self.good_turing)
        });
        let goes_on = !steps.is_empty();
        if goes_on {
            let transition = steps.transition(self.dice.index(steps.transitions()));
            self.taken += 1;
            let mut chosen = transition.steps.start;
            if !transition.weights.is_empty() {
                chosen += self.dice.weighted(transition.weights);
            }
            self.state.copy_from_slice(steps.target(chosen));
            self.print = match self.expansion.fingerprints {
                true => Some(prints[chosen]),
                false => steps.given_fingerprint(chosen),
            };
            *inside = match (self.mapper.map(), record) {
                (Some(map), Some(record)) => {
                    let spot = map.follow(record, chosen);
                    self.spot = Some(spot);
                    map.record_at(spot)
                }
                _ => self.record(),
            };
        }
        self.look_up();
        Ok(goes_on)
    }

    /// A walk is over, which began when so many states had been expanded.
    fn count_walk(&mut self, expanded: u64) {
        self.good_turing.pass(self.counts.expanded - expanded);
        if self.end.is_none() {
            self.good_turing.end_walk();
        }
    }

    fn tell(&mut self) {
        self.hunt
            .observer
            .progress(self.counts.expanded - self.told);
        self.told = self.counts.expanded;
    }

    /// Looks at the memory and tells the observer, from time to time.
    fn look_up(&mut self) {
        if !self.counts.expanded.is_multiple_of(LOOKING) {
            return;
        }
        if let Some(limit) = self.hunt.budget.counted_memory() {
            self.out_of_memory = self.hunt.model.bytes() > limit;
        }
        if self.counts.expanded.is_multiple_of(TELLING) {
            self.tell();
        }
    }

    fn take_findings(&mut self) {
        let place = || Place {
            dice: self.walk_dice.clone(),
            taken: self.taken,
            state: self.hunt.model.fingerprint(&self.state),
        };
        let Expansion {
            findings, steps, ..
        } = &self.expansion;
        if self.findings.take(findings, &self.state, steps, place) {
            self.end = Some(Verdict::Found);
        }
    }

    fn spent(&self) -> Option<Spending> {
        if self.max_states == self.counts.expanded {
            return Some(Spending::States);
        }
        if self.out_of_memory {
            return Some(Spending::Memory);
        }
        self.hunt.budget.stop.requested().map(Spending::Stopped)
    }

    fn finish(self) -> Result<Outcome, SearchError> {
        let distinct = self.findings.distinct();
        // Fingerprints of all successors would cost as much as the walk itself, so without them only the states of the
        // walks are counted.
        let (considered, precision) = match self.hunt.paper_counts {
            true => self.considered.count(),
            false => (self.good_turing.distinct(), Precision::AtLeast),
        };
        let mut walk = ModelWalk::new(self.hunt.model);
        let mut found = Vec::new();
        for hit in self.findings.hits() {
            let trace = match self.considered.trace(self.hunt, hit.place.state) {
                Some(trace) => trace?,
                None => {
                    let mut dice = hit.place.dice.clone();
                    let mut answer = |choice: &Choice<'_>| choice.draw(&mut dice);
                    let taken = hit.place.taken;
                    walked(
                        self.hunt.model,
                        &mut walk,
                        &mut answer,
                        (taken, self.depth),
                        Loops::Erased,
                    )?
                }
            };
            found.push(hit.found(trace));
        }
        let counts = Counts {
            considered,
            precision,
            ..self.counts
        };
        Ok(Outcome {
            unseen: Some(Box::new(self.good_turing.sample())),
            ..Outcome::at_end(self.end, found, distinct, counts, Exactness::Exact)
        })
    }
}
