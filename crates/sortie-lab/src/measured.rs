//! What a row gives: hunts and checks, each in its own way, summed up alike.

use crate::experiment::{Accounting, Instance, Rerun};
use crate::rerun::{max_states_of, runs_of};
use crate::rows::{Place, Row, Way};
use crate::shelf::Recipe;
use crate::study::About;
use crate::{hunt, hunting};
use anyhow::{Result, anyhow, bail};
use serde::{Deserialize, Serialize};
use sortie_formula::{Context, Stated, Truth};
use sortie_hunt::{Check, CheckRun, Ground, HuntSettings, Reported, Results, curves};
use sortie_model::{Budget, Extreme, Silent, derive_seed};
use sortie_open::{Opened, Wanted, read_text};
use sortie_property::PropertyKind;
use sortie_search::{BoundedSettings, strategy};
use std::ops::Range;
use std::sync::Arc;

/// The runs of a row.
#[derive(Serialize, Deserialize)]
pub struct Measured {
    pub runs: u64,
    /// Hunts that found something, checks that decided the formula.
    pub successes: u64,
    /// The states of the runs behind the mean: of successful hunts, of all checks.
    pub states: Vec<u64>,
    /// States of all runs, where they are counted for each success.
    effort: Option<u64>,
    /// The results that only hunts have.
    pub hunts: Option<Hunts>,
    /// The number of states that bounded model checking needs for the same formula, once it is known.
    #[serde(skip)]
    pub reference: Option<u64>,
}

/// The results that only hunts have.
#[derive(Serialize, Deserialize)]
pub struct Hunts {
    /// The lengths of the traces of successful runs.
    pub traces: Vec<u64>,
    /// Lengths after shortening, of a few hunts that are made for that.
    pub shortened: Vec<u64>,
    /// Lengths of the same before.
    #[serde(default)]
    pub unshortened: Vec<u64>,
    /// The number of distinct violations that each run found.
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
        let tally = tally.map(|((_, label), count)| (label.clone(), *count));
        let ends = || [end(Extreme::Smallest), end(Extreme::Largest)];
        Hunts {
            traces: successful.filter_map(|run| run.trace).collect(),
            shortened: lengths.iter().map(|[_, after]| *after).collect(),
            unshortened: lengths.iter().map(|[before, _]| *before).collect(),
            found: results.runs.iter().map(|run| run.found).collect(),
            tally: tally.collect(),
            extremes: (records().count() > 0).then(ends),
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

    /// The number of states that all runs together cost for each success.
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

/// A row of an instance, and how it is run.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    pub experiment: &'a Rerun,
    pub instance: &'a Instance,
    pub row: &'a Row,
    pub about: About<'a>,
}

impl Task<'_> {
    /// Runs the row.
    pub fn measure(&self) -> Result<Measured> {
        match &self.row.way {
            Way::Hunt(strategy) => self.hunt(strategy),
            Way::Check(place) => Ok(Measured::of_checks(&self.check(*place)?)),
        }
    }

    /// The model, with the formula if there is one.
    fn open(&self) -> Result<Arc<Opened>> {
        let Task {
            experiment,
            instance,
            about,
            ..
        } = self;
        let property = experiment.property(instance).map(PropertyKind::parse);
        let formula = experiment.formula(instance);
        let formula = formula.map(|given| -> Result<_> {
            if !given.trim_end().ends_with(".mcf") {
                return Ok((format!("the formula of {}", instance.name), given.into()));
            }
            let folder = about.head.models.as_deref();
            let file = about.setting.locate(given.trim(), folder);
            let file = file.map_err(|path| anyhow!("the formula {path} is not there"))?;
            Ok((given.to_string(), read_text(&file)?))
        });
        let recipe = Recipe {
            path: about.path,
            settings: instance.settings(about.setting.quick),
            wanted: Wanted {
                formula: formula.transpose()?,
                ..Wanted::properties(property)
            },
            replace: instance.replace.clone(),
        };
        match instance.reopen {
            true => Ok(Arc::new(recipe.open()?)),
            false => about.shelf.open(&recipe),
        }
    }

    fn hunt(&self, named: &str) -> Result<Measured> {
        // Without chance all runs are the same.
        let runs = match strategy(named)?.random {
            true => self.runs().max(1),
            false => 1,
        };
        let shortened = self.row.shorten.min(runs);
        let at_once = if self.instance.reopen { 1 } else { runs };
        let mut all: Option<Results> = None;
        let mut lengths = Vec::new();
        for begin in (0..runs).step_by(at_once as usize) {
            let end = begin + at_once;
            let opened = self.open()?;
            let results = self.campaign(&opened, named, begin..end, false)?;
            match &mut all {
                Some(all) => all.join(results),
                None => all = Some(results),
            }
            for run in begin..end.min(shortened) {
                let found = self.campaign(&opened, named, run..run + 1, true)?.found;
                let both = |first: &Reported| [first.witness.raw_length, first.trace.len() as u64];
                lengths.extend(found.first().map(both));
            }
            if self.about.setting.is_stopped() {
                break;
            }
        }
        let all = all.expect("there is a first run");
        let accounting = self.experiment.accounting;
        Ok(Measured::of_hunts(&all, lengths, accounting))
    }

    /// Some of a row's runs.
    fn campaign(
        &self,
        opened: &Opened,
        strategy: &str,
        which: Range<u64>,
        shorten: bool,
    ) -> Result<Results> {
        let experiment = self.experiment;
        let property = experiment.property(self.instance);
        let property = property.expect("an instance that is searched has a property");
        let named;
        let properties = match &opened.asked[..] {
            [] => {
                named = [PropertyKind::parse(property).property()?];
                &named[..]
            }
            asked => asked,
        };
        let settings = HuntSettings {
            seed: derive_seed(experiment.seed, which.start),
            runs: Some(which.end - which.start),
            threads: self.about.setting.threads,
            keep_going: experiment.keep_going,
            paper_counts: experiment.accounting == Accounting::Paper,
            shorten,
            ..hunting(strategy, self.row.options())
        };
        let sought = (opened, properties);
        Ok(hunt(sought, &settings, self.budget(), &Silent)?)
    }

    fn check(&self, place: Place) -> Result<Vec<CheckRun>> {
        let settings = bounds(self.row)?;
        let (runs, all) = (self.runs(), true);
        let ground = match place {
            Place::Slices | Place::Game => Ground::Slices {
                of_game: matches!(place, Place::Game),
                settings,
                runs,
                all,
            },
            Place::Beginning => Ground::Beginning,
        };
        let opened = self.open()?;
        let equations = opened.formula.as_ref();
        let equations = equations.expect("an instance that is checked has a formula");
        let judge = |context: Context<'_>| {
            let check = Check {
                model: &*opened.model,
                requirement: &Stated { equations, context },
                budget: self.budget(),
                seed: self.experiment.seed,
                threads: self.about.setting.threads,
                observer: &Silent,
            };
            check.run(ground)
        };
        Ok(opened.in_context(judge)?.runs)
    }

    fn runs(&self) -> u64 {
        runs_of(self.row, self.about.setting)
    }

    fn budget(&self) -> Budget {
        let setting = self.about.setting;
        setting.budget(max_states_of(self.row, setting))
    }
}

/// The width of slices, and the choice of their levels.
fn bounds(row: &Row) -> Result<BoundedSettings> {
    if row.given.iter().any(|(option, _)| option == "depth") {
        let name = &row.name;
        bail!("{name}: slices end by themselves; write degrade instead of depth");
    }
    let options = row.options();
    options.check(strategy("bbmc")?)?;
    Ok(BoundedSettings::from_options(&options)?)
}
