//! Walking through a system: small questions, and nothing is computed again that did not change.

mod changes;
mod guards;
mod offer;
mod queue;
mod seat;
mod start;
mod steps;

use crate::contents::Writer;
use crate::index::Bits;
use crate::live::Live;
use crate::machines::Machines;
use crate::memory::Mask;
use crate::system::Timing;
use guards::Guards;
use offer::Offer;
use queue::Questions;
use seat::Seat;
use sortie_model::{Chooser, End, Fingerprint, Flow, LabelId, ModelError, View, Walk};
use start::Start;

/// A walk through a system of machines. An asynchronous step is one question in each class of transitions; in a synchronous step questions
/// are about the order of those transitions for which order matters, or, where effects take place afterwards, about which transition a machine takes.
pub(crate) struct MachineWalk<'a> {
    machines: &'a Machines,
    live: Live<'a>,
    /// The packed state.
    state: Vec<u32>,
    /// Its fingerprint: what machines add to it, and what variables do.
    locals_print: u128,
    variables_print: u128,
    /// By machine.
    seats: Vec<Seat>,
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
    /// The tables in the initial state.
    start: Start,
    /// The transitions of the step that led here.
    taken: Vec<u32>,
    /// The transitions that can be taken next.
    offer: Offer,
    enabled: Vec<u32>,
    selected: Vec<u32>,
    /// By variable: the last step in which it was written, by which transition, and what.
    written_in: Vec<(u64, u32, i64)>,
    step: u64,
    /// Machines and variables that were changed since the tables were brought up to date.
    written: Mask,
    /// Those of the variables that no journal speaks of.
    assigned: Vec<u32>,
    questions: Questions,
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
    pub(crate) fn new(machines: &'a Machines) -> Self {
        let system = &machines.system;
        let count = system.transitions.len();
        MachineWalk {
            machines,
            live: Live::new(machines),
            state: vec![0; machines.layout.width],
            locals_print: 0,
            variables_print: 0,
            seats: Vec::new(),
            shares: Vec::new(),
            writer: Writer::default(),
            unmet: vec![0; count],
            masked: is_masked(machines),
            ready: Bits::new(count),
            start: Start::new(machines),
            offer: Offer::default(),
            guards: Guards::new(system),
            taken: Vec::new(),
            enabled: Vec::new(),
            selected: Vec::new(),
            written_in: vec![(0, 0, 0); system.variables.len()],
            step: 0,
            written: 0,
            assigned: Vec::new(),
            questions: Questions::new(count),
        }
    }

    /// Goes to the initial state.
    fn begin(&mut self) {
        let Start {
            state,
            print,
            shares,
            locals,
            seats,
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
        self.variables_print = shares.iter().fold(0, |sum, share| sum ^ share);
        self.locals_print = print ^ self.variables_print;
        self.shares.clone_from(shares);
        self.live.moved.clear();
        self.live.memory.journal.clear();
        self.written = 0;
        self.assigned.clear();
        self.state.clone_from(state);
        self.seats.clone_from(seats);
        self.unmet.copy_from_slice(unmet);
        self.ready.0.copy_from_slice(&ready.0);
        self.guards.known.0.fill(0);
        self.taken.clear();
    }

    fn owner(&self, transition: u32) -> usize {
        self.machines.index.owner[transition as usize] as usize
    }

    /// Finds what can be taken next, in the first class that has anything; the number of that class.
    fn look(&mut self, first: usize) -> Result<Option<usize>, ModelError> {
        for class in first..self.machines.index.classes.len() {
            self.find_enabled(class)?;
            let never = self.machines.index.classes[class].never;
            if never || self.machines.timing == Timing::Synchronous {
                self.offer.list(&mut self.enabled);
                if first > 0 {
                    let (owner, step) = (&self.machines.index.owner, self.step);
                    let seat = |t: u32| self.seats[owner[t as usize] as usize];
                    let has_moved = |t: u32| seat(t).moved_in == step;
                    self.enabled.retain(|&transition| !has_moved(transition));
                    self.offer.count = self.enabled.len();
                }
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
            let journal = self.live.memory.journal.len();
            self.move_class(class, chooser)?;
            self.note_changes(journal);
            next = self.look(class + 1)?;
        }
        Ok(true)
    }

    fn call_all(&mut self, functions: &[crate::code::FunctionId]) -> Result<(), ModelError> {
        if functions.is_empty() {
            return Ok(());
        }
        let journal = self.live.memory.journal.len();
        for &function in functions {
            self.live.call(function)?;
        }
        self.note_changes(journal);
        Ok(())
    }
}

impl Walk for MachineWalk<'_> {
    fn run(&mut self, chooser: &mut dyn Chooser, limit: u64) -> Result<End, ModelError> {
        let end = self.follow(chooser, limit);
        let conflicts = std::mem::take(&mut self.live.conflicts);
        self.machines.add_conflicts(conflicts);
        end
    }
}

impl MachineWalk<'_> {
    fn follow(&mut self, chooser: &mut dyn Chooser, limit: u64) -> Result<End, ModelError> {
        self.begin();
        let machines = self.machines;
        for taken in 0..limit {
            self.live.moved.clear();
            self.live.memory.journal.clear();
            // What is done before a step is no part of the state that is left.
            let hooked = !machines.system.before_step.is_empty();
            let kept = hooked.then(|| self.state.clone());
            let print = Fingerprint(self.locals_print ^ self.variables_print);
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
