//! Walks that choose who moves before they choose what happens: schedulers for programs, applied to the components of a model.
//!
//! A plain random walk draws among transitions, so a component with many of them moves often and one with few hardly ever. Here components are drawn.
//! With *priorities* (after probabilistic concurrency testing by Burckhardt and others) each component gets a random priority and the highest one that can move does;
//! at a few random moves the one about to move falls below all others, and so does one that has moved alone for long, or nobody else ever would. Bugs that
//! need one component to run far ahead of another are found so. A *uniform* walk (after the uniform random walk of program testing) draws components by what they
//! probably have left to do, so that every interleaving of their moves is about equally likely.
//!
//! Where a model does not show its parts, the names of actions take their place. Lengths of walks are heavy-tailed. Cost: one expansion for each
//! state, and a look at the parts of each of its steps.

use crate::options::{Kind, OptionSpec};
use crate::outing::{Outing, Way, heavy_tailed, outcome};
use crate::schedulers::CHANGES;
use crate::{Hunt, Outcome, SearchError};
use sortie_model::{Dice, Model, PartSet, Steps};
use std::collections::HashMap;

const DEPTH: OptionSpec = OptionSpec {
    name: "depth",
    help: "longest path followed, in steps",
    kind: Kind::Number(1, u64::MAX),
    default: "10000",
};

pub(crate) const PRIORITY_OPTIONS: &[OptionSpec] = &[DEPTH, CHANGES];
pub(crate) const UNIFORM_OPTIONS: &[OptionSpec] = &[DEPTH];

/// Walks have at least this length, unless there is nowhere to go.
const SHORTEST: u64 = 32;

/// Who may move alone at least so often before others must.
const PATIENCE: u64 = 16;

pub(crate) fn hunt_by_priorities(hunt: &Hunt<'_>) -> Result<Outcome, SearchError> {
    let priorities = Priorities {
        most_changes: hunt.options.number(&CHANGES),
        ..Priorities::default()
    };
    walk(hunt, priorities)
}

pub(crate) fn hunt_uniformly(hunt: &Hunt<'_>) -> Result<Outcome, SearchError> {
    walk(hunt, Remaining::default())
}

/// Decides who moves. Components, or names of actions, are numbers.
trait Scheduler {
    /// A walk of at most this length begins.
    fn begin(&mut self, length: u64, dice: &mut Dice);

    /// One of the transitions; `movers` says who takes part in each of them.
    fn choose(&mut self, movers: &Movers, dice: &mut Dice) -> usize;
}

fn walk(hunt: &Hunt<'_>, mut scheduler: impl Scheduler) -> Result<Outcome, SearchError> {
    let model = hunt.model;
    let mut initial = Vec::new();
    model.initial(&mut initial)?;
    let depth = hunt.options.number(&DEPTH);
    let mut dice = Dice::new(hunt.seed);
    let tells = model.extensions().participants().is_some();
    let mut outing = Outing::begin(hunt, &initial, tells);
    let mut movers = Movers::default();
    let mut state = initial.clone();
    let mut way = Way::new();
    while outing.end.is_none() {
        state.clone_from(&initial);
        way.clear();
        outing.begin_walk();
        let length = heavy_tailed(&mut dice, SHORTEST, depth);
        scheduler.begin(length, &mut dice);
        for taken in 0..length {
            let Some(steps) = outing.look(&state, taken, &|| way.clone())? else {
                break;
            };
            if steps.is_empty() {
                break;
            }
            movers.list(model, steps);
            let chosen = scheduler.choose(&movers, &mut dice);
            let chosen = outcome(steps, chosen, &mut dice);
            state.copy_from_slice(steps.target(chosen));
            way.push(chosen as u32);
        }
    }
    outing.finish()
}

/// Who takes part in each transition of a state.
#[derive(Default)]
struct Movers {
    sets: Vec<PartSet>,
    /// How many movers are known.
    known: usize,
    /// Numbers of names of actions, by number of the label; used where parts are not shown.
    groups: Vec<Option<usize>>,
    names: HashMap<String, usize>,
}

impl Movers {
    fn list(&mut self, model: &dyn Model, steps: &Steps) {
        self.sets.clear();
        for index in 0..steps.transitions() {
            let first = steps.transition(index).steps.start;
            let set = match steps.parts(first) {
                Some(parts) => parts,
                None => PartSet::one(self.group(model, steps.label(first))),
            };
            if let Some(greatest) = set.iter().last() {
                self.known = self.known.max(greatest + 1);
            }
            self.sets.push(set);
        }
    }

