//! One property, asked again: does it show here?

use crate::{At, Monitor, Property, Sighting, Sights};
use sortie_model::{Model, Steps};

/// Tells whether a property shows at a state or one of its steps. For extremes it must show with a given value.
pub struct Goal<'a> {
    monitor: Box<dyn Monitor + 'a>,
    sights: Sights,
    wanted: Sighting,
}

impl<'a> Goal<'a> {
    /// For a violation, or for an extreme of this value.
    pub fn new(model: &'a dyn Model, property: &'a dyn Property, value: Option<i64>) -> Self {
        let wanted = value.map_or(Sighting::Hit, Sighting::Value);
        Goal {
            monitor: property.monitor(model),
            sights: property.looks_at(),
            wanted,
        }
    }

    /// Whether the initial state shows it.
    pub fn at_start(&mut self, initial: &[u32]) -> bool {
        self.sights.states && self.monitor.state(initial) == self.wanted
    }

    /// Where it shows first: at an expanded state, or at one of its steps.
    pub fn find(&mut self, state: &[u32], steps: &Steps) -> Option<At> {
        if steps.is_empty() {
            let shows = self.sights.deadlocks && self.monitor.deadlock(state) == self.wanted;
            return shows.then_some(At::State);
        }
        (0..steps.len())
            .find(|&index| self.at_step(steps, index))
            .map(|index| At::Step(index as u32))
    }

    /// Whether it shows at this step, or at the state the step leads to.
    pub fn at_step(&mut self, steps: &Steps, index: usize) -> bool {
        (self.sights.steps && self.monitor.step(steps.label(index)) == self.wanted)
            || (self.sights.states && self.monitor.state(steps.target(index)) == self.wanted)
    }
}
