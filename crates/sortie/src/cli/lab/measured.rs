//! What a row gives: hunts and checks, each in its own way, summed up alike.

use super::experiment::{Accounting, Experiment, Instance};
use super::locate;
use super::rerun::Extent;
use super::rows::{Place, Row, Way};
use crate::cli::Failure;
use crate::cli::replay::invariant_of;
use crate::cli::source::{Opened, Wanted, open_named, read_text};
use sortie_campaign::{Campaign, Check, CheckRun, Ground, Results};
use sortie_model::{Budget, Silent};
use sortie_property::formula::{Context, Stated, Truth};
use sortie_property::{Property, from_name};
use sortie_search::{BoundedSettings, strategy};

/// The runs of a row.
pub struct Measured {
    pub runs: u64,
    /// Hunts that found something, checks that decided the formula.
    pub successes: u64,
    /// What the mean number of states is over: successful hunts, all checks.
    pub states: Vec<u64>,
    /// States of all runs, where they are counted for each success.
    effort: Option<u64>,
    /// What only hunts give.
    pub hunts: Option<Results>,
    /// How many states bounded model checking needs for the same formula, once that is known.
    pub reference: Option<u64>,
}

impl Measured {
    /// The share of successful runs.
    pub fn share(&self) -> f64 {
        self.successes as f64 / self.runs.max(1) as f64
    }

    /// Mean number of states, in units of what bounded model checking needs.
    pub fn ratio(&self) -> Option<f64> {
        let reference = self.reference.filter(|states| *states > 0)?;
        let mean = sortie_campaign::mean(self.states.iter().copied())?;
        Some(mean.mean / reference as f64)
    }

    /// How many states all runs together cost for each that succeeded.
    pub fn states_per_success(&self) -> Option<f64> {
        let effort = self.effort.filter(|_| self.successes > 0)?;
        Some(effort as f64 / self.successes as f64)
    }

    fn of_hunts(results: Results, accounting: Accounting) -> Measured {
        let all = results.runs.iter().map(|run| run.counts.expanded).sum();
        let successful = results.runs.iter().filter(|run| run.found > 0);
        let states: Vec<u64> = successful.map(|run| run.counts.expanded).collect();
        Measured {
            runs: results.runs.len() as u64,
            successes: states.len() as u64,
            states,
            effort: (accounting == Accounting::Effort).then_some(all),
            hunts: Some(results),
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
pub struct Subject<'a> {
    experiment: &'a Experiment,
    instance: &'a Instance,
    opened: Opened,
}

impl<'a> Subject<'a> {
    /// Opens the model at `path`, with the formula if there is one; `named` is the folder that the command line names.
    pub fn open(
        experiment: &'a Experiment,
        instance: &'a Instance,
        path: &str,
        named: Option<&str>,
    ) -> Result<Subject<'a>, Failure> {
        let settings: Vec<String> = instance
            .set
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let invariants = experiment.property(instance).map(invariant_of);
        let formula = experiment.formula(instance).map(|given| {
            if !given.trim_end().ends_with(".mcf") {
                return Ok((format!("the formula of {}", instance.name), given.into()));
            }
            let file = locate(given.trim(), named, experiment.models.as_deref())
                .map_err(|path| Failure::input(format!("the formula {path} is not there")))?;
            Ok((given.to_string(), read_text(&file)?))
        });
        let wanted = Wanted {
            invariants: invariants.unwrap_or_default(),
            formula: formula.transpose()?,
            ..Wanted::default()
        };
        Ok(Subject {
            experiment,
            instance,
            opened: open_named(path, None, &settings, &wanted)?,
        })
    }

    /// Runs a row.
    pub fn measure(&self, row: &Row, extent: &Extent) -> Result<Measured, Failure> {
        match &row.way {
            Way::Hunt(strategy) => {
                let results = self.hunt(row, strategy, extent)?;
                Ok(Measured::of_hunts(results, self.experiment.accounting))
            }
            Way::Check(place) => {
                let runs = self.check(row, *place, extent)?;
                Ok(Measured::of_checks(&runs))
            }
        }
    }

    fn budget(&self, row: &Row, extent: &Extent) -> Budget {
        Budget {
            max_states: extent.max_states(row),
            stop: extent.stop.clone(),
            ..Budget::default()
        }
    }

    fn hunt(&self, row: &Row, named: &str, extent: &Extent) -> Result<Results, Failure> {
        let property = self.experiment.property(self.instance);
        let property = property.expect("an instance that is searched has a property");
        let named_property: [Box<dyn Property>; 1];
        let properties = if self.opened.invariants.is_empty() {
            named_property = [from_name(property).map_err(Failure::input)?];
            &named_property[..]
        } else {
            &self.opened.invariants[..]
        };
        let chosen = strategy(named).map_err(Failure::input)?;
        let campaign = Campaign {
            model: &*self.opened.model,
            properties,
            strategy: chosen,
            options: row.options(),
            settings: self.opened.settings.clone(),
            budget: self.budget(row, extent),
            time: None,
            seed: self.experiment.seed,
            runs: if chosen.random { extent.runs(row) } else { 1 },
            threads: extent.threads,
            keep_going: self.experiment.keep_going,
            paper_counts: self.experiment.accounting == Accounting::Paper,
            shorten: false,
            fitness: None,
            keeper: None,
            observer: &Silent,
        };
        campaign.run().map_err(Failure::broken)
    }

    fn check(&self, row: &Row, place: Place, extent: &Extent) -> Result<Vec<CheckRun>, Failure> {
        let settings = bounds(row)?;
        let (runs, all) = (extent.runs(row), true);
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
                budget: self.budget(row, extent),
                time: None,
                seed: self.experiment.seed,
                threads: extent.threads,
                observer: &Silent,
            };
            check.run(ground).map_err(Failure::broken)
        };
        Ok(self.opened.in_context(judge)?.runs)
    }
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
