//! Campaigns of the program itself on a real server: processes are killed, the server is restarted, and nothing is lost.

#![cfg(unix)]

mod program;
#[path = "../../sortie-swarm/tests/cluster/server.rs"]
#[allow(dead_code, reason = "each test file uses its own part")]
mod server;

use program::{check, folder, text};
use serde_json::Value;
use server::Server;
use sortie_report::json_lines::{Line, SwarmLine};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

fn model(name: &str) -> String {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    path.join(name).display().to_string()
}

/// The program in the background.
fn start(dir: &Path, arguments: &[&str], output: &str) -> Child {
    let output = fs::File::create(dir.join(output)).expect("the test's own file");
    Command::new(env!("CARGO_BIN_EXE_sortie"))
        .current_dir(dir)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(output.try_clone().expect("a file can be shared"))
        .stderr(output)
        .spawn()
        .expect("the program can be started")
}

fn worker(dir: &Path, url: &str, name: &str) -> Child {
    let given = ["worker", "--nats", url, "--threads", "1", "--name", name];
    let record = format!("{name}.jsonl");
    let given = [&given[..], &["--record-coverage", &record]].concat();
    start(dir, &given, &format!("{name}.txt"))
}

/// What a worker has recorded, by job; a line that a kill has cut off does not count.
fn recorded(dir: &Path, name: &str) -> Vec<(u64, BTreeSet<String>)> {
    let text = fs::read_to_string(dir.join(format!("{name}.jsonl"))).unwrap_or_default();
    let lines = text
        .lines()
        .map_while(|line| serde_json::from_str::<Value>(line).ok());
    let line = |line: Value| {
        let prints = line["fingerprints"].as_array().cloned().unwrap_or_default();
        let prints = prints.iter().filter_map(Value::as_str).map(str::to_owned);
        (line["job"].as_u64().expect("a number"), prints.collect())
    };
    lines.map(line).collect()
}

