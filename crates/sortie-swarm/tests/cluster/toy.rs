//! A campaign whose answer is known: a sum over a range, by jobs that split until they are small.

use serde::{Deserialize, Serialize};
use sortie_swarm::cluster::{JobRunner, JobRunnerFactory, Logic, SentJob};
use sortie_swarm::{Mismatch, Settled};
use std::collections::{BTreeMap, VecDeque};

/// A number that takes a moment to compute.
pub fn value(number: u64, rounds: u32) -> u64 {
    let mut x = number;
    for _ in 0..rounds {
        x = std::hint::black_box(x.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (x >> 29));
    }
    x >> 40
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Task {
    pub numbers: u64,
    /// Larger ranges are split.
    pub small: u64,
    pub rounds: u32,
    /// Bytes added to the state and to every result.
    pub ballast: usize,
}

impl Task {
    pub fn sum(&self) -> u64 {
        (0..self.numbers).map(|n| value(n, self.rounds)).sum()
    }

    /// Jobs needed, splits included.
    pub fn jobs(&self) -> u64 {
        fn jobs(size: u64, small: u64) -> u64 {
            if size <= small {
                1
            } else {
                1 + jobs(size / 2, small) + jobs(size - size / 2, small)
            }
        }
        jobs(self.numbers, self.small)
    }
}

#[derive(Serialize, Deserialize)]
struct State {
    next: u64,
    waiting: VecDeque<(u64, u64)>,
    out: BTreeMap<u64, (u64, u64)>,
    sum: u64,
    ballast: String,
}

pub struct Sum {
    task: Task,
    state: State,
}

impl Sum {
    pub fn new(task: &Task) -> Sum {
        Sum {
            task: task.clone(),
            state: State {
                next: 0,
                waiting: VecDeque::from([(0, task.numbers)]),
                out: BTreeMap::new(),
                sum: 0,
                ballast: "x".repeat(task.ballast),
            },
        }
    }

    pub fn sum(&self) -> u64 {
        self.state.sum
    }
}

#[derive(Serialize, Deserialize)]
enum Reply {
    Split,
    Sum(u64),
}

impl Logic for Sum {
    fn description(&self) -> Vec<u8> {
        serde_json::to_vec(&self.task).unwrap()
    }

    fn draw(&mut self) -> Option<SentJob> {
        let range = self.state.waiting.pop_front()?;
        let id = self.state.next;
        self.state.next += 1;
        self.state.out.insert(id, range);
        let payload = serde_json::to_vec(&range).unwrap();
        Some(SentJob { id, payload })
    }

    fn take(&mut self, id: u64, payload: &[u8]) -> Result<Settled, Mismatch> {
        if id >= self.state.next {
            return Err(Mismatch("no such job".to_owned()));
        }
        let Some(&(low, high)) = self.state.out.get(&id) else {
            return Ok(Settled::Stale);
        };
        let text = payload.get(..payload.len() - self.task.ballast.min(payload.len()));
        match serde_json::from_slice(text.unwrap_or_default()) {
            Err(e) => return Err(Mismatch(e.to_string())),
            Ok(Reply::Sum(sum)) => self.state.sum += sum,
            Ok(Reply::Split) => {
                let middle = low + (high - low) / 2;
                self.state.waiting.extend([(low, middle), (middle, high)]);
            }
        }
        self.state.out.remove(&id);
        Ok(Settled::Counted)
    }

    fn finished(&self) -> bool {
        self.state.out.is_empty() && self.state.waiting.is_empty()
    }

    fn save(&self) -> Vec<u8> {
        serde_json::to_vec(&self.state).unwrap()
    }

    fn restore(&mut self, saved: &[u8]) -> Result<(), Mismatch> {
        self.state = serde_json::from_slice(saved).map_err(|e| Mismatch(e.to_string()))?;
        Ok(())
    }

    fn outstanding(&self) -> Vec<SentJob> {
        let job = |(&id, range): (&u64, &(u64, u64))| SentJob {
            id,
            payload: serde_json::to_vec(range).unwrap(),
        };
        self.state.out.iter().map(job).collect()
    }

    fn status(&self) -> String {
        format!("sum so far: {}", self.state.sum)
    }
}

/// Called when a job begins, with the function that says whether to stop; may fail the job.
pub type Hook = Box<dyn Fn(&dyn Fn() -> bool) -> Result<(), String> + Send + Sync>;

/// Opens labour that sums, after calling the hook.
pub struct Adders(pub std::sync::Arc<Hook>);

impl Adders {
    pub fn plain() -> Adders {
        Adders::with(|_| Ok(()))
    }

    pub fn with(
        hook: impl Fn(&dyn Fn() -> bool) -> Result<(), String> + Send + Sync + 'static,
    ) -> Adders {
        Adders(std::sync::Arc::new(Box::new(hook)))
    }
}

impl JobRunnerFactory for Adders {
    fn open(&self, description: &[u8]) -> Result<Box<dyn JobRunner>, String> {
        let task = serde_json::from_slice(description).map_err(|e| e.to_string())?;
        Ok(Box::new(Adder {
            task,
            hook: self.0.clone(),
        }))
    }
}

struct Adder {
    task: Task,
    hook: std::sync::Arc<Hook>,
}

impl JobRunner for Adder {
    fn run(&mut self, job: &[u8], stop: &(dyn Fn() -> bool + Sync)) -> Result<Vec<u8>, String> {
        (self.hook)(stop)?;
        let (low, high): (u64, u64) = serde_json::from_slice(job).map_err(|e| e.to_string())?;
        let reply = if high - low > self.task.small {
            Reply::Split
        } else {
            Reply::Sum((low..high).map(|n| value(n, self.task.rounds)).sum())
        };
        let mut result = serde_json::to_vec(&reply).unwrap();
        result.resize(result.len() + self.task.ballast, b'.');
        Ok(result)
    }
}
