//! What is known of a system before it runs.

use crate::code::{Expression, Function, Place};
use crate::deeds::Deed;
use crate::layout::{Layout, MarkId};
use crate::rivals::Rivals;
use crate::system::System;
use crate::visit;
use crate::watching::Watching;
use std::ops::Range;

/// A set of small numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bits(pub(crate) Vec<u64>);

impl Bits {
    pub(crate) fn new(count: usize) -> Self {
        Bits(vec![0; count.div_ceil(64)])
    }

    #[inline]
    pub(crate) fn set(&mut self, place: usize) {
        self.0[place / 64] |= 1 << (place % 64);
    }

    pub(crate) fn meets(&self, other: &Bits) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    fn fill(&mut self, from: usize, to: usize) {
        (from..to).for_each(|place| self.set(place));
    }
}

/// What a transition may read and write: machines, then variables, then everything that is allocated.
#[derive(Clone, Debug)]
pub(crate) struct Touches {
    pub(crate) reads: Bits,
    pub(crate) writes: Bits,
}

impl Touches {
    /// Whether the order of the two may matter.
    pub(crate) fn interferes(&self, other: &Touches) -> bool {
        self.writes.meets(&other.writes)
            || self.writes.meets(&other.reads)
            || self.reads.meets(&other.writes)
    }
}

/// Transitions that move together.
#[derive(Clone, Debug)]
pub(crate) struct Class {
    /// Whether it is that of the machines that watch.
    pub(crate) never: bool,
    /// Which transitions belong to it.
    pub(crate) members: Bits,
    /// The words of that set which are not empty, and what lies between them.
    pub(crate) words: Range<usize>,
}

/// A machine is put into a local state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Put {
    pub(crate) machine: u32,
    /// The number of the machine and the local state.
    pub(crate) mark: MarkId,
}

/// What has to be known of a transition to take it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Move {
    /// Its machine.
    pub(crate) owner: u32,
    /// Where what it puts machines into begins in the list, and where it ends.
    first_put: u32,
    behind_put: u32,
    /// Whether it leaves variables alone.
    pub(crate) is_quiet: bool,
}

/// Tables made of a system once.
#[derive(Debug)]
pub(crate) struct Index {
    /// In the order in which they move.
    pub(crate) classes: Vec<Class>,
    /// By transition: its class.
    pub(crate) class: Vec<usize>,
    /// By transition: its machine.
    pub(crate) owner: Vec<u32>,
    /// By machine and local state: the transitions that leave it.
    pub(crate) leaving: Vec<Vec<Vec<u32>>>,
    /// By machine and local state: the transitions that need it.
    pub(crate) watching: Watching,
    /// By machine and local state: the transitions that do not need the machine to be elsewhere. Empty where such tables would be too large to be faster than
    /// following single changes.
    pub(crate) allowing: Allowing,
    /// By transition.
    pub(crate) moves: Vec<Move>,
    /// What transitions put machines into, that of the own machine last.
    puts: Vec<Put>,
    /// By transition: what it does to variables.
    pub(crate) deeds: Vec<Deed>,
    /// Which transitions get in each other's way.
    pub(crate) rivals: Rivals,
    /// By transition.
    pub(crate) touches: Vec<Touches>,
    /// The machines that watch.
    pub(crate) watchers: Vec<usize>,
    /// The machines with local states that are marked as progress or accepting.
    pub(crate) remarkable: Vec<usize>,
    /// Whether transitions put any of these somewhere.
    pub(crate) status_varies: bool,
}

