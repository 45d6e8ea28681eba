//! Campaigns over a real nats-server on loopback. Where there is none, these tests skip, saying so.

mod doors;
mod processes;
mod server;
mod strangers;
mod throughput;
mod toy;

use server::{Server, has};
use sortie_swarm::cluster::{
    CampaignEnd, ClusterError, ClusterOptions, CoordinatorOptions, Login, Notice, Phase, Wish,
    WorkerNotice, WorkerOptions, WorkerReport, coordinate, status, work,
};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc;
use std::time::Duration;
use toy::{Adders, Sum, Task};

const TASK: Task = Task {
    numbers: 3000,
    small: 50,
    rounds: 1,
    ballast: 0,
};

fn options(server: &Server) -> ClusterOptions {
    ClusterOptions {
        patience: Duration::from_secs(2),
        ..ClusterOptions::new(server.url(), "toy")
    }
}

/// Short waiting times, as tests kill workers.
fn hasty() -> CoordinatorOptions {
    CoordinatorOptions {
        ack_wait: Duration::from_secs(1),
        ..CoordinatorOptions::default()
    }
}

fn threads(threads: usize) -> WorkerOptions {
    WorkerOptions {
        threads,
        ..WorkerOptions::default()
    }
}

fn go_on(_: Notice) -> Wish {
    Wish::GoOn
}

fn add(cluster: &ClusterOptions, adders: &Adders) -> Result<WorkerReport, ClusterError> {
    work(cluster, &threads(2), adders, &|| false, &mut |_| {})
}

/// Coordinator and one worker, to the end.
fn campaign(
    cluster: &ClusterOptions,
    options: &CoordinatorOptions,
    task: &Task,
) -> (CampaignEnd, Sum) {
    let mut sum = Sum::new(task);
    let worker = WorkerOptions {
        stay: true,
        ..threads(2)
    };
    let over = AtomicBool::new(false);
    let interrupted = || over.load(Ordering::Relaxed);
    let outcome = std::thread::scope(|scope| {
        scope.spawn(|| {
            work(
                cluster,
                &worker,
                &Adders::plain(),
                &interrupted,
                &mut |_| {},
            )
            .unwrap();
        });
        let outcome = coordinate(cluster, options, &mut sum, &mut go_on);
        over.store(true, Ordering::Relaxed);
        outcome.unwrap()
    });
    (outcome, sum)
}

fn check(outcome: &CampaignEnd, sum: &Sum, task: &Task) {
    assert_eq!(outcome.phase, Phase::Finished, "{outcome:?}");
    assert_eq!(sum.sum(), task.sum());
    assert_eq!(outcome.tally.results, task.jobs());
    assert_eq!(outcome.tally.jobs, task.jobs());
}

#[test]
fn everyone_may_come_first() {
    if !has("nats-server") {
        return;
    }
    let mut server = Server::prepared(&[]);
    let cluster = options(&server);
    let (tell, told) = mpsc::channel();
    let mut sum = Sum::new(&TASK);
    let outcome = std::thread::scope(|scope| {
        let early = scope.spawn(|| {
            let mut observer = |notice| tell.send(notice).unwrap();
            work(
                &cluster,
                &threads(1),
                &Adders::plain(),
                &|| false,
                &mut observer,
            )
            .unwrap()
        });
        // The worker waits for a server, then for a campaign; a second one comes when the campaign runs.
        assert!(matches!(told.recv().unwrap(), WorkerNotice::NoServer(_)));
        server.start();
        while told.recv().unwrap() != WorkerNotice::NoCampaign {}
        let mut late = None;
        let outcome = coordinate(&cluster, &hasty(), &mut sum, &mut |notice| {
            if let Notice::Progress(progress) = notice
                && progress.tally.results > 0
                && late.is_none()
            {
                late = Some(scope.spawn(|| add(&cluster, &Adders::plain()).unwrap()));
            }
            Wish::GoOn
        });
        let done = early.join().unwrap().done + late.unwrap().join().unwrap().done;
        let outcome = outcome.unwrap();
        assert!(done <= outcome.tally.results + outcome.tally.stale);
        outcome
    });
    check(&outcome, &sum, &TASK);
    assert_eq!(outcome.tally.rejected, 0);
}

