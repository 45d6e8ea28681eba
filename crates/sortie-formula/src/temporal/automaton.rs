//! Automata that accept the paths of a formula: generalised Büchi automata with marks on transitions, which also accept paths that end.
//!
//! A state is a set of formulas that the rest of the path must satisfy; its transitions are the factors of that set. States with the same
//! transitions are one, and states from which nothing is accepted are left out.

use super::atoms::LabelSet;
use super::factors::{Factor, Factors, TooMany};
use super::normal::{Id, Normals};
use super::tree::Tree;
use crate::strongly_connected::components;
use std::collections::{BTreeSet, HashMap};

/// A way to leave a state of the automaton, or to end in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Transition {
    /// Predicates with the values they must have.
    pub(crate) predicates: Vec<(usize, bool)>,
    /// Sets that the label of the step must be in, or must not be in.
    pub(crate) labels: Vec<(usize, bool)>,
    /// Whether the path may end here.
    pub(crate) may_end: bool,
    /// Where it goes on.
    pub(crate) target: Option<usize>,
    /// The promises that are kept waiting, in order.
    pub(crate) promises: Vec<usize>,
}

impl Transition {
    /// Whether it asks for no more than the other, and leads to the same state.
    fn covers(&self, other: &Transition) -> bool {
        let after = other.target.is_none()
            || self.target == other.target && is_subset(&self.labels, &other.labels);
        self.may_end >= other.may_end
            && after
            && is_subset(&self.predicates, &other.predicates)
            && is_subset(&self.promises, &other.promises)
    }
}

fn is_subset<T: PartialEq>(left: &[T], right: &[T]) -> bool {
    left.iter().all(|one| right.contains(one))
}

/// An automaton. A path is accepted if it ends where it may, or goes on for ever without keeping a promise waiting from some point on.
#[derive(Clone, Debug)]
pub(crate) struct Automaton {
    pub(crate) states: Vec<Vec<Transition>>,
    /// None if nothing is accepted.
    pub(crate) initial: Option<usize>,
    /// The state that accepts everything.
    pub(crate) everything: Option<usize>,
    /// For each state its component; transitions lead to the same or a smaller one.
    pub(crate) components: Vec<usize>,
    /// For each component the promises that are made in it, if a path that stays in it can be accepted.
    pub(crate) accepting: Vec<Option<Vec<usize>>>,
}

/// So many states and transitions an automaton may have.
const LIMIT: usize = 1 << 16;

impl Automaton {
    /// Accepts the paths that satisfy the formula, or those that do not.
    pub(crate) fn new(
        tree: &Tree,
        sets: &[LabelSet],
        positive: bool,
    ) -> Result<Automaton, TooMany> {
        let mut normals = Normals::default();
        let root = normals.of(tree, sets, positive);
        let mut construction = Construction {
            factors: Factors::new(&normals),
            numbers: HashMap::new(),
            waiting: Vec::new(),
            promises: Vec::new(),
        };
        let states = construction.all(root)?;
        let mut automaton = Automaton {
            states,
            initial: Some(0),
            everything: None,
            components: Vec::new(),
            accepting: Vec::new(),
        };
        automaton.drop_useless();
        automaton.merge();
        automaton.forget_promises();
        automaton.merge();
        automaton.find_components();
        automaton.everything = automaton.find_everything();
        Ok(automaton)
    }

