//! A map of where random walks have been: a step inside it is a draw and a jump.
//!
//! States get numbers in order of arrival; they are stored whole and packed, so two states are never taken for one. A state that was
//! expanded has a *record*: how many transitions it has and where each leads. Records lie in one flat list of words, and an
//! edge points straight at the record of its target as soon as there is one, so that a step touches one place in memory. What
//! was noticed when a state was first expanded is not looked at again: properties answer from what they are shown alone.
//!
//! The map never decides anything. Walks draw the same numbers from the same ranges inside and outside, and states with random
//! transitions have no record. When the map is full, walks outside it go on as without it, and come back when they meet a record.

use crate::estimates::good_turing::GoodTuring;
use crate::store::packed::Layout;
use crate::store::table::{Lookup, Table};
use sortie_model::{Dice, Fingerprint, Steps};

/// The number of a state in the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spot(u32);

/// Where the record of an expanded state begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Record(u32);

/// Words of a record before its edges: the number of edges, the last walk that met the state, and the upper half of its
/// fingerprint.
const HEAD: usize = 4;

/// In an edge: what follows is the beginning of a record, not a state's number.
const KNOWN: u32 = 1 << 31;

/// Instead of the last walk that met a state: no estimate asks for it any more.
const NEVER: u32 = u32::MAX;

/// Walks are told apart by these bits of their number.
const WALKS: u64 = (1 << 31) - 1;

/// No record begins here.
const NOWHERE: u32 = 0;

/// How a stay inside the map ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// As many states were passed as allowed; the walk goes on at this record.
    Paused(Record),
    /// At a state without successors.
    DeadEnd,
    /// The last step leads to a state that was not expanded yet.
    Left(Spot),
}

/// A stay inside the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stay {
    /// States passed.
    pub(crate) passed: u64,
    /// Steps that leave them, all together.
    pub(crate) transitions: u64,
    /// How it ended.
    pub(crate) exit: Exit,
}

/// The states met, and the transitions of those that were expanded.
pub(crate) struct WalkMap {
    layout: Layout,
    keys: Vec<u64>,
    table: Table,
    /// By state number: where its record begins.
    records: Vec<u32>,
    words: Vec<u32>,
    /// The largest number of bytes.
    limit: u64,
    full: bool,
}

impl WalkMap {
    /// An empty map for states of `width` words that takes no more states when it is about to hold more than `limit` bytes.
    pub(crate) fn new(width: usize, limit: u64) -> Self {
        WalkMap {
            layout: Layout::new(width),
            keys: Vec::new(),
            table: Table::default(),
            records: Vec::new(),
            words: vec![NOWHERE],
            limit,
            full: false,
        }
    }

