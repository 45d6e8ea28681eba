//! Which transitions are concerned when a machine goes from one local state to another.

use crate::layout::{Layout, MarkId};
use crate::system::System;

/// Where the transitions lie that need a machine to be in a local state.
#[derive(Clone, Copy, Debug, Default)]
struct Needs {
    /// All of them, if they are in one word of a set and need nothing else, as most are.
    plain: Option<(u32, u64)>,
    first_alone: u32,
    behind_alone: u32,
    first_shared: u32,
    behind_shared: u32,
    first_all: u32,
    behind_all: u32,
}

/// By machine and local state: the transitions that need it.
#[derive(Debug)]
pub(crate) struct Watching {
    /// By mark.
    needs: Vec<Needs>,
    /// Those that need nothing else, as words of sets.
    alone: Vec<(u32, u64)>,
    /// Those that need other machines to be somewhere, too.
    shared: Vec<u32>,
    /// Both, as words of sets.
    all: Vec<(u32, u64)>,
    longest: usize,
}

impl Watching {
    pub(crate) fn new(system: &System, layout: &Layout) -> Self {
        let mut needing = vec![(Vec::new(), Vec::new()); layout.marks()];
        for (number, transition) in (0..).zip(&system.transitions) {
            let own = (transition.machine, transition.from);
            for &(machine, local) in transition.conditions.iter().chain([&own]) {
                let mark = layout.mark_of(machine as usize, local);
                let (alone, shared): &mut (Vec<u32>, Vec<u32>) = &mut needing[mark.0 as usize];
                match transition.conditions.is_empty() {
                    true => alone.push(number),
                    false => shared.push(number),
                }
            }
        }
        let mut watching = Watching {
            needs: Vec::new(),
            alone: Vec::new(),
            shared: Vec::new(),
            all: Vec::new(),
            longest: 0,
        };
        for (alone, shared) in needing {
            watching.longest = watching.longest.max(alone.len() + shared.len());
            let first_alone = watching.alone.len() as u32;
            add_words(&mut watching.alone, &alone);
            let first_all = watching.all.len() as u32;
            let mut all = [&alone[..], &shared[..]].concat();
            all.sort_unstable();
            add_words(&mut watching.all, &all);
            let plain = match watching.alone[first_alone as usize..] {
                [] => Some((0, 0)),
                [word] => Some(word),
                _ => None,
            };
            let plain = plain.filter(|_| shared.is_empty());
            let first_shared = watching.shared.len() as u32;
            watching.shared.extend(shared);
            watching.needs.push(Needs {
                plain,
                first_alone,
                behind_alone: watching.alone.len() as u32,
                first_shared,
                behind_shared: watching.shared.len() as u32,
                first_all,
                behind_all: watching.all.len() as u32,
            });
        }
        watching
    }

    /// The transitions that need this local state, if they are in one word of a set and need nothing else.
    #[inline]
    pub(crate) fn plain(&self, mark: MarkId) -> Option<(u32, u64)> {
        self.needs[mark.0 as usize].plain
    }

    /// The transitions that need this local state and nothing else, as words of a set.
    #[inline]
    pub(crate) fn alone(&self, mark: MarkId) -> &[(u32, u64)] {
        let needs = self.needs[mark.0 as usize];
        &self.alone[needs.first_alone as usize..needs.behind_alone as usize]
    }

    /// All transitions that need this local state, as words of a set.
    #[inline]
    pub(crate) fn all(&self, mark: MarkId) -> &[(u32, u64)] {
        let needs = self.needs[mark.0 as usize];
        &self.all[needs.first_all as usize..needs.behind_all as usize]
    }

    /// The transitions that need this local state and others.
    #[inline]
    pub(crate) fn shared(&self, mark: MarkId) -> &[u32] {
        let needs = self.needs[mark.0 as usize];
        &self.shared[needs.first_shared as usize..needs.behind_shared as usize]
    }

    /// How many transitions need the same local state at most.
    pub(crate) fn longest(&self) -> usize {
        self.longest
    }

    /// How many transitions that need others, too, are concerned when a machine moves, on average over all local states and rounded up.
    pub(crate) fn average_shared(&self) -> usize {
        (2 * self.shared.len()).div_ceil(self.needs.len().max(1))
    }
}

/// Adds the words of a set to a list, given its members in order.
fn add_words(words: &mut Vec<(u32, u64)>, members: &[u32]) {
    for same_word in members.chunk_by(|one, other| one / 64 == other / 64) {
        let bits = same_word.iter().fold(0, |bits, t| bits | 1 << (t % 64));
        words.push((same_word[0] / 64, bits));
    }
}
