//! The truth about walks, by enumeration: how likely a walk is to meet each state.

use sortie_model::{Dice, Model, Steps};
use std::collections::HashMap;

/// What walks of one kind can meet.
pub struct Truth {
    chain: Chain,
    depth: usize,
    /// By state, the chance that a walk meets it.
    chances: Vec<f64>,
    numbers: HashMap<u64, usize>,
}

/// A state space with the chance of each step.
struct Chain {
    prints: Vec<u64>,
    steps: Vec<Vec<(u32, f64)>>,
}

impl Chain {
    /// All states that walks of at most so many states can meet.
    fn of(model: &dyn Model, depth: usize) -> Self {
        let mut initial = Vec::new();
        model.initial(&mut initial).expect("an initial state");
        let mut numbers = HashMap::from([(initial.clone(), 0)]);
        let mut chain = Chain {
            prints: vec![model.fingerprint(&initial).high()],
            steps: Vec::new(),
        };
        let mut level = vec![initial];
        let mut steps = Steps::new(model.width());
        for distance in 0..depth {
            let mut next = Vec::new();
            for state in level {
                steps.clear();
                model
                    .expand(&state, &mut steps)
                    .expect("it can be expanded");
                let mut out: Vec<(u32, f64)> = Vec::new();
                // States beyond the last are never met.
                let count = if distance + 1 < depth {
                    steps.transitions()
                } else {
                    0
                };
                for transition in (0..count).map(|index| steps.transition(index)) {
                    let all: u64 = transition.weights.iter().sum();
                    for (place, step) in transition.steps.clone().enumerate() {
                        let target = steps.target(step).to_vec();
                        let number = *numbers.entry(target).or_insert_with_key(|target| {
                            chain.prints.push(model.fingerprint(target).high());
                            next.push(target.clone());
                            chain.prints.len() as u32 - 1
                        });
                        let weight = transition.weights.get(place);
                        let share = weight.map_or(1.0, |&weight| weight as f64 / all as f64);
                        let chance = share / count as f64;
                        match out.iter_mut().find(|(known, _)| *known == number) {
                            Some((_, sum)) => *sum += chance,
                            None => out.push((number, chance)),
                        }
                    }
                }
                chain.steps.push(out);
            }
            level = next;
        }
        chain
    }

    /// The chance that a walk of at most so many states meets this one.
    fn chance(&self, state: usize, depth: usize, now: &mut Vec<f64>, then: &mut Vec<f64>) -> f64 {
        if state == 0 {
            return 1.0;
        }
        now.clear();
        now.resize(self.prints.len(), 0.0);
        now[0] = 1.0;
        let mut chance = 0.0;
        for _ in 1..depth {
            then.clear();
            then.resize(self.prints.len(), 0.0);
            let mut is_over = true;
            for (from, &here) in now.iter().enumerate() {
                if here < 1e-15 {
                    continue;
                }
                is_over = false;
                for &(to, step) in &self.steps[from] {
                    then[to as usize] += here * step;
                }
            }
            chance += std::mem::take(&mut then[state]);
            std::mem::swap(now, then);
            if is_over {
                break;
            }
        }
        chance
    }
}

impl Truth {
    /// Of walks that pass at most `depth` states.
    pub fn of(model: &dyn Model, depth: u64) -> Self {
        let depth = depth as usize;
        let chain = Chain::of(model, depth);
        let (mut now, mut then) = (Vec::new(), Vec::new());
        let states = 0..chain.prints.len();
        let chances = states
            .clone()
            .map(|state| chain.chance(state, depth, &mut now, &mut then));
        let numbers = states.clone().map(|state| (chain.prints[state], state));
        Truth {
            depth,
            chances: chances.collect(),
            numbers: numbers.collect(),
            chain,
        }
    }

    /// How many states walks can meet.
    pub fn states(&self) -> usize {
        self.chances.len()
    }

    /// By state, the chance that a walk meets it.
    pub fn chances(&self) -> &[f64] {
        &self.chances
    }

    /// The number of the state with this upper half of a fingerprint.
    pub fn number(&self, print: u64) -> usize {
        self.numbers[&print]
    }

    /// How many states a walk meets, on average, of those that were not seen.
    pub fn unseen(&self, seen: &[bool]) -> f64 {
        let chances = self.chances.iter().zip(seen);
        chances
            .filter(|(_, seen)| !**seen)
            .map(|(chance, _)| chance)
            .sum()
    }

    /// The states that one walk passes.
    pub fn walk(&self, dice: &mut Dice) -> Vec<usize> {
        let mut passed = vec![0];
        let mut at = 0;
        while passed.len() < self.depth && !self.chain.steps[at].is_empty() {
            let mut left = dice.below(1 << 53) as f64 / (1u64 << 53) as f64;
            let steps = &self.chain.steps[at];
            let chosen = steps.iter().find(|(_, chance)| {
                left -= chance;
                left < 0.0
            });
            at = chosen.or(steps.last()).expect("there are steps").0 as usize;
            passed.push(at);
        }
        passed
    }

    /// The upper half of the fingerprint of a state.
    pub fn print(&self, state: usize) -> u64 {
        self.chain.prints[state]
    }
}
