//! What a round has seen, so that rounds can be compared: states, and combinations of local states of components.

use crate::estimates::sketch::Sketch;
use sortie_model::{Dice, Field, Fingerprint, Fingerprinter, LocalStates, Model};
use sortie_property::{Monitor, OBSERVER, Property, PropertyKind, Sighting, Sights};
use std::collections::{BTreeMap, HashSet};
use std::hash::BuildHasherDefault;
use std::sync::Mutex;

/// So many pairs of components are watched.
const PAIRS: usize = 8;

/// Of one in so many states the pairs are noted: which ones, the state alone decides.
const NOTED: u64 = 4;

/// Of the values of one component or parameter so many are told apart exactly.
const VALUES: usize = 256;

/// Words are looked at for new values until so many different ones were met.
const WORDS: usize = 1 << 14;

/// What was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    /// States.
    pub(crate) states: Sketch,
    /// Pairs of local states.
    pub(crate) pairs: Sketch,
    /// By name: the values of components and parameters.
    pub(crate) values: BTreeMap<String, Sketch>,
}

impl Seen {
    /// Adds what another round saw; about how many states and pairs are new.
    pub(crate) fn absorb(&mut self, other: &Seen) -> (u64, u64) {
        for (name, values) in &other.values {
            self.values_of(name).absorb(values);
        }
        (
            self.states.absorb(&other.states),
            self.pairs.absorb(&other.pairs),
        )
    }

    /// The values that something with this name had.
    pub(crate) fn values_of(&mut self, name: &str) -> &mut Sketch {
        let new = || Sketch::with_room(VALUES);
        self.values.entry(name.to_owned()).or_insert_with(new)
    }
}

/// A property that never holds nor fails, and notes what it is shown.
pub(crate) struct Coverage<'a> {
    pairs: &'a [(usize, usize)],
    seen: Mutex<Seen>,
}

impl<'a> Coverage<'a> {
    /// Nothing seen; these pairs of components are watched.
    pub(crate) fn new(pairs: &'a [(usize, usize)]) -> Self {
        Coverage {
            pairs,
            seen: Mutex::default(),
        }
    }

    /// What was seen, once all monitors are gone.
    pub(crate) fn seen(&self) -> Seen {
        let seen = self.seen.lock();
        seen.expect("no monitor panics while it hands over").clone()
    }
}

/// Pairs of components, drawn at random; none where a model does not show components.
pub(crate) fn pairs(model: &dyn Model, seed: u64) -> Vec<(usize, usize)> {
    let local = model.extensions().local_states();
    let count = local.map_or(0, |local| local.component_names().len());
    if count < 2 {
        return Vec::new();
    }
    let mut dice = Dice::new(seed);
    let pair = |_| {
        let first = dice.index(count);
        let second = (first + 1 + dice.index(count - 1)) % count;
        (first.min(second), first.max(second))
    };
    let mut pairs: Vec<(usize, usize)> = (0..PAIRS).map(pair).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

impl Property for Coverage<'_> {
    fn kind(&self) -> PropertyKind {
        OBSERVER.kind("coverage")
    }

    fn looks_at(&self) -> Sights {
        Sights::STATES
    }

    fn monitor<'m>(&'m self, model: &'m dyn Model) -> Box<dyn Monitor + 'm> {
        Box::new(Noting {
            model,
            composed: model.extensions().local_states(),
            coverage: self,
            seen: Seen::default(),
            last: Vec::new(),
            words: HashSet::default(),
        })
    }
}

struct Noting<'m> {
    model: &'m dyn Model,
    composed: Option<&'m dyn LocalStates>,
    coverage: &'m Coverage<'m>,
    seen: Seen,
    /// The state before, and the words that were met at each place: values are looked at only where one is new.
    last: Vec<u32>,
    words: HashSet<u64, BuildHasherDefault<Fingerprinter>>,
}

impl Noting<'_> {
    /// Notes the values of a state if some word of it was not met before.
    fn note_values(&mut self, state: &[u32]) {
        let changed = |place: &usize| self.last.get(*place) != Some(&state[*place]);
        let mut is_new = false;
        for place in (0..state.len()).filter(changed) {
            let word = (place as u64) << 32 | u64::from(state[place]);
            is_new |= self.words.len() < WORDS && self.words.insert(word);
        }
        self.last.clear();
        self.last.extend_from_slice(state);
        if is_new {
            for Field { name, value } in self.model.describe(state) {
                let hash = Fingerprint::of_text(&value).low();
                self.seen.values_of(&name).note(hash);
            }
        }
    }
}

impl Monitor for Noting<'_> {
    fn state(&mut self, state: &[u32]) -> Sighting {
        let print = self.model.fingerprint(state);
        self.seen.states.note(print.high());
        self.note_values(state);
        if let Some(composed) = self.composed
            && print.low().is_multiple_of(NOTED)
        {
            for (number, &(first, second)) in self.coverage.pairs.iter().enumerate() {
                let mut hash = Fingerprinter::new();
                hash.mix(number as u64);
                for component in [first, second] {
                    let local = composed.local_fingerprint(component, state[component]);
                    hash.mix(local.low());
                }
                self.seen.pairs.note(hash.fingerprint().high());
            }
        }
        Sighting::Plain
    }
}

impl Drop for Noting<'_> {
    fn drop(&mut self) {
        if let Ok(mut all) = self.coverage.seen.lock() {
            all.absorb(&self.seen);
        }
    }
}
