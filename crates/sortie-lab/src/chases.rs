//! Swarms after bugs: what a plain and an informed swarm visit until one of their workers finds something.

use crate::division::{Division, Followed, Treatment, crew};
use crate::report::{Report, Sheet};
use crate::settings;
use crate::study::{About, Kind, Planned, Results, Rows, Setting};
use anyhow::{Error, Result};
use serde::{Deserialize, Serialize};
use sortie_hunt::mean;
use sortie_model::{Model, Silent, Stop};
use sortie_property::PropertyKind;
use sortie_report::table::Table;
use sortie_swarm::{Ending, Job, PlainSwarm, Plan, Signs, SubsystemSteps, SwarmError, Worker};

/// The size of each row with `--quick`.
const QUICK_RUNS: u64 = 2;
const QUICK_JOBS: u64 = 40;
const QUICK_STATES: u64 = 20_000;

/// Models with something to find.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chases {
    seed: u64,
    /// Swarms per row.
    runs: u64,
    workers: u64,
    /// The number of jobs that a swarm may have.
    max_jobs: u64,
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    name: String,
    model: String,
    #[serde(default)]
    set: toml::Table,
    property: String,
    follow: Followed,
}

/// The states that a swarm visited until the first find, if there was one.
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
pub struct Chase {
    found: bool,
    jobs: u64,
    /// States visited by all workers.
    together: u64,
    /// States visited one after another: by the slowest worker of each wave, and by the finder of the last.
    in_turn: u64,
    /// States visited by the largest job.
    largest: u64,
}

/// The numbers of runs and jobs, and their limits.
struct Extent {
    seed: u64,
    runs: u64,
    workers: u64,
    max_jobs: u64,
    /// The number of states that a job may expand.
    max_states: Option<u64>,
    stop: Stop,
}

/// The swarms that each case goes through.
#[derive(Clone, Copy)]
pub enum Way {
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
            Way::Informed(treatment, search) => {
                let exact = ["", ", exact"][usize::from(treatment == Treatment::Exact)];
                format!("{}{exact}, {search}", followed.name)
            }
        }
    }
}

impl Chases {
    fn extent(&self, setting: &Setting) -> Extent {
        let runs = setting.or_quick(QUICK_RUNS, self.runs);
        Extent {
            seed: self.seed,
            runs: setting.runs.unwrap_or(runs),
            workers: self.workers,
            max_jobs: setting.or_quick(QUICK_JOBS, self.max_jobs),
            max_states: setting.quick.then_some(QUICK_STATES),
            stop: setting.stop.clone(),
        }
    }
}

impl Kind for Chases {
    type Row<'a> = (&'a Case, Way);
    type Result = Vec<Chase>;

    fn rows(&self, setting: &Setting) -> Rows<'_, Self> {
        let extent = self.extent(setting);
        let swarms = format!("{} {} {}", extent.seed, extent.runs, extent.workers);
        let jobs = format!("{} {:?}", extent.max_jobs, extent.max_states);
        let all = self.case.iter();
        let all = all.flat_map(|case| WAYS.map(|way| (case, way)));
        let planned = all.map(|row @ (case, way)| Planned {
            definition: format!(
                "{:?} {} {:?} {swarms} {jobs}",
                case.set, case.property, case.follow
            ),
            ..Planned::new(&case.name, &way.name(&case.follow), &case.model, row)
        });
        Ok(planned.collect())
    }

    fn measure(&self, &(case, way): &(&Case, Way), about: About<'_>) -> Result<Vec<Chase>> {
        let opened = about.open(settings(&[&case.set]))?;
        case.chase(&*opened.model, way, &self.extent(about.setting))
    }

    fn report(&self, results: Results<'_, Self>, about: About<'_>, report: &mut Report) {
        let heads = "case | search | runs | found % | jobs | together | in turn | largest";
        let mut table = Table::new(heads.split(" | "));
        for ((case, way), chases) in results {
            table.row(case.row(&way.name(&case.follow), &chases));
        }
        let note = format!("{QUICK_RUNS} runs of at most {QUICK_JOBS} jobs, so no result");
        let quick = about.setting.quick_note(&note);
        report.setting = format!("; {} workers, seed {}{quick}", self.workers, self.seed);
        report.sheets.push(Sheet::plain(table));
    }
}

impl Case {
    fn chase(&self, model: &dyn Model, way: Way, extent: &Extent) -> Result<Vec<Chase>> {
        let property = [PropertyKind::parse(&self.property).property()?];
        let hunt = |search: &str, signs: &Signs, runs: u64, plan: &PlanOf<'_>| -> Result<_> {
            let guide = SubsystemSteps::new(model, signs).map_err(Error::msg)?;
            let crew = Worker {
                max_states: extent.max_states,
                ..crew(model, &property, &guide, search)?
            };
            let runs = (0..runs).take_while(|_| extent.stop.requested().is_none());
            runs.map(|run| Ok(extent.chase(&crew, &mut *plan(extent.seed + run)?)?))
                .collect()
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
type PlanOf<'a> = dyn Fn(u64) -> Result<Box<dyn Plan>, SwarmError> + 'a;

impl Extent {
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