/// Waits for something that is bound to happen.
fn wait_until(what: &str, mut happened: impl FnMut() -> bool) {
    for _ in 0..6000 {
        if happened() {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("in vain: {what}");
}

fn swarm_line(path: &Path) -> Box<SwarmLine> {
    let text = fs::read_to_string(path).expect("it was written");
    let lines = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("the schema"));
    lines
        .into_iter()
        .find_map(|line| match line {
            Line::Swarm(swarm) => Some(swarm),
            _ => None,
        })
        .expect("a line about the swarm")
}

#[test]
fn kills_and_restarts_lose_nothing_and_count_nothing_twice() {
    let dir = folder("cluster-kills");
    let german = model("german.mcrl2");
    let wanted = [
        "--action",
        "nothing",
        "--runs",
        "1",
        "--record-coverage",
        "whole.jsonl",
    ];
    check(
        &dir,
        &[&["swarm", &german, "--plain"][..], &wanted].concat(),
        0,
        "exhausted",
    );
    let all = recorded(&dir, "whole").pop().expect("one run").1;

    let Some(mut server) = Server::started(&[]) else {
        return;
    };
    let url = server.url();
    let lead = [
        "swarm",
        &german,
        "--subsystem",
        "Client",
        "--cut",
        "1",
        "--action",
        "nothing",
    ];
    let on = ["--nats", &url, "--ack-wait", "2s", "--json", "events.jsonl"];
    let lead = [&lead[..], &on].concat();
    let mut coordinator = start(&dir, &lead, "first.txt");
    let names = ["ann", "bob", "cat", "dan"];
    let mut workers: Vec<Child> = names.iter().map(|name| worker(&dir, &url, name)).collect();
    // A worker that has just recorded a job is in the middle of the next one, or about to begin it.
    for (place, name) in names.iter().enumerate().take(2) {
        wait_until("a worker does jobs", || {
            recorded(&dir, name).len() > 2 + place
        });
        workers[place].kill().expect("it can be killed");
        workers[place].wait().expect("it has ended");
    }
    coordinator.kill().expect("it can be killed");
    coordinator.wait().expect("it has ended");
    server.kill();
    server.start();
    let left = || recorded(&dir, "cat").len() + recorded(&dir, "dan").len();
    let done = left();
    let mut coordinator = start(&dir, &lead, "second.txt");
    let ended = coordinator.wait().expect("it ends");
    let shown = fs::read_to_string(dir.join("second.txt")).expect("it was written");
    assert!(ended.success(), "{shown}");
    assert!(shown.contains("goes on after"), "{shown}");
    assert!(
        shown.contains("exhausted: every reachable state"),
        "{shown}"
    );
    for worker in &mut workers[2..] {
        assert!(worker.wait().expect("it ends").success());
    }
    assert!(left() > done, "workers go on after all that");

    let mut jobs: BTreeMap<u64, BTreeSet<String>> = BTreeMap::new();
    for (job, states) in names.iter().flat_map(|name| recorded(&dir, name)) {
        let known = jobs.entry(job).or_insert_with(|| states.clone());
        assert_eq!(*known, states, "a job that was done twice is the same");
    }
    let union: BTreeSet<String> = jobs.values().flatten().cloned().collect();
    assert_eq!(union.len(), all.len());
    assert_eq!(union, all);
    let swarm = swarm_line(&dir.join("events.jsonl"));
    assert_eq!(swarm.jobs, jobs.len() as u64, "every job is counted once");
    let last = jobs.keys().next_back().copied();
    assert_eq!(last, Some(swarm.jobs - 1), "no job is lost");
}

#[test]
fn a_find_on_a_cluster_is_replayed_and_ends_the_campaign() {
    let dir = folder("cluster-find");
    let Some(server) = Server::started(&[]) else {
        return;
    };
    let url = server.url();
    let mut workers = [worker(&dir, &url, "ann"), worker(&dir, &url, "bob")];
    let drm = model("drm.mcrl2");
    let lead = [
        "swarm",
        &drm,
        "--set",
        "forgetful=true",
        "--action",
        "unfair",
    ];
    let on = ["--nats", &url, "--subsystem", "Player", "--out", "results"];
    let lead = [&lead[..], &on].concat();
    let shown = check(&dir, &lead, 1, "found: action unfair");
    assert!(shown.contains("unfair("), "{shown}");
    for worker in &mut workers {
        assert!(worker.wait().expect("it ends").success());
    }
    let witness = "results/1-action-unfair.witness";
    let replay = ["replay", &drm, witness, "--set", "forgetful=true"];
    check(&dir, &replay, 0, "reproduced");
    // What has ended is not done again, and can be looked at.
    let again = check(&dir, &lead, 1, "found: action unfair");
    assert!(again.contains("had ended before"), "{again}");
    let status = ["swarm", "--nats", &url, "--status"];
    let status = check(&dir, &status, 0, "campaign 'sortie': finished");
    assert!(status.contains("jobs done"), "{status}");
    // Another campaign under the same name is refused.
    let other = ["swarm", &drm, "--subsystem", "Shop", "--nats", &url];
    check(&dir, &other, 2, "another description");
}

/// Seeds instead of traces, on the same workers.
#[test]
fn plain_campaigns_run_on_the_same_workers() {
    let dir = folder("cluster-plain");
    let Some(server) = Server::started(&[]) else {
        return;
    };
    let url = server.url();
    let mut ann = worker(&dir, &url, "ann");
    let abp = model("abp.mcrl2");
    let lead = [
        "swarm",
        &abp,
        "--plain",
        "--strategy",
        "random",
        "--walks",
        "5",
        "--runs",
        "20",
    ];
    let on = ["--nats", &url, "--campaign", "sortie"];
    let shown = check(&dir, &[&lead[..], &on].concat(), 0, "spent: no deadlock");
    assert!(shown.contains("20 jobs"), "{shown}");
    assert!(ann.wait().expect("it ends").success());
    assert_eq!(recorded(&dir, "ann").len(), 20);
    let absent = ["swarm", "--nats", "nats://127.0.0.1:1", "--status"];
    check(&dir, &absent, 3, "no NATS server answers");
    let output = fs::read(dir.join("ann.txt")).expect("it was written");
    assert!(text(&output).contains("20 jobs done"));
}
