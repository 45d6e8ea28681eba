//! Breadth-first search and highways by several threads: everything is as with one.

use sortie_model::{
    Budget, Exactness, Fingerprint, Identity, LabelId, Model, ModelError, Silent, Steps,
};
use sortie_property::{Deadlock, Extremes, Property};
use sortie_search::{BottomK, Highway, Hunt, Known, Options, strategy, with_highway};
use std::collections::HashSet;

/// A tangle of states of three words that get wider as they get later, each slow enough to be worth sharing, and some slower than others.
struct Tangle {
    states: u32,
    /// Here it has an error.
    broken: Option<u32>,
    slowness: u32,
    /// Some states have so many steps more.
    more_steps: u32,
}

impl Tangle {
    fn state(&self, number: u32) -> [u32; 3] {
        [number, number / 7, number.pow(2) % 1_000_003]
    }
}

impl Model for Tangle {
    fn identity(&self) -> Identity {
        Identity::new("tangle", Fingerprint::of_words(&[self.states]))
    }
    fn width(&self) -> usize {
        3
    }
    fn initial(&self, state: &mut Vec<u32>) -> Result<(), ModelError> {
        state.extend(self.state(0));
        Ok(())
    }
    fn expand(&self, state: &[u32], steps: &mut Steps) -> Result<(), ModelError> {
        let number = state[0];
        if self.broken == Some(number) {
            return Err(ModelError::new("broken"));
        }
        // Some keep a thread busy, so that others help out.
        let patience = if number % 101 == 7 { 100 } else { 1 };
        for round in 0..self.slowness * patience {
            std::hint::black_box(round);
        }
        if number % 97 != 13 {
            for (label, factor) in [(0, 3), (1, 5), (2, 7), (u32::from(number % 31 == 5), 11)] {
                let next = (number * factor + 1 + label) % self.states;
                steps.push(LabelId(label), &self.state(next));
            }
            if number % 1009 == 7 {
                for step in 0..self.more_steps {
                    let next = (number * 13 + step * 17) % self.states;
                    steps.push(LabelId(2), &self.state(next));
                }
            }
        }
        Ok(())
    }
    fn label(&self, label: LabelId) -> String {
        ["on", "up", "down"][label.0 as usize].to_owned()
    }
}

