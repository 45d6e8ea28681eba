//! One strategy, once or many times.

use crate::estimates::{Estimates, estimates};
use crate::program::{Program, ProgramCounts, Told};
use crate::side_by_side::side_by_side;
use crate::{HuntSettings, Limits};
use sortie_model::{
    Event, Exactness, Extreme, Identity, Model, ModelError, Observer, RunSummary, Silent, Spending,
    StopReason, Trace, Verdict, derive_seed,
};
use sortie_property::Property;
use sortie_search::genetic::OwnFitness;
use sortie_search::schedulers::Failure;
use sortie_search::{Found, Hunt, Keeper, Outcome, SearchError, Strategy};
use sortie_witness::{
    Divergence, Effort, Schedule, Shown, Witness, bare, check_until, describe, shorten,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

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
        "a witness could not be replayed ({0}); does the model give the same successors each time?"
    )]
    Unreproducible(Divergence),
    /// A program did not fail again with the same answers: the run, its failure, and what happened the second time.
    #[error(
        "the program is not deterministic: run {0} ended with '{1}', and with the same schedule {2}; \
         something outside sortie's control decides, such as the time, random numbers, files or addresses"
    )]
    Unsteady(u64, String, String),
    /// No strategy was named, and the options belong to several that are not the default, which comes first here.
    #[error(
        "these options belong to other strategies than {0}; say --strategy {names}",
        names = .1.join(" or ")
    )]
    OtherStrategies(&'static str, Vec<&'static str>),
}

/// The result of a campaign, or of a part of it.
pub type Result<T, E = CampaignError> = std::result::Result<T, E>;

/// What is hunted in.
#[derive(Clone, Copy)]
pub enum Target<'a> {
    /// A model whose states are visible, and what is looked for.
    Model(&'a dyn Model, &'a [Box<dyn Property>]),
    /// A program, which only runs; its failures are looked for.
    Program(&'a dyn Program),
}

/// One strategy on one target, once or many times.
pub struct Campaign<'a> {
    /// What is hunted in.
    pub target: Target<'a>,
    /// The strategy and what it may cost.
    pub settings: &'a HuntSettings,
    /// Values set in the model, as `name=value`, for witnesses.
    pub model_settings: &'a [String],
    /// The limits, if they began before the campaign does; otherwise they begin with it.
    pub limits: Option<&'a Limits>,
    /// The fitness of a path, for strategies that ask, in place of an expression.
    pub fitness: Option<&'a OwnFitness<'a>>,
    /// Keeps how far a single run has come, so that it can be taken up again.
    pub keeper: Option<&'a dyn Keeper>,
    /// Is told what happens.
    pub observer: &'a dyn Observer,
}

/// Something found, ready to be reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reported {
    /// Which run found it.
    pub run: u64,
    /// Index of the property.
    pub property: usize,
    /// The trace in the model's own numbers; empty for a program.
    pub trace: Trace,
    /// The run of a program.
    pub told: Option<Told>,
    /// The same for files; of a loop it says where that begins.
    pub witness: Witness,
    /// Which end and value, for an extreme.
    pub record: Option<(Extreme, i64)>,
    /// Whether a limit in time or the user ended its shortening.
    pub cut_short: bool,
}

impl Reported {
    /// The number of steps of the trace, or of moves of the run.
    pub fn len(&self) -> u64 {
        let moves = self.told.as_ref().map(|told| told.moves.len());
        moves.unwrap_or(self.trace.len()) as u64
    }

    /// Whether no step is taken.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
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
    pub exactness: Exactness,
    /// For each thing found, by its property and last label: in how many runs.
    pub tally: BTreeMap<(usize, String), u64>,
    /// What the walks of a single run tell about what they have not seen.
    pub estimates: Option<Estimates>,
    /// How many hits were left out, because the hunt was ended before they could be replayed.
    pub unreplayed: u64,
    /// What a hunt in a program cost.
    pub program: Option<ProgramCounts>,
}

impl Results {
    /// Adds those of runs that came later. What each of them reports stays, even if others report the same.
    pub fn join(&mut self, later: Results) {
        if later.verdict == Verdict::Found {
            self.verdict = Verdict::Found;
        }
        let before = self.runs.len() as u64;
        for mut found in later.found {
            found.run += before;
            self.found.push(found);
        }
        for mut summary in later.runs {
            summary.run += before;
            self.runs.push(summary);
        }
        self.exactness = self.exactness.max(later.exactness);
        for (thing, runs) in later.tally {
            *self.tally.entry(thing).or_insert(0) += runs;
        }
        self.unreplayed += later.unreplayed;
        self.estimates = None;
    }

