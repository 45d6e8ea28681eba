//! Walking through a system: small questions, and nothing is computed again that did not change.

mod changes;
mod guards;
mod offer;
mod start;

use crate::contents::Writer;
use crate::index::Bits;
use crate::live::Live;
use crate::machines::Machines;
use crate::memory::Undo;
use crate::system::{Effects, Timing};
use guards::Guards;
use offer::{Offer, Offered};
use sortie_model::{
    Choice, Chooser, End, Fingerprint, Flow, Kind, LabelId, ModelError, View, Walk,
};
use start::Start;

/// A walk through a system of machines. An asynchronous step is one question in each class of transitions; in a synchronous step each question is
/// which of the machines that still can moves next, or, where effects take place afterwards, which transition a machine takes.
pub(crate) struct MachineWalk<'a> {
    machines: &'a Machines,
    live: Live<'a>,
    /// The packed state.
    state: Vec<u32>,
    /// Its fingerprint.
    print: u128,
    /// The local states that the tables below are about.
    noted: Vec<u32>,
    /// By variable: what it adds to the fingerprint.
    shares: Vec<u128>,
    writer: Writer,
    /// By transition: how many machines are not where it wants them, unless that is found all at once.
    unmet: Vec<u32>,
    /// Whether the transitions that are ready are found all at once after every step: faster where many machines move or there are few.
    masked: bool,
    /// Transitions whose machines are where they want them.
    ready: Bits,
    guards: Guards,
    /// The tables in the state where it begins.
    start: Start,
    /// The transitions of the step that led here.
    taken: Vec<u32>,
    /// The transitions that can be taken next.
    offer: Offer,
    enabled: Vec<u32>,
    selected: Vec<u32>,
    /// By machine: the last step in which it moved, counted over all walks.
    moved_in: Vec<u64>,
    /// By machine: the last step in which it was set, by which transition, to what.
    set_in: Vec<(u64, u32, u32)>,
    /// By variable, likewise.
    written_in: Vec<(u64, u32, i64)>,
    step: u64,
}

/// So few words are faster than following single changes in any case.
const FEW_WORDS: usize = 32;

/// Whether looking at all machines at once is faster than following the changes of single ones.
fn is_masked(machines: &Machines) -> bool {
    let words = machines.index.allowing.effort();
    let lists = machines.index.watching.iter().flatten();
    let longest = lists.map(Vec::len).max().unwrap_or(0);
    let few = words <= FEW_WORDS.max(8 * longest) || machines.timing == Timing::Synchronous;
    words > 0 && few
}

impl<'a> MachineWalk<'a> {
    /// A walk that begins in this state.
    pub(crate) fn new(machines: &'a Machines, start: &[u32]) -> Self {
        let system = &machines.system;
        let count = system.transitions.len();
        MachineWalk {
            machines,
            live: Live::new(machines),
            state: vec![0; machines.layout.width],
            print: 0,
            noted: Vec::new(),
            shares: Vec::new(),
            writer: Writer::default(),
            unmet: vec![0; count],
            masked: is_masked(machines),
            ready: Bits::new(count),
            start: Start::new(machines, start),
            offer: Offer::default(),
            guards: Guards::new(&system.transitions),
            taken: Vec::new(),
            enabled: Vec::new(),
            selected: Vec::new(),
            moved_in: vec![0; system.machines.len()],
            set_in: vec![(0, 0, 0); system.machines.len()],
            written_in: vec![(0, 0, 0); system.variables.len()],
            step: 0,
        }
    }

    /// Goes to where it begins.
    fn begin(&mut self) {
        let Start {
            state,
            print,
            shares,
            locals,
            variables,
            unmet,
            ready,
        } = &self.start;
        let layout = &self.machines.layout;
        if layout.addresses.is_empty() {
            self.live.locals.clone_from(locals);
            self.live.memory.restart(variables);
        } else {
            self.live.unpack(state);
            let Live { memory, .. } = &self.live;
            let contents = &self.machines.contents;
            self.writer
                .write_all(contents, memory, &layout.addresses, |_, _| {});
        }
        self.print = *print;
        self.shares.clone_from(shares);
        self.live.moved.clear();
        self.live.memory.journal.clear();
        self.state.clone_from(state);
        self.noted.clone_from(locals);
        self.unmet.copy_from_slice(unmet);
        self.ready.0.copy_from_slice(&ready.0);
        self.guards.known.0.fill(0);
        self.taken.clear();
    }

