//! How a state is packed into words: machines side by side in as few bits as they need, then the variables.

use crate::contents::{Contents, Noted, Writer};
use crate::memory::Memory;
use crate::system::{System, WordKind};
use sortie_model::{Fingerprint, Fingerprinter};

/// Where the local state of a machine lies.
#[derive(Clone, Copy, Debug)]
struct Field {
    word: usize,
    shift: u32,
    mask: u32,
}

/// The number of a machine and a local state of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MarkId(pub(crate) u32);

/// What a machine in a local state leaves in a packed state and in its fingerprint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    /// Its share in the fingerprint of a state, which is the sum of all shares without carry.
    pub(crate) print: u128,
    /// The word of the packed state.
    pub(crate) word: u32,
    /// The bits that are set there.
    pub(crate) bits: u32,
    /// The local state.
    pub(crate) local: u32,
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
    /// For every machine and local state, all in one list.
    marks: Vec<Mark>,
    /// By machine: where the marks of its local states begin.
    first_mark: Vec<u32>,
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
            width += 1 + usize::from(variable.kind == WordKind::Wide);
        }
        let kinds: Vec<WordKind> = system.variables.iter().map(|v| v.kind).collect();
        let numbered = (0..).zip(&kinds);
        let mut marks = Vec::new();
        let mut first_mark = Vec::new();
        for (machine, described) in system.machines.iter().enumerate() {
            first_mark.push(marks.len() as u32);
            let Field { word, shift, .. } = machines[machine];
            marks.extend((0..described.states.len()).map(|state| Mark {
                print: share(machine as u64, state as u64),
                word: word as u32,
                bits: (state as u32) << shift,
                local: state as u32,
            }));
        }
        Layout {
            marks,
            first_mark,
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
    fn set_local(&self, state: &mut [u32], machine: usize, local: u32) {
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
        let writer = &mut Writer::default();
        writer.write_all(contents, memory, &self.addresses, |variable, noted| {
            self.set_address(state, variable as usize, noted);
        });
    }

    /// A variable that holds an address.
    pub(crate) fn set_address(&self, state: &mut [u32], variable: usize, noted: Noted) {
        state[self.variables[variable]] = noted.number;
    }

    /// The first word of a variable.
    #[inline]
    pub(crate) fn word(&self, variable: usize) -> usize {
        self.variables[variable]
    }

    /// All words of a variable.
    pub(crate) fn words(&self, variable: usize) -> std::ops::Range<usize> {
        let first = self.variables[variable];
        let is_wide = self.kinds[variable] == WordKind::Wide;
        first..first + 1 + usize::from(is_wide)
    }

    /// The place of a variable among those with addresses.
    pub(crate) fn address_place(&self, variable: u32) -> usize {
        let place = self.addresses.binary_search(&variable);
        place.expect("a variable with an address")
    }

    #[inline]
    pub(crate) fn mark(&self, mark: MarkId) -> &Mark {
        &self.marks[mark.0 as usize]
    }

    #[inline]
    pub(crate) fn mark_of(&self, machine: usize, local: u32) -> MarkId {
        MarkId(self.first_mark[machine] + local)
    }

    /// The number of a machine and a local state, if it has so many.
    pub(crate) fn mark_if(&self, machine: usize, local: u32) -> Option<MarkId> {
        let next = self.first_mark.get(machine + 1).copied();
        let mark = MarkId(self.first_mark[machine] + local);
        (mark.0 < next.unwrap_or(self.marks.len() as u32)).then_some(mark)
    }

    /// The bits of a machine in the first two words of a packed state, taken together, if it is there.
    pub(crate) fn bits_of(&self, machine: usize) -> Option<u64> {
        let Field { word, shift, mask } = self.machines[machine];
        (word < 2).then(|| u64::from(mask << shift) << (32 * word))
    }

    /// What a machine in a local state leaves there.
    pub(crate) fn bits_at(&self, mark: MarkId) -> u64 {
        let Mark { word, bits, .. } = *self.mark(mark);
        u64::from(bits) << (32 * word)
    }

    /// How many machines with a local state there are.
    pub(crate) fn marks(&self) -> usize {
        self.marks.len()
    }

    #[inline]
    pub(crate) fn variable_share(&self, variable: usize, value: i64) -> u128 {
        share(self.machines.len() as u64 + variable as u64, value as u64)
    }

    pub(crate) fn address_share(&self, variable: usize, content: Fingerprint) -> u128 {
        let halves = share(content.low(), content.high());
        share(self.machines.len() as u64 + variable as u64, halves as u64) ^ (halves >> 64 << 64)
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
        let machines = 0..self.machines.len();
        let locals = machines.map(|m| self.mark(self.mark_of(m, self.local(state, m))).print);
        let variables = (0..self.variables.len()).map(|variable| {
            if self.is_address(variable) {
                let number = state[self.variables[variable]];
                self.address_share(variable, contents.fingerprint(number))
            } else {
                self.variable_share(variable, self.variable(state, variable))
            }
        });
        let shares = locals.chain(variables);
        Fingerprint(shares.fold(0, |sum, share| sum ^ share))
    }
}

/// What a place with a value adds to a fingerprint.
#[inline]
fn share(place: u64, value: u64) -> u128 {
    let mut print = Fingerprinter::new();
    print.mix(place);
    print.mix(value);
    print.fingerprint().0
}