    /// The results of a campaign that failed.
    pub fn broken(message: String) -> Self {
        Results::of(Verdict::Broken(message))
    }

    /// Results with a verdict alone.
    pub fn of(verdict: Verdict) -> Self {
        Results {
            verdict,
            runs: Vec::new(),
            found: Vec::new(),
            exactness: Exactness::Exact,
            tally: BTreeMap::new(),
            estimates: None,
            unreplayed: 0,
            program: None,
        }
    }

    /// Why the search could see nothing, if it could not.
    pub fn blind(&self) -> Option<&'static str> {
        if let Some(program) = &self.program {
            let counts = program.runs;
            return match (counts.runs, counts.longest) {
                (0, _) => Some("no run came to its end"),
                (_, 0) => Some("no run had a scheduling point, so there was nothing to decide"),
                _ => None,
            };
        }
        let counts = |run: &RunSummary| run.counts.transitions + run.counts.visited.max(1) - 1;
        match self.runs.iter().map(counts).sum::<u64>() {
            0 if self.verdict == Verdict::Exhausted => Some("the first state has no successors"),
            0 => Some("no successors were listed"),
            _ => None,
        }
    }
}

/// Of what many runs find, one of a kind is reported: its property, which end of an extreme it is, the name of the last action if that counts.
type Kind = (usize, Option<Extreme>, Option<String>);

/// What is kept of a run while others go on.
struct Done {
    summary: RunSummary,
    outcome: Outcome,
    events: Vec<Event>,
    estimates: Option<Estimates>,
}

impl<'a> Campaign<'a> {
    /// A campaign that nobody observes.
    pub fn new(target: Target<'a>, settings: &'a HuntSettings) -> Self {
        Campaign {
            target,
            settings,
            model_settings: &[],
            limits: None,
            fitness: None,
            keeper: None,
            observer: &Silent,
        }
    }

    /// The name and content of the target.
    pub fn identity(&self) -> Identity {
        match self.target {
            Target::Model(model, _) => model.identity(),
            Target::Program(program) => program.identity(),
        }
    }

    /// What is looked for in a model.
    pub fn properties(&self) -> &'a [Box<dyn Property>] {
        match self.target {
            Target::Model(_, properties) => properties,
            Target::Program(_) => &[],
        }
    }

    /// The number of hunts. A program is hunted in once, in many runs.
    pub fn runs(&self) -> u64 {
        match self.target {
            Target::Model(..) => self.settings.runs.unwrap_or(1),
            Target::Program(_) => 1,
        }
    }

    /// The strategy, with its options checked.
    pub fn strategy(&self) -> Result<&'static Strategy> {
        match self.target {
            Target::Model(..) => self.settings.strategy(),
            Target::Program(_) => self.settings.strategy_for_programs(),
        }
    }

    /// Runs to the end and sums up.
    pub fn run(&self) -> Result<Results> {
        match self.target {
            Target::Model(model, properties) => {
                self.begin((model, properties), |hunts| hunts.run())
            }
            Target::Program(program) => self.begin(program, |hunt| hunt.run()),
        }
    }

    /// Makes the schedule of a witness of a program shorter. Nothing if the hunt was ended before the failure showed again.
    pub fn shorten_run(&self, witness: &Witness, run: &Schedule) -> Result<Option<Reported>> {
        let Target::Program(program) = self.target else {
            return Ok(None);
        };
        let failure = Failure {
            message: witness.property.clone(),
            run: run.run,
            answers: run.answers.clone(),
        };
        self.begin(program, |hunt| hunt.report(&failure, &run.points))
    }

    /// Replays what a run has found in a model, shortens it, replays it again. Nothing if the hunt was ended before that.
    pub fn report(&self, run: u64, found: &Found, cost: u64) -> Result<Option<Reported>> {
        let Target::Model(model, properties) = self.target else {
            return Ok(None);
        };
        self.begin((model, properties), |hunts| hunts.report(run, found, cost))
    }

    /// Begins within limits, and goes on.
    fn begin<T, R>(&self, target: T, go_on: impl FnOnce(Begun<'_, T>) -> Result<R>) -> Result<R> {
        let own = self.limits.is_none().then(|| Limits::begin(self.settings));
        let limits = self.limits.or(own.as_ref());
        go_on(Begun {
            campaign: self,
            target,
            strategy: self.strategy()?,
            limits: limits.expect("one of them began"),
        })
    }
}

