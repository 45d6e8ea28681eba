//! `sortie swarm`: share a state space among many small searches.

mod cluster;
mod coverage;
mod order;
mod subsystem;

use super::args::word;
use super::hunt::{hunt_settings, out_folder, status};
use super::hunt_report::{Report, SwarmWords};
use super::repeat::typed;
use super::stage::Stage;
use super::units::{counted, grouped};
use super::writes::Writes;
use super::{Failure, Outcome, interrupt};
use clap::ArgMatches;
use coverage::Coverage;
use order::Order;
use sortie_hunt::{Campaign, HuntSettings, Results, Target};
use sortie_model::{Event, Exactness, Model, Observer};
use sortie_report::json_lines::SwarmLine;
use sortie_swarm::cluster::Description;
use sortie_swarm::{
    FinishedJob, InformedSwarm, Job, LocalSettings, Pace, Subsystem, Swarm, SwarmKind, rule,
    run as carry_out,
};
use std::collections::BTreeMap;
use subsystem::{choose, describe, reason, refused, traces_in_words};

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
    let order = Order::of(matches)?;
    let mut search = order::search(matches)?;
    let settings = hunt_settings(matches)?;
    let limits = interrupt::begin(&settings);
    let budget = limits.budget();
    let (opened, site) = order.open()?;
    let text = |name: &str| matches.get_one::<String>(name);
    let out = out_folder(matches)?;
    let quiet = matches.get_flag("quiet");
    let writes = Writes::of(matches)?;
    let stage = Stage::of(matches, &writes, None)?;
    let coverage = text("record-coverage").map(|name| Coverage::create(name));
    let mut coverage = coverage.transpose()?;

    let model = &*site.model;
    let seed = settings.seed;
    let mut swarm = if matches.get_flag("plain") {
        Swarm::plain(seed, settings.runs.unwrap_or(PLAIN_RUNS))
    } else {
        let chosen = choose(matches, &opened, &budget.stop)?;
        search.signs = chosen.signs.clone();
        let rule = rule(word(matches, "select")).expect("the name was checked");
        Swarm::informed(model, chosen, rule, seed).map_err(refused)?
    };
    let steps = site.steps(&search).map_err(Failure::input)?;
    let (strategy, _) = search.strategy().map_err(Failure::input)?;
    // All jobs together are one run.
    let settings = HuntSettings {
        runs: None,
        ..settings
    };
    let threads = settings.threads;
    let model_settings = opened.settings.listed();
    let campaign = Campaign {
        model_settings: &model_settings,
        limits: Some(&limits),
        observer: &stage,
        ..Campaign::new(Target::Model(model, &site.properties), &settings)
    };
    stage.started(&campaign, strategy.name);
    let memory = budget.memory.map(|memory| memory / threads as u64);
    let worker = site.worker(&search, &steps, memory, coverage.is_some());
    let worker = worker.map_err(Failure::input)?;
    let local = LocalSettings {
        pace: match matches.get_one::<u64>("simulate-workers") {
            Some(workers) => Pace::Waves(*workers),
            None => Pace::Rolling(UNDER_WAY),
        },
        threads,
        max_jobs: matches.get_one::<u64>("max-jobs").copied(),
    };
    let mut listen = |job: &Job, done: &FinishedJob| {
        stage.event(&Event::RunEnded(done.summary(job)));
        if let Some(coverage) = &mut coverage {
            coverage.note(job, done);
        }
    };
    let mut told = None;
    if let Some(cluster) = &cluster {
        let description = Description::new(order, search, plan_in_words(&swarm, matches));
        let plan = (swarm.plan(), &site);
        let ended = cluster::lead(matches, cluster, &description, plan, &budget.stop)?;
        told = Some(cluster::words(&ended));
    } else {
        let (plan, stop, progress) = (swarm.plan(), &budget.stop, Progress(&stage));
        let carried = carry_out(plan, &worker, local, stop, &progress, &mut listen);
        carried.map_err(Failure::broken)?;
    }
    stage.progress.finish();
    let verdict = swarm.verdict(&budget.stop);
    let found = swarm.reported(&campaign, model);
    let (found, unreplayed) = found.map_err(Failure::broken)?;
    let results = Results {
        verdict,
        runs: vec![swarm.summary(&found)],
        found,
        exactness: Exactness::Exact,
        tally: BTreeMap::new(),
        estimates: None,
        unreplayed,
        program: None,
    };
    let mut words = words(&swarm, model);
    if let Some(told) = told {
        words.before += &told;
        // Which reports were there when a job was drawn is not recorded.
        words.limit = None;
    }
    let report = Report {
        words: &typed(),
        stage: &stage,
        suggested: false,
        campaign: &campaign,
        strategy: strategy.name,
        results: &results,
        out: out.as_deref(),
        model_name: text("model"),
        language: text("language"),
        swarm: Some(&words),
        writes: &writes,
        must_exhaust: matches.get_flag("require-exhausted"),
    };
    report.deliver(quiet)?;
    coverage.map_or(Ok(()), Coverage::finish)?;
    let (verdict, must_exhaust) = (&results.verdict, report.must_exhaust);
    Ok(status(verdict, &site.properties, must_exhaust))
}

