//! Dining philosophers who toss a coin to decide which fork to take first (Godefroid and Khurshid, section 4.1.1).
//!
//! Only operations that other processes can notice are steps, as in the paper's tool: toss, take, take, put back the
//! left, put back the right. Each outcome of a toss is a transition of its own. There are two deadlocks, all left and
//! all right, and the shortest way to either has 2n steps.
//!
//! With `parity=1` the coin is replaced by "the coin, or an odd number" (section 6 of the paper): philosophers with odd
//! numbers take the left fork first whatever the coin says, and only the deadlock with all left forks remains.

use crate::bits::{flip, from_left, from_right, join, ones, plane, positions, words_for};
use crate::philosophers::{Needs, Table};
use crate::{Entry, Parameter, Values};
use sortie_model::{Field, Identity, LabelId, Model, ModelError, PartSet, Parts, Steps};

pub const ENTRY: Entry = Entry {
    name: "tossing_philosophers",
    help: "dining philosophers who toss a coin for the first fork; deadlocks need equal tosses",
    parameters: &[
        Parameter {
            name: "n",
            help: "philosophers and forks",
            default: 17,
            least: 2,
            most: 32,
        },
        Parameter {
            name: "parity",
            help: "1 if philosophers with odd numbers always take the left fork first",
            default: 0,
            least: 0,
            most: 1,
        },
    ],
    build: |values| Box::new(Tossing::new(values)),
    small: &[("n", 4)],
};

/// The four planes, by number.
const LEFT: u32 = 0;
const RIGHT: u32 = 1;
/// Has tossed and does not yet have both forks.
const WANTS: u32 = 2;
/// Takes the left fork first; only while wanting.
const LEFT_FIRST: u32 = 3;

/// What happens, and which planes change. The order is the order of labels.
const ACTIONS: [(&str, &[u32]); 8] = [
    ("toss", &[WANTS, LEFT_FIRST]),
    ("toss", &[WANTS]),
    ("take_left", &[LEFT]),
    ("take_right", &[RIGHT]),
    ("take_left", &[LEFT, WANTS]),
    ("take_right", &[RIGHT, WANTS, LEFT_FIRST]),
    ("put_left", &[LEFT]),
    ("put_right", &[RIGHT]),
];

/// By action.
const NEEDS: [Needs; 8] = [
    Needs::Nobody,
    Needs::Nobody,
    Needs::LeftFork,
    Needs::RightFork,
    Needs::LeftFork,
    Needs::RightFork,
    Needs::LeftFork,
    Needs::RightFork,
];

struct Tossing {
    identity: Identity,
    n: u32,
    /// Philosophers for whom both outcomes mean the left fork.
    stubborn: u64,
}

impl Tossing {
    fn new(values: &Values) -> Self {
        let n = values.small("n");
        let odd = 0x5555_5555_5555_5555 & ones(n);
        Tossing {
            identity: values.identity(),
            n,
            stubborn: if values.get("parity") == 1 { odd } else { 0 },
        }
    }

    fn planes(&self, state: &[u32]) -> [u64; 4] {
        let all = join(state);
        [LEFT, RIGHT, WANTS, LEFT_FIRST].map(|index| plane(all, index, self.n))
    }
}

impl Model for Tossing {
    fn identity(&self) -> Identity {
        self.identity.clone()
    }

    fn width(&self) -> usize {
        words_for(4 * self.n)
    }

    fn initial(&self, state: &mut Vec<u32>) -> Result<(), ModelError> {
        state.resize(state.len() + self.width(), 0);
        Ok(())
    }

    fn expand(&self, state: &[u32], steps: &mut Steps) -> Result<(), ModelError> {
        let n = self.n;
        let first = steps.len();
        let [left, right, wants, left_first] = self.planes(state);
        let idle = ones(n) & !(left | right | wants);
        let left_free = !from_left(right, n);
        let right_free = !from_right(left, n);
        let right_first = wants & !left_first;
        let enabled = [
            idle,
            idle,
            left_first & !left & left_free,
            right_first & !right & right_free,
            right_first & right & left_free,
            left_first & left & right_free,
            left & right,
            right & !left & !wants,
        ];
        for (action, mask) in (0..).zip(enabled) {
            for i in positions(mask) {
                let target = steps.push_like(LabelId(action * n + i), state);
                for plane in ACTIONS[action as usize].1 {
                    flip(target, plane * n + i);
                }
                if action == 1 && self.stubborn >> i & 1 == 1 {
                    flip(target, LEFT_FIRST * n + i);
                }
            }
        }
        if steps.wants_parts() {
            Table(n).say_parts(first, &NEEDS, steps);
        }
        Ok(())
    }

    fn parts(&self) -> Option<&dyn Parts> {
        Some(self)
    }

    fn label(&self, label: LabelId) -> String {
        let (action, i) = (label.0 / self.n, label.0 % self.n + 1);
        match action {
            0 => format!("toss({i}, heads)"),
            1 => format!("toss({i}, tails)"),
            _ => format!("{}({i})", ACTIONS[action as usize].0),
        }
    }

    fn describe(&self, state: &[u32]) -> Vec<Field> {
        let planes = self.planes(state);
        let doing = |i: u32| match planes.map(|plane| plane >> i & 1) {
            [0, 0, 0, _] => "thinking",
            [0, 0, _, 1] => "wants the left fork",
            [0, 0, _, _] => "wants the right fork",
            [1, 0, ..] => "has the left fork, wants the right",
            [0, 1, 1, _] => "has the right fork, wants the left",
            [1, 1, ..] => "has both forks",
            _ => "puts back the right fork",
        };
        (0..self.n)
            .map(|i| Field {
                name: format!("philosopher {}", i + 1),
                value: doing(i).into(),
            })
            .collect()
    }
}

impl Parts for Tossing {
    fn part_names(&self) -> Vec<String> {
        Table(self.n).names()
    }

    fn partners(&self, state: &[u32], part: usize) -> Result<PartSet, ModelError> {
        let planes = self.planes(state);
        let part = part as u32;
        if part >= self.n {
            let [left, right, ..] = planes;
            return Ok(Table(self.n).around(part - self.n, left, right));
        }
        let needs = match planes.map(|plane| plane >> part & 1) {
            [0, 0, 0, _] => Needs::Nobody,
            // The second fork, when the first was taken.
            [1, 0, ..] => Needs::RightFork,
            [0, 1, 1, _] => Needs::LeftFork,
            [0, 0, _, 1] | [1, 1, ..] => Needs::LeftFork,
            _ => Needs::RightFork,
        };
        Ok(Table(self.n).with(part, needs))
    }
}