    /// Memory in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        let words = self.records.capacity() + self.words.capacity();
        (words * 4 + self.keys.capacity() * 8) as u64 + self.table.bytes()
    }

    /// The number of a state, which it gets now if it has none.
    fn spot(&mut self, print: Fingerprint, state: &[u32]) -> Spot {
        let hash = print.low();
        let units = self.layout.units();
        let (layout, keys) = (&self.layout, &self.keys);
        let same = |number: u32| layout.is(&keys[number as usize * units..][..units], state);
        match self.table.find(hash, same) {
            Lookup::Found(number) => Spot(number),
            Lookup::Free(slot) => {
                let number = self.records.len() as u32;
                self.table.occupy(hash, slot, number);
                reserve(&mut self.keys, units);
                self.layout.push(state, &mut self.keys);
                reserve(&mut self.records, 1);
                self.records.push(NOWHERE);
                Spot(number)
            }
        }
    }

    /// The record of a state, if it has one.
    pub(crate) fn record(&self, print: Fingerprint, state: &[u32]) -> Option<Record> {
        let units = self.layout.units();
        let same = |number: u32| {
            let begin = number as usize * units;
            self.layout.is(&self.keys[begin..begin + units], state)
        };
        match self.table.find(print.low(), same) {
            Lookup::Found(number) => self.record_at(Spot(number)),
            Lookup::Free(_) => None,
        }
    }

    /// The record of the state with this number, if it has one.
    pub(crate) fn record_at(&self, spot: Spot) -> Option<Record> {
        let begin = self.records[spot.0 as usize];
        (begin != NOWHERE).then_some(Record(begin))
    }

    /// Reads a state.
    pub(crate) fn read(&self, spot: Spot, state: &mut [u32]) {
        let units = self.layout.units();
        let begin = spot.0 as usize * units;
        self.layout.unpack(&self.keys[begin..begin + units], state);
    }

    /// The record of a state that the current walk met and expanded. There is none when the map is full or one of the transitions is
    /// random.
    pub(crate) fn note(
        &mut self,
        spot: Option<Spot>,
        print: Fingerprint,
        state: &[u32],
        steps: &Steps,
        prints: &[Fingerprint],
        good_turing: &GoodTuring,
    ) -> Option<Record> {
        if self.full || steps.has_random() {
            return None;
        }
        let spot = spot.unwrap_or_else(|| self.spot(print, state));
        reserve(&mut self.words, HEAD + steps.len());
        let begin = self.words.len() as u32;
        self.records[spot.0 as usize] = begin;
        let high = print.high();
        let head = [
            steps.len() as u32,
            walk_mark(good_turing),
            high as u32,
            (high >> 32) as u32,
        ];
        self.words.extend_from_slice(&head);
        for ((_, target), print) in steps.iter().zip(prints) {
            let Spot(number) = self.spot(*print, target);
            self.words.push(number);
        }
        let numbers = self.records.len().max(self.words.len());
        // What is missing to the limit is less than the next growth of a list.
        let room = self.limit - self.limit / 5;
        self.full = self.bytes() >= room || numbers >= (KNOWN / 2) as usize;
        Some(Record(begin))
    }

    /// Where a step of a record that was made just now leads.
    pub(crate) fn follow(&self, record: Record, step: usize) -> Spot {
        Spot(self.words[record.0 as usize + HEAD + step])
    }

    /// Walks on from a record, past at most `most` states, at least one.
    pub(crate) fn roam(
        &mut self,
        from: Record,
        most: u64,
        dice: &mut Dice,
        good_turing: &mut GoodTuring,
    ) -> Stay {
        let walk = walk_mark(good_turing);
        // A copy that nothing else can reach stays in registers.
        let mut own_dice = dice.clone();
        let mut at = from.0;
        let mut passed = 0;
        let mut transitions = 0;
        let exit = loop {
            if passed == most {
                break Exit::Paused(Record(at));
            }
            passed += 1;
            let begin = at as usize;
            let met = self.words[begin + 1];
            if met != walk && met != NEVER {
                self.meet(begin, walk, good_turing);
            }
            let count = u64::from(self.words[begin]);
            if count == 0 {
                break Exit::DeadEnd;
            }
            transitions += count;
            let edge = begin + HEAD + own_dice.below(count) as usize;
            let target = self.words[edge];
            if target & KNOWN != 0 {
                at = target & !KNOWN;
            } else {
                match self.records[target as usize] {
                    NOWHERE => break Exit::Left(Spot(target)),
                    record => {
                        self.words[edge] = KNOWN | record;
                        at = record;
                    }
                }
            }
        };
        *dice = own_dice;
        Stay {
            passed,
            transitions,
            exit,
        }
    }

    /// The first time that a walk meets a state.
    #[inline(never)]
    fn meet(&mut self, begin: usize, walk: u32, good_turing: &mut GoodTuring) {
        let high = u64::from(self.words[begin + 3]) << 32 | u64::from(self.words[begin + 2]);
        let tracked = good_turing.meet_half(high);
        self.words[begin + 1] = if tracked { walk } else { NEVER };
    }
}

/// What a record remembers of the number of the current walk.
fn walk_mark(good_turing: &GoodTuring) -> u32 {
    (good_turing.walks() & WALKS) as u32
}

/// Whether the marks of walks begin again with this walk, so that those in a map mean nothing any more.
pub(crate) fn marks_begin_again(good_turing: &GoodTuring) -> bool {
    good_turing.walks() & WALKS == 0
}

