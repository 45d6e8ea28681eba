//! How much of what random paths meet is new, until hardly anything is.

use super::{About, Limits, Picture, add_point, models};
use crate::cli::lab::rows::single_options;
use crate::cli::lab::{is_selected, locate, missing};
use crate::cli::source::{Wanted, open_named};
use crate::cli::{Failure, Outcome, interrupt};
use clap::ArgMatches;
use serde::Deserialize;
use sortie_campaign::Campaign;
use sortie_model::{Budget, Event, Observer, RunSummary, Silent, Verdict};
use sortie_property::{Action, Property};
use sortie_report::chart::{Vertical, csv};
use sortie_report::table::Table;
use sortie_search::strategy;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// With `--quick` no more states are met.
const QUICK_STATES: u64 = 20_000;

/// Models that random paths go through until they are saturated.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Novelty {
    #[serde(rename = "kind")]
    _kind: String,
    title: String,
    source: String,
    #[serde(default)]
    remark: String,
    seed: u64,
    limits: Limits,
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    model: String,
    #[serde(default)]
    set: BTreeMap<String, u64>,
}

/// A run until saturation.
struct Saturated {
    run: RunSummary,
    /// How many states there are, if all could be visited.
    states: Option<u64>,
    /// States met so far, and the share of new ones among the last of them.
    curve: Vec<(u64, f64)>,
}

/// Writes down what is new: states met so far, and the share of new ones among the last of them.
#[derive(Default)]
struct Chronicle(Mutex<Vec<(u64, f64)>>);

impl Observer for Chronicle {
    fn event(&self, event: &Event) {
        if let Event::Saturation { met, lately, new } = event {
            let mut points = self.0.lock().expect("nobody panics while writing");
            points.push((*met, *new as f64 / *lately as f64));
        }
    }
}

impl Novelty {
    pub fn run(&self, matches: &ArgMatches, name: &str, out: Option<PathBuf>) -> Outcome {
        let quick = matches.get_flag("quick");
        let budget = Budget {
            max_states: if quick {
                Some(QUICK_STATES)
            } else {
                self.limits.max_states
            },
            memory: self.limits.bytes()?,
            ..Budget::default()
        };
        interrupt::listen(&budget.stop);
        let mut table = Table::new([
            "model",
            "states",
            "met",
            "distinct",
            "share %",
            "new at the end %",
            "estimate %",
            "ended by",
        ]);
        let mut series = Vec::new();
        let mut absent = Vec::new();
        for case in &self.case {
            if !is_selected(matches, &case.name) || budget.stop.requested().is_some() {
                continue;
            }
            let path = match locate(&case.model, models(matches), None) {
                Ok(path) => path,
                Err(path) => {
                    absent.push(path);
                    continue;
                }
            };
            let Saturated { run, states, curve } = self.saturate(case, &path, &budget)?;
            let percent = |share: f64| format!("{:.2}", share * 100.0);
            table.row([
                case.name.clone(),
                states.map_or(String::new(), |states| states.to_string()),
                run.counts.visited.to_string(),
                run.counts.considered.to_string(),
                states.map_or(String::new(), |states| {
                    percent(run.counts.considered as f64 / states as f64)
                }),
                curve
                    .last()
                    .map_or(String::new(), |&(_, share)| percent(share)),
                run.unseen_ppm
                    .map_or(String::new(), |ppm| percent(ppm as f64 / 1e6)),
                match &run.verdict {
                    Verdict::Spent(limit) => limit.name().to_string(),
                    _ => String::new(),
                },
            ]);
            for (met, share) in curve {
                add_point(&mut series, &case.name, (met as f64, share));
            }
        }
        if let Some(out) = &out {
            self.write_points(out, name, &series)?;
        }
        let about = About {
            name,
            title: &self.title,
            source: &self.source,
            quick: if quick {
                "; quick: few states, so no result"
            } else {
                ""
            },
            notes: missing(&absent),
            remark: &self.remark,
        };
        let picture = Picture {
            name: "",
            axis: "states met",
            vertical: Vertical::Linear("share of new states"),
            series,
        };
        about.deliver(&table, &[picture], out.as_deref())
    }

    fn write_points(
        &self,
        out: &Path,
        name: &str,
        series: &[sortie_report::chart::Series],
    ) -> Result<(), Failure> {
        let points = csv("met", "share of new states", series);
        crate::cli::output::write_file(&out.join(format!("{name}-curve.csv")), &points)
    }

    fn saturate(&self, case: &Case, path: &str, budget: &Budget) -> Result<Saturated, Failure> {
        let settings = case.set.iter();
        let settings: Vec<String> = settings
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let opened = open_named(path, None, &settings, &Wanted::default())?;
        let all = Budget {
            memory: None,
            ..budget.clone()
        };
        let explored = sortie_search::explore(&*opened.model, &all, &Silent, |_, _, _| {})
            .map_err(Failure::broken)?;
        // Nothing that is found is to end it.
        let wanted: [Box<dyn Property>; 1] = [Box::new(
            Action::matching("no such action").expect("the pattern is well-formed"),
        )];
        let chronicle = Chronicle::default();
        let campaign = Campaign {
            model: &*opened.model,
            properties: &wanted,
            strategy: strategy("lurch").map_err(Failure::broken)?,
            options: single_options(&self.limits.options),
            settings: opened.settings.clone(),
            budget: budget.clone(),
            time: None,
            seed: self.seed,
            runs: 1,
            threads: 1,
            keep_going: true,
            paper_counts: false,
            shorten: false,
            fitness: None,
            keeper: None,
            observer: &chronicle,
        };
        let mut results = campaign.run().map_err(Failure::input)?;
        let curve = chronicle.0.into_inner();
        Ok(Saturated {
            run: results.runs.remove(0),
            states: explored.cut.is_none().then_some(explored.states),
            curve: curve.expect("nobody panics while writing"),
        })
    }
}
