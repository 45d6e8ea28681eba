//! Swarms after bugs: what a plain and an informed swarm visit until one of their workers finds something.

use super::division::{Division, Followed, Treatment, settings};
use super::report::{Report, Sheet};
use super::shelf::Shelf;
use super::study::{Planned, Setting, Study, decoded, encoded};
use super::{origin_of, skipped};
use crate::cli::Failure;
use crate::cli::lab::open_model;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sortie_hunt::mean;
use sortie_model::{Model, Silent, Stop};
use sortie_open::{Opened, Wanted};
use sortie_property::{Property, PropertyKind};
use sortie_report::table::Table;
use sortie_search::{Options, strategy};
use sortie_swarm::{Ending, Job, PlainSwarm, Plan, Signs, SubsystemSteps, SwarmError, Worker};
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
    #[serde(default, rename = "publication")]
    _publication: Option<String>,
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
    property: String,
    follow: Followed,
}

/// What a swarm visited until the first find, if there was one.
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
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

/// The swarms that each case goes through.
#[derive(Clone, Copy)]
enum Way {
    /// Randomised depth-first searches that know nothing of each other.
    Plain,
    /// Traces of the subsystem, and the search within each job.
    Informed(Treatment, &'static str),
}

const WAYS: [Way; 5] = [
    Way::Plain,
    Way::Informed(Treatment::Paper, "bfs"),
    Way::Informed(Treatment::Paper, "rdfs"),
    Way::Informed(Treatment::Exact, "bfs"),
    Way::Informed(Treatment::Exact, "rdfs"),
];

impl Way {
    fn name(self, followed: &Followed) -> String {
        match self {
            Way::Plain => "plain, rdfs".into(),
            Way::Informed(Treatment::Paper, search) => format!("{}, {search}", followed.name),
            Way::Informed(Treatment::Exact, search) => {
                format!("{}, exact, {search}", followed.name)
            }
        }
    }
}

impl Chases {
    fn extent(&self, setting: &Setting) -> Extent {
        let own = if setting.quick { QUICK_RUNS } else { self.runs };
        Extent {
            seed: self.seed,
            runs: setting.runs.unwrap_or(own),
            workers: self.workers,
            max_jobs: if setting.quick {
                QUICK_JOBS
            } else {
                self.max_jobs
            },
            max_states: setting.quick.then_some(QUICK_STATES),
            threads: setting.threads,
            stop: setting.stop.clone(),
        }
    }

    fn selected(&self, setting: &Setting) -> Vec<(usize, &Case, Way)> {
        let all = self.case.iter().enumerate();
        let selected = all.filter(|(_, case)| setting.selects(&case.name));
        selected
            .flat_map(|(place, case)| WAYS.map(|way| (place, case, way)))
            .collect()
    }
}

impl Study for Chases {
    fn subjects(&self) -> Vec<String> {
        self.case.iter().map(|case| case.name.clone()).collect()
    }

    fn rows(&self, setting: &Setting) -> Result<Vec<Planned>, Failure> {
        let extent = self.extent(setting);
        let plan = |(_, case, way): (usize, &Case, Way)| Planned {
            subject: case.name.clone(),
            name: way.name(&case.follow),
            model: setting.locate(&case.model, self.models.as_deref()),
            definition: format!(
                "{:?} {} {:?} {} {} {} {} {:?}",
                case.set,
                case.property,
                case.follow,
                extent.seed,
                extent.runs,
                extent.workers,
                extent.max_jobs,
                extent.max_states
            ),
        };
        Ok(self.selected(setting).into_iter().map(plan).collect())
    }

    fn measure(&self, row: usize, setting: &Setting) -> Result<Value, Failure> {
        let (place, case, way) = self.selected(setting)[row];
        let path = setting.locate(&case.model, self.models.as_deref());
        let path = path.map_err(Failure::input)?;
        let opened = self.opened.get(place, || {
            open_model(&path, &settings(&[&case.set]), &Wanted::default())
        })?;
        encoded(&case.chase(&*opened.model, way, &self.extent(setting))?)
    }

    fn report(&self, results: &[Option<Value>], setting: &Setting) -> Result<Report, Failure> {
        let mut table = Table::new([
            "case", "search", "runs", "found %", "jobs", "together", "in turn", "largest",
        ]);
        let mut models = Vec::new();
        for ((_, case, way), result) in self.selected(setting).into_iter().zip(results) {
            let Some(chases) = decoded::<Vec<Chase>>(result)? else {
                continue;
            };
            table.row(case.row(&way.name(&case.follow), &chases));
            models.push(origin_of(&case.model, None));
        }
        models.dedup();
        let quick = match setting.quick {
            true => {
                format!("; quick: {QUICK_RUNS} runs of at most {QUICK_JOBS} jobs, so no result")
            }
            false => String::new(),
        };
        Ok(Report {
            title: self.title.clone(),
            source: self.source.clone(),
            setting: format!("; {} workers, seed {}{quick}", self.workers, self.seed),
            skipped: skipped(&self.rows(setting)?),
            sheets: vec![Sheet::plain(table)],
            remark: self.remark.clone(),
            models,
            ..Report::default()
        })
    }
}

impl Case {
    fn chase(&self, model: &dyn Model, way: Way, extent: &Extent) -> Result<Vec<Chase>, Failure> {
        let property = [PropertyKind::parse(&self.property)
            .property()
            .map_err(Failure::input)?];
        let hunt = |search: &str, signs: &Signs, runs, plan: &PlanOf<'_>| {
            let guide = SubsystemSteps::new(model, signs).map_err(Failure::input)?;
            let crew = extent.crew(model, &property, &guide, search)?;
            extent.chases(&crew, runs, plan).map_err(Failure::broken)
        };
        match way {
            Way::Plain => {
                let flock =
                    |seed| Ok(Box::new(PlainSwarm::new(seed, extent.workers)) as Box<dyn Plan>);
                hunt("rdfs", &Signs::Labels(Vec::new()), extent.runs, &flock)
            }
            Way::Informed(treatment, search) => {
                let division = Division::new(model, &self.follow, treatment)?;
                let hive = |seed| Ok(Box::new(division.hive(model, seed)?) as Box<dyn Plan>);
                // Nothing is drawn where each step is a job.
                let runs = match treatment {
                    Treatment::Paper => extent.runs,
                    Treatment::Exact => 1,
                };
                hunt(search, &division.signs, runs, &hive)
            }
        }
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
        guide: &'a SubsystemSteps<'a>,
        search: &str,
    ) -> Result<Worker<'a>, Failure> {
        Ok(Worker {
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
        crew: &Worker<'_>,
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
    fn chase(&self, crew: &Worker<'_>, plan: &mut dyn Plan) -> Result<Chase, SwarmError> {
        let mut chase = Chase::default();
        while !chase.found && chase.jobs < self.max_jobs && self.stop.requested().is_none() {
            let wave: Vec<Job> = (0..self.workers).map_while(|_| plan.draw()).collect();
            if wave.is_empty() {
                break;
            }
            let mut reports = Vec::new();
            for job in wave {
                let done = crew.work(&job, &self.stop, &Silent)?;
                reports.push((job.id, done.result));
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
