//! Walking through a system: small questions, and nothing is computed again that did not change.

mod abreast;
mod asking;
mod changes;
mod follow;
mod guards;
mod hurry;
mod knots;
mod known;
mod offer;
mod queue;
mod recall;
mod scan;
mod seat;
mod start;
mod steps;
mod stride;
mod taken;
mod untangle;

use crate::contents::{Noted, Writer};
use crate::index::Bits;
use crate::live::Live;
use crate::machines::Machines;
use crate::memory::Mask;
use crate::system::{Timing, Watchers};
use asking::Asking;
use guards::Guards;
use hurry::Row;
use knots::Knots;
use known::Known;
use offer::Offer;
use queue::Questions;
use recall::Recall;
use seat::Seat;
use sortie_model::{Chooser, ModelError};
use start::Start;
use stride::Stride;

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
    /// Whether a machine has gone to another local state since that was last asked.
    strayed: bool,
    /// Transitions whose machines are where they want them.
    ready: Bits,
    guards: Guards,
    /// The tables in the state where it begins.
    start: Start,
    /// The transitions of the step that led here, unless they are taken knot by knot.
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
    /// Variables that lead to something else since the tables were brought up to date last, perhaps more than once.
    changed_addresses: Vec<u32>,
    questions: Questions,
    /// What is known of transitions that get in each other's way, where they are taken knot by knot.
    knots: Option<Box<Knots>>,
    /// Whether an earlier walk has told of a contradiction in detail.
    has_told: bool,
    asking: Asking,
    /// The first class that has anything to take in the step that was prepared.
    class: Option<usize>,
    /// The steps that were taken before, unless there are too many.
    known: Option<Box<Known>>,
    row: Row,
    stride: Stride,
    /// What code did before, unless too much of what it does is new.
    recall: Option<Box<Recall>>,
}

/// So few words are faster than following single changes in any case.
const FEW_WORDS: usize = 32;

/// Following one machine takes as long as looking at so many words, and as many again for each transition that depends on others, too.
const FOLLOWING: usize = 4;

/// Whether looking at all machines at once is faster than following the changes of single ones.
fn is_masked(machines: &Machines) -> bool {
    let words = machines.index.allowing.effort();
    let watching = &machines.index.watching;
    let most = match machines.timing {
        Timing::Asynchronous => 8 * watching.longest(),
        // Nobody knows how many machines will move, perhaps all of them.
        Timing::Synchronous => {
            machines.system.machines.len() * FOLLOWING * (1 + watching.average_shared())
        }
    };
    words > 0 && words <= FEW_WORDS.max(most)
}

