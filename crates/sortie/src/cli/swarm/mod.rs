//! `sortie swarm`: share a state space among many small searches.

mod cluster;
mod coverage;
mod order;
mod subsystem;

use super::hunt::{limits, out_folder, status, threads};
use super::hunt_report::{Report, SwarmWords};
use super::stage::{Rounds, Stage};
use super::units::{counted, grouped};
use super::writes::Writes;
use super::{Failure, Outcome, interrupt};
use clap::ArgMatches;
use coverage::Coverage;
use order::{Order, Site};
use sortie_hunt::{Campaign, Clock, Reported, Results};
use sortie_model::{
    Counts, Event, Exactness, Observer, Precision, RunSummary, Spending, Stop, Verdict,
};
use sortie_report::json_lines::SwarmLine;
use sortie_search::Found;
use sortie_swarm::{
    Course, Crew, Done, Ending, Flock, Guide, Hive, Job, Pace, Plan, Tally, Task, follow,
    initial_seed, rule, run as carry_out,
};
use std::collections::BTreeMap;
use subsystem::{Chosen, choose, traces_in_words};

/// How many plain searches there are if nothing is said.
const PLAIN_RUNS: u64 = 10;

/// So many jobs may be under way before their reports count.
const UNDER_WAY: u64 = 16;

/// `sortie worker`: do jobs of a campaign on a cluster.
pub fn work(matches: &ArgMatches) -> Outcome {
    cluster::run_worker(matches)
}

pub fn run(matches: &ArgMatches) -> Outcome {
    let cluster = cluster::options(matches)?;
    if let (Some(cluster), true) = (&cluster, matches.get_flag("status")) {
        return cluster::show_status(cluster);
    }
    let mut order = Order::of(matches)?;
    let (budget, time) = limits(matches)?;
    let site = order.open()?;
    let text = |name: &str| matches.get_one::<String>(name);
    let out = out_folder(matches)?;
    let quiet = matches.get_flag("quiet");
    let writes = Writes::of(matches)?;
    let stage = Stage::new(text("json").map(String::as_str), !quiet, None)?
        .leaving_stdout(writes.to_stdout());
    interrupt::listen(&budget.stop);
    let mut coverage = text("record-coverage")
        .map(|name| Coverage::create(name))
        .transpose()?;

    let clock = time.map(|time| Clock::start(time, budget.stop.clone()));
    let mut swarm = Swarm::new(matches, &site, &budget.stop)?;
    if let Kind::Informed(chosen, _) = &swarm.kind {
        order.signs = chosen.signs.clone();
    }
    let model = &*site.opened.model;
    let guide = Guide::new(model, &order.signs).map_err(Failure::input)?;
    let (strategy, options) = order.strategy()?;
    let threads = threads(matches);
    let campaign = Campaign {
        model,
        properties: &site.properties,
        strategy,
        options: options.clone(),
        settings: site.opened.settings.listed(),
        budget: budget.clone(),
        time,
        seed: swarm.seed,
        runs: 1,
        threads,
        keep_going: false,
        paper_counts: false,
        shorten: !matches.get_flag("no-shorten"),
        fitness: None,
        keeper: None,
        observer: &stage,
    };
    tell_start(&stage, &campaign);
    let crew = Crew {
        model,
        properties: &site.properties,
        guide: &guide,
        strategy,
        options,
        max_states: budget.max_states,
        memory: budget.memory.map(|memory| memory / threads as u64),
        records: coverage.is_some(),
    };
    let course = Course {
        pace: match matches.get_one::<u64>("simulate-workers") {
            Some(workers) => Pace::Waves(*workers),
            None => Pace::Rolling(UNDER_WAY),
        },
        threads,
        max_jobs: matches.get_one::<u64>("max-jobs").copied(),
    };
    let mut listen = |job: &Job, done: &Done| {
        stage.event(&Event::RunEnded(run_summary(job, done)));
        if let Some(coverage) = &mut coverage {
            coverage.note(job, done);
        }
    };
    let mut told = None;
    if let Some(cluster) = &cluster {
        let words = swarm.plan_in_words(matches);
        let plan = (swarm.plan(), words);
        let ended = cluster::lead(matches, cluster, (&order, &site), plan, &budget.stop)?;
        told = Some(cluster::words(&ended));
    } else {
        let carried = carry_out(
            swarm.plan(),
            &crew,
            course,
            &budget.stop,
            &Progress(&stage),
            &mut listen,
        );
        carried.map_err(Failure::broken)?;
    }
    drop(clock);
    stage.progress.finish();
    let verdict = swarm.verdict(&budget.stop);
    let found = reported(&campaign, swarm.tally())?;
    let results = Results {
        verdict,
        runs: vec![swarm.summary(&found)],
        found,
        exactness: Exactness::Exact,
        tally: BTreeMap::new(),
        estimates: None,
    };
    let mut words = swarm.words();
    if let Some(told) = told {
        words.before += &told;
        // Which reports were there when a job was drawn is not recorded.
        words.limit = None;
    }
    let command: Vec<String> = std::env::args().skip(1).collect();
    let report = Report {
        words: &command,
        size: None,
        rounds: Rounds::default(),
        suggested: false,
        campaign: &campaign,
        results: &results,
        out: out.as_deref(),
        model_name: text("model"),
        language: text("language"),
        saturation: None,
        swarm: Some(&words),
        writes: &writes,
        must_exhaust: matches.get_flag("require-exhausted"),
    };
    report.deliver(&stage, quiet)?;
    coverage.map_or(Ok(()), Coverage::finish)?;
    let require_exhausted = matches.get_flag("require-exhausted");
    Ok(status(
        &results.verdict,
        &site.properties,
        require_exhausted,
    ))
}

