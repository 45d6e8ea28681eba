//! Swarms after bugs: what a plain and an informed swarm visit until one of their workers finds something.

use super::division::{Division, Followed, Treatment, settings};
use super::{is_selected, locate, missing};
use crate::cli::hunt::threads;
use crate::cli::output::{print, write_file};
use crate::cli::source::{Wanted, open_named};
use crate::cli::{Failure, Outcome, Status, interrupt};
use clap::ArgMatches;
use serde::Deserialize;
use sortie_campaign::mean;
use sortie_model::{Model, Silent, Stop};
use sortie_property::{Property, from_name};
use sortie_report::table::Table;
use sortie_search::{Options, strategy};
use sortie_swarm::{Crew, Ending, Flock, Guide, Job, Plan, Signs, SwarmError};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// What `--quick` leaves of each row.
const QUICK_RUNS: u64 = 2;
const QUICK_JOBS: u64 = 40;
const QUICK_STATES: u64 = 20_000;

/// Models with something to find.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chases {
    #[serde(rename = "kind")]
    _kind: String,
    title: String,
    source: String,
    models: Option<String>,
    seed: u64,
    /// Swarms per row.
    runs: u64,
    workers: u64,
    /// How many jobs a swarm may have.
    max_jobs: u64,
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
    property: String,
    follow: Followed,
}

/// What a swarm visited until the first find, if there was one.
#[derive(Clone, Copy, Default)]
struct Chase {
    found: bool,
    jobs: u64,
    /// States visited by all workers.
    together: u64,
    /// States visited one after another: by the slowest worker of each wave, and by the finder of the last.
    in_turn: u64,
    /// States visited by the largest job.
    largest: u64,
}

/// How often and how long.
struct Extent {
    seed: u64,
    runs: u64,
    workers: u64,
    max_jobs: u64,
    /// How many states a job may expand.
    max_states: Option<u64>,
    threads: usize,
    stop: Stop,
}

impl Chases {
    pub fn run(&self, matches: &ArgMatches, name: &str, out: Option<PathBuf>) -> Outcome {
        let quick = matches.get_flag("quick");
        let named = matches.get_one::<String>("models").map(String::as_str);
        let given = matches.get_one::<u64>("runs").copied();
        let extent = Extent {
            seed: self.seed,
            runs: given.unwrap_or(if quick { QUICK_RUNS } else { self.runs }),
            workers: self.workers,
            max_jobs: if quick { QUICK_JOBS } else { self.max_jobs },
            max_states: quick.then_some(QUICK_STATES),
            threads: threads(matches),
            stop: Stop::default(),
        };
        interrupt::listen(&extent.stop);
        let mut table = Table::new([
            "case", "search", "runs", "found %", "jobs", "together", "in turn", "largest",
        ]);
        let mut absent = Vec::new();
        for case in &self.case {
            if !is_selected(matches, &case.name) {
                continue;
            }
            match locate(&case.model, named, self.models.as_deref()) {
                Ok(path) => case.rows(&path, &extent, &mut table)?,
                Err(path) => absent.push(path),
            }
        }
        let mut text = format!(
            "{}\n{}; {} workers, seed {}",
            self.title, self.source, self.workers, self.seed
        );
        if quick {
            text +=
                &format!("; quick: {QUICK_RUNS} runs of at most {QUICK_JOBS} jobs, so no result");
        }
        if extent.stop.requested().is_some() {
            text += "\ninterrupted: what follows is not the whole experiment";
        }
        text += &format!(
            "\n{}\n{}\n{}\n",
            missing(&absent),
            table.text(),
            self.remark.trim()
        );
        print(&text)?;
        if let Some(out) = out {
            write_file(&out.join(format!("{name}.csv")), &table.csv())?;
        }
        Ok(Status::Fine)
    }
}

