//! How much of what random paths meet is new, until hardly anything is.

use super::{About, Limits};
use crate::cli::Failure;
use crate::cli::lab::open_model;
use crate::cli::lab::report::{Quantity, Report, add_point};
use crate::cli::lab::rows::single_options;
use crate::cli::lab::skipped;
use crate::cli::lab::study::{Planned, Setting, Study, decoded, encoded};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sortie_hunt::Campaign;
use sortie_model::{Budget, Event, Observer, Silent, Verdict};
use sortie_open::Wanted;
use sortie_property::{Action, Property};
use sortie_report::table::Table;
use sortie_search::strategy;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// With `--quick` no more states are met.
const QUICK_STATES: u64 = 20_000;

/// Models that random paths go through until they are saturated.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Novelty {
    #[serde(rename = "kind")]
    _kind: String,
    #[serde(default, rename = "publication")]
    _publication: Option<String>,
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
#[derive(Serialize, Deserialize)]
struct Saturated {
    /// States met.
    met: u64,
    distinct: u64,
    /// What of the next path would be new, in millionths.
    unseen_ppm: Option<u64>,
    ended_by: String,
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
    fn selected(&self, setting: &Setting) -> Vec<&Case> {
        let all = self.case.iter();
        all.filter(|case| setting.selects(&case.name)).collect()
    }

    fn max_states(&self, setting: &Setting) -> Option<u64> {
        match setting.quick {
            true => Some(QUICK_STATES),
            false => self.limits.max_states,
        }
    }

    fn saturate(&self, case: &Case, path: &str, budget: &Budget) -> Result<Saturated, Failure> {
        let settings = case.set.iter();
        let settings: Vec<String> = settings
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let opened = open_model(path, &settings, &Wanted::default())?;
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
            settings: opened.settings.listed(),
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
        let run = results.runs.remove(0);
        Ok(Saturated {
            met: run.counts.visited,
            distinct: run.counts.considered,
            unseen_ppm: run.unseen_ppm,
            ended_by: match &run.verdict {
                Verdict::Spent(limit) => limit.name().to_string(),
                _ => String::new(),
            },
            states: explored.cut.is_none().then_some(explored.states),
            curve: curve.expect("nobody panics while writing"),
        })
    }
}

impl Study for Novelty {
    fn subjects(&self) -> Vec<String> {
        self.case.iter().map(|case| case.name.clone()).collect()
    }

    fn rows(&self, setting: &Setting) -> Result<Vec<Planned>, Failure> {
        let plan = |case: &&Case| Planned {
            subject: case.name.clone(),
            name: "lurch".into(),
            model: setting.locate(&case.model, None),
            definition: format!(
                "{:?} {:?} {} {:?}",
                case.set,
                self.limits,
                self.seed,
                self.max_states(setting)
            ),
        };
        Ok(self.selected(setting).iter().map(plan).collect())
    }

    fn measure(&self, row: usize, setting: &Setting) -> Result<Value, Failure> {
        let case = self.selected(setting)[row];
        let path = setting.locate(&case.model, None).map_err(Failure::input)?;
        let budget = Budget {
            max_states: self.max_states(setting),
            memory: self.limits.bytes()?,
            stop: setting.stop.clone(),
        };
        encoded(&self.saturate(case, &path, &budget)?)
    }

    fn report(&self, results: &[Option<Value>], setting: &Setting) -> Result<Report, Failure> {
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
        for (case, result) in self.selected(setting).into_iter().zip(results) {
            let Some(saturated) = decoded::<Saturated>(result)? else {
                continue;
            };
            let Saturated { states, curve, .. } = &saturated;
            let percent = |share: f64| format!("{:.2}", share * 100.0);
            table.row([
                case.name.clone(),
                states.map_or(String::new(), |states| states.to_string()),
                saturated.met.to_string(),
                saturated.distinct.to_string(),
                states.map_or(String::new(), |states| {
                    percent(saturated.distinct as f64 / states as f64)
                }),
                curve
                    .last()
                    .map_or(String::new(), |&(_, share)| percent(share)),
                saturated
                    .unseen_ppm
                    .map_or(String::new(), |ppm| percent(ppm as f64 / 1e6)),
                saturated.ended_by.clone(),
            ]);
            for &(met, share) in curve {
                add_point(&mut series, &case.name, (met as f64, share));
            }
        }
        let about = About {
            title: &self.title,
            source: &self.source,
            seed: Some(self.seed),
            quick: match setting.quick {
                true => "; quick: few states, so no result",
                false => "",
            },
            skipped: skipped(&self.rows(setting)?),
            notes: String::new(),
            remark: &self.remark,
            model: "models/",
        };
        let quantity = Quantity::Linear("share of new states");
        let mut drawing = about.drawing("-curve", "met", quantity, series);
        drawing.points = Some("share of new states");
        Ok(about.report(table, vec![drawing]))
    }
}
