//! Where all machines are, side by side in one number, as they lie in the packed state.
//!
//! To take a transition is to mask that number, without a look at single machines. What follows from it, the fingerprint and which transitions are ready, is looked up for a span of
//! machines at a time.

use crate::machines::Machines;

/// A span has no more bits than this: the tables are to stay in the processor's own memory.
const SPAN: u32 = 8;

/// What a transition does to where machines are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Shift {
    /// The bits of all machines that it puts somewhere.
    pub(super) fields: u64,
    /// What they are afterwards.
    pub(super) bits: u64,
}

/// What has to be known of a transition to take it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Action {
    pub(super) shift: Shift,
    /// What it puts machines into at first: the same, unless it puts one of them somewhere twice.
    first: u64,
    /// The bits of its own machine.
    own: u64,
}

/// Some machines of one word that lie side by side.
#[derive(Clone, Copy, Debug)]
struct Span {
    shift: u32,
    mask: u64,
    /// Where its shares begin in the list.
    first: usize,
}

/// What the machines of a span add to what is known of a state.
#[derive(Clone, Copy, Debug)]
struct Share {
    /// Two halves: whole, it would take more room.
    print: [u64; 2],
    /// The transitions that they do not speak against.
    ready: u64,
}

/// Where all machines are.
#[derive(Debug)]
pub(super) struct Abreast {
    pub(super) now: u64,
    /// The bits of machines that were put somewhere in this step.
    pub(super) set: u64,
    /// The bits of machines that took a transition in this step.
    moved: u64,
    /// By machine: its bits.
    fields: Vec<u64>,
    /// By transition.
    actions: Vec<Action>,
    /// The uppermost bit of every machine, and all others.
    tops: u64,
    lows: u64,
    /// The bits of all machines.
    all: u64,
    spans: Vec<Span>,
    shares: Vec<Share>,
}

impl Abreast {
    /// Only for systems with few transitions, whose machines fit into one number.
    pub(super) fn new(machines: &Machines) -> Option<Self> {
        let (layout, index) = (&machines.layout, &machines.index);
        let allowing = index.allowing.of_few()?;
        let count = machines.system.machines.len();
        let field = |machine| {
            layout
                .bits_of(machine)
                .filter(|field| field.count_ones() <= SPAN)
        };
        let fields = (0..count).map(field).collect::<Option<Vec<u64>>>()?;
        let all = fields.iter().fold(0, |all, field| all | field);
        let action = |transition: usize| {
            let mut action = Action {
                shift: Shift::default(),
                first: 0,
                own: fields[index.owner[transition] as usize],
            };
            let shift = &mut action.shift;
            for put in index.puts_of(transition) {
                let field = fields[put.machine as usize];
                let bits = layout.bits_at(put.mark);
                action.first |= bits & !shift.fields & field;
                shift.bits = shift.bits & !field | bits;
                shift.fields |= field;
            }
            action
        };
        let top = |field: u64| 1 << (63 - field.leading_zeros());
        let tops = fields.iter().fold(0, |tops, &field| tops | top(field));
        let mut abreast = Abreast {
            now: 0,
            set: 0,
            moved: 0,
            actions: (0..index.owner.len()).map(action).collect(),
            tops,
            lows: all & !tops,
            all,
            spans: Vec::new(),
            shares: Vec::new(),
            fields: Vec::new(),
        };
        let mut first = 0;
        while first < count {
            let from = fields[first].trailing_zeros();
            let within = |field: &&u64| *field >> from < 1 << SPAN;
            let behind = first + fields[first..].iter().take_while(within).count();
            abreast.add_span(machines, allowing, &fields[first..behind], first);
            first = behind;
        }
        abreast.fields = fields;
        Some(abreast)
    }