    /// Finds them, and for each a promise that all of its transitions keep waiting, if there is one.
    fn find_components(&mut self) -> Vec<Option<usize>> {
        let targets = |transitions: &Vec<Transition>| {
            let targets = transitions.iter().filter_map(|t| t.target);
            targets.collect::<Vec<_>>()
        };
        let targets: Vec<Vec<usize>> = self.states.iter().map(targets).collect();
        self.components = components(targets.len(), |state, place| {
            targets[state].get(place).copied()
        });
        let count = self.components.iter().max().map_or(0, |last| last + 1);
        // Of each component: the promises made in it, and those kept waiting by all of its transitions.
        let mut made: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); count];
        let mut stuck: Vec<Option<BTreeSet<usize>>> = vec![None; count];
        for (state, transitions) in self.states.iter().enumerate() {
            let component = self.components[state];
            for transition in transitions {
                if transition.target.map(|t| self.components[t]) != Some(component) {
                    continue;
                }
                let promises: BTreeSet<usize> = transition.promises.iter().copied().collect();
                made[component].extend(&promises);
                stuck[component] = Some(match &stuck[component] {
                    Some(stuck) => stuck & &promises,
                    None => promises,
                });
            }
        }
        let accepting = made.into_iter().zip(&stuck).map(|(made, stuck)| {
            let accepting = stuck.as_ref().is_some_and(BTreeSet::is_empty);
            accepting.then(|| made.into_iter().collect())
        });
        self.accepting = accepting.collect();
        let first = |stuck: Option<BTreeSet<usize>>| stuck?.pop_first();
        stuck.into_iter().map(first).collect()
    }

    /// Leaves out the states from which nothing is accepted, and what leads to them.
    fn drop_useless(&mut self) {
        self.find_components();
        let mut useful = vec![false; self.states.len()];
        // What a state leads to is in its own component or in one that was looked at before.
        let mut order: Vec<usize> = (0..self.states.len()).collect();
        order.sort_by_key(|state| self.components[*state]);
        let mut changed = true;
        while changed {
            changed = false;
            for state in &order {
                let accepts = self.accepting[self.components[*state]].is_some()
                    || self.states[*state]
                        .iter()
                        .any(|t| t.may_end || t.target.is_some_and(|target| useful[target]));
                changed |= accepts && !useful[*state];
                useful[*state] = accepts;
            }
        }
        for transitions in &mut self.states {
            for transition in transitions.iter_mut() {
                transition.target = transition.target.filter(|target| useful[*target]);
                if transition.target.is_none() {
                    transition.labels.clear();
                    transition.promises.clear();
                }
            }
            transitions.retain(|transition| transition.may_end || transition.target.is_some());
        }
        let mut count = 0;
        let numbers = useful.iter().map(|useful| {
            count += usize::from(*useful);
            count - usize::from(*useful)
        });
        let numbers: Vec<usize> = numbers.collect();
        self.initial = self.initial.filter(|state| useful[*state]);
        self.keep(&useful, &numbers);
    }

    /// A transition that is taken only once keeps nothing waiting for ever, and where one promise waits for ever, others do not matter. With
    /// fewer promises, more transitions cover others, and more states are the same.
    fn forget_promises(&mut self) {
        let stuck = self.find_components();
        for (state, transitions) in self.states.iter_mut().enumerate() {
            let component = self.components[state];
            for transition in transitions.iter_mut() {
                let next = transition.target.map(|target| self.components[target]);
                if next != Some(component) {
                    transition.promises.clear();
                } else if let Some(stuck) = stuck[component] {
                    transition.promises = vec![stuck];
                }
            }
            let mut kept: Vec<Transition> = Vec::new();
            for transition in transitions.drain(..) {
                if !kept.iter().any(|other| other.covers(&transition)) {
                    kept.retain(|other| !transition.covers(other));
                    kept.push(transition);
                }
            }
            kept.sort_unstable();
            *transitions = kept;
        }
    }

    /// Makes states one that have the same transitions, until there are none left.
    fn merge(&mut self) {
        loop {
            let mut kept: HashMap<&Vec<Transition>, usize> = HashMap::new();
            let number = |transitions| {
                let next = kept.len();
                let number = *kept.entry(transitions).or_insert(next);
                (number == next, number)
            };
            let (first, numbers): (Vec<bool>, Vec<usize>) = self.states.iter().map(number).unzip();
            if first.iter().all(|first| *first) {
                return;
            }
            self.keep(&first, &numbers);
        }
    }

    /// Leaves out the states that are not to be kept, and gives the others their numbers.
    fn keep(&mut self, kept: &[bool], numbers: &[usize]) {
        let mut kept = kept.iter();
        self.states.retain(|_| kept.next() == Some(&true));
        for transitions in &mut self.states {
            for transition in transitions.iter_mut() {
                transition.target = transition.target.map(|target| numbers[target]);
            }
            transitions.sort_unstable();
            transitions.dedup();
        }
        self.initial = self.initial.map(|state| numbers[state]);
    }

    /// Whether every path that fits here is accepted, however it goes on.
    pub(crate) fn accepts_whatever_follows(&self, transition: &Transition) -> bool {
        transition.may_end
            && transition.labels.is_empty()
            && transition.target.is_some()
            && transition.target == self.everything
    }

    /// The state that asks for nothing, now and later.
    fn find_everything(&self) -> Option<usize> {
        (0..self.states.len()).find(|state| {
            let nothing = Transition {
                predicates: Vec::new(),
                labels: Vec::new(),
                may_end: true,
                target: Some(*state),
                promises: Vec::new(),
            };
            self.states[*state].contains(&nothing)
        })
    }
}

