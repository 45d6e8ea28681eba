//! Dining philosophers: each takes the left fork, takes the right fork, eats, puts back the left, puts back the right.
//!
//! The only deadlock has every philosopher holding the left fork; the shortest way there has n steps. With 5
//! philosophers there are 392 states, with 10 there are 154,450 and 986,430 transitions. Philosopher i has fork i at the
//! left and fork i + 1 at the right. Forks are no part of the state: they are where the hands are.

use crate::bits::{flip, from_left, from_right, join, ones, plane, positions, words_for};
use crate::values::numbered;
use crate::{Entry, Parameter};
use sortie_model::{
    Components, Extensions, Field, Identity, LabelId, Model, ModelError, PartSet, Steps,
};

pub const ENTRY: Entry = Entry {
    name: "philosophers",
    help: "dining philosophers who all take the left fork first; one deadlock, n steps away",
    parameters: &[Parameter::new("n", 5, 2..=42).help("philosophers and forks")],
    build: |values| {
        Box::new(Philosophers {
            identity: values.identity(),
            n: values.small("n"),
        })
    },
    small: &[],
};

const ACTIONS: [&str; 5] = ["take_left", "take_right", "eat", "put_left", "put_right"];

/// Who holds the left fork.
const LEFT: u32 = 0;
/// Who holds the right fork.
const RIGHT: u32 = 1;
/// Who has eaten and not yet put back a fork.
const EATEN: u32 = 2;

/// What a philosopher needs for a step.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needs {
    Nobody,
    LeftFork,
    RightFork,
}

/// By action.
const NEEDS: [Needs; 5] = [
    Needs::LeftFork,
    Needs::RightFork,
    Needs::Nobody,
    Needs::LeftFork,
    Needs::RightFork,
];

/// Philosophers and forks as parts: first the philosophers, then the forks.
#[derive(Clone, Copy)]
pub(crate) struct Table(pub(crate) u32);

impl Table {
    pub(crate) fn names(self) -> Vec<String> {
        let named = |what| (1..=self.0).map(move |i| format!("{what} {i}"));
        named("philosopher").chain(named("fork")).collect()
    }

    /// A philosopher with what is needed.
    pub(crate) fn with(self, philosopher: u32, needs: Needs) -> PartSet {
        let mut parts = PartSet::one(philosopher as usize);
        match needs {
            Needs::Nobody => {}
            Needs::LeftFork => parts.insert((self.0 + philosopher) as usize),
            Needs::RightFork => parts.insert((self.0 + (philosopher + 1) % self.0) as usize),
        }
        parts
    }

    /// A fork with those who may put it back or take it, given who has a left and who has a right fork.
    pub(crate) fn around(self, fork: u32, left: u64, right: u64) -> PartSet {
        let before = (fork + self.0 - 1) % self.0;
        let mut parts = PartSet::one((self.0 + fork) as usize);
        if right >> before & 1 == 0 {
            parts.insert(fork as usize);
        }
        if left >> fork & 1 == 0 {
            parts.insert(before as usize);
        }
        parts
    }

    /// Says who takes part in each step; labels are numbered action by action.
    pub(crate) fn say_parts(self, first: usize, needs: &[Needs], steps: &mut Steps) {
        for step in first..steps.len() {
            let LabelId(label) = steps.label(step);
            let needs = needs[(label / self.0) as usize];
            steps.push_parts(self.with(label % self.0, needs));
        }
    }
}

/// The state has three planes, numbered above.
struct Philosophers {
    identity: Identity,
    n: u32,
}

impl Philosophers {
    /// Adds the step `action` of everybody in `who`; it flips a bit in each of these planes.
    #[inline]
    fn step<const K: usize>(
        &self,
        steps: &mut Steps,
        state: &[u32],
        action: u32,
        who: u64,
        planes: [u32; K],
    ) {
        for i in positions(who) {
            let target = steps.push_like(LabelId(action * self.n + i), state);
            for plane in planes {
                flip(target, plane * self.n + i);
            }
        }
    }

    fn planes(&self, state: &[u32]) -> [u64; 3] {
        let all = join(state);
        [LEFT, RIGHT, EATEN].map(|index| plane(all, index, self.n))
    }
}

impl Model for Philosophers {
    fn identity(&self) -> Identity {
        self.identity.clone()
    }

    fn width(&self) -> usize {
        words_for(3 * self.n)
    }

    fn initial(&self, state: &mut Vec<u32>) -> Result<(), ModelError> {
        state.resize(state.len() + self.width(), 0);
        Ok(())
    }

    fn expand(&self, state: &[u32], steps: &mut Steps) -> Result<(), ModelError> {
        let n = self.n;
        let first = steps.len();
        let [left, right, eaten] = self.planes(state);
        let idle = ones(n) & !(left | right);
        self.step(steps, state, 0, idle & !from_left(right, n), [LEFT]);
        let second = left & !right & !from_right(left, n);
        self.step(steps, state, 1, second, [RIGHT]);
        self.step(steps, state, 2, left & right & !eaten, [EATEN]);
        self.step(steps, state, 3, eaten, [LEFT, EATEN]);
        self.step(steps, state, 4, right & !left, [RIGHT]);
        if steps.wants_parts() {
            Table(n).say_parts(first, &NEEDS, steps);
        }
        Ok(())
    }

    fn label(&self, label: LabelId) -> String {
        let (action, i) = (label.0 / self.n, label.0 % self.n);
        format!("{}({})", ACTIONS[action as usize], i + 1)
    }

    fn describe(&self, state: &[u32]) -> Vec<Field> {
        let [left, right, eaten] = self.planes(state);
        let doing = |i: u32| match (left >> i & 1, right >> i & 1, eaten >> i & 1) {
            (0, 0, _) => "thinking",
            (1, 0, _) => "has the left fork",
            (0, _, _) => "has the right fork",
            (_, _, 0) => "has both forks",
            _ => "has eaten",
        };
        numbered("philosopher", self.n, doing)
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions {
            components: Some(self),
            ..Extensions::default()
        }
    }
}

impl Components for Philosophers {
    fn component_names(&self) -> Vec<String> {
        Table(self.n).names()
    }

    fn partners(&self, state: &[u32], component: usize) -> Result<PartSet, ModelError> {
        let [left, right, eaten] = self.planes(state);
        let component = component as u32;
        if component >= self.n {
            return Ok(Table(self.n).around(component - self.n, left, right));
        }
        let needs = match [left, right, eaten].map(|plane| plane >> component & 1) {
            [0, 0, _] | [_, _, 1] => Needs::LeftFork,
            [1, 1, _] => Needs::Nobody,
            _ => Needs::RightFork,
        };
        Ok(Table(self.n).with(component, needs))
    }
}