#[test]
fn a_finished_campaign_is_started_again_only_when_asked() {
    let Some(server) = Server::started(&[]) else {
        return;
    };
    let cluster = options(&server);
    let (outcome, sum) = campaign(&cluster, &hasty(), &TASK);
    check(&outcome, &sum, &TASK);
    assert!(!outcome.earlier);

    let mut again = Sum::new(&TASK);
    let outcome = coordinate(&cluster, &hasty(), &mut again, &mut go_on).unwrap();
    check(&outcome, &again, &TASK);
    assert!(outcome.earlier);
    // A worker that comes too late leaves.
    assert_eq!(
        add(&cluster, &Adders::plain()).unwrap(),
        WorkerReport::default()
    );
    let seen = status(&cluster).unwrap();
    assert_eq!(
        (seen.phase, seen.jobs, seen.results),
        (Phase::Finished, 0, 0)
    );
    assert_eq!(seen.logic, format!("sum so far: {}", TASK.sum()));

    let other = Task {
        numbers: 1000,
        ..TASK
    };
    let refused = coordinate(&cluster, &hasty(), &mut Sum::new(&other), &mut go_on);
    assert!(
        matches!(refused, Err(ClusterError::OtherCampaign(_))),
        "{refused:?}"
    );
    let fresh = CoordinatorOptions {
        fresh: true,
        ..hasty()
    };
    let (outcome, sum) = campaign(&cluster, &fresh, &other);
    check(&outcome, &sum, &other);
    assert!(!outcome.earlier);
}

#[test]
fn the_older_of_two_coordinators_stops() {
    let Some(server) = Server::started(&[]) else {
        return;
    };
    let cluster = options(&server);
    let (tell, told) = mpsc::channel();
    std::thread::scope(|scope| {
        let older = scope.spawn(|| {
            coordinate(&cluster, &hasty(), &mut Sum::new(&TASK), &mut |notice| {
                if let Notice::Progress(progress) = notice
                    && progress.out > 0
                {
                    let _ = tell.send(());
                }
                Wish::GoOn
            })
        });
        told.recv().unwrap();
        let (outcome, sum) = campaign(&cluster, &hasty(), &TASK);
        check(&outcome, &sum, &TASK);
        let superseded = older.join().unwrap();
        assert!(
            matches!(superseded, Err(ClusterError::Superseded(_))),
            "{superseded:?}"
        );
    });
}

#[test]
fn large_states_and_results_go_in_chunks() {
    let Some(server) = Server::started(&[]) else {
        return;
    };
    let mut cluster = options(&server);
    cluster.limits.message = 2048;
    let task = Task {
        numbers: 1000,
        ballast: 10_000,
        ..TASK
    };
    let (outcome, sum) = campaign(&cluster, &hasty(), &task);
    check(&outcome, &sum, &task);
    assert_eq!(outcome.tally.rejected, 0);
    let mut again = Sum::new(&task);
    assert!(
        coordinate(&cluster, &hasty(), &mut again, &mut go_on)
            .unwrap()
            .earlier
    );
    assert_eq!(again.sum(), task.sum());

    // What is too large altogether is a failure of the job, told by the worker.
    cluster.prefix = "large".to_owned();
    cluster.limits.result = 9000;
    let (outcome, _) = campaign(&cluster, &hasty(), &task);
    assert_eq!(outcome.phase, Phase::Broken);
    assert!(
        outcome.message.contains("the limit is 9000"),
        "{}",
        outcome.message
    );
}

#[test]
fn a_campaign_that_breaks_can_be_resumed() {
    let Some(server) = Server::started(&[]) else {
        return;
    };
    let cluster = options(&server);
    let mut sum = Sum::new(&TASK);
    std::thread::scope(|scope| {
        let worker = scope.spawn(|| {
            let calls = AtomicU32::new(0);
            let failing = Adders::with(move |_| match calls.fetch_add(1, Ordering::Relaxed) % 2 {
                0 => Err("no tools".to_owned()),
                _ => panic!("no tools at all"),
            });
            add(&cluster, &failing).unwrap()
        });
        let outcome = coordinate(&cluster, &hasty(), &mut sum, &mut go_on).unwrap();
        assert_eq!(outcome.phase, Phase::Broken);
        assert_eq!((outcome.tally.failures, outcome.tally.results), (3, 0));
        assert!(outcome.message.contains("no tools"), "{}", outcome.message);
        assert_eq!(worker.join().unwrap().done, 3);
    });
    let (outcome, sum) = campaign(&cluster, &hasty(), &TASK);
    check(&outcome, &sum, &TASK);
}

