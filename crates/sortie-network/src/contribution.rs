//! What parts contribute to plans that are no meetings of two. Most of the time all names of such a plan are on offer, but never with
//! equal data, and then it brings about nothing.

use crate::network::Network;
use crate::offer::{ArgumentsId, Name, Processes};
use crate::ready::Ready;
use sortie_model::{Fingerprint, Fingerprinter};
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// Names, and the data that each is offered with: a bit for every list of arguments, which others may share.
pub(crate) type Contribution = Box<[(Name, u64)]>;

/// The number of a contribution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ContributionId(u32);

impl ContributionId {
    /// What a part adds to the sum that tells what all of them contribute; nothing if it contributes nothing.
    pub(crate) fn mark(self, part: usize) -> u64 {
        match self {
            ContributionId(0) => 0,
            ContributionId(number) => Fingerprint::of_words(&[part as u32, number]).low(),
        }
    }
}

/// Whether parts may bring about something together, by the sum of the [marks](ContributionId::mark) of what they contribute. What was asked last is remembered.
pub(crate) struct Chances(Vec<(u64, bool)>);

/// The sum is as good as random, and its highest bits tell the place.
const CHANCES: u32 = 8;

impl Default for Chances {
    fn default() -> Self {
        Chances(vec![(0, false); 1 << CHANCES])
    }
}

impl Chances {
    #[inline]
    pub(crate) fn of(&mut self, sum: u64, find: impl FnOnce() -> bool) -> bool {
        let known = &mut self.0[(sum >> (u64::BITS - CHANCES)) as usize];
        if known.0 != sum {
            *known = (sum, find());
        }
        known.1
    }
}

/// Different contributions: parts make few of them, however many states they have. The first one is empty.
pub(crate) struct Contributions {
    all: Vec<Contribution>,
    numbers: HashMap<Contribution, ContributionId, BuildHasherDefault<Fingerprinter>>,
}

impl Default for Contributions {
    fn default() -> Self {
        Contributions {
            all: vec![Box::default()],
            numbers: HashMap::from_iter([(Box::default(), ContributionId(0))]),
        }
    }
}

impl Contributions {
    /// What a part contributes that is ready for this.
    pub(crate) fn of<P: Processes>(
        &mut self,
        network: &Network<P>,
        ready: &Ready<P>,
    ) -> ContributionId {
        let mut offered: Vec<(Name, u64)> = Vec::new();
        let sent = ready.sent.iter().map(|s| (s.name, data_bit(s.arguments)));
        let received = ready.receivers.iter().map(|r| (r.name, u64::MAX));
        let mixed = ready.mixed().iter().map(|name| (*name, u64::MAX));
        let all = sent.chain(received).chain(mixed);
        for (name, data) in all.filter(|(name, _)| network.encounters.is_rare(*name)) {
            match offered.iter_mut().find(|(other, _)| *other == name) {
                Some((_, known)) => *known |= data,
                None => offered.push((name, data)),
            }
        }
        offered.sort_unstable();
        let offered: Contribution = offered.into();
        if let Some(number) = self.numbers.get(&offered) {
            return *number;
        }
        let number = ContributionId(self.all.len() as u32);
        self.all.push(offered.clone());
        self.numbers.insert(offered, number);
        number
    }

    pub(crate) fn get(&self, number: ContributionId) -> &Contribution {
        &self.all[number.0 as usize]
    }

    /// Whether parts that contribute this may bring about a plan, given by its groups of names.
    pub(crate) fn may_complete(
        &self,
        (_, plan): &(usize, Vec<Vec<Name>>),
        contributions: impl Iterator<Item = ContributionId> + Clone,
    ) -> bool {
        let data = |name: &Name| {
            let parts = contributions.clone().map(|part| self.get(part));
            let offered = parts.flat_map(|part| part.iter().filter(|(other, _)| other == name));
            offered.fold(0, |all, (_, data)| all | data)
        };
        let has_common = |group: &Vec<Name>| {
            let names = group.iter();
            names.fold(u64::MAX, |common, name| common & data(name)) != 0
        };
        plan.iter().all(has_common)
    }
}

fn data_bit(arguments: ArgumentsId) -> u64 {
    1 << (u64::from(arguments.0).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58)
}