/// A campaign that has begun.
pub(crate) struct Begun<'a, T> {
    pub campaign: &'a Campaign<'a>,
    pub target: T,
    pub strategy: &'static Strategy,
    pub limits: &'a Limits,
}

impl<'a> Begun<'a, (&'a dyn Model, &'a [Box<dyn Property>])> {
    /// Many runs share the threads; results are taken in order of the runs.
    fn run(&self) -> Result<Results> {
        let runs = self.campaign.runs();
        let alone = runs == 1;
        let all = self.campaign.settings.threads;
        let (at_once, threads) = if alone { (1, all) } else { (all, 1) };
        // A run that has begun is finished in some way; none begins after the time is up.
        let stop = self.limits.stop();
        let ends = |run| run >= runs || (run > 0 && stop.requested().is_some());
        let mut done: Vec<Done> = Vec::new();
        for result in side_by_side(at_once, ends, |run| self.single(run, threads, alone)) {
            let result = result?;
            // A run cut by the clock says nothing about success rates; it counts only if it is all there is.
            let cut = Verdict::Spent(Spending::Stopped(StopReason::Clock));
            if result.summary.verdict != cut || done.is_empty() {
                done.push(result);
            }
        }
        self.sum_up(done)
    }

    fn single(&self, run: u64, threads: usize, tell: bool) -> Result<Done> {
        let campaign = self.campaign;
        let settings = campaign.settings;
        let seed = derive_seed(settings.seed, run);
        let held = Held {
            observer: campaign.observer,
            tell,
            events: Mutex::default(),
        };
        let hunt = Hunt {
            model: self.target.0,
            properties: self.target.1,
            observer: &held,
            budget: self.limits.budget().clone(),
            options: settings.options.clone(),
            seed,
            threads,
            keep_going: settings.keep_going,
            paper_counts: settings.paper_counts,
            tell_levels: tell,
            fitness: campaign.fitness,
            keeper: campaign.keeper.filter(|_| tell),
        };
        let mut outcome = self.strategy.hunt(&hunt)?;
        // Samples are large, so that none is kept.
        let (hit, sample) = (outcome.distinct > 0, outcome.unseen.take());
        let estimates = sample.as_ref().map(|sample| estimates(sample, hit));
        let unseen = sample.and_then(|sample| sample.unseen());
        let first = outcome.found.first();
        let summary = RunSummary {
            run,
            seed,
            verdict: outcome.verdict.clone(),
            found: outcome.distinct,
            counts: outcome.counts,
            trace: first.map(|first| first.trace.len() as u64),
            shortened: None,
            unseen_ppm: unseen.map(|unseen| unseen.per_million),
        };
        let events = held.events.into_inner();
        Ok(Done {
            summary,
            outcome,
            events: events.expect("no thread panics while it tells an event"),
            estimates,
        })
    }

    fn sum_up(&self, mut done: Vec<Done>) -> Result<Results> {
        let mut tally: BTreeMap<(usize, String), u64> = BTreeMap::new();
        for run in &done {
            let hits = run.outcome.found.iter().filter(|f| f.record.is_none());
            let labels = hits.map(|f| (f.property, self.last_label(f)));
            for label in labels.collect::<BTreeSet<_>>() {
                *tally.entry(label).or_insert(0) += 1;
            }
        }
        let (mut found, mut unreplayed) = (Vec::new(), 0);
        for (index, item) in self.to_report(&done) {
            let summary = &mut done[index].summary;
            let reported = self.report(summary.run, &item, summary.counts.expanded)?;
            let shortened = reported.as_ref().map(|it| it.trace.len() as u64);
            summary.shortened = summary.shortened.or(shortened);
            unreplayed += u64::from(reported.is_none());
            found.extend(reported);
        }
        let observer = self.campaign.observer;
        for run in &done {
            run.events.iter().for_each(|event| observer.event(event));
            observer.event(&Event::RunEnded(run.summary.clone()));
        }
        let mut verdicts = done.iter().map(|run| &run.summary.verdict);
        let first = verdicts.clone().next().cloned();
        let verdict = if !verdicts.any(|verdict| *verdict == Verdict::Found) {
            first.unwrap_or(Verdict::Spent(Spending::Walks))
        } else if found.is_empty() && unreplayed > 0 {
            self.limits.ended()
        } else {
            Verdict::Found
        };
        let exactness = done.iter().map(|run| run.outcome.exactness).max();
        let estimates = match &done[..] {
            [only] => only.estimates,
            _ => None,
        };
        Ok(Results {
            runs: done.into_iter().map(|run| run.summary).collect(),
            found,
            exactness: exactness.unwrap_or(Exactness::Exact),
            tally,
            estimates,
            unreplayed,
            ..Results::of(verdict)
        })
    }

