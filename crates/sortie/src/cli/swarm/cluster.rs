//! Campaigns on a cluster: coordinator, worker, status.

use super::super::args::word;
use super::super::hunt::hunt_settings;
use super::super::output::{complain, print};
use super::super::units::{counted, grouped, time};
use super::super::{Failure, Outcome, Status, interrupt};
use super::coverage::Coverage;
use super::order::Order;
use clap::ArgMatches;
use sortie_model::{Stop, StopReason};
use sortie_report::table::Table;
use sortie_swarm::cluster::{
    CampaignEnd, ClusterError, ClusterOptions, CoordinatorOptions, Description, Login, Note,
    Notice, Phase, ShippedPlan, Tls, Wish, WorkerNotice, WorkerOptions, Workshop, coordinate,
    status, work,
};
use sortie_swarm::{Plan, Site};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// Few jobs wait for a worker: those drawn late know more.
const JOBS_PER_THREAD: usize = 2;
const LEAST_JOBS: usize = 4;

fn refused(error: ClusterError) -> Failure {
    match error {
        ClusterError::OtherCampaign(name) => Failure::input(format!(
            "there is a campaign '{name}' with another description (another model or other options); choose another name with --campaign, or begin anew with --fresh"
        )),
        ClusterError::Options(_) | ClusterError::Refused(_) => Failure::input(error),
        error => Failure::broken(error),
    }
}

/// The server that the command line names.
pub fn options(matches: &ArgMatches) -> Result<Option<ClusterOptions>, Failure> {
    let text = |name: &str| matches.get_one::<String>(name);
    let path = |name: &str| text(name).map(PathBuf::from);
    let secret = |name: &str| -> Result<String, Failure> {
        let file = text(name).expect("the name was given");
        match std::fs::read_to_string(file) {
            Ok(content) => Ok(content.trim().to_owned()),
            Err(error) => Err(Failure::input(format!("{file} cannot be read: {error}"))),
        }
    };
    let Some(servers) = text("nats") else {
        return Ok(None);
    };
    let mut options = ClusterOptions::new("", word(matches, "campaign"));
    let servers = servers.split(',').map(|server| server.trim().to_owned());
    options.servers = servers.collect();
    let mut given = vec!["creds", "nkey", "user", "token-file"];
    given.retain(|name| text(name).is_some());
    options.login = match given[..] {
        [] => Login::Anonymous,
        ["creds"] => Login::Credentials(path("creds").expect("it was given")),
        ["nkey"] => Login::Nkey(path("nkey").expect("it was given")),
        ["user"] => Login::Password {
            user: text("user").expect("it was given").clone(),
            password: secret("password-file")?,
        },
        ["token-file"] => Login::Token(secret("token-file")?),
        _ => {
            let ways = "--creds, --nkey, --user or --token-file";
            return Err(Failure::input(format!("log in one way: {ways}")));
        }
    };
    options.tls = Tls {
        required: matches.get_flag("tls"),
        authority: path("tls-ca"),
        client: path("tls-cert").zip(path("tls-key")),
    };
    if let Ok(Some(replicas)) = matches.try_get_one::<u64>("replicas") {
        options.replicas = *replicas as usize;
    }
    options.validate().map_err(refused)?;
    Ok(Some(options))
}

/// Coordinates a campaign until it ends, or until this process is told to stop.
pub fn lead(
    matches: &ArgMatches,
    cluster: &ClusterOptions,
    description: &Description<Order>,
    (plan, site): (&mut dyn Plan, &Site),
    stop: &Stop,
) -> Result<CampaignEnd, Failure> {
    let wait = word(matches, "ack-wait");
    let options = CoordinatorOptions {
        fresh: matches.get_flag("fresh"),
        ack_wait: time(wait).map_err(Failure::input)?,
        jobs_per_thread: JOBS_PER_THREAD,
        least_jobs: LEAST_JOBS,
        ..CoordinatorOptions::default()
    };
    let mut shipped = ShippedPlan {
        plan,
        description: description.encode(),
        site,
    };
    let quiet = matches.get_flag("quiet");
    let mut told = String::new();
    let mut say = |text: String| {
        if !quiet && text != told {
            complain(format_args!("{text}"));
            told = text;
        }
    };
    let mut observe = |notice: Notice| {
        match notice {
            Notice::Waiting(reason) => say(format!("waiting for the server: {reason}")),
            Notice::Began => say(format!(
                "campaign '{}' has begun; join with: sortie worker --nats {} --campaign {}",
                cluster.prefix,
                cluster.servers.join(","),
                cluster.prefix
            )),
            Notice::Resumed(tally) => {
                let (name, jobs) = (&cluster.prefix, counted(tally.results, "job"));
                say(format!("campaign '{name}' goes on after {jobs}"));
            }
            Notice::Progress(progress) => {
                let workers = counted(progress.workers as u64, "worker");
                let threads = counted(progress.threads as u64, "thread");
                say(format!("{workers} with {threads}"));
            }
        }
        match stop.requested() {
            None => Wish::GoOn,
            Some(StopReason::Clock) => Wish::Stop,
            Some(StopReason::Interrupt) => Wish::Leave,
        }
    };
    let ended = coordinate(cluster, &options, &mut shipped, &mut observe).map_err(refused)?;
    match ended.phase {
        Phase::Broken => Err(Failure::broken(&ended.message)),
        _ => Ok(ended),
    }
}

