//! How many tiny jobs a coordinator gets through. Run it alone, in release:
//! `cargo test --release -p sortie-swarm --test cluster throughput -- --ignored --nocapture`

use crate::server::Server;
use crate::{options, threads};
use sortie_swarm::cluster::{
    CoordinatorOptions, JobRunner, JobRunnerFactory, Logic, SentJob, Wish, coordinate, work,
};
use sortie_swarm::{Mismatch, Settled};
use std::collections::BTreeSet;
use std::time::Instant;

/// Jobs with nothing in them.
struct Count {
    next: u64,
    end: u64,
    out: BTreeSet<u64>,
}

impl Logic for Count {
    fn description(&self) -> Vec<u8> {
        Vec::new()
    }

    fn draw(&mut self) -> Option<SentJob> {
        let id = self.next;
        (id < self.end).then(|| {
            self.next += 1;
            self.out.insert(id);
            SentJob {
                id,
                payload: vec![0; 32],
            }
        })
    }

    fn take(&mut self, id: u64, _: &[u8]) -> Result<Settled, Mismatch> {
        Ok(match self.out.remove(&id) {
            true => Settled::Counted,
            false => Settled::Stale,
        })
    }

    fn finished(&self) -> bool {
        self.next == self.end && self.out.is_empty()
    }

    fn save(&self) -> Vec<u8> {
        serde_json::to_vec(&(self.next, &self.out)).unwrap()
    }

    fn restore(&mut self, saved: &[u8]) -> Result<(), Mismatch> {
        (self.next, self.out) =
            serde_json::from_slice(saved).map_err(|e| Mismatch(e.to_string()))?;
        Ok(())
    }

    fn outstanding(&self) -> Vec<SentJob> {
        let job = |&id: &u64| SentJob {
            id,
            payload: vec![0; 32],
        };
        self.out.iter().map(job).collect()
    }

    fn status(&self) -> String {
        format!("{} of {}", self.next, self.end)
    }
}

struct Idlers;

impl JobRunnerFactory for Idlers {
    fn open(&self, _: &[u8]) -> Result<Box<dyn JobRunner>, String> {
        Ok(Box::new(Idlers))
    }
}

impl JobRunner for Idlers {
    fn run(&mut self, job: &[u8], _: &(dyn Fn() -> bool + Sync)) -> Result<Vec<u8>, String> {
        Ok(job.to_vec())
    }
}

#[test]
#[ignore = "a measurement"]
fn throughput() {
    let jobs = 40_000;
    for workers in [1, 2, 4] {
        let Some(server) = Server::started(&[]) else {
            return;
        };
        let cluster = options(&server);
        let mut count = Count {
            next: 0,
            end: jobs,
            out: BTreeSet::new(),
        };
        let begun = Instant::now();
        let outcome = std::thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(|| {
                    work(&cluster, &threads(2), &Idlers, &|| false, &mut |_| {}).unwrap()
                });
            }
            let default = CoordinatorOptions::default();
            coordinate(&cluster, &default, &mut count, &mut |_| Wish::GoOn).unwrap()
        });
        let seconds = begun.elapsed().as_secs_f64();
        assert_eq!(outcome.tally.results, jobs);
        println!(
            "{workers} workers: {jobs} jobs in {seconds:.2} s: {:.0} jobs per second; {} stale",
            jobs as f64 / seconds,
            outcome.tally.stale
        );
    }
}
