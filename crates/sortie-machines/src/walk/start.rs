//! Where walks begin.

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
    pub(super) variables: Vec<i64>,
    pub(super) unmet: Vec<u32>,
    pub(super) ready: Bits,
}

impl Start {
    pub(super) fn new(machines: &Machines, state: &[u32]) -> Self {
        let state = state.to_vec();
        let mut live = Live::new(machines);
        live.unpack(&state);
        let transitions = &machines.system.transitions;
        let mut ready = Bits::new(transitions.len());
        let mut unmet = Vec::new();
        for (number, transition) in transitions.iter().enumerate() {
            let own = (transition.machine, transition.from);
            let wanted = transition.conditions.iter().chain([&own]);
            let missing = wanted.filter(|&&(m, s)| live.locals[m as usize] != s);
            unmet.push(missing.count() as u32);
            if unmet[number] == 0 {
                ready.set(number);
            }
        }
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
            locals: live.locals,
            variables: live.memory.variables,
            unmet,
            ready,
        }
    }
}
