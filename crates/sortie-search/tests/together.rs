//! Breadth-first search by several threads: everything is as with one.

use sortie_model::{
    Budget, Exactness, Fingerprint, Identity, LabelId, Model, ModelError, Silent, Steps,
};
use sortie_property::{Deadlock, Property};
use sortie_search::{Hunt, Options, strategy};

/// A tangle of states of three words that get wider as they get later, each slow enough to be worth sharing.
struct Tangle {
    states: u32,
    /// Here it has an error.
    broken: Option<u32>,
    slowness: u32,
}

impl Tangle {
    fn state(&self, number: u32) -> [u32; 3] {
        [number, number / 7, number.pow(2) % 1_000_003]
    }
}

impl Model for Tangle {
    fn identity(&self) -> Identity {
        Identity {
            name: "tangle".into(),
            content: Fingerprint::of_words(&[self.states]),
        }
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
        for round in 0..self.slowness {
            std::hint::black_box(round);
        }
        if number % 97 != 13 {
            for (label, factor) in [(0, 3), (1, 5), (2, 7), (u32::from(number % 31 == 5), 11)] {
                let next = (number * factor + 1 + label) % self.states;
                steps.push(LabelId(label), &self.state(next));
            }
        }
        Ok(())
    }
    fn label(&self, label: LabelId) -> String {
        ["on", "up", "down"][label.0 as usize].to_owned()
    }
}

/// All that a hunt tells.
fn told(model: &Tangle, threads: usize, change: &dyn Fn(&mut Hunt<'_>)) -> String {
    let properties: [Box<dyn Property>; 1] = [Box::new(Deadlock)];
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
    for broken in [None, Some(4321)] {
        let model = Tangle {
            states: 20_000,
            broken,
            slowness: 5_000,
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
