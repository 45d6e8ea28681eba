//! Whether a map of random walks pays, decided by counting.
//!
//! Drawing a [`WalkMap`] makes the first expansion of a state dearer and later visits nearly free. Without a map, the sample of the
//! Good-Turing estimate tells for nothing how often walks meet states again; when that is often, the map is begun. With a map, the
//! share of the steps inside it is counted; when it stays small, the map is given up, and tried again only after several times as
//! many states. In spaces so large that walks meet little again, there is no map and no cost.

use crate::Hunt;
use crate::estimates::good_turing::{GoodTuring, Meetings};
use crate::strategies::random_walk::walk_map::WalkMap;

/// A map takes no more than this many bytes.
const LARGEST: u64 = 32 << 20;

/// Nor more than this part of the memory that the hunt may hold.
const PART: u64 = 4;

/// Without a map, the meetings are looked at after so many expanded states.
const OFTEN: u64 = 1 << 12;

/// So many meetings are enough for a judgement.
const SAMPLE: u64 = 256;

/// So many expanded states are enough for a judgement.
const WINDOW: u64 = 1 << 15;

/// After a map that did not pay, the hunt goes on without until it has expanded this many times as many states.
const PATIENCE: u64 = 4;

/// When there may be a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mapping {
    /// From the beginning to the end, whether it pays or not.
    pub(crate) always: bool,
    /// The largest number of bytes; with none there is no map.
    pub(crate) bytes: u64,
}

impl Mapping {
    /// While it pays, within what the hunt may hold.
    pub(crate) fn of(hunt: &Hunt<'_>) -> Mapping {
        let part = hunt.budget.counted_memory().map(|all| all / PART);
        Mapping {
            always: false,
            bytes: part.map_or(LARGEST, |part| part.min(LARGEST)),
        }
    }
}

/// Keeps the map of a hunt, while there is one.
pub(crate) struct Mapper<'a> {
    hunt: &'a Hunt<'a>,
    mapping: Mapping,
    map: Option<WalkMap>,
    /// States passed inside the map.
    inside: u64,
    /// The sample when it was last judged.
    meetings: Meetings,
    /// No judgement before so many states are expanded.
    next: u64,
    /// States expanded, and passed inside the map, at the beginning of the window.
    window: (u64, u64),
}

impl<'a> Mapper<'a> {
    pub(crate) fn new(hunt: &'a Hunt<'a>, mapping: Mapping) -> Self {
        let mut mapper = Mapper {
            hunt,
            mapping,
            map: None,
            inside: 0,
            meetings: Meetings::default(),
            next: OFTEN,
            window: (0, 0),
        };
        if mapping.always {
            mapper.begin();
        }
        mapper
    }

    pub(crate) fn map(&mut self) -> Option<&mut WalkMap> {
        self.map.as_mut()
    }

    pub(crate) fn has_map(&self) -> bool {
        self.map.is_some()
    }

    /// How many states may be expanded before it is asked again whether a map pays.
    pub(crate) fn leisure(&self, expanded: u64) -> u64 {
        match self.mapping.always {
            true => u64::MAX,
            false => self.next.saturating_sub(expanded),
        }
    }

    /// States were passed inside the map.
    pub(crate) fn passed(&mut self, states: u64) {
        self.inside += states;
    }

    /// Forgets what the map knows.
    pub(crate) fn clear(&mut self) {
        if self.map.is_some() {
            self.begin();
        }
    }

    fn begin(&mut self) {
        self.map = Some(WalkMap::new(self.hunt.model.width(), self.mapping.bytes));
    }

    /// Begins a map or gives it up, if the counts say so, and whether it did. Asked where the walk is outside the map.
    #[inline]
    pub(crate) fn reconsider(&mut self, expanded: u64, good_turing: &GoodTuring) -> bool {
        if expanded < self.next || self.mapping.always {
            return false;
        }
        let had_map = self.has_map();
        self.judge(expanded, good_turing);
        had_map != self.has_map()
    }

    fn judge(&mut self, expanded: u64, good_turing: &GoodTuring) {
        match &self.map {
            None => self.consider(expanded, good_turing),
            Some(map) => {
                let bytes = map.bytes() + self.hunt.model.bytes();
                let memory = self.hunt.budget.counted_memory();
                let (since, inside) = self.window;
                let pays = (self.inside - inside) * 4 >= expanded - since;
                if !pays || memory.is_some_and(|memory| bytes > memory) {
                    self.map = None;
                    self.next = expanded * PATIENCE;
                    self.meetings = good_turing.meetings();
                } else {
                    self.window = (expanded, self.inside);
                    self.next = expanded + WINDOW;
                }
            }
        }
    }

    /// Begins a map when every second meeting is with a state met before.
    fn consider(&mut self, expanded: u64, good_turing: &GoodTuring) {
        self.next = expanded + OFTEN;
        let now = good_turing.meetings();
        let all = now.all - self.meetings.all;
        if all < SAMPLE {
            return;
        }
        let again = all - (now.first - self.meetings.first);
        self.meetings = now;
        if again * 2 >= all && self.mapping.bytes > 0 {
            self.begin();
            // The states met before must be met once more to be on the map.
            let fill = good_turing.distinct().min(expanded);
            self.window = (expanded, self.inside);
            self.next = expanded + fill + WINDOW;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sortie_lts::Builder;
    use sortie_model::{Fingerprint, Silent};

    fn meet(good_turing: &mut GoodTuring, states: std::ops::Range<u32>) {
        good_turing.begin_walk();
        for state in states {
            good_turing.meet(Fingerprint::of_words(&[state]));
        }
    }

    #[test]
    fn a_map_is_begun_and_given_up_by_counts() {
        let model = Builder::default().build("nothing", 0, 1);
        let hunt = Hunt::new(&model, &[], &Silent);
        let mut mapper = Mapper::new(&hunt, Mapping::of(&hunt));
        let mut good_turing = GoodTuring::default();
        let mut expanded = 0;
        for walk in 0..10 {
            expanded += 5000;
            meet(&mut good_turing, walk * 5000..(walk + 1) * 5000);
            assert!(!mapper.reconsider(expanded, &good_turing), "all is new");
        }
        expanded += 20_000;
        meet(&mut good_turing, 0..20_000);
        assert!(mapper.reconsider(expanded, &good_turing));
        assert!(mapper.has_map());

        expanded += 100_000;
        mapper.passed(30_000);
        assert!(!mapper.reconsider(expanded, &good_turing), "three of ten");
        expanded += WINDOW;
        mapper.passed(WINDOW / 5);
        assert!(mapper.reconsider(expanded, &good_turing), "two of ten");
        assert!(!mapper.has_map());

        for _ in 0..PATIENCE - 1 {
            meet(&mut good_turing, 0..20_000);
            assert!(!mapper.reconsider(expanded * PATIENCE - 1, &good_turing));
        }
        assert!(mapper.reconsider(expanded * PATIENCE, &good_turing));
    }

    #[test]
    fn a_map_keeps_to_its_part_of_the_memory() {
        let model = Builder::default().build("nothing", 0, 1);
        let mut hunt = Hunt::new(&model, &[], &Silent);
        assert_eq!(Mapping::of(&hunt).bytes, LARGEST);
        hunt.budget.memory = Some(1 << 20);
        assert!(Mapping::of(&hunt).bytes <= 1 << 18);
    }
}
