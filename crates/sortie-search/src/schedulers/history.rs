//! The history of a search: what earlier runs tell of tasks and of the objects they use.

use super::tasks::{RunTasks, Task};
use sortie_model::{Dice, Fingerprinter};
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// Moves are counted in parts, so that means need no fractions.
pub(crate) const PARTS: u64 = 16;

/// Number of moves in a row that are allowed to a task never seen before, and to others beyond what they once needed.
const PATIENCE: u64 = 64;

/// The length that is expected of the first run.
const UNKNOWN_LENGTH: u64 = 64;

/// What one run tells of its tasks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Summary {
    /// All moves.
    pub(crate) moves: u64,
    /// Whether it was cut at the limit, so that its length says little.
    pub(crate) is_cut: bool,
    /// For each task: its name, its moves, and those of it and of all tasks that it created.
    tasks: Vec<(u64, u64, u64)>,
    /// Which task created which.
    creators: Vec<(u64, u64)>,
    /// Object, task, how often it used the object, whether it changed it.
    uses: Vec<(u64, u64, u64, bool)>,
}

impl Summary {
    pub(crate) fn of(tasks: &RunTasks, moves: u64, is_cut: bool) -> Self {
        let all: &[Task] = &tasks.all;
        let mut families: Vec<u64> = all.iter().map(|task| task.moves).collect();
        // A creator has a smaller number than the tasks it creates.
        for (number, task) in all.iter().enumerate().rev() {
            if let Some(creator) = task.creator {
                families[creator] += families[number];
            }
        }
        let created = |task: &Task| Some((task.who, all[task.creator?].who));
        let uses = tasks.uses.iter();
        let uses = uses.map(|((object, task), used)| (*object, all[*task].who, used.0, used.1));
        let mut uses: Vec<_> = uses.collect();
        uses.sort_unstable();
        let families = all.iter().zip(families);
        Summary {
            creators: all.iter().filter_map(created).collect(),
            uses,
            moves,
            is_cut,
            tasks: families
                .map(|(task, family)| (task.who, task.moves, family))
                .collect(),
        }
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Life {
    runs: u64,
    moves: u64,
    family: u64,
    least: u64,
}

/// What all runs together tell.
#[derive(Default)]
pub(crate) struct History {
    runs: u64,
    moves: u64,
    longest: u64,
    shortest: u64,
    /// Moves of all tasks in all runs, and how many tasks that were.
    all: (u64, u64),
    tasks: Known<Life>,
    /// Their names, in order.
    names: Vec<u64>,
    creators: Known<u64>,
    /// How often each task used each object, in how many runs, and whether it ever changed it.
    objects: Known<Known<Use>>,
    /// Objects that several tasks use and one of them changes, in order, and how many pairs of tasks race for each.
    shared: Vec<u64>,
    pairs: Vec<u64>,
}

type Known<T> = HashMap<u64, T, BuildHasherDefault<Fingerprinter>>;

#[derive(Clone, Copy, Debug, Default)]
struct Use {
    runs: u64,
    times: u64,
    changes: bool,
}

/// Uses of more objects are not counted.
const OBJECTS: usize = 1 << 16;

impl History {
    pub(crate) fn learn(&mut self, summary: &Summary) {
        if summary.tasks.is_empty() || summary.is_cut && self.runs > 0 {
            return;
        }
        self.shortest = match self.runs {
            0 => summary.moves,
            _ => self.shortest.min(summary.moves),
        };
        self.runs += 1;
        self.moves += summary.moves;
        self.longest = self.longest.max(summary.moves);
        for (who, moves, family) in &summary.tasks {
            let life = self.tasks.entry(*who).or_default();
            if life.runs == 0 {
                life.least = *moves;
                let place = self.names.partition_point(|known| known < who);
                self.names.insert(place, *who);
            }
            life.least = life.least.min(*moves);
            life.runs += 1;
            self.all = (self.all.0 + moves, self.all.1 + 1);
            life.moves += moves;
            life.family += family;
        }
        self.creators.extend(summary.creators.iter().copied());
        for (object, who, times, changes) in &summary.uses {
            if self.objects.len() >= OBJECTS && !self.objects.contains_key(object) {
                continue;
            }
            let users = self.objects.entry(*object).or_default();
            let known = users.len();
            let changed = users.get(who).is_some_and(|user| user.changes);
            let user = users.entry(*who).or_default();
            user.runs += 1;
            user.times += times;
            user.changes |= changes;
            let user_changes = user.changes;
            if users.len() > known || user_changes != changed {
                let looking = users.values().filter(|user| !user.changes).count() as u64;
                let all = users.len() as u64;
                let pairs = (all * (all - 1) - looking * looking.saturating_sub(1)) / 2;
                self.set_pairs(*object, pairs);
            }
        }
    }

    fn set_pairs(&mut self, object: u64, pairs: u64) {
        match self.shared.binary_search(&object) {
            Ok(place) => self.pairs[place] = pairs,
            Err(place) if pairs > 0 => {
                self.shared.insert(place, object);
                self.pairs.insert(place, pairs);
            }
            Err(_) => {}
        }
    }

    /// A random object that several tasks use and one of them changes, as likely as pairs of tasks race for it.
    pub(crate) fn contested(&self, dice: &mut Dice) -> Option<u64> {
        let any = !self.shared.is_empty();
        any.then(|| self.shared[dice.weighted(&self.pairs)])
    }

    /// How often each task and those that it creates are expected to use an object, in parts.
    pub(crate) fn uses(&self, object: u64) -> Known<u64> {
        let users = self.objects.get(&object).into_iter().flatten();
        self.with_creators(users.map(|(who, user)| (*who, user.times * PARTS / user.runs)))
    }

    /// Number of moves, in parts, that these tasks are expected to make, also counted for their creators.
    pub(crate) fn moves_of(&self, tasks: &[u64]) -> Known<u64> {
        let mean = |life: &Life| life.moves * PARTS / life.runs;
        let means = tasks
            .iter()
            .filter_map(|who| Some((*who, mean(self.tasks.get(who)?))));
        self.with_creators(means)
    }

    fn with_creators(&self, tasks: impl Iterator<Item = (u64, u64)>) -> Known<u64> {
        let mut families = Known::default();
        for (mut who, times) in tasks {
            // Creators are learnt from several runs, which might contradict each other.
            for _ in 0..=self.creators.len() {
                *families.entry(who).or_insert(0) += times;
                match self.creators.get(&who) {
                    Some(creator) => who = *creator,
                    None => break,
                }
            }
        }
        families
    }

    /// The tasks seen so far, in order.
    pub(crate) fn tasks(&self) -> &[u64] {
        &self.names
    }

    /// The most moves a run had; but a few runs in which tasks waited in loops do not count.
    pub(crate) fn longest(&self) -> u64 {
        match self.runs {
            0 => UNKNOWN_LENGTH,
            runs => self.longest.min(2 * self.moves / runs).max(1),
        }
    }

    /// Number of moves that a run may make without an interesting one.
    pub(crate) fn idling(&self) -> u64 {
        PATIENCE + 2 * self.shortest
    }

    /// Number of moves, in parts, that a task and those that it creates are expected to make in a run, of this length if that is planned.
    pub(crate) fn family(&self, who: u64, length: Option<u64>) -> u64 {
        let mean = match (self.tasks.get(&who), self.all) {
            (Some(life), _) => life.family * PARTS / life.runs,
            (None, (_, 0)) => PARTS,
            (None, (moves, tasks)) => moves * PARTS / tasks,
        };
        let scaled = |length| u128::from(mean) * u128::from(length) * u128::from(self.runs);
        match length {
            Some(length) if self.moves > 0 => {
                u64::try_from(scaled(length) / u128::from(self.moves)).unwrap_or(u64::MAX >> 16)
            }
            _ => mean,
        }
    }

    /// Number of moves in a row that a task may make while others could move, before it has to give way: it may be waiting for them.
    pub(crate) fn patience(&self, who: u64) -> u64 {
        let least = self.tasks.get(&who).map_or(PATIENCE, |life| life.least);
        PATIENCE + 2 * least
    }
}
