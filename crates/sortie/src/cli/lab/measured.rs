//! What a row gives: hunts and checks, each in its own way, summed up alike.

use super::experiment::{Accounting, Experiment, Instance};
use super::rerun::{max_states_of, runs_of};
use super::rows::{Place, Row, Way};
use super::study::Setting;
use crate::cli::Failure;
use crate::cli::source::told;
use serde::{Deserialize, Serialize};
use sortie_formula::{Context, Stated, Truth};
use sortie_hunt::{Campaign, Check, CheckRun, Ground, Reported, Results, curves};
use sortie_model::{Budget, Extreme, Silent, derive_seed};
use sortie_open::{ModelText, Opened, Settings, Wanted, read_text};
use sortie_property::{Property, PropertyKind};
use sortie_search::{BoundedSettings, strategy};
use std::ops::Range;

/// The runs of a row.
#[derive(Serialize, Deserialize)]
pub struct Measured {
    pub runs: u64,
    /// Hunts that found something, checks that decided the formula.
    pub successes: u64,
    /// What the mean number of states is over: successful hunts, all checks.
    pub states: Vec<u64>,
    /// States of all runs, where they are counted for each success.
    effort: Option<u64>,
    /// What only hunts give.
    pub hunts: Option<Hunts>,
    /// How many states bounded model checking needs for the same formula, once that is known.
    #[serde(skip)]
    pub reference: Option<u64>,
}

/// What only hunts give.
#[derive(Serialize, Deserialize)]
pub struct Hunts {
    /// The lengths of the traces of successful runs.
    pub traces: Vec<u64>,
    /// Lengths after shortening, of a few hunts that are made for that.
    pub shortened: Vec<u64>,
    /// Lengths of the same before.
    #[serde(default)]
    pub unshortened: Vec<u64>,
    /// How many distinct things each run found.
    pub found: Vec<u64>,
    /// In how many runs each thing was found, by its last label.
    pub tally: Vec<(String, u64)>,
    /// The smallest and the largest value, where extremes are looked for.
    pub extremes: Option<[Option<String>; 2]>,
    /// Shares of runs that had succeeded, by states and by the length of the trace.
    pub curves: [Vec<(u64, f64)>; 2],
}

impl Hunts {
    fn new(results: &Results, lengths: Vec<[u64; 2]>) -> Hunts {
        let successful = results.runs.iter().filter(|run| run.found > 0);
        let records = || results.found.iter().filter_map(|found| found.record);
        let end = |end: Extreme| {
            let mut values = records().filter(|(extreme, _)| *extreme == end);
            values.next().map(|(_, value)| value.to_string())
        };
        let tally = results.tally.iter();
        Hunts {
            traces: successful.filter_map(|run| run.trace).collect(),
            shortened: lengths.iter().map(|[_, after]| *after).collect(),
            unshortened: lengths.iter().map(|[before, _]| *before).collect(),
            found: results.runs.iter().map(|run| run.found).collect(),
            tally: tally
                .map(|((_, label), count)| (label.clone(), *count))
                .collect(),
            extremes: (records().count() > 0)
                .then(|| [end(Extreme::Smallest), end(Extreme::Largest)]),
            curves: curves(&results.runs).map(|curve| curve.points),
        }
    }
}

impl Measured {
    /// The share of successful runs.
    pub fn share(&self) -> f64 {
        self.successes as f64 / self.runs.max(1) as f64
    }

    /// Mean number of states, in units of what bounded model checking needs.
    pub fn ratio(&self) -> Option<f64> {
        let reference = self.reference.filter(|states| *states > 0)?;
        let mean = sortie_hunt::mean(self.states.iter().copied())?;
        Some(mean.mean / reference as f64)
    }

    /// How many states all runs together cost for each that succeeded.
    pub fn states_per_success(&self) -> Option<f64> {
        let effort = self.effort.filter(|_| self.successes > 0)?;
        Some(effort as f64 / self.successes as f64)
    }

