//! Asks every monitor about every expanded state, as cheaply as possible.

use crate::{Monitor, Property, Sighting, Sights};
use sortie_model::{Extreme, LabelId, Model, Steps};

/// Where in an expansion something was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum At {
    /// The expanded state itself.
    State,
    /// The step with this index, or the state it leads to.
    Step(u32),
}

/// Something a judge noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Index of the property.
    pub property: usize,
    /// Where.
    pub at: At,
    /// Which end and value, for a new extreme; `None` for a violation.
    pub record: Option<(Extreme, i64)>,
}

/// The entry of a label of which no monitor has been asked.
const UNKNOWN: u32 = u32::MAX;
/// The entry of a label in which no property is interested.
const NOBODY: u32 = 0;

/// Watches a search for a list of properties; one per thread.
pub struct Judge<'a> {
    watchers: Vec<Watcher<'a>>,
    sights: Sights,
    /// By label number: [`UNKNOWN`], [`NOBODY`] or the place of the list of interested properties. Labels are few and seen often, so each
    /// is matched once.
    labels: Vec<u32>,
    /// Lists of properties. Place 0 is not used.
    lists: Vec<Vec<usize>>,
}

struct Watcher<'a> {
    monitor: Box<dyn Monitor + 'a>,
    sights: Sights,
    smallest: Option<i64>,
    largest: Option<i64>,
}

impl Watcher<'_> {
    /// Turns a sighting into findings: a hit, or values beyond those seen so far.
    fn note(&mut self, property: usize, at: At, sighting: Sighting, found: &mut Vec<Finding>) {
        let mut tell = |record| {
            found.push(Finding {
                property,
                at,
                record,
            });
        };
        match sighting {
            Sighting::Plain => {}
            Sighting::Hit => tell(None),
            Sighting::Value(value) => {
                if self.smallest.is_none_or(|smallest| value < smallest) {
                    self.smallest = Some(value);
                    tell(Some((Extreme::Smallest, value)));
                }
                if self.largest.is_none_or(|largest| value > largest) {
                    self.largest = Some(value);
                    tell(Some((Extreme::Largest, value)));
                }
            }
        }
    }
}

impl<'a> Judge<'a> {
    /// A judge for `properties` of `model`.
    pub fn new(model: &'a dyn Model, properties: &'a [Box<dyn Property + 'a>]) -> Self {
        let mut sights = Sights::default();
        let mut watch = |p: &'a dyn Property| {
            let own = p.looks_at();
            sights.deadlocks |= own.deadlocks;
            sights.steps |= own.steps;
            sights.states |= own.states;
            Watcher {
                monitor: p.monitor(model),
                sights: own,
                smallest: None,
                largest: None,
            }
        };
        let watchers = properties.iter().map(|p| watch(&**p)).collect();
        Judge {
            watchers,
            sights,
            labels: Vec::new(),
            lists: vec![Vec::new()],
        }
    }

    /// Whether it looks at the states that steps lead to.
    pub fn looks_at_states(&self) -> bool {
        self.sights.states
    }

    /// Whether it has something to say about steps with this label.
    pub fn wants(&mut self, label: LabelId) -> bool {
        if !self.sights.steps {
            return false;
        }
        match self.labels.get(label.0 as usize) {
            Some(&known) if known != UNKNOWN => known != NOBODY,
            _ => !self.interested(label).is_empty(),
        }
    }

    /// Reports values again that are no larger or smaller than those seen so far: what comes next precedes what was seen.
    pub fn forget_values(&mut self) {
        for watcher in &mut self.watchers {
            (watcher.smallest, watcher.largest) = (None, None);
        }
    }

    /// Looks at the initial state, which is no step's target.
    pub fn begin(&mut self, initial: &[u32], found: &mut Vec<Finding>) {
        if self.sights.states {
            self.look_at_state(initial, At::State, found);
        }
    }

    /// Looks at an expanded state, its steps and the states they lead to, in this order. States for which `known` holds
    /// were looked at before and are left out.
    pub fn look(
        &mut self,
        state: &[u32],
        steps: &Steps,
        known: impl Fn(usize) -> bool,
        found: &mut Vec<Finding>,
    ) {
        if steps.is_empty() {
            for (property, watcher) in self.watchers.iter_mut().enumerate() {
                if watcher.sights.deadlocks {
                    let sighting = watcher.monitor.deadlock(state);
                    watcher.note(property, At::State, sighting, found);
                }
            }
            return;
        }
        if self.sights.steps {
            for (index, &label) in steps.labels().iter().enumerate() {
                let interested = self.labels.get(label.0 as usize);
                let interested = interested.copied().unwrap_or(UNKNOWN);
                if interested != NOBODY {
                    self.look_at_label(label, interested, At::Step(index as u32), found);
                }
            }
        }
        if self.sights.states {
            for index in (0..steps.len()).filter(|&index| !known(index)) {
                self.look_at_state(steps.target(index), At::Step(index as u32), found);
            }
        }
    }

    #[cold]
    fn look_at_label(&mut self, label: LabelId, interested: u32, at: At, found: &mut Vec<Finding>) {
        let list = match interested {
            UNKNOWN => self.interested(label),
            known => std::mem::take(&mut self.lists[known as usize]),
        };
        for &property in &list {
            let watcher = &mut self.watchers[property];
            let sighting = watcher.monitor.step(label);
            watcher.note(property, at, sighting, found);
        }
        // A sparse numbering would make the table large; then labels are matched each time.
        let index = label.0 as usize;
        if interested != UNKNOWN {
            self.lists[interested as usize] = list;
        } else if index < 1 << 24 {
            let labels = self.labels.len().max(index + 1);
            self.labels.resize(labels, UNKNOWN);
            self.labels[index] = NOBODY;
            if !list.is_empty() {
                self.labels[index] = self.lists.len() as u32;
                self.lists.push(list);
            }
        }
    }

    /// The properties that have something to say about steps with a label.
    fn interested(&mut self, label: LabelId) -> Vec<usize> {
        let watchers = self.watchers.iter_mut().enumerate();
        let asked = watchers.filter(|(_, watcher)| watcher.sights.steps);
        let interested = asked.filter_map(|(property, watcher)| {
            let sighting = watcher.monitor.step(label);
            (sighting != Sighting::Plain).then_some(property)
        });
        interested.collect()
    }

    fn look_at_state(&mut self, state: &[u32], at: At, found: &mut Vec<Finding>) {
        for (property, watcher) in self.watchers.iter_mut().enumerate() {
            if watcher.sights.states {
                let sighting = watcher.monitor.state(state);
                watcher.note(property, at, sighting, found);
            }
        }
    }
}
