//! What earlier runs taught about tasks.

use super::cast::{Cast, Member};
use sortie_model::Fingerprinter;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// Moves are counted in parts, so that means need no fractions.
pub(super) const PARTS: u64 = 16;

/// How long a task may move alone that was never seen before, or beyond what it once needed.
const PATIENCE: u64 = 64;

/// How long a run is taken to be before there was one.
const UNKNOWN_LENGTH: u64 = 64;

/// What one run tells of its tasks.
#[derive(Clone, Debug, Default)]
pub(super) struct Tale {
    /// All moves.
    pub(super) moves: u64,
    /// Whether it was cut at the limit, so that its length says little.
    pub(super) is_cut: bool,
    /// For each task: who, its moves, and those of it and of all tasks that it brought about.
    tasks: Vec<(u64, u64, u64)>,
}

impl Tale {
    pub(super) fn of(cast: &Cast, moves: u64, is_cut: bool) -> Self {
        let members: &[Member] = &cast.members;
        let mut families: Vec<u64> = members.iter().map(|member| member.moves).collect();
        // Who brought a task about came before it.
        for (number, member) in members.iter().enumerate().rev() {
            if let Some(creator) = member.creator {
                families[creator] += families[number];
            }
        }
        let tasks = members.iter().zip(&families);
        Tale {
            moves,
            is_cut,
            tasks: tasks
                .map(|(member, family)| (member.who, member.moves, *family))
                .collect(),
        }
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Life {
    runs: u64,
    family: u64,
    least: u64,
}

/// What all runs together tell.
#[derive(Default)]
pub(super) struct Lore {
    longest: u64,
    /// Moves of all tasks in all runs, and how many tasks that were.
    all: (u64, u64),
    tasks: HashMap<u64, Life, BuildHasherDefault<Fingerprinter>>,
}

impl Lore {
    pub(super) fn learn(&mut self, tale: &Tale) {
        if tale.is_cut && self.longest > 0 {
            return;
        }
        self.longest = self.longest.max(tale.moves);
        for (who, moves, family) in &tale.tasks {
            let life = self.tasks.entry(*who).or_default();
            life.least = if life.runs == 0 {
                *moves
            } else {
                life.least.min(*moves)
            };
            life.runs += 1;
            self.all = (self.all.0 + moves, self.all.1 + 1);
            life.family += family;
        }
    }

    /// The most moves a run had.
    pub(super) fn longest(&self) -> u64 {
        if self.longest == 0 {
            UNKNOWN_LENGTH
        } else {
            self.longest
        }
    }

    /// How many moves a task is expected to make, and those that it brings about, in parts.
    pub(super) fn family(&self, who: u64) -> u64 {
        match (self.tasks.get(&who), self.all) {
            (Some(life), _) => life.family * PARTS / life.runs,
            (None, (_, 0)) => PARTS,
            (None, (moves, tasks)) => moves * PARTS / tasks,
        }
    }

    /// How many moves in a row a task may make while others could move, before it has to give way: it may be waiting for them.
    pub(super) fn patience(&self, who: u64) -> u64 {
        let least = self.tasks.get(&who).map_or(PATIENCE, |life| life.least);
        PATIENCE + 2 * least
    }
}
