//! How much of what random paths meet is new, until hardly anything is.

use super::Limits;
use crate::measure::{Chronicle, nothing};
use crate::report::{Drawing, Report, Sheet, add_point};
use crate::rows::single_options;
use crate::study::{About, Kind, Planned, Results, Rows, Setting};
use crate::{hunt, hunting, settings};
use anyhow::Result;
use serde::{Deserialize, Serialize};
use sortie_hunt::HuntSettings;
use sortie_model::{Budget, Event, Silent, Verdict};
use sortie_report::chart::Vertical;
use sortie_report::table::Table;

/// With `--quick` no more states are met.
const QUICK_STATES: u64 = 20_000;

/// Models that random paths go through until they are saturated.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Novelty {
    seed: u64,
    limits: Limits,
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    name: String,
    model: String,
    #[serde(default)]
    set: toml::Table,
}

/// A run until saturation.
#[derive(Serialize, Deserialize)]
pub struct Saturated {
    /// States met.
    met: u64,
    distinct: u64,
    /// The estimated share of new states on the next path, in millionths.
    unseen_ppm: Option<u64>,
    ended_by: String,
    /// The number of all states, if they could be visited.
    states: Option<u64>,
    /// States met so far, and the share of new ones among the last of them.
    curve: Vec<(u64, f64)>,
}

/// What is new: states met so far, and the share of new ones among the last of them.
fn newness(event: &Event) -> Option<(u64, f64)> {
    match event {
        Event::Saturation { met, lately, new } => Some((*met, *new as f64 / *lately as f64)),
        _ => None,
    }
}

impl Novelty {
    fn max_states(&self, setting: &Setting) -> Option<u64> {
        setting.or_quick(Some(QUICK_STATES), self.limits.max_states)
    }

    fn saturate(&self, case: &Case, about: About<'_>, budget: &Budget) -> Result<Saturated> {
        let opened = about.open(settings(&[&case.set]))?;
        let all = Budget {
            memory: None,
            ..budget.clone()
        };
        let explored = sortie_search::explore(&*opened.model, &all, &Silent, |_, _, _| {})?;
        // Nothing that is found is to end it.
        let wanted = nothing();
        let chronicle = Chronicle::new(newness);
        let settings = HuntSettings {
            seed: self.seed,
            keep_going: true,
            ..hunting("lurch", single_options(&self.limits.options))
        };
        let sought = (&*opened, &wanted[..]);
        let mut results = hunt(sought, &settings, budget.clone(), &chronicle)?;
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
            curve: chronicle.written(),
        })
    }
}

impl Kind for Novelty {
    type Row<'a> = &'a Case;
    type Result = Saturated;

    fn rows(&self, setting: &Setting) -> Rows<'_, Self> {
        let most = self.max_states(setting);
        let planned = self.case.iter().map(|case| Planned {
            definition: format!("{:?} {:?} {} {most:?}", case.set, self.limits, self.seed),
            ..Planned::new(&case.name, "lurch", &case.model, case)
        });
        Ok(planned.collect())
    }

    fn measure(&self, case: &&Case, about: About<'_>) -> Result<Saturated> {
        let budget = Budget {
            memory: self.limits.bytes()?,
            ..about.setting.budget(self.max_states(about.setting))
        };
        self.saturate(case, about, &budget)
    }

    fn report(&self, results: Results<'_, Self>, about: About<'_>, report: &mut Report) {
        let mut table = Table::new(
            "model | states | met | distinct | share % | new at the end % | estimate % | ended by"
                .split(" | "),
        );
        let mut series = Vec::new();
        for (case, saturated) in results {
            let Saturated { states, curve, .. } = &saturated;
            let percent = |share: Option<f64>| {
                share.map_or(String::new(), |share| format!("{:.2}", share * 100.0))
            };
            let seen = states.map(|states| saturated.distinct as f64 / states as f64);
            table.row([
                case.name.clone(),
                states.map_or(String::new(), |states| states.to_string()),
                saturated.met.to_string(),
                saturated.distinct.to_string(),
                percent(seen),
                percent(curve.last().map(|&(_, share)| share)),
                percent(saturated.unseen_ppm.map(|ppm| ppm as f64 / 1e6)),
                saturated.ended_by.clone(),
            ]);
            for &(met, share) in curve {
                add_point(&mut series, &case.name, (met as f64, share));
            }
        }
        let quick = about.setting.quick_note("few states, so no result");
        report.setting = format!("; seed {}{quick}", self.seed);
        report.sheets.push(Sheet::plain(table));
        let share = "share of new states";
        report.drawings.push(Drawing {
            points: Some(share),
            ..Drawing::lines(report, "-curve", "met", Vertical::Linear(share), series)
        });
    }
}