/// Jobs only show progress: their other events would tell of parts of the state space as if they were the whole.
struct Progress<'a>(&'a Stage);

impl Observer for Progress<'_> {
    fn event(&self, _event: &Event) {}

    fn progress(&self, expanded: u64) {
        self.0.progress(expanded);
    }
}

/// What tells this plan from others for the same model.
fn plan_in_words(swarm: &Swarm, matches: &ArgMatches) -> String {
    let seed = swarm.seed();
    match &swarm.kind {
        SwarmKind::Plain(_) => {
            let runs = matches.get_one::<u64>("runs");
            format!("plain, seed {seed}, runs {runs:?}")
        }
        SwarmKind::Informed(chosen, _) => {
            let (select, chosen) = (word(matches, "select"), describe(chosen));
            format!("informed, seed {seed}, select {select}, {chosen}")
        }
    }
}

fn words(swarm: &Swarm, model: &dyn Model) -> SwarmWords {
    let tally = swarm.tally();
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
    let (kind, before) = match &swarm.kind {
        SwarmKind::Plain(_) => ("plain swarm of ", String::new()),
        SwarmKind::Informed(chosen, plan) => {
            let traces = chosen.traces.total(0);
            line.subsystem = chosen.names.clone();
            let graph = chosen.traces.graph();
            line.subsystem_states = graph.map(|graph| graph.nodes().len() as u64);
            line.traces = traces.to_string();
            line.cut = chosen.traces.bound().map(|bound| bound as u64);
            line.generations = plan.generations();
            line.seeds = plan.seeds();
            line.ranges = plan.ranges() as u64;
            after += &match plan.generations() {
                ..=1 => format!(" for {}", traces_in_words(&traces)),
                several => {
                    let [several, seeds] = [several, plan.seeds()].map(grouped);
                    format!(" in {several} generations from {seeds} states")
                }
            };
            ("informed swarm of ", before(chosen, plan, model))
        }
    };
    if tally.cut_short > 0 {
        after += &format!("; {} cut short", counted(tally.cut_short, "job"));
    }
    let counts = [tally.largest, tally.visited, tally.transitions];
    let [largest, all, steps] = counts.map(grouped);
    after += &format!("\nstates: the largest {largest}, together {all}; {steps} transitions");
    SwarmWords {
        kind: kind.into(),
        before,
        after,
        line,
        limit: Some(format!("--max-jobs {}", tally.jobs)),
    }
}

fn before(chosen: &Subsystem, plan: &InformedSwarm, model: &dyn Model) -> String {
    let mut before = reason(chosen, model) + &describe(chosen);
    for label in plan.foreign() {
        let words = "which it was not said to do here";
        before += &format!("not followed: the subsystem did {label}, {words}\n");
    }
    before
}
