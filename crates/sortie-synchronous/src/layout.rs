//! Packed states: every variable as the place of its value in its domain, in as few bits as that needs.

use crate::system::System;
use crate::value::Domain;

/// How the values of a variable are numbered.
#[derive(Clone, Debug)]
pub(crate) enum Codec {
    /// From the first value on.
    Offset { low: i64, size: u64 },
    /// By their place in a list.
    List(Vec<i64>),
}

impl Codec {
    pub(crate) fn new(domain: &Domain) -> Self {
        if let Domain::Values(values) = domain {
            let rising = values
                .windows(2)
                .all(|pair| pair[0].wrapping_add(1) == pair[1]);
            if !rising || values.is_empty() {
                return Codec::List(values.clone());
            }
        }
        let (low, size) = (domain.value(0), domain.size());
        Codec::Offset { low, size }
    }

    #[inline]
    pub(crate) fn size(&self) -> u64 {
        match self {
            Codec::Offset { size, .. } => *size,
            Codec::List(values) => values.len() as u64,
        }
    }

    #[inline]
    pub(crate) fn place(&self, value: i64) -> Option<u64> {
        match self {
            Codec::Offset { low, size } => {
                let place = value.wrapping_sub(*low) as u64;
                (place < *size).then_some(place)
            }
            Codec::List(values) => {
                let place = values.iter().position(|known| *known == value)?;
                Some(place as u64)
            }
        }
    }

    #[inline]
    pub(crate) fn value(&self, place: u64) -> i64 {
        match self {
            Codec::Offset { low, .. } => low.wrapping_add(place as i64),
            Codec::List(values) => values[place as usize],
        }
    }
}

/// Where a variable stands in a state. No variable crosses the border of two words, unless it begins a word.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    word: u32,
    shift: u32,
    bits: u32,
}

/// Where everything stands.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) width: usize,
    /// Says whether the system has begun, if there are several ways to begin.
    begun: Option<Slot>,
    /// By variable; those that are not part of the state have none.
    slots: Vec<Option<Slot>>,
    /// The variables that have one.
    pub(crate) stored: Vec<u32>,
    pub(crate) codecs: Vec<Codec>,
}

impl Layout {
    pub(crate) fn new(system: &System, kept: &[bool], begins_anyhow: bool) -> Self {
        let variables = system.variables.iter();
        let codecs: Vec<Codec> = variables.map(|v| Codec::new(&v.domain)).collect();
        let mut free = Free::default();
        let begun = begins_anyhow.then(|| free.take(1));
        let slot = |(codec, &kept): (&Codec, &bool)| {
            let bits = 64 - codec.size().saturating_sub(1).leading_zeros();
            kept.then(|| free.take(bits))
        };
        let slots: Vec<Option<Slot>> = codecs.iter().zip(kept).map(slot).collect();
        let stored = (0..).zip(&slots).filter(|(_, slot)| slot.is_some());
        Layout {
            stored: stored.map(|(variable, _)| variable).collect(),
            width: free.words.len().max(1),
            begun,
            slots,
            codecs,
        }
    }

    /// Whether a state is one that the system can be in, and not only stands for the choice among those it can begin in.
    #[inline]
    pub(crate) fn has_begun(&self, state: &[u32]) -> bool {
        self.begun.is_none_or(|slot| slot.read(state) == 1)
    }

    /// The place of the value of a stored variable.
    #[inline]
    pub(crate) fn place(&self, state: &[u32], variable: u32) -> u64 {
        self.slots[variable as usize].map_or(0, |slot| slot.read(state))
    }

    #[inline]
    pub(crate) fn value(&self, state: &[u32], variable: u32) -> i64 {
        self.codecs[variable as usize].value(self.place(state, variable))
    }

    /// Packs values, which belong to their domains.
    pub(crate) fn pack(&self, values: &[i64], state: &mut [u32]) {
        state.fill(0);
        if let Some(slot) = self.begun {
            slot.write(state, 1);
        }
        for &variable in &self.stored {
            let codec = &self.codecs[variable as usize];
            let place = codec.place(values[variable as usize]);
            if let (Some(slot), Some(place)) = (self.slots[variable as usize], place) {
                slot.write(state, place);
            }
        }
    }
}

impl Slot {
    #[inline]
    fn read(self, state: &[u32]) -> u64 {
        let low = u64::from(state[self.word as usize] >> self.shift);
        if self.bits <= 32 {
            return low & ((1 << self.bits) - 1);
        }
        low | u64::from(state[self.word as usize + 1]) << 32
    }

    /// The bits are zero before.
    #[inline]
    fn write(self, state: &mut [u32], place: u64) {
        state[self.word as usize] |= (place as u32) << self.shift;
        if self.bits > 32 {
            state[self.word as usize + 1] = (place >> 32) as u32;
        }
    }
}

/// Words with the number of bits that are still free in each.
#[derive(Default)]
struct Free {
    words: Vec<u32>,
}

impl Free {
    fn take(&mut self, bits: u32) -> Slot {
        if bits > 32 {
            self.words.extend([0, 0]);
            let (word, shift) = (self.words.len() as u32 - 2, 0);
            return Slot { word, shift, bits };
        }
        let word = self.words.iter().position(|free| *free >= bits);
        let word = word.unwrap_or_else(|| {
            self.words.push(32);
            self.words.len() - 1
        });
        let shift = 32 - self.words[word];
        self.words[word] -= bits;
        // A variable with one value has no bits and may come behind the last bit of a word.
        let (word, shift) = (word as u32, shift.min(31));
        Slot { word, shift, bits }
    }
}