impl Index {
    pub(crate) fn new(system: &System, layout: &Layout) -> Self {
        let never =
            |transition: &crate::Transition| system.machines[transition.machine as usize].never;
        let weight = |transition: &crate::Transition| match never(transition) {
            true => (true, 0),
            false => (false, transition.class),
        };
        let mut weights: Vec<(bool, i64)> = system.transitions.iter().map(weight).collect();
        weights.sort_unstable();
        weights.dedup();
        let find = |transition| {
            let wanted = weight(transition);
            weights
                .binary_search(&wanted)
                .expect("all weights are listed")
        };
        let class: Vec<usize> = system.transitions.iter().map(find).collect();
        let classes = weights.iter().enumerate().map(|(number, (never, _))| {
            let mut members = Bits::new(system.transitions.len());
            for (transition, _) in class.iter().enumerate().filter(|(_, c)| **c == number) {
                members.set(transition);
            }
            let used = |word: &u64| *word != 0;
            let first = members.0.iter().position(used).unwrap_or(0);
            let behind = members.0.iter().rposition(used).map_or(0, |last| last + 1);
            Class {
                never: *never,
                members,
                words: first..behind,
            }
        });
        let machines = system.machines.iter();
        let leaving = machines.map(|machine| vec![Vec::new(); machine.states.len()]);
        let mut leaving: Vec<Vec<Vec<u32>>> = leaving.collect();
        for (number, transition) in (0..).zip(&system.transitions) {
            leaving[transition.machine as usize][transition.from as usize].push(number);
        }
        let mut moves = Vec::new();
        let mut writes = Vec::new();
        for transition in &system.transitions {
            let first_put = writes.len() as u32;
            let own = (transition.machine, transition.to);
            let puts = transition.outputs.iter().chain([&own]);
            writes.extend(puts.map(|&(machine, local)| {
                let mark = layout.mark_of(machine as usize, local);
                Put { machine, mark }
            }));
            moves.push(Move {
                owner: transition.machine,
                first_put,
                behind_put: writes.len() as u32,
                is_quiet: transition.effect.is_none(),
            });
        }
        let select = |wanted: fn(&crate::Machine) -> bool| {
            let numbered = system.machines.iter().enumerate();
            let selected = numbered.filter(|(_, machine)| wanted(machine));
            selected.map(|(number, _)| number).collect()
        };
        let deed = |t: &crate::Transition| Deed::new(system, t.effect);
        let touched = |t: &crate::Transition| touches(system, t);
        let mut index = Index {
            deeds: system.transitions.iter().map(deed).collect(),
            rivals: Rivals::default(),
            classes: classes.collect(),
            class,
            owner: system.transitions.iter().map(|t| t.machine).collect(),
            leaving,
            allowing: Allowing::new(system, layout),
            watching: Watching::new(system, layout),
            moves,
            puts: writes,
            touches: system.transitions.iter().map(touched).collect(),
            watchers: select(|machine| machine.never),
            remarkable: select(|machine| {
                let mut states = machine.states.iter();
                states.any(|state| state.progress || state.accepting)
            }),
            status_varies: false,
        };
        index.rivals = Rivals::new(system, &index);
        let is_remarkable = |put: &Put| index.remarkable.contains(&(put.machine as usize));
        index.status_varies = index.puts.iter().any(is_remarkable);
        index
    }

    /// What a transition puts machines into, its own last.
    #[inline]
    pub(crate) fn puts(&self, action: Move) -> &[Put] {
        &self.puts[action.first_put as usize..action.behind_put as usize]
    }

    /// By number.
    pub(crate) fn puts_of(&self, transition: usize) -> &[Put] {
        self.puts(self.moves[transition])
    }
}

/// For every machine and local state a set of transitions, all in one list.
#[derive(Debug, Default)]
pub(crate) struct Allowing {
    sets: Vec<u64>,
    machines: usize,
    /// How many words a set has, and how many lie between the beginnings of two.
    words: usize,
    stride: usize,
}

impl Allowing {
    /// Tables are used up to this many words for one state.
    const MOST_WORDS: usize = 640;

    /// So many words are looked at together, which the processor does without going back to memory.
    const ROW: usize = 8;

    fn new(system: &System, layout: &Layout) -> Self {
        let count = system.transitions.len();
        let words = count.div_ceil(64);
        if words * system.machines.len() > Allowing::MOST_WORDS {
            return Allowing::default();
        }
        let stride = if words > 1 {
            words.next_multiple_of(Allowing::ROW)
        } else {
            1
        };
        let mut allowing = Allowing {
            sets: vec![u64::MAX; layout.marks() * stride],
            machines: system.machines.len(),
            words,
            stride,
        };
        for (number, transition) in system.transitions.iter().enumerate() {
            let own = (transition.machine, transition.from);
            for &(machine, state) in transition.conditions.iter().chain([&own]) {
                let states = system.machines[machine as usize].states.len() as u32;
                for other in (0..states).filter(|other| *other != state) {
                    let mark = layout.mark_of(machine as usize, other);
                    let set = mark.0 as usize * stride;
                    allowing.sets[set + number / 64] &= !(1 << (number % 64));
                }
            }
        }
        allowing
    }

