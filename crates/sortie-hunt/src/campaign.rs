//! One strategy, once or many times.

use crate::estimates::{Estimates, estimates};
use crate::program::{Program, ProgramCounts, ProgramHunt, Told};
use crate::side_by_side::side_by_side;
use crate::{HuntSettings, Limits};
use sortie_model::{
    Event, Extreme, Identity, LabelId, Model, ModelError, Observer, RunSummary, Silent, Spending,
    StopReason, Trace, Verdict, derive_seed,
};
use sortie_property::Property;
use sortie_search::genetic::OwnFitness;
use sortie_search::schedulers::{Failure, RunCounts};
use sortie_search::{Found, Hunt, Keeper, Outcome, SearchError, Strategy};
use sortie_witness::{
    Divergence, Effort, Schedule, Shown, Witness, bare, check_until, describe, shorten,
};
use std::collections::BTreeMap;
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
        "a witness could not be replayed ({divergence}); does the model give the same successors each time?"
    )]
    Unreproducible {
        /// Where it went wrong.
        divergence: Divergence,
    },
    /// A program did not fail again with the same answers.
    #[error(
        "the program is not deterministic: run {run} ended with '{failure}', and with the same schedule {instead}; \
         something outside sortie's control decides, such as the time, random numbers, files or addresses"
    )]
    Unsteady {
        /// The run.
        run: u64,
        /// The failure.
        failure: String,
        /// What happened the second time.
        instead: String,
    },
    /// No strategy was named, and the options belong to several that are not the default.
    #[error(
        "these options belong to other strategies than {default}; say --strategy {}",
        fitting.join(" or ")
    )]
    OtherStrategies {
        /// The default strategy.
        default: &'static str,
        /// Those that have the options.
        fitting: Vec<&'static str>,
    },
}

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
    pub exactness: sortie_model::Exactness,
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
        self.unreplayed += later.unreplayed;
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
            unreplayed: 0,
            program: None,
        }
    }

    /// Why the search could see nothing, if it could not.
    pub fn blind(&self) -> Option<&'static str> {
        if let Some(program) = &self.program {
            return match program.runs {
                RunCounts { runs: 0, .. } => Some("no run came to its end"),
                RunCounts { longest: 0, .. } => {
                    Some("no run had a scheduling point, so there was nothing to decide")
                }
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
    found: Vec<Found>,
    exactness: sortie_model::Exactness,
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
    pub fn strategy(&self) -> Result<&'static Strategy, CampaignError> {
        match self.target {
            Target::Model(..) => self.settings.strategy(),
            Target::Program(_) => self.settings.strategy_for_programs(),
        }
    }

    /// Runs to the end and sums up.
    pub fn run(&self) -> Result<Results, CampaignError> {
        let own;
        let limits = match self.limits {
            Some(limits) => limits,
            None => {
                own = Limits::begin(self.settings);
                &own
            }
        };
        match self.target {
            Target::Model(model, properties) => self.in_model(model, properties, limits)?.run(),
            Target::Program(program) => {
                let strategy = self.strategy()?;
                let hunt = ProgramHunt {
                    campaign: self,
                    program,
                    strategy,
                    limits,
                };
                hunt.run()
            }
        }
    }

    /// Makes the schedule of a witness of a program shorter. Nothing if the hunt was ended before the failure showed again.
    pub fn shorten_run(
        &self,
        limits: &Limits,
        witness: &Witness,
        schedule: &Schedule,
    ) -> Result<Option<Reported>, CampaignError> {
        let Target::Program(program) = self.target else {
            return Ok(None);
        };
        let hunt = ProgramHunt {
            campaign: self,
            program,
            strategy: self.strategy()?,
            limits,
        };
        let failure = Failure {
            message: witness.property.clone(),
            run: schedule.run,
            answers: schedule.answers.clone(),
        };
        hunt.report(&failure, &schedule.points)
    }

    fn in_model<'h>(
        &'h self,
        model: &'h dyn Model,
        properties: &'h [Box<dyn Property>],
        limits: &'h Limits,
    ) -> Result<ModelHunts<'h>, CampaignError> {
        Ok(ModelHunts {
            campaign: self,
            model,
            properties,
            strategy: self.strategy()?,
            limits,
        })
    }

    /// Replays what a run has found in a model, shortens it, replays it again. Nothing if the hunt was ended before that.
    pub fn report(
        &self,
        limits: &Limits,
        run: u64,
        found: &Found,
        cost: u64,
    ) -> Result<Option<Reported>, CampaignError> {
        match self.target {
            Target::Model(model, properties) => self
                .in_model(model, properties, limits)?
                .report(run, found, cost),
            Target::Program(_) => Ok(None),
        }
    }
}

