#![allow(dead_code, reason = "each test file uses its own part")]
//! Small random networks with a subsystem found by the book: automata that synchronise on shared actions.

use sortie_model::{
    Components, Dice, Extensions, Fingerprint, Identity, LabelId, LocalStates, Model, ModelError,
    PartSet, Selection, Steps, Subsystem, SubsystemState, SubsystemStep,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Automata that run in parallel. An action happens when all automata that know it take part.
pub struct Toy {
    /// By automaton, state and action: where it can go.
    pub automata: Vec<Vec<BTreeMap<usize, Vec<usize>>>>,
    /// By action: which automata know it.
    pub partners: Vec<Vec<usize>>,
}

impl Toy {
    /// Without cycles, automata only go to states with larger numbers, or stay.
    pub fn random(dice: &mut Dice, cycles: bool) -> Toy {
        let automata = 2 + dice.index(3);
        let partners: Vec<Vec<usize>> = (0..4 + dice.index(6))
            .map(|_| {
                let mut some: BTreeSet<usize> = BTreeSet::from([dice.index(automata)]);
                if dice.chance(5, 6) {
                    some.insert(dice.index(automata));
                }
                if dice.chance(1, 6) {
                    some.insert(dice.index(automata));
                }
                some.into_iter().collect()
            })
            .collect();
        let automata = (0..automata)
            .map(|automaton| {
                let states = 2 + dice.index(4);
                (0..states)
                    .map(|state| {
                        let mut steps: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
                        for (action, known) in partners.iter().enumerate() {
                            if !known.contains(&automaton) || dice.chance(3, 5) {
                                continue;
                            }
                            let targets = (0..1 + dice.index(2)).map(|_| match cycles {
                                true => dice.index(states),
                                false => state + dice.index(states - state),
                            });
                            let targets: BTreeSet<usize> = targets.collect();
                            steps.insert(action, targets.into_iter().collect());
                        }
                        steps
                    })
                    .collect()
            })
            .collect();
        Toy { automata, partners }
    }

    /// All ways to do an action if those who are `asked` must take part and the others are always ready.
    fn moves(&self, state: &[u32], action: usize, asked: &[usize]) -> Vec<Vec<u32>> {
        let mut found = vec![state.to_vec()];
        for &partner in self.partners[action].iter().filter(|p| asked.contains(p)) {
            let targets = self.automata[partner][state[partner] as usize].get(&action);
            let mut next = Vec::new();
            for before in &found {
                for &target in targets.into_iter().flatten() {
                    let mut after = before.clone();
                    after[partner] = target as u32;
                    next.push(after);
                }
            }
            found = next;
        }
        found
    }
}

impl Model for Toy {
    fn identity(&self) -> Identity {
        Identity::new("toy", Fingerprint::of_text("toy"))
    }

    fn width(&self) -> usize {
        self.automata.len()
    }

    fn initial(&self, state: &mut Vec<u32>) -> Result<(), ModelError> {
        state.extend(std::iter::repeat_n(0, self.automata.len()));
        Ok(())
    }

    fn expand(&self, state: &[u32], steps: &mut Steps) -> Result<(), ModelError> {
        let all: Vec<usize> = (0..self.automata.len()).collect();
        for action in 0..self.partners.len() {
            for target in self.moves(state, action, &all) {
                steps.push(LabelId(action as u32), &target);
                if steps.wants_parts() {
                    steps.push_parts(self.partners[action].iter().copied().collect());
                }
            }
        }
        Ok(())
    }

    fn label(&self, label: LabelId) -> String {
        format!("a{}", label.0)
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions {
            components: Some(self),
            ..Extensions::default()
        }
    }
}

impl Components for Toy {
    fn component_names(&self) -> Vec<String> {
        (0..self.automata.len()).map(|n| format!("A{n}")).collect()
    }

    fn partners(&self, _state: &[u32], component: usize) -> Result<PartSet, ModelError> {
        let known = self.partners.iter().filter(|p| p.contains(&component));
        Ok(known.flatten().copied().chain([component]).collect())
    }

    fn local_states(&self) -> Option<&dyn LocalStates> {
        Some(self)
    }
}

impl LocalStates for Toy {
    fn local_fingerprint(&self, component: usize, word: u32) -> Fingerprint {
        Fingerprint::of_words(&[component as u32, word])
    }

    fn subsystem(&self, selection: &Selection<'_>) -> Result<Subsystem, ModelError> {
        let mut initial = Vec::new();
        self.initial(&mut initial)?;
        let mut numbers: HashMap<Vec<u32>, usize> = HashMap::from([(initial.clone(), 0)]);
        let mut all = vec![initial];
        let mut states = Vec::new();
        while states.len() < all.len() {
            let state = all[states.len()].clone();
            let mut targets: BTreeMap<usize, String> = BTreeMap::new();
            for action in 0..self.partners.len() {
                for target in self.moves(&state, action, selection.components) {
                    if target == state {
                        continue;
                    }
                    let number = *numbers.entry(target.clone()).or_insert_with(|| {
                        all.push(target);
                        all.len() - 1
                    });
                    targets
                        .entry(number)
                        .or_insert_with(|| format!("a{action}"));
                }
            }
            states.push(SubsystemState {
                print: self.project(selection.components, &state),
                text: format!("{state:?}"),
                steps: targets
                    .into_iter()
                    .map(|(target, text)| SubsystemStep { target, text })
                    .collect(),
            });
        }
        Ok(Subsystem { states })
    }
}

/// The content of all reachable states.
pub fn reachable(model: &dyn Model) -> BTreeSet<Fingerprint> {
    let mut seen = BTreeSet::new();
    let mut initial = Vec::new();
    model
        .initial(&mut initial)
        .expect("it has an initial state");
    seen.insert(model.fingerprint(&initial));
    let mut open = vec![initial];
    let mut steps = Steps::new(model.width());
    while let Some(state) = open.pop() {
        steps.clear();
        model
            .expand(&state, &mut steps)
            .expect("it can be expanded");
        for (_, target) in steps.iter() {
            if seen.insert(model.fingerprint(target)) {
                open.push(target.to_vec());
            }
        }
    }
    seen
}
