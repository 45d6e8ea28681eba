//! Plain and informed swarms that visit everything, beside what a paper says of them.

use crate::differences::{Judge, Other, Place};
use crate::division::{Division, Followed, Treatment, amount, crew};
use crate::figures::Figure;
use crate::report::{Report, Sheet};
use crate::settings;
use crate::study::{About, Kind, Planned, Results, Rows, Setting};
use anyhow::{Error, Result};
use serde::{Deserialize, Serialize};
use sortie_model::{Model, Silent};
use sortie_swarm::{LocalSettings, Pace, PlainSwarm, Plan, Signs, SubsystemSteps, run};
use std::collections::BTreeMap;

/// The size of each swarm with `--quick`.
const QUICK_JOBS: u64 = 400;

/// Column heads for the terminal, where a group begins with what it is about, and for files, where each stands alone.
const HEADS: [(&str, &str); 14] = [
    ("case", "case"),
    ("workers", "workers"),
    ("search", "search"),
    ("traces", "traces"),
    ("paper", "traces, paper"),
    ("runs", "runs"),
    ("paper", "runs, paper"),
    ("largest", "largest"),
    ("% of space", "largest, %"),
    ("paper", "largest, %, paper"),
    ("total", "total"),
    ("by space", "total by space"),
    ("paper", "total by space, paper"),
    ("all seen", "all seen"),
];

/// Models that swarms share out.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Swarms {
    seed: u64,
    /// The numbers of simulated workers, one row for each.
    workers: Vec<u64>,
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    name: String,
    model: String,
    #[serde(default)]
    set: toml::Table,
    /// Constants with other values for `--quick`.
    #[serde(default)]
    quick: toml::Table,
    follow: Vec<Followed>,
    /// The number of states of the paper's model.
    paper_space: Option<f64>,
    /// The figures of the paper's table, by search and workers.
    #[serde(default)]
    paper: BTreeMap<String, Known>,
}

/// A row of the paper's table.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    traces: Option<f64>,
    runs: Option<f64>,
    largest: Option<f64>,
    total: Option<f64>,
}

/// The counts of a swarm.
#[derive(Clone, Serialize, Deserialize)]
pub struct Swarmed {
    /// None where no traces are followed.
    traces: Option<f64>,
    runs: u64,
    largest: u64,
    total: u64,
    all_seen: bool,
}

/// A swarm that is measured at once.
#[derive(Clone)]
pub enum Unit<'a> {
    /// A search of the whole: without a bug every plain run visits exactly everything, so that one run tells of all.
    Whole,
    Informed(&'a Followed, Treatment, u64),
}

impl Unit<'_> {
    fn search(&self) -> String {
        match self {
            Unit::Whole => "plain".into(),
            Unit::Informed(followed, Treatment::Paper, _) => followed.name.clone(),
            Unit::Informed(followed, Treatment::Exact, _) => format!("{}, exact", followed.name),
        }
    }
}

impl Kind for Swarms {
    type Row<'a> = (usize, &'a Case, Unit<'a>);
    type Result = Swarmed;

    fn rows(&self, setting: &Setting) -> Rows<'_, Self> {
        let mut rows = Vec::new();
        for (place, case) in self.case.iter().enumerate() {
            let informed = case.units(&self.workers).into_iter();
            for unit in std::iter::once(Unit::Whole).chain(informed) {
                let (mut name, mut followed) = (unit.search(), String::new());
                if let Unit::Informed(components, treatment, workers) = &unit {
                    name += &format!(", {workers} workers");
                    followed = format!("{components:?} {treatment:?}");
                }
                let (set, seed) = (case.settings(setting.quick), self.seed);
                rows.push(Planned {
                    definition: format!("{set:?} {followed} {seed} {:?}", max_jobs(setting)),
                    ..Planned::new(&case.name, &name, &case.model, (place, case, unit))
                });
            }
        }
        Ok(rows)
    }

    fn measure(&self, row: &Self::Row<'_>, about: About<'_>) -> Result<Swarmed> {
        let (_, case, unit) = row;
        let opened = about.open(case.settings(about.setting.quick))?;
        let model = &*opened.model;
        match unit {
            Unit::Whole => self.plain(model, about.setting),
            Unit::Informed(followed, treatment, workers) => {
                let division = Division::new(model, followed, *treatment)?;
                self.informed(model, &division, *workers, about.setting)
            }
        }
    }

    fn report(&self, results: Results<'_, Self>, about: About<'_>, report: &mut Report) {
        let mut rows = Vec::new();
        let mut judge = Judge::new(about);
        let mut space = (usize::MAX, 0);
        for ((place, case, unit), swarmed) in results {
            let of_unit = match unit {
                Unit::Whole => {
                    space = (place, swarmed.largest);
                    let plain = |workers: &u64| (*workers, swarmed.of_plain(*workers));
                    self.workers.iter().map(plain).collect()
                }
                Unit::Informed(_, _, workers) => vec![(workers, swarmed)],
            };
            // Shares of a space of unknown size would mean nothing.
            for (workers, swarmed) in of_unit.into_iter().filter(|_| space.0 == place) {
                let search = unit.search();
                let row = format!("{search} {workers}");
                let at = |figure| Place::new(&case.name, &row, figure);
                let mut cells = vec![case.name.clone(), workers.to_string(), search.clone()];
                cells.extend(case.compared(&swarmed, space.1, at, &mut judge));
                rows.push(cells);
            }
        }
        let note = format!("small models and no more than {QUICK_JOBS} jobs");
        let quick = about.setting.quick_note(&note);
        report.setting = format!("; seed {}{quick}", self.seed);
        report.sheets.push(Sheet::with_heads(&HEADS, &rows));
        report.differences = judge.outside;
    }
}

