//! A subsystem against the state space of the whole.

use sortie_model::{Fingerprint, LocalStates, Model, Selection, Steps, Subsystem};
use std::collections::{BTreeSet, HashMap, HashSet};

/// The beginning of a state space.
pub struct Space {
    /// In breadth-first order.
    pub states: Vec<Vec<u32>>,
    /// Between numbers of states; steps to states that were not visited are left out.
    steps: HashSet<(u32, u32)>,
}

impl Space {
    /// So many states of a model; a state that cannot be expanded has no steps.
    pub fn explore(model: &dyn Model, most: usize) -> Option<Space> {
        let mut first = Vec::new();
        model.initial(&mut first).ok()?;
        let mut numbers = HashMap::from([(first.clone(), 0)]);
        let mut states = vec![first];
        let mut found = HashSet::new();
        let mut steps = Steps::new(model.width());
        let mut next = 0;
        while next < states.len() {
            steps.clear();
            if model.expand(&states[next], &mut steps).is_err() {
                steps.clear();
            }
            for (_, target) in steps.iter() {
                let number = match numbers.get(target) {
                    Some(number) => *number,
                    None if states.len() == most => continue,
                    None => {
                        let number = states.len() as u32;
                        numbers.insert(target.to_vec(), number);
                        states.push(target.to_vec());
                        number
                    }
                };
                found.insert((next as u32, number));
            }
            next += 1;
        }
        Some(Space {
            states,
            steps: found,
        })
    }

    /// Each change of some components once.
    pub fn changes(&self, model: &dyn LocalStates, of: &[usize]) -> Changes {
        let project = |state: &Vec<u32>| model.project(of, state);
        let prints: Vec<Fingerprint> = self.states.iter().map(project).collect();
        let steps = self.steps.iter();
        let steps = steps.map(|(from, to)| (prints[*from as usize], prints[*to as usize]));
        Changes {
            start: prints[0],
            steps: steps.filter(|(from, to)| from != to).collect(),
            states: prints.into_iter().collect(),
        }
    }
}

/// What some components do in a state space.
pub struct Changes {
    start: Fingerprint,
    pub states: BTreeSet<Fingerprint>,
    pub steps: BTreeSet<(Fingerprint, Fingerprint)>,
}

impl Changes {
    /// What is wrong with a subsystem.
    pub fn check(&self, found: &Subsystem) -> Result<(), String> {
        let prints = found.states.iter().map(|state| state.print);
        let numbers: HashMap<Fingerprint, usize> = prints.zip(0..).collect();
        if numbers.len() != found.states.len() {
            return Err("a state occurs twice".into());
        }
        if numbers.get(&self.start) != Some(&0) {
            return Err("it starts elsewhere".into());
        }
        if let Some(print) = self
            .states
            .iter()
            .find(|print| !numbers.contains_key(print))
        {
            return Err(format!("the state {print} is missing"));
        }
        for (from, to) in &self.steps {
            let state = &found.states[numbers[from]];
            let target = numbers[to];
            if !state.steps.iter().any(|step| step.target == target) {
                let to = &found.states[target].text;
                return Err(format!("no step from `{}` to `{to}`", state.text));
            }
        }
        for (number, state) in found.states.iter().enumerate() {
            if !state
                .steps
                .is_sorted_by(|one, other| one.target < other.target)
            {
                return Err(format!("the steps of state {number} are not in order"));
            }
            if state.steps.iter().any(|step| step.target == number) {
                return Err(format!("state {number} leads to itself"));
            }
        }
        Ok(())
    }
}

/// Without domains.
pub fn selection(components: &[usize]) -> Selection<'_> {
    Selection {
        components,
        domains: &[],
        max_states: 2_000,
        stop: None,
    }
}
