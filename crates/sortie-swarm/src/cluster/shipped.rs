//! Plans and workers of a cluster: between typed jobs and results and the bytes that are sent.

use super::contract::{JobRunner, JobRunnerFactory, Logic, SentJob};
use crate::job::{Discovery, Job, JobResult};
use crate::plan::{Mismatch, Plan, Settled};
use crate::site::{SearchSettings, Site};
use crate::worker::{FinishedJob, follow};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sortie_model::{Event, Observer, Stop, StopReason};
use sortie_witness::{Shown, check};
use std::sync::{Arc, Mutex, PoisonError};

/// A plan for a cluster.
pub struct ShippedPlan<'a> {
    /// The plan.
    pub plan: &'a mut dyn Plan,
    /// The encoded [`Description`].
    pub description: Vec<u8>,
    /// The model on which discoveries are replayed before they end the campaign.
    pub site: &'a Site,
}

impl ShippedPlan<'_> {
    /// Replays what a worker claims to have found.
    fn verify(&self, discovery: &Discovery) -> Result<(), String> {
        let Site { model, properties } = self.site;
        let property = properties.get(discovery.property);
        let property = property.ok_or("there is no such property")?;
        let trace = follow(&**model, &discovery.path).map_err(|error| error.to_string())?;
        let checked = check(&**model, &**property, &Shown::at_end(trace));
        let checked = checked.map_err(|error| error.to_string())?;
        checked.map_err(|divergence| divergence.to_string())
    }
}

fn sent(job: &Job) -> SentJob {
    SentJob {
        id: job.id,
        payload: serde_json::to_vec(job).expect("numbers and texts can be written"),
    }
}

impl Logic for ShippedPlan<'_> {
    fn description(&self) -> Vec<u8> {
        self.description.clone()
    }

    fn draw(&mut self) -> Option<SentJob> {
        self.plan.draw().as_ref().map(sent)
    }

    fn take(&mut self, id: u64, payload: &[u8]) -> Result<Settled, Mismatch> {
        let report: JobResult =
            serde_json::from_slice(payload).map_err(|error| Mismatch(error.to_string()))?;
        for discovery in &report.found {
            self.verify(discovery).map_err(Mismatch)?;
        }
        self.plan.settle(id, report)
    }

    fn finished(&self) -> bool {
        self.plan.is_finished()
    }

    fn save(&self) -> Vec<u8> {
        self.plan.save().into_bytes()
    }

    fn restore(&mut self, saved: &[u8]) -> Result<(), Mismatch> {
        let text = str::from_utf8(saved).map_err(|error| Mismatch(error.to_string()))?;
        self.plan.restore(text)
    }

    fn outstanding(&self) -> Vec<SentJob> {
        self.plan.outstanding().iter().map(sent).collect()
    }

    fn status(&self) -> String {
        let tally = self.plan.tally();
        let mut lines = self.plan.status();
        lines.push(("jobs done".into(), tally.jobs.to_string()));
        lines.push(("states visited".into(), tally.visited.to_string()));
        lines.push(("by the largest job".into(), tally.largest.to_string()));
        let lines = lines.iter().map(|(name, value)| format!("{name}: {value}"));
        lines.collect::<Vec<_>>().join("\n")
    }
}

/// What a worker gets before its first job. `S` says what is searched.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Description<S> {
    /// The version of the coordinator: workers of another one might number steps in another way.
    version: String,
    /// What is searched.
    pub source: S,
    /// How it is searched.
    pub search: SearchSettings,
    /// The plan in words: campaigns with other plans are other campaigns.
    pub plan: String,
}

impl<S: Serialize + DeserializeOwned> Description<S> {
    /// The description of a campaign of this version.
    pub fn new(source: S, search: SearchSettings, plan: String) -> Description<S> {
        Description {
            version: env!("CARGO_PKG_VERSION").into(),
            source,
            search,
            plan,
        }
    }

    /// The bytes that are sent.
    pub fn encode(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("numbers and texts can be written")
    }

    fn decode(bytes: &[u8]) -> Result<Description<S>, String> {
        let description: Description<S> = serde_json::from_slice(bytes)
            .map_err(|error| format!("the campaign cannot be read: {error}"))?;
        let (theirs, ours) = (&description.version, env!("CARGO_PKG_VERSION"));
        match theirs == ours {
            true => Ok(description),
            false => Err(format!(
                "the campaign belongs to sortie {theirs}, this is {ours}"
            )),
        }
    }
}

/// Called with every job that is done.
pub type Note = dyn Fn(&Job, &FinishedJob) + Send + Sync;

/// Makes workers; all threads share the model.
pub struct Workshop<'a, S> {
    open: &'a (dyn Fn(&S) -> Result<Site, String> + Sync),
    memory: Option<u64>,
    note: Option<Arc<Note>>,
    opened: Mutex<Option<(Vec<u8>, Arc<Opened>)>>,
}

struct Opened {
    site: Site,
    search: SearchSettings,
}

impl<'a, S> Workshop<'a, S> {
    /// Workers whose jobs may hold so many bytes each. Where there is a note, jobs record which states they expand.
    pub fn new(
        open: &'a (dyn Fn(&S) -> Result<Site, String> + Sync),
        memory: Option<u64>,
        note: Option<Arc<Note>>,
    ) -> Workshop<'a, S> {
        Workshop {
            open,
            memory,
            note,
            opened: Mutex::default(),
        }
    }
}

impl<S: Serialize + DeserializeOwned> JobRunnerFactory for Workshop<'_, S> {
    fn open(&self, description: &[u8]) -> Result<Box<dyn JobRunner>, String> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let shared = match &*opened {
            Some((known, shared)) if known == description => Arc::clone(shared),
            _ => {
                let Description { source, search, .. } = Description::decode(description)?;
                let site = (self.open)(&source)?;
                let shared = Arc::new(Opened { site, search });
                *opened = Some((description.to_vec(), Arc::clone(&shared)));
                shared
            }
        };
        Ok(Box::new(Runner {
            opened: shared,
            memory: self.memory,
            note: self.note.clone(),
        }))
    }
}

/// Does jobs that were sent, on one thread.
struct Runner {
    opened: Arc<Opened>,
    memory: Option<u64>,
    note: Option<Arc<Note>>,
}

impl JobRunner for Runner {
    fn run(&mut self, job: &[u8], stop: &(dyn Fn() -> bool + Sync)) -> Result<Vec<u8>, String> {
        let job: Job = serde_json::from_slice(job).map_err(|error| error.to_string())?;
        let watch = Watch {
            stop,
            flag: Stop::default(),
        };
        let Opened { site, search } = &*self.opened;
        let steps = site.steps(search)?;
        let worker = site.worker(search, &steps, self.memory, self.note.is_some());
        let worker = worker.map_err(|error| error.to_string())?;
        let done = worker.work(&job, &watch.flag, &watch);
        let done = done.map_err(|error| error.to_string())?;
        if let Some(note) = &self.note {
            note(&job, &done);
        }
        Ok(serde_json::to_vec(&done.result).expect("numbers and texts can be written"))
    }
}

/// Ends a search whose result is not wanted any more.
struct Watch<'a> {
    stop: &'a (dyn Fn() -> bool + Sync),
    flag: Stop,
}

impl Observer for Watch<'_> {
    fn event(&self, _event: &Event) {}

    fn progress(&self, _expanded: u64) {
        if (self.stop)() {
            self.flag.request(StopReason::Interrupt);
        }
    }
}
