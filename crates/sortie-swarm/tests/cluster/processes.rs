//! Real processes, killed for real.

use crate::server::Server;
use crate::toy::{Adders, Sum, Task};
use crate::{hasty, threads};
use sortie_swarm::cluster::{ClusterOptions, Notice, Phase, Wish, coordinate, work};
use std::io::{BufRead, BufReader, Lines};
use std::process::{Child, ChildStderr, Command, Stdio};

const ROLE: &str = "SORTIE_CLUSTER_ROLE";
const URL: &str = "SORTIE_CLUSTER_URL";
const BALLAST: &str = "SORTIE_CLUSTER_BALLAST";

/// Enough work that every kill comes in the middle of it. With ballast, state and results go in chunks.
fn task(ballast: usize) -> Task {
    Task {
        numbers: 400_000,
        small: 200,
        rounds: 400,
        ballast,
    }
}

/// This test program, run again in another role. It talks on standard error, one line at a time.
struct Process {
    child: Child,
    lines: Lines<BufReader<ChildStderr>>,
}

impl Process {
    fn start(role: &str, server: &Server, task: &Task) -> Process {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["processes::in_another_role", "--exact", "--nocapture"])
            .env(ROLE, role)
            .env(URL, server.url())
            .env(BALLAST, task.ballast.to_string())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        Process { child, lines }
    }

    /// Reads on until a line begins so; the rest of it.
    fn wait_for(&mut self, beginning: &str) -> String {
        for line in &mut self.lines {
            let line = line.unwrap();
            if let Some(rest) = line.strip_prefix(beginning) {
                return rest.trim().to_owned();
            }
            assert!(!line.contains("panicked"), "{line}");
        }
        panic!("it ended without saying `{beginning}`");
    }

    /// Reads on until so many results were counted.
    fn wait_for_results(&mut self, least: u64) {
        while self.wait_for("results ").parse::<u64>().unwrap() < least {}
    }

    /// SIGKILL, by going out of scope.
    fn kill(self) {}

    fn end(mut self) {
        for line in &mut self.lines {
            line.unwrap();
        }
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Does nothing unless this process was started by [`Process::start`].
#[test]
fn in_another_role() {
    let (Ok(role), Ok(url)) = (std::env::var(ROLE), std::env::var(URL)) else {
        return;
    };
    let task = task(std::env::var(BALLAST).unwrap().parse().unwrap());
    let mut cluster = ClusterOptions {
        patience: std::time::Duration::from_secs(2),
        ..ClusterOptions::new(url, "toy")
    };
    cluster.limits.message = 2048;
    match role.as_str() {
        "coordinator" => {
            let mut sum = Sum::new(&task);
            let outcome = coordinate(&cluster, &hasty(), &mut sum, &mut |notice| {
                match notice {
                    Notice::Progress(progress) => eprintln!("results {}", progress.tally.results),
                    other => eprintln!("{other:?}"),
                }
                Wish::GoOn
            })
            .unwrap();
            assert_eq!(outcome.phase, Phase::Finished);
            eprintln!("tally {:?}", outcome.tally);
            eprintln!("jobs {}", outcome.tally.jobs);
            eprintln!("counted {}", outcome.tally.results);
            eprintln!("sum {}", sum.sum());
        }
        "worker" => {
            let report = work(
                &cluster,
                &threads(1),
                &Adders::plain(),
                &|| false,
                &mut |_| {},
            )
            .unwrap();
            eprintln!("done {}", report.done);
        }
        "victim" => {
            let endless = Adders::with(|_| {
                eprintln!("begun");
                loop {
                    std::thread::park();
                }
            });
            work(&cluster, &threads(1), &endless, &|| false, &mut |_| {}).unwrap();
        }
        other => panic!("there is no role {other}"),
    }
}

#[test]
fn whoever_is_killed_nothing_is_lost_and_nothing_counted_twice() {
    kill_everyone(&task(0));
}

#[test]
fn whoever_is_killed_chunks_fit_together() {
    kill_everyone(&task(4000));
}

fn kill_everyone(task: &Task) {
    let Some(mut server) = Server::started(&[]) else {
        return;
    };
    let mut coordinator = Process::start("coordinator", &server, task);
    let workers = [(); 2].map(|()| Process::start("worker", &server, task));
    // The first job has to be split before there are others for the victims to take. From then on the campaign cannot
    // end before they are killed, as each of them holds a job.
    coordinator.wait_for_results(100);
    let mut victims = [(); 2].map(|()| Process::start("victim", &server, task));
    for victim in &mut victims {
        victim.wait_for("begun");
    }
    let [first, second] = victims;
    coordinator.wait_for_results(300);
    coordinator.kill();
    let mut coordinator = Process::start("coordinator", &server, task);
    coordinator.wait_for("Resumed");
    first.kill();
    coordinator.wait_for_results(1000);
    server.kill();
    server.start();
    coordinator.wait_for_results(2000);
    second.kill();
    coordinator.wait_for("tally");
    assert_eq!(coordinator.wait_for("jobs "), task.jobs().to_string());
    assert_eq!(coordinator.wait_for("counted "), task.jobs().to_string());
    assert_eq!(coordinator.wait_for("sum "), task.sum().to_string());
    coordinator.end();
    workers.into_iter().for_each(Process::end);
}
