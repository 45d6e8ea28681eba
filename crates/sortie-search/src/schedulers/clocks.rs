//! What happened before what, among operations on objects.

use sortie_model::{Fingerprinter, Operation};
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// For each task, how many events of the run until its last one that happened before.
pub(crate) type Clock = Vec<u32>;

fn join(clock: &mut Clock, other: &[u32]) {
    if clock.len() < other.len() {
        clock.resize(other.len(), 0);
    }
    for (own, other) in clock.iter_mut().zip(other) {
        *own = (*own).max(*other);
    }
}

/// What is known of the uses of an object.
#[derive(Clone, Debug, Default)]
struct Uses {
    changed: Clock,
    looked: Clock,
    events: ByTask,
}

/// For each task, numbers of its events, in order.
type ByTask = Vec<Vec<usize>>;

fn note(events: &mut ByTask, task: usize, event: usize) {
    if events.len() <= task {
        events.resize(task + 1, Vec::new());
    }
    events[task].push(event);
}

/// An event: who did what. An operation nobody knows conflicts with all.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    pub(crate) task: usize,
    pub(crate) operation: Option<Operation>,
}

/// The events of a run.
#[derive(Debug, Default)]
pub(crate) struct Clocks {
    pub(crate) events: Vec<Event>,
    /// Of the last event of each task that appeared.
    tasks: Vec<Option<Clock>>,
    objects: HashMap<u64, Uses, BuildHasherDefault<Fingerprinter>>,
    /// Of all events, and of those whose operation is not known.
    all: Clock,
    unknown: Clock,
    unknown_events: ByTask,
    all_events: ByTask,
}

/// Whether two operations of different tasks may not be exchanged.
pub(crate) fn conflict(a: Option<Operation>, b: Option<Operation>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => !a.commutes(&b),
        _ => true,
    }
}

impl Clocks {
    pub(crate) fn begin(&mut self) {
        self.events.clear();
        self.tasks.clear();
        self.objects.clear();
        self.all.clear();
        self.unknown.clear();
        self.unknown_events.clear();
        self.all_events.clear();
    }

    /// A task appears; what its creator did until now happened before.
    pub(crate) fn appear(&mut self, task: usize) {
        let creator = self.events.last().map(|event| event.task);
        let clock = creator.and_then(|creator| self.tasks[creator].clone());
        if self.tasks.len() <= task {
            self.tasks.resize(task + 1, None);
        }
        self.tasks[task] = Some(clock.unwrap_or_default());
    }

    /// Whether a task has appeared.
    pub(crate) fn knows(&self, task: usize) -> bool {
        self.tasks.get(task).is_some_and(Option::is_some)
    }

    /// A task moves.
    pub(crate) fn happen(&mut self, event: Event) {
        let number = self.events.len();
        let mut clock = self.tasks[event.task].take().unwrap_or_default();
        let advance = |clock: &mut Clock| {
            clock.resize(clock.len().max(event.task + 1), 0);
            clock[event.task] = number as u32 + 1;
        };
        match event.operation {
            Some(operation) => {
                join(&mut clock, &self.unknown);
                let uses = self.objects.entry(operation.object).or_default();
                join(&mut clock, &uses.changed);
                if !operation.looks {
                    join(&mut clock, &uses.looked);
                }
                advance(&mut clock);
                note(&mut uses.events, event.task, number);
                if operation.looks {
                    join(&mut uses.looked, &clock);
                } else {
                    uses.changed.clone_from(&clock);
                    uses.looked.clear();
                }
            }
            None => {
                join(&mut clock, &self.all);
                advance(&mut clock);
                self.unknown.clone_from(&clock);
                note(&mut self.unknown_events, event.task, number);
            }
        }
        note(&mut self.all_events, event.task, number);
        join(&mut self.all, &clock);
        self.tasks[event.task] = Some(clock);
        self.events.push(event);
    }

    /// Whether an event races with what a task is about to do: they conflict, and nothing orders them.
    pub(crate) fn races(&self, event: usize, task: usize, operation: Option<Operation>) -> bool {
        let other = self.events[event];
        let known = self.known(task, other.task);
        other.task != task && known <= event && conflict(other.operation, operation)
    }

    /// How many events of the run until the last one of another task happened before what a task does next.
    fn known(&self, task: usize, other: usize) -> usize {
        let clock = self.tasks[task].as_ref();
        clock
            .and_then(|clock| clock.get(other))
            .copied()
            .unwrap_or(0) as usize
    }

    /// The events that race with what a task is about to do, the latest first.
    pub(crate) fn racing(&self, task: usize, operation: Option<Operation>) -> Vec<usize> {
        let uses = operation.and_then(|operation| self.objects.get(&operation.object));
        let lists = match operation {
            None => [Some(&self.all_events), None],
            Some(_) => [uses.map(|uses| &uses.events), Some(&self.unknown_events)],
        };
        let mut candidates = Vec::new();
        let lists = lists.into_iter().flatten();
        for (other, events) in lists.flat_map(|list| list.iter().enumerate()) {
            let known = self.known(task, other);
            let from = events.partition_point(|event| *event < known);
            if other != task {
                candidates.extend_from_slice(&events[from..]);
            }
        }
        candidates.retain(|event| self.races(*event, task, operation));
        candidates.sort_unstable_by_key(|event| std::cmp::Reverse(*event));
        candidates
    }
}