    /// The number of the name of an action. There is a limit on numbers of parts, so some names share one if there are many.
    fn group(&mut self, model: &dyn Model, label: sortie_model::LabelId) -> usize {
        let place = label.0 as usize;
        if let Some(Some(group)) = self.groups.get(place) {
            return *group;
        }
        let text = model.label(label);
        let name = text.split('(').next().unwrap_or_default().to_string();
        let next = self.names.len();
        let group = *self.names.entry(name).or_insert(next) % sortie_model::MOST_PARTS;
        if place < 1 << 20 {
            self.groups.resize(self.groups.len().max(place + 1), None);
            self.groups[place] = Some(group);
        }
        group
    }
}

/// A random transition among those that fit.
fn any(movers: &Movers, dice: &mut Dice, fits: impl Fn(&PartSet) -> bool) -> usize {
    let mut chosen = 0;
    let mut fitting = 0;
    for (index, set) in movers.sets.iter().enumerate() {
        if fits(set) {
            fitting += 1;
            if dice.below(fitting) == 0 {
                chosen = index;
            }
        }
    }
    chosen
}

/// The highest that can move does.
#[derive(Default)]
struct Priorities {
    most_changes: u64,
    /// By number of the mover.
    priorities: Vec<u64>,
    /// Below all priorities there are.
    lowest: u64,
    /// Moves at which somebody falls, the next one last.
    changes: Vec<u64>,
    taken: u64,
    /// Who moved last, how often in a row, and how often that may be.
    last: Option<usize>,
    alone: u64,
    patience: u64,
}

impl Priorities {
    /// The mover of highest priority that can move.
    fn highest(&self, movers: &Movers) -> Option<usize> {
        let all = movers.sets.iter().flat_map(PartSet::iter);
        all.max_by_key(|&mover| self.priorities[mover])
    }

    fn fall(&mut self, mover: usize) {
        self.lowest -= 1;
        self.priorities[mover] = self.lowest;
    }
}

impl Scheduler for Priorities {
    fn begin(&mut self, length: u64, dice: &mut Dice) {
        self.priorities.clear();
        self.lowest = 1 << 62;
        self.changes.clear();
        for _ in 0..dice.below(self.most_changes + 1) {
            self.changes.push(dice.below(length));
        }
        self.changes
            .sort_unstable_by_key(|&at| std::cmp::Reverse(at));
        self.taken = 0;
        self.last = None;
        self.alone = 0;
        self.patience = heavy_tailed(dice, PATIENCE, u64::MAX);
    }

    fn choose(&mut self, movers: &Movers, dice: &mut Dice) -> usize {
        while self.priorities.len() < movers.known {
            self.priorities.push(1 << 63 | dice.bits() >> 1);
        }
        while self.changes.last().is_some_and(|&at| at <= self.taken) {
            self.changes.pop();
            if let Some(mover) = self.highest(movers) {
                self.fall(mover);
            }
        }
        if let Some(last) = self.last
            && self.alone >= self.patience
        {
            self.fall(last);
            self.alone = 0;
        }
        self.taken += 1;
        let mover = self.highest(movers);
        self.alone = if mover == self.last {
            self.alone + 1
        } else {
            1
        };
        self.last = mover;
        any(movers, dice, |set| {
            mover.is_none_or(|mover| set.contains(mover))
        })
    }
}

/// Movers are drawn by what they have left to do.
#[derive(Default)]
struct Remaining {
    length: u64,
    /// By number of the mover: moves in all walks, and in this one.
    moves: Vec<(u64, u64)>,
    all: u64,
    /// How likely each of those that can move is to be drawn.
    weights: Vec<u64>,
}

impl Scheduler for Remaining {
    fn begin(&mut self, length: u64, _dice: &mut Dice) {
        self.length = length;
        self.moves.iter_mut().for_each(|moves| moves.1 = 0);
    }

    fn choose(&mut self, movers: &Movers, dice: &mut Dice) -> usize {
        self.moves.resize(movers.known, (0, 0));
        let able = movers.sets.iter().fold(PartSet::default(), |mut all, set| {
            all.extend(set);
            all
        });
        self.weights.clear();
        for (mover, &(ever, now)) in self.moves.iter().enumerate() {
            // Everybody counts as having moved once more than it did, so that nobody is left out.
            let share = u128::from(ever + 1) * u128::from(self.length);
            let expected = share / u128::from(self.all + movers.known as u64);
            let left = u64::try_from(expected).unwrap_or(u64::MAX >> 16);
            let left = left.saturating_sub(now).clamp(1, 1 << 40);
            self.weights
                .push(if able.contains(mover) { left } else { 0 });
        }
        let drawn = match able == PartSet::default() {
            true => None,
            false => Some(dice.weighted(&self.weights)),
        };
        let chosen = any(movers, dice, |set| {
            drawn.is_none_or(|mover| set.contains(mover))
        });
        for mover in movers.sets[chosen].iter() {
            self.moves[mover].0 += 1;
            self.moves[mover].1 += 1;
            self.all += 1;
        }
        chosen
    }
}