/// Room for more without doubling what is held: the limit is on memory.
#[inline]
fn reserve<T>(list: &mut Vec<T>, more: usize) {
    if list.capacity() - list.len() < more {
        list.reserve_exact(more.max(64 + list.len() / 4));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sortie_model::LabelId;

    /// States of three words, too wide for one unit.
    fn state(number: u32) -> [u32; 3] {
        [number.wrapping_mul(2_654_435_761), !number, number]
    }

    /// Where the steps of a state lead: a graph of `states` states in which each multiple of 7 is a dead end.
    fn successors(number: u32, states: u32) -> Vec<u32> {
        match number % 7 {
            0 if number > 0 => Vec::new(),
            degree => (1..=degree.max(2))
                .map(|factor| (number * factor + 1) % states)
                .collect(),
        }
    }

    fn steps(number: u32, states: u32) -> (Steps, Vec<Fingerprint>) {
        let mut steps = Steps::new(3);
        let targets = successors(number, states);
        for target in &targets {
            steps.push(LabelId(0), &state(*target));
        }
        let prints = targets.iter().map(|target| print(*target)).collect();
        (steps, prints)
    }

    fn print(number: u32) -> Fingerprint {
        Fingerprint::of_words(&state(number))
    }

    fn note(
        map: &mut WalkMap,
        number: u32,
        states: u32,
        good_turing: &GoodTuring,
    ) -> Option<Record> {
        let (steps, prints) = steps(number, states);
        map.note(
            None,
            print(number),
            &state(number),
            &steps,
            &prints,
            good_turing,
        )
    }

    /// Walks with the map from state 0, noting what is met outside, against a walk on the graph itself.
    fn check(states: u32, limit: u64) {
        let mut map = WalkMap::new(3, limit);
        let mut good_turing = GoodTuring::default();
        let mut plain_turing = GoodTuring::default();
        let mut dice = Dice::new(5);
        let mut plain_dice = Dice::new(5);
        for _ in 0..300 {
            good_turing.begin_walk();
            plain_turing.begin_walk();
            let mut at = 0;
            let mut plain = 0;
            let mut left = 100;
            while left > 0 {
                let (passed, goes_on) = match map.record(print(at), &state(at)) {
                    Some(record) => {
                        let stay = map.roam(record, left.min(30), &mut dice, &mut good_turing);
                        let mut words = state(0);
                        match stay.exit {
                            Exit::Paused(record) => {
                                let is_there = |begin: &u32| *begin == record.0;
                                let number = map.records.iter().position(is_there);
                                let number = number.expect("a record belongs to a state");
                                map.read(Spot(number as u32), &mut words);
                            }
                            Exit::Left(spot) => map.read(spot, &mut words),
                            Exit::DeadEnd => {}
                        }
                        at = words[2];
                        (stay.passed, stay.exit != Exit::DeadEnd)
                    }
                    None => {
                        good_turing.meet(print(at));
                        note(&mut map, at, states, &good_turing);
                        let targets = successors(at, states);
                        let goes_on = !targets.is_empty();
                        if goes_on {
                            at = targets[dice.index(targets.len())];
                        }
                        (1, goes_on)
                    }
                };
                for _ in 0..passed {
                    plain_turing.meet(print(plain));
                    let targets = successors(plain, states);
                    if !targets.is_empty() {
                        plain = targets[plain_dice.index(targets.len())];
                    }
                }
                assert_eq!(dice, plain_dice);
                if !goes_on {
                    break;
                }
                assert_eq!(at, plain);
                left -= passed;
            }
        }
        assert_eq!(good_turing.distinct(), plain_turing.distinct());
        assert_eq!(good_turing.sample(), plain_turing.sample());
        assert!(map.bytes() <= limit.max(20_000), "{} bytes", map.bytes());
    }

    #[test]
    fn walks_on_the_map_are_walks_on_the_graph() {
        check(10, 1 << 30);
        check(1000, 1 << 30);
        // More than the estimate tracks.
        check(30_000, 1 << 30);
    }

    #[test]
    fn a_full_map_takes_no_more() {
        check(30_000, 0);
        check(30_000, 100_000);
        check(30_000, 500_000);
    }

    #[test]
    fn states_with_random_transitions_have_no_record() {
        let mut map = WalkMap::new(3, 1 << 30);
        let good_turing = GoodTuring::default();
        let (mut steps, prints) = steps(2, 100);
        steps.mark_random(&[1, 3]);
        let record = map.note(None, print(2), &state(2), &steps, &prints, &good_turing);
        assert_eq!(record, None);
        assert_eq!(map.record(print(2), &state(2)), None);
    }

    #[test]
    fn equal_fingerprints_are_told_apart() {
        let mut map = WalkMap::new(3, 1 << 30);
        let good_turing = GoodTuring::default();
        let same = Fingerprint(7);
        let mut steps = Steps::new(3);
        steps.push(LabelId(0), &state(2));
        steps.push(LabelId(0), &state(3));
        let record = map.note(None, same, &state(1), &steps, &[same, same], &good_turing);
        let record = record.expect("there is room");
        assert_eq!(map.record(same, &state(1)), Some(record));
        assert_eq!(map.record(same, &state(2)), None);
        let mut read = state(0);
        map.read(map.follow(record, 0), &mut read);
        assert_eq!(read, state(2));
        map.read(map.follow(record, 1), &mut read);
        assert_eq!(read, state(3));
    }
}