fn tell_start(stage: &Stage, campaign: &Campaign<'_>) {
    stage.event(&Event::Started {
        model: campaign.model.identity(),
        settings: campaign.settings.clone(),
        strategy: campaign.strategy.name.into(),
        options: campaign.options.listed(),
        properties: campaign.properties.iter().map(|p| p.name()).collect(),
        seed: campaign.seed,
        runs: campaign.runs,
    });
}

/// Jobs only show progress: their other events would tell of parts of the state space as if they were the whole.
struct Progress<'a>(&'a Stage);

impl Observer for Progress<'_> {
    fn event(&self, _event: &Event) {}

    fn progress(&self, expanded: u64) {
        self.0.progress(expanded);
    }
}

/// What was found, replayed and shortened.
fn reported(campaign: &Campaign<'_>, tally: &Tally) -> Result<Vec<Reported>, Failure> {
    let Some(report) = &tally.found else {
        return Ok(Vec::new());
    };
    let mut reported = Vec::new();
    for discovery in &report.found {
        let trace = follow(campaign.model, &discovery.path).map_err(Failure::broken)?;
        let found = Found {
            property: discovery.property,
            trace,
            record: None,
            cycle: None,
        };
        let job = tally.found_by.unwrap_or(0);
        let shown = campaign.report(job, &found, tally.expanded);
        reported.push(shown.map_err(Failure::broken)?);
    }
    Ok(reported)
}

fn run_summary(job: &Job, done: &Done) -> RunSummary {
    let report = &done.report;
    RunSummary {
        run: job.id,
        seed: match job.task {
            Task::Plain { seed } | Task::Informed { seed, .. } => seed,
        },
        verdict: match report.ending {
            Ending::Found => Verdict::Found,
            Ending::Exhausted => Verdict::Exhausted,
            Ending::Spent(limit) => Verdict::Spent(limit.into()),
        },
        found: report.found.len() as u64,
        counts: Counts {
            visited: report.visited,
            expanded: report.expanded,
            considered: report.visited,
            precision: Precision::AtLeast,
            transitions: report.transitions,
            depth: report.depth,
        },
        trace: report.found.first().map(|found| found.path.len() as u64),
        shortened: None,
        unseen_ppm: None,
    }
}

/// A swarm that was asked for.
struct Swarm {
    kind: Kind,
    seed: u64,
}

enum Kind {
    Informed(Box<Chosen>, Box<Hive>),
    Plain(Box<Flock>),
}

impl Swarm {
    fn new(matches: &ArgMatches, site: &Site, stop: &Stop) -> Result<Swarm, Failure> {
        let number = |name: &str| *matches.get_one::<u64>(name).expect("there is a default");
        let seed = number("seed");
        if matches.get_flag("plain") {
            let runs = matches.get_one::<u64>("runs").copied();
            let kind = Kind::Plain(Box::new(Flock::new(seed, runs.unwrap_or(PLAIN_RUNS))));
            return Ok(Swarm { kind, seed });
        }
        let chosen = choose(matches, &site.opened, stop)?;
        let select = matches.get_one::<String>("select");
        let rule = rule(select.expect("there is a default")).expect("the name was checked");
        let start = initial_seed(&*site.opened.model).map_err(Failure::broken)?;
        let hive = Hive::new(chosen.ways.clone(), rule, chosen.ends, seed, start);
        Ok(Swarm {
            kind: Kind::Informed(Box::new(chosen), Box::new(hive)),
            seed,
        })
    }

