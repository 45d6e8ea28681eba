//! A plan whose jobs and reports are sent: between typed messages and the bytes that a cluster carries.

use crate::cluster::{self, Labour, Logic, Rejection, Taken};
use crate::crew::{Crew, Done};
use crate::messages::{Discovery, Job, Report};
use crate::plan::{Plan, Settled};
use sortie_model::{Event, Observer, Stop, StopReason};

/// Says why something that a worker claims to have found is not there.
pub type Verify<'a> = dyn Fn(&Discovery) -> Result<(), String> + Send + 'a;

/// A plan for a cluster.
pub struct Shipped<'a> {
    /// The plan.
    pub plan: &'a mut dyn Plan,
    /// What workers have to know.
    pub description: Vec<u8>,
    /// Looks at what was found before it ends the campaign.
    pub verify: Box<Verify<'a>>,
}

fn sent(job: &Job) -> cluster::Job {
    cluster::Job {
        id: job.id,
        payload: serde_json::to_vec(job).expect("numbers and texts can be written"),
    }
}

impl Logic for Shipped<'_> {
    fn description(&self) -> Vec<u8> {
        self.description.clone()
    }

    fn draw(&mut self) -> Option<cluster::Job> {
        self.plan.draw().as_ref().map(sent)
    }

    fn take(&mut self, id: u64, payload: &[u8]) -> Result<Taken, Rejection> {
        let report: Report =
            serde_json::from_slice(payload).map_err(|error| Rejection(error.to_string()))?;
        for discovery in &report.found {
            (self.verify)(discovery).map_err(Rejection)?;
        }
        let settled = self.plan.settle(id, report);
        match settled.map_err(|nonsense| Rejection(nonsense.0))? {
            Settled::Counted => Ok(Taken::Counted),
            Settled::Stale => Ok(Taken::Stale),
        }
    }

    fn finished(&self) -> bool {
        self.plan.is_finished()
    }

    fn save(&self) -> Vec<u8> {
        self.plan.save().into_bytes()
    }

    fn restore(&mut self, saved: &[u8]) -> Result<(), Rejection> {
        let text = str::from_utf8(saved).map_err(|error| Rejection(error.to_string()))?;
        let restored = self.plan.restore(text);
        restored.map_err(|nonsense| Rejection(nonsense.0))
    }

    fn outstanding(&self) -> Vec<cluster::Job> {
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

/// What a worker does with a job that was sent. `made` makes the crew, `note` hears of every job that is done.
pub struct Hands<M, N> {
    /// Calls the function it is given with a crew.
    pub made: M,
    /// Hears of jobs.
    pub note: N,
}

impl<M, N> Labour for Hands<M, N>
where
    M: FnMut(&mut dyn FnMut(&Crew<'_>) -> Result<Done, String>) -> Result<Done, String>,
    N: FnMut(&Job, &Done),
{
    fn run(&mut self, job: &[u8], stop: &(dyn Fn() -> bool + Sync)) -> Result<Vec<u8>, String> {
        let job: Job = serde_json::from_slice(job).map_err(|error| error.to_string())?;
        let watch = Watch {
            stop,
            flag: Stop::default(),
        };
        let done = (self.made)(&mut |crew| {
            let done = crew.work(&job, &watch.flag, &watch);
            done.map_err(|error| error.to_string())
        })?;
        (self.note)(&job, &done);
        Ok(serde_json::to_vec(&done.report).expect("numbers and texts can be written"))
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