impl Case {
    fn rows(&self, path: &str, extent: &Extent, table: &mut Table) -> Result<(), Failure> {
        let wanted = Wanted::default();
        let opened = open_named(path, None, &settings(&[&self.set]), &wanted)?;
        let model = &*opened.model;
        let property = [from_name(&self.property).map_err(Failure::input)?];
        let hunt = |search: &str, signs: &Signs, runs, plan: &PlanOf<'_>| {
            let guide = Guide::new(model, signs).map_err(Failure::input)?;
            let crew = extent.crew(model, &property, &guide, search)?;
            extent.chases(&crew, runs, plan).map_err(Failure::broken)
        };
        let flock = |seed| Ok(Box::new(Flock::new(seed, extent.workers)) as Box<dyn Plan>);
        let none = Signs::Labels(Vec::new());
        let chases = hunt("rdfs", &none, extent.runs, &flock)?;
        table.row(self.row("plain, rdfs", &chases));
        for (treatment, word) in [(Treatment::Paper, ""), (Treatment::Exact, ", exact")] {
            let division = Division::new(model, &self.follow, treatment)?;
            let hive = |seed| Ok(Box::new(division.hive(model, seed)?) as Box<dyn Plan>);
            // Nothing is drawn where each step is a job.
            let runs = match treatment {
                Treatment::Paper => extent.runs,
                Treatment::Exact => 1,
            };
            for search in ["bfs", "rdfs"] {
                let chases = hunt(search, &division.signs, runs, &hive)?;
                let name = format!("{}{word}, {search}", self.follow.name);
                table.row(self.row(&name, &chases));
            }
        }
        Ok(())
    }

    fn row(&self, search: &str, chases: &[Chase]) -> [String; 8] {
        let found = chases.iter().filter(|chase| chase.found).count();
        let average = |count: fn(&Chase) -> u64| {
            let successful = chases.iter().filter(|chase| chase.found).map(count);
            mean(successful).map_or("–".into(), |mean| format!("{:.1}", mean.mean))
        };
        [
            self.name.clone(),
            search.into(),
            chases.len().to_string(),
            format!("{:.0}", 100.0 * found as f64 / chases.len().max(1) as f64),
            average(|chase| chase.jobs),
            average(|chase| chase.together),
            average(|chase| chase.in_turn),
            average(|chase| chase.largest),
        ]
    }
}

/// The plan of a swarm with this seed.
type PlanOf<'a> = dyn Fn(u64) -> Result<Box<dyn Plan>, SwarmError> + Sync + 'a;

impl Extent {
    fn crew<'a>(
        &self,
        model: &'a dyn Model,
        properties: &'a [Box<dyn Property>],
        guide: &'a Guide<'a>,
        search: &str,
    ) -> Result<Crew<'a>, Failure> {
        Ok(Crew {
            model,
            properties,
            guide,
            strategy: strategy(search).map_err(Failure::input)?,
            options: Options::default(),
            max_states: self.max_states,
            memory: None,
            records: false,
        })
    }

    /// Swarms that differ in their seeds.
    fn chases(
        &self,
        crew: &Crew<'_>,
        runs: u64,
        plan: &PlanOf<'_>,
    ) -> Result<Vec<Chase>, SwarmError> {
        let next = AtomicU64::new(0);
        let done = Mutex::new(Vec::new());
        let serve = || {
            loop {
                let run = next.fetch_add(1, Ordering::Relaxed);
                if run >= runs || self.stop.requested().is_some() {
                    return;
                }
                let chase = plan(self.seed + run).and_then(|mut plan| self.chase(crew, &mut *plan));
                done.lock().expect("no worker panics").push((run, chase));
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..self.threads.max(1) {
                scope.spawn(serve);
            }
        });
        let mut done = done.into_inner().expect("no worker panics");
        done.sort_by_key(|(run, _)| *run);
        done.into_iter().map(|(_, chase)| chase).collect()
    }

    /// Waves of jobs whose workers visit their states in step, until the first of them finds something.
    fn chase(&self, crew: &Crew<'_>, plan: &mut dyn Plan) -> Result<Chase, SwarmError> {
        let mut chase = Chase::default();
        while !chase.found && chase.jobs < self.max_jobs && self.stop.requested().is_none() {
            let wave: Vec<Job> = (0..self.workers).map_while(|_| plan.draw()).collect();
            if wave.is_empty() {
                break;
            }
            let mut reports = Vec::new();
            for job in wave {
                let done = crew.work(&job, &self.stop, &Silent)?;
                reports.push((job.id, done.report));
            }
            let finders = reports.iter().filter(|(_, r)| r.ending == Ending::Found);
            let first = finders.map(|(_, report)| report.visited).min();
            let mut slowest = 0;
            for (id, report) in reports {
                let visited = report.visited.min(first.unwrap_or(u64::MAX));
                chase.jobs += 1;
                chase.together += visited;
                slowest = slowest.max(visited);
                plan.settle(id, report)?;
            }
            chase.in_turn += slowest;
            chase.largest = chase.largest.max(slowest);
            chase.found = first.is_some();
        }
        Ok(chase)
    }
}