/// States under construction.
struct Construction<'a> {
    factors: Factors<'a>,
    numbers: HashMap<BTreeSet<Id>, usize>,
    waiting: Vec<BTreeSet<Id>>,
    promises: Vec<Id>,
}

impl Construction<'_> {
    fn all(&mut self, root: Id) -> Result<Vec<Vec<Transition>>, TooMany> {
        self.number(BTreeSet::from([root]));
        let mut states = Vec::new();
        let mut size = 0;
        while let Some(state) = self.waiting.get(states.len()) {
            let factors = self.factors.of_all(state.iter().copied())?;
            let transitions = factors.iter().map(|factor| self.transition(factor));
            let transitions: Vec<Transition> = transitions.collect();
            size += 1 + transitions.len();
            if size > LIMIT {
                return Err(TooMany);
            }
            states.push(transitions);
        }
        Ok(states)
    }

    fn transition(&mut self, factor: &Factor) -> Transition {
        let promises = factor.promises.iter().map(|promise| {
            let known = self.promises.iter().position(|known| known == promise);
            known.unwrap_or_else(|| {
                self.promises.push(*promise);
                self.promises.len() - 1
            })
        });
        let mut promises: Vec<usize> = promises.collect();
        promises.sort_unstable();
        Transition {
            predicates: factor.predicates.iter().copied().collect(),
            labels: factor.labels.iter().copied().collect(),
            may_end: !factor.goes_on,
            target: (!factor.ends).then(|| self.number(factor.next.clone())),
            promises,
        }
    }

    fn number(&mut self, state: BTreeSet<Id>) -> usize {
        if let Some(known) = self.numbers.get(&state) {
            return *known;
        }
        let number = self.waiting.len();
        self.waiting.push(state.clone());
        self.numbers.insert(state, number);
        number
    }
}

#[cfg(test)]
mod tests {
    use crate::temporal::Ltl;

    /// The states and transitions of the automaton that accepts what violates the formula.
    #[track_caller]
    fn check(text: &str, states: usize, transitions: usize) {
        let formula = Ltl::parse(text).expect("a good formula");
        let automaton = formula.violations().expect("a small automaton");
        let all = automaton.states.iter().map(Vec::len).sum::<usize>();
        let found = (automaton.states.len(), all);
        assert_eq!(found, (states, transitions), "{text}");
    }

    #[test]
    fn automata_are_small() {
        check("true", 0, 0);
        check("false", 1, 1);
        check("G <a>", 2, 3);
        check("F <a>", 1, 1);
        check("G F <a>", 2, 3);
        check("F G [a]", 1, 2);
        check("G (<a> => F <b>)", 2, 3);
        check("X X <a>", 4, 4);
        let fair = (0..6).map(|n| format!("GF <a({n})>")).collect::<Vec<_>>();
        let text = format!("({}) => G (<b> => F <c>)", fair.join(" && "));
        check(&text, 2, 66);
    }
}
