//! A network of buffers (after Engels et al., section 5.2.1, whose model is not public): data units travel through
//! parallel lanes of buffers and are merged, one at a time; the last step `total(t)` tells when the last one arrived.
//!
//! A lane is a chain of `depth` channels with a buffer for one unit between each two. The first channel of a lane always
//! finds a unit waiting; the last one leads to the receiver, which takes one unit at a time. The order of steps is
//! free, time is computed: a transfer begins when its unit is there and its destination is free, and ends one delay
//! later. A unit takes `depth` steps, so every path has `depth` · `units` + 1 steps: 202 states in the default
//! configuration, as in the paper.
//!
//! Delays: the channel of lane l (from 0) into the receiver takes 4 + 6l, the others of that lane 2 + 2l. Which lane is
//! served is a choice at every step, so the totals of random walks crowd around their mean (about 1,100 in the default
//! configuration, as in the paper), while the extremes need a hundred choices of one kind. Ways that differ only in
//! times the receiver's own has overtaken lead to the same state, which gives the state space its diamonds.

use crate::graph::Graph;
use crate::{Entry, Parameter};
use sortie_model::{Field, LabelId, Steps};

pub const ENTRY: Entry = Entry {
    name: "buffers",
    help: "a network of buffers; the extremes of total(#) are rare",
    parameters: &[
        Parameter::new("width", 3, 1..=16).help("lanes"),
        Parameter::new("depth", 2, 1..=8).help("channels of a lane"),
        Parameter::new("units", 100, 1..=100_000).help("data units received in all"),
    ],
    build: |values| {
        let graph = Buffers {
            lanes: values.small("width"),
            depth: values.small("depth"),
            units: values.small("units"),
        };
        graph.model(values)
    },
    small: &[("width", 2), ("units", 4)],
};

/// Units taken from the sources; the highest bit says that the total was told.
const TAKEN: usize = 0;
const TOLD: u32 = 1 << 31;
/// When the receiver is free.
const FREE_AT: usize = 1;
/// Then come the buffers, lane by lane: the time of the last change, and in the lowest bit whether a unit is there.
const BUFFERS: usize = 2;

struct Buffers {
    lanes: u32,
    depth: u32,
    units: u32,
}

impl Buffers {
    /// The buffer behind channel `channel` of a lane.
    fn buffer(&self, lane: u32, channel: u32) -> usize {
        BUFFERS + (lane * (self.depth - 1) + channel) as usize
    }

    fn delay(&self, lane: u32, channel: u32) -> u32 {
        if channel + 1 == self.depth {
            4 + 6 * lane
        } else {
            2 + 2 * lane
        }
    }

    /// Moves a unit through a channel, if there is one and its destination is free.
    fn transfer(&self, state: &[u32], lane: u32, channel: u32, steps: &mut Steps) {
        let from = (channel > 0).then(|| self.buffer(lane, channel - 1));
        let there = match from {
            None if state[TAKEN] == self.units => return,
            None => 0,
            Some(buffer) if state[buffer] & 1 == 0 => return,
            Some(buffer) => state[buffer] >> 1,
        };
        let last = channel + 1 == self.depth;
        let to = if last {
            FREE_AT
        } else {
            self.buffer(lane, channel)
        };
        let free = match (last, state[to]) {
            (true, time) => time,
            (false, buffer) if buffer & 1 == 1 => return,
            (false, buffer) => buffer >> 1,
        };
        let end = there.max(free) + self.delay(lane, channel);
        let target = steps.push_like(LabelId(lane * self.depth + channel), state);
        match from {
            Some(buffer) => target[buffer] = end << 1,
            None => target[TAKEN] += 1,
        }
        target[to] = if last { end } else { end << 1 | 1 };
        self.forget(target);
    }

    /// Times that the receiver's own has overtaken make no difference any more: states that differ in them only are
    /// the same.
    fn forget(&self, state: &mut [u32]) {
        if self.depth == 1 {
            return;
        }
        for lane in 0..self.lanes {
            let last = self.buffer(lane, self.depth - 2);
            let (full, since) = (state[last] & 1, state[last] >> 1);
            // In longer lanes the time at which a buffer became empty also holds back the buffer before it.
            let passed = match (full, self.depth) {
                (1, _) => since <= state[FREE_AT],
                (_, 2) => since + self.delay(lane, 0) <= state[FREE_AT],
                _ => false,
            };
            if passed {
                state[last] = full;
            }
        }
    }
}

impl Graph for Buffers {
    fn width(&self) -> usize {
        BUFFERS + (self.lanes * (self.depth - 1)) as usize
    }

    fn expand(&self, state: &[u32], steps: &mut Steps) {
        if state[TAKEN] & TOLD != 0 {
            return;
        }
        if state[TAKEN] == self.units && state[BUFFERS..].iter().all(|buffer| buffer & 1 == 0) {
            let total = LabelId(self.lanes * self.depth + state[FREE_AT]);
            steps.push_like(total, state)[TAKEN] |= TOLD;
            return;
        }
        for lane in 0..self.lanes {
            for channel in 0..self.depth {
                self.transfer(state, lane, channel, steps);
            }
        }
    }

    fn label(&self, label: LabelId) -> String {
        match label.0.checked_sub(self.lanes * self.depth) {
            Some(total) => format!("total({total})"),
            None => {
                let (lane, channel) = (label.0 / self.depth, label.0 % self.depth);
                format!("transfer({}, {})", lane + 1, channel + 1)
            }
        }
    }

    fn describe(&self, state: &[u32]) -> Vec<Field> {
        let mut fields = crate::values::fields(&[
            ("units taken", &(state[TAKEN] & !TOLD)),
            ("total told", &(state[TAKEN] & TOLD != 0)),
            ("receiver free at", &state[FREE_AT]),
        ]);
        for lane in 0..self.lanes {
            for channel in 0..self.depth - 1 {
                let buffer = state[self.buffer(lane, channel)];
                let is = if buffer & 1 == 1 { "full" } else { "empty" };
                fields.push(Field {
                    name: format!("buffer {} of lane {}", channel + 1, lane + 1),
                    value: format!("{is} since {}", buffer >> 1),
                });
            }
        }
        fields
    }
}