/// What a campaign on a cluster has to say beside its results.
pub fn words(ended: &CampaignEnd) -> String {
    let mut words = String::new();
    if ended.earlier {
        words += "the campaign had ended before; --fresh begins anew\n";
    }
    if ended.phase == Phase::Running {
        words += "the campaign goes on without a coordinator; the same command resumes it\n";
    }
    let tally = ended.tally;
    for (count, what) in [
        (tally.stale, "that came twice, counted once"),
        (tally.failures, "of a failure, tried again"),
        (tally.rejected, "that made no sense, rejected"),
    ] {
        if count > 0 {
            words += &format!("{} {what}\n", counted(count, "message"));
        }
    }
    words
}

/// `sortie swarm --status`
pub fn show_status(cluster: &ClusterOptions) -> Outcome {
    let campaign = status(cluster).map_err(refused)?;
    let phase = match campaign.phase {
        Phase::Running => "running",
        Phase::Finished => "finished",
        Phase::Stopped => "stopped; it can be resumed",
        Phase::Broken => &format!("broken: {}", campaign.message),
    };
    let mut text = format!(
        "campaign '{}': {phase}\n{}\n",
        cluster.prefix, campaign.logic
    );
    let tally = campaign.tally;
    for (what, count) in [
        ("jobs waiting or running", campaign.jobs),
        ("results waiting", campaign.results),
        ("stale", tally.stale),
        ("failed", tally.failures),
        ("rejected", tally.rejected),
    ] {
        text += &format!("{what}: {}\n", grouped(count));
    }
    if campaign.phase == Phase::Running {
        let silent = campaign.coordinator_silent.as_secs();
        text += &format!("coordinator last heard of: {silent} s ago\n");
    }
    if !campaign.workers.is_empty() {
        let mut table = Table::new(["worker", "threads", "jobs done", "last heard of"]);
        for worker in &campaign.workers {
            table.row([
                worker.name.clone(),
                worker.threads.to_string(),
                grouped(worker.done),
                format!("{} s ago", worker.silent.as_secs()),
            ]);
        }
        text += &table.text();
    }
    print(&text)?;
    Ok(Status::Fine)
}

/// `sortie worker`
pub fn run_worker(matches: &ArgMatches) -> Outcome {
    let cluster = options(matches)?.ok_or_else(|| Failure::input("which server?"))?;
    let text = |name: &str| matches.get_one::<String>(name);
    let quiet = matches.get_flag("quiet");
    let settings = hunt_settings(matches)?;
    let threads = settings.threads;
    let coverage = text("record-coverage").map(|name| Coverage::append(name));
    let note = coverage.transpose()?.map(|coverage| -> Arc<Note> {
        let coverage = Mutex::new(coverage);
        Arc::new(move |job, done| {
            let mut coverage = coverage.lock().unwrap_or_else(PoisonError::into_inner);
            coverage.note(job, done);
        })
    });
    let open = |order: &Order| match order.open() {
        Ok((_, site)) => Ok(site),
        Err(failure) => Err(failure.message),
    };
    let memory = settings.memory.map(|memory| memory / threads as u64);
    let workshop = Workshop::new(&open, memory, note);
    let stop = Stop::default();
    interrupt::listen(&stop);
    let options = WorkerOptions {
        threads,
        name: text("name").cloned().unwrap_or_default(),
        stay: matches.get_flag("stay"),
        ..WorkerOptions::default()
    };
    let name = &cluster.prefix;
    let mut observe = |notice: WorkerNotice| {
        let text = match notice {
            WorkerNotice::NoServer(reason) => format!("waiting for the server: {reason}"),
            WorkerNotice::NoCampaign => format!("waiting for a campaign '{name}'"),
            WorkerNotice::Joined(_) => format!("working for the campaign '{name}'"),
            WorkerNotice::Ended(how) => format!("the campaign is {how}"),
        };
        if !quiet {
            complain(format_args!("{text}"));
        }
    };
    let interrupted = || stop.requested().is_some();
    let report =
        work(&cluster, &options, &workshop, &interrupted, &mut observe).map_err(refused)?;
    if !quiet {
        print(&format!("{} done\n", counted(report.done, "job")))?;
    }
    Ok(Status::Fine)
}