impl<'a> MachineWalk<'a> {
    /// A walk that begins in this state.
    pub(crate) fn new(machines: &'a Machines, start: &[u32]) -> Self {
        let system = &machines.system;
        let count = system.transitions.len();
        let masked = is_masked(machines);
        let recall = Recall::new(machines).map(Box::new);
        let mut guards = Guards::new(system);
        for (transition, reads) in recall.iter().flat_map(|recall| recall.reads()) {
            guards.will_be_looked_up(transition, reads);
        }
        let knots = Knots::new(machines).filter(|_| masked);
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
            masked,
            strayed: false,
            ready: Bits::new(count),
            start: Start::new(machines, start),
            offer: Offer::new(count),
            guards,
            taken: Vec::new(),
            enabled: Vec::new(),
            selected: Vec::new(),
            written_in: vec![(0, 0, 0); system.variables.len()],
            step: 0,
            written: 0,
            assigned: Vec::new(),
            changed_addresses: Vec::new(),
            questions: Questions::new(count),
            knots: knots.map(Box::new),
            has_told: false,
            asking: Asking::default(),
            class: None,
            known: Some(Box::new(Known::new(machines.layout.width))),
            row: Row::default(),
            stride: Stride::default(),
            recall,
        }
    }

    /// Goes to where it begins.
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
        } else if let Some(recall) = &mut self.recall {
            self.live.locals.clone_from(locals);
            self.live.memory.restart(variables);
            recall.set_stale(true);
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
        if !self.masked {
            self.unmet.copy_from_slice(unmet);
        }
        self.ready.0.copy_from_slice(&ready.0);
        self.guards.forget_all();
        self.taken.clear();
        if let Some(mut knots) = self.knots.take() {
            knots.abreast.go_to(&self.start.state);
            knots.taken.clear();
            self.look_abreast(&knots);
            self.knots = Some(knots);
        }
    }

    /// Goes to any state.
    fn go_to(&mut self, state: &[u32]) {
        let machines = self.machines;
        let layout = &machines.layout;
        self.live.unpack(state);
        self.live.memory.journal.clear();
        self.state.copy_from_slice(state);
        let memory = &self.live.memory;
        for (variable, share) in self.shares.iter_mut().enumerate() {
            *share = layout.variable_share(variable, memory.variables[variable]);
        }
        let shares = &mut self.shares;
        let set = |variable: u32, noted: Noted| {
            shares[variable as usize] = layout.address_share(variable as usize, noted.print);
        };
        self.writer
            .write_all(&machines.contents, memory, &layout.addresses, set);
        if let Some(recall) = &mut self.recall {
            recall.set_stale(false);
        }
        self.variables_print = self.shares.iter().fold(0, |sum, share| sum ^ share);
        self.locals_print = 0;
        for (machine, seat) in self.seats.iter_mut().enumerate() {
            seat.mark = layout.mark_of(machine, self.live.locals[machine]);
            self.locals_print ^= layout.mark(seat.mark).print;
        }
        self.written = 0;
        self.assigned.clear();
        self.guards.forget_all();
        if let Some(mut knots) = self.knots.take() {
            knots.abreast.go_to(state);
            self.look_abreast(&knots);
            self.knots = Some(knots);
        } else if self.masked {
            self.find_ready();
        } else {
            self.unmet.clear();
            let unmet = start::unmet(machines, &self.live.locals, &mut self.ready);
            self.unmet.extend(unmet);
        }
    }

    fn owner(&self, transition: u32) -> usize {
        self.machines.index.owner[transition as usize] as usize
    }

    /// Finds what can be taken next, in the first class that has anything; the number of that class.
    fn look(&mut self, first: usize) -> Result<Option<usize>, ModelError> {
        for class in first..self.machines.index.classes.len() {
            self.find_enabled(class)?;
            let never = self.machines.index.classes[class].never;
            let listed = match self.knots {
                Some(_) => never && self.watchers_have_to_move(),
                None => never || self.machines.timing == Timing::Synchronous,
            };
            if listed {
                self.offer.list(&mut self.enabled);
                if first > 0 && self.knots.is_none() {
                    let (owner, step) = (&self.machines.index.owner, self.step);
                    let seat = |t: u32| self.seats[owner[t as usize] as usize];
                    let has_moved = |t: u32| seat(t).moved_in == step;
                    self.enabled.retain(|&transition| !has_moved(transition));
                }
                self.offer.count = self.enabled.len();
            } else {
                self.offer.count_members();
            }
            if self.offer.count > 0 || never && self.watchers_have_to_move() {
                return Ok(Some(class));
            }
        }
        Ok(None)
    }

    /// Whether there is no step where a machine that watches is stuck.
    fn watchers_have_to_move(&self) -> bool {
        self.machines.settings.watchers == Watchers::HaveToMove
    }

    /// Whether every watching machine that has to move has a transition among those found.
    fn all_watchers_move(&self) -> bool {
        if !self.watchers_have_to_move() {
            return true;
        }
        let watchers = &self.machines.index.watchers;
        let mut watchers = watchers.iter();
        watchers.all(|&watcher| self.enabled.iter().any(|&t| self.owner(t) == watcher))
    }

    /// What is done before a step, and what can be taken then: how many transitions.
    fn prepare(&mut self) -> Result<usize, ModelError> {
        let machines = self.machines;
        self.live.moved.clear();
        self.live.memory.journal.clear();
        self.call_all(&machines.system.before_step)?;
        self.step += 1;
        if let Some(knots) = &self.knots
            && knots.is_unguarded
        {
            let offered = self.ready.0[0] & knots.moving;
            if offered != 0 {
                self.offer.members[0] = offered;
                self.offer.count = offered.count_ones() as usize;
                self.class = Some(0);
                return Ok(self.offer.count);
            }
        }
        self.class = self.look(0)?;
        Ok(match self.class {
            Some(class) if machines.index.classes[class].never => {
                usize::from(self.all_watchers_move())
            }
            Some(_) => self.offer.count,
            None => 0,
        })
    }

    /// Takes the step that was prepared; whether it exists.
    fn tick(&mut self, chooser: &mut (impl Chooser + ?Sized)) -> Result<bool, ModelError> {
        self.taken.clear();
        if let Some(knots) = &mut self.knots {
            knots.begin_step();
        }
        let mut next = self.class;
        while let Some(class) = next {
            if self.machines.index.classes[class].never && !self.all_watchers_move() {
                return Ok(false);
            }
            let journal = self.live.memory.journal.len();
            self.move_class(class, chooser)?;
            self.note_changes(journal);
            next = None;
            if class + 1 < self.machines.index.classes.len() {
                next = self.look(class + 1)?;
            }
        }
        self.call_all(&self.machines.system.after_step)?;
        Ok(true)
    }

    /// Whether a contradiction can be told of in detail.
    #[inline]
    fn knows_conflict(&self) -> bool {
        self.has_told || self.live.conflicts.has_first()
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