#[test]
fn a_worker_that_cannot_read_the_description_leaves() {
    let Some(server) = Server::started(&[]) else {
        return;
    };
    let cluster = options(&server);
    struct Picky;
    impl sortie_swarm::cluster::JobRunnerFactory for Picky {
        fn open(&self, _: &[u8]) -> Result<Box<dyn sortie_swarm::cluster::JobRunner>, String> {
            Err("written for another version".to_owned())
        }
    }
    let refused = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let picky = scope.spawn(|| {
            let end = work(&cluster, &threads(3), &Picky, &|| false, &mut |_| {});
            refused.store(true, Ordering::Relaxed);
            end
        });
        let outcome = coordinate(&cluster, &hasty(), &mut Sum::new(&TASK), &mut |_| {
            if refused.load(Ordering::Relaxed) {
                Wish::Stop
            } else {
                Wish::GoOn
            }
        });
        assert_eq!(outcome.unwrap().phase, Phase::Stopped);
        let error = picky.join().unwrap().unwrap_err().to_string();
        assert!(error.contains("another version"), "{error}");
    });
}

#[test]
fn the_end_stops_running_jobs_and_a_stopped_campaign_goes_on_later() {
    let Some(server) = Server::started(&[]) else {
        return;
    };
    let cluster = options(&server);
    let begun: &'static AtomicBool = Box::leak(Box::new(AtomicBool::new(false)));
    std::thread::scope(|scope| {
        // A worker whose jobs never end by themselves.
        let worker = scope.spawn(|| {
            let endless = Adders::with(|stop| {
                begun.store(true, Ordering::Relaxed);
                while !stop() {
                    std::thread::yield_now();
                }
                Ok(())
            });
            add(&cluster, &endless).unwrap()
        });
        let outcome = coordinate(
            &cluster,
            &hasty(),
            &mut Sum::new(&TASK),
            &mut |_| match begun.load(Ordering::Relaxed) {
                true => Wish::Stop,
                false => Wish::GoOn,
            },
        );
        assert_eq!(outcome.unwrap().phase, Phase::Stopped);
        assert_eq!(worker.join().unwrap().done, 0);
    });
    let (outcome, sum) = campaign(&cluster, &hasty(), &TASK);
    check(&outcome, &sum, &TASK);
}

#[test]
fn an_interrupted_worker_gives_its_jobs_back_at_once() {
    let Some(server) = Server::started(&[]) else {
        return;
    };
    let cluster = options(&server);
    // With an hour to wait, the campaign would not end if the job were not given back.
    let patient = CoordinatorOptions {
        ack_wait: Duration::from_secs(3600),
        ..hasty()
    };
    let begun: &'static AtomicBool = Box::leak(Box::new(AtomicBool::new(false)));
    let mut sum = Sum::new(&TASK);
    let outcome = std::thread::scope(|scope| {
        scope.spawn(|| {
            let endless = Adders::with(|stop| {
                begun.store(true, Ordering::Relaxed);
                while !stop() {
                    std::thread::yield_now();
                }
                Ok(())
            });
            let interrupted = || begun.load(Ordering::Relaxed);
            work(&cluster, &threads(1), &endless, &interrupted, &mut |_| {}).unwrap();
            add(&cluster, &Adders::plain()).unwrap();
        });
        coordinate(&cluster, &patient, &mut sum, &mut go_on).unwrap()
    });
    check(&outcome, &sum, &TASK);
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let with = |change: &dyn Fn(&mut ClusterOptions)| {
        let mut cluster = ClusterOptions::new("nats://127.0.0.1:1", "toy");
        change(&mut cluster);
        let error = coordinate(&cluster, &hasty(), &mut Sum::new(&TASK), &mut go_on).unwrap_err();
        assert!(matches!(error, ClusterError::Options(_)), "{error}");
    };
    with(&|c| c.prefix = String::new());
    with(&|c| c.prefix = "a.b".to_owned());
    with(&|c| c.prefix = "*".to_owned());
    with(&|c| c.servers.clear());
    with(&|c| c.servers = vec!["http://nowhere".to_owned()]);
    with(&|c| c.limits.message = 100);
    with(&|c| c.replicas = 0);
    with(&|c| c.login = Login::Credentials("/nowhere/at.all".into()));
    with(&|c| c.tls.authority = Some("/nowhere/at.all".into()));
    let nobody = status(&ClusterOptions::new("nats://127.0.0.1:1", "toy"));
    assert!(
        matches!(nobody, Err(ClusterError::Unreachable { .. })),
        "{nobody:?}"
    );
}
