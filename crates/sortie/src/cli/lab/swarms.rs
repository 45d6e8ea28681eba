//! Plain and informed swarms that visit everything, beside what a paper says of them.

use super::division::{Division, Followed, Treatment, amount, settings};
use super::{is_selected, locate, missing};
use crate::cli::hunt::threads;
use crate::cli::output::{print, write_file};
use crate::cli::source::{Wanted, open_named};
use crate::cli::{Failure, Outcome, Status, interrupt};
use clap::ArgMatches;
use serde::Deserialize;
use sortie_model::{Model, Silent, Stop};
use sortie_report::table::Table;
use sortie_search::{Options, strategy};
use sortie_swarm::{Course, Crew, Flock, Guide, Pace, Plan, Signs, run};
use std::collections::BTreeMap;
use std::path::PathBuf;

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
    title: String,
    source: String,
    models: Option<String>,
    seed: u64,
    /// How many workers are simulated, one row for each.
    workers: Vec<u64>,
    #[serde(default)]
    remark: String,
    case: Vec<Case>,
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

impl Swarms {
    pub fn run(&self, matches: &ArgMatches, name: &str, out: Option<PathBuf>) -> Outcome {
        let quick = matches.get_flag("quick");
        let named = matches.get_one::<String>("models").map(String::as_str);
        let extent = Extent {
            threads: threads(matches),
            max_jobs: quick.then_some(QUICK_JOBS),
            stop: Stop::default(),
            seed: self.seed,
        };
        interrupt::listen(&extent.stop);
        let mut rows = Vec::new();
        let mut absent = Vec::new();
        for case in &self.case {
            if !is_selected(matches, &case.name) {
                continue;
            }
            match locate(&case.model, named, self.models.as_deref()) {
                Ok(path) => case.rows(&path, quick, &self.workers, &extent, &mut rows)?,
                Err(path) => absent.push(path),
            }
        }
        let mut text = format!("{}\n{}; seed {}", self.title, self.source, self.seed);
        if quick {
            text += &format!("; quick: small models and no more than {QUICK_JOBS} jobs");
        }
        if extent.stop.requested().is_some() {
            text += "\ninterrupted: what follows is not the whole experiment";
        }
        let table = |head: fn((&'static str, &'static str)) -> &'static str| {
            let mut table = Table::new(HEADS.map(head));
            rows.iter().for_each(|row: &[String; 14]| table.row(row));
            table
        };
        text += &format!(
            "\n{}\n{}\n{}\n",
            missing(&absent),
            table(|(short, _)| short).text(),
            self.remark.trim()
        );
        print(&text)?;
        if let Some(out) = out {
            let file = out.join(format!("{name}.csv"));
            write_file(&file, &table(|(_, long)| long).csv())?;
        }
        Ok(Status::Fine)
    }
}

impl Case {
    fn rows(
        &self,
        path: &str,
        quick: bool,
        workers: &[u64],
        extent: &Extent,
        rows: &mut Vec<[String; 14]>,
    ) -> Result<(), Failure> {
        let none = toml::Table::new();
        let other = if quick { &self.quick } else { &none };
        let opened = open_named(
            path,
            None,
            &settings(&[&self.set, other]),
            &Wanted::default(),
        )?;
        let model = &*opened.model;
        let whole = extent.plain(model)?;
        let space = whole.largest;
        for &workers in workers {
            // Without a bug every run visits exactly everything, so that one run tells of all.
            let plain = Swarmed {
                traces: Some(workers as f64),
                runs: workers,
                total: workers * space,
                ..whole
            };
            rows.push(self.row("plain", workers, &plain, space));
        }
        for followed in &self.follow {
            for treatment in [Treatment::Paper, Treatment::Exact] {
                if treatment == Treatment::Paper && !followed.traces {
                    continue;
                }
                let division = Division::new(model, followed, treatment)?;
                let search = match treatment {
                    Treatment::Paper => followed.name.clone(),
                    Treatment::Exact => format!("{}, exact", followed.name),
                };
                for &workers in workers {
                    let swarmed = extent.informed(model, &division, workers)?;
                    if extent.stop.requested().is_some() {
                        return Ok(());
                    }
                    rows.push(self.row(&search, workers, &swarmed, space));
                }
            }
        }
        Ok(())
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
        let mut flock = Flock::new(self.seed, 1);
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
        let guide = Guide::new(model, signs).map_err(Failure::input)?;
        let crew = Crew {
            model,
            properties: &[],
            guide: &guide,
            strategy: strategy(search).map_err(Failure::input)?,
            options: Options::default(),
            max_states: None,
            memory: None,
            records: false,
        };
        let course = Course {
            pace: Pace::Waves(workers),
            threads: self.threads,
            max_jobs: self.max_jobs,
        };
        run(plan, &crew, course, &self.stop, &Silent, &mut |_, _| {}).map_err(Failure::broken)
    }
}