    fn last_label(&self, found: &Found) -> String {
        let last = found.trace.steps.last();
        last.map_or_else(String::new, |step| self.target.0.label(step.label))
    }

    /// Of one run that went on everything; otherwise, per property (and end of an extreme) the shortest trace, or the best value. Whoever goes on
    /// after a hit in many runs wants to know what else there is: then it is the shortest for each name of the last action.
    fn to_report(&self, done: &[Done]) -> Vec<(usize, Found)> {
        let keep_going = self.campaign.settings.keep_going;
        if let [only] = done
            && keep_going
        {
            let found = only.outcome.found.iter();
            return found.map(|found| (0, found.clone())).collect();
        }
        let rank = |found: &Found| {
            let value = found.record.map_or(0, |(extreme, value)| match extreme {
                Extreme::Largest => -i128::from(value),
                Extreme::Smallest => i128::from(value),
            });
            (value, found.trace.len())
        };
        let mut best: BTreeMap<Kind, (usize, &Found)> = BTreeMap::new();
        for (index, run) in done.iter().enumerate() {
            for found in &run.outcome.found {
                let apart = keep_going && found.record.is_none() && found.cycle.is_none();
                let key = (
                    found.property,
                    found.record.map(|(extreme, _)| extreme),
                    apart.then(|| bare(&self.last_label(found))),
                );
                let of_property = best.keys().filter(|known| known.0 == key.0);
                let better = match best.get(&key) {
                    Some((_, known)) => rank(found) < rank(known),
                    None => of_property.count() < MOST_NAMES,
                };
                if better {
                    best.insert(key, (index, found));
                }
            }
        }
        let best = best.into_values();
        best.map(|(index, found)| (index, found.clone())).collect()
    }

    /// Replays what a run has found, shortens it, replays it again. Nothing if the hunt was ended before that.
    fn report(&self, run: u64, found: &Found, cost: u64) -> Result<Option<Reported>> {
        let (model, properties) = self.target;
        let property = &*properties[found.property];
        let settings = self.campaign.settings;
        let replayed = |shown: &Shown| -> Result<bool> {
            let checked = check_until(model, property, shown, self.limits.end())?;
            let replayed = checked.transpose();
            Ok(replayed.map_err(CampaignError::Unreproducible)?.is_some())
        };
        let mut shown = Shown {
            trace: found.trace.clone(),
            value: found.record.map(|(_, value)| value),
            cycle: found.cycle,
        };
        if !replayed(&shown)? {
            return Ok(None);
        }
        let mut cut_short = false;
        if settings.shorten {
            let steps = SHORTEN_LEAST_PER_STEP * shown.trace.len() as u64;
            let least = SHORTEN_LEAST.max(steps).min(SHORTEN_MOST);
            let effort = Effort {
                states: cost.clamp(least, SHORTEN_MOST),
                stop: self.limits.stop().clone(),
            };
            let shorter = shorten(model, property, shown.clone(), effort)?;
            cut_short = self.limits.stop().requested().is_some();
            if replayed(&shorter)? {
                shown = shorter;
            }
        }
        let witness = Witness {
            settings: self.campaign.model_settings.to_vec(),
            strategy: self.strategy.name.into(),
            options: settings.options.listed(),
            seed: derive_seed(settings.seed, run),
            raw_length: found.trace.len() as u64,
            ..describe(model, property, &shown)
        };
        Ok(Some(Reported {
            run,
            property: found.property,
            trace: shown.trace,
            told: None,
            witness,
            record: found.record,
            cut_short,
        }))
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
            return self.observer.event(event);
        }
        let events = self.events.lock();
        let mut events = events.expect("no thread panics while it tells an event");
        events.push(event.clone());
    }

    fn progress(&self, expanded: u64) {
        self.observer.progress(expanded);
    }
}