    fn of_hunts(results: &Results, lengths: Vec<[u64; 2]>, accounting: Accounting) -> Measured {
        let all = results.runs.iter().map(|run| run.counts.expanded).sum();
        let successful = results.runs.iter().filter(|run| run.found > 0);
        let states: Vec<u64> = successful.map(|run| run.counts.expanded).collect();
        Measured {
            runs: results.runs.len() as u64,
            successes: states.len() as u64,
            states,
            effort: (accounting == Accounting::Effort).then_some(all),
            hunts: Some(Hunts::new(results, lengths)),
            reference: None,
        }
    }

    fn of_checks(runs: &[CheckRun]) -> Measured {
        let decided = runs.iter().filter(|run| run.truth != Truth::Unknown);
        Measured {
            runs: runs.len() as u64,
            successes: decided.count() as u64,
            states: runs.iter().map(|run| run.states).collect(),
            effort: Some(runs.iter().map(|run| run.states).sum()),
            hunts: None,
            reference: None,
        }
    }
}

/// An instance whose model is open.
pub struct Subject {
    opened: Opened,
}

/// What a row is about.
#[derive(Clone, Copy)]
pub struct About<'a> {
    pub experiment: &'a Experiment,
    pub instance: &'a Instance,
    pub row: &'a Row,
    pub setting: &'a Setting,
}

impl Subject {
    /// Opens the model at `path`, with the formula if there is one.
    pub fn open(
        experiment: &Experiment,
        instance: &Instance,
        path: &str,
        setting: &Setting,
    ) -> Result<Subject, Failure> {
        let settings = instance.settings(setting.quick);
        let property = experiment.property(instance).map(PropertyKind::parse);
        let formula = experiment
            .formula(instance)
            .map(|given| -> Result<_, Failure> {
                if !given.trim_end().ends_with(".mcf") {
                    return Ok((format!("the formula of {}", instance.name), given.into()));
                }
                let file = setting
                    .locate(given.trim(), experiment.models.as_deref())
                    .map_err(|path| Failure::input(format!("the formula {path} is not there")))?;
                Ok((given.to_string(), read_text(&file)?))
            });
        let wanted = Wanted {
            formula: formula.transpose()?,
            ..property.map_or_else(Wanted::default, |kind| Wanted::property(&kind))
        };
        let written = ModelText::read(path, None)?.replaced(&instance.replace)?;
        Ok(Subject {
            opened: told(written.open(&Settings::parse(&settings)?, &wanted)?),
        })
    }

    /// Runs a row.
    pub fn measure(&self, about: About<'_>) -> Result<Measured, Failure> {
        match &about.row.way {
            Way::Hunt(strategy) => self.hunt(about, strategy),
            Way::Check(place) => {
                let runs = self.check(about, *place)?;
                Ok(Measured::of_checks(&runs))
            }
        }
    }

    fn hunt(&self, about: About<'_>, named: &str) -> Result<Measured, Failure> {
        let (runs, shortened) = hunts_of(about, named)?;
        let results = self.campaign(about, named, 0..runs, false)?;
        let mut lengths = Vec::new();
        for run in 0..shortened {
            lengths.extend(self.lengths(about, named, run)?);
        }
        let accounting = about.experiment.accounting;
        Ok(Measured::of_hunts(&results, lengths, accounting))
    }

    /// How long the witness of a run is before and after it is shortened.
    fn lengths(
        &self,
        about: About<'_>,
        named: &str,
        run: u64,
    ) -> Result<Option<[u64; 2]>, Failure> {
        let found = self.campaign(about, named, run..run + 1, true)?.found;
        let both = |first: &Reported| [first.witness.raw_length, first.trace.len() as u64];
        Ok(found.first().map(both))
    }

