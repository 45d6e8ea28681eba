//! Where walks begin.

use super::seat::Seat;
use crate::contents::{Noted, Writer};
use crate::index::Bits;
use crate::live::Live;
use crate::machines::Machines;
use sortie_model::Model;

/// What a walk begins with.
pub(super) struct Start {
    pub(super) state: Vec<u32>,
    pub(super) print: u128,
    pub(super) shares: Vec<u128>,
    pub(super) locals: Vec<u32>,
    pub(super) seats: Vec<Seat>,
    pub(super) variables: Vec<i64>,
    pub(super) unmet: Vec<u32>,
    pub(super) ready: Bits,
}

impl Start {
    pub(super) fn new(machines: &Machines, state: &[u32]) -> Self {
        let state = state.to_vec();
        let mut live = Live::new(machines);
        live.unpack(&state);
        let mut ready = Bits::new(machines.system.transitions.len());
        let unmet = unmet(machines, &live.locals, &mut ready).collect();
        let layout = &machines.layout;
        let mut shares: Vec<u128> = Vec::new();
        for (variable, &value) in live.memory.variables.iter().enumerate() {
            shares.push(layout.variable_share(variable, value));
        }
        let set = |variable: u32, noted: Noted| {
            shares[variable as usize] = layout.address_share(variable as usize, noted.print);
        };
        Writer::default().write_all(&machines.contents, &live.memory, &layout.addresses, set);
        Start {
            print: machines.fingerprint(&state).0,
            shares,
            state,
            seats: (0..)
                .zip(&live.locals)
                .map(|(machine, &local)| Seat::new(layout.mark_of(machine, local)))
                .collect(),
            locals: live.locals,
            variables: live.memory.variables,
            unmet,
            ready,
        }
    }
}

/// By transition: how many machines are not where it wants them. Those for which all are, are ready.
pub(super) fn unmet(
    machines: &Machines,
    locals: &[u32],
    ready: &mut Bits,
) -> impl Iterator<Item = u32> {
    ready.0.fill(0);
    let numbered = machines.system.transitions.iter().enumerate();
    numbered.map(|(number, transition)| {
        let own = (transition.machine, transition.from);
        let wanted = transition.conditions.iter().chain([&own]);
        let missing = wanted.filter(|&&(m, s)| locals[m as usize] != s).count();
        if missing == 0 {
            ready.set(number);
        }
        missing as u32
    })
}
