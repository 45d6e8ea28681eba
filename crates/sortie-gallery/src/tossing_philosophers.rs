//! Dining philosophers who toss a coin to decide which fork to take first (Godefroid and Khurshid, section 4.1.1).
//!
//! Only operations that other processes can notice are steps, as in the paper's tool: toss, take, take, put back the
//! left, put back the right. Each outcome of a toss is a transition of its own, and steps are listed philosopher by
//! philosopher. There are two deadlocks, all left and all right, and the shortest way to either has 2n steps.
//!
//! With `parity=1` the coin is replaced by "the coin, or an odd number" (section 5 of the paper): philosophers with odd
//! numbers take the left fork first whatever the coin says, and only the deadlock with all left forks remains.

use crate::bits::{from_left, from_right, join, ones, plane, positions, words_for};
use crate::philosophers::{Needs, Table};
use crate::values::numbered;
use crate::{Entry, Parameter, Values};
use sortie_model::{
    Components, Extensions, Field, Identity, Indexed, LabelId, Model, ModelError, PartSet, Steps,
    WalkEngines,
};

pub const ENTRY: Entry = Entry {
    name: "tossing_philosophers",
    help: "dining philosophers who toss a coin for the first fork; deadlocks need equal tosses",
    parameters: &[
        Parameter::new("n", 17, 2..=32).help("philosophers and forks"),
        Parameter::new("parity", 0, 0..=1)
            .help("1 if philosophers with odd numbers always take the left fork first"),
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

/// What happens, which planes change, and what is needed for it. The order is the order of labels.
const ACTIONS: [(&str, &[u32], Needs); 8] = [
    ("toss", &[WANTS, LEFT_FIRST], Needs::Nobody),
    ("toss", &[WANTS], Needs::Nobody),
    ("take_left", &[LEFT], Needs::LeftFork),
    ("take_right", &[RIGHT], Needs::RightFork),
    ("take_left", &[LEFT, WANTS], Needs::LeftFork),
    ("take_right", &[RIGHT, WANTS, LEFT_FIRST], Needs::RightFork),
    ("put_left", &[LEFT], Needs::LeftFork),
    ("put_right", &[RIGHT], Needs::RightFork),
];

struct Tossing {
    identity: Identity,
    n: u32,
    /// Philosophers for whom both outcomes mean the left fork.
    stubborn: u64,
    /// The bits that each action of the first philosopher changes.
    changes: [u128; 8],
}

impl Tossing {
    fn new(values: &Values) -> Self {
        let n = values.small("n");
        let odd = 0x5555_5555_5555_5555 & ones(n);
        Tossing {
            identity: values.identity(),
            n,
            stubborn: if values.get("parity") == 1 { odd } else { 0 },
            changes: ACTIONS.map(|(_, planes, _)| planes.iter().map(|p| 1 << (p * n)).sum()),
        }
    }

    fn planes(&self, state: &[u32]) -> [u64; 4] {
        let all = join(state);
        [LEFT, RIGHT, WANTS, LEFT_FIRST].map(|index| plane(all, index, self.n))
    }
}

/// Who can do something, and what.
struct Able {
    everybody: u64,
    /// Those who toss: each has two steps, the others one.
    idle: u64,
    /// The three digits of the number of the action of those who do not toss.
    digits: [u64; 3],
}

impl Able {
    fn action(&self, i: u32) -> u32 {
        let [a, b, c] = self.digits.map(|digit| (digit >> i & 1) as u32);
        a | b << 1 | c << 2
    }
}

impl Tossing {
    #[inline]
    fn able(&self, state: &[u32]) -> Able {
        let n = self.n;
        let [left, right, wants, left_first] = self.planes(state);
        let idle = ones(n) & !(left | right | wants);
        let left_free = !from_left(right, n);
        let right_free = !from_right(left, n);
        let right_first = wants & !left_first;
        let busy = [
            left_first & !left & left_free,
            right_first & !right & right_free,
            right_first & right & left_free,
            left_first & left & right_free,
            left & right,
            right & !left & !wants,
        ];
        let digit = |digit: u32| {
            let with = (2u32..).zip(busy).filter(|(a, _)| a >> digit & 1 == 1);
            with.fold(0, |all, (_, mask)| all | mask)
        };
        Able {
            everybody: busy.iter().fold(idle, |all, mask| all | mask),
            idle,
            digits: [0, 1, 2].map(digit),
        }
    }

    fn label_of(&self, action: u32, i: u32) -> LabelId {
        LabelId(action * self.n + i)
    }

    /// Changes the state by an action of philosopher `i`.
    #[inline]
    fn step(&self, target: &mut [u32], action: u32, i: u32) {
        let is_stubborn = action == 1 && self.stubborn >> i & 1 == 1;
        let changes = self.changes[if is_stubborn { 0 } else { action as usize }] << i;
        for (place, word) in target.iter_mut().enumerate() {
            *word ^= (changes >> (32 * place)) as u32;
        }
    }

    /// The step with this number: philosopher and action.
    #[inline]
    fn at(able: &Able, index: usize) -> (u32, u32) {
        let mut left = index as u32;
        for i in positions(able.everybody) {
            let is_idle = able.idle >> i & 1 == 1;
            let steps = 1 + u32::from(is_idle);
            if left < steps {
                return (i, if is_idle { left } else { able.action(i) });
            }
            left -= steps;
        }
        panic!("step {index} is not among those of the state");
    }
}

impl WalkEngines for Tossing {
    fn indexed(&self) -> Option<&dyn Indexed> {
        Some(self)
    }
}

impl Indexed for Tossing {
    fn advance(
        &self,
        state: &mut [u32],
        choose: &mut dyn FnMut(&[u32], usize) -> Option<usize>,
    ) -> Option<LabelId> {
        let able = self.able(state);
        let enabled = able.everybody.count_ones() + able.idle.count_ones();
        let chosen = choose(state, enabled as usize)?;
        let (i, action) = Tossing::at(&able, chosen);
        self.step(state, action, i);
        Some(self.label_of(action, i))
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
        let first = steps.len();
        let able = self.able(state);
        for i in positions(able.everybody) {
            if able.idle >> i & 1 == 1 {
                self.step(steps.push_like(self.label_of(0, i), state), 0, i);
                self.step(steps.push_like(self.label_of(1, i), state), 1, i);
            } else {
                let action = able.action(i);
                self.step(steps.push_like(self.label_of(action, i), state), action, i);
            }
        }
        if steps.wants_parts() {
            let needs = ACTIONS.map(|(_, _, needs)| needs);
            Table(self.n).say_parts(first, &needs, steps);
        }
        Ok(())
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
        numbered("philosopher", self.n, doing)
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions {
            components: Some(self),
            walk_engines: Some(self),
            ..Extensions::default()
        }
    }
}

impl Components for Tossing {
    fn component_names(&self) -> Vec<String> {
        Table(self.n).names()
    }

    fn partners(&self, state: &[u32], component: usize) -> Result<PartSet, ModelError> {
        let planes = self.planes(state);
        let component = component as u32;
        if component >= self.n {
            let [left, right, ..] = planes;
            return Ok(Table(self.n).around(component - self.n, left, right));
        }
        let needs = match planes.map(|plane| plane >> component & 1) {
            [0, 0, 0, _] => Needs::Nobody,
            // The second fork, when the first was taken.
            [1, 0, ..] => Needs::RightFork,
            [0, 1, 1, _] => Needs::LeftFork,
            [0, 0, _, 1] | [1, 1, ..] => Needs::LeftFork,
            _ => Needs::RightFork,
        };
        Ok(Table(self.n).with(component, needs))
    }
}