/// Hunts in a model.
struct ModelHunts<'a> {
    campaign: &'a Campaign<'a>,
    model: &'a dyn Model,
    properties: &'a [Box<dyn Property>],
    strategy: &'static Strategy,
    limits: &'a Limits,
}

impl ModelHunts<'_> {
    fn run(&self) -> Result<Results, CampaignError> {
        let settings = self.campaign.settings;
        let done = match self.campaign.runs() {
            1 => vec![self.single(0, settings.threads, true)?],
            runs => self.many(runs)?,
        };
        self.sum_up(done)
    }

    fn single(&self, run: u64, threads: usize, tell: bool) -> Result<Done, CampaignError> {
        let Campaign {
            settings,
            observer,
            keeper,
            fitness,
            ..
        } = *self.campaign;
        let seed = derive_seed(settings.seed, run);
        let held = Held {
            observer,
            tell,
            events: Mutex::new(Vec::new()),
        };
        let hunt = Hunt {
            model: self.model,
            properties: self.properties,
            observer: &held,
            budget: self.limits.budget().clone(),
            options: settings.options.clone(),
            seed,
            threads,
            keep_going: settings.keep_going,
            paper_counts: settings.paper_counts,
            tell_levels: tell,
            fitness,
            keeper: keeper.filter(|_| tell),
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
    fn many(&self, runs: u64) -> Result<Vec<Done>, CampaignError> {
        // A run that has begun is finished in some way; none begins after the time is up.
        let stop = self.limits.stop();
        let ends = |run| run >= runs || (run > 0 && stop.requested().is_some());
        let threads = self.campaign.settings.threads;
        let results = side_by_side(threads, ends, |run| self.single(run, 1, false));
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
        let (mut found, mut unreplayed) = (Vec::new(), 0);
        for (index, item) in self.to_report(&done) {
            let run = done[index].summary.run;
            let cost = done[index].summary.counts.expanded;
            let Some(reported) = self.report(run, &item, cost)? else {
                unreplayed += 1;
                continue;
            };
            let summary = &mut done[index].summary;
            if summary.shortened.is_none() {
                summary.shortened = Some(reported.trace.len() as u64);
            }
            found.push(reported);
        }
        let observer = self.campaign.observer;
        for run in &done {
            run.events.iter().for_each(|event| observer.event(event));
            observer.event(&Event::RunEnded(run.summary.clone()));
        }
        let is_found = |run: &Done| run.summary.verdict == Verdict::Found;
        let verdict = match done.iter().find(|run| is_found(run)) {
            Some(_) if found.is_empty() && unreplayed > 0 => {
                let reason = self.limits.end().requested();
                Verdict::Spent(Spending::Stopped(reason.unwrap_or(StopReason::Clock)))
            }
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
            unreplayed,
            program: None,
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
        let keep_going = self.campaign.settings.keep_going;
        if let [only] = done
            && keep_going
        {
            return only.found.iter().map(|found| (0, found.clone())).collect();
        }
        let mut best: BTreeMap<Kind, (usize, &Found)> = BTreeMap::new();
        for (index, run) in done.iter().enumerate() {
            for found in &run.found {
                let apart = keep_going && found.record.is_none() && found.cycle.is_none();
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

    /// Replays what a run has found, shortens it, replays it again. Nothing if the hunt was ended before that.
    fn report(
        &self,
        run: u64,
        found: &Found,
        cost: u64,
    ) -> Result<Option<Reported>, CampaignError> {
        let property = &*self.properties[found.property];
        let settings = self.campaign.settings;
        let replayed = |shown: &Shown| -> Result<bool, CampaignError> {
            match check_until(self.model, property, shown, self.limits.end())? {
                None => Ok(false),
                Some(Ok(())) => Ok(true),
                Some(Err(divergence)) => Err(CampaignError::Unreproducible { divergence }),
            }
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
            let shorter = shorten(self.model, property, shown.clone(), effort)?;
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
            ..describe(self.model, property, &shown)
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