    /// How many words are looked at for one state; none if there are no tables.
    pub(crate) fn effort(&self) -> usize {
        self.words * self.machines
    }

    /// By mark, where a set has one word.
    #[inline]
    pub(crate) fn of_few(&self) -> Option<&[u64]> {
        (self.words == 1).then_some(&self.sets[..])
    }

    /// The transitions that nothing speaks against when machines are in these local states. Numbers beyond the last transition are in the set, too.
    #[inline]
    pub(crate) fn find(&self, marks: impl Iterator<Item = MarkId> + Clone, ready: &mut [u64]) {
        if let [ready] = ready {
            let sets = marks.map(|mark| self.sets[mark.0 as usize]);
            *ready = sets.fold(u64::MAX, |all, set| all & set);
            return;
        }
        for (number, ready) in ready.chunks_mut(Allowing::ROW).enumerate() {
            let mut all = [u64::MAX; Allowing::ROW];
            for mark in marks.clone() {
                let first = mark.0 as usize * self.stride + number * Allowing::ROW;
                let set = &self.sets[first..first + Allowing::ROW];
                for (all, allowed) in all.iter_mut().zip(set) {
                    *all &= allowed;
                }
            }
            ready.copy_from_slice(&all[..ready.len()]);
        }
    }
}

/// Goes through code to see what it may touch.
struct Touched<'a> {
    touches: Touches,
    visited: Vec<bool>,
    functions: &'a [Function],
    machines: usize,
    variables: usize,
}

fn touches(system: &System, transition: &crate::Transition) -> Touches {
    let places = system.machines.len() + system.variables.len() + 1;
    let (reads, writes) = (Bits::new(places), Bits::new(places));
    let mut touched = Touched {
        touches: Touches { reads, writes },
        visited: vec![false; system.functions.len()],
        functions: &system.functions,
        machines: system.machines.len(),
        variables: system.variables.len(),
    };
    touched.touches.writes.set(transition.machine as usize);
    for (machine, _) in &transition.outputs {
        touched.touches.writes.set(*machine as usize);
    }
    if let Some(effect) = transition.effect {
        touched.function(effect.0 as usize);
    }
    touched.touches
}

impl Touched<'_> {
    fn function(&mut self, number: usize) {
        if !std::mem::replace(&mut self.visited[number], true) {
            let functions = self.functions;
            visit::statements(&functions[number].body, &mut |part| self.note(part));
        }
    }

    /// What a part does itself, apart from what it consists of.
    fn note(&mut self, part: &Expression) {
        match part {
            Expression::In { machine, .. } => self.touches.reads.set(*machine as usize),
            Expression::Read(place) => self.place(place, true, false),
            Expression::Assign(place, _) => self.place(place, false, true),
            Expression::Change { place, .. } => self.place(place, true, true),
            Expression::Call(function, _) => self.function(function.0 as usize),
            Expression::Allocate(_) | Expression::Release(_) => {
                self.touches.writes.set(self.machines + self.variables);
            }
            _ => {}
        }
    }

    fn place(&mut self, place: &Place, read: bool, written: bool) {
        let (from, to) = match place {
            Place::Variable(variable) => (*variable as usize, *variable as usize + 1),
            Place::Local(_) => return,
            Place::Element {
                first, count, size, ..
            } => {
                let first = *first as usize;
                let behind = first + (*count * *size) as usize;
                (first, behind.min(self.variables))
            }
            Place::At(_) => (0, self.variables + 1),
        };
        let (from, to) = (self.machines + from, self.machines + to);
        if read {
            self.touches.reads.fill(from, to);
        }
        if written {
            self.touches.writes.fill(from, to);
        }
    }
}