impl Swarmed {
    /// The counts of this number of plain workers, one of which is given.
    fn of_plain(&self, workers: u64) -> Swarmed {
        Swarmed {
            traces: Some(workers as f64),
            runs: workers,
            total: workers * self.largest,
            ..self.clone()
        }
    }
}

impl Case {
    fn settings(&self, quick: bool) -> Vec<String> {
        match quick {
            true => settings(&[&self.set, &self.quick]),
            false => settings(&[&self.set]),
        }
    }

    fn units<'a>(&'a self, workers: &[u64]) -> Vec<Unit<'a>> {
        let mut units = Vec::new();
        for followed in &self.follow {
            for treatment in [Treatment::Paper, Treatment::Exact] {
                if treatment == Treatment::Exact || followed.traces {
                    let informed = |&workers| Unit::Informed(followed, treatment, workers);
                    units.extend(workers.iter().map(informed));
                }
            }
        }
        units
    }

    /// The cells of a swarm, which are compared with the paper's.
    fn compared<'p>(
        &self,
        swarmed: &Swarmed,
        space: u64,
        at: impl Fn(&'static str) -> Place<'p>,
        judge: &mut Judge<'_>,
    ) -> [String; 11] {
        let known = self.paper.get(at("").row).copied().unwrap_or_default();
        let mut both = |figure, ours: Option<f64>, known: Option<f64>, digits| {
            if let Some(ours) = ours {
                let known = (known.map(Figure::One), Other::paper(1));
                judge.exact(at(figure), ours, digits, known);
            }
            let shown = |number: f64| match digits {
                0 => amount(number),
                digits => format!("{number:.digits$}"),
            };
            [ours, known].map(|number| number.map_or(String::new(), shown))
        };
        let share = |part: u64| part as f64 / space as f64;
        let of_space = |part: Option<f64>, scale: f64| {
            let share = part? / self.paper_space?;
            Some((scale * share * 100.0).round() / 100.0)
        };
        let runs = Some(swarmed.runs as f64);
        let largest = Some(100.0 * share(swarmed.largest));
        let total = Some(share(swarmed.total));
        let [traces, their_traces] = both("traces", swarmed.traces, known.traces, 0);
        let [runs, their_runs] = both("runs", runs, known.runs, 0);
        let theirs = of_space(known.largest, 100.0);
        let [part, their_part] = both("largest, %", largest, theirs, 2);
        let theirs = of_space(known.total, 1.0);
        let [times, their_times] = both("total by space", total, theirs, 2);
        let all_seen = if swarmed.all_seen { "yes" } else { "no" };
        [
            traces,
            their_traces,
            runs,
            their_runs,
            swarmed.largest.to_string(),
            part,
            their_part,
            swarmed.total.to_string(),
            times,
            their_times,
            all_seen.into(),
        ]
    }
}

/// The number of jobs of a swarm.
fn max_jobs(setting: &Setting) -> Option<u64> {
    setting.quick.then_some(QUICK_JOBS)
}

impl Swarms {
    /// A depth-first search of the whole.
    fn plain(&self, model: &dyn Model, setting: &Setting) -> Result<Swarmed> {
        let mut swarm = PlainSwarm::new(self.seed, 1);
        let whole = Signs::Labels(Vec::new());
        carry_out(model, (&whole, "dfs"), 1, &mut swarm, setting)?;
        let tally = swarm.tally();
        Ok(Swarmed {
            traces: Some(1.0),
            runs: tally.jobs,
            largest: tally.largest,
            total: tally.visited,
            all_seen: swarm.is_exhausted(),
        })
    }

    fn informed(
        &self,
        model: &dyn Model,
        division: &Division,
        workers: u64,
        setting: &Setting,
    ) -> Result<Swarmed> {
        let mut swarm = division.hive(model, self.seed)?;
        let search = (&division.signs, "bfs");
        carry_out(model, search, workers, &mut swarm, setting)?;
        let tally = swarm.tally();
        let traces = || {
            let digits = division.ways.total(0).to_string();
            digits.parse().expect("a number in digits is a number")
        };
        Ok(Swarmed {
            traces: division.is_of_traces().then(traces),
            runs: tally.jobs,
            largest: tally.largest,
            total: tally.visited,
            all_seen: swarm.is_finished() && tally.limit.is_none(),
        })
    }
}

/// Carries out a swarm whose workers use one search.
fn carry_out(
    model: &dyn Model,
    (signs, search): (&Signs, &str),
    workers: u64,
    plan: &mut dyn Plan,
    setting: &Setting,
) -> Result<()> {
    let steps = SubsystemSteps::new(model, signs).map_err(Error::msg)?;
    let worker = crew(model, &[], &steps, search)?;
    let local = LocalSettings {
        pace: Pace::Waves(workers),
        threads: setting.threads,
        max_jobs: max_jobs(setting),
    };
    let stop = &setting.stop;
    Ok(run(plan, &worker, local, stop, &Silent, &mut |_, _| {})?)
}
