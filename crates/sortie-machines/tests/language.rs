//! The language of `.machines` files: what its words mean, and what is said about mistakes.

use sortie_machines::language::{self, Written};
use sortie_machines::{Machines, Settings};
use sortie_model::{Diagnostic, Model, Source, Steps};
use std::collections::HashMap;

fn settings(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |(name, value): &(&str, &str)| (name.to_string(), value.to_string());
    pairs.iter().map(owned).collect()
}

fn read_with(text: &str, pairs: &[(&str, &str)]) -> Result<Written, Vec<Diagnostic>> {
    let source = Source {
        name: "test.machines",
        text,
    };
    language::read(source, &settings(pairs))
}

fn shown(text: &str, messages: &[Diagnostic]) -> String {
    let source = Source {
        name: "test.machines",
        text,
    };
    messages.iter().map(|m| m.render(source, 100)).collect()
}

fn read(text: &str) -> Written {
    read_with(text, &[]).unwrap_or_else(|errors| panic!("{}", shown(text, &errors)))
}

/// A model with all its states, and for each the labels of its steps with where they lead.
struct Space {
    machines: Machines,
    states: Vec<Vec<u32>>,
    steps: Vec<Vec<(String, usize)>>,
}

impl Space {
    fn of(written: &Written) -> Self {
        let machines =
            Machines::new(written.system.clone(), Settings::default()).expect("it begins");
        let mut first = Vec::new();
        machines.initial(&mut first).expect("an initial state");
        let mut states = vec![first.clone()];
        let mut numbers = HashMap::from([(first, 0)]);
        let mut steps = Vec::new();
        while let Some(state) = states.get(steps.len()).cloned() {
            assert!(states.len() < 100_000, "too many states for a test");
            let mut next = Steps::new(machines.width());
            machines.expand(&state, &mut next).expect("steps");
            let mut listed = Vec::new();
            for (label, target) in next.iter() {
                let number = *numbers.entry(target.to_vec()).or_insert_with(|| {
                    states.push(target.to_vec());
                    states.len() - 1
                });
                listed.push((machines.label(label), number));
            }
            steps.push(listed);
        }
        Space {
            machines,
            states,
            steps,
        }
    }

    /// How many states satisfy an expression.
    fn count(&self, written: &Written, text: &str) -> usize {
        let expression = written
            .expression(text)
            .unwrap_or_else(|errors| panic!("{}", shown(text, &errors)));
        let holds = |state: &&Vec<u32>| {
            let value = self.machines.evaluate(state, &expression);
            value.expect("a value") != 0
        };
        self.states.iter().filter(holds).count()
    }

    fn labels(&self) -> Vec<String> {
        let steps = self.steps.iter().flatten();
        let mut labels: Vec<String> = steps.map(|(label, _)| label.clone()).collect();
        labels.sort();
        labels.dedup();
        labels
    }

    fn deadlocks(&self) -> usize {
        self.steps.iter().filter(|steps| steps.is_empty()).count()
    }
}

fn model(name: &str, pairs: &[(&str, &str)]) -> Written {
    let path = format!(
        "{}/../../models/{name}.machines",
        env!("CARGO_MANIFEST_DIR")
    );
    let text = std::fs::read_to_string(path).expect("a model");
    read_with(&text, pairs).unwrap_or_else(|errors| panic!("{}", shown(&text, &errors)))
}

#[test]
fn models() {
    for name in ["philosophers", "queens", "tic_tac_toe", "leader_election"] {
        let written = model(name, &[]);
        println!(
            "{name}: {} machines, {} variables, {} transitions, {:?}",
            written.system.machines.len(),
            written.system.variables.len(),
            written.system.transitions.len(),
            written.warnings
        );
        let space = Space::of(&written);
        println!(
            "{} states, {} deadlocks, {:?}",
            space.states.len(),
            space.deadlocks(),
            space.labels()
        );
    }
}
