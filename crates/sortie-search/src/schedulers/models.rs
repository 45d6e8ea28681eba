//! Schedulers for programs, applied to the components of a model.
//!
//! In each state the scheduler is asked which component moves, and one of that component's transitions is drawn at random. A plain random walk draws among transitions, so that a
//! component with many of them moves often and one with few hardly ever. Where a model does not show its components, the names of actions take their place.
//! A model does not tell which steps commute, so that all steps of two components are taken to race.
//!
//! Lengths of walks are heavy-tailed. Every state is judged with all its successors. Cost: one expansion for each state, and a look at the components of each of
//! its steps.

use super::dice;
use super::scheduler::{Scheduled, Scheduler};
use super::search::{Done, RunStart, Search};
use crate::options::{DEPTH, OptionSpec};
use crate::paths::{Path, PathSearch, heavy_tailed, outcome};
use crate::{Hunt, Outcome, SearchError};
use sortie_model::{
    Choice, Dice, End, Key, Kind, LabelId, MOST_PARTS, Model, Names, PartSet, Steps,
};
use std::collections::HashMap;

/// The longest walk.
pub(crate) const WALK_DEPTH: OptionSpec = OptionSpec {
    default: "10000",
    ..DEPTH
};

pub(crate) const OPTIONS: &[OptionSpec] = &[WALK_DEPTH];

/// The least length of a walk that does not end before.
const SHORTEST: u64 = 32;

/// Walks through a model under a scheduler.
pub(crate) fn hunt(hunt: &Hunt<'_>, scheduler: impl Scheduler) -> Result<Outcome, SearchError> {
    let model = hunt.model;
    let mut initial = Vec::new();
    model.initial(&mut initial)?;
    let depth = hunt.options.number(&WALK_DEPTH);
    let mut scheduled = Scheduled::new(scheduler);
    let mut player = scheduled.player();
    let mut search = PathSearch::begin(hunt, &initial, model.extensions().participants().is_some());
    let mut components = Components::default();
    let mut state = initial.clone();
    let mut path = Path::new();
    let mut run = 0;
    while search.end.is_none() {
        state.clone_from(&initial);
        path.clear();
        search.begin_walk();
        let mut dice = dice(hunt.seed, run);
        let length = heavy_tailed(&mut dice, SHORTEST, depth);
        let start = RunStart {
            run,
            length: Some(length),
        };
        scheduled.begin(&mut player, start, Dice::new(dice.bits()));
        for taken in 0..length {
            let Some(steps) = search.look(&state, taken, &|| path.clone())? else {
                break;
            };
            if steps.is_empty() {
                break;
            }
            components.list(model, steps);
            let choice = Choice::new(components.able.len(), Kind::Task, &components);
            let chosen = scheduled.choose(&mut player, &choice);
            let transition = components.transition_of(chosen, &mut dice);
            let chosen = outcome(steps, transition, &mut dice);
            state.copy_from_slice(steps.target(chosen));
            path.push(chosen as u32);
        }
        // The planned length was not reached by accident, so that a walk tells as much as a run that came to its end.
        let done = Done {
            end: &End::DeadEnd,
            answers: &[],
            moves: path.len() as u64,
        };
        let summary = scheduled.end(&mut player, &done);
        scheduled.learn(run, summary);
        run += 1;
    }
    search.finish()
}

/// The components that can move in a state.
#[derive(Default)]
struct Components {
    /// By transition: which components take part.
    sets: Vec<PartSet>,
    /// Numbers of components that take part in some transition, ascending.
    able: Vec<usize>,
    /// By number of the label: the number of the action's name. Used where components are not shown.
    groups: Vec<Option<usize>>,
    names: HashMap<String, usize>,
}

impl Names for Components {
    fn name(&self, index: usize) -> String {
        format!("component {}", self.able[index])
    }

    fn key(&self, index: usize) -> Key {
        Key {
            who: self.able[index] as u64 + 1,
            what: 0,
        }
    }
}

impl Components {
    fn list(&mut self, model: &dyn Model, steps: &Steps) {
        self.sets.clear();
        let mut all = PartSet::default();
        for index in 0..steps.transitions() {
            let first = steps.transition(index).steps.start;
            let shown = steps.parts(first).filter(|set| *set != PartSet::default());
            let set = match shown {
                Some(parts) => parts,
                None => PartSet::one(self.group(model, steps.label(first))),
            };
            all.extend(&set);
            self.sets.push(set);
        }
        self.able.clear();
        self.able.extend(all.iter());
    }

    /// The number of an action's name. Numbers of components are limited, so some names share one if there are many.
    fn group(&mut self, model: &dyn Model, label: LabelId) -> usize {
        let place = label.0 as usize;
        if let Some(Some(group)) = self.groups.get(place) {
            return *group;
        }
        let text = model.label(label);
        let name = text.split('(').next().unwrap_or_default().to_string();
        let next = self.names.len();
        let group = *self.names.entry(name).or_insert(next) % MOST_PARTS;
        if place < 1 << 20 {
            self.groups.resize(self.groups.len().max(place + 1), None);
            self.groups[place] = Some(group);
        }
        group
    }

    /// A random transition in which the component with this place among those that can move takes part.
    fn transition_of(&self, able: usize, dice: &mut Dice) -> usize {
        let takes_part = |transition: &usize| self.sets[*transition].contains(self.able[able]);
        let mut fitting = (0..self.sets.len()).filter(takes_part);
        let drawn = dice.index(fitting.clone().count());
        let transition = fitting.nth(drawn);
        transition.expect("a component that can move has a transition")
    }
}