    /// What tells this plan from others for the same model.
    fn plan_in_words(&self, matches: &ArgMatches) -> String {
        match &self.kind {
            Kind::Plain(_) => {
                format!(
                    "plain, seed {}, runs {:?}",
                    self.seed,
                    matches.get_one::<u64>("runs")
                )
            }
            Kind::Informed(chosen, _) => format!(
                "informed, seed {}, select {}, {}",
                self.seed,
                matches
                    .get_one::<String>("select")
                    .expect("there is a default"),
                chosen.describe()
            ),
        }
    }

    fn plan(&mut self) -> &mut dyn Plan {
        match &mut self.kind {
            Kind::Informed(_, hive) => &mut **hive,
            Kind::Plain(flock) => &mut **flock,
        }
    }

    fn tally(&self) -> &Tally {
        match &self.kind {
            Kind::Informed(_, hive) => hive.tally(),
            Kind::Plain(flock) => flock.tally(),
        }
    }

    fn verdict(&self, stop: &Stop) -> Verdict {
        let tally = self.tally();
        let (finished, covered) = match &self.kind {
            Kind::Informed(_, hive) => (hive.is_finished(), tally.limit.is_none()),
            Kind::Plain(flock) => (flock.is_finished(), flock.is_exhausted()),
        };
        if tally.found.is_some() {
            return Verdict::Found;
        }
        if finished && covered {
            return Verdict::Exhausted;
        }
        let limit = tally.limit.map(Spending::from);
        Verdict::Spent(match (stop.requested(), limit) {
            (Some(reason), _) => Spending::Stopped(reason),
            (None, Some(limit)) => limit,
            (None, None) => Spending::Jobs,
        })
    }

    /// All jobs as one run.
    fn summary(&self, found: &[Reported]) -> RunSummary {
        let tally = self.tally();
        RunSummary {
            run: 0,
            seed: self.seed,
            verdict: self.verdict(&Stop::default()),
            found: found.len() as u64,
            counts: Counts {
                visited: tally.visited,
                expanded: tally.expanded,
                considered: tally.visited,
                precision: Precision::AtLeast,
                transitions: tally.transitions,
                depth: tally.depth,
            },
            trace: found.first().map(|found| found.witness.raw_length),
            shortened: found.first().map(|found| found.trace.len() as u64),
            unseen_ppm: None,
        }
    }

    fn words(&self) -> SwarmWords {
        let tally = self.tally();
        let mut line = SwarmLine {
            subsystem: Vec::new(),
            subsystem_states: None,
            traces: "0".into(),
            cut: None,
            generations: 1,
            seeds: 1,
            ranges: 0,
            jobs: tally.jobs,
            largest: tally.largest,
            total: tally.visited,
            cut_short: tally.cut_short,
        };
        let mut after = counted(tally.jobs, "job");
        let (kind, before) = match &self.kind {
            Kind::Plain(_) => ("plain swarm of ", String::new()),
            Kind::Informed(chosen, hive) => {
                let traces = chosen.ways.total(0);
                line.subsystem = chosen.names.clone();
                line.subsystem_states = chosen.ways.graph().map(|graph| graph.nodes().len() as u64);
                line.traces = traces.to_string();
                line.cut = chosen.ways.bound().map(|bound| bound as u64);
                line.generations = hive.generations();
                line.seeds = hive.seeds();
                line.ranges = hive.ranges() as u64;
                if hive.generations() > 1 {
                    after += &format!(
                        " in {} generations from {} states",
                        grouped(hive.generations()),
                        grouped(hive.seeds())
                    );
                } else {
                    after += &format!(" for {}", traces_in_words(&traces));
                }
                ("informed swarm of ", before(chosen, hive))
            }
        };
        if tally.cut_short > 0 {
            after += &format!("; {} cut short", counted(tally.cut_short, "job"));
        }
        after += &format!(
            "\nstates: the largest {}, together {}; {} transitions",
            grouped(tally.largest),
            grouped(tally.visited),
            grouped(tally.transitions)
        );
        SwarmWords {
            kind: kind.into(),
            before,
            after,
            line,
            limit: Some(format!("--max-jobs {}", tally.jobs)),
        }
    }
}

fn before(chosen: &Chosen, hive: &Hive) -> String {
    let mut before = chosen.reason.clone() + &chosen.describe();
    for label in hive.foreign() {
        before +=
            &format!("not followed: the subsystem did {label}, which it was not said to do here\n");
    }
    before
}
