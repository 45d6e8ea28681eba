//! Variables beside machines: those that only ever get one of a few values, as flags do, are kept in the same number as where machines are.
//!
//! To assign such a variable is to put one more machine somewhere, and a guard that asks for it is found to hold as a condition is: nothing has to be run. This is done for all variables that transitions write,
//! or for none.

use crate::code::Expression;
use crate::deeds::{Change, Deed, How};
use crate::machines::Machines;
use crate::system::WordKind;
use crate::visit;
use std::collections::BTreeMap;

/// All of them together have no more bits than this: every combination of their values is tried out.
const MOST_BITS: u32 = 4;

/// A variable and its bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Beside {
    pub(super) variable: usize,
    /// Its word in the packed state.
    pub(super) word: usize,
    shift: u32,
    pub(super) field: u64,
}

impl Beside {
    /// Its value, of all bits.
    #[inline]
    pub(super) fn value(&self, bits: u64) -> u32 {
        ((bits & self.field) >> self.shift) as u32
    }

    /// The bits of a value.
    #[inline]
    pub(super) fn bits(&self, value: u32) -> u64 {
        u64::from(value) << self.shift & self.field
    }
}

/// A variable gets a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Put {
    pub(super) field: u64,
    pub(super) bits: u64,
}

/// Variables of one system that are kept beside machines.
#[derive(Debug, Default)]
pub(super) struct AllBeside {
    pub(super) variables: Vec<Beside>,
    /// By all of their bits, from the lowest on: the transitions whose guards hold.
    pub(super) allowed: Vec<u64>,
}

impl AllBeside {
    /// The variables that transitions write, for walks from this state, where so many bits are in use already; none if this cannot be done.
    pub(super) fn new(machines: &Machines, start: &[u32], used: u32) -> Self {
        Self::find(machines, start, used).unwrap_or_default()
    }

    fn find(machines: &Machines, start: &[u32], used: u32) -> Option<Self> {
        let system = &machines.system;
        let hooked = !system.before_step.is_empty() || !system.after_step.is_empty();
        let mut most = BTreeMap::new();
        for (number, deed) in machines.index.deeds.iter().enumerate() {
            let Deed::Plain(changes) = deed else {
                return None;
            };
            let owner = machines.index.owner[number] as usize;
            // What a watcher writes may contradict what others wrote before it.
            if hooked || system.machines[owner].never && !changes.is_empty() {
                return None;
            }
            for Change { variable, how } in changes {
                let How::Set(value) = *how else {
                    return None;
                };
                let greatest = most.entry(*variable as usize).or_insert(0);
                *greatest = u32::try_from(value).ok()?.max(*greatest);
            }
        }
        let mut all = AllBeside::default();
        let mut shift = used;
        for (variable, greatest) in most {
            let words = machines.layout.words(variable);
            let is_single =
                words.len() == 1 && system.variables[variable].kind != WordKind::Address;
            let greatest = greatest.max(start[words.start]);
            let bits = u32::BITS - greatest.max(1).leading_zeros();
            if !is_single || shift + bits > (used + MOST_BITS).min(u64::BITS) {
                return None;
            }
            all.variables.push(Beside {
                variable,
                word: words.start,
                shift,
                field: ((1 << bits) - 1) << shift,
            });
            shift += bits;
        }
        let combinations = 0..1 << (shift - used);
        let allowed = combinations.map(|bits: u64| all.allowed(machines, start, bits << used));
        all.allowed = allowed.collect::<Option<_>>()?;
        (!all.variables.is_empty()).then_some(all)
    }

    /// What a transition does to them, in order.
    pub(super) fn puts(&self, deed: &Deed) -> impl Iterator<Item = Put> {
        let changes = match deed {
            Deed::Plain(changes) => &changes[..],
            Deed::Code => &[],
        };
        changes.iter().filter_map(|change| {
            let mut variables = self.variables.iter();
            let beside = variables.find(|beside| beside.variable == change.variable as usize)?;
            let value = change.how.of(0) as u32;
            Some(Put {
                field: beside.field,
                bits: beside.bits(value),
            })
        })
    }

    /// The transitions whose guards hold with these values; nothing if that depends on more, or fails.
    fn allowed(&self, machines: &Machines, start: &[u32], bits: u64) -> Option<u64> {
        let mut state = start.to_vec();
        for beside in &self.variables {
            state[beside.word] = beside.value(bits);
        }
        let mut allowed = 0;
        for (number, transition) in machines.system.transitions.iter().enumerate() {
            let holds = match &transition.guard {
                None => true,
                Some(guard) => {
                    let mut is_plain = true;
                    visit::expression(guard, &mut |part: &Expression| {
                        is_plain &= !matches!(part, Expression::In { .. } | Expression::Call(..));
                    });
                    is_plain.then_some(())?;
                    machines.evaluate(&state, guard).ok()? != 0
                }
            };
            allowed |= u64::from(holds) << number;
        }
        Some(allowed)
    }
}