    fn owner(&self, transition: u32) -> usize {
        self.machines.index.owner[transition as usize] as usize
    }

    /// Takes a transition now.
    fn take(&mut self, transition: u32, together: bool) -> Result<(), ModelError> {
        let journal = self.live.memory.journal.len();
        self.live.move_machines(transition as usize);
        self.live.run_effect(transition as usize)?;
        self.taken.push(transition);
        if together {
            self.look_for_conflicts(transition, journal);
        }
        Ok(())
    }

    /// Whether another transition of this step wrote something else to the same place.
    fn look_for_conflicts(&mut self, transition: u32, journal: usize) {
        let machines = self.machines;
        for &(machine, state) in machines.index.writes(transition as usize) {
            let now = (self.step, transition, state);
            let (step, by, other) = std::mem::replace(&mut self.set_in[machine as usize], now);
            if step == self.step && by != transition && other != state {
                machines.note_conflict(by, transition, || {
                    machines.system.machines[machine as usize].name.clone()
                });
            }
        }
        for undo in &self.live.memory.journal[journal..] {
            let Undo::Variable(variable, _) = undo else {
                continue;
            };
            let value = self.live.memory.variables[*variable as usize];
            let now = (self.step, transition, value);
            let (step, by, other) =
                std::mem::replace(&mut self.written_in[*variable as usize], now);
            if step == self.step && by != transition && other != value {
                machines.note_conflict(by, transition, || {
                    machines.system.variables[*variable as usize].name.clone()
                });
            }
        }
    }

    fn choose(&self, chooser: &mut dyn Chooser, offered: &[u32], kind: Kind) -> usize {
        let names = Offered {
            machines: self.machines,
            transition: &|index| offered[index],
            alone: false,
        };
        chooser.choose(Choice::new(offered.len(), kind, &names))
    }

    /// Lets a class move, whose enabled transitions were found.
    fn move_class(&mut self, class: usize, chooser: &mut dyn Chooser) -> Result<(), ModelError> {
        let never = self.machines.index.classes[class].never;
        if self.machines.timing == Timing::Asynchronous && !never {
            let names = Offered {
                machines: self.machines,
                transition: &|index| self.offer.member(index),
                alone: self.machines.index.classes.len() == 1,
            };
            let chosen = chooser.choose(Choice::new(self.offer.count, Kind::Step, &names));
            return self.take(self.offer.member(chosen), false);
        }
        match self.machines.system.effects {
            Effects::AtOnce => self.one_after_another(chooser),
            Effects::Afterwards => self.together(chooser),
        }
    }

    fn one_after_another(&mut self, chooser: &mut dyn Chooser) -> Result<(), ModelError> {
        let mut left = std::mem::take(&mut self.enabled);
        while !left.is_empty() {
            let chosen = self.choose(chooser, &left, Kind::Step);
            let transition = left[chosen];
            let machine = self.owner(transition);
            self.take(transition, true)?;
            self.moved_in[machine] = self.step;
            let mut place = 0;
            while place < left.len() {
                if self.owner(left[place]) == machine {
                    left.swap_remove(place);
                } else {
                    place += 1;
                }
            }
        }
        self.enabled = left;
        Ok(())
    }

    fn together(&mut self, chooser: &mut dyn Chooser) -> Result<(), ModelError> {
        let enabled = std::mem::take(&mut self.enabled);
        self.selected.clear();
        // Transitions of one machine need not stand together in the file.
        let mut sorted = enabled;
        sorted.sort_by_key(|&transition| (self.owner(transition), transition));
        let machines = self.machines;
        let owner = |t: u32| machines.system.transitions[t as usize].machine;
        for options in sorted.chunk_by(|&a, &b| owner(a) == owner(b)) {
            let chosen = match options.len() {
                1 => 0,
                _ => self.choose(chooser, options, Kind::Toss),
            };
            self.selected.push(options[chosen]);
            let machine = self.owner(options[chosen]);
            self.moved_in[machine] = self.step;
        }
        self.live.move_together(&self.selected)?;
        self.taken.extend_from_slice(&self.selected);
        self.enabled = sorted;
        Ok(())
    }

