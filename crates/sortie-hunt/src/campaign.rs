//! One strategy, once or many times.

use crate::clock::Clock;
use crate::estimates::{Estimates, estimates};
use crate::side_by_side::side_by_side;
use sortie_model::{
    Event, Extreme, LabelId, Model, ModelError, Observer, RunSummary, Spending, StopReason, Trace,
    Verdict, derive_seed,
};
use sortie_property::Property;
use sortie_search::genetic::OwnFitness;
use sortie_search::{Found, Hunt, Keeper, Options, Outcome, SearchError, Strategy};
use sortie_witness::{Divergence, Shown, Witness, bare, check, describe, shorten};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

/// Shortening may cost as much as the hunt itself, but at least and at most this many expanded states; long traces need more than short ones.
const SHORTEN_LEAST: u64 = 20_000;
const SHORTEN_LEAST_PER_STEP: u64 = 20;
const SHORTEN_MOST: u64 = 1_000_000;

/// Of one property, many runs report traces that end with at most this many different names.
const MOST_NAMES: usize = 16;

/// A campaign failed.
#[derive(Debug, thiserror::Error)]
pub enum CampaignError {
    /// A search failed.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// The model failed while a witness was replayed.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A witness does not replay. The model is at fault: its successors depend on more than the state.
    #[error(
        "a witness could not be replayed ({divergence}); does the model give the same successors each time?"
    )]
    Unreproducible {
        /// Where it went wrong.
        divergence: Divergence,
    },
}

/// One strategy on one model, once or many times.
pub struct Campaign<'a> {
    /// The model to search.
    pub model: &'a dyn Model,
    /// What is looked for.
    pub properties: &'a [Box<dyn Property>],
    /// How to search.
    pub strategy: &'static Strategy,
    /// The options of the strategy.
    pub options: Options,
    /// Values set in the model, as `name=value`, for witnesses.
    pub settings: Vec<String>,
    /// What each run may spend, and the flag that stops them all.
    pub budget: sortie_model::Budget,
    /// How long the whole campaign may take.
    pub time: Option<Duration>,
    /// The seed of the first run; the others are derived from it.
    pub seed: u64,
    /// How many runs.
    pub runs: u64,
    /// How many threads may work; never changes the result.
    pub threads: usize,
    /// Go on after a hit and collect every distinct one.
    pub keep_going: bool,
    /// Count exactly as the papers do.
    pub paper_counts: bool,
    /// Shorten witnesses.
    pub shorten: bool,
    /// How fit a path is, for searches that ask, in place of an expression.
    pub fitness: Option<&'a OwnFitness<'a>>,
    /// Keeps how far a single run has come, so that it can be taken up again.
    pub keeper: Option<&'a dyn Keeper>,
    /// Hears what happens.
    pub observer: &'a dyn Observer,
}

/// Something found, ready to be reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reported {
    /// Which run found it.
    pub run: u64,
    /// Index of the property.
    pub property: usize,
    /// The trace in the model's own numbers.
    pub trace: Trace,
    /// The same for files; of a loop it says where that begins.
    pub witness: Witness,
    /// Which end and value, for an extreme.
    pub record: Option<(Extreme, i64)>,
}

/// The results of a campaign.
#[derive(Clone, Debug)]
pub struct Results {
    /// The answer: *found* if any run found something, otherwise that of the first run.
    pub verdict: Verdict,
    /// Every run that took place, in order.
    pub runs: Vec<RunSummary>,
    /// What is reported: of one run that goes on after hits everything, otherwise the shortest per property, and if many runs go on per name of the last
    /// action.
    pub found: Vec<Reported>,
    /// How states were remembered at the end of the least exact run.
    pub exactness: sortie_model::Exactness,
    /// For each thing found, by its property and last label: in how many runs.
    pub tally: BTreeMap<(usize, String), u64>,
    /// What the walks of a single run tell about what they have not seen.
    pub estimates: Option<Estimates>,
}

impl Results {
    /// Adds those of runs that came later. What each of them reports stays, even if others report the same.
    pub fn join(&mut self, later: Results) {
        if later.verdict == Verdict::Found {
            self.verdict = Verdict::Found;
        }
        let before = self.runs.len() as u64;
        let after = |run: u64| before + run;
        self.runs
            .extend(later.runs.into_iter().map(|summary| RunSummary {
                run: after(summary.run),
                ..summary
            }));
        self.found
            .extend(later.found.into_iter().map(|found| Reported {
                run: after(found.run),
                ..found
            }));
        self.exactness = self.exactness.max(later.exactness);
        for (thing, runs) in later.tally {
            *self.tally.entry(thing).or_insert(0) += runs;
        }
        self.estimates = None;
    }

