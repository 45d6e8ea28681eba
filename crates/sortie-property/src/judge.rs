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
    /// By label number: [`UNKNOWN`], [`NOBODY`] or where the list of interested properties begins. Labels are few and seen often, so each
    /// is matched once.
    labels: Vec<u32>,
    /// Lists of properties, each after its length. Place 0 is not used.
    lists: Vec<u32>,
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
        match sighting {
            Sighting::Plain => {}
            Sighting::Hit => found.push(Finding {
                property,
                at,
                record: None,
            }),
            Sighting::Value(value) => {
                if self.smallest.is_none_or(|smallest| value < smallest) {
                    self.smallest = Some(value);
                    found.push(Finding {
                        property,
                        at,
                        record: Some((Extreme::Smallest, value)),
                    });
                }
                if self.largest.is_none_or(|largest| value > largest) {
                    self.largest = Some(value);
                    found.push(Finding {
                        property,
                        at,
                        record: Some((Extreme::Largest, value)),
                    });
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
            lists: vec![0],
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
        let known = self.labels.get(label.0 as usize).copied();
        known.filter(|known| *known != UNKNOWN).map_or_else(
            || {
                let mut watchers = self.watchers.iter_mut().filter(|w| w.sights.steps);
                watchers.any(|watcher| watcher.monitor.step(label) != Sighting::Plain)
            },
            |known| known != NOBODY,
        )
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
            if self.sights.deadlocks {
                for (property, watcher) in self.watchers.iter_mut().enumerate() {
                    if watcher.sights.deadlocks {
                        let sighting = watcher.monitor.deadlock(state);
                        watcher.note(property, At::State, sighting, found);
                    }
                }
            }
            return;
        }
        if self.sights.steps {
            for (index, &label) in steps.labels().iter().enumerate() {
                let interested = self
                    .labels
                    .get(label.0 as usize)
                    .copied()
                    .unwrap_or(UNKNOWN);
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
        if interested != UNKNOWN {
            let (count, list) = self.lists[interested as usize..]
                .split_first()
                .expect("an entry is the place of a list");
            for &property in &list[..*count as usize] {
                let watcher = &mut self.watchers[property as usize];
                let sighting = watcher.monitor.step(label);
                watcher.note(property as usize, at, sighting, found);
            }
            return;
        }
        let begin = self.lists.len();
        self.lists.push(0);
        for (property, watcher) in self.watchers.iter_mut().enumerate() {
            if watcher.sights.steps {
                let sighting = watcher.monitor.step(label);
                if sighting != Sighting::Plain {
                    self.lists.push(property as u32);
                }
                watcher.note(property, at, sighting, found);
            }
        }
        let count = self.lists.len() - begin - 1;
        self.lists[begin] = count as u32;
        let index = label.0 as usize;
        // A sparse numbering would make the table large; then labels are matched each time.
        let is_kept = index < 1 << 24;
        if count == 0 || !is_kept {
            self.lists.truncate(begin);
        }
        if is_kept {
            if self.labels.len() <= index {
                self.labels.resize(index + 1, UNKNOWN);
            }
            self.labels[index] = if count == 0 { NOBODY } else { begin as u32 };
        }
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