    /// Finds what can be taken next, in the first class that has anything; the number of that class.
    fn look(&mut self, first: usize) -> Result<Option<usize>, ModelError> {
        for class in first..self.machines.index.classes.len() {
            self.find_enabled(class)?;
            let never = self.machines.index.classes[class].never;
            if never || self.machines.timing == Timing::Synchronous {
                self.offer.list(&mut self.enabled);
                let step = self.step;
                let Self {
                    enabled,
                    moved_in,
                    machines,
                    ..
                } = self;
                let owner = |t: u32| machines.index.owner[t as usize] as usize;
                enabled.retain(|&transition| moved_in[owner(transition)] != step);
                self.offer.count = self.enabled.len();
            }
            if self.offer.count > 0 || never {
                return Ok(Some(class));
            }
        }
        Ok(None)
    }

    /// Whether every watching machine has a transition among those found.
    fn all_watchers_move(&self) -> bool {
        let watchers = &self.machines.index.watchers;
        let mut watchers = watchers.iter();
        watchers.all(|&watcher| self.enabled.iter().any(|&t| self.owner(t) == watcher))
    }

    /// Moves all classes from this one on; whether the step exists.
    fn tick(&mut self, first: usize, chooser: &mut dyn Chooser) -> Result<bool, ModelError> {
        let mut next = Some(first);
        while let Some(class) = next {
            if self.machines.index.classes[class].never && !self.all_watchers_move() {
                return Ok(false);
            }
            let (moved, journal) = (self.live.moved.len(), self.live.memory.journal.len());
            self.move_class(class, chooser)?;
            self.note_changes(moved, journal);
            next = self.look(class + 1)?;
        }
        Ok(true)
    }

    fn call_all(&mut self, functions: &[crate::code::FunctionId]) -> Result<(), ModelError> {
        if functions.is_empty() {
            return Ok(());
        }
        let (moved, journal) = (self.live.moved.len(), self.live.memory.journal.len());
        for &function in functions {
            self.live.call(function)?;
        }
        self.note_changes(moved, journal);
        Ok(())
    }
}

impl Walk for MachineWalk<'_> {
    fn run(&mut self, chooser: &mut dyn Chooser, limit: u64) -> Result<End, ModelError> {
        self.begin();
        let machines = self.machines;
        for taken in 0..limit {
            self.live.moved.clear();
            self.live.memory.journal.clear();
            // What is done before a step is no part of the state that is left.
            let hooked = !machines.system.before_step.is_empty();
            let kept = hooked.then(|| self.state.clone());
            let print = Fingerprint(self.print);
            self.call_all(&machines.system.before_step)?;
            self.step += 1;
            let class = self.look(0)?;
            let arrived = std::mem::take(&mut self.taken);
            let label = || machines.labels.number(&machines.visible(&arrived));
            let enabled = match class {
                Some(class) if machines.index.classes[class].never => {
                    usize::from(self.all_watchers_move())
                }
                Some(_) => self.offer.count,
                None => 0,
            };
            let view = View {
                taken,
                state: Some(kept.as_deref().unwrap_or(&self.state)),
                steps: None,
                enabled: Some(enabled),
                label: (!arrived.is_empty()).then_some(&label as &dyn Fn() -> LabelId),
                print: Some(print),
            };
            let flow = chooser.arrive(view);
            self.taken = arrived;
            self.taken.clear();
            if flow == Flow::Stop {
                return Ok(End::Stopped);
            }
            let Some(class) = class.filter(|_| enabled > 0) else {
                return Ok(End::DeadEnd);
            };
            if !self.tick(class, chooser)? {
                return Ok(End::Impossible);
            }
            self.call_all(&machines.system.after_step)?;
        }
        Ok(End::Limit)
    }
}
