//! Plain and informed swarms that visit everything, beside what a paper says of them.

use super::differences::{Judge, Other, Place, Why};
use super::division::{Division, Followed, Treatment, amount, settings};
use super::figures::Figure;
use super::report::{Report, Sheet};
use super::shelf::Shelf;
use super::study::{Planned, Setting, Study, decoded, encoded};
use super::{origin_of, skipped};
use crate::cli::Failure;
use crate::cli::lab::open_model;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sortie_model::{Model, Silent, Stop};
use sortie_open::{Opened, Wanted};
use sortie_report::table::Table;
use sortie_search::{Options, strategy};
use sortie_swarm::{LocalSettings, Pace, PlainSwarm, Plan, Signs, SubsystemSteps, Worker, run};
use std::collections::BTreeMap;

/// What `--quick` leaves of each swarm.
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
    #[serde(rename = "kind")]
    _kind: String,
    #[serde(default, rename = "publication")]
    _publication: Option<String>,
    title: String,
    source: String,
    models: Option<String>,
    seed: u64,
    /// How many workers are simulated, one row for each.
    workers: Vec<u64>,
    #[serde(default)]
    remark: String,
    #[serde(default)]
    why: Vec<Why>,
    case: Vec<Case>,
    #[serde(skip)]
    opened: Shelf<Opened>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    model: String,
    #[serde(default)]
    set: toml::Table,
    /// What is set otherwise for `--quick`.
    #[serde(default)]
    quick: toml::Table,
    follow: Vec<Followed>,
    /// How many states the paper's model has.
    paper_space: Option<f64>,
    /// What the paper's table has, by search and workers.
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

/// What a swarm did.
#[derive(Clone, Serialize, Deserialize)]
struct Swarmed {
    /// None where no traces are followed.
    traces: Option<f64>,
    runs: u64,
    largest: u64,
    total: u64,
    all_seen: bool,
}

/// What holds for all rows.
struct Extent {
    threads: usize,
    max_jobs: Option<u64>,
    stop: Stop,
    seed: u64,
}

/// What is run at once.
#[derive(Clone)]
enum Unit<'a> {
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

impl Swarms {
    fn extent(&self, setting: &Setting) -> Extent {
        Extent {
            threads: setting.threads,
            max_jobs: setting.quick.then_some(QUICK_JOBS),
            stop: setting.stop.clone(),
            seed: self.seed,
        }
    }

    fn selected(&self, setting: &Setting) -> Vec<(usize, &Case, Unit<'_>)> {
        let all = self.case.iter().enumerate();
        let selected = all.filter(|(_, case)| setting.selects(&case.name));
        let units = |(place, case)| {
            let informed = Case::units(case, &self.workers).into_iter();
            let units = std::iter::once(Unit::Whole).chain(informed);
            units.map(move |unit| (place, case, unit))
        };
        selected.flat_map(units).collect()
    }
}

impl Study for Swarms {
    fn subjects(&self) -> Vec<String> {
        self.case.iter().map(|case| case.name.clone()).collect()
    }

    fn rows(&self, setting: &Setting) -> Result<Vec<Planned>, Failure> {
        let plan = |(_, case, unit): (usize, &Case, Unit<'_>)| {
            let name = match &unit {
                Unit::Whole => unit.search(),
                Unit::Informed(_, _, workers) => format!("{}, {workers} workers", unit.search()),
            };
            let followed = match &unit {
                Unit::Whole => String::new(),
                Unit::Informed(followed, treatment, _) => format!("{followed:?} {treatment:?}"),
            };
            Planned {
                subject: case.name.clone(),
                name,
                model: setting.locate(&case.model, self.models.as_deref()),
                definition: format!(
                    "{:?} {followed} {} {:?}",
                    case.settings(setting.quick),
                    self.seed,
                    self.extent(setting).max_jobs
                ),
            }
        };
        Ok(self.selected(setting).into_iter().map(plan).collect())
    }

    fn measure(&self, row: usize, setting: &Setting) -> Result<Value, Failure> {
        let (place, case, unit) = self.selected(setting).swap_remove(row);
        let path = setting.locate(&case.model, self.models.as_deref());
        let path = path.map_err(Failure::input)?;
        let opened = self.opened.get(place, || {
            let settings = case.settings(setting.quick);
            open_model(&path, &settings, &Wanted::default())
        })?;
        let model = &*opened.model;
        let extent = self.extent(setting);
        encoded(&match unit {
            Unit::Whole => extent.plain(model)?,
            Unit::Informed(followed, treatment, workers) => {
                let division = Division::new(model, followed, treatment)?;
                extent.informed(model, &division, workers)?
            }
        })
    }

    fn report(&self, results: &[Option<Value>], setting: &Setting) -> Result<Report, Failure> {
        let mut rows = Vec::new();
        let mut judge = Judge::new(&self.why);
        let mut models = Vec::new();
        let mut space = (usize::MAX, 0);
        for ((place, case, unit), result) in self.selected(setting).into_iter().zip(results) {
            let Some(swarmed) = decoded::<Swarmed>(result)? else {
                continue;
            };
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
                rows.push(case.row(&search, workers, &swarmed, space.1));
                if !setting.quick {
                    case.judge(&search, workers, &swarmed, space.1, &mut judge);
                }
            }
            models.push(origin_of(&case.model, None));
        }
        models.dedup();
        let table = |head: fn((&'static str, &'static str)) -> &'static str| {
            let mut table = Table::new(HEADS.map(head));
            rows.iter().for_each(|row: &[String; 14]| table.row(row));
            table
        };
        let quick = match setting.quick {
            true => format!("; quick: small models and no more than {QUICK_JOBS} jobs"),
            false => String::new(),
        };
        Ok(Report {
            title: self.title.clone(),
            source: self.source.clone(),
            setting: format!("; seed {}{quick}", self.seed),
            skipped: skipped(&self.rows(setting)?),
            sheets: vec![Sheet {
                short: table(|(short, _)| short),
                ..Sheet::plain(table(|(_, long)| long))
            }],
            remark: self.remark.clone(),
            differences: judge.outside,
            models,
            ..Report::default()
        })
    }
}

