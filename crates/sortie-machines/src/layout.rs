//! How a state is packed into words: machines side by side in as few bits as they need, then the variables.

use crate::contents::Contents;
use crate::memory::Memory;
use crate::system::{System, WordKind};
use sortie_model::Fingerprint;

/// Where the local state of a machine lies.
#[derive(Clone, Copy, Debug)]
struct Field {
    word: usize,
    shift: u32,
    mask: u32,
}

/// Where everything lies in a packed state.
#[derive(Debug)]
pub(crate) struct Layout {
    machines: Vec<Field>,
    kinds: Vec<WordKind>,
    /// The first word of every variable.
    variables: Vec<usize>,
    /// Variables with addresses.
    pub(crate) addresses: Vec<u32>,
    pub(crate) width: usize,
}

impl Layout {
    pub(crate) fn new(system: &System) -> Self {
        let (mut word, mut shift) = (0, 0);
        let mut machines = Vec::new();
        for machine in &system.machines {
            let bits = usize::BITS - (machine.states.len().max(2) - 1).leading_zeros();
            if shift + bits > 32 {
                word += 1;
                shift = 0;
            }
            let mask = u32::MAX >> (32 - bits);
            machines.push(Field { word, shift, mask });
            shift += bits;
        }
        let mut width = if machines.is_empty() { 0 } else { word + 1 };
        let mut variables = Vec::new();
        for variable in &system.variables {
            variables.push(width);
            width += if variable.kind == WordKind::Wide {
                2
            } else {
                1
            };
        }
        let kinds: Vec<WordKind> = system.variables.iter().map(|v| v.kind).collect();
        let numbered = (0..).zip(&kinds);
        Layout {
            machines,
            variables,
            addresses: numbered
                .filter(|(_, kind)| **kind == WordKind::Address)
                .map(|(number, _)| number)
                .collect(),
            kinds,
            width: width.max(1),
        }
    }

    #[inline]
    pub(crate) fn local(&self, state: &[u32], machine: usize) -> u32 {
        let Field { word, shift, mask } = self.machines[machine];
        state[word] >> shift & mask
    }

    #[inline]
    pub(crate) fn set_local(&self, state: &mut [u32], machine: usize, local: u32) {
        let Field { word, shift, mask } = self.machines[machine];
        state[word] = state[word] & !(mask << shift) | local << shift;
    }

    /// A variable that holds a number.
    #[inline]
    pub(crate) fn set_variable(&self, state: &mut [u32], variable: usize, value: i64) {
        let word = self.variables[variable];
        state[word] = value as u32;
        if self.kinds[variable] == WordKind::Wide {
            state[word + 1] = (value >> 32) as u32;
        }
    }

    fn variable(&self, state: &[u32], variable: usize) -> i64 {
        let word = self.variables[variable];
        match self.kinds[variable] {
            WordKind::Signed => i64::from(state[word] as i32),
            WordKind::Unsigned => i64::from(state[word]),
            WordKind::Wide => i64::from(state[word]) | i64::from(state[word + 1]) << 32,
            WordKind::Address => 0,
        }
    }

    pub(crate) fn pack(
        &self,
        contents: &Contents,
        locals: &[u32],
        memory: &Memory,
        state: &mut [u32],
    ) {
        for (machine, &local) in locals.iter().enumerate() {
            self.set_local(state, machine, local);
        }
        for (variable, &value) in memory.variables.iter().enumerate() {
            if self.kinds[variable] != WordKind::Address {
                self.set_variable(state, variable, value);
            }
        }
        self.pack_addresses(contents, memory, state);
    }

    pub(crate) fn pack_addresses(&self, contents: &Contents, memory: &Memory, state: &mut [u32]) {
        contents.pack(memory, &self.addresses, |variable, number| {
            state[self.variables[variable as usize]] = number;
        });
    }

    pub(crate) fn is_address(&self, variable: usize) -> bool {
        self.kinds[variable] == WordKind::Address
    }

    pub(crate) fn unpack(
        &self,
        contents: &Contents,
        state: &[u32],
        locals: &mut Vec<u32>,
        memory: &mut Memory,
    ) {
        locals.clear();
        locals.extend((0..self.machines.len()).map(|machine| self.local(state, machine)));
        memory.restart(&[]);
        let values = (0..self.variables.len()).map(|variable| self.variable(state, variable));
        memory.variables.extend(values);
        contents.unpack(memory, &self.addresses, |variable| {
            state[self.variables[variable as usize]]
        });
    }

    /// The content of a state: numbers of what addresses lead to are replaced by that.
    pub(crate) fn fingerprint(&self, contents: &Contents, state: &[u32]) -> Fingerprint {
        if self.addresses.is_empty() {
            return Fingerprint::of_words(state);
        }
        let mut plain = state.to_vec();
        let mut print = Fingerprint::of_words(&[]);
        for &variable in &self.addresses {
            let word = self.variables[variable as usize];
            print = print.and(contents.fingerprint(state[word]));
            plain[word] = 0;
        }
        Fingerprint::of_words(&plain).and(print)
    }
}