    /// Those of a campaign that failed.
    pub fn broken(message: String) -> Self {
        Results {
            verdict: Verdict::Broken(message),
            runs: Vec::new(),
            found: Vec::new(),
            exactness: sortie_model::Exactness::Exact,
            tally: BTreeMap::new(),
            estimates: None,
        }
    }
}

/// Of what many runs find, one of a kind is reported: its property, which end of an extreme it is, the name of the last action if that counts.
type Kind = (usize, Option<Extreme>, Option<String>);

/// What is kept of a run while others go on.
struct Done {
    summary: RunSummary,
    found: Vec<Found>,
    exactness: sortie_model::Exactness,
    events: Vec<Event>,
    estimates: Option<Estimates>,
}

impl Campaign<'_> {
    /// Runs to the end and sums up.
    pub fn run(&self) -> Result<Results, CampaignError> {
        self.strategy_check()?;
        let _clock = self
            .time
            .map(|time| Clock::start(time, self.budget.stop.clone()));
        let done = if self.runs == 1 {
            vec![self.single(0, self.threads, true)?]
        } else {
            self.many()?
        };
        self.sum_up(done)
    }

    fn strategy_check(&self) -> Result<(), SearchError> {
        self.options.check(self.strategy)
    }

    fn single(&self, run: u64, threads: usize, tell: bool) -> Result<Done, CampaignError> {
        let seed = derive_seed(self.seed, run);
        let held = Held {
            observer: self.observer,
            tell,
            events: Mutex::new(Vec::new()),
        };
        let hunt = Hunt {
            model: self.model,
            properties: self.properties,
            observer: &held,
            budget: self.budget.clone(),
            options: self.options.clone(),
            seed,
            threads,
            keep_going: self.keep_going,
            paper_counts: self.paper_counts,
            tell_levels: tell,
            fitness: self.fitness,
            keeper: self.keeper.filter(|_| self.runs == 1),
        };
        let Outcome {
            verdict,
            found,
            distinct,
            counts,
            exactness,
            unseen,
        } = self.strategy.hunt(&hunt)?;
        let estimates = unseen
            .as_ref()
            .map(|sample| estimates(sample, distinct > 0));
        let trace = found.first().map(|first| first.trace.len() as u64);
        let summary = RunSummary {
            run,
            seed,
            verdict,
            found: distinct,
            counts,
            trace,
            shortened: None,
            unseen_ppm: unseen.and_then(|sample| Some(sample.unseen()?.per_million)),
        };
        let events = held
            .events
            .into_inner()
            .expect("no thread panics while it tells an event");
        Ok(Done {
            summary,
            found,
            exactness,
            events,
            estimates,
        })
    }

    /// Runs share the threads; results are taken in order of the runs.
    fn many(&self) -> Result<Vec<Done>, CampaignError> {
        // A run that has begun is finished in some way; none begins after the time is up.
        let ends = |run| run >= self.runs || (run > 0 && self.budget.stop.requested().is_some());
        let results = side_by_side(self.threads, ends, |run| self.single(run, 1, false));
        let mut done = Vec::new();
        for result in results {
            let result = result?;
            // A run cut by the clock says nothing about success rates; it counts only if it is all there is.
            let cut = matches!(
                result.summary.verdict,
                Verdict::Spent(Spending::Stopped(StopReason::Clock))
            );
            if !cut || done.is_empty() {
                done.push(result);
            }
        }
        Ok(done)
    }

    fn sum_up(&self, mut done: Vec<Done>) -> Result<Results, CampaignError> {
        let mut tally: BTreeMap<(usize, String), u64> = BTreeMap::new();
        for run in &done {
            let mut labels: Vec<(usize, String)> = run
                .found
                .iter()
                .filter(|f| f.record.is_none())
                .map(|f| (f.property, self.last_label(f)))
                .collect();
            labels.sort();
            labels.dedup();
            for label in labels {
                *tally.entry(label).or_insert(0) += 1;
            }
        }
        let mut found = Vec::new();
        for (index, item) in self.to_report(&done) {
            let run = done[index].summary.run;
            let reported = self.report(run, &item, done[index].summary.counts.expanded)?;
            let summary = &mut done[index].summary;
            if summary.shortened.is_none() {
                summary.shortened = Some(reported.trace.len() as u64);
            }
            found.push(reported);
        }
        for run in &done {
            run.events
                .iter()
                .for_each(|event| self.observer.event(event));
            self.observer.event(&Event::RunEnded(run.summary.clone()));
        }
        let verdict = match done
            .iter()
            .find(|run| run.summary.verdict == Verdict::Found)
        {
            Some(_) => Verdict::Found,
            None => done.first().map_or(Verdict::Spent(Spending::Walks), |run| {
                run.summary.verdict.clone()
            }),
        };
        let exactness = done
            .iter()
            .map(|run| run.exactness)
            .max()
            .unwrap_or(sortie_model::Exactness::Exact);
        let estimates = match &done[..] {
            [only] => only.estimates,
            _ => None,
        };
        let runs = done.into_iter().map(|run| run.summary).collect();
        Ok(Results {
            verdict,
            runs,
            found,
            exactness,
            tally,
            estimates,
        })
    }

    fn last_label(&self, found: &Found) -> String {
        let label = |label: LabelId| self.model.label(label);
        found
            .trace
            .steps
            .last()
            .map_or_else(String::new, |step| label(step.label))
    }

    /// Of one run that went on everything; otherwise, per property (and end of an extreme) the shortest trace, or the best value. Whoever goes on
    /// after a hit in many runs wants to know what else there is: then it is the shortest for each name of the last action.
    fn to_report(&self, done: &[Done]) -> Vec<(usize, Found)> {
        if let [only] = done
            && self.keep_going
        {
            return only.found.iter().map(|found| (0, found.clone())).collect();
        }
        let mut best: BTreeMap<Kind, (usize, &Found)> = BTreeMap::new();
        for (index, run) in done.iter().enumerate() {
            for found in &run.found {
                let apart = self.keep_going && found.record.is_none() && found.cycle.is_none();
                let key = (
                    found.property,
                    found.record.map(|(extreme, _)| extreme),
                    apart.then(|| bare(&self.last_label(found))),
                );
                let of_property = best.keys().filter(|known| known.0 == key.0);
                if !best.contains_key(&key) && of_property.count() >= MOST_NAMES {
                    continue;
                }
                let better =
                    best.get(&key)
                        .is_none_or(|(_, old)| match (found.record, old.record) {
                            (Some((Extreme::Largest, new)), Some((_, old))) if new != old => {
                                new > old
                            }
                            (Some((Extreme::Smallest, new)), Some((_, old))) if new != old => {
                                new < old
                            }
                            _ => found.trace.len() < old.trace.len(),
                        });
                if better {
                    best.insert(key, (index, found));
                }
            }
        }
        best.into_values()
            .map(|(index, found)| (index, found.clone()))
            .collect()
    }

    /// Replays what a run has found, shortens it, replays it again.
    pub fn report(&self, run: u64, found: &Found, cost: u64) -> Result<Reported, CampaignError> {
        let property = &*self.properties[found.property];
        let value = found.record.map(|(_, value)| value);
        let verify = |shown: &Shown| {
            check(self.model, property, shown)?
                .map_err(|divergence| CampaignError::Unreproducible { divergence })
        };
        let mut shown = Shown {
            trace: found.trace.clone(),
            value,
            cycle: found.cycle,
        };
        verify(&shown)?;
        if self.shorten {
            let steps = SHORTEN_LEAST_PER_STEP * shown.trace.len() as u64;
            let least = SHORTEN_LEAST.max(steps).min(SHORTEN_MOST);
            let budget = cost.clamp(least, SHORTEN_MOST);
            shown = shorten(self.model, property, shown, budget)?;
            verify(&shown)?;
        }
        let witness = Witness {
            settings: self.settings.clone(),
            strategy: self.strategy.name.into(),
            options: self.options.listed(),
            seed: derive_seed(self.seed, run),
            raw_length: found.trace.len() as u64,
            ..describe(self.model, property, &shown)
        };
        Ok(Reported {
            run,
            property: found.property,
            trace: shown.trace,
            witness,
            record: found.record,
        })
    }
}

/// Passes events on as they come, or holds them back until the run's turn.
struct Held<'a> {
    observer: &'a dyn Observer,
    tell: bool,
    events: Mutex<Vec<Event>>,
}

impl Observer for Held<'_> {
    fn event(&self, event: &Event) {
        if self.tell {
            self.observer.event(event);
        } else {
            self.events
                .lock()
                .expect("no thread panics while it tells an event")
                .push(event.clone());
        }
    }

    fn progress(&self, expanded: u64) {
        self.observer.progress(expanded);
    }
}