impl Swarmed {
    /// What so many plain workers do of whom this is one.
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
        let none = toml::Table::new();
        let other = if quick { &self.quick } else { &none };
        settings(&[&self.set, other])
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

    fn judge(
        &self,
        search: &str,
        workers: u64,
        swarmed: &Swarmed,
        space: u64,
        judge: &mut Judge<'_>,
    ) {
        let row = format!("{search} {workers}");
        let Some(known) = self.paper.get(&row) else {
            return;
        };
        let paper = Other {
            name: "paper",
            runs: 1,
        };
        let of_space = |part: Option<f64>, scale: f64| {
            let both = part.zip(self.paper_space);
            both.map(|(part, space)| (scale * part / space * 100.0).round() / 100.0)
        };
        let share = |part: u64| part as f64 / space as f64;
        for (figure, ours, digits, known) in [
            ("traces", swarmed.traces, 0, known.traces),
            ("runs", Some(swarmed.runs as f64), 0, known.runs),
            (
                "largest, %",
                Some(100.0 * share(swarmed.largest)),
                2,
                of_space(known.largest, 100.0),
            ),
            (
                "total by space",
                Some(share(swarmed.total)),
                2,
                of_space(known.total, 1.0),
            ),
        ] {
            let at = Place {
                subject: &self.name,
                row: &row,
                figure,
            };
            if let Some(ours) = ours {
                judge.exact(at, ours, digits, known.map(Figure::One), paper);
            }
        }
    }

    fn row(&self, search: &str, workers: u64, swarmed: &Swarmed, space: u64) -> [String; 14] {
        let known = self.paper.get(&format!("{search} {workers}"));
        let known = known.copied().unwrap_or_default();
        let shown = |number: Option<f64>| number.map_or(String::new(), amount);
        let share = |part: f64, space: f64| format!("{:.2}", 100.0 * part / space);
        let times = |part: f64, space: f64| format!("{:.2}", part / space);
        let of_paper = |part: Option<f64>, shown: &dyn Fn(f64, f64) -> String| {
            let both = part.zip(self.paper_space);
            both.map_or(String::new(), |(part, space)| shown(part, space))
        };
        [
            self.name.clone(),
            workers.to_string(),
            search.into(),
            shown(swarmed.traces),
            shown(known.traces),
            swarmed.runs.to_string(),
            shown(known.runs),
            swarmed.largest.to_string(),
            share(swarmed.largest as f64, space as f64),
            of_paper(known.largest, &share),
            swarmed.total.to_string(),
            times(swarmed.total as f64, space as f64),
            of_paper(known.total, &times),
            if swarmed.all_seen { "yes" } else { "no" }.into(),
        ]
    }
}

impl Extent {
    /// A depth-first search of the whole.
    fn plain(&self, model: &dyn Model) -> Result<Swarmed, Failure> {
        let mut flock = PlainSwarm::new(self.seed, 1);
        self.carry_out(model, &Signs::Labels(Vec::new()), "dfs", 1, &mut flock)?;
        let tally = flock.tally();
        Ok(Swarmed {
            traces: Some(1.0),
            runs: tally.jobs,
            largest: tally.largest,
            total: tally.visited,
            all_seen: flock.is_exhausted(),
        })
    }

    fn informed(
        &self,
        model: &dyn Model,
        division: &Division,
        workers: u64,
    ) -> Result<Swarmed, Failure> {
        let mut hive = division.hive(model, self.seed).map_err(Failure::broken)?;
        self.carry_out(model, &division.signs, "bfs", workers, &mut hive)?;
        let tally = hive.tally();
        let traces = || {
            let digits = division.ways.total(0).to_string();
            digits.parse().expect("a number in digits is a number")
        };
        Ok(Swarmed {
            traces: division.is_of_traces().then(traces),
            runs: tally.jobs,
            largest: tally.largest,
            total: tally.visited,
            all_seen: hive.is_finished() && tally.limit.is_none(),
        })
    }

    fn carry_out(
        &self,
        model: &dyn Model,
        signs: &Signs,
        search: &str,
        workers: u64,
        plan: &mut dyn Plan,
    ) -> Result<(), Failure> {
        let guide = SubsystemSteps::new(model, signs).map_err(Failure::input)?;
        let crew = Worker {
            model,
            properties: &[],
            guide: &guide,
            strategy: strategy(search).map_err(Failure::input)?,
            options: Options::default(),
            max_states: None,
            memory: None,
            records: false,
        };
        let course = LocalSettings {
            pace: Pace::Waves(workers),
            threads: self.threads,
            max_jobs: self.max_jobs,
        };
        run(plan, &crew, course, &self.stop, &Silent, &mut |_, _| {}).map_err(Failure::broken)
    }
}