    fn add_span(&mut self, machines: &Machines, allowing: &[u64], fields: &[u64], machine: usize) {
        let layout = &machines.layout;
        let all = fields.iter().fold(0, |all, field| all | field);
        let span = Span {
            shift: all.trailing_zeros(),
            mask: all >> all.trailing_zeros(),
            first: self.shares.len(),
        };
        self.spans.push(span);
        for number in 0..=span.mask {
            let (mut print, mut ready) = (0, u64::MAX);
            for (machine, field) in (machine..).zip(fields) {
                let local = ((number << span.shift) & field) >> field.trailing_zeros();
                // Not every number that fits is a local state.
                if let Some(mark) = layout.mark_if(machine, local as u32) {
                    print ^= layout.mark(mark).print;
                    ready &= allowing[mark.0 as usize];
                }
            }
            self.shares.push(Share {
                print: [print as u64, (print >> 64) as u64],
                ready,
            });
        }
    }

    /// Machines are where a packed state says.
    pub(super) fn go_to(&mut self, state: &[u32]) {
        self.now = u64::from(state[0]);
        if let (true, Some(upper)) = (self.all >> 32 != 0, state.get(1)) {
            self.now |= u64::from(*upper) << 32;
        }
    }

    /// Says in a packed state where they are.
    #[inline]
    pub(super) fn write(&self, state: &mut [u32]) {
        state[0] = self.now as u32;
        if self.all >> 32 != 0 {
            state[1] = (self.now >> 32) as u32;
        }
    }

    /// What machines add to the fingerprint of the state, and the transitions that are ready.
    #[inline]
    pub(super) fn look(&self) -> (u128, u64) {
        let (mut low, mut high, mut ready) = (0, 0, u64::MAX);
        for span in &self.spans {
            let number = self.now >> span.shift & span.mask;
            let share = &self.shares[span.first + number as usize];
            low ^= share.print[0];
            high ^= share.print[1];
            ready &= share.ready;
        }
        (u128::from(high) << 64 | u128::from(low), ready)
    }

    /// Whether a machine is among those with these bits.
    pub(super) fn is_among(&self, bits: u64, machine: u32) -> bool {
        self.fields[machine as usize] & bits != 0
    }

    /// A step begins.
    #[inline]
    pub(super) fn begin_step(&mut self) {
        self.set = 0;
        self.moved = 0;
    }

    /// Puts machines somewhere.
    #[inline]
    pub(super) fn put(&mut self, shift: Shift) {
        self.now = self.now & !shift.fields | shift.bits;
        self.set |= shift.fields;
    }

    /// Takes a transition that gets in nobody's way.
    #[inline]
    pub(super) fn take_alone(&mut self, transition: u32) {
        let Action { shift, own, .. } = self.actions[transition as usize];
        self.put(shift);
        self.moved |= own;
    }

    /// What comes of taking transitions one after another, whatever was before: where machines are put, and how many contradictions there are.
    pub(super) fn try_out(&mut self, mut each: impl FnMut(&mut Self) -> u32) -> (Shift, u32) {
        let before = (self.now, self.set, self.moved);
        self.begin_step();
        let conflicts = each(self);
        let shift = Shift {
            fields: self.set,
            bits: self.now & self.set,
        };
        (self.now, self.set, self.moved) = before;
        (shift, conflicts)
    }

    /// Takes a transition unless its machine has moved; whether it has not, and which machines were put somewhere else before in this step, by their uppermost bits. Nobody could foresee any
    /// of this, so there are no branches.
    #[inline]
    pub(super) fn take(&mut self, transition: u32) -> (bool, u64) {
        let Action { shift, first, own } = self.actions[transition as usize];
        let others = self.moved & own;
        // All bits if nothing has moved, and none otherwise.
        let is_taken = ((others | others.wrapping_neg()) >> 63).wrapping_sub(1);
        let fields = shift.fields & is_taken;
        let differing = (self.now ^ first) & fields & self.set;
        // A carry into the uppermost bit tells of any bit below.
        let carried = (differing & self.lows) + self.lows;
        self.now = self.now & !fields | shift.bits & fields;
        self.set |= fields;
        self.moved |= own;
        (is_taken != 0, (carried | differing) & self.tops)
    }
}