/// All that a hunt tells.
fn told(model: &dyn Model, threads: usize, change: &dyn Fn(&mut Hunt<'_>)) -> String {
    let far = |state: &[u32]| Some(i64::from(state[2]) - i64::from(state[0] % 1000));
    let properties: [Box<dyn Property>; 2] = [
        Box::new(Deadlock),
        Box::new(Extremes::of_states("far", far)),
    ];
    let mut hunt = Hunt::new(model, &properties, &Silent);
    hunt.threads = threads;
    change(&mut hunt);
    match strategy("bfs").and_then(|strategy| strategy.hunt(&hunt)) {
        Ok(outcome) => format!(
            "{:?} {} {:?} {:?} {:?}",
            outcome.verdict, outcome.distinct, outcome.counts, outcome.exactness, outcome.found
        ),
        Err(error) => error.to_string(),
    }
}

#[test]
fn numbers_parents_and_findings_are_those_of_one_thread() {
    type Change = fn(&mut Hunt<'_>);
    let changes: [(&str, Change); 7] = [
        ("first", |_| {}),
        ("all", |hunt| hunt.keep_going = true),
        ("limit", |hunt| {
            hunt.keep_going = true;
            hunt.budget.max_states = Some(3001);
        }),
        ("fingerprints", |hunt| {
            hunt.keep_going = true;
            hunt.options = Options::default().with("store", Exactness::Fingerprints);
        }),
        ("bitstate", |hunt| {
            hunt.keep_going = true;
            hunt.options = Options::default().with("store", Exactness::Bitstate);
        }),
        ("depth", |hunt| {
            hunt.keep_going = true;
            hunt.options = Options::default().with("depth", 6);
        }),
        ("memory", |hunt| {
            hunt.keep_going = true;
            hunt.budget = Budget {
                memory: Some(400_000),
                ..Budget::default()
            };
        }),
    ];
    for (broken, more_steps) in [(None, 0), (Some(4321), 0), (None, 300)] {
        let model = Tangle {
            states: 20_000,
            broken,
            slowness: 2_000,
            more_steps,
        };
        for (name, change) in changes {
            let one = told(&model, 1, &change);
            for threads in [2, 3, 7] {
                let several = told(&model, threads, &change);
                assert!(one == several, "{name}, {threads} threads");
            }
        }
    }
}

/// Levels of many states, each with a word that is wider by a bit than in the level before.
struct Ladder;

impl Ladder {
    const RUNGS: u32 = 3000;
    const LEVELS: u32 = 25;
}

impl Model for Ladder {
    fn identity(&self) -> Identity {
        Identity::new("ladder", Fingerprint::of_words(&[Ladder::RUNGS]))
    }
    fn width(&self) -> usize {
        3
    }
    fn initial(&self, state: &mut Vec<u32>) -> Result<(), ModelError> {
        state.extend([0, 1, 0]);
        Ok(())
    }
    fn expand(&self, state: &[u32], steps: &mut Steps) -> Result<(), ModelError> {
        let [rung, level, _] = *state else {
            return Err(ModelError::new("a state has three words"));
        };
        for round in 0..2_000 {
            std::hint::black_box(round);
        }
        if level >> Ladder::LEVELS == 0 {
            for factor in [2, 3, 5] {
                let next = (rung * factor + 1) % Ladder::RUNGS;
                steps.push(LabelId(0), &[next, level << 1, next / 3]);
            }
        }
        Ok(())
    }
    fn label(&self, _: LabelId) -> String {
        "up".to_owned()
    }
}

/// Threads that share a batch meet states for which there is no room in the layout.
#[test]
fn states_may_get_wider_in_every_level() {
    let all = |hunt: &mut Hunt<'_>| hunt.keep_going = true;
    let one = told(&Ladder, 1, &all);
    for threads in [2, 3, 7] {
        assert!(one == told(&Ladder, threads, &all), "{threads} threads");
    }
}

/// What a highway has drawn before.
#[derive(Default)]
struct Drawn(HashSet<Vec<u32>>);

impl Known for Drawn {
    fn expect(&self, _: impl Iterator<Item = Fingerprint>) {}

    fn has(&self, _: Fingerprint, state: &[u32]) -> bool {
        self.0.contains(state)
    }
}

/// In wide levels priorities are guessed, which must not show; where levels get smaller, the guess is wrong.
#[test]
fn wide_highways_are_drawn_as_if_every_state_had_been_looked_at() {
    const WIDTH: usize = 1500;
    // Slow enough to be worth sharing.
    let model = Tangle {
        states: 30_000,
        broken: None,
        slowness: 3_000,
        more_steps: 0,
    };
    let nothing: [Box<dyn Property>; 0] = [];
    for threads in [1, 2, 3, 7] {
        let mut hunt = Hunt::new(&model, &nothing, &Silent);
        hunt.threads = threads;
        hunt.options = Options::default().with("width", WIDTH);
        let sizes = with_highway(&hunt, |highway| follow(highway, &model, &hunt, WIDTH));
        let sizes = sizes.expect("a good model");
        let full = sizes.iter().filter(|size| **size == WIDTH).count();
        assert!(full > 5 && sizes.len() > full + 10, "{sizes:?}");
    }
}

/// Compares each level with one that is drawn from all successors; the sizes of the levels.
fn follow(
    mut highway: Highway<'_, '_>,
    model: &Tangle,
    hunt: &Hunt<'_>,
    width: usize,
) -> Vec<usize> {
    let mut drawn = Drawn::default();
    let mut steps = Steps::new(3);
    let mut sizes = Vec::new();
    loop {
        let lanes: Vec<Vec<u32>> = highway.lanes().map(<[u32]>::to_vec).collect();
        let mut expected = BottomK::new(hunt.seed, sizes.len() as u64 + 1, width, 3);
        drawn.0.extend(lanes.iter().cloned());
        for (position, lane) in (0..).zip(&lanes) {
            steps.clear();
            model.expand(lane, &mut steps).expect("a good model");
            for (_, target) in steps.iter() {
                expected.offer(model.fingerprint(target), target, position, &drawn);
            }
        }
        expected.settle(&drawn);
        sizes.push(lanes.len());
        let goes_on = highway.advance().expect("a good model");
        let count = expected.candidates().len();
        let expected = (0..count).map(|place| expected.state(place));
        let threads = hunt.threads;
        assert!(
            highway.lanes().eq(expected),
            "{threads} threads, after {sizes:?}"
        );
        if !goes_on {
            return sizes;
        }
    }
}