    /// Some of a row's runs.
    fn campaign(
        &self,
        about: About<'_>,
        named: &str,
        which: Range<u64>,
        shorten: bool,
    ) -> Result<Results, Failure> {
        let About {
            experiment,
            instance,
            row,
            setting,
        } = about;
        let property = experiment.property(instance);
        let property = property.expect("an instance that is searched has a property");
        let named_property: [Box<dyn Property>; 1];
        let properties = if self.opened.asked.is_empty() {
            named_property = [PropertyKind::parse(property)
                .property()
                .map_err(Failure::input)?];
            &named_property[..]
        } else {
            &self.opened.asked[..]
        };
        let chosen = strategy(named).map_err(Failure::input)?;
        let campaign = Campaign {
            model: &*self.opened.model,
            properties,
            strategy: chosen,
            options: row.options(),
            settings: self.opened.settings.listed(),
            budget: about.budget(),
            time: None,
            seed: derive_seed(experiment.seed, which.start),
            runs: which.end - which.start,
            threads: setting.threads,
            keep_going: experiment.keep_going,
            paper_counts: experiment.accounting == Accounting::Paper,
            shorten,
            fitness: None,
            keeper: None,
            observer: &Silent,
        };
        campaign.run().map_err(Failure::broken)
    }

    fn check(&self, about: About<'_>, place: Place) -> Result<Vec<CheckRun>, Failure> {
        let settings = bounds(about.row)?;
        let (runs, all) = (runs_of(about.row, about.setting), true);
        let ground = match place {
            Place::Slices => Ground::Slices {
                settings,
                runs,
                all,
            },
            Place::Game => Ground::Game {
                settings,
                runs,
                all,
            },
            Place::Beginning => Ground::Beginning,
        };
        let Opened { model, formula, .. } = &self.opened;
        let equations = formula
            .as_ref()
            .expect("an instance that is checked has a formula");
        let judge = |context: Context<'_>| {
            let check = Check {
                model: &**model,
                requirement: &Stated { equations, context },
                budget: about.budget(),
                time: None,
                seed: about.experiment.seed,
                threads: about.setting.threads,
                observer: &Silent,
            };
            check.run(ground).map_err(Failure::broken)
        };
        Ok(self.opened.in_context(judge)?.runs)
    }
}

impl About<'_> {
    fn budget(&self) -> Budget {
        Budget {
            max_states: max_states_of(self.row, self.setting),
            stop: self.setting.stop.clone(),
            ..Budget::default()
        }
    }
}

/// How many runs a row of hunts has, and how many of them are made once more and shortened.
fn hunts_of(about: About<'_>, named: &str) -> Result<(u64, u64), Failure> {
    // Without chance all runs are the same.
    let runs = match strategy(named).map_err(Failure::input)?.random {
        true => runs_of(about.row, about.setting),
        false => 1,
    };
    Ok((runs, about.row.shorten.min(runs)))
}

/// Runs a row of hunts, each of which has a model of its own.
pub fn measure_apart(
    about: About<'_>,
    open: impl Fn() -> Result<Subject, Failure>,
) -> Result<Measured, Failure> {
    let Way::Hunt(named) = &about.row.way else {
        return open()?.measure(about);
    };
    let (runs, shortened) = hunts_of(about, named)?;
    let mut all: Option<Results> = None;
    let mut lengths = Vec::new();
    for run in 0..runs {
        let subject = open()?;
        let results = subject.campaign(about, named, run..run + 1, false)?;
        match &mut all {
            Some(all) => all.join(results),
            None => all = Some(results),
        }
        if run < shortened {
            lengths.extend(subject.lengths(about, named, run)?);
        }
        if about.setting.is_stopped() {
            break;
        }
    }
    let all = all.expect("there is a first run");
    let accounting = about.experiment.accounting;
    Ok(Measured::of_hunts(&all, lengths, accounting))
}

/// How wide slices are, and how their levels are chosen.
fn bounds(row: &Row) -> Result<BoundedSettings, Failure> {
    if row.given.iter().any(|(option, _)| option == "depth") {
        return Err(Failure::input(format!(
            "{}: slices end by themselves; write degrade instead of depth",
            row.name
        )));
    }
    let options = row.options();
    strategy("bbmc")
        .and_then(|bbmc| options.check(bbmc))
        .and_then(|()| BoundedSettings::from_options(&options))
        .map_err(Failure::input)
}
